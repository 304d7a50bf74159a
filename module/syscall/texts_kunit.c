// SPDX-License-Identifier: GPL-2.0
/*
 * What arguments of system calls point to. The suite is initialized by who loads the module, whose
 * memory the cases read.
 */
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>
#include <linux/unistd.h>

#include "core/kunit.h"
#include "syscall/internal.h"

#define ADDR_AT		2048	/* of the page: an address of a socket */
#define ADDR_BYTES	64

/* Of who loads the module; NULL: a thread of the kernel runs the suites. */
static struct mm_struct *loader;
static unsigned long page;	/* in it */

/* A page of 'x', without a zero but at its end. */
static int texts_suite_init(struct kunit_suite *suite)
{
	unsigned long i;

	if (!current->mm)
		return 0;
	page = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(page))
		return page;
	for (i = 0; i < PAGE_SIZE; i++)
		if (put_user((char)(i == PAGE_SIZE - 1 ? 0 : 'x'), (char __user *)(page + i)))
			return -EFAULT;
	loader = current->mm;
	mmget(loader);
	return 0;
}

static void texts_suite_exit(struct kunit_suite *suite)
{
	if (loader)
		mmput(loader);
	loader = NULL;
}

static void texts_test_exit(struct kunit *test)
{
	lt_texts_parse((char[]){ "" }, (char[]){ "" });
}

/* Is a list taken? */
static bool parses(const char *list)
{
	char *copy = kstrdup(list, GFP_KERNEL);
	bool taken = copy && !lt_texts_parse(copy, (char[]){ "" });

	kfree(copy);
	return taken;
}

static void lists_without_sense_are_refused(struct kunit *test)
{
	static const char * const bad[] = {
		"2", "2:x", "x:t", "512:t", "2:ttttttt", "2:-----k", "2:-----g", "2:t,,3:t,2:t",
		/* The letters of one argument together would be another one. */
		"2:-----t,2:-----v",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_FALSE_MSG(test, parses(bad[i]), "'%s' is taken", bad[i]);
		KUNIT_EXPECT_FALSE(test, lt_texts_on);
	}
	KUNIT_EXPECT_TRUE(test, parses("0:t,,59:tv,42:-k,511:----g"));
	KUNIT_EXPECT_TRUE(test, lt_texts_on);
	KUNIT_EXPECT_TRUE(test, parses(""));
	KUNIT_EXPECT_FALSE(test, lt_texts_on);
}

/* Texts, and bytes behind them that nobody may write. */
struct guarded {
	struct lt_texts texts;
	u8 guard[256];
};

#define GUARD	0xa5

static void read_guarded(struct kunit *test, struct guarded *g, const struct lt_syscall *call)
{
	unsigned int i;

	memset(g, GUARD, sizeof(*g));
	kthread_use_mm(loader);
	lt_texts_read(&g->texts, call);
	kthread_unuse_mm(loader);
	KUNIT_EXPECT_LE(test, g->texts.size, (unsigned int)LT_TEXTS_ROOM);
	for (i = 0; i < sizeof(g->guard) && g->guard[i] == GUARD; i++)
		;
	KUNIT_EXPECT_EQ(test, (size_t)i, sizeof(g->guard));
}

/* The records of texts before it leave room for half of an address, or for none. */
static void addresses_stay_in_the_room(struct kunit *test)
{
	struct lt_syscall call = {
		.args = { page, page, page, page + ADDR_AT, ADDR_BYTES },
	};
	struct guarded *g = kunit_kzalloc(test, sizeof(*g), GFP_KERNEL);
	const struct lt_rec_SYS_ADDR *rec;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, g);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, loader);
	KUNIT_ASSERT_TRUE(test, parses("0:---k"));
	read_guarded(test, g, &call);
	rec = (void *)(g->texts.bytes + LT_REC_WORD);
	KUNIT_ASSERT_EQ(test, g->texts.n, 1U);
	KUNIT_EXPECT_EQ(test, g->texts.size,
			(unsigned int)(LT_REC_WORD + sizeof(struct lt_rec_SYS_ADDR_128)));
	KUNIT_EXPECT_EQ(test, (int)rec->size, ADDR_BYTES);
	KUNIT_EXPECT_EQ(test, (int)rec->flags, 0);

	KUNIT_ASSERT_TRUE(test, parses("0:tttk"));
	read_guarded(test, g, &call);
	KUNIT_ASSERT_EQ(test, g->texts.n, 4U);
	rec = (void *)(g->texts.bytes + g->texts.size - sizeof(*rec));
	KUNIT_EXPECT_EQ(test, (int)rec->arg, 3);
	KUNIT_EXPECT_EQ(test, (int)rec->size, 32);
	KUNIT_EXPECT_EQ(test, (int)rec->flags, LT_SYS_TEXT_CUT);
	KUNIT_EXPECT_EQ(test, (int)rec->bytes[31], 'x');

	/* Where 32 bytes have no room, either, there is none, and what follows is a text. */
	call.args[3] = page + PAGE_SIZE - 61;
	call.args[4] = page + ADDR_AT;
	call.args[5] = ADDR_BYTES;
	KUNIT_ASSERT_TRUE(test, parses("0:ttttk"));
	read_guarded(test, g, &call);
	KUNIT_EXPECT_EQ(test, g->texts.n, 4U);
}

/* A record of a text, by its number. */
static const struct lt_rec_SYS_STR *text_at(const struct guarded *g, unsigned int i)
{
	size_t size = LT_REC_WORD + sizeof(struct lt_rec_SYS_STR);

	return (void *)(g->texts.bytes + i * size + LT_REC_WORD);
}

static void read_end_guarded(struct guarded *g, const struct lt_syscall *call,
			     const struct lt_kept *kept, bool late)
{
	kthread_use_mm(loader);
	lt_texts_read_end(&g->texts, call, kept, late);
	kthread_unuse_mm(loader);
}

/* What was read at the begin counts; what could be read at the end alone is marked. */
static void the_text_of_the_begin_counts(struct kunit *test)
{
	/* Two texts at the end of the page, and a buffer that is far away. */
	struct lt_syscall call = {
		.n = 3, .args = { page + PAGE_SIZE - 4, page + PAGE_SIZE - 3, 16 },
	};
	struct lt_kept *kept = kunit_kzalloc(test, sizeof(*kept) + LT_TEXTS_ROOM, GFP_KERNEL);
	struct guarded *g = kunit_kzalloc(test, sizeof(*g), GFP_KERNEL);
	struct lt_rec_SYS_STR *rec;
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, g);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, kept);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, loader);
	KUNIT_ASSERT_TRUE(test, parses("0:tt"));
	read_guarded(test, g, &call);
	KUNIT_ASSERT_EQ(test, g->texts.n, 2U);
	kept->size = g->texts.size;
	memcpy(kept->bytes, g->texts.bytes, kept->size);
	rec = (void *)(kept->bytes + LT_REC_WORD);
	rec->text[0] = 'k';
	read_end_guarded(g, &call, kept, true);
	KUNIT_ASSERT_EQ(test, g->texts.n, 2U);
	KUNIT_EXPECT_EQ(test, g->texts.size, kept->size);
	KUNIT_EXPECT_EQ(test, (int)text_at(g, 0)->text[0], 'k');
	KUNIT_EXPECT_EQ(test, (int)text_at(g, 0)->flags, LT_SYS_TEXT_MORE);
	KUNIT_EXPECT_EQ(test, (int)text_at(g, 1)->flags, 0);

	/* The first one could not be read then. */
	rec->flags |= LT_SYS_TEXT_FAULT;
	read_end_guarded(g, &call, kept, true);
	KUNIT_ASSERT_EQ(test, g->texts.n, 2U);
	KUNIT_EXPECT_EQ(test, (int)text_at(g, 0)->text[0], 'x');
	KUNIT_EXPECT_EQ(test, (int)text_at(g, 0)->flags, LT_SYS_TEXT_MORE | LT_SYS_TEXT_LATE);
	KUNIT_EXPECT_EQ(test, (int)text_at(g, 1)->flags, 0);

	/* Another CPU may have changed it, though this one ran the call without a pause. */
	read_end_guarded(g, &call, kept, false);
	KUNIT_ASSERT_EQ(test, g->texts.n, 2U);
	KUNIT_EXPECT_EQ(test, (int)text_at(g, 0)->flags, LT_SYS_TEXT_MORE | LT_SYS_TEXT_LATE);
	KUNIT_EXPECT_EQ(test, (int)text_at(g, 1)->flags, 0);

	/* The kernel skipped the call: then only a buffer nearby may have changed a text. */
	read_end_guarded(g, &call, NULL, false);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, (int)text_at(g, i)->flags, i ? 0 : LT_SYS_TEXT_MORE);
	call.args[2] = page;
	read_end_guarded(g, &call, NULL, false);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, (int)text_at(g, i)->flags & LT_SYS_TEXT_LATE,
				LT_SYS_TEXT_LATE);
	call.n = 2;
	read_end_guarded(g, &call, NULL, false);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, (int)text_at(g, i)->flags & LT_SYS_TEXT_LATE, 0);
}

/* ------------------------------------------------------------------------
 * What is kept of a call
 */

#define MAX_RECORDS	64

/* Opens the channel for calls of one number, whose first argument points to a text. */
static void open_channel(struct kunit *test, int nr, bool errors)
{
	const struct lt_syscall_filter filter = { .errors = errors };
	char list[16];

	snprintf(list, sizeof(list), "%d:t", nr);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, loader);
	KUNIT_ASSERT_TRUE(test, parses(list));
	KUNIT_ASSERT_EQ(test, lt_test_stay_on(0), 0);
	KUNIT_ASSERT_EQ(test, lt_channel_init(&lt_channel_syscall, LT_CHANNEL_SYSCALL), 0);
	KUNIT_ASSERT_EQ(test, lt_channel_open(&lt_channel_syscall, NULL, 16384, 4, 79), 0);
	KUNIT_ASSERT_EQ(test, lt_syscall_open(&filter), 0);
}

static void close_channel(void)
{
	static const struct lt_syscall_filter none;

	lt_syscall_close();
	lt_syscall_filter_set(&none);
	lt_channel_close(&lt_channel_syscall);
	lt_channel_destroy(&lt_channel_syscall);
}

/* The text of the last record that has one, and its flags; a zero: there is none. */
static char last_text(struct kunit *test, unsigned int *flags)
{
	struct lt_test_record *records = kunit_kcalloc(test, MAX_RECORDS, sizeof(*records),
						       GFP_KERNEL);
	char found = 0;
	size_t i, n;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, records);
	lt_channel_flush(&lt_channel_syscall, false);
	n = lt_test_records(test, &lt_channel_syscall, records, MAX_RECORDS);
	for (i = 0; i < n; i++)
		if (records[i].id == LT_EV_SYS_STR) {
			const struct lt_rec_SYS_STR *r = records[i].payload;

			found = r->text[0];
			*flags = r->flags;
		}
	return found;
}

/* Registers all of which point to a text. */
static struct pt_regs *regs_of_text(struct kunit *test, unsigned long text)
{
	struct pt_regs *regs = kunit_kzalloc(test, sizeof(*regs), GFP_KERNEL);
	unsigned long *reg = (void *)regs;
	size_t i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, regs);
	for (i = 0; i < sizeof(*regs) / sizeof(*reg); i++)
		reg[i] = text;
	return regs;
}

/* A call that the filter leaves out takes what was kept with it. */
static void what_is_left_out_is_not_kept(struct kunit *test)
{
	unsigned long text = page + PAGE_SIZE - 3;
	struct pt_regs *regs = regs_of_text(test, text);
	struct lt_syscall call = { .n = 1, .args = { text } };
	unsigned int flags = ~0;

	open_channel(test, 0, true);
	kthread_use_mm(loader);
	lt_kept_begin(current, regs, 0);
	lt_kept_write(&call);
	KUNIT_EXPECT_EQ(test, put_user('y', (char __user *)text), 0);
	/* The begin of the next one is hidden, as seccomp does it. */
	call.flags = LT_SYS_SKIPPED;
	call.result = -EPERM;
	lt_kept_write(&call);
	KUNIT_EXPECT_EQ(test, put_user('x', (char __user *)text), 0);
	kthread_unuse_mm(loader);
	KUNIT_EXPECT_EQ(test, last_text(test, &flags), 'y');
	KUNIT_EXPECT_EQ(test, flags, 0U);
	close_channel();
}

/* A thread that executes a program may lose its number, by which its end would free that. */
static void nothing_is_kept_of_a_thread_that_executes(struct kunit *test)
{
	unsigned long text = page + PAGE_SIZE - 3;
	struct pt_regs *regs = regs_of_text(test, text);
	struct lt_syscall call = { .nr = __NR_execve, .n = 3, .args = { text }, .result = -ENOENT };
	void (*enter)(void *data, struct pt_regs *regs, long nr) = NULL;
	const pid_t tgid = current->tgid;
	unsigned int flags = ~0, i;

	open_channel(test, __NR_execve, false);
	for (i = 0; i < lt_syscall_probes.n; i++)
		if (!strcmp(lt_syscall_probes.probe[i].name, "sys_enter"))
			enter = lt_syscall_probes.probe[i].fn;
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, enter);
	kthread_use_mm(loader);
	current->tgid = current->pid + 1;	/* as if it were not the leader */
	enter(NULL, regs, __NR_execve);
	current->tgid = tgid;
	KUNIT_EXPECT_TRUE(test, lt_exec_is_aside(current));
	KUNIT_EXPECT_EQ(test, put_user('y', (char __user *)text), 0);
	lt_kept_write(&call);
	KUNIT_EXPECT_EQ(test, put_user('x', (char __user *)text), 0);
	kthread_unuse_mm(loader);
	KUNIT_EXPECT_EQ(test, last_text(test, &flags), 'y');
	KUNIT_EXPECT_EQ(test, flags, (unsigned int)LT_SYS_TEXT_LATE);
	close_channel();
}

static struct kunit_case texts_cases[] = {
	KUNIT_CASE(what_is_left_out_is_not_kept),
	KUNIT_CASE(nothing_is_kept_of_a_thread_that_executes),
	KUNIT_CASE(the_text_of_the_begin_counts),
	KUNIT_CASE(lists_without_sense_are_refused),
	KUNIT_CASE(addresses_stay_in_the_room),
	{}
};

struct kunit_suite lt_texts_suite = {
	.name = "lifetrace_texts",
	.suite_init = texts_suite_init,
	.suite_exit = texts_suite_exit,
	.exit = texts_test_exit,
	.test_cases = texts_cases,
};
