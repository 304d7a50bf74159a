// SPDX-License-Identifier: GPL-2.0
/* How sure a birth or an end of a task is, as tables: a row is a case. */
#include "tasks/rules.h"
#include "testlib.h"

#define N(rows)	(sizeof(rows) / sizeof((rows)[0]))

/* Shorter names of the reader's. */
#define MARK(m)		LT_TASK_MARK_##m
#define END(e)		LT_TASK_END_##e

/* The trace began at 1000 ns after boot. */
static void test_birth_certainty(void **state)
{
	static const struct {
		const char *row;
		struct lt_task_inst t;
		bool after, lost;
		enum lt_certainty is;
	} rows[] = {
		{ "birth seen", { .start = 1010, .marks = MARK(BORN) }, true, true, LT_EXACT },
		{ "birth seen, started before the trace", { .start = 990, .marks = MARK(BORN) },
		  false, false, LT_EXACT },
		{ "initial snapshot", { .start = 1010, .marks = MARK(INITIAL) }, true, true,
		  LT_BEFORE },
		{ "initial snapshot, as its leader", { .start = 1010, .marks = MARK(AS_LEADER) },
		  true, true, LT_BEFORE },
		{ "started before the trace", { .start = 999 }, true, true, LT_BEFORE },
		{ "started with the trace", { .start = 1000 }, true, false, LT_UNCERTAIN },
		{ "met after the initial snapshot", { .start = 1010 }, true, false, LT_UNCERTAIN },
		{ "met earlier, births lost", { .start = 1010 }, false, true, LT_UNCERTAIN },
		{ "met earlier, nothing lost", { .start = 1010 }, false, false, LT_BEFORE },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		enum lt_certainty is = lt_birth_certainty(&rows[i].t, 1000, rows[i].after,
							  rows[i].lost);

		if (is != rows[i].is)
			fail_msg("birth: %s: %s", rows[i].row, lt_certainty_name(is));
	}
}

static void test_end_certainty(void **state)
{
	static const struct {
		const char *row;
		struct lt_task_inst t;
		bool lost;
		enum lt_certainty is;
	} rows[] = {
		{ "exit", { .ending = END(EXITED) }, true, LT_EXACT },
		{ "became leader", { .ending = END(BECAME_LEADER) }, true, LT_EXACT },
		{ "released", { .ending = END(RELEASED) }, false, LT_BOUNDED },
		{ "number reused", { .ending = END(NUMBER_REUSED) }, false, LT_BOUNDED },
		{ "group dead", { .ending = END(GROUP_DEAD) }, false, LT_BOUNDED },
		{ "missing", { .ending = END(MISSING) }, false, LT_BOUNDED },
		{ "found exiting", { .ending = END(FOUND_EXITING) }, false, LT_BOUNDED },
		{ "alive", { .marks = MARK(LISTED) }, false, LT_OPEN },
		{ "alive, ends lost", { .marks = MARK(LISTED) }, true, LT_UNCERTAIN },
		{ "placeholder, never seen alive", { 0 }, false, LT_UNCERTAIN },
		{ "revived only by a rename", { .marks = MARK(LISTED) | MARK(BY_NAME) }, false,
		  LT_UNCERTAIN },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		enum lt_certainty is = lt_end_certainty(&rows[i].t, rows[i].lost);

		if (is != rows[i].is)
			fail_msg("end: %s: %s", rows[i].row, lt_certainty_name(is));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_birth_certainty), cmocka_unit_test(test_end_certainty),
	};

	return cmocka_run_group_tests_name("task_certainty", tests, NULL, NULL);
}
