// SPDX-License-Identifier: GPL-2.0
/* In which function's call tasks allocate. */
#include "calls/where.h"
#include "testlib.h"
#include "trace/trace.h"
#include "tracegen.h"

#define C0	TG_CALL(0)

static void event(struct tg *g, uint64_t time)
{
	TG_KMALLOC(g, 0, time, .ptr = 0xffff888000001000 + 64 * time,
		   .call_site = 0xffffffff81000100, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0xcc0, .node = -1);
}

static void call(struct tg *g, uint16_t function, uint64_t begin, uint64_t end, uint16_t depth)
{
	tg_call(g, C0, end, &(struct tg_call){ .function = function, .duration = end - begin,
					       .depth = depth });
}

/* The outermost call counts; one in which nothing was allocated is none; open ones go on. */
static void test_places(void **state)
{
	static const struct {
		uint64_t time;
		const char *name;
	} cases[] = {
		{ 1100, "outer" }, { 1200, "outer" }, { 1250, "outer" }, { 1300, "outer" },
		{ 1350, NULL }, { 1410, "inner [mod]" }, { 1500, NULL }, { 1710, "function_9" },
	};
	const struct lt_task task = { .tid = 17, .start = 500 }, other = { .tid = 18, .start = 500 };
	struct lt_call_places *c;
	struct tg *g = tg_new(NULL);
	char buf[64];

	(void)state;
	tg_text(g, LT_BLOCK_FUNCTIONS, "function\t0\touter\t-\t0\t\nfunction\t1\tinner\tmod\t0\t\n");
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		event(g, cases[i].time);
	call(g, 1, 1150, 1220, 300);
	call(g, 1, 1230, 1240, 300);
	call(g, 0, 1100, 1300, 100);
	call(g, 1, 1400, 1420, 300);
	call(g, 0, 1600, 1610, 100);
	/* The interrupted task is in no call of an interrupt. */
	tg_context(g, C0, LT_CTX_HARDIRQ);
	call(g, 0, 1490, 1620, 100);
	tg_context(g, C0, LT_CTX_TASK);
	TG_PUT(g, C0, 1800, CALL_OPEN, .tid = 17, .start = 500, .function = 9, .begin = 1700,
	       .why = LT_CALL_AT_END);
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, test_path("where.lt"), 0), 0);
	tg_free(g);
	c = lt_call_places_read(test_path("where.lt"));
	assert_non_null(c);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t number = lt_call_places_at(c, &task, cases[i].time);

		assert_int_equal(number != 0, cases[i].name != NULL);
		if (number)
			assert_string_equal(lt_call_places_name(c, number, buf, sizeof(buf)),
					    cases[i].name);
		assert_int_equal(lt_call_places_at(c, &other, cases[i].time), 0);
	}
	lt_call_places_free(c);
}

static void test_none(void **state)
{
	struct tg *g = tg_new(NULL);

	(void)state;
	event(g, 1000);
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, test_path("where.lt"), 0), 0);
	tg_free(g);
	test_stderr_begin();
	assert_null(lt_call_places_read(test_path("where.lt")));
	assert_non_null(strstr(test_stderr_end(), "function calls were not recorded"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests_name("places of calls", tests, NULL, NULL);
}
