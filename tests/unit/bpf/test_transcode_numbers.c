// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers of tasks: generations, namespaces, and who held a number before, from births and exits
 * alone; see test_transcode_exact.c.
 */
#include "transcodetest.h"

/* The cursor goes back; a ring that is read later has births of the generation before. */
static void test_wrap(void **state)
{
	struct session *s = *state;
	struct lt_record got;

	birth(s, 0, 1000, 32000, 32001);
	birth(s, 0, 1100, 301, 302);
	birth(s, 0, 1200, 300, 301);	/* read at one moment on two CPUs */
	birth(s, 1, 1050, 32050, 32051);
	birth(s, 1, 1150, 303, 304);
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	got = next(s, "task_new");
	CHECK(s, got, "generation", 1);
	got = next(s, "wrap");
	CHECK(s, got, "generation", 2);
	CHECK(s, got, "old_cursor", 32001);
	CHECK(s, got, "cursor", 302);
	CHECK(s, got, "nr", 301);
	for (unsigned int i = 0; i < 2; i++) {
		got = next(s, "task_new");
		CHECK(s, got, "generation", 2);
	}
	got = next(s, "task_new");
	CHECK(s, got, "generation", 1);
	got = next(s, "task_new");
	CHECK(s, got, "generation", 2);
}

static void number_in(struct session *s, uint32_t cpu, uint64_t time, uint32_t inum, uint32_t nr)
{
	GIVE(PID(s, cpu), lt_raw_number, .time = time, .kind = LT_RAW_NUMBER, .level = 1,
	     .nr = nr, .task = { 700, 700, time }, .ns = inum, .parent_ns = INITIAL,
	     .cursor = nr + 1);
}

static void number(struct session *s, uint32_t cpu, uint64_t time, uint32_t nr)
{
	number_in(s, cpu, time, 4026532000U, nr);
}

static uint16_t next_number(struct session *s, uint32_t nr)
{
	struct lt_record got = next(s, "task_number");

	CHECK(s, got, "nr", nr);
	return (uint16_t)value(s, &got, "ns");
}

/* An inode number is used again: the first task of a namespace has the number 1. */
static void test_namespaces(void **state)
{
	struct session *s = *state;
	struct lt_record got;
	uint16_t first;

	birth(s, 0, 900, 600, 601);
	number(s, 0, 1001, 2);		/* its first task is in a ring that is read later */
	number(s, 1, 1000, 1);
	number(s, 1, 1002, 3);
	number(s, 1, 5000, 1);		/* another namespace */
	number(s, 1, 5001, 2);
	lt_transcode_last(s->tc, 9000);

	next(s, "pid_ns");
	next(s, "task_new");
	got = next(s, "pid_ns");
	CHECK(s, got, "level", 1);
	CHECK(s, got, "parent", 1);
	first = next_number(s, 2);
	assert_int_equal(value(s, &got, "ns"), first);
	assert_int_equal(next_number(s, 1), first);
	assert_int_equal(next_number(s, 3), first);
	got = next(s, "pid_ns_gone");
	assert_int_equal(value(s, &got, "ns"), first);
	CHECK(s, got, "allocated", 3);
	got = next(s, "pid_ns");
	CHECK(s, got, "init_tid", 700);
	CHECK(s, got, "init_start", 5000);
	assert_int_not_equal(value(s, &got, "ns"), first);
	assert_int_equal(next_number(s, 1), value(s, &got, "ns"));
	assert_int_equal(next_number(s, 2), value(s, &got, "ns"));
}

/*
 * There are 65,535 ids. Of a namespace without one nothing is known, which is counted; an id of one
 * that is gone is used again after a second.
 */
static void test_ids(void **state)
{
	const uint32_t inum = 4026540000U, more = 100000;
	uint64_t last = 0, began = 0, n_namespaces = 0, n_numbers = 0;
	struct session *s = *state;
	struct lt_record got, task = { 0 };
	struct lt_str text = { 0 };

	birth(s, 0, 900, 600, 601);
	for (uint32_t i = 2; i <= 65535; i++)
		number_in(s, 0, 1000 + i, inum + i, 1);
	number_in(s, 0, 100000, inum + more, 1);
	number_in(s, 0, 200000, inum + 7, 1);		/* its namespace is gone */
	number_in(s, 0, 200000 + 1000000000, inum + more, 1);
	lt_transcode_last(s->tc, 2000000000);
	while (et_next_event(&s->t, &got, &task)) {
		if (!strcmp(got.desc->name, "pid_ns")) {
			n_namespaces++;
			last = value(s, &got, "ns");
			began = value(s, &got, "init_start");
		} else if (!strcmp(got.desc->name, "task_number")) {
			n_numbers++;
			assert_int_not_equal(value(s, &got, "ns"), 0);
		}
	}
	assert_int_equal(n_namespaces, 65536);
	assert_int_equal(n_numbers, 65535);
	assert_int_equal(last, 7);
	assert_int_equal(began, 200000 + 1000000000);
	assert_int_equal(lost(s, s->t.n - 1, LT_CLASS_NUMBER), 2);
	assert_int_equal(lost(s, s->t.n - 1, LT_CLASS_REUSE), 2);
	assert_int_equal(lost(s, s->t.n - 1, LT_CLASS_WRAP), 2);
	lt_transcode_stats(s->tc, &text);
	assert_non_null(strstr(text.s, "\npid_ns_without_id 2\n"));
	free(text.s);
	et_assert_conserved(&s->t);
}

/* ------------------------------------------------------------------------
 * Holders of numbers
 */

/* Behind the birth; who was found by a snapshot held the number before who is born later. */
static void test_reused(void **state)
{
	struct session *s = *state;
	struct lt_record got;

	found(s, 900, lt_transcode_namespace(PID(s, 0), 900, INITIAL, 0, 0), 500, 500, 800);
	birth(s, 0, 850, 500, 501);	/* its exit, and the birth of who was found, are lost */
	birth(s, 0, 805, 500, 501);	/* the one that was found */
	died(s, 950, 500, 800);	/* and its number has had another task since */
	birth(s, 1, 1000, 500, 501);
	died(s, 1100, 500, 995);
	birth(s, 0, 1200, 500, 501);
	birth(s, 1, 1300, 501, 502);	/* nobody had it */
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	next(s, "task_new");
	check_reused(s, 500, 2, 800, 0, 845);
	next(s, "task_new");
	next(s, "exit");
	next(s, "exit");
	got = next(s, "task_new");
	CHECK(s, got, "start", 1195);
	check_reused(s, 500, 4, 995, 1107, 1195);
	next(s, "task_new");
	check_reused(s, 500, 3, 845, 0, 995);
	next(s, "task_new");
	et_assert_conserved(&s->t);
}

/* Who held a number before is given later: that it was given again is lost, and counted. */
static void test_reused_unseen(void **state)
{
	struct session *s = *state;

	birth(s, 1, 1100, 500, 501);
	birth(s, 0, 1000, 500, 501);
	lt_transcode_last(s->tc, 2000);
	next(s, "task_new");
	next(s, "pid_ns");
	next(s, "task_new");
	assert_int_equal(lost(s, 0, LT_CLASS_REUSE), 1);
	et_assert_conserved(&s->t);
}

/* The death of a task is known in its inner namespace, too. */
static void test_reused_inside(void **state)
{
	struct session *s = *state;

	for (unsigned int i = 0; i < 2; i++) {
		GIVE(PID(s, 0), lt_raw_number, .time = 1000 + 100 * i, .kind = LT_RAW_NUMBER,
		     .level = 1, .nr = 5, .task = { 700 + i, 700 + i, 995 + 100 * i },
		     .ns = 4026532000U, .parent_ns = INITIAL, .cursor = 6);
		birth(s, 0, 1000 + 100 * i, 700 + i, 702);
		died(s, 1050 + 100 * i, 700 + i, 995 + 100 * i);
	}
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	next(s, "task_number");
	next(s, "pid_ns");
	next(s, "task_new");
	next(s, "exit");
	next(s, "task_number");
	next(s, "task_new");
	check_reused(s, 5, 2, 995, 1057, 1095);
	next(s, "exit");
	et_assert_conserved(&s->t);
}

static void number_at(struct session *s, uint64_t time, unsigned int level, uint32_t tid)
{
	GIVE(PID(s, 0), lt_raw_number, .time = time, .kind = LT_RAW_NUMBER,
	     .level = (uint16_t)level, .nr = 5, .task = { tid, tid, time - 5 }, .ns = 4026532000U + level,
	     .parent_ns = level > 1 ? 4026532000U + level - 1 : INITIAL, .cursor = 6);
}

/* A task that a snapshot finds dies in each of its namespaces, in whatever order it finds them. */
static void test_found_inside(void **state)
{
	struct session *s = *state;
	struct lt_transcode_ring *r = PID(s, 0);
	uint16_t ids[4];

	for (unsigned int level = 0; level < 4; level++)
		ids[level] = lt_transcode_namespace(r, 900, level ? 4026532000U + level : INITIAL,
						    level, 0);
	found(s, 900, ids[0], 700, 700, 800);
	found(s, 900, ids[3], 5, 700, 800);
	found(s, 900, ids[1], 5, 700, 800);
	found(s, 900, ids[2], 5, 700, 800);
	died(s, 1000, 700, 800);
	for (unsigned int level = 1; level < 4; level++)
		number_at(s, 1100, level, 700);
	birth(s, 0, 1100, 700, 701);
	lt_transcode_last(s->tc, 2000);
	for (unsigned int level = 0; level < 4; level++)
		next(s, "pid_ns");
	next(s, "exit");
	for (unsigned int level = 1; level < 4; level++)
		next(s, "task_number");
	next(s, "task_new");
	check_reused(s, 700, 2, 800, 1007, 1095);
	for (unsigned int level = 1; level < 4; level++)
		check_reused(s, 5, 2, 800, 1007, 1095);
	et_assert_conserved(&s->t);
}

/*
 * A thread has become its group's leader by exec: the exit of the leader is not the end of the
 * process, which has its numbers.
 */
static void test_exchanged(void **state)
{
	struct session *s = *state;

	for (unsigned int i = 0; i < 2; i++) {
		GIVE(PID(s, 0), lt_raw_number, .time = 1000 + 100 * i, .kind = LT_RAW_NUMBER,
		     .level = 1, .nr = 5, .task = { 700, 700, 995 + 100 * i }, .ns = 4026532000U,
		     .parent_ns = INITIAL, .cursor = 6);
		birth(s, 0, 1000 + 100 * i, 700, 702);
		died(s, 1050 + 100 * i, 700, 995 + 100 * i);
		GIVE(PID(s, 0), lt_raw_exec, .time = 1060 + 100 * i, .kind = LT_RAW_EXEC,
		     .task = { 700, 700, 995 + 100 * i }, .old_tid = 701,
		     .size = sizeof(struct lt_raw_exec));
	}
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	next(s, "task_number");
	next(s, "pid_ns");
	next(s, "task_new");
	next(s, "exit");
	next(s, "exec");
	next(s, "task_number");
	next(s, "task_new");
	check_reused(s, 700, 2, 995, 0, 1095);
	check_reused(s, 5, 2, 995, 0, 1095);
	et_assert_conserved(&s->t);
}

/* The programs count lost births: each is a number that another may have had, once. */
static void test_lost_births(void **state)
{
	struct lt_class_counts counts[LT_N_CLASSES] = { { 0 } };
	struct session *s = *state;

	birth(s, 0, 1000, 500, 501);
	counts[LT_CLASS_INDEX(LT_CLASS_BIRTH)] =
		(struct lt_class_counts){ .seen = 3, .lost_full = 2 };
	counts[LT_CLASS_INDEX(LT_CLASS_NUMBER)] =
		(struct lt_class_counts){ .seen = 1, .lost_full = 1 };
	lt_transcode_begin(PID(s, 0), counts);
	died(s, 1030, 500, 1016);
	birth(s, 0, 1040, 500, 501);
	counts[LT_CLASS_INDEX(LT_CLASS_BIRTH)].seen++;
	lt_transcode_end(PID(s, 0), 1050);
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	next(s, "task_new");
	next(s, "exit");
	next(s, "task_new");
	check_reused(s, 500, 3, 1016, 1037, 1035);
	assert_int_equal(lost(s, 1, LT_CLASS_REUSE), 3);
	et_assert_conserved(&s->t);
}

int main(void)
{
#define T(test)	cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		T(test_wrap), T(test_namespaces), T(test_ids), T(test_reused),
		T(test_reused_unseen), T(test_reused_inside), T(test_found_inside), T(test_exchanged),
		T(test_lost_births),
	};

	return cmocka_run_group_tests_name("transcode_numbers", tests, NULL, NULL);
}
