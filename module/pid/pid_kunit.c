// SPDX-License-Identifier: GPL-2.0
/*
 * Generations, holders of numbers, snapshots.
 *
 * A namespace is made up, and its cursor set by hand: what alloc_pid() and
 * free_pid() would do is played.
 */
#include <linux/dcache.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "core/kunit.h"
#include "pid/internal.h"
#include "pid/pid_kunit.h"

#define MAX_RECORDS	4096
#define N_SUBBUFS	16
#define LEVEL		PID_TEST_LEVEL

static struct lt_test_record *records;
static struct pid_namespace *ns;

int pid_test_init(struct kunit *test)
{
	int err = lt_test_stay_on(0);

	if (err)
		return err;
	records = kunit_kcalloc(test, MAX_RECORDS, sizeof(*records), GFP_KERNEL);
	ns = kunit_kzalloc(test, sizeof(*ns), GFP_KERNEL);
	if (!records || !ns)
		return -ENOMEM;
	idr_init(&ns->idr);
	ns->level = LEVEL;
	ns->parent = &init_pid_ns;
	err = lt_channel_init(&lt_channel_pid, LT_CHANNEL_PID) ?: lt_pid_init();
	if (err)
		return err;
	err = lt_channel_open(&lt_channel_pid, NULL, LT_MIN_PID_SUBBUF_SIZE, N_SUBBUFS, 78);
	err = err ?: lt_pidgen_watch();
	if (!err)
		lt_pidgen_record();
	return err;
}

void pid_test_exit(struct kunit *test)
{
	lt_pidgen_pause();
	lt_numbers_forget();
	lt_pidgen_unwatch();
	lt_channel_close(&lt_channel_pid);
	lt_pid_exit();
	lt_channel_destroy(&lt_channel_pid);
}

static void give(u32 nr, u32 cursor)
{
	unsigned long flags;

	spin_lock_irqsave(&lt_pid_lock, flags);
	idr_set_cursor(&ns->idr, cursor);
	lt_pidgen_given(ns, LEVEL, nr);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

static void free_nr(u32 nr)
{
	unsigned long flags;

	spin_lock_irqsave(&lt_pid_lock, flags);
	lt_pidgen_freed(ns, LEVEL, nr);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

static struct lt_pidns now(void)
{
	struct lt_pidns copy = { 0 }, *n;
	unsigned long flags;

	spin_lock_irqsave(&lt_pid_lock, flags);
	n = lt_pidns_get(ns, LEVEL);
	if (n)
		copy = *n;
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return copy;
}

static size_t read_all(struct kunit *test)
{
	lt_channel_flush(&lt_channel_pid, false);
	return lt_test_records(test, &lt_channel_pid, records, MAX_RECORDS);
}

static unsigned int count(size_t n, unsigned int id)
{
	unsigned int found = 0;
	size_t i;

	for (i = 0; i < n; i++)
		found += records[i].id == id;
	return found;
}

static void cursor_going_back_is_a_wrap(struct kunit *test)
{
	const struct lt_rec_WRAP *rec = NULL;
	size_t i, n;
	u32 nr;

	for (nr = 1; nr < 400; nr++)
		give(nr, nr + 1);
	KUNIT_EXPECT_EQ(test, now().generation, 0ULL);
	give(300, 301);
	KUNIT_EXPECT_EQ(test, now().generation, 1ULL);
	KUNIT_EXPECT_EQ(test, now().wraps, 1ULL);
	give(301, 302);
	KUNIT_EXPECT_EQ(test, now().generation, 1ULL);
	n = read_all(test);
	KUNIT_EXPECT_EQ(test, count(n, LT_EV_WRAP), 1U);
	for (i = 0; i < n; i++)
		if (records[i].id == LT_EV_WRAP)
			rec = records[i].payload;
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, rec);
	KUNIT_EXPECT_EQ(test, rec->old_cursor, 400U);
	KUNIT_EXPECT_EQ(test, rec->nr, 300U);
	KUNIT_EXPECT_EQ(test, rec->why, (u8)LT_WRAP_CURSOR);
	KUNIT_EXPECT_EQ(test, rec->allocated, 400ULL);
}

/* clone3() with set_tid: the cursor does not move. */
static void number_given_again_ends_a_generation(struct kunit *test)
{
	give(1, 2);
	give(2, 3);
	free_nr(2);
	give(500, 3);
	KUNIT_EXPECT_EQ(test, now().generation, 0ULL);
	give(2, 3);
	KUNIT_EXPECT_EQ(test, now().generation, 1ULL);
	KUNIT_EXPECT_EQ(test, now().wraps, 0ULL);
	/* In the new generation it is known again. */
	free_nr(2);
	give(2, 3);
	KUNIT_EXPECT_EQ(test, now().generation, 2ULL);
}

/* A holder lives through a wrap, dies, and the cursor comes to its number. */
static void holder_of_two_generations(struct kunit *test)
{
	u32 nr;

	for (nr = 1; nr < 400; nr++)
		give(nr, nr + 1);
	for (nr = 300; nr < 350; nr++)
		free_nr(nr);
	give(300, 301);
	KUNIT_EXPECT_EQ(test, now().generation, 1ULL);
	free_nr(350);
	for (nr = 301; nr < 350; nr++)
		give(nr, nr + 1);
	KUNIT_EXPECT_EQ(test, now().generation, 1ULL);
	give(350, 351);
	KUNIT_EXPECT_EQ(test, now().generation, 2ULL);
	KUNIT_EXPECT_EQ(test, now().wraps, 1ULL);
}

/* A fork that fails takes a number, and no task comes. */
static void burned_numbers_wrap_too(struct kunit *test)
{
	unsigned long flags;
	u32 nr;

	give(1, 2);
	for (nr = 2; nr < 1000; nr++) {
		spin_lock_irqsave(&lt_pid_lock, flags);
		idr_set_cursor(&ns->idr, nr % 100 + 3);
		spin_unlock_irqrestore(&lt_pid_lock, flags);
		free_nr(nr % 100 + 2);
	}
	KUNIT_EXPECT_EQ(test, now().wraps, 9ULL);
	KUNIT_EXPECT_EQ(test, now().burned, 998ULL);
}

static void number_one_is_another_namespace(struct kunit *test)
{
	size_t n;
	u16 id;

	give(1, 2);
	give(2, 3);
	id = now().id;
	free_nr(1);
	give(1, 2);
	KUNIT_EXPECT_NE(test, now().id, id);
	KUNIT_EXPECT_EQ(test, now().generation, 0ULL);
	KUNIT_EXPECT_EQ(test, now().allocated, 1ULL);
	/* Here the end of the first was not seen. */
	id = now().id;
	give(1, 2);
	KUNIT_EXPECT_NE(test, now().id, id);
	n = read_all(test);
	KUNIT_EXPECT_EQ(test, count(n, LT_EV_PID_NS_GONE), 2U);
}

/* Of a namespace whose end was not seen nothing may be read any more. */
static void dead_namespace_keeps_its_parent(struct kunit *test)
{
	unsigned long flags;

	give(1, 2);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, now().parent);
	spin_lock_irqsave(&lt_pid_lock, flags);
	ns->parent = NULL;
	lt_pidns_begin_session();
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, now().parent);
	KUNIT_EXPECT_EQ(test, now().parent->session, lt_pid_session);
	KUNIT_EXPECT_NE(test, now().parent->id, now().id);
}

/* A struct for as many as there are: only their addresses and inode numbers count. */
struct pid_namespace *pid_test_inner(struct kunit *test, unsigned int n)
{
	struct pid_namespace *inner = kvcalloc(n, sizeof(*inner), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, inner);
	for (i = 0; i < n; i++) {
		inner[i].level = LEVEL;
		inner[i].parent = &init_pid_ns;
		inner[i].ns.inum = 0xf8000000 + i;
		idr_init(&inner[i].idr);
		idr_set_cursor(&inner[i].idr, 2);
	}
	return inner;
}

void pid_test_give(struct pid_namespace *to, u32 nr)
{
	unsigned long flags;

	spin_lock_irqsave(&lt_pid_lock, flags);
	lt_pidgen_given(to, LEVEL, nr);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

/* What is gone is not counted any more, once it is freed. */
static void gone_namespaces_give_back(struct kunit *test)
{
	const unsigned int n = 50;
	struct pid_namespace *inner = pid_test_inner(test, n);
	unsigned long flags, used, holders;
	unsigned int i;

	lt_pidns_flush();
	spin_lock_irqsave(&lt_pid_lock, flags);
	used = lt_shares_taken(LT_BUDGET_USED);
	holders = lt_shares_taken(LT_BUDGET_HOLDERS);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	for (i = 0; i < n; i++) {
		pid_test_give(&inner[i], 1);
		pid_test_give(&inner[i], 30000);
	}
	spin_lock_irqsave(&lt_pid_lock, flags);
	KUNIT_EXPECT_EQ(test, lt_shares_taken(LT_BUDGET_USED), used + 2 * 512 * n);
	KUNIT_EXPECT_EQ(test, lt_shares_taken(LT_BUDGET_HOLDERS),
			holders + 2 * LT_HOLDERS_CHUNK * n);
	for (i = 0; i < n; i++)
		lt_pidgen_freed(&inner[i], LEVEL, 1);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	lt_pidns_flush();
	spin_lock_irqsave(&lt_pid_lock, flags);
	KUNIT_EXPECT_EQ(test, lt_shares_taken(LT_BUDGET_USED), used);
	KUNIT_EXPECT_EQ(test, lt_shares_taken(LT_BUDGET_HOLDERS), holders);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	kvfree(inner);
}

/* One user takes all that is to be had; another one's namespaces do not notice. */
static void one_user_leaves_room_for_others(struct kunit *test)
{
	struct user_namespace *users = kunit_kcalloc(test, 2, sizeof(*users), GFP_KERNEL);
	unsigned long part = lt_budget_part[LT_BUDGET_USED], flags;
	struct pid_namespace *inner = pid_test_inner(test, 3);
	unsigned int i;
	u32 nr;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, users);
	for (i = 0; i < 3; i++) {
		struct user_namespace *u = &users[i / 2];

		u->parent = &init_user_ns;
		u->owner = KUIDT_INIT(1000 + i / 2);
		inner[i].user_ns = u;
	}
	lt_budget_part[LT_BUDGET_USED] = totalram_pages() / 16;
	/* 16 pages: two namespaces of one user want more. */
	for (nr = 1; nr < 4000000; nr += 4000) {
		pid_test_give(&inner[0], nr);
		pid_test_give(&inner[1], nr);
	}
	pid_test_give(&inner[2], 1);
	pid_test_give(&inner[2], 2);
	spin_lock_irqsave(&lt_pid_lock, flags);
	KUNIT_EXPECT_GT(test, lt_pidns_get(&inner[0], LEVEL)->generation, 0ULL);
	KUNIT_EXPECT_EQ(test, lt_pidns_get(&inner[2], LEVEL)->generation, 0ULL);
	KUNIT_EXPECT_LE(test, lt_shares_taken(LT_BUDGET_USED), 16 * PAGE_SIZE);
	for (i = 0; i < 3; i++)
		lt_pidns_retire(lt_pidns_get(&inner[i], LEVEL));
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	lt_budget_part[LT_BUDGET_USED] = part;
	kvfree(inner);
}

/* A file that stays open has a number, and nothing else, of a namespace that is gone. */
static void view_keeps_the_last_generation(struct kunit *test)
{
	struct lt_view *v;

	ns->pid_allocated = 1;
	give(1, 2);
	v = lt_view_open(ns);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, v);
	give(5, 6);
	give(3, 4);
	KUNIT_EXPECT_EQ(test, lt_view_generation(v), 1ULL);
	free_nr(1);
	KUNIT_EXPECT_EQ(test, lt_view_generation(v), 1ULL);
	/* Another one has its place now. */
	give(1, 2);
	KUNIT_EXPECT_EQ(test, now().generation, 0ULL);
	KUNIT_EXPECT_EQ(test, lt_view_generation(v), 1ULL);
	lt_view_close(v);
	/* Forgotten, and noted anew: in a generation that no file has shown. */
	lt_pidns_forget();
	KUNIT_EXPECT_GT(test, now().generation, 1ULL);
}

/* Each namespace is announced once, also those that were there before the session. */
static void announcing_goes_on_where_it_stopped(struct kunit *test)
{
	const unsigned int n = 3000;
	struct pid_namespace *inner = pid_test_inner(test, n);
	unsigned int i, found = 0, rounds = 0;
	unsigned long index = 0, flags;
	bool more;

	lt_pidgen_pause();
	for (i = 0; i < n; i++)
		pid_test_give(&inner[i], 2);
	lt_pidgen_record();
	do {
		more = lt_pidgen_announce(&index);
		found += count(read_all(test), LT_EV_PID_NS);
		rounds++;
	} while (more && rounds < 100);
	KUNIT_EXPECT_GT(test, rounds, 1U);
	KUNIT_EXPECT_GE(test, found, n + 1);
	lt_pidgen_pause();
	spin_lock_irqsave(&lt_pid_lock, flags);
	for (i = 0; i < n; i++)
		lt_pidns_retire(lt_pidns_get(&inner[i], LEVEL));
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	lt_pidns_flush();
	kvfree(inner);
}

/* The end of a namespace was not seen, and its inode number is another one's. */
static void another_namespace_in_its_place(struct kunit *test)
{
	struct pid_namespace *old = ns, *other = kunit_kzalloc(test, sizeof(*ns), GFP_KERNEL);
	u16 id;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, other);
	give(1, 2);
	give(2, 3);
	id = now().id;
	other->level = LEVEL;
	other->parent = &init_pid_ns;
	idr_init(&other->idr);
	ns = other;
	KUNIT_EXPECT_NE(test, now().id, id);
	KUNIT_EXPECT_EQ(test, now().allocated, 0ULL);
	KUNIT_EXPECT_PTR_EQ(test, now().ns, other);
	ns = old;
	KUNIT_EXPECT_EQ(test, count(read_all(test), LT_EV_PID_NS_GONE), 1U);
}

/* Inner namespaces have a share of the memory; beyond it each number ends a generation. */
static void inner_namespaces_have_a_share(struct kunit *test)
{
	unsigned long part = lt_budget_part[LT_BUDGET_USED], flags;
	u64 generation;

	spin_lock_irqsave(&lt_pid_lock, flags);
	generation = lt_pidns_get(&init_pid_ns, 0)->generation;
	lt_budget_part[LT_BUDGET_USED] = ULONG_MAX;
	lt_pidgen_given(&init_pid_ns, 0, PID_MAX_LIMIT - 1);
	KUNIT_EXPECT_EQ(test, lt_pidns_get(&init_pid_ns, 0)->generation, generation);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	give(1, 2);
	give(2, 3);
	KUNIT_EXPECT_EQ(test, now().generation, 2ULL);
	lt_budget_part[LT_BUDGET_USED] = part;
	give(3, 4);
	give(4, 5);
	KUNIT_EXPECT_EQ(test, now().generation, 2ULL);
}

/* A file goes between the two looks at it, or its name ends as if it had gone. */
static void path_is_cut_once(struct kunit *test)
{
	struct dentry *dentry = kunit_kzalloc(test, sizeof(*dentry), GFP_KERNEL);
	struct file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, dentry);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	*(struct dentry **)&file->f_path.dentry = dentry;
	KUNIT_EXPECT_EQ(test, lt_path_len(file, "/bin/a (deleted)"), (size_t)6);
	KUNIT_EXPECT_EQ(test, lt_path_len(file, "/usr/bin/python3.11"), (size_t)19);
	KUNIT_EXPECT_EQ(test, lt_path_len(file, "/a"), (size_t)2);
	dentry->d_hash.pprev = &dentry->d_hash.next;
	KUNIT_EXPECT_EQ(test, lt_path_len(file, "/bin/a (deleted)"), (size_t)16);
}

static void second_holder_is_recorded(struct kunit *test)
{
	const struct lt_rec_NUMBER_REUSED *rec = NULL;
	u64 start = current->start_boottime;
	size_t i, n;

	lt_numbers_born(current, 17);
	lt_numbers_died(current);
	n = read_all(test);
	KUNIT_EXPECT_EQ(test, count(n, LT_EV_TASK_NEW), 1U);
	KUNIT_EXPECT_EQ(test, count(n, LT_EV_NUMBER_REUSED), 0U);
	current->start_boottime++;	/* we are somebody else */
	lt_numbers_born(current, 17);
	current->start_boottime = start;
	n = read_all(test);
	KUNIT_EXPECT_EQ(test, count(n, LT_EV_TASK_NEW), 2U);
	KUNIT_EXPECT_EQ(test, count(n, LT_EV_NUMBER_REUSED), 1U);
	for (i = 0; i < n; i++)
		if (records[i].id == LT_EV_NUMBER_REUSED)
			rec = records[i].payload;
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, rec);
	KUNIT_EXPECT_EQ(test, rec->nr, (u32)current->pid);
	KUNIT_EXPECT_EQ(test, rec->old_tid, (u32)current->pid);
	KUNIT_EXPECT_EQ(test, rec->old_start, start);
	KUNIT_EXPECT_EQ(test, rec->start, start + 1);
	KUNIT_EXPECT_EQ(test, rec->holders, 2U);
	KUNIT_EXPECT_NE(test, rec->old_death, 0ULL);
}

/* A thread takes its leader's number; its own may be anybody's by the time of exec. */
static void exchange_is_remembered(struct kunit *test)
{
	lt_numbers_born(current, 17);
	KUNIT_EXPECT_EQ(test, lt_number_passed_on(current->pid, 4711), 0ULL);
	lt_number_exchanged(current->pid, current->pid);
	KUNIT_EXPECT_EQ(test, lt_number_passed_on(current->pid, current->pid),
			current->start_boottime);
	KUNIT_EXPECT_EQ(test, lt_number_passed_on(current->pid, current->pid), 0ULL);
}

static void no_record_says_who_is_running(struct kunit *test)
{
	size_t n;

	lt_numbers_born(current, 17);
	n = read_all(test);
	KUNIT_EXPECT_EQ(test, count(n, LT_EV_TASK), 0U);
	KUNIT_EXPECT_GE(test, n, (size_t)2);
}

static bool snapshot_ended(void)
{
	char *text = kzalloc(PAGE_SIZE, GFP_KERNEL);
	struct seq_file m = { .buf = text, .size = PAGE_SIZE };
	bool running = true;

	if (text) {
		lt_snapshot_show(&m);
		running = strstr(text, "running");
	}
	kfree(text);
	return !running;
}

static void snapshot_has_every_process(struct kunit *test)
{
	const struct lt_rec_SNAP_END *end = NULL;
	unsigned int tasks = 0;
	struct task_struct *p;
	size_t i, n;

	rcu_read_lock();
	for_each_process(p)
		tasks++;
	rcu_read_unlock();
	lt_snapshot_begin_session();
	KUNIT_EXPECT_EQ(test, lt_snapshot_take(LT_SNAPSHOT_DEMAND), -EBUSY);
	for (i = 0; i < 500 && !snapshot_ended(); i++)
		msleep(20);
	lt_snapshot_end_session();
	KUNIT_EXPECT_EQ(test, lt_snapshot_take(LT_SNAPSHOT_DEMAND), -ENODATA);
	n = read_all(test);
	KUNIT_EXPECT_EQ(test, count(n, LT_EV_SNAP_BEGIN), 1U);
	for (i = 0; i < n; i++)
		if (records[i].id == LT_EV_SNAP_END)
			end = records[i].payload;
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, end);
	KUNIT_EXPECT_EQ(test, end->complete, (u8)1);
	KUNIT_EXPECT_EQ(test, end->tasks, count(n, LT_EV_STATE) +
			count(n, LT_EV_STATE_WIDE) + count(n, LT_EV_STATE_HUGE));
	/* Kernel threads come and go, but not many in this while. */
	KUNIT_EXPECT_GE(test, end->tasks + 3, tasks);
	KUNIT_EXPECT_GT(test, tasks, 10U);
}

/* Nobody reads: it waits, and counts nothing as lost; the end of the session ends it. */
static void snapshot_waits_for_room(struct kunit *test)
{
	struct lt_class_counts counts[LT_N_CLASSES];
	unsigned int i, cpu;

	/* It may be written on any of them. */
	for_each_online_cpu(cpu) {
		KUNIT_ASSERT_EQ(test, lt_test_stay_on(cpu), 0);
		for (i = 0; i < 5000; i++)
			lt_numbers_born(current, 17);
	}
	lt_snapshot_begin_session();
	msleep(50);
	KUNIT_EXPECT_FALSE(test, snapshot_ended());
	lt_snapshot_end_session();
	KUNIT_EXPECT_TRUE(test, snapshot_ended());
	for_each_possible_cpu(cpu) {
		lt_channel_counts(&lt_channel_pid, cpu, counts);
		KUNIT_EXPECT_EQ(test, counts[LT_CLASS_INDEX(LT_CLASS_STATE)].lost_full, 0ULL);
	}
}

static struct kunit_case pid_cases[] = {
	KUNIT_CASE(cursor_going_back_is_a_wrap),
	KUNIT_CASE(number_given_again_ends_a_generation),
	KUNIT_CASE(holder_of_two_generations),
	KUNIT_CASE(burned_numbers_wrap_too),
	KUNIT_CASE(number_one_is_another_namespace),
	KUNIT_CASE(dead_namespace_keeps_its_parent),
	KUNIT_CASE(another_namespace_in_its_place),
	KUNIT_CASE(inner_namespaces_have_a_share),
	KUNIT_CASE(one_user_leaves_room_for_others),
	KUNIT_CASE(gone_namespaces_give_back),
	KUNIT_CASE(view_keeps_the_last_generation),
	KUNIT_CASE(announcing_goes_on_where_it_stopped),
	KUNIT_CASE(path_is_cut_once),
	KUNIT_CASE(second_holder_is_recorded),
	KUNIT_CASE(exchange_is_remembered),
	KUNIT_CASE(no_record_says_who_is_running),
	KUNIT_CASE(snapshot_has_every_process),
	KUNIT_CASE(snapshot_waits_for_room),
	{}
};

struct kunit_suite lt_pid_suite = {
	.name = "lifetrace_pid",
	.init = pid_test_init,
	.exit = pid_test_exit,
	.test_cases = pid_cases,
};
