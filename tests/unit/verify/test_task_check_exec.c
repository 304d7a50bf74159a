// SPDX-License-Identifier: GPL-2.0
/*
 * Proofs about tasks while a thread takes its leader's place by exec.
 */
#include "taskproof.h"

/* A requested snapshot of world()'s tasks so far. */
static void demand_begin(struct proof *p)
{
	ev(p->tb, SNAP_BEGIN, 200, .epoch = 2, .purpose = 1);
	for (uint32_t tid = 1; tid <= 3; tid++)
		ev(p->tb, STATE, 202, .epoch = 2, .tid = tid, .tgid = tid, .start = tid);
	ev(p->tb, STATE, 202, .epoch = 2, .tid = 100, .tgid = 100, .start = 4);
}

/*
 * A snapshot while a thread becomes leader: the thread has the leader's identity already, and
 * the old leader has exited; the exec comes later.
 */
static void test_exec_during_snapshot(void **state)
{
	struct proof p;

	(void)state;
	begin_group(&p);
	leader_exits(&p, 140, 200, 100);
	demand_begin(&p);
	ev(p.tb, STATE, 202, .epoch = 2, .tid = 200, .tgid = 200, .start = 100);
	ev(p.tb, SNAP_END, 210, .epoch = 2, .complete = 1);
	ev(p.tb, EXEC, 220, .tid = 200, .start = 100, .old_tid = 201, .old_start = 130,
	   .file = T("/x"));
	final_begin(p.tb, 500);
	final_state(p.tb, 501, 200, 100);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_true(lt_task_proofs_good(&p.v));
	assert_int_equal(p.v.snapshots, 3);
	assert_int_equal(p.v.initial + p.v.births - p.v.deaths, p.v.alive);
	says(&p, POPULATION, "3 snapshots");
	end(&p);
}

/*
 * The first snapshot met a thread that has its leader's identity already; the exec comes
 * later. So the snapshot has the thread, which is older. But a thread whose leader was alive
 * in the snapshot, and exits after it, is missing in the snapshot.
 */
static void test_exec_before_first_snapshot(void **state)
{
	(void)state;
	for (unsigned int leader = 0; leader < 2; leader++) {
		const struct lt_task_inst *t;
		struct proof p;

		begin(&p, NULL);
		if (leader)
			ev(p.tb, EXIT, 29, .tid = 100, .tgid = 100, .start = 4, INIT,
			   .comm = T("sh"), .oom_score_adj = 200);
		ev(p.tb, RELEASE, 30, .tid = 101, .start = 4);
		ev(p.tb, EXEC, 31, .tid = 100, .start = 4, .old_tid = 101, .old_start = 6,
		   .file = T("/x"));
		final_begin(p.tb, 500);
		final_end(p.tb, 510);
		finish(&p, 1000);
		assert_int_equal(lt_task_proofs_good(&p.v), !leader);
		assert_int_equal(p.v.n_notes, leader);
		t = inst_of(p.tb, 101, 6);
		assert_int_equal(t->ending, LT_TASK_END_BECAME_LEADER);
		assert_int_equal(t->end, 31);
		assert_int_equal(t->death_is, LT_EXACT);
		assert_int_equal(t->birth_is, leader ? LT_UNCERTAIN : LT_BEFORE);
		assert_ptr_equal(lt_tasks_get(p.tb, t->leader), inst_of(p.tb, 100, 4));
		end(&p);
	}
}

/* The thread's number may have a new holder before the event exec. */
static void test_exec_before_first_snapshot_number_taken(void **state)
{
	struct proof p;

	(void)state;
	begin(&p, NULL);
	born(p.tb, 30, 101, 100, 4);
	ev(p.tb, EXEC, 31, .tid = 100, .start = 4, .old_tid = 101, .old_start = 6,
	   .file = T("/x"));
	final_begin(p.tb, 500);
	final_state(p.tb, 501, 101, 30);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_true(lt_task_proofs_good(&p.v));
	assert_int_equal(p.v.n_notes, 0);
	assert_int_equal(inst_of(p.tb, 101, 6)->ending, LT_TASK_END_BECAME_LEADER);
	assert_false(lt_task_ended(inst_of(p.tb, 101, 30)));
	end(&p);
}

/*
 * The trace ends in an exec, before its event: the leader exited before the final snapshot,
 * or while it was taken. A thread that is missing for another reason is named.
 */
static void test_exec_at_the_end(void **state)
{
	(void)state;
	for (unsigned int leader = 0; leader < 3; leader++) {
		struct proof p;

		begin_group(&p);
		if (leader == 2)
			final_begin(p.tb, 500);
		if (leader)
			leader_exits(&p, leader == 2 ? 500 : 140, 200, 100);
		if (leader != 2)
			final_begin(p.tb, 500);
		final_state(p.tb, 501, 200, 100);
		final_end(p.tb, 510);
		finish(&p, 1000);
		assert_int_equal(lt_task_proofs_good(&p.v), leader > 0);
		assert_int_equal(p.v.n_notes, !leader);
		end(&p);
	}
}

/* The event exec is in the file, but behind the end of the trace: nothing is missing. */
static void test_exec_behind_the_end(void **state)
{
	struct proof p;

	(void)state;
	begin_group(&p);
	leader_exits(&p, 140, 200, 100);
	final_begin(p.tb, 500);
	final_state(p.tb, 501, 200, 100);
	final_end(p.tb, 510);
	ev(p.tb, EXEC, 600, .tid = 200, .start = 100, .old_tid = 201, .old_start = 130,
	   .file = T("/x"));
	finish(&p, 550);
	assert_true(lt_task_proofs_good(&p.v));
	assert_int_equal(p.v.n_notes, 0);
	assert_false(lt_task_ended(inst_of(p.tb, 201, 130)));
	end(&p);
}

/*
 * The first snapshot met the leader dead, and the trace ends in the exec: the thread has a new
 * name, the old leader is released under the thread's number. Only one thread can take its
 * place: a second one that is missing is named.
 */
static void test_exec_of_zombie_at_the_end(void **state)
{
	(void)state;
	for (unsigned int missing = 0; missing < 2; missing++) {
		struct proof p = { 0 };

		begin_bare(&p, NULL);
		ev(p.tb, SNAP_BEGIN, 10, .epoch = 1);
		ev(p.tb, STATE, 11, .epoch = 1, .tid = 1, .tgid = 1, .start = 1);
		ev(p.tb, STATE, 12, .epoch = 1, .tid = 200, .tgid = 200, .start = 2, .flags = 8);
		for (uint32_t tid = 201; tid <= 201 + missing; tid++)
			ev(p.tb, STATE, 13, .epoch = 1, .tid = tid, .tgid = 200, .start = tid);
		ev(p.tb, SNAP_END, 20, .epoch = 1, .complete = 1);
		ev(p.tb, RENAME, 30, .tid = 200, .start = 2, .old_comm = T("a"), .comm = T("b"));
		ev(p.tb, RELEASE, 31, .tid = 201, .start = 2);
		ev(p.tb, SNAP_BEGIN, 500, .epoch = 9, .purpose = 2);
		final_state(p.tb, 501, 1, 1);
		final_state(p.tb, 501, 200, 2);
		final_end(p.tb, 510);
		finish(&p, 1000);
		assert_int_equal(lt_task_proofs_good(&p.v), !missing);
		assert_int_equal(p.v.n_notes, missing);
		/* The leader's place, and the thread itself. */
		assert_int_equal(p.v.initial, 3 + missing);
		assert_int_equal(p.v.snapshot, 2);
		says(&p, POPULATION, "final 2, 1 becoming leader");
		end(&p);
	}
}

/* Exec fails after the exchange, and kills the process: the thread is named as missing. */
static void test_failed_exec_of_zombie(void **state)
{
	struct proof p = { 0 };

	(void)state;
	begin_bare(&p, NULL);
	ev(p.tb, SNAP_BEGIN, 10, .epoch = 1);
	ev(p.tb, STATE, 12, .epoch = 1, .tid = 200, .tgid = 200, .start = 2, .flags = 8);
	ev(p.tb, STATE, 13, .epoch = 1, .tid = 201, .tgid = 200, .start = 3);
	ev(p.tb, SNAP_END, 20, .epoch = 1, .complete = 1);
	ev(p.tb, RENAME, 30, .tid = 200, .start = 2, .old_comm = T("a"), .comm = T("b"));
	ev(p.tb, EXIT, 40, .tid = 200, .tgid = 200, .start = 2, .group_dead = 1, .code = 9);
	ev(p.tb, SNAP_BEGIN, 500, .epoch = 9, .purpose = 2);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 1);
	assert_true(has_note(&p, "task 201"));
	end(&p);
}

/* The final snapshot meets the old leader, dead, before the exec. */
static void test_exec_in_final_snapshot(void **state)
{
	struct proof p;

	(void)state;
	begin_group(&p);
	leader_exits(&p, 140, 200, 100);
	final_begin(p.tb, 500);
	ev(p.tb, STATE, 501, .epoch = 9, .tid = 200, .tgid = 200, .start = 100, .flags = 8);
	ev(p.tb, STATE, 501, .epoch = 9, .tid = 201, .tgid = 200, .start = 130);
	ev(p.tb, EXEC, 502, .tid = 200, .start = 100, .old_tid = 201, .old_start = 130,
	   .file = T("/x"));
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_true(lt_task_proofs_good(&p.v));
	assert_int_equal(p.v.n_notes, 0);
	end(&p);
}

/* A change of a group's oom_score_adj does not revive its dead leader. */
static void test_oom_of_dead_leader(void **state)
{
	struct proof p;

	(void)state;
	begin_group(&p);
	demand_begin(&p);
	ev(p.tb, STATE, 203, .epoch = 2, .tid = 200, .tgid = 200, .start = 100, .flags = 8);
	ev(p.tb, STATE, 203, .epoch = 2, .tid = 201, .tgid = 200, .start = 130);
	ev(p.tb, SNAP_END, 210, .epoch = 2, .complete = 1);
	final_begin(p.tb, 500);
	ev(p.tb, STATE, 501, .epoch = 9, .tid = 200, .tgid = 200, .start = 100, .flags = 8);
	ev(p.tb, STATE, 501, .epoch = 9, .tid = 201, .tgid = 200, .start = 130);
	ev(p.tb, OOM, 502, .tgid = 200, .start = 100, .old = 1, .oom_score_adj = 2);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_int_equal(p.v.n_notes, 0);
	assert_true(lt_task_proofs_good(&p.v));
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exec_during_snapshot),
		cmocka_unit_test(test_exec_before_first_snapshot),
		cmocka_unit_test(test_exec_before_first_snapshot_number_taken),
		cmocka_unit_test(test_exec_at_the_end),
		cmocka_unit_test(test_exec_behind_the_end),
		cmocka_unit_test(test_exec_of_zombie_at_the_end),
		cmocka_unit_test(test_failed_exec_of_zombie),
		cmocka_unit_test(test_exec_in_final_snapshot),
		cmocka_unit_test(test_oom_of_dead_leader),
	};

	return cmocka_run_group_tests_name("task_check_exec", tests, NULL, NULL);
}
