// SPDX-License-Identifier: GPL-2.0
/*
 * What verify says of function calls.
 */
#include "calls/tree.h"
#include "testlib.h"
#include "tracegen.h"
#include "verify/check.h"

#define C0	TG_CALL(0)

static const char functions[] = "function\t0\tf\t-\t0\tint f(int n)\nvalue\t0\tn\tentry\tsigned\t4\tint\n"
				"value\t0\tret\tresult\tsigned\t4\tint\n"
				"value\t0\ts\treturn\ttext\t16\tchar *\n";

static struct tg *begin(const char *text)
{
	struct tg *g = tg_new(NULL);

	tg_text(g, LT_BLOCK_FUNCTIONS, text);
	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	return g;
}

static void call(struct tg *g, uint64_t begin, uint64_t end, uint16_t depth)
{
	tg_call(g, C0, end, &(struct tg_call){ .depth = depth, .duration = end - begin, .values = {
		{ 4, 1, NULL }, { 4, 2, NULL }, { 2, 0, "a" } } });
}

static uint64_t verify(struct tg *g, const char *said)
{
	struct lt_verify_result *v;
	uint64_t failures;
	bool found = !said;

	tg_finish(g, 9000);
	assert_int_equal(tg_write(g, test_path("calls.lt"), 0), 0);
	tg_free(g);
	v = lt_verify(test_path("calls.lt"));
	assert_non_null(v);
	assert_string_equal(v->checks[LT_CHECK_CALLS].name, "calls");
	for (size_t i = 0; i < v->n_notes; i++)
		found |= said && strstr(v->notes[i].text, said);
	if (!found)
		fail_msg("expected a note with '%s'", said);
	failures = v->checks[LT_CHECK_CALLS].failures;
	assert_int_equal(lt_verify_result_good(v), !failures);
	lt_verify_result_free(v);
	return failures;
}

/* In each other, apart, in one moment, with a jump. */
static void test_good(void **state)
{
	struct tg *g = begin(functions);

	(void)state;
	call(g, 1100, 1200, 30);
	call(g, 1200, 1300, 30);
	call(g, 1200, 1300, 30);
	call(g, 1050, 1400, 10);
	call(g, 1400, 1400, 10);
	call(g, 1400, 1400, 20);
	call(g, 1400, 1500, 10);
	tg_lost(g, C0, LT_CLASS_CALL, TG_FULL_WITHIN, 2);
	tg_filtered(g, C0, LT_CLASS_CALL, 1);
	TG_PUT(g, C0, 2000, CALL_OPEN, .tid = 17, .start = 500, .begin = 1450, .why = LT_CALL_AT_END);
	tg_close(g, C0, 2000);
	tg_text(g, LT_BLOCK_FUNCTIONS, "counts\t0\twatched\t11\t9\t1\t3\t1\t1\t\n");
	assert_int_equal(verify(g, NULL), 0);
	/* A trace without the channel has nothing that could be wrong. */
	g = tg_new(NULL);
	tg_kfree(g, 0, 1000, 0xffff888000001000, 0);
	assert_int_equal(verify(g, NULL), 0);
}

/* A part of a call lies in another one. */
static void test_crossing(void **state)
{
	struct tg *g = begin(functions);

	(void)state;
	call(g, 1100, 1200, 30);
	call(g, 1150, 1300, 10);
	assert_int_equal(verify(g, "from 1150 to 1300 ns: the call before it in its thread ended after "
			 "it began, and does not lie in it"), 1);
	/* Its frame is above that of its caller. */
	g = begin(functions);
	call(g, 1100, 1200, 10);
	call(g, 1050, 1300, 30);
	assert_int_equal(verify(g, "does not lie in it"), 1);
	/* Interrupts, and other threads, have stacks of their own. */
	g = begin(functions);
	call(g, 1100, 1200, 30);
	tg_context(g, C0, LT_CTX_SOFTIRQ);
	call(g, 1150, 1300, 10);
	tg_context(g, C0, LT_CTX_TASK);
	TG_TASK(g, C0, 1300, .tid = 18, .tgid = 18, .start = 600, .comm = "cat");
	call(g, 1250, 1400, 10);
	assert_int_equal(verify(g, NULL), 0);
}

static void test_records(void **state)
{
	struct tg *g = begin(functions);

	(void)state;
	tg_call(g, C0, 2000, &(struct tg_call){ .values = { { 8, 0, NULL } } });
	assert_int_equal(verify(g, "the record is shorter than its values"), 1);
	g = begin(functions);
	tg_call(g, C0, 2000, &(struct tg_call){ .function = 1 });
	assert_int_equal(verify(g, "call of function_1 by thread 17 on cpu 0"), 1);
	g = begin(functions);
	tg_call(g, C0, 2000, &(struct tg_call){ .duration = 3000, .values = { { 12, 0, "01234567891" } } });
	assert_int_equal(verify(g, "expected a begin before its end"), 1);
	g = begin("function\t0\n");
	test_stderr_begin();
	assert_int_equal(verify(g, NULL), 1);
	assert_non_null(strstr(test_stderr_end(), "block FUNCTIONS 1, line 1: expected 'function"));
}

/* Counts of a function that do not close, or that the packets contradict. */
static void test_counts(void **state)
{
	static const struct {
		const char *counts;
		const char *said;
		uint64_t failures;
	} cases[] = {
		{ "counts\t0\twatched\t2\t2\t0\t0\t0\t0\t\n", NULL, 0 },
		{ "counts\t0\twatched\t3\t2\t0\t0\t0\t0\t\n",
		  "f: 3 calls entered, but 2 returned, 0 ended inside and 0 were open", 1 },
		{ "counts\t0\twatched\t3\t3\t0\t0\t0\t0\t\n",
		  "function calls that returned: expected 3 to 3 in the packets' counters, by the counts "
		  "of the functions, found 2", 1 },
		{ "counts\t0\twatched\t1\t1\t0\t0\t0\t0\t\n", "expected 1 to 1", 1 },
		/* One was left out at its begin. */
		{ "counts\t0\twatched\t1\t1\t1\t0\t0\t0\t\n", NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tg *g = begin(functions);

		call(g, 1100, 1200, 30);
		call(g, 1200, 1300, 30);
		tg_close(g, C0, 2000);
		tg_text(g, LT_BLOCK_FUNCTIONS, cases[i].counts);
		assert_int_equal(verify(g, cases[i].said), cases[i].failures);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_crossing),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests_name("calls in verify", tests, NULL, NULL);
}
