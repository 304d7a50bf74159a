// SPDX-License-Identifier: GPL-2.0
/*
 * Proofs about numbers: none is given while its holder lives, generations grow one by one,
 * and each number that was given is accounted for.
 */
#include "taskproof.h"

/* A number is given while its holder lives. */
static void test_held(void **state)
{
	struct lt_task_gap ends = { .begin = 101, .end = 105, .what = LT_LOST_ENDS, .ends = 1 };
	struct proof p;

	(void)state;
	begin(&p, NULL);
	born(p.tb, 100, 200, 100, 4);
	born(p.tb, 110, 200, 100, 4);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_REUSE), 1);
	assert_true(has_note(&p, "task 200 (started 110 ns after boot, 'sh') got a number while "
			     "task 200 (started 100"));
	end(&p);

	/* The exit of the holder was lost. */
	begin(&p, NULL);
	born(p.tb, 100, 200, 100, 4);
	lt_tasks_gap(p.tb, &ends);
	born(p.tb, 110, 200, 100, 4);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_REUSE), 0);
	assert_int_equal(p.v.excused[LT_TASK_CHECK_REUSE], 1);
	says(&p, REUSE, "a holder was alive: 0; 1 uncertain, for events were lost (0 births, "
	     "1 ends)");
	end(&p);

	/* In an inner namespace. */
	begin(&p, NULL);
	born(p.tb, 100, 200, 100, 4);
	born(p.tb, 110, 300, 100, 4);
	ev(p.tb, NUMBER_REUSED, 110, .ns = 2, .nr = 5, .old_tid = 200, .old_start = 100,
	   .tid = 300, .start = 110);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_REUSE), 1);
	end(&p);

	/* The number of a thread that is becoming the leader is free. */
	begin(&p, NULL);
	born(p.tb, 100, 200, 100, 4);
	thread_born(p.tb, 105, 201, 200, 100);
	ev(p.tb, EXIT, 108, .tid = 200, .tgid = 200, .start = 100, INIT, .comm = T("sh"));
	born(p.tb, 110, 201, 100, 4);
	ev(p.tb, EXEC, 111, .tid = 200, .start = 100, .old_tid = 201, .old_start = 105,
	   .file = T("/x"));
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_REUSE), 0);
	end(&p);
}

static void test_wrong_holder(void **state)
{
	struct proof p;

	(void)state;
	begin(&p, NULL);
	born(p.tb, 100, 200, 100, 4);
	died(p.tb, 105, 200, 100);
	born(p.tb, 110, 200, 100, 4);
	ev(p.tb, NUMBER_REUSED, 110, .ns = 1, .nr = 200, .old_tid = 200, .old_start = 99,
	   .tid = 200, .start = 110);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_REUSE), 1);
	assert_true(has_note(&p, "number_reused does not name task 200 (started 100"));
	end(&p);
}

static void test_generations(void **state)
{
	struct lt_task_gap gap = { .begin = 101, .end = 105, .what = LT_LOST_NUMBERS };
	struct proof p;

	(void)state;
	begin(&p, NULL);
	ev(p.tb, WRAP, 100, .ns = 1, .generation = 8, .why = 1);
	ev(p.tb, WRAP, 110, .ns = 1, .generation = 10, .why = 1);	/* 9 is missing */
	ev(p.tb, WRAP, 120, .ns = 1, .generation = 10, .why = 1);	/* not raised */
	ev(p.tb, PID_NS, 130, .ns = 1, .exact = 1, .generation = 9);	/* back */
	ev(p.tb, PID_NS, 140, .ns = 2, .level = 1, .generation = 5);
	ev(p.tb, WRAP, 150, .ns = 2, .generation = 6, .why = 2);	/* fine */
	ev(p.tb, PID_NS_GONE, 160, .ns = 2, .generation = 6);
	/* A birth in a generation that has not begun. */
	ev(p.tb, TASK_NEW, 170, .tid = 500, .tgid = 500, .start = 170, .generation = 11);
	ev(p.tb, TASK_NEW, 171, .tid = 501, .tgid = 501, .start = 171, .generation = 3);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_GENERATIONS), 4);
	assert_true(has_note(&p, "pid namespace 1: generation 10 where 9 was expected"));
	assert_true(has_note(&p, "pid namespace 1: generation 10 where 11 was expected"));
	assert_true(has_note(&p, "pid namespace 1: generation 9 where 10 was expected"));
	assert_true(has_note(&p, "task 500"));
	says(&p, GENERATIONS, "4 began in 2 namespaces; 4 do not fit");
	end(&p);

	begin(&p, NULL);
	ev(p.tb, WRAP, 100, .ns = 1, .generation = 8, .why = 1);
	lt_tasks_gap(p.tb, &gap);
	ev(p.tb, WRAP, 110, .ns = 1, .generation = 10, .why = 1);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_GENERATIONS), 0);
	assert_int_equal(p.v.excused[LT_TASK_CHECK_GENERATIONS], 1);
	end(&p);
}

static void test_numbers(void **state)
{
	struct proof p;

	(void)state;
	begin(&p, NULL);
	ev(p.tb, PID_NS, 100, .ns = 1, .exact = 1, .generation = 7, .allocated = 10, .born = 0,
	   .burned = 11);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_NUMBERS), 1);
	assert_true(has_note(&p, "11 numbers born and burned, of 10 given"));
	end(&p);

	begin(&p, NULL);
	ev(p.tb, PID_NS, 100, .ns = 1, .exact = 1, .generation = 7, .allocated = 10);
	ev(p.tb, PID_NS, 110, .ns = 1, .exact = 1, .generation = 7, .allocated = 9);
	ev(p.tb, PID_NS, 120, .ns = 1, .exact = 1, .generation = 7, .allocated = 9,
	   .born = UINT64_MAX, .burned = 2);
	finish(&p, 1000);
	assert_true(has_note(&p, "its counts are lower than before"));
	assert_true(failures(&p, LT_TASK_CHECK_NUMBERS) >= 2);
	end(&p);

	/* Where only the cursor is sampled, there are no counts. */
	begin(&p, NULL);
	ev(p.tb, PID_NS, 110, .ns = 1, .exact = 0, .generation = 7);
	finish(&p, 1000);
	assert_true(p.v.checks[LT_TASK_CHECK_NUMBERS].absent);
	end(&p);
}

/* Numbers were given to more tasks than were born. */
static void test_births_missing(void **state)
{
	struct proof p;

	(void)state;
	begin(&p, NULL);
	born(p.tb, 100, 200, 100, 4);
	ev(p.tb, PID_NS, 110, .ns = 1, .exact = 1, .generation = 7, .allocated = 9, .born = 3);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_NUMBERS), 1);
	says(&p, NUMBERS, "2 births are not in the trace");
	end(&p);

	/* A lost birth explains it. */
	begin(&p, NULL);
	born(p.tb, 100, 200, 100, 4);
	lt_tasks_gap(p.tb, &(struct lt_task_gap){
		.begin = 101, .end = 102, .what = LT_LOST_BIRTHS, .births = 2 });
	ev(p.tb, PID_NS, 110, .ns = 1, .exact = 1, .generation = 7, .allocated = 9, .born = 3);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_NUMBERS), 0);
	says(&p, NUMBERS, "2 uncertain, for events were lost (2 births, 0 ends)");
	end(&p);
}

/* Tasks that the first snapshot met need no birth; births before it do not count. */
static void test_births_since_snapshot(void **state)
{
	(void)state;
	for (uint64_t missing = 0; missing < 2; missing++) {
		struct lt_tasks *tb = lt_tasks_new(NULL);
		struct proof p = { .tb = tb, .c = lt_task_checker_new(tb) };

		ev(tb, PID_NS, 3, .ns = 1, .exact = 1, .generation = 7);
		born(tb, 8, 90, 1, 1);
		ev(tb, SNAP_BEGIN, 10, .epoch = 1);
		ev(tb, STATE, 11, .epoch = 1, .tid = 100, .tgid = 100, .start = 4);
		ev(tb, PID_NS, 15, .ns = 1, .exact = 1, .generation = 7, .allocated = 5, .born = 5);
		ev(tb, SNAP_END, 20, .epoch = 1, .complete = 1);
		born(tb, 100, 200, 100, 4);
		/* A task whose task_new comes after its record in the final snapshot. */
		final_begin(tb, 500);
		final_state(tb, 501, 200, 100);
		final_state(tb, 502, 300, 503);
		ev(tb, PID_NS, 508, .ns = 1, .exact = 1, .generation = 7, .allocated = 8,
		   .born = 7 + missing);
		final_end(tb, 510);
		ev(tb, TASK_NEW, 520, .tid = 300, .tgid = 300, .start = 503, .creator = 100,
		   .creator_start = 4, .generation = 7, .comm = T("x"));
		finish(&p, 1000);
		assert_int_equal(failures(&p, LT_TASK_CHECK_NUMBERS), missing);
		end(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_wrong_holder),
		cmocka_unit_test(test_generations),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_births_missing),
		cmocka_unit_test(test_births_since_snapshot),
	};

	return cmocka_run_group_tests_name("task_numbers", tests, NULL, NULL);
}
