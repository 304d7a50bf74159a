// SPDX-License-Identifier: GPL-2.0
/*
 * What the library says of passes over a trace, for the line of progress.
 */
#include "base/progress.h"
#include "reporttest.h"

/* What was said. */
struct said {
	uint64_t last;
	uint64_t all;
	unsigned int calls;
	unsigned int passes;
};

static void say(void *arg, uint64_t done, uint64_t all)
{
	struct said *s = arg;

	if (!s->calls || done <= s->last)
		s->passes++;
	else
		assert_int_equal(done, s->last + 1);
	assert_in_range(done, 1, all);
	s->last = done;
	s->all = all;
	s->calls++;
}

static void test_passes(void **state)
{
	static const struct lt_report_options opts = { .by = LT_BY_SITE };
	struct tg *g = new_trace();
	struct said said = { .calls = 0 };

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		born(g, 1000 + 100 * i, i, A, 100);
		tg_close(g, 0, 1050 + 100 * i);
	}
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, test_path("p.lt"), 0), 0);
	tg_free(g);
	lt_set_progress(say, &said);
	for (unsigned int i = 0; i < 2; i++)
		lt_report_free(lt_report_make(test_path("p.lt"), &opts));
	assert_int_equal(said.passes, 2);
	assert_true(said.all >= 4);
	assert_int_equal(said.last, said.all);
	assert_int_equal(said.calls, 2 * said.all);
	lt_set_progress(NULL, NULL);
	lt_report_free(lt_report_make(test_path("p.lt"), &opts));
	assert_int_equal(said.passes, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_passes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
