// SPDX-License-Identifier: GPL-2.0
/*
 * Task instances: births, ends, reused numbers, links, placeholders, and traces that
 * contradict themselves.
 */
#include "tasktest.h"

#define TOTALS(tb, member)	(lt_tasks_totals(tb)->member)

static struct lt_tasks_config boot(uint64_t begin)
{
	return (struct lt_tasks_config){ .begin_boot = begin, .begin = begin };
}

static void test_life(void **state)
{
	struct lt_tasks *tb = world(NULL);
	const struct lt_task_inst *t;

	(void)state;
	born(tb, 100, 200, 100, 4);
	ev(tb, RENAME, 110, .tid = 200, .start = 100, .old_comm = T("sh"), .comm = T("make"));
	ev(tb, EXEC, 111, .tid = 200, .start = 100, .old_tid = 200, .old_start = 100,
	   .file = T("/usr/bin/make"));
	ev(tb, EXEC, 112, .tid = 200, .start = 100, .old_tid = 200, .old_start = 100,
	   .file = T("/bin/second"));
	ev(tb, EXIT, 150, .tid = 200, .tgid = 200, .start = 100, .group_dead = 1, .code = 0x300,
	   INIT, .utime = 7, .stime = 8, .runtime = 16, .maxrss = 4096, .min_flt = 1,
	   .maj_flt = 2, .nvcsw = 3, .nivcsw = 4, .rchar = 5, .wchar = 6, .read_bytes = 512,
	   .write_bytes = 1024, .comm = T("make"), .oom_score_adj = 200);
	/* The release has the times of the way out; here one of them is missing. */
	ev(tb, RELEASE, 170, .tid = 200, .start = 100, .utime = 9, .runtime = 18);
	lt_tasks_finish(tb, 1000);
	t = inst_of(tb, 200, 100);
	assert_int_equal(t->birth, 100);
	assert_int_equal(t->end, 150);
	assert_int_equal(t->release, 170);
	assert_true(t->marks & LT_TASK_MARK_WAS_RELEASED);
	assert_int_equal(lt_task_last_seen(t), 150);
	assert_int_equal(t->birth_is, LT_EXACT);
	assert_int_equal(t->death_is, LT_EXACT);
	assert_int_equal(t->ending, LT_TASK_END_EXITED);
	assert_int_equal(t->code, 0x300);
	assert_int_equal(t->n_exec, 2);
	assert_true(name_is(tb, t->first_file, "/usr/bin/make"));
	assert_true(name_is(tb, t->file, "/bin/second"));
	assert_true(name_is(tb, t->birth_comm, "sh"));
	assert_true(name_is(tb, t->comm, "make"));
	assert_int_equal(lt_tasks_get(tb, t->creator)->tid, 100);
	assert_int_equal(lt_tasks_get(tb, t->parent)->tid, 100);
	/* Its parent died, and it became a child of init. */
	assert_int_equal(lt_tasks_get(tb, t->last_parent)->tid, 1);
	assert_true(t->marks & LT_TASK_MARK_REPARENTED);
	assert_int_equal(t->utime, 9);
	assert_int_equal(t->stime, 8);
	assert_int_equal(t->runtime, 18);
	assert_int_equal(t->maxrss, 4096);
	assert_int_equal(t->min_flt + t->maj_flt + t->nvcsw + t->nivcsw, 10);
	assert_int_equal(t->rchar + t->wchar + t->read_bytes + t->write_bytes, 1547);
	assert_int_equal(lt_task_cpu_time(t), 18);
	assert_int_equal(t->uid, 1000);
	assert_int_equal(lt_tasks_cgroup(tb, t), 77);
	assert_int_equal(t->generation, 7);
	assert_int_equal(TOTALS(tb, births), 1);
	assert_int_equal(TOTALS(tb, deaths), 1);
	assert_int_equal(TOTALS(tb, execs), 2);
	assert_int_equal(TOTALS(tb, reparented), 1);
	check_acyclic(tb);
	lt_tasks_free(tb);
}

/* Tasks of the initial snapshot are born before the trace; living ones have open ends. */
static void test_before_and_open(void **state)
{
	struct lt_tasks_config config = boot(10);
	struct lt_tasks *tb = world(&config);
	const struct lt_task_inst *t;

	(void)state;
	born(tb, 100, 200, 100, 4);
	lt_tasks_finish(tb, 1000);
	t = inst_of(tb, 100, 4);
	assert_int_equal(t->birth_is, LT_BEFORE);
	assert_int_equal(t->death_is, LT_OPEN);
	assert_int_equal(t->end, 1000);
	assert_true(name_is(tb, t->file, "/bin/sh"));
	assert_true(name_is(tb, t->birth_comm, "sh"));
	assert_int_equal(t->tgid, 100);
	assert_int_equal(t->ns, 1);
	assert_int_equal(t->nr, 100);
	assert_int_equal(inst_of(tb, 3, 3)->flags, LT_TASK_FLAG_KTHREAD);
	t = inst_of(tb, 200, 100);
	assert_int_equal(t->birth_is, LT_EXACT);
	assert_int_equal(t->death_is, LT_OPEN);
	/* It runs its creator's program until it executes another. */
	assert_true(name_is(tb, t->file, "/bin/sh"));
	assert_int_equal(t->n_exec, 0);
	assert_int_equal(inst_of(tb, 1, 1)->marks & LT_TASK_MARK_TOP, LT_TASK_MARK_TOP);
	assert_int_equal(TOTALS(tb, alive), 5);
	assert_int_equal(TOTALS(tb, orphans), 0);
	assert_int_equal(TOTALS(tb, placeholders), 0);
	lt_tasks_free(tb);
}

/* A task that exits before the walk comes to it is in no snapshot. */
static void test_exit_before_walk(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(NULL);
	const struct lt_task_inst *t;

	(void)state;
	ev(tb, EXIT, 6, .tid = 50, .tgid = 50, .start = 3, .group_dead = 1, INIT, .comm = T("x"));
	world_events(tb);
	lt_tasks_finish(tb, 1000);
	t = inst_of(tb, 50, 3);
	assert_int_equal(t->birth_is, LT_BEFORE);
	assert_int_equal(t->death_is, LT_EXACT);
	assert_int_equal(lt_tasks_get(tb, t->parent)->tid, 1);
	assert_int_equal(t->tgid, 50);
	lt_tasks_free(tb);
}

/* The snapshot may still meet it as a zombie, and has its other values. */
static void test_exit_then_zombie(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(NULL);
	const struct lt_task_inst *t;

	(void)state;
	ev(tb, SNAP_BEGIN, 10, .epoch = 1);
	ev(tb, EXIT, 11, .tid = 50, .tgid = 50, .start = 3, .group_dead = 1, .code = 0x500,
	   .comm = T("x"), .oom_score_adj = 9);
	ev(tb, STATE, 12, .epoch = 1, .tid = 50, .tgid = 50, .start = 3, .flags = 8, .uid = 7,
	   .cgroup = 8, .comm = T("y"), .oom_score_adj = 1, .ns = 1, .nr = 50);
	ev(tb, SNAP_END, 20, .epoch = 1, .complete = 1);
	lt_tasks_finish(tb, 1000);
	t = inst_of(tb, 50, 3);
	assert_int_equal(t->ending, LT_TASK_END_EXITED);
	assert_int_equal(t->end, 11);
	assert_int_equal(t->uid, 7);
	assert_int_equal(lt_tasks_cgroup(tb, t), 8);
	assert_true(name_is(tb, t->comm, "x"));
	assert_int_equal(t->oom_score_adj, 9);
	assert_int_equal(TOTALS(tb, silent[LT_ATTR_COMM]), 0);
	lt_tasks_free(tb);
}

/* Before its record in the snapshot, a parent is a placeholder. */
static void test_parent_before_walk(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(NULL);
	const struct lt_task_inst *t;

	(void)state;
	ev(tb, TASK_NEW, 6, .tid = 50, .tgid = 50, .start = 5, .creator = 100,
	   .creator_start = 4, .parent = 100, .parent_start = 4, .comm = T("x"));
	ev(tb, EXIT, 7, .tid = 50, .tgid = 50, .start = 5, .group_dead = 1, INIT, .comm = T("x"));
	world_events(tb);
	lt_tasks_finish(tb, 1000);
	t = inst_of(tb, 50, 5);
	assert_int_equal(lt_tasks_get(tb, t->parent)->tid, 100);
	assert_int_equal(lt_tasks_get(tb, t->last_parent)->tid, 1);
	assert_true(t->marks & LT_TASK_MARK_REPARENTED);
	assert_int_equal(TOTALS(tb, placeholders), 0);
	lt_tasks_free(tb);
}

/* /proc and a walk see a task before its task_new. */
static void test_state_before_birth(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(NULL);
	const struct lt_task_inst *t;

	(void)state;
	ev(tb, SNAP_BEGIN, 10, .epoch = 1);
	ev(tb, STATE, 11, .epoch = 1, .tid = 1, .tgid = 1, .start = 1, .comm = T("init"));
	ev(tb, STATE, 12, .epoch = 1, .tid = 60, .tgid = 60, .start = 11, INIT, .comm = T("x"));
	ev(tb, TASK_NEW, 13, .tid = 60, .tgid = 60, .start = 11, .creator = 1,
	   .creator_start = 1, INIT, .comm = T("x"));
	ev(tb, SNAP_END, 20, .epoch = 1, .complete = 1);
	lt_tasks_finish(tb, 1000);
	t = inst_of(tb, 60, 11);
	assert_int_equal(t->birth_is, LT_EXACT);
	assert_int_equal(t->birth, 13);
	assert_int_equal(lt_tasks_count(tb), 2);
	lt_tasks_free(tb);
}

/* One number, three holders; the first one's release comes when the third lives. */
static void test_reuse(void **state)
{
	struct lt_tasks *tb = world(NULL);

	(void)state;
	born(tb, 100, 200, 100, 4);
	died(tb, 110, 200, 100);
	born(tb, 120, 200, 100, 4);
	ev(tb, NUMBER_REUSED, 120, .ns = 1, .nr = 200, .generation = 8, .holders = 2,
	   .old_tid = 200, .old_start = 100, .old_death = 110, .tid = 200, .start = 120);
	died(tb, 130, 200, 120);
	born(tb, 140, 200, 100, 4);
	ev(tb, RELEASE, 150, .tid = 200, .start = 100);
	ev(tb, RELEASE, 151, .tid = 200, .start = 120);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(inst_of(tb, 200, 100)->end, 110);
	assert_int_equal(inst_of(tb, 200, 100)->release, 150);
	assert_int_equal(inst_of(tb, 200, 120)->end, 130);
	assert_int_equal(inst_of(tb, 200, 120)->release, 151);
	assert_false(lt_task_ended(inst_of(tb, 200, 140)));
	assert_false(inst_of(tb, 200, 100)->marks & LT_TASK_MARK_REUSED);
	assert_true(inst_of(tb, 200, 140)->marks & LT_TASK_MARK_REUSED);
	assert_int_equal(TOTALS(tb, again), 2);
	assert_ptr_equal(lt_tasks_get(tb, lt_tasks_holder(tb, 200)), inst_of(tb, 200, 140));
	lt_tasks_free(tb);
}

/* The order is that of starts; parents come first even if they are met later. */
static void test_order(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(NULL);
	static const uint32_t expected[] = { 1, 5000, 400, 30 };

	(void)state;
	/* After a wrap, numbers say nothing of age; a snapshot is in their order. */
	ev(tb, SNAP_BEGIN, 10, .epoch = 1);
	ev(tb, STATE, 11, .epoch = 1, .tid = 1, .tgid = 1, .start = 1, .comm = T("init"));
	ev(tb, STATE, 12, .epoch = 1, .tid = 30, .tgid = 30, .start = 9, .parent = 400,
	   .parent_start = 8, .comm = T("c"));
	ev(tb, STATE, 13, .epoch = 1, .tid = 400, .tgid = 400, .start = 8, .parent = 5000,
	   .parent_start = 7, .comm = T("b"));
	ev(tb, STATE, 14, .epoch = 1, .tid = 5000, .tgid = 5000, .start = 7, INIT,
	   .comm = T("a"));
	ev(tb, SNAP_END, 20, .epoch = 1, .complete = 1);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(lt_tasks_count(tb), 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(lt_tasks_get(tb, lt_tasks_order(tb)[i])->tid, expected[i]);
	assert_int_equal(TOTALS(tb, placeholders), 0);
	check_acyclic(tb);
	lt_tasks_free(tb);
}

/* With CLONE_PARENT the creator is not the parent. I/O workers are threads with a flag. */
static void test_creator_and_flags(void **state)
{
	struct lt_tasks *tb = world(NULL);
	const struct lt_task_inst *t;

	(void)state;
	born(tb, 100, 200, 100, 4);
	ev(tb, TASK_NEW, 110, .tid = 201, .tgid = 201, .start = 110, .creator = 200,
	   .creator_start = 100, .parent = 100, .parent_start = 4, .clone_flags = 0x8000,
	   .comm = T("sh"));
	ev(tb, TASK_NEW, 111, .tid = 202, .tgid = 200, .start = 111, .creator = 200,
	   .creator_start = 100, .parent = 100, .parent_start = 4, .clone_flags = 0x10000,
	   .flags = 2, .comm = T("iou-wrk"));
	/* The creator is the thread, the leader is that of the thread. */
	ev(tb, TASK_NEW, 112, .tid = 203, .tgid = 200, .start = 112, .creator = 202,
	   .creator_start = 111, .parent = 100, .parent_start = 4, .clone_flags = 0x10000,
	   .comm = T("t"));
	/* A task of the kernel itself has no creator. */
	ev(tb, TASK_NEW, 113, .tid = 204, .tgid = 204, .start = 113, .parent = 2,
	   .parent_start = 2, .flags = 1, .comm = T("kthread"));
	lt_tasks_finish(tb, 1000);
	t = inst_of(tb, 201, 110);
	assert_int_equal(lt_tasks_get(tb, t->creator)->tid, 200);
	assert_int_equal(lt_tasks_get(tb, t->parent)->tid, 100);
	assert_true(t->marks & LT_TASK_MARK_BY_OTHER);
	t = inst_of(tb, 202, 111);
	assert_int_equal(t->flags, LT_TASK_FLAG_IO_WORKER);
	assert_int_equal(lt_tasks_get(tb, t->leader)->tid, 200);
	assert_false(t->marks & LT_TASK_MARK_BY_OTHER);
	t = inst_of(tb, 203, 112);
	assert_int_equal(lt_tasks_get(tb, t->creator)->tid, 202);
	assert_int_equal(lt_tasks_get(tb, t->leader)->tid, 200);
	t = inst_of(tb, 204, 113);
	assert_int_equal(t->creator, 0);
	assert_int_equal(t->file, 0);
	assert_int_equal(TOTALS(tb, threads), 2);
	assert_int_equal(TOTALS(tb, orphans), 0);
	lt_tasks_free(tb);
}

/* Links to the task itself, to its child and to a later task are refused. */
static void test_cycles(void **state)
{
	struct lt_tasks *tb = world(NULL);

	(void)state;
	ev(tb, TASK_NEW, 100, .tid = 200, .tgid = 200, .start = 100, .creator = 200,
	   .creator_start = 100, .parent = 200, .parent_start = 100, .comm = T("self"));
	ev(tb, TASK_NEW, 110, .tid = 201, .tgid = 201, .start = 110, .creator = 202,
	   .creator_start = 120, .parent = 202, .parent_start = 120, .comm = T("a"));
	ev(tb, TASK_NEW, 120, .tid = 202, .tgid = 202, .start = 120, .creator = 201,
	   .creator_start = 110, .parent = 201, .parent_start = 110, .comm = T("b"));
	ev(tb, TASK_NEW, 130, .tid = 203, .tgid = 203, .start = 130, .creator = 1,
	   .creator_start = UINT64_MAX, .parent = 1, .parent_start = UINT64_MAX, .comm = T("c"));
	/* With equal starts the task with the lower tid counts as the older one. */
	ev(tb, TASK_NEW, 140, .tid = 204, .tgid = 204, .start = 140, .creator = 205,
	   .creator_start = 140, .parent = 205, .parent_start = 140, .comm = T("d"));
	ev(tb, TASK_NEW, 140, .tid = 205, .tgid = 205, .start = 140, .creator = 204,
	   .creator_start = 140, .parent = 204, .parent_start = 140, .comm = T("e"));
	ev(tb, EXEC, 150, .tid = 205, .start = 140, .old_tid = 204, .old_start = 140,
	   .file = T("/x"));
	ev(tb, EXIT, 160, .tid = 205, .tgid = 204, .start = 140, .parent = 205,
	   .parent_start = 140, .comm = T("e"));
	lt_tasks_finish(tb, 1000);
	check_acyclic(tb);
	assert_int_equal(inst_of(tb, 200, 100)->parent, 0);
	assert_int_equal(inst_of(tb, 201, 110)->parent, 0);
	assert_int_equal(lt_tasks_get(tb, inst_of(tb, 202, 120)->parent)->tid, 201);
	assert_int_equal(inst_of(tb, 203, 130)->creator, 0);
	assert_true(inst_of(tb, 200, 100)->marks & LT_TASK_MARK_LINK_REFUSED);
	assert_true(TOTALS(tb, refused) >= 8);
	assert_int_equal(TOTALS(tb, orphans), 4);
	lt_tasks_free(tb);
}

/* Events of ended tasks, repeated events, and events of unknown tasks. */
static void test_nonsense(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(NULL);

	(void)state;
	ev(tb, SNAP_END, 1, .epoch = 3, .complete = 1);
	ev(tb, STATE, 2, .epoch = 3, .tid = 9, .tgid = 9, .start = 1);
	ev(tb, TASK_NEW, 3, .tid = 0, .tgid = 0, .start = 0);
	ev(tb, EXIT, 3, .tid = 0);
	ev(tb, EXEC, 3, .tid = 0, .old_tid = 5);
	ev(tb, OOM, 3, .tgid = 0);
	ev(tb, CRED, 3, .tid = 0);
	born(tb, 10, 200, 1, 1);
	born(tb, 10, 200, 1, 1);
	died(tb, 20, 200, 10);
	died(tb, 21, 200, 10);
	ev(tb, RENAME, 22, .tid = 200, .start = 10, .old_comm = T("sh"), .comm = T("late"));
	ev(tb, RELEASE, 23, .tid = 200, .start = 10);
	ev(tb, RELEASE, 24, .tid = 200, .start = 10);
	ev(tb, NUMBER_REUSED, 25, .tid = 1, .start = 99, .old_tid = 7, .old_start = 7);
	ev(tb, NUMBER_REUSED, 25, .tid = 200, .start = 10, .old_tid = 200, .old_start = 10);
	ev(tb, WRAP, 26, .ns = 0, .generation = 3);
	ev(tb, PID_NS_GONE, 26, .ns = 65535);
	lt_tasks_finish(tb, 100);
	assert_int_equal(inst_of(tb, 200, 10)->end, 20);
	assert_int_equal(inst_of(tb, 200, 10)->release, 23);
	assert_int_equal(TOTALS(tb, twice), 2);
	assert_int_equal(TOTALS(tb, alive_again), 1);
	check_acyclic(tb);
	lt_tasks_free(tb);
}

/* Placeholders are limited: each event may name tasks that do not exist. */
static void test_many_placeholders(void **state)
{
	struct lt_tasks_config config = { .max_placeholders = 100 };
	struct lt_tasks *tb = lt_tasks_new(&config);
	uint32_t orphans = 0;

	(void)state;
	for (uint32_t i = 0; i < 5000; i++)
		ev(tb, TASK_NEW, 100000 + i, .tid = 100000 + i, .tgid = 100000 + i,
		   .start = 100000 + i, .creator = 1 + i, .creator_start = 3 + i,
		   .parent = 6000 + i, .parent_start = 5 + i, .comm = T("x"));
	lt_tasks_finish(tb, 200000);
	assert_int_equal(lt_tasks_count(tb), 5100);
	assert_int_equal(TOTALS(tb, placeholders), 100);
	assert_int_equal(TOTALS(tb, left_out), 9900);
	for (uint32_t i = 1; i <= lt_tasks_count(tb); i++)
		orphans += !lt_tasks_get(tb, i)->parent;
	assert_int_equal(TOTALS(tb, orphans), orphans);
	lt_tasks_free(tb);
}

/* Numbers are reused many times and exits are lost: all instances are found. */
static void test_many(void **state)
{
	struct lt_tasks *tb = world(NULL);
	uint64_t at = 100;

	(void)state;
	for (uint32_t round = 0; round < 40; round++) {
		for (uint32_t tid = 300; tid < 800; tid++, at += 2) {
			born(tb, at, tid, 100, 4);
			if (tid % 7)
				died(tb, at + 1, tid, at);
		}
	}
	lt_tasks_finish(tb, at);
	at = 100;
	for (uint32_t round = 0; round < 40; round++) {
		for (uint32_t tid = 300; tid < 800; tid++, at += 2) {
			const struct lt_task_inst *t = inst_of(tb, tid, at);

			if (tid % 7)
				assert_int_equal(t->ending, LT_TASK_END_EXITED);
			else if (round < 39)
				assert_int_equal(t->ending, LT_TASK_END_NUMBER_REUSED);
			else
				assert_int_equal(t->ending, LT_TASK_END_ALIVE);
		}
	}
	assert_int_equal(TOTALS(tb, again), 39 * 500);
	assert_int_equal(TOTALS(tb, birth_is[LT_EXACT]), 20000);
	for (uint32_t i = 1; i < lt_tasks_count(tb); i++)
		assert_true(lt_tasks_get(tb, lt_tasks_order(tb)[i - 1])->start <=
			    lt_tasks_get(tb, lt_tasks_order(tb)[i])->start);
	lt_tasks_free(tb);
}

/* An id that is free is announced again for another namespace: each has its tasks. */
static void test_namespace_ids_again(void **state)
{
	struct lt_tasks *tb = world(NULL);
	const struct lt_task_ns *n;
	uint32_t first, second;

	(void)state;
	ev(tb, PID_NS, 100, .ns = 2, .parent = 1, .level = 1, .exact = 1, .inum = 4026532000);
	ev(tb, TASK_NEW, 110, .tid = 200, .tgid = 200, .start = 110, .creator = 100,
	   .creator_start = 4, .parent = 100, .parent_start = 4, .ns = 2, .nr = 1,
	   .comm = T("one"));
	/* A snapshot announces it once more. */
	ev(tb, PID_NS, 120, .ns = 2, .parent = 1, .level = 1, .exact = 1, .inum = 4026532000,
	   .born = 1, .allocated = 1);
	ev(tb, PID_NS_GONE, 130, .ns = 2, .born = 4, .allocated = 4, .untracked = 3);
	ev(tb, PID_NS, 2000000130, .ns = 2, .parent = 1, .level = 1, .exact = 1,
	   .inum = 4026532000);
	ev(tb, TASK_NEW, 2000000140, .tid = 300, .tgid = 300, .start = 2000000140,
	   .creator = 100, .creator_start = 4, .parent = 100, .parent_start = 4, .ns = 2,
	   .nr = 1, .comm = T("two"));
	/* The end of the second is lost; the third has another inode number. */
	ev(tb, PID_NS, 4000000000, .ns = 2, .parent = 1, .level = 1, .exact = 1,
	   .inum = 4026532009);
	lt_tasks_finish(tb, 5000000000);
	first = inst_of(tb, 200, 110)->ns;
	second = inst_of(tb, 300, 2000000140)->ns;
	assert_int_equal(first, 2);
	assert_true(second > UINT16_MAX);
	n = lt_tasks_namespace(tb, first);
	assert_true(n->gone);
	assert_int_equal(n->born, 4);
	assert_int_equal(n->untracked, 3);
	n = lt_tasks_namespace(tb, second);
	assert_false(n->gone);
	assert_int_equal(n->born, 0);
	assert_int_equal(n->id, 2);
	assert_int_equal(n->parent, 1);
	assert_int_equal(n->inum, 4026532000);
	n = lt_tasks_namespace(tb, lt_tasks_ns_now(tb, 2));
	assert_int_equal(n->inum, 4026532009);
	assert_true(n->number != second);
	lt_tasks_free(tb);
}

static void test_namespaces(void **state)
{
	struct lt_tasks *tb = world(NULL);
	const struct lt_task_ns *n;

	(void)state;
	ev(tb, PID_NS, 100, .ns = 2, .parent = 1, .level = 1, .exact = 1, .inum = 4026532000,
	   .ns_id = 9, .init_tid = 200, .init_start = 100, .generation = 0, .allocated = 5,
	   .born = 4, .burned = 1);
	ev(tb, TASK_NUMBER, 110, .tid = 200, .start = 110, .ns = 2, .nr = 1, .generation = 0);
	ev(tb, TASK_NEW, 110, .tid = 200, .tgid = 200, .start = 110, .creator = 100,
	   .creator_start = 4, .parent = 100, .parent_start = 4, .ns = 2, .nr = 1,
	   .generation = 7, .comm = T("init2"));
	ev(tb, WRAP, 120, .ns = 1, .generation = 8, .why = 1, .nr = 300);
	ev(tb, WRAP, 121, .ns = 1, .generation = 9, .why = 2, .nr = 300);
	ev(tb, PID_NS_GONE, 130, .ns = 2, .generation = 3, .wraps = 3, .allocated = 50,
	   .born = 40, .burned = 10);
	lt_tasks_finish(tb, 1000);
	n = lt_tasks_namespace(tb, 2);
	assert_non_null(n);
	assert_true(n->gone);
	assert_int_equal(n->level, 1);
	assert_int_equal(n->parent, 1);
	assert_int_equal(n->init_tid, 200);
	assert_int_equal(n->id, 2);
	assert_true(n->exact);
	assert_int_equal(n->inum, 4026532000);
	assert_int_equal(n->allocated, 50);
	assert_int_equal(n->born, 40);
	assert_int_equal(n->burned, 10);
	assert_int_equal(n->wraps, 3);
	assert_int_equal(lt_tasks_namespace(tb, 1)->generation, 9);
	assert_null(lt_tasks_namespace(tb, 3));
	assert_int_equal(TOTALS(tb, wraps), 2);
	assert_int_equal(TOTALS(tb, cursor_wraps), 1);
	assert_int_equal(inst_of(tb, 200, 110)->ns, 2);
	assert_int_equal(inst_of(tb, 200, 110)->nr, 1);
	lt_tasks_free(tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life),
		cmocka_unit_test(test_before_and_open),
		cmocka_unit_test(test_exit_before_walk),
		cmocka_unit_test(test_exit_then_zombie),
		cmocka_unit_test(test_parent_before_walk),
		cmocka_unit_test(test_state_before_birth),
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_creator_and_flags),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_many_placeholders),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_namespaces),
		cmocka_unit_test(test_namespace_ids_again),
	};

	return cmocka_run_group_tests_name("task_life", tests, NULL, NULL);
}
