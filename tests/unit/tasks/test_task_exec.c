// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that execute programs, and leaders that exit before their threads.
 */
#include "tasktest.h"

#define TOTALS(tb, member)	(lt_tasks_totals(tb)->member)

/* exit(leader), exec(leader, thread), release(old leader, by the thread's number). */
static void thread_exec(struct lt_tasks *tb, uint64_t old_start)
{
	born(tb, 100, 200, 100, 4);
	thread_born(tb, 110, 201, 200, 100);
	ev(tb, EXIT, 120, .tid = 200, .tgid = 200, .start = 100, .group_dead = 0, INIT,
	   .runtime = 50, .comm = T("sh"), .oom_score_adj = 200);
	ev(tb, RENAME, 121, .tid = 200, .start = 100, .old_comm = T("thread"),
	   .comm = T("new"));
	ev(tb, EXEC, 122, .tid = 200, .start = 100, .old_tid = 201, .old_start = old_start,
	   .file = T("/bin/new"));
	ev(tb, RELEASE, 130, .tid = 201, .start = 100);
	ev(tb, EXIT, 140, .tid = 200, .tgid = 200, .start = 100, .group_dead = 1, .code = 9,
	   INIT, .runtime = 20, .comm = T("new"), .oom_score_adj = 200);
	ev(tb, RELEASE, 150, .tid = 200, .start = 100, .runtime = 90);
	lt_tasks_finish(tb, 1000);
}

static void check_thread_exec(struct lt_tasks *tb)
{
	const struct lt_task_inst *l = inst_of(tb, 200, 100), *t = inst_of(tb, 201, 110);

	assert_int_equal(l->end, 140);
	assert_int_equal(l->ending, LT_TASK_END_EXITED);
	assert_int_equal(l->code, 9);
	assert_int_equal(l->release, 150);
	assert_true(l->marks & LT_TASK_MARK_LIVES_ON);
	assert_true(l->marks & LT_TASK_MARK_LAST);
	assert_false(l->marks & LT_TASK_MARK_LEADER_FIRST);
	assert_true(name_is(tb, l->file, "/bin/new"));
	assert_true(name_is(tb, l->comm, "new"));
	/* The sum of both tasks that were the leader. */
	assert_int_equal(l->runtime, 70);
	assert_int_equal(t->ending, LT_TASK_END_BECAME_LEADER);
	assert_int_equal(t->end, 122);
	assert_int_equal(t->death_is, LT_EXACT);
	assert_ptr_equal(lt_tasks_get(tb, t->leader), l);
	assert_true(t->marks & LT_TASK_MARK_OLD_RELEASED);
	assert_int_equal(TOTALS(tb, stray), 0);
	assert_int_equal(TOTALS(tb, alive_again), 0);
	assert_int_equal(TOTALS(tb, became_leaders), 1);
	assert_int_equal(TOTALS(tb, silent[LT_ATTR_COMM]), 0);
}

static void test_thread_exec(void **state)
{
	struct lt_tasks *tb = world(NULL);

	(void)state;
	thread_exec(tb, 110);
	check_thread_exec(tb);
	lt_tasks_free(tb);

	/* The module need not say when the thread was started. */
	tb = world(NULL);
	thread_exec(tb, 0);
	check_thread_exec(tb);
	lt_tasks_free(tb);
}

/*
 * The thread's number is free before the event exec: a task may be born with it in between.
 * Not that task becomes the leader.
 */
static void test_thread_exec_number_taken(void **state)
{
	static const uint64_t old_starts[] = { 110, 0, 121 };

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct lt_tasks *tb = world(NULL);
		const struct lt_task_inst *t;

		born(tb, 100, 200, 100, 4);
		thread_born(tb, 110, 201, 200, 100);
		ev(tb, EXIT, 120, .tid = 200, .tgid = 200, .start = 100, INIT, .comm = T("sh"));
		born(tb, 121, 201, 100, 4);
		ev(tb, EXEC, 122, .tid = 200, .start = 100, .old_tid = 201,
		   .old_start = old_starts[i], .file = T("/bin/new"));
		lt_tasks_finish(tb, 1000);
		t = inst_of(tb, 201, 110);
		assert_int_equal(t->ending, LT_TASK_END_BECAME_LEADER);
		assert_int_equal(t->death_is, LT_EXACT);
		assert_true(t->end <= 122);
		assert_false(lt_task_ended(inst_of(tb, 201, 121)));
		assert_int_equal(inst_of(tb, 201, 121)->tgid, 201);
		assert_false(lt_task_ended(inst_of(tb, 200, 100)));
		lt_tasks_free(tb);
	}
}

/*
 * A snapshot in the middle of an exec: the old leader has the thread's number already, and
 * the thread the leader's. The old leader's new identity was never that of a task.
 */
static void test_thread_exec_in_snapshot(void **state)
{
	struct lt_tasks *tb = world(NULL);

	(void)state;
	born(tb, 100, 200, 100, 4);
	thread_born(tb, 110, 201, 200, 100);
	ev(tb, EXIT, 120, .tid = 200, .tgid = 200, .start = 100, INIT, .comm = T("sh"));
	final_begin(tb, 200);
	ev(tb, STATE, 201, .epoch = 9, .tid = 201, .tgid = 200, .start = 100, .flags = 8,
	   .state = T("X"), .comm = T("sh"));
	ev(tb, STATE, 202, .epoch = 9, .tid = 200, .tgid = 200, .start = 100, .comm = T("thread"));
	final_end(tb, 210);
	ev(tb, EXEC, 220, .tid = 200, .start = 100, .old_tid = 201, .old_start = 110,
	   .file = T("/x"));
	ev(tb, RELEASE, 230, .tid = 201, .start = 100);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(lt_tasks_find(tb, 201, 100), 0);
	assert_false(lt_task_ended(inst_of(tb, 200, 100)));
	assert_int_equal(inst_of(tb, 201, 110)->ending, LT_TASK_END_BECAME_LEADER);
	assert_true(inst_of(tb, 201, 110)->marks & LT_TASK_MARK_OLD_RELEASED);
	assert_int_equal(TOTALS(tb, stray), 0);
	lt_tasks_free(tb);
}

/* The process that lives on has not exited, and the next snapshots must have it. */
static void test_lives_on(void **state)
{
	struct lt_tasks *tb = world(NULL);
	const struct lt_task_inst *t;

	(void)state;
	born(tb, 100, 200, 100, 4);
	thread_born(tb, 110, 201, 200, 100);
	ev(tb, EXIT, 120, .tid = 200, .tgid = 200, .start = 100, .code = 0x100, INIT,
	   .comm = T("sh"));
	ev(tb, SNAP_BEGIN, 130, .epoch = 2, .purpose = 1);
	for (uint32_t tid = 1; tid <= 3; tid++)
		ev(tb, STATE, 131, .epoch = 2, .tid = tid, .tgid = tid, .start = tid);
	ev(tb, STATE, 131, .epoch = 2, .tid = 100, .tgid = 100, .start = 4);
	ev(tb, STATE, 131, .epoch = 2, .tid = 201, .tgid = 200, .start = 110);
	ev(tb, SNAP_END, 135, .epoch = 2, .complete = 1);
	ev(tb, EXEC, 140, .tid = 200, .start = 100, .old_tid = 201, .old_start = 110,
	   .file = T("/x"));
	t = inst_of(tb, 200, 100);
	assert_false(lt_task_ended(t));
	assert_int_equal(t->code, 0);
	assert_int_equal(lt_task_last_seen(t), 140);
	/* The end of the process is lost. */
	final_begin(tb, 500);
	final_end(tb, 510);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(t->ending, LT_TASK_END_MISSING);
	assert_int_equal(lt_task_last_seen(t), 140);
	lt_tasks_free(tb);
}

/* A thread of another group cannot become leader. */
static void test_thread_exec_odd(void **state)
{
	struct lt_tasks *tb = world(NULL);

	(void)state;
	born(tb, 100, 200, 100, 4);
	born(tb, 105, 300, 100, 4);
	thread_born(tb, 110, 301, 300, 105);
	ev(tb, EXEC, 120, .tid = 200, .start = 100, .old_tid = 301, .old_start = 110,
	   .file = T("/x"));
	ev(tb, EXEC, 121, .tid = 200, .start = 100, .old_tid = 200, .old_start = 100,
	   .file = T("/x"));
	/* A thread that has exited cannot become leader. */
	thread_born(tb, 130, 201, 200, 100);
	ev(tb, EXIT, 131, .tid = 201, .tgid = 200, .start = 130, INIT);
	ev(tb, EXEC, 132, .tid = 200, .start = 100, .old_tid = 201, .old_start = 130,
	   .file = T("/x"));
	lt_tasks_finish(tb, 1000);
	assert_false(lt_task_ended(inst_of(tb, 301, 110)));
	assert_int_equal(inst_of(tb, 201, 130)->ending, LT_TASK_END_EXITED);
	assert_int_equal(TOTALS(tb, odd_execs), 2);
	assert_int_equal(TOTALS(tb, became_leaders), 0);
	lt_tasks_free(tb);
}

/* An exec by an unknown thread makes its instance, as far as the exec describes it. */
static void test_thread_exec_unknown(void **state)
{
	struct lt_tasks *tb = world(NULL);
	const struct lt_task_inst *t;

	(void)state;
	/* Neither leader nor thread has an earlier record. */
	ev(tb, EXEC, 120, .tid = 200, .start = 100, .old_tid = 201, .old_start = 110,
	   .file = T("/x"));
	t = inst_of(tb, 201, 110);
	assert_int_equal(t->ending, LT_TASK_END_BECAME_LEADER);
	assert_int_equal(t->tgid, 200);
	assert_int_equal(lt_tasks_get(tb, t->leader)->tid, 200);
	assert_true(inst_of(tb, 200, 100)->marks & LT_TASK_MARK_SEEN);
	/* The thread is only the target of a link, as a creator. */
	ev(tb, TASK_NEW, 130, .tid = 300, .tgid = 300, .start = 130, .creator = 401,
	   .creator_start = 125, INIT, .comm = T("x"));
	ev(tb, EXEC, 140, .tid = 400, .start = 50, .old_tid = 401, .old_start = 125,
	   .file = T("/x"));
	t = inst_of(tb, 401, 125);
	assert_true(t->marks & LT_TASK_MARK_SEEN);
	assert_int_equal(t->ending, LT_TASK_END_BECAME_LEADER);
	assert_int_equal(t->tgid, 400);
	/* Nothing at all is known of the thread. */
	ev(tb, EXEC, 150, .tid = 500, .start = 60, .old_tid = 501, .old_start = 0,
	   .file = T("/y"));
	assert_true(name_is(tb, inst_of(tb, 500, 60)->file, "/y"));
	lt_tasks_finish(tb, 1000);
	assert_int_equal(TOTALS(tb, became_leaders), 2);
	assert_int_equal(TOTALS(tb, odd_execs), 1);
	lt_tasks_free(tb);
}

/* A leader that exits first; its group lives on, and dies with its last thread. */
static void test_leader_first(void **state)
{
	struct lt_tasks *tb = world(NULL);

	(void)state;
	born(tb, 100, 200, 100, 4);
	thread_born(tb, 110, 201, 200, 100);
	thread_born(tb, 111, 202, 200, 100);
	ev(tb, EXIT, 120, .tid = 200, .tgid = 200, .start = 100, INIT, .comm = T("sh"),
	   .oom_score_adj = 200);
	ev(tb, OOM, 125, .tgid = 200, .start = 100, .old = 200, .oom_score_adj = 300, .by = 1,
	   .by_start = 1);
	/* The exit of 202 is lost; with 201's no thread is left. */
	ev(tb, EXIT, 130, .tid = 201, .tgid = 200, .start = 110, .group_dead = 1, INIT,
	   .comm = T("thread"), .oom_score_adj = 300);
	lt_tasks_finish(tb, 1000);
	assert_true(inst_of(tb, 200, 100)->marks & LT_TASK_MARK_LEADER_FIRST);
	assert_int_equal(inst_of(tb, 200, 100)->end, 120);
	assert_int_equal(inst_of(tb, 200, 100)->oom_score_adj, 300);
	assert_int_equal(TOTALS(tb, alive_again), 0);
	assert_int_equal(TOTALS(tb, silent[LT_ATTR_OOM]), 0);
	assert_int_equal(inst_of(tb, 202, 111)->ending, LT_TASK_END_GROUP_DEAD);
	assert_int_equal(inst_of(tb, 202, 111)->death_is, LT_BOUNDED);
	assert_int_equal(inst_of(tb, 202, 111)->end, 130);
	assert_int_equal(lt_task_last_seen(inst_of(tb, 202, 111)), 111);
	lt_tasks_free(tb);
}

/* Before 6.16 two threads that exit at once may both have group_dead. */
static void test_two_last(void **state)
{
	struct lt_tasks *tb = world(NULL);

	(void)state;
	born(tb, 100, 200, 100, 4);
	thread_born(tb, 110, 201, 200, 100);
	ev(tb, EXIT, 120, .tid = 200, .tgid = 200, .start = 100, .group_dead = 1, INIT);
	ev(tb, EXIT, 121, .tid = 201, .tgid = 200, .start = 110, .group_dead = 1, INIT);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(inst_of(tb, 200, 100)->end, 120);
	assert_int_equal(inst_of(tb, 201, 110)->end, 121);
	assert_int_equal(TOTALS(tb, deaths), 2);
	assert_int_equal(TOTALS(tb, twice), 0);
	lt_tasks_free(tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread_exec),
		cmocka_unit_test(test_thread_exec_number_taken),
		cmocka_unit_test(test_thread_exec_in_snapshot),
		cmocka_unit_test(test_lives_on),
		cmocka_unit_test(test_thread_exec_odd),
		cmocka_unit_test(test_thread_exec_unknown),
		cmocka_unit_test(test_leader_first),
		cmocka_unit_test(test_two_last),
	};

	return cmocka_run_group_tests_name("task_exec", tests, NULL, NULL);
}
