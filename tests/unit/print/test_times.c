// SPDX-License-Identifier: GPL-2.0
/*
 * Times as they are printed: from the begin of the trace, on its clock, and of the wall clock.
 */
#include "out/log.h"
#include "print/times.h"
#include "reporttest.h"

#define S	1000000000ULL

/* A trace that begins at 5 s; @wall: with a reading of the wall clock. */
static struct lt_trace *opened(bool wall)
{
	struct tg *g = tg_new(NULL);
	struct lt_trace *t;

	if (wall)
		tg_clock(g, 5 * S, 1700000000 * S, 5 * S, 5 * S, 5 * S);
	TG_TASK(g, 0, 5 * S, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	born(g, 6 * S, 1, A, 64);
	tg_finish(g, 9 * S);
	assert_int_equal(tg_write(g, test_path("times.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("times.lt"));
	assert_non_null(t);
	return t;
}

struct row {
	enum lt_times_base base;
	uint64_t time;
	int64_t ns;
	const char *text;	/* with 9 decimals */
	const char *human;
};

static void test_bases(void **state)
{
	static const struct row rows[] = {
		{ LT_TIMES_BEGIN, 6 * S + 1, S + 1, "1.000000001", "1.000 s" },
		{ LT_TIMES_BEGIN, 5 * S, 0, "0.000000000", "0 ns" },
		{ LT_TIMES_BEGIN, 5 * S - 250000000, -250000000, "-0.250000000", "-0.250000" },
		{ LT_TIMES_CLOCK, 6 * S + 1, 6 * S + 1, "6.000000001", "@6.000000" },
		{ LT_TIMES_CLOCK, -1ULL, -1, "-0.000000001", "@-0.000000" },
		{ LT_TIMES_WALL, 6 * S + 1, 1700000001 * S + 1, "2023-11-14T22:13:21.000000001Z",
		  "2023-11-14T22:13:21.000000Z" },
		{ LT_TIMES_WALL, -S, 1699999994 * S, "2023-11-14T22:13:14.000000000Z",
		  "2023-11-14T22:13:14.000000Z" },
	};
	struct lt_trace *t = opened(true);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		char text[LT_TIME_TEXT], human[LT_TIME_TEXT];
		struct lt_times times;

		assert_int_equal(lt_times_init(&times, r->base, t), 0);
		lt_times_text(&times, r->time, 9, text);
		lt_times_human(&times, r->time, human);
		if (lt_times_ns(&times, r->time) != r->ns || strcmp(text, r->text) ||
		    strcmp(human, r->human))
			fail_msg("%d, %llu: %lld, %s, %s", r->base, (unsigned long long)r->time,
				 (long long)lt_times_ns(&times, r->time), text, human);
	}
	lt_trace_close(t);
}

/* A trace without a reading of the wall clock. */
static void test_no_wall(void **state)
{
	struct lt_trace *t = opened(false);
	struct lt_times times;
	const char *message;
	int err;

	(void)state;
	test_stderr_begin();
	lt_log_to_stderr();
	err = lt_times_init(&times, LT_TIMES_WALL, t);
	message = test_stderr_end();
	assert_int_equal(err, -1);
	assert_non_null(strstr(message, "--time=wall: the trace has no reading of the wall clock"));
	lt_trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bases),
		cmocka_unit_test(test_no_wall),
	};

	return cmocka_run_group_tests_name("times", tests, NULL, NULL);
}
