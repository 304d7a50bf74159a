// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of tasks at any time: events against dumped values.
 */
#include "tasktest.h"

#define SILENT(tb, a)	(lt_tasks_totals(tb)->silent[LT_ATTR_##a])
#define UNSEEN(tb, a)	(lt_tasks_totals(tb)->unseen[LT_ATTR_##a])

static const struct lt_tasks_config with_history = { .history = true };

static struct lt_task_value at(struct lt_tasks *tb, uint32_t tid, uint64_t start,
			       enum lt_task_attr a, uint64_t time)
{
	return lt_tasks_at(tb, lt_tasks_find(tb, tid, start), a, time);
}

static void check_number(struct lt_tasks *tb, uint32_t tid, uint64_t start,
			 enum lt_task_attr a, uint64_t time, int64_t value, bool certain)
{
	struct lt_task_value v = at(tb, tid, start, a, time);

	assert_true(v.known);
	assert_int_equal(v.i, value);
	assert_int_equal(v.certain, certain);
}

static void check_name(struct lt_tasks *tb, uint32_t tid, uint64_t start,
		       enum lt_task_attr a, uint64_t time, const char *name)
{
	struct lt_task_value v = at(tb, tid, start, a, time);

	assert_true(v.known);
	assert_true(name_is(tb, (uint32_t)v.u, name));
}

/* A snapshot reads the path of a program in the middle of an exec, before its event. */
static void test_dumped_in_exec(void **state)
{
	struct lt_tasks *tb = world(&with_history);

	(void)state;
	check_name(tb, 100, 4, LT_ATTR_FILE, 50, "/bin/sh");
	ev(tb, EXEC, 150, .tid = 100, .start = 4, .old_tid = 100, .old_start = 4,
	   .file = T("/bin/sh"));
	assert_false(at(tb, 100, 4, LT_ATTR_FILE, 50).known);
	check_name(tb, 100, 4, LT_ATTR_FILE, 150, "/bin/sh");
	lt_tasks_free(tb);
}

/*
 * A snapshot reads the path in the middle of an exec, and the trace ends before the event.
 * Since when the path holds is not known, and a known path stays.
 */
static void test_in_exec(void **state)
{
	struct lt_tasks *tb = world(&with_history);

	(void)state;
	ev(tb, SNAP_BEGIN, 40, .epoch = 2, .purpose = 1);
	ev(tb, STATE, 41, .epoch = 2, .tid = 100, .tgid = 100, .start = 4, .flags = 16,
	   .comm = T("new"), .file = T("/bin/new"));
	ev(tb, STATE, 42, .epoch = 2, .tid = 60, .tgid = 60, .start = 5, .flags = 16,
	   .comm = T("first"), .file = T("/bin/first"));
	ev(tb, SNAP_END, 49, .epoch = 2, .complete = 0);
	check_name(tb, 100, 4, LT_ATTR_COMM, 45, "sh");
	check_name(tb, 100, 4, LT_ATTR_FILE, 45, "/bin/sh");
	assert_false(at(tb, 60, 5, LT_ATTR_COMM, 41).known);
	assert_false(at(tb, 60, 5, LT_ATTR_FILE, 41).known);
	check_name(tb, 60, 5, LT_ATTR_COMM, 42, "first");
	check_name(tb, 60, 5, LT_ATTR_FILE, 42, "/bin/first");
	/* The event comes after all. */
	ev(tb, EXEC, 60, .tid = 60, .start = 5, .old_tid = 60, .old_start = 5,
	   .file = T("/bin/second"));
	check_name(tb, 60, 5, LT_ATTR_FILE, 59, "/bin/first");
	check_name(tb, 60, 5, LT_ATTR_FILE, 60, "/bin/second");
	assert_int_equal(SILENT(tb, COMM), 0);
	assert_int_equal(SILENT(tb, FILE), 0);
	lt_tasks_free(tb);
}

/* A second snapshot of the shell, with one other value. */
#define dump_shell(tb, at, ...)							\
	do {									\
		ev(tb, SNAP_BEGIN, (at), .epoch = 2, .purpose = 1);		\
		dump_record(tb, (at) + 5, __VA_ARGS__);				\
		ev(tb, SNAP_END, (at) + 9, .epoch = 2, .complete = 0);		\
	} while (0)

#define dump_record(tb, at, ...)						\
	ev(tb, STATE, at, .epoch = 2, .tid = 100, .tgid = 100, .start = 4, INIT, \
	   .file = T("/bin/sh"), .gid = 1000, .cgroup = 77, .ns = 1, .nr = 100,	\
	   __VA_ARGS__)

static void test_born_and_changed(void **state)
{
	struct lt_tasks *tb = world(&with_history);

	(void)state;
	born(tb, 100, 200, 100, 4);
	ev(tb, RENAME, 110, .tid = 200, .start = 100, .old_comm = T("sh"), .comm = T("two"));
	ev(tb, EXEC, 111, .tid = 200, .start = 100, .old_tid = 200, .old_start = 100,
	   .file = T("/bin/two"));
	ev(tb, CRED, 115, .tid = 200, .start = 100, .old_uid = 1000, .uid = 0, .old_gid = 1000,
	   .gid = 1000);
	ev(tb, RENAME, 120, .tid = 200, .start = 100, .old_comm = T("two"), .comm = T("three"));
	ev(tb, OOM, 125, .tgid = 200, .start = 100, .old = 200, .oom_score_adj = -900);
	ev(tb, CGROUP, 126, .tid = 200, .start = 100, .hierarchy = 4, .cgroup = 5);
	ev(tb, CGROUP, 127, .tid = 200, .start = 100, .cgroup = 88);
	ev(tb, EXIT, 150, .tid = 200, .tgid = 200, .start = 100, .group_dead = 1, INIT,
	   .comm = T("three"), .oom_score_adj = -900);
	lt_tasks_finish(tb, 1000);
	assert_false(at(tb, 200, 100, LT_ATTR_COMM, 99).known);
	check_name(tb, 200, 100, LT_ATTR_COMM, 100, "sh");
	check_name(tb, 200, 100, LT_ATTR_COMM, 109, "sh");
	check_name(tb, 200, 100, LT_ATTR_COMM, 110, "two");
	check_name(tb, 200, 100, LT_ATTR_COMM, 119, "two");
	check_name(tb, 200, 100, LT_ATTR_COMM, 150, "three");
	assert_false(at(tb, 200, 100, LT_ATTR_COMM, 151).known);
	check_name(tb, 200, 100, LT_ATTR_FILE, 105, "/bin/sh");
	check_name(tb, 200, 100, LT_ATTR_FILE, 111, "/bin/two");
	check_number(tb, 200, 100, LT_ATTR_UID, 114, 1000, true);
	check_number(tb, 200, 100, LT_ATTR_UID, 115, 0, true);
	check_number(tb, 200, 100, LT_ATTR_GID, 120, 1000, true);
	check_number(tb, 200, 100, LT_ATTR_OOM, 124, 200, true);
	check_number(tb, 200, 100, LT_ATTR_OOM, 130, -900, true);
	check_number(tb, 200, 100, LT_ATTR_CGROUP, 126, 77, true);
	check_number(tb, 200, 100, LT_ATTR_CGROUP, 127, 88, true);
	/* Born as a child of the shell, dead as a child of init. */
	check_number(tb, 200, 100, LT_ATTR_PARENT, 149, lt_tasks_find(tb, 100, 4), true);
	check_number(tb, 200, 100, LT_ATTR_PARENT, 150, lt_tasks_find(tb, 1, 1), true);
	for (int a = 0; a < LT_N_TASK_ATTRS; a++)
		assert_int_equal(lt_tasks_totals(tb)->silent[a], 0);
	lt_tasks_free(tb);
}

/* Values of the initial snapshot hold from the trace's begin on. */
static void test_initial(void **state)
{
	struct lt_tasks *tb = world(&with_history);

	(void)state;
	ev(tb, OOM, 100, .tgid = 100, .start = 4, .old = 200, .oom_score_adj = 300);
	lt_tasks_finish(tb, 1000);
	check_number(tb, 100, 4, LT_ATTR_OOM, 50, 200, true);
	check_number(tb, 100, 4, LT_ATTR_OOM, 100, 300, true);
	check_number(tb, 100, 4, LT_ATTR_UID, 14, 1000, true);
	check_name(tb, 100, 4, LT_ATTR_COMM, 50, "sh");
	lt_tasks_free(tb);
}

/*
 * An event outranks a value that was read before it and is recorded after it: the snapshot
 * reads the value, the event is written, then the record of the snapshot.
 */
static void test_event_outranks(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(&with_history);

	(void)state;
	ev(tb, SNAP_BEGIN, 10, .epoch = 1);
	ev(tb, OOM, 12, .tgid = 50, .start = 3, .old = 0, .oom_score_adj = 500);
	ev(tb, RENAME, 13, .tid = 50, .start = 3, .old_comm = T("old"), .comm = T("new"));
	ev(tb, CGROUP, 13, .tid = 50, .start = 3, .cgroup = 66);
	ev(tb, STATE, 14, .epoch = 1, .tid = 50, .tgid = 50, .start = 3, .comm = T("old"),
	   .oom_score_adj = 0, .cgroup = 55, .uid = 7);
	ev(tb, SNAP_END, 20, .epoch = 1, .complete = 1);
	lt_tasks_finish(tb, 1000);
	check_number(tb, 50, 3, LT_ATTR_OOM, 11, 0, true);
	check_number(tb, 50, 3, LT_ATTR_OOM, 12, 500, true);
	check_number(tb, 50, 3, LT_ATTR_OOM, 100, 500, true);
	check_name(tb, 50, 3, LT_ATTR_COMM, 12, "old");
	check_name(tb, 50, 3, LT_ATTR_COMM, 100, "new");
	/* Where the event does not say what was before, the snapshot's value was. */
	check_number(tb, 50, 3, LT_ATTR_CGROUP, 12, 55, true);
	check_number(tb, 50, 3, LT_ATTR_CGROUP, 100, 66, true);
	check_number(tb, 50, 3, LT_ATTR_UID, 100, 7, true);
	assert_int_equal(SILENT(tb, OOM) + SILENT(tb, COMM) + SILENT(tb, CGROUP), 0);
	lt_tasks_free(tb);
}

/* In a requested snapshot: an event before its begin does not outrank its values. */
static void test_dump_outranks(void **state)
{
	struct lt_tasks *tb = world(&with_history);

	(void)state;
	ev(tb, OOM, 50, .tgid = 100, .start = 4, .old = 200, .oom_score_adj = 300);
	/* oom_score_adj of a process that shares the memory was written: there is no event. */
	dump_shell(tb, 100, .uid = 1000, .comm = T("sh"), .oom_score_adj = 400);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(SILENT(tb, OOM), 1);
	check_number(tb, 100, 4, LT_ATTR_OOM, 60, 300, false);
	check_number(tb, 100, 4, LT_ATTR_OOM, 105, 400, true);
	assert_int_equal(inst_of(tb, 100, 4)->oom_score_adj, 400);
	lt_tasks_free(tb);

	tb = world(&with_history);
	ev(tb, OOM, 50, .tgid = 100, .start = 4, .old = 200, .oom_score_adj = 300);
	ev(tb, SNAP_BEGIN, 100, .epoch = 2, .purpose = 1);
	ev(tb, OOM, 102, .tgid = 100, .start = 4, .old = 300, .oom_score_adj = 350);
	dump_record(tb, 105, .uid = 1000, .comm = T("sh"), .oom_score_adj = 300);
	ev(tb, SNAP_END, 110, .epoch = 2);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(SILENT(tb, OOM), 0);
	check_number(tb, 100, 4, LT_ATTR_OOM, 200, 350, true);
	lt_tasks_free(tb);
}

/* A snapshot changes each attribute. */
static void test_dumped_values(void **state)
{
	struct lt_tasks *tb = world(&with_history);

	(void)state;
	ev(tb, SNAP_BEGIN, 100, .epoch = 2, .purpose = 1);
	ev(tb, STATE, 105, .epoch = 2, .tid = 100, .tgid = 100, .start = 4, .parent = 2,
	   .parent_start = 2, .file = T("/other"), .uid = 1, .gid = 2, .cgroup = 3,
	   .comm = T("c"), .oom_score_adj = 5);
	ev(tb, SNAP_END, 110, .epoch = 2);
	lt_tasks_finish(tb, 1000);
	for (int a = 0; a < LT_ATTR_PARENT; a++)
		assert_int_equal(lt_tasks_totals(tb)->silent[a], 1);
	check_number(tb, 100, 4, LT_ATTR_UID, 105, 1, true);
	check_number(tb, 100, 4, LT_ATTR_GID, 105, 2, true);
	check_number(tb, 100, 4, LT_ATTR_CGROUP, 105, 3, true);
	check_name(tb, 100, 4, LT_ATTR_FILE, 105, "/other");
	check_number(tb, 100, 4, LT_ATTR_PARENT, 105, lt_tasks_find(tb, 2, 2), true);
	assert_int_equal(lt_tasks_totals(tb)->reparented, 1);
	lt_tasks_free(tb);
}

/* Outside of a snapshot no event outranks the values of a record. */
static void test_dump_behind_end(void **state)
{
	struct lt_tasks *tb = world(&with_history);

	(void)state;
	ev(tb, OOM, 50, .tgid = 100, .start = 4, .old = 200, .oom_score_adj = 300);
	ev(tb, STATE, 60, .epoch = 1, .tid = 100, .tgid = 100, .start = 4, INIT,
	   .comm = T("sh"), .uid = 1000, .gid = 1000, .cgroup = 77, .oom_score_adj = 400);
	lt_tasks_finish(tb, 1000);
	check_number(tb, 100, 4, LT_ATTR_OOM, 70, 400, true);
	lt_tasks_free(tb);
}

/* A tracepoint fires ahead of the change: a snapshot may still read the value before. */
static void test_old_value(void **state)
{
	struct lt_tasks *tb = world(&with_history);

	(void)state;
	ev(tb, RENAME, 99, .tid = 100, .start = 4, .old_comm = T("sh"), .comm = T("new"));
	dump_shell(tb, 100, .uid = 1000, .comm = T("sh"), .oom_score_adj = 200);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(SILENT(tb, COMM), 0);
	check_name(tb, 100, 4, LT_ATTR_COMM, 500, "new");
	lt_tasks_free(tb);

	tb = world(&with_history);
	ev(tb, RENAME, 99, .tid = 100, .start = 4, .old_comm = T("sh"), .comm = T("new"));
	dump_shell(tb, 100, .uid = 1000, .comm = T("other"), .oom_score_adj = 200);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(SILENT(tb, COMM), 1);
	check_name(tb, 100, 4, LT_ATTR_COMM, 500, "other");
	lt_tasks_free(tb);
}

/* The exit has the value at the end: copy_oom_score_adj() changes it without an event. */
static void test_exit_closes(void **state)
{
	struct lt_tasks *tb = world(&with_history);

	(void)state;
	born(tb, 100, 200, 100, 4);
	ev(tb, EXIT, 150, .tid = 200, .tgid = 200, .start = 100, .group_dead = 1, INIT,
	   .comm = T("sh"), .oom_score_adj = 999);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(SILENT(tb, OOM), 1);
	check_number(tb, 200, 100, LT_ATTR_OOM, 120, 200, false);
	check_number(tb, 200, 100, LT_ATTR_OOM, 150, 999, true);
	lt_tasks_free(tb);
}

/* The value before an event reveals an earlier change without an event. */
static void test_event_reveals_silent_change(void **state)
{
	struct lt_tasks *tb = world(&with_history);

	(void)state;
	ev(tb, CRED, 100, .tid = 100, .start = 4, .old_uid = 1001, .uid = 0, .old_gid = 1000,
	   .gid = 1000);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(SILENT(tb, UID), 1);
	check_number(tb, 100, 4, LT_ATTR_UID, 99, 1000, false);
	check_number(tb, 100, 4, LT_ATTR_UID, 100, 0, true);
	lt_tasks_free(tb);
}

/* Where events were lost, a difference counts as unseen, and no value is certain. */
static void test_losses(void **state)
{
	struct lt_tasks *tb = world(&with_history);
	struct lt_task_gap gap = { .begin = 60, .end = 70, .what = LT_LOST_CHANGES };

	(void)state;
	ev(tb, OOM, 50, .tgid = 100, .start = 4, .old = 200, .oom_score_adj = 300);
	lt_tasks_gap(tb, &gap);
	dump_shell(tb, 100, .uid = 1000, .comm = T("sh"), .oom_score_adj = 400);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(SILENT(tb, OOM), 0);
	assert_int_equal(UNSEEN(tb, OOM), 1);
	check_number(tb, 100, 4, LT_ATTR_UID, 55, 1000, true);
	check_number(tb, 100, 4, LT_ATTR_UID, 65, 1000, false);
	/* The value was seen again after the gap. */
	check_number(tb, 100, 4, LT_ATTR_UID, 105, 1000, true);
	check_number(tb, 3, 3, LT_ATTR_UID, 900, 0, false);
	lt_tasks_free(tb);
}

/* oom_score_adj belongs to the group: threads have their leader's. */
static void test_threads(void **state)
{
	struct lt_tasks *tb = world(&with_history);

	(void)state;
	thread_born(tb, 100, 201, 100, 4);
	thread_born(tb, 101, 202, 100, 4);
	thread_born(tb, 102, 203, 100, 4);
	ev(tb, OOM, 110, .tgid = 100, .start = 4, .old = 200, .oom_score_adj = 300);
	ev(tb, CGROUP, 120, .tid = 100, .start = 4, .group = 1, .cgroup = 88);
	ev(tb, CGROUP, 130, .tid = 202, .start = 101, .cgroup = 99);
	ev(tb, EXIT, 140, .tid = 201, .tgid = 100, .start = 100, INIT, .comm = T("thread"));
	lt_tasks_finish(tb, 1000);
	check_number(tb, 201, 100, LT_ATTR_OOM, 105, 200, true);
	check_number(tb, 201, 100, LT_ATTR_OOM, 115, 300, true);
	check_number(tb, 201, 100, LT_ATTR_CGROUP, 119, 0, true);
	check_number(tb, 201, 100, LT_ATTR_CGROUP, 120, 88, true);
	check_number(tb, 202, 101, LT_ATTR_CGROUP, 125, 88, true);
	check_number(tb, 202, 101, LT_ATTR_CGROUP, 130, 99, true);
	assert_int_equal(lt_tasks_cgroup(tb, inst_of(tb, 201, 100)), 88);
	assert_int_equal(lt_tasks_cgroup(tb, inst_of(tb, 202, 101)), 99);
	assert_int_equal(lt_tasks_cgroup(tb, inst_of(tb, 203, 102)), 88);
	assert_int_equal(lt_tasks_cgroup(tb, inst_of(tb, 100, 4)), 88);
	lt_tasks_free(tb);

	/* A snapshot agrees, also for a thread whose exit is lost. */
	tb = world(&with_history);
	thread_born(tb, 100, 201, 100, 4);
	ev(tb, CGROUP, 120, .tid = 100, .start = 4, .group = 1, .cgroup = 88);
	ev(tb, SNAP_BEGIN, 130, .epoch = 2, .purpose = 1);
	ev(tb, STATE, 131, .epoch = 2, .tid = 201, .tgid = 100, .start = 100, .cgroup = 88,
	   .comm = T("thread"));
	ev(tb, SNAP_END, 132, .epoch = 2);
	born(tb, 140, 201, 1, 1);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(SILENT(tb, CGROUP), 0);
	assert_int_equal(lt_tasks_cgroup(tb, inst_of(tb, 201, 100)), 88);
	lt_tasks_free(tb);

	tb = world(NULL);
	thread_born(tb, 100, 201, 100, 4);
	ev(tb, CGROUP, 120, .tid = 100, .start = 4, .group = 1, .cgroup = 88);
	born(tb, 140, 201, 1, 1);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(lt_tasks_cgroup(tb, inst_of(tb, 201, 100)), 88);
	lt_tasks_free(tb);
}

/* A leader gets user and cgroup of the thread that takes its place. */
static void test_thread_exec(void **state)
{
	struct lt_tasks *tb = world(&with_history);

	(void)state;
	born(tb, 100, 200, 100, 4);
	thread_born(tb, 110, 201, 200, 100);
	ev(tb, CRED, 112, .tid = 201, .start = 110, .old_uid = 0, .uid = 33, .old_gid = 0,
	   .gid = 34);
	ev(tb, EXIT, 120, .tid = 200, .tgid = 200, .start = 100, INIT, .comm = T("sh"),
	   .oom_score_adj = 200);
	ev(tb, EXEC, 122, .tid = 200, .start = 100, .old_tid = 201, .old_start = 110,
	   .file = T("/bin/new"));
	lt_tasks_finish(tb, 1000);
	check_number(tb, 200, 100, LT_ATTR_UID, 121, 1000, true);
	check_number(tb, 200, 100, LT_ATTR_UID, 122, 33, true);
	check_number(tb, 200, 100, LT_ATTR_GID, 122, 34, true);
	check_number(tb, 200, 100, LT_ATTR_CGROUP, 122, 0, true);
	lt_tasks_free(tb);
}

/*
 * Exec renames a thread that has its leader's place already, before the event exec: the name
 * before was the thread's. The leader's own exit may be older than the trace.
 */
static void test_thread_exec_name(void **state)
{
	(void)state;
	for (unsigned int known = 0; known < 2; known++) {
		struct lt_tasks *tb = world(&with_history);

		if (known)
			born(tb, 100, 200, 100, 4);
		ev(tb, RENAME, 121, .tid = 200, .start = 100, .old_comm = T("thread"),
		   .comm = T("new"));
		ev(tb, EXEC, 122, .tid = 200, .start = 100, .old_tid = 201, .old_start = 110,
		   .file = T("/bin/busybox"));
		lt_tasks_finish(tb, 1000);
		assert_int_equal(at(tb, 200, 100, LT_ATTR_COMM, 119).known, known);
		if (known)
			check_name(tb, 200, 100, LT_ATTR_COMM, 119, "sh");
		check_name(tb, 200, 100, LT_ATTR_COMM, 121, "new");
		check_name(tb, 201, 110, LT_ATTR_COMM, 119, "thread");
		assert_int_equal(lt_tasks_totals(tb)->silent[LT_ATTR_COMM], 0);
		lt_tasks_free(tb);
	}
}

/*
 * A snapshot meets the thread that has taken its dead leader's place, before the event exec:
 * the thread's program was never that of the leader before.
 */
static void test_thread_exec_dumped(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(&with_history);

	(void)state;
	born(tb, 100, 200, 100, 4);
	thread_born(tb, 110, 201, 200, 100);
	ev(tb, EXIT, 120, .tid = 200, .tgid = 200, .start = 100, INIT, .comm = T("sh"),
	   .oom_score_adj = 200);
	ev(tb, SNAP_BEGIN, 130, .epoch = 2, .purpose = 1);
	ev(tb, STATE, 131, .epoch = 2, .tid = 200, .tgid = 200, .start = 100,
	   .comm = T("thread"), .file = T("/bin/new"));
	ev(tb, SNAP_END, 140, .epoch = 2, .complete = 1);
	lt_tasks_finish(tb, 1000);
	assert_false(at(tb, 200, 100, LT_ATTR_FILE, 115).known);
	check_name(tb, 200, 100, LT_ATTR_COMM, 115, "sh");
	lt_tasks_free(tb);
}

/*
 * Where the module cannot read the value before, it writes the new one in its place. A
 * snapshot's value that was read between two events does not hold before the first one.
 */
static void test_unknown_before(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(&with_history);

	(void)state;
	ev(tb, SNAP_BEGIN, 10, .epoch = 1);
	ev(tb, OOM, 12, .tgid = 50, .start = 3, .old = 500, .oom_score_adj = 500);
	ev(tb, OOM, 13, .tgid = 50, .start = 3, .old = 600, .oom_score_adj = 600);
	ev(tb, CGROUP, 12, .tid = 50, .start = 3, .cgroup = 66);
	ev(tb, CGROUP, 13, .tid = 50, .start = 3, .cgroup = 67);
	ev(tb, STATE, 14, .epoch = 1, .tid = 50, .tgid = 50, .start = 3, .comm = T("old"),
	   .oom_score_adj = 500, .cgroup = 66);
	ev(tb, SNAP_END, 20, .epoch = 1, .complete = 1);
	lt_tasks_finish(tb, 1000);
	assert_false(at(tb, 50, 3, LT_ATTR_OOM, 11).known);
	assert_false(at(tb, 50, 3, LT_ATTR_CGROUP, 11).known);
	check_number(tb, 50, 3, LT_ATTR_OOM, 12, 500, true);
	check_number(tb, 50, 3, LT_ATTR_OOM, 100, 600, true);
	check_number(tb, 50, 3, LT_ATTR_CGROUP, 100, 67, true);
	lt_tasks_free(tb);
}

/*
 * A parent that is first recorded after other processes have died may be the new parent of an
 * orphan. Only a process that is not younger than the task can have been its parent before.
 */
static void test_parent_recorded_late(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(&with_history);

	(void)state;
	ev(tb, SNAP_BEGIN, 10, .epoch = 1);
	ev(tb, STATE, 11, .epoch = 1, .tid = 1, .tgid = 1, .start = 1);
	died(tb, 12, 40, 4);
	ev(tb, STATE, 13, .epoch = 1, .tid = 50, .tgid = 50, .start = 5, INIT);
	died(tb, 14, 70, 7);
	ev(tb, STATE, 15, .epoch = 1, .tid = 60, .tgid = 60, .start = 6, INIT);
	ev(tb, SNAP_END, 20, .epoch = 1, .complete = 1, .tasks = 3);
	lt_tasks_finish(tb, 1000);
	check_number(tb, 50, 5, LT_ATTR_PARENT, 11, lt_tasks_find(tb, 1, 1), false);
	check_number(tb, 50, 5, LT_ATTR_PARENT, 13, lt_tasks_find(tb, 1, 1), true);
	check_number(tb, 50, 5, LT_ATTR_PARENT, 14, lt_tasks_find(tb, 1, 1), true);
	check_number(tb, 60, 6, LT_ATTR_PARENT, 12, lt_tasks_find(tb, 1, 1), false);
	check_number(tb, 60, 6, LT_ATTR_PARENT, 13, lt_tasks_find(tb, 1, 1), true);
	lt_tasks_free(tb);
}

/* No event says when a task gets another parent: it does when the old one is dead. */
static void test_parents(void **state)
{
	struct lt_tasks *tb = world(&with_history);
	struct lt_task_value v;

	(void)state;
	born(tb, 100, 200, 100, 4);
	born(tb, 110, 300, 200, 100);
	born(tb, 111, 301, 200, 100);
	died(tb, 150, 200, 100);
	died(tb, 180, 300, 110);
	lt_tasks_finish(tb, 1000);
	check_number(tb, 300, 110, LT_ATTR_PARENT, 150, lt_tasks_find(tb, 200, 100), true);
	v = at(tb, 300, 110, LT_ATTR_PARENT, 160);
	assert_true(v.known);
	assert_false(v.certain);
	assert_int_equal(v.u, lt_tasks_find(tb, 1, 1));
	check_number(tb, 300, 110, LT_ATTR_PARENT, 180, lt_tasks_find(tb, 1, 1), true);
	/* No record names its parent. */
	assert_false(at(tb, 301, 111, LT_ATTR_PARENT, 160).known);
	lt_tasks_free(tb);
}

/* Without histories the latest values do not differ. */
static void test_no_history(void **state)
{
	struct lt_tasks *tb = world(NULL);

	(void)state;
	ev(tb, OOM, 50, .tgid = 100, .start = 4, .old = 200, .oom_score_adj = 300);
	dump_shell(tb, 100, .uid = 1000, .comm = T("sh"), .oom_score_adj = 400);
	ev(tb, RENAME, 200, .tid = 100, .start = 4, .old_comm = T("sh"), .comm = T("last"));
	lt_tasks_finish(tb, 1000);
	assert_int_equal(inst_of(tb, 100, 4)->oom_score_adj, 400);
	assert_true(name_is(tb, inst_of(tb, 100, 4)->comm, "last"));
	assert_int_equal(SILENT(tb, OOM), 1);
	assert_false(at(tb, 100, 4, LT_ATTR_COMM, 300).known);
	lt_tasks_free(tb);
}

/* A name that changes often is found at each time. */
static void test_long_history(void **state)
{
	struct lt_tasks *tb = world(&with_history);
	char old[16] = "sh", new[16];

	(void)state;
	for (uint64_t i = 0; i < 2000; i++) {
		snprintf(new, sizeof(new), "name %u", (unsigned int)i);
		ev(tb, RENAME, 100 + i, .tid = 100, .start = 4, .old_comm = { old, strlen(old) },
		   .comm = { new, strlen(new) });
		strcpy(old, new);
	}
	lt_tasks_finish(tb, 5000);
	check_name(tb, 100, 4, LT_ATTR_COMM, 99, "sh");
	check_name(tb, 100, 4, LT_ATTR_COMM, 100, "name 0");
	check_name(tb, 100, 4, LT_ATTR_COMM, 1100, "name 1000");
	check_name(tb, 100, 4, LT_ATTR_COMM, 4000, "name 1999");
	assert_int_equal(SILENT(tb, COMM), 0);
	lt_tasks_free(tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dumped_in_exec),
		cmocka_unit_test(test_in_exec),
		cmocka_unit_test(test_born_and_changed),
		cmocka_unit_test(test_initial),
		cmocka_unit_test(test_event_outranks),
		cmocka_unit_test(test_dump_outranks),
		cmocka_unit_test(test_dumped_values),
		cmocka_unit_test(test_dump_behind_end),
		cmocka_unit_test(test_old_value),
		cmocka_unit_test(test_exit_closes),
		cmocka_unit_test(test_event_reveals_silent_change),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_thread_exec),
		cmocka_unit_test(test_thread_exec_name),
		cmocka_unit_test(test_thread_exec_dumped),
		cmocka_unit_test(test_unknown_before),
		cmocka_unit_test(test_parent_recorded_late),
		cmocka_unit_test(test_parents),
		cmocka_unit_test(test_no_history),
		cmocka_unit_test(test_long_history),
	};

	return cmocka_run_group_tests_name("task_attr", tests, NULL, NULL);
}
