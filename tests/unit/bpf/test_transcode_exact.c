// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers of tasks, where records say besides when each is given and when it is taken back.
 */
#include "transcodetest.h"

static void given_on(struct session *s, uint32_t cpu, uint64_t time, unsigned int kind,
		     uint16_t level, uint32_t nr)
{
	GIVE(PID(s, cpu), lt_raw_given, .time = time, .kind = (uint8_t)kind, .level = level, .nr = nr,
	     .ns = level ? 4026532000U : INITIAL, .parent_ns = level ? INITIAL : 0,
	     .cursor = nr + 1, .boot = time);
}

static void given(struct session *s, uint64_t time, unsigned int kind, uint16_t level, uint32_t nr)
{
	given_on(s, 0, time, kind, level, nr);
}

static struct lt_record check_wrap(struct session *s, unsigned int why, uint64_t generation)
{
	struct lt_record got = next(s, "wrap");

	CHECK(s, got, "why", why);
	CHECK(s, got, "generation", generation);
	return got;
}

/* A number that is given twice ends a generation; one that no task gets is burned. */
static void test_exact(void **state)
{
	struct session *s = *state;
	struct lt_record got;

	lt_transcode_exact(s->tc);
	given(s, 1000, LT_RAW_GIVEN, 0, 500);
	birth(s, 0, 1001, 500, 501);
	given(s, 1002, LT_RAW_GIVEN, 0, 501);
	given(s, 1003, LT_RAW_FREED, 0, 501);
	died(s, 1004, 500, 996);
	given(s, 1005, LT_RAW_FREED, 0, 500);
	given(s, 1006, LT_RAW_GIVEN, 0, 500);
	birth(s, 0, 1007, 500, 501);
	birth(s, 0, 1008, 500, 501);	/* that it was given is lost, and so is an exit */
	given(s, 1009, LT_RAW_GIVEN, 0, 301);
	given(s, 1010, LT_RAW_GIVEN, 1, 1);
	given(s, 1011, LT_RAW_FREED, 1, 1);
	given(s, 1012, LT_RAW_GIVEN, 1, 1);
	lt_transcode_last(s->tc, 2000);
	got = next(s, "pid_ns");
	CHECK(s, got, "exact", 1);
	next(s, "task_new");
	next(s, "exit");
	got = check_wrap(s, LT_WRAP_AGAIN, 2);
	CHECK(s, got, "allocated", 3);
	CHECK(s, got, "burned", 1);
	got = next(s, "task_new");
	CHECK(s, got, "generation", 2);
	check_reused(s, 500, 2, 996, 1011, 1002);
	check_wrap(s, LT_WRAP_AGAIN, 3);
	next(s, "task_new");
	check_reused(s, 500, 3, 1002, 0, 1003);
	next(s, "pid_ns");
	got = next(s, "pid_ns_gone");
	CHECK(s, got, "burned", 1);
	got = next(s, "pid_ns");
	CHECK(s, got, "ns", 3);
	et_assert_conserved(&s->t);
}

/* Ends the namespace of level 1, so that a record has its counts. */
static void check_counts(struct session *s, uint64_t generation, uint64_t allocated,
			 uint64_t burned)
{
	struct lt_record got = next(s, "pid_ns_gone");

	CHECK(s, got, "generation", generation);
	CHECK(s, got, "allocated", allocated);
	CHECK(s, got, "burned", burned);
	CHECK(s, got, "wraps", 0);
}

static void birth_inside(struct session *s, uint32_t cpu, uint64_t time, uint32_t nr)
{
	GIVE(PID(s, cpu), lt_raw_number, .time = time, .kind = LT_RAW_NUMBER, .level = 1,
	     .nr = nr, .task = { 700 + nr, 700 + nr, time - 5 }, .ns = 4026532000U,
	     .parent_ns = INITIAL, .cursor = nr + 1);
}

/* A ring that was held up: a task's birth, or its end, is read before its number is given. */
static void test_exact_late(void **state)
{
	struct session *s = *state;

	lt_transcode_exact(s->tc);
	given(s, 1000, LT_RAW_GIVEN, 1, 1);
	birth_inside(s, 0, 1001, 1);
	birth_inside(s, 1, 1011, 2);
	given_on(s, 0, 1010, LT_RAW_GIVEN, 1, 2);
	given_on(s, 1, 1023, LT_RAW_FREED, 1, 3);
	given_on(s, 0, 1020, LT_RAW_GIVEN, 1, 3);
	birth_inside(s, 0, 1021, 3);
	given(s, 1030, LT_RAW_FREED, 1, 2);
	given(s, 1031, LT_RAW_GIVEN, 1, 4);
	given(s, 1032, LT_RAW_FREED, 1, 4);
	given(s, 1040, LT_RAW_FREED, 1, 1);
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	for (unsigned int i = 0; i < 2; i++)
		next(s, "task_number");
	check_counts(s, 1, 4, 1);
	next(s, "task_number");
}

/* The end of a short life comes first: the number is given once, and its next holder knows when. */
static void test_exact_end_first(void **state)
{
	struct session *s = *state;
	struct lt_record got;

	lt_transcode_exact(s->tc);
	birth(s, 0, 990, 400, 401);
	died(s, 1003, 500, 996);
	given_on(s, 0, 1004, LT_RAW_FREED, 0, 500);
	given_on(s, 0, 1000, LT_RAW_GIVEN, 0, 500);
	birth(s, 0, 1001, 500, 501);
	given_on(s, 0, 1010, LT_RAW_GIVEN, 0, 500);
	birth(s, 0, 1011, 500, 501);
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	next(s, "task_new");
	next(s, "exit");
	got = next(s, "task_new");
	CHECK(s, got, "generation", 1);
	got = check_wrap(s, LT_WRAP_AGAIN, 2);
	CHECK(s, got, "allocated", 3);
	next(s, "task_new");
	check_reused(s, 500, 2, 996, 1010, 1006);
}

/*
 * A program reads the cursor behind its clock: on two CPUs the one before the wrap may come later.
 */
static void test_exact_late_cursor(void **state)
{
	struct session *s = *state;
	struct lt_record got;

	lt_transcode_exact(s->tc);
	given_on(s, 0, 900, LT_RAW_GIVEN, 0, 32766);
	given_on(s, 0, 1000, LT_RAW_GIVEN, 0, 301);
	given_on(s, 1, 1001, LT_RAW_GIVEN, 0, 32767);
	given_on(s, 1, 1002, LT_RAW_GIVEN, 0, 302);
	birth(s, 1, 1003, 302, 303);
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	got = check_wrap(s, LT_WRAP_CURSOR, 2);
	CHECK(s, got, "wraps", 1);
	got = next(s, "task_new");
	CHECK(s, got, "generation", 2);
	et_assert_conserved(&s->t);
}

/* A cursor of a time before that of the last one says nothing. */
static void test_exact_late_wrap(void **state)
{
	struct session *s = *state;
	struct lt_record got;

	lt_transcode_exact(s->tc);
	given_on(s, 0, 1000, LT_RAW_GIVEN, 0, 32000);
	given_on(s, 0, 1100, LT_RAW_GIVEN, 0, 301);
	given_on(s, 1, 1050, LT_RAW_GIVEN, 0, 32050);
	birth(s, 1, 1051, 32050, 32051);
	given_on(s, 1, 1150, LT_RAW_GIVEN, 0, 303);
	birth(s, 1, 1151, 303, 304);
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	got = check_wrap(s, LT_WRAP_CURSOR, 2);
	CHECK(s, got, "nr", 301);
	got = next(s, "task_new");
	CHECK(s, got, "generation", 1);
	got = next(s, "task_new");
	CHECK(s, got, "generation", 2);
	et_assert_conserved(&s->t);
}

/*
 * The rows of a snapshot are looked at when its tasks may be gone. What is behind the start of a
 * task is about it, or later ones.
 */
static void test_found_late(void **state)
{
	struct session *s = *state;
	struct lt_record got;
	uint16_t ns;

	lt_transcode_exact(s->tc);
	ns = lt_transcode_namespace(PID(s, 0), 1020, 4026532000U, 1, 0);
	found(s, 1020, ns, 1, 701, 990);
	found(s, 1021, ns, 2, 702, 996);
	found(s, 1022, ns, 3, 703, 995);	/* given before that was watched */
	given(s, 989, LT_RAW_GIVEN, 1, 1);
	birth_inside(s, 0, 995, 1);
	given(s, 994, LT_RAW_FREED, 1, 2);	/* of the one before */
	given(s, 995, LT_RAW_GIVEN, 1, 2);
	birth_inside(s, 0, 1000, 3);
	given(s, 1010, LT_RAW_FREED, 1, 2);
	given(s, 1011, LT_RAW_GIVEN, 1, 2);
	given(s, 1012, LT_RAW_FREED, 1, 2);
	given(s, 1015, LT_RAW_FREED, 1, 1);
	given(s, 1016, LT_RAW_GIVEN, 1, 1);	/* of another namespace */
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	next(s, "task_number");
	next(s, "task_number");
	check_wrap(s, LT_WRAP_AGAIN, 2);
	check_counts(s, 2, 4, 1);
	got = next(s, "pid_ns");
	CHECK(s, got, "cursor", 2);
	et_assert_conserved(&s->t);
}

/* Nobody knows who had the number: so that it was given again is lost. */
static void test_unseen(void **state)
{
	struct session *s = *state;

	lt_transcode_exact(s->tc);
	given(s, 1000, LT_RAW_GIVEN, 1, 1);
	birth_inside(s, 0, 1001, 1);
	birth(s, 0, 1001, 701, 702);
	given(s, 1010, LT_RAW_FREED, 1, 5);
	given(s, 1011, LT_RAW_GIVEN, 1, 5);
	birth_inside(s, 0, 1012, 5);
	birth(s, 0, 1012, 705, 706);
	lt_transcode_last(s->tc, 2000);
	assert_int_equal(lost(s, 0, LT_CLASS_REUSE), 1);
	et_assert_conserved(&s->t);
}

/*
 * A task whose birth is lost had its number all the same: its exit says so. That is no number that
 * no task got, and who comes next had it from that task.
 */
static void test_lost_birth(void **state)
{
	struct session *s = *state;
	struct lt_record got;

	lt_transcode_exact(s->tc);
	birth(s, 0, 1000, 500, 501);
	died(s, 1010, 500, 995);
	given(s, 1011, LT_RAW_FREED, 0, 500);
	given(s, 1020, LT_RAW_GIVEN, 0, 500);
	died(s, 1030, 500, 1016);	/* who was born at 1021 */
	given(s, 1031, LT_RAW_FREED, 0, 500);
	birth(s, 0, 1040, 500, 501);
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	next(s, "task_new");
	next(s, "exit");
	check_wrap(s, LT_WRAP_AGAIN, 2);
	next(s, "exit");
	got = check_wrap(s, LT_WRAP_AGAIN, 3);
	CHECK(s, got, "burned", 0);
	next(s, "task_new");
	check_reused(s, 500, 3, 1016, 1037, 1035);
	assert_int_equal(lost(s, 0, LT_CLASS_REUSE), 1);
	et_assert_conserved(&s->t);
}

int main(void)
{
#define T(test)	cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		T(test_exact), T(test_exact_late), T(test_exact_end_first),
		T(test_exact_late_cursor), T(test_exact_late_wrap), T(test_found_late), T(test_unseen),
		T(test_lost_birth),
	};

	return cmocka_run_group_tests_name("transcode_exact", tests, NULL, NULL);
}
