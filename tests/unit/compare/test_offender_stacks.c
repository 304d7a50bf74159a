// SPDX-License-Identifier: GPL-2.0
/*
 * The stacks of the rows that count most for a rule that is not met.
 */
#include "compare/budget.h"
#include "out/log.h"
#include "print/check.h"
#include "reporttest.h"

#define TEXT	0xffffffff80000000ULL	/* text_base of tracegen */
#define HEAP	0xffff888000000000ULL	/* its ptr_base */

static const char symbols[] = "ffffffff81000000 T make_a\nffffffff81000200 T make_b\n"
			      "ffffffff81000900 T drop\nffffffff81000a00 T end\n";

static void put_site(struct tg *g, uint16_t number, uint64_t site, uint16_t stack)
{
	TG_PUT(g, 0, 1000, SITE, .site = number, .call_site = (uint32_t)(site - TEXT),
	       .bytes_req = 60, .bytes_alloc = 64, .gfp_flags = KERNEL, .node = -1, .stack = stack);
}

static void put_birth(struct tg *g, uint64_t time, uint16_t site)
{
	uint64_t v = PTR + time * 0x1000 - HEAP;
	uint8_t rec[7] = { (uint8_t)site, (uint8_t)(site >> 8), (uint8_t)v, (uint8_t)(v >> 8),
			   (uint8_t)(v >> 16), (uint8_t)(v >> 24), (uint8_t)(v >> 32) };

	tg_raw(g, 0, time, LT_EV_KMALLOC_SHORT, LT_CLASS_KMALLOC, rec, sizeof(rec));
}

/*
 * From make_a one object by drop, three by make_b, of which two are freed, and four without a
 * stack; from make_b one without a stack.
 */
static const char *stacks_trace(void)
{
	struct tg *g = tg_new(&(struct tg_options){ .info = "stacks=1\n" });
	const uint32_t a = (uint32_t)(A - TEXT), b = (uint32_t)(B - TEXT), f = (uint32_t)(F - TEXT);
	static const uint16_t births[] = { 1, 2, 2, 2, 3, 3, 3, 3, 4 };
	const char *path = test_path("stacks.lt");

	tg_text(g, LT_BLOCK_SYMBOLS, symbols);
	TG_PUT(g, 0, 1000, STACK, .stack = 1, .n_frames = 2, .frames = { a, f });
	TG_PUT(g, 0, 1000, STACK, .stack = 2, .n_frames = 3, .flags = LT_STACK_CUT,
	       .frames = { a, b, f });
	put_site(g, 1, A, 1);
	put_site(g, 2, A, 2);
	put_site(g, 3, A, 0);
	put_site(g, 4, B, 0);
	for (unsigned int i = 0; i < 9; i++)
		put_birth(g, 1010 + i, births[i]);
	tg_kfree(g, 0, 1070, PTR + 1011 * 0x1000, F);
	tg_kfree(g, 0, 1080, PTR + 1012 * 0x1000, F);
	tg_finish(g, 5000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	return path;
}

/* What is printed of the verdict on @rule; *@stack: that of the row which counts most. */
static char *judged(const char *rule, char **stack,
		    void (*print)(const struct lt_checked *c, const struct lt_check_view *p))
{
	struct lt_out out = LT_OUT_INIT(-1);
	struct lt_check_view view = { .file = "stacks.lt", .out = &out };
	struct lt_budget b = { .n = 0 };
	const char *path = stacks_trace();
	struct lt_checked c;
	struct lt_side s;

	assert_int_equal(lt_side_make(&s, path, &usual), 0);
	assert_int_equal(lt_budget_add(&b, "-e", rule), 0);
	lt_budget_check(&b, &s, NULL, 0, &c);
	assert_int_equal(lt_checked_stacks(&c, &s, path), 0);
	*stack = c.verdicts[0].n_offenders && c.verdicts[0].offenders[0].stack ?
		 strdup(c.verdicts[0].offenders[0].stack) : NULL;
	print(&c, &view);
	lt_out_char(&out, 0);
	lt_checked_free(&c);
	lt_budget_free(&b);
	lt_side_free(&s);
	return out.buf;
}

static void print_json(const struct lt_checked *c, const struct lt_check_view *p)
{
	struct lt_check_view view = *p;

	view.format = LT_FORMAT_JSON;
	lt_check_print(c, &view);
}

#define CUT_STACK	"make_a+0x100\nmake_b+0x0\ndrop+0x0\n..."

/* Of all stacks of a call site the one that counts most for the metric of the rule. */
static void test_most(void **state)
{
	static const struct {
		const char *rule;
		const char *stack;
	} rows[] = {
		{ "count{site=\"make_a\"} <= 7", CUT_STACK },
		{ "exact{site=\"make_a\"} == 0", CUT_STACK },
		/* Most are alive without a stack; of the stacks each has one: the first. */
		{ "alive_bytes < 64", NULL },
		{ "count{site=\"make_b\"} == 0", "" },
		{ "count < 10", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *stack, *text = judged(rows[i].rule, &stack, lt_check_print);

		if (!rows[i].stack)
			assert_non_null(stack);
		else if (!rows[i].stack[0])
			assert_null(stack);
		else
			assert_string_equal(stack, rows[i].stack);
		free(stack);
		free(text);
	}
}

static void test_printed(void **state)
{
	static void (*const all[])(const struct lt_checked *c, const struct lt_check_view *p) = {
		lt_check_print, lt_check_tap, lt_check_junit, print_json,
	};
	char *stack, *text;

	(void)state;
	for (int i = 0; i < 4; i++) {
		text = judged("count{site=\"make_a\"} <= 7", &stack, all[i]);
		if (!strstr(text, i < 3 ? "    ← make_b+0x0 ← drop+0x0 ← ...\n" :
			    "\"stack\":[\"make_a+0x100\",\"make_b+0x0\",\"drop+0x0\",\"...\"]}") &&
		    !strstr(text, "    ← make_b+0x0 ← drop+0x0 ← ...</failure>"))
			fail_msg("%d: %s", i, text);
		free(stack);
		free(text);
		text = judged("count{site=\"make_b\"} == 0", &stack, all[i]);
		assert_null(strstr(text, "←"));
		assert_true(i < 3 || strstr(text, "\"stack\":[]}"));
		free(stack);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_most),
		cmocka_unit_test(test_printed),
	};

	return cmocka_run_group_tests_name("offender_stacks", tests, NULL, NULL);
}
