// SPDX-License-Identifier: GPL-2.0
/* Filters: which lifetimes and events they want. */
#include "reporttest.h"

/* The task 17 is called "cat", then "dog": it makes an object before, and two after that. */
static void renamed(void)
{
	struct tg *g = tg_new(NULL);

	TG_TASK(g, 0, 100, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	born(g, 1000, 1, A, 64);
	TG_TASK(g, 0, 2000, .tid = 17, .tgid = 17, .start = 50, .comm = "dog");
	born(g, 2000, 2, A, 64);
	born(g, 3000, 3, A, 64);
	freed(g, 4000, 1);
	freed(g, 4010, 2);
	tg_finish(g, 5000);
	assert_int_equal(tg_write(g, test_path("r.lt"), 0), 0);
	tg_free(g);
}

/* Events that a filter wants. */
static unsigned int events(struct lt_filter *f)
{
	struct lt_trace *t = lt_trace_open(test_path("r.lt"));
	struct lt_event ev;
	unsigned int n = 0;

	while (lt_trace_next(t, &ev) > 0)
		n += (ev.class == LT_CLASS_KMALLOC || ev.class == LT_CLASS_KFREE) &&
		     lt_filter_event(f, t, &ev);
	lt_trace_close(t);
	return n;
}

/* What a report has of a task: the allocations, and those alive at the end. */
static void check_task(const char *task, unsigned int made, unsigned int live, unsigned int seen)
{
	struct lt_report_options o = usual;
	struct lt_report *r;

	o.filter = lt_filter_new(&(struct lt_filter_spec){ .task = task }, test_path("r.lt"));
	assert_non_null(o.filter);
	r = lt_report_make(test_path("r.lt"), &o);
	assert_non_null(r);
	assert_int_equal(r->all.births, made);
	assert_int_equal(r->all.lifetimes, made);
	assert_int_equal(r->all.live, live);
	assert_int_equal(r->stats.births[LT_SPACE_SLAB], made);
	assert_int_equal(lt_filter_finish(o.filter, r->trace), 0);
	assert_int_equal(events(o.filter), seen);
	lt_report_free(r);
	lt_filter_free(o.filter);
}

/* A task's name is the one that it had when it allocated, not its latest one. */
static void test_name_at_birth(void **state)
{
	(void)state;
	renamed();
	check_task("cat", 1, 0, 1);
	check_task("dog", 2, 1, 4);	/* two allocations, two frees */
	check_task("17", 3, 1, 5);
	check_task("17@50", 3, 1, 5);
}

/* Of a file that says of many tasks that it is about them each event would be compared with all. */
static void test_too_many(void **state)
{
	char within[1024] = "root=1\n";
	struct lt_filter *f;

	(void)state;
	renamed();
	for (int i = 0; i < 64; i++)
		strcat(within, "task=cat\n");
	f = lt_filter_new(&(struct lt_filter_spec){ .within = within }, test_path("r.lt"));
	assert_non_null(f);
	assert_int_equal(events(f), 1);
	lt_filter_free(f);
	strcat(within, "task=cat\n");
	test_stderr_begin();
	assert_null(lt_filter_new(&(struct lt_filter_spec){ .within = within }, test_path("r.lt")));
	assert_non_null(strstr(test_stderr_end(), "expected at most 64 lines"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name_at_birth),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
