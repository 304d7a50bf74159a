// SPDX-License-Identifier: GPL-2.0
/*
 * The proof of the population: it holds where it must, and names each task that
 * contradicts.
 */
#include "taskproof.h"

/* Births, deaths, a reuse, a thread that becomes leader: all proofs hold. */
static void live(struct lt_tasks *tb)
{
	born(tb, 100, 200, 100, 4);
	died(tb, 110, 200, 100);
	born(tb, 120, 200, 100, 4);
	ev(tb, NUMBER_REUSED, 120, .ns = 1, .nr = 200, .holders = 2, .old_tid = 200,
	   .old_start = 100, .tid = 200, .start = 120, .generation = 7);
	thread_born(tb, 130, 201, 200, 120);
	ev(tb, EXIT, 140, .tid = 200, .tgid = 200, .start = 120, INIT, .comm = T("sh"),
	   .oom_score_adj = 200);
	ev(tb, EXEC, 141, .tid = 200, .start = 120, .old_tid = 201, .old_start = 130,
	   .file = T("/x"));
	born(tb, 150, 300, 100, 4);
	died(tb, 160, 300, 150);
	born(tb, 170, 301, 100, 4);
}

static void test_good(void **state)
{
	struct proof p;

	(void)state;
	begin(&p, NULL);
	live(p.tb);
	ev(p.tb, WRAP, 180, .ns = 1, .generation = 8, .why = 1);
	final_begin(p.tb, 500);
	final_state(p.tb, 502, 200, 120);
	final_state(p.tb, 503, 301, 170);
	born(p.tb, 505, 302, 100, 4);
	final_end(p.tb, 510);
	ev(p.tb, PID_NS, 511, .ns = 1, .exact = 1, .generation = 8, .wraps = 1, .allocated = 10,
	   .born = 6, .burned = 3);
	finish(&p, 1000);
	assert_true(lt_task_proofs_good(&p.v));
	assert_int_equal(p.v.n_notes, 0);
	assert_int_equal(p.v.initial, 4);
	assert_int_equal(p.v.births, 6);
	assert_int_equal(p.v.deaths, 3);
	assert_int_equal(p.v.became_leaders, 1);
	assert_int_equal(p.v.alive, 7);
	assert_int_equal(p.v.snapshot, 6);
	assert_int_equal(p.v.meanwhile, 1);
	says(&p, POPULATION, "initial 4 + births 6 - deaths 3 (1 threads became leaders) = 7; "
	     "final 6 + 1 born meanwhile");
	says(&p, REUSE, "1 numbers given again, 1 reported");
	says(&p, GENERATIONS, "1 began in 1 namespaces");
	says(&p, NUMBERS, "allocated 10 = born 6 + burned 3 + in flight 1");
	for (unsigned int i = 0; i < LT_N_TASK_CHECKS; i++)
		assert_false(p.v.checks[i].absent);
	end(&p);
}

/* A task that is alive and not in the final snapshot. */
static void test_missing(void **state)
{
	struct proof p;

	(void)state;
	begin(&p, NULL);
	live(p.tb);
	final_begin(p.tb, 500);
	final_state(p.tb, 502, 200, 120);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_false(lt_task_proofs_good(&p.v));
	assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 1);
	assert_int_equal(p.v.n_notes, 1);
	assert_true(has_note(&p, "task 301 (started 170 ns after boot, 'sh') is not in snapshot "
			     "9"));
	says(&p, POPULATION, "= 6; final 5; 1 do not fit");
	end(&p);
}

/* A task of the final snapshot has no earlier record. */
static void test_unborn(void **state)
{
	struct proof p;

	(void)state;
	begin(&p, NULL);
	live(p.tb);
	final_begin(p.tb, 500);
	final_state(p.tb, 502, 200, 120);
	final_state(p.tb, 503, 301, 170);
	final_state(p.tb, 504, 777, 400);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 1);
	assert_true(has_note(&p, "task 777 (started 400 ns after boot, '') is in no snapshot "
			     "before"));
	end(&p);
}

/* A task without a birth exits before a snapshot can meet it. */
static void test_unborn_and_gone(void **state)
{
	struct proof p;

	(void)state;
	begin(&p, NULL);
	live(p.tb);
	died(p.tb, 300, 778, 290);
	final_begin(p.tb, 500);
	final_state(p.tb, 502, 200, 120);
	final_state(p.tb, 503, 301, 170);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 1);
	assert_true(has_note(&p, "task 778"));
	/* The sum contains neither its birth nor its death. */
	assert_int_equal(p.v.initial + p.v.births - p.v.deaths, p.v.alive);
	end(&p);
}

/* A task is alive in a snapshot after its exit. */
static void test_after_end(void **state)
{
	struct proof p;

	(void)state;
	begin(&p, NULL);
	live(p.tb);
	final_begin(p.tb, 500);
	final_state(p.tb, 502, 200, 120);
	final_state(p.tb, 503, 301, 170);
	final_state(p.tb, 504, 300, 150);
	/* This task exits while the snapshot is taken. */
	died(p.tb, 505, 301, 170);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 1);
	assert_true(has_note(&p, "task 300"));
	end(&p);
}

/* A zombie in a snapshot is no contradiction: it is exiting. */
static void test_exiting(void **state)
{
	struct proof p;

	(void)state;
	begin(&p, NULL);
	live(p.tb);
	final_begin(p.tb, 500);
	final_state(p.tb, 502, 200, 120);
	final_state(p.tb, 503, 301, 170);
	ev(p.tb, STATE, 504, .epoch = 9, .tid = 300, .tgid = 300, .start = 150, .flags = 8);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_true(lt_task_proofs_good(&p.v));
	assert_int_equal(p.v.snapshot, 6);
	end(&p);
}

/* Events while the first snapshot is taken belong to it. */
static void test_during_initial(void **state)
{
	struct proof p = { 0 };

	(void)state;
	begin_bare(&p, NULL);
	/* A leader exits, since its thread executes a program; the exec comes later. */
	ev(p.tb, EXIT, 8, .tid = 50, .tgid = 50, .start = 2, .comm = T("x"));
	ev(p.tb, SNAP_BEGIN, 10, .epoch = 1);
	ev(p.tb, STATE, 11, .epoch = 1, .tid = 1, .tgid = 1, .start = 1);
	ev(p.tb, STATE, 12, .epoch = 1, .tid = 51, .tgid = 50, .start = 3);
	/* The snapshot has not come to this task. */
	died(p.tb, 13, 60, 2);
	ev(p.tb, SNAP_END, 20, .epoch = 1, .complete = 1);
	ev(p.tb, EXEC, 30, .tid = 50, .start = 2, .old_tid = 51, .old_start = 3, .file = T("/x"));
	ev(p.tb, SNAP_BEGIN, 100, .epoch = 2, .purpose = 2);
	ev(p.tb, STATE, 101, .epoch = 2, .tid = 1, .tgid = 1, .start = 1);
	ev(p.tb, STATE, 102, .epoch = 2, .tid = 50, .tgid = 50, .start = 2);
	ev(p.tb, SNAP_END, 110, .epoch = 2, .complete = 1);
	/* After the snapshot. */
	ev(p.tb, STATE, 120, .epoch = 2, .tid = 60, .tgid = 60, .start = 2);
	finish(&p, 1000);
	assert_true(lt_task_proofs_good(&p.v));
	assert_int_equal(p.v.initial, 3);
	assert_int_equal(p.v.deaths, 1);
	assert_int_equal(p.v.alive, 2);
	end(&p);
}

/* A lost event explains one contradiction, and no more. */
static void test_losses(void **state)
{
	struct lt_task_gap births = {
		.begin = 200, .end = 300, .what = LT_LOST_BIRTHS, .births = 2,
	};
	struct lt_task_gap ends = { .begin = 200, .end = 300, .what = LT_LOST_ENDS, .ends = 1 };
	struct proof p;

	(void)state;
	begin(&p, NULL);
	live(p.tb);
	lt_tasks_gap(p.tb, &births);
	lt_tasks_gap(p.tb, &ends);
	final_begin(p.tb, 500);
	final_state(p.tb, 503, 777, 250);
	final_state(p.tb, 503, 778, 260);
	final_state(p.tb, 503, 779, 270);
	final_end(p.tb, 510);
	finish(&p, 1000);
	/* 200 and 301 are gone, 777 to 779 unborn. */
	assert_int_equal(p.v.excused[LT_TASK_CHECK_POPULATION], 3);
	assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 2);
	says(&p, POPULATION, "2 do not fit; 3 uncertain, for events were lost (2 births, 1 ends)");
	end(&p);

	/* A gap at another time explains nothing. */
	begin(&p, NULL);
	births.begin = 600;
	births.end = 700;
	lt_tasks_gap(p.tb, &births);
	final_begin(p.tb, 500);
	final_state(p.tb, 503, 777, 250);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 1);
	end(&p);

	/* With missing packets the number of lost events is unknown. */
	begin(&p, NULL);
	births = (struct lt_task_gap){ .begin = 200, .end = 300, .what = LT_N_LOSSES - 1,
				       .unknown = true };
	lt_tasks_gap(p.tb, &births);
	final_begin(p.tb, 500);
	for (uint32_t tid = 700; tid < 800; tid++)
		final_state(p.tb, 503, tid, 250);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 0);
	assert_int_equal(p.v.excused[LT_TASK_CHECK_POPULATION], 100);
	says(&p, POPULATION, "100 uncertain, for events were lost (not known how many)");
	end(&p);
}

/* A fork that had not reached its tracepoint when recording ended. */
static void test_in_flight(void **state)
{
	struct lt_tasks_config config = { .begin = 1, .begin_boot = 1 };
	const uint64_t s = 1000000000;
	struct proof p;

	(void)state;
	begin(&p, &config);
	final_begin(p.tb, 2 * s);
	final_state(p.tb, 2 * s + 2, 777, 2 * s - 1000);
	final_state(p.tb, 2 * s + 2, 778, s);
	final_end(p.tb, 2 * s + 10);
	finish(&p, 2 * s + 100);
	assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 1);
	assert_true(has_note(&p, "task 778"));
	says(&p, POPULATION, "1 being born");
	end(&p);
}

/*
 * The machine slept for an hour, which starts include and the trace's clock does not: a task
 * that was started half an hour ago, without a birth, is not in the middle of its fork.
 */
static void test_in_flight_behind_sleep(void **state)
{
	struct lt_tasks_config config = { .begin = 1, .begin_boot = 1 };
	const uint64_t min = 60000000000;
	struct proof p;

	(void)state;
	begin(&p, &config);
	final_begin(p.tb, 30 * min);
	final_state(p.tb, 30 * min + 2, 300, 61 * min);
	final_end(p.tb, 30 * min + 10);
	finish(&p, 31 * min);
	assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 1);
	assert_true(has_note(&p, "task 300"));
	end(&p);
}

/* A slow fork is in flight, too, if the last count has a number for it. */
static void test_in_flight_for_long(void **state)
{
	struct lt_tasks_config config = { .begin = 1, .begin_boot = 1 };
	const uint64_t s = 1000000000;

	(void)state;
	for (unsigned int given = 0; given < 3; given++) {
		struct proof p;

		begin(&p, &config);
		final_begin(p.tb, 2 * s);
		final_state(p.tb, 2 * s + 2, 777, s);
		final_state(p.tb, 2 * s + 2, 778, s);
		final_end(p.tb, 2 * s + 10);
		ev(p.tb, PID_NS, 2 * s + 11, .ns = 1, .exact = 1, .generation = 7,
		   .allocated = 10 + given, .born = 8, .burned = 2);
		finish(&p, 2 * s + 100);
		assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 2 - given);
		end(&p);
	}
}

/* After the final snapshot, while probes are detached, nothing can be proven. */
static void test_behind_final(void **state)
{
	struct proof p;

	(void)state;
	begin(&p, NULL);
	final_begin(p.tb, 500);
	final_end(p.tb, 510);
	ev(p.tb, RENAME, 520, .tid = 888, .start = 515, .old_comm = T("a"), .comm = T("b"));
	died(p.tb, 530, 888, 515);
	finish(&p, 1000);
	assert_true(lt_task_proofs_good(&p.v));
	end(&p);

	/* After a requested snapshot the probes stay attached. */
	begin(&p, NULL);
	ev(p.tb, SNAP_BEGIN, 500, .epoch = 9, .purpose = 1);
	final_state(p.tb, 501, 1, 1);
	final_state(p.tb, 501, 2, 2);
	final_state(p.tb, 501, 3, 3);
	final_state(p.tb, 501, 100, 4);
	final_end(p.tb, 510);
	died(p.tb, 530, 888, 515);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 1);
	end(&p);
}

/* The first 40 contradictions have notes, the others are counted. */
static void test_many(void **state)
{
	struct proof p;

	(void)state;
	begin(&p, NULL);
	final_begin(p.tb, 500);
	for (uint32_t tid = 700; tid < 800; tid++)
		final_state(p.tb, 503, tid, 250);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 100);
	assert_int_equal(p.v.n_notes, LT_TASK_NOTES);
	assert_int_equal(p.v.more_notes, 60);
	end(&p);
}

static void check_absent(struct lt_tasks *tb, struct lt_task_checker *c,
			 const char *unwatched, const char *words)
{
	struct proof p = { .tb = tb, .c = c };

	lt_tasks_finish(tb, 1000);
	lt_task_checker_finish(c, unwatched, &p.v);
	assert_true(p.v.checks[LT_TASK_CHECK_POPULATION].absent);
	assert_true(lt_task_proofs_good(&p.v));
	says(&p, POPULATION, words);
	end(&p);
}

/* A proof that cannot be made gives the reason, and does not fail. */
static void test_absent(void **state)
{
	struct lt_task_checker *c;
	struct lt_tasks *tb;
	struct proof p;

	(void)state;
	tb = lt_tasks_new(NULL);
	c = lt_task_checker_new(tb);
	born(tb, 100, 200, 100, 4);
	p = (struct proof){ .tb = tb, .c = c };
	finish(&p, 1000);
	for (unsigned int i = 0; i < LT_N_TASK_CHECKS; i++)
		assert_int_equal(p.v.checks[i].absent, i != LT_TASK_CHECK_REUSE);
	says(&p, POPULATION, "there is no snapshot");
	end(&p);

	begin(&p, NULL);
	live(p.tb);
	check_absent(p.tb, p.c, NULL, "no second complete snapshot");

	begin(&p, NULL);
	final_begin(p.tb, 500);
	ev(p.tb, SNAP_END, 510, .epoch = 9, .complete = 0);
	check_absent(p.tb, p.c, NULL, "no second complete snapshot");

	tb = lt_tasks_new(NULL);
	c = lt_task_checker_new(tb);
	ev(tb, SNAP_BEGIN, 10, .epoch = 1);
	check_absent(tb, c, NULL, "there is no complete snapshot");

	begin(&p, NULL);
	final_begin(p.tb, 500);
	final_state(p.tb, 503, 777, 250);
	final_end(p.tb, 510);
	check_absent(p.tb, p.c, "the event exit was not watched", "was not watched");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_unborn),
		cmocka_unit_test(test_unborn_and_gone),
		cmocka_unit_test(test_after_end),
		cmocka_unit_test(test_exiting),
		cmocka_unit_test(test_during_initial),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_in_flight),
		cmocka_unit_test(test_in_flight_behind_sleep),
		cmocka_unit_test(test_in_flight_for_long),
		cmocka_unit_test(test_behind_final),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_absent),
	};

	return cmocka_run_group_tests_name("task_check", tests, NULL, NULL);
}
