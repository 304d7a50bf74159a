// SPDX-License-Identifier: GPL-2.0
/*
 * The text of budgets: what a rule means, and where a mistake is.
 */
#include "compare/rule.h"
#include "out/log.h"
#include "testlib.h"

static struct lt_rule *one(struct lt_budget *b, const char *text)
{
	lt_budget_free(b);
	assert_int_equal(lt_budget_add(b, "budget", text), 0);
	assert_int_equal(b->n, 1);
	return &b->rules[0];
}

static void test_rules(void **state)
{
	struct lt_budget b = { .n = 0 };
	struct lt_rule *r;

	(void)state;
	r = one(&b, "  live_bytes{cache=\"dentry\"} <= 2MiB # as agreed\n");
	assert_int_equal(r->metric, LT_METRIC_ALIVE_BYTES);
	assert_int_equal(r->measure, LT_IN_BYTES);
	assert_int_equal(r->relation, LT_AT_MOST);
	assert_true(r->limit == 2097152);
	assert_int_equal(r->n_matchers, 1);
	assert_int_equal(r->line, 1);
	assert_string_equal(r->text, "live_bytes{cache=\"dentry\"} <= 2MiB");
	assert_true(lt_matches(&r->matchers[0], "dentry"));
	assert_false(lt_matches(&r->matchers[0], "dentry2"));

	r = one(&b, "\n\ncount{site=~\"getname.*\", comm != \"a\\\"b\"} / s<2000.5");
	assert_int_equal(r->line, 3);
	assert_true(r->per_second);
	assert_int_equal(r->relation, LT_BELOW);
	assert_true(r->limit == 2000.5);
	assert_true(lt_matches(&r->matchers[0], "getname_flags"));
	assert_false(lt_matches(&r->matchers[0], "do_getname"));
	assert_true(lt_matches(&r->matchers[1], "a"));
	assert_false(lt_matches(&r->matchers[1], "a\"b"));

	r = one(&b, "p99{cache!~\".*-rcl-[0-9]+\",} > 1.5ms");
	assert_int_equal(r->metric, LT_METRIC_P99);
	assert_true(r->limit == 1500000);
	assert_false(lt_matches(&r->matchers[0], "kmalloc-rcl-64"));
	assert_true(lt_matches(&r->matchers[0], "kmalloc-rcl-64k"));
	assert_true(lt_matches(&r->matchers[0], ""));

	r = one(&b, "peak_bytes <= base * 1.05 + 4KiB");
	assert_true(r->base == 1.05);
	assert_true(r->limit == 4096);
	r = one(&b, "peak_bytes >= base - 100");
	assert_true(r->base == 1);
	assert_true(r->limit == -100);
	r = one(&b, "exact>=99.5%");
	assert_int_equal(r->measure, LT_IN_PERCENT);
	assert_true(r->limit == 99.5);
	r = one(&b, "rate_per_s != 0");
	assert_true(r->per_second);
	assert_int_equal(r->metric, LT_METRIC_ALLOCATIONS);

	lt_budget_free(&b);
	assert_int_equal(lt_budget_add(&b, "budget",
				       "lost == 0; exact >= 99% ;\n# none\n;bytes<1\n"), 0);
	assert_int_equal(b.n, 3);
	assert_int_equal(b.rules[2].line, 3);
	assert_false(lt_budget_has_base(&b));
	assert_false(lt_budget_has_label(&b, LT_LABEL_COMM));
	lt_budget_free(&b);
}

/* Each metric has a name that is understood. */
static void test_names(void **state)
{
	struct lt_budget b = { .n = 0 };

	(void)state;
	for (unsigned int i = 0; i < LT_N_METRICS; i++) {
		char text[80];

		snprintf(text, sizeof(text), "%s == base", lt_metric_name((enum lt_metric)i));
		assert_int_equal(one(&b, text)->metric, i);
	}
	lt_budget_free(&b);
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *text;
		const char *message;
	} rows[] = {
		{ "live_byte < 1",
		  "budget:1:1: expected a metric, found 'live_byte'; did you mean 'live_bytes'?" },
		{ "< 1", "budget:1:1: expected a metric such as" },
		{ "lost == 0\n\n count <",
		  "budget:3:9: expected a number, or base, found the end" },
		{ "count 5", "budget:1:7: expected <=, <, >=, >, == or !=, found '5'" },
		{ "p99 < 5",
		  "budget:1:7: expected a time with its unit such as 5ms, or base, found '5'" },
		{ "p99 < 5%", "found '5%'" },
		{ "bytes <= 5ms", "budget:1:10: expected bytes" },
		{ "bytes <= 5%",
		  "budget:1:10: expected bytes such as 4096 or 2MiB, or base, found '5%'" },
		{ "count <= 5k", "budget:1:10: expected a number" },
		{ "count <= 1..2", "budget:1:10: expected a number" },
		{ "count <= -1", "budget:1:10: expected a number" },
		{ "alive <= base + 5%", "expected a number" },
		{ "count <= base * 0", "expected a factor such as 1.05" },
		{ "count <= base * x", "budget:1:17: expected a factor such as 1.05, found 'x'" },
		{ "count <= bases", "expected a number" },
		{ "count < 3 4",
		  "budget:1:11: expected the end of the rule, or a semicolon, found '4'" },
		{ "count{com=\"x\"} < 3",
		  "expected cache, site or comm, found 'com'; did you mean 'comm'?" },
		{ "count{cache=x} < 3",
		  "budget:1:13: expected a name in double quotes, found 'x}'" },
		{ "count{cache=\"x < 3", "expected a closing double quote, found the end" },
		{ "count{cache<\"x\"} < 3", "expected =, !=, =~ or !~" },
		{ "count{cache=~\"*-rcl\"} < 3",
		  "budget:1:14: expected a regular expression, found \"*-rcl\"" },
		{ "count{cache=~\"*-rcl\"} < 3", "as in \".*-rcl\"" },
		{ "count{cache=~\"a)(b\"} < 3", "budget:1:14: expected a regular expression" },
		{ "count{cache=~\"[a\"} < 3", "budget:1:14: expected a regular expression" },
		{ "count{cache=\"x\" site=\"y\"} < 3", "expected a comma or }" },
		{ "lost{cache=\"x\"} == 0", "budget:1:5: expected no selector" },
		{ "count / m < 3", "budget:1:9: expected s, for a second, found 'm'" },
		{ "p50 / s < 3ms", "budget:1:5: expected a relation such as <=, since" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lt_budget b = { .n = 0 };
		const char *message;
		int err;

		test_stderr_begin();
		lt_log_to_stderr();
		err = lt_budget_add(&b, "budget", rows[i].text);
		message = test_stderr_end();
		if (!err || !strstr(message, rows[i].message))
			fail_msg("%s: %d, %s", rows[i].text, err, message);
		lt_budget_free(&b);
	}
}

/* The whole name must match, and what looks like a pattern of a shell is said. */
static void test_regex(void **state)
{
	static const struct {
		const char *regex;
		const char *name;
		bool matches;
		bool note;
	} rows[] = {
		{ "driver_.*", "driver_probe", true, false },
		{ "driver_.*", "my_driver_probe", false, false },
		{ "a|b", "a", true, false }, { "a|b", "ab", false, false },
		{ "^(a|b)c$", "bc", true, false }, { "kmalloc-[0-9]+k?", "kmalloc-1k", true, false },
		{ "kmalloc-[0-9]+k?", "kmalloc-cg-1k", false, false },
		{ "x\\.y", "x.y", true, false }, { "x\\.y", "xzy", false, false },
		{ "kmalloc-*", "kmalloc-64", false, true }, { "kmalloc-*", "kmalloc--", true, true },
		{ "cat?", "ca", true, true }, { "", "", true, false }, { "", "a", false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lt_budget b = { .n = 0 };
		const char *message;
		char text[80];
		bool matches;

		snprintf(text, sizeof(text), "count{cache=~\"%s\"} < 3", rows[i].regex);
		test_stderr_begin();
		lt_log_to_stderr();
		matches = lt_matches(&one(&b, text)->matchers[0], rows[i].name);
		message = test_stderr_end();
		if (matches != rows[i].matches ||
		    rows[i].note != !!strstr(message, "is taken as a regular expression"))
			fail_msg("%s, %s: %d, %s", text, rows[i].name, matches, message);
		lt_budget_free(&b);
	}
}

/* Any bytes: no crash, and no rule without a text. */
static void test_random(void **state)
{
	static const char alphabet[] = "count{}\"=~!<>/ s;#,*+-base19.%KiBms\\\x80";
	uint64_t seed = 1;

	(void)state;
	lt_set_log(NULL, NULL);
	for (int i = 0; i < 20000; i++) {
		struct lt_budget b = { .n = 0 };
		char text[40] = "count";

		for (size_t k = (i & 1) * 5; k < sizeof(text) - 1; k++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			text[k] = alphabet[(seed >> 33) % (sizeof(alphabet) - 1)];
		}
		lt_budget_add(&b, "budget", text);
		for (size_t k = 0; k < b.n; k++)
			assert_non_null(b.rules[k].text);
		lt_budget_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_regex),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("rule", tests, NULL, NULL);
}
