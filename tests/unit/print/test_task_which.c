// SPDX-License-Identifier: GPL-2.0
/* Which tasks are printed, and in which order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/tasks.h"
#include "tasktest.h"

static void test_no_threads(void **state)
{
	struct lt_tasks *tb = world(NULL);
	struct lt_out out = captured_begin();
	struct lt_tasks_view p = {
		.out = &out, .tb = tb, .format = LT_FORMAT_JSON, .no_threads = true,
	};
	char *text;

	(void)state;
	thread_born(tb, 110, 201, 100, 4);
	lt_tasks_finish(tb, 1000);
	lt_tasks_print(&p);
	text = captured_end(&out);
	assert_null(strstr(text, "\"tid\":201,"));
	assert_non_null(strstr(text, "\"tid\":100,"));
	free(text);
	lt_tasks_free(tb);
}

/*
 * Task 10 is exact, of 11 the exit may be lost, 12 is alive.
 */
static struct lt_tasks *doubtful_tasks(void)
{
	struct lt_tasks *tb = lt_tasks_new(NULL);
	struct lt_task_gap gap = { .begin = 300, .end = 400, .cpu = 1, .what = LT_LOST_ENDS, .ends = 1 };

	ev(tb, TASK_NEW, 100, .tid = 10, .tgid = 10, .start = 100, .comm = T("a"));
	ev(tb, TASK_NEW, 110, .tid = 11, .tgid = 11, .start = 110, .comm = T("b"));
	ev(tb, EXIT, 200, .tid = 10, .tgid = 10, .start = 100);
	lt_tasks_gap(tb, &gap);
	ev(tb, TASK_NEW, 500, .tid = 12, .tgid = 12, .start = 500, .comm = T("c"));
	lt_tasks_finish(tb, 5000);
	return tb;
}

/* --why chooses tasks by the reason of their birth or end; the summary counts the reasons. */
static void test_why(void **state)
{
	static const struct {
		unsigned int why;
		const char *tids;
	} cases[] = {
		{ 0, "10 11 12 " },
		{ 1U << LT_TASK_WHY_LOST, "11 " },
		{ 1U << LT_TASK_WHY_ALIVE, "12 " },
		{ 1U << LT_TASK_WHY_LOST | 1U << LT_TASK_WHY_ALIVE, "11 12 " },
		{ 1U << LT_TASK_WHY_NAMED, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lt_tasks *tb = doubtful_tasks();
		struct lt_out out = captured_begin();
		struct lt_tasks_view p = { .out = &out, .tb = tb, .format = LT_FORMAT_JSON,
					   .why = cases[i].why };
		char *text, tids[64] = "", value[64];

		lt_tasks_print(&p);
		text = captured_end(&out);
		for (char *line = text; *line; line = strchr(line, '\n') + 1) {
			const char *at = strstr(line, "\"tid\":");

			assert_non_null(at);
			snprintf(value, sizeof(value), "%d ", atoi(at + 6));
			strcat(tids, value);
		}
		assert_string_equal(tids, cases[i].tids);
		free(text);
		out = captured_begin();
		lt_tasks_summary(&out, tb);
		text = captured_end(&out);
		assert_non_null(strstr(text, "\nwhy:    ends lost 1\n"));
		free(text);
		lt_tasks_free(tb);
	}
}

/* Those that are equal stay in the order of their births; what is not known comes last. */
static void test_sort(void **state)
{
	static const struct {
		const char *column;
		const char *tids;
	} cases[] = { { "tid", "12 11 10 " }, { "birth", "12 11 10 " }, { "tgid", "12 11 10 " },
		      { "comm", "10 11 12 " }, { "exit_code", "10 11 12 " } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lt_tasks *tb = doubtful_tasks();
		struct lt_out out = captured_begin();
		struct lt_tasks_view p = { .out = &out, .tb = tb, .format = LT_FORMAT_JSON,
					   .sort = lt_columns_sort(&lt_rows_of_task, cases[i].column) };
		char *text, tids[64] = "", value[64];

		assert_non_null(p.sort);
		lt_tasks_print(&p);
		text = captured_end(&out);
		for (char *line = text; *line; line = strchr(line, '\n') + 1) {
			snprintf(value, sizeof(value), "%d ", atoi(strstr(line, "\"tid\":") + 6));
			strcat(tids, value);
		}
		assert_string_equal(tids, cases[i].tids);
		free(text);
		lt_tasks_free(tb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_threads), cmocka_unit_test(test_why),
		cmocka_unit_test(test_sort),
	};

	return cmocka_run_group_tests_name("task_which", tests, NULL, NULL);
}
