// SPDX-License-Identifier: GPL-2.0
/*
 * Verdicts: for each metric a limit on either side, and what loss makes of them.
 */
#include "uapi/lifetrace_file.h"
#include "compare/budget.h"
#include "out/log.h"
#include "print/check.h"
#include "reporttest.h"

static const char symbols[] = "ffffffff81000000 T make_a\nffffffff81000200 T make_b\n"
			      "ffffffff81000800 T drop\nffffffff81000a00 T end\n";

/*
 * By cat on CPU 0: of make_a four objects of 128 bytes, of which three end after 100, 200 and
 * 20000 ns, and one on CPU 1 by dog; of make_b two of 64 bytes, which stay; one of them of 40
 * bytes. Allocations are watched from 1000 to 101000 ns.
 */
static struct tg *usual_events(struct tg *g)
{
	tg_text(g, LT_BLOCK_SYMBOLS, symbols);
	born(g, 1000, 1, A, 128);
	freed(g, 1100, 1);
	born(g, 2000, 2, A, 128);
	freed(g, 2200, 2);
	born(g, 3000, 3, A, 128);
	born(g, 3500, 4, A, 128);
	born(g, 4000, 5, B + 8, 64);
	TG_KMALLOC(g, 0, 5000, .ptr = PTR + 6 * 0x10000ULL, .call_site = B + 8, .bytes_req = 40,
		   .bytes_alloc = 64, .gfp = KERNEL, .node = -1);
	freed(g, 23000, 3);
	tg_kfree(g, 1, 33500, PTR + 4 * 0x10000ULL, F);
	return g;
}

static struct tg *usual_trace(void)
{
	return usual_events(new_trace());
}

static struct lt_side side_of(struct tg *g, const char *name)
{
	struct lt_report_options o = usual;
	struct lt_side s;

	o.comms = true;
	tg_finish(g, 101000);
	assert_int_equal(tg_write(g, test_path(name), 0), 0);
	assert_int_equal(lt_side_make(&s, test_path(name), &o), 0);
	tg_free(g);
	return s;
}

/* The verdict on one rule. */
static enum lt_verdict_kind judge(const struct lt_side *s, const struct lt_side *bases, size_t n,
				  const char *rule, struct lt_verdict *v)
{
	struct lt_budget b = { .n = 0 };
	struct lt_checked c;
	enum lt_verdict_kind kind;

	if (lt_budget_add(&b, "-e", rule))
		fail_msg("%s: not understood", rule);
	lt_budget_check(&b, s, bases, n, &c);
	kind = c.verdicts[0].kind;
	assert_int_equal(c.count[kind], 1);
	if (v)
		*v = c.verdicts[0];
	lt_checked_free(&c);
	lt_budget_free(&b);
	return kind;
}

struct row {
	const char *rule;
	enum lt_verdict_kind kind;
};

static void judge_all(const struct lt_side *s, const struct lt_side *bases, size_t n,
		      const struct row *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++) {
		struct lt_verdict v;
		enum lt_verdict_kind kind = judge(s, bases, n, rows[i].rule, &v);

		if (kind != rows[i].kind)
			fail_msg("%s: %s, %g to %g", rows[i].rule, lt_verdict_name(kind), v.is.low,
				 v.is.high);
	}
}

#define JUDGE(s, bases, n, rows)	judge_all(s, bases, n, rows, sizeof(rows) / sizeof(rows[0]))

/* Nothing is lost: each metric is one number, and a rule with the next one is broken. */
static void test_exact(void **state)
{
	static const struct row rows[] = {
		{ "count == 6", LT_MET }, { "count > 6", LT_BROKEN },
		{ "count{comm=\"cat\"} >= 6", LT_MET }, { "count{comm=\"dog\"} != 0", LT_BROKEN },
		{ "count{site=\"make_a\"} < 5", LT_MET },
		{ "count{site=\"make_a\"} < 4", LT_BROKEN },
		{ "count{cache=\"kmalloc-128\"} == 4", LT_MET },
		{ "count{cache=~\"kmalloc-.*\", site!=\"make_a\"} == 2", LT_MET },
		{ "count{site!~\"make_b.*\"} == 4", LT_MET },
		{ "count / s == 60000", LT_MET }, { "count / s < 60000", LT_BROKEN },
		{ "rate_per_s <= 60000", LT_MET },
		{ "bytes <= 640", LT_MET }, { "bytes < 640B", LT_BROKEN },
		{ "slack_bytes == 24", LT_MET }, { "slack >= 3.75%", LT_MET },
		{ "slack > 3.75%", LT_BROKEN },
		{ "alive == 2", LT_MET }, { "live{site=\"make_a\"} > 0", LT_BROKEN },
		{ "alive_bytes <= 128", LT_MET }, { "live_bytes < 128", LT_BROKEN },
		{ "maybe_alive == 0", LT_MET }, { "maybe_alive_bytes != 0", LT_BROKEN },
		{ "peak_alive == 4", LT_MET }, { "peak_bytes == 384", LT_MET },
		{ "peak_bytes{site=\"make_b\"} > 128", LT_BROKEN },
		{ "short_lived == 2", LT_MET }, { "short_lived > 34%", LT_BROKEN },
		{ "freed_at_once >= 2", LT_MET }, { "freed_at_once > 3", LT_BROKEN },
		{ "long_lived == 4", LT_MET }, { "long_lived < 4", LT_BROKEN },
		{ "other_cpu == 1", LT_MET }, { "other_cpu == 0", LT_BROKEN },
		{ "other_context == 0", LT_MET }, { "other_context > 0", LT_BROKEN },
		{ "outlives == 0", LT_MET }, { "outlives != 0", LT_BROKEN },
		{ "exact == 4", LT_MET }, { "exact >= 100%", LT_MET },
		{ "exact < 100%", LT_BROKEN }, { "exact{site=\"make_b\"} >= 0%", LT_MET },
		{ "censored == 2", LT_MET }, { "censored{site=\"make_b\"} < 100%", LT_BROKEN },
		{ "p50{site=\"make_a\"} <= 204ns", LT_MET },
		{ "p50{site=\"make_a\"} < 195ns", LT_BROKEN },
		{ "p90{site=\"make_a\"} == 30us", LT_MET },
		{ "p99{site=\"make_a\"} < 30us", LT_BROKEN },
		/* Two of six are alive: a greater age than 98 us, but nobody knows which. */
		{ "p90 > 90us", LT_MET }, { "p90 < 90us", LT_BROKEN }, { "p90 < 1s", LT_UNDECIDED },
		{ "p50{site=\"none\"} < 1s", LT_UNDECIDED },
		{ "longest{site=\"make_a\"} == 30us", LT_MET }, { "longest < 97us", LT_BROKEN },
		{ "lost == 0", LT_MET }, { "lost > 0", LT_BROKEN },
	};
	struct lt_side s = side_of(usual_trace(), "exact.lt");

	(void)state;
	JUDGE(&s, NULL, 0, rows);
	lt_side_free(&s);
}

/* Three births are lost, of unknown size; and a free of one object. */
static void test_lost(void **state)
{
	static const struct row rows[] = {
		{ "lost == 4", LT_MET }, { "lost < 4", LT_BROKEN },
		{ "count >= 6", LT_MET }, { "count < 6", LT_BROKEN }, { "count <= 9", LT_MET },
		{ "count <= 8", LT_UNDECIDED }, { "count == 6", LT_UNDECIDED },
		{ "count != 10", LT_MET }, { "count{cache=\"none\"} == 0", LT_UNDECIDED },
		{ "bytes >= 640", LT_MET }, { "bytes < 1MiB", LT_UNDECIDED },
		{ "bytes < 640", LT_BROKEN }, { "slack <= 5%", LT_UNDECIDED },
		{ "live{site=\"make_b\"} <= 5", LT_MET }, { "live <= 3", LT_UNDECIDED },
		{ "live <= 11", LT_MET }, { "live_bytes <= 128", LT_UNDECIDED },
		{ "live_bytes < 0", LT_BROKEN },
		/* Three more may have ended at once, or live for ever. */
		{ "p50{site=\"make_a\"} < 100us", LT_MET },
		{ "p50{site=\"make_a\"} < 1us", LT_UNDECIDED },
		{ "p50{site=\"make_a\"} < 100ns", LT_BROKEN }, { "maybe_alive == 2", LT_MET },
		{ "p99{site=\"make_a\"} >= 150ns", LT_MET },
		{ "p99{site=\"make_a\"} < 100ns", LT_BROKEN },
		{ "short_lived == 2", LT_UNDECIDED }, { "short_lived >= 2", LT_MET },
		{ "longest < 1s", LT_UNDECIDED }, { "longest >= 200ns", LT_MET },
		{ "exact{site=\"make_a\"} >= 99%", LT_MET },
		{ "peak_bytes >= 256", LT_MET }, { "peak_bytes <= 384", LT_UNDECIDED },
		{ "peak_bytes >= 1KiB", LT_UNDECIDED },
	};
	struct tg *g = usual_trace();
	struct lt_side s;

	(void)state;
	tg_close(g, 0, 40000);
	tg_lost(g, 0, LT_CLASS_KMALLOC, TG_FULL, 3);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_NESTED, 1);
	tg_open(g, 0, 50000);
	TG_TASK(g, 0, 50000, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	s = side_of(g, "lost.lt");
	JUDGE(&s, NULL, 0, rows);
	lt_side_free(&s);
}

/*
 * How many events were lost is not known, but for a part of them: of a file without an end, of an
 * import whose tool gives no number, or says nothing of losses.
 */
static void test_lost_unknown(void **state)
{
	static const struct row rows[] = {
		{ "lost >= 1", LT_MET }, { "lost < 1", LT_BROKEN }, { "lost == 0", LT_BROKEN },
		{ "lost <= 60000", LT_UNDECIDED }, { "lost > 1", LT_UNDECIDED },
		{ "lost == base", LT_UNDECIDED },
	};
	static const struct row none[] = {
		{ "lost == 0", LT_UNDECIDED }, { "lost >= 0", LT_MET }, { "count < 6", LT_BROKEN },
		{ "count <= 100", LT_UNDECIDED }, { "live <= 3", LT_UNDECIDED },
		{ "live >= 1", LT_UNDECIDED }, { "longest >= 200ns", LT_UNDECIDED },
		{ "exact >= 1%", LT_UNDECIDED }, { "slack <= 100%", LT_MET },
	};
	struct tg *silent = tg_new(&(struct tg_options){ .info = "losses_unknown=1\n" });
	struct lt_side s, empty = side_of(usual_events(silent), "silent.lt");
	struct tg *g = usual_trace();

	(void)state;
	JUDGE(&empty, NULL, 0, none);
	tg_lost(g, 0, LT_CLASS_KMALLOC, TG_FULL, 1);
	tg_text(g, LT_BLOCK_STATS, "import places 1 lost 0 unnumbered 1\n");
	s = side_of(g, "unnumbered.lt");
	JUDGE(&s, &empty, 1, rows);
	lt_side_free(&s);
	lt_side_free(&empty);
}

/* What was left out on purpose may be of any row, too. */
static void test_filtered(void **state)
{
	static const struct row rows[] = {
		{ "count <= 11", LT_MET }, { "count <= 10", LT_UNDECIDED },
		{ "count < 6", LT_BROKEN },
		{ "live_bytes <= 1MiB", LT_UNDECIDED }, { "lost == 0", LT_MET },
	};
	struct tg *g = usual_trace();
	struct lt_verdict v;
	struct lt_side s;

	(void)state;
	tg_filtered(g, 0, LT_CLASS_KMALLOC, 5);
	tg_filtered(g, 0, LT_CLASS_KFREE, 3);
	s = side_of(g, "filtered.lt");
	JUDGE(&s, NULL, 0, rows);
	judge(&s, NULL, 0, "count <= 10", &v);
	assert_int_equal(v.why, LT_UNSURE_LEFT_OUT);
	lt_side_free(&s);
}

/* The base: of one trace its metric, of several the median. */
static void test_base(void **state)
{
	static const struct row with_one[] = {
		{ "bytes <= base", LT_MET }, { "bytes < base", LT_BROKEN },
		{ "bytes <= base * 0.99", LT_BROKEN }, { "bytes == base * 2 - 640", LT_MET },
		{ "count{site=\"make_a\"} <= base", LT_MET },
	};
	static const struct row with_three[] = {
		{ "count == base - 1", LT_MET }, { "bytes == base - 128", LT_MET },
	};
	struct lt_side s = side_of(usual_trace(), "s.lt"), bases[3];
	struct tg *g;

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		g = usual_trace();
		for (unsigned int k = 0; k < i * i; k++)
			born(g, 60000 + k, 20 + k, A, 128);
		bases[i] = side_of(g, "base.lt");
	}
	JUDGE(&s, bases, 1, with_one);
	JUDGE(&s, bases, 3, with_three);
	for (unsigned int i = 0; i < 3; i++)
		lt_side_free(&bases[i]);
	lt_side_free(&s);
}

/*
 * A condition that no name of the trace fulfils: nothing was looked at, so nothing is met, and the
 * nearest name is said. That conditions choose nothing together is an answer.
 */
static void test_lacks(void **state)
{
	static const struct {
		const char *rule;
		const char *lacks;	/* NULL: nothing; the rule is met then */
	} rows[] = {
		{ "alive{site=~\"driver.*\"} == 0",
		  "no call site of the trace matches \"driver.*\"" },
		{ "alive{cache=\"kmalloc-129\"} == 0",
		  "no cache of the trace is \"kmalloc-129\"; did you mean 'kmalloc-128'?" },
		{ "count{site=~\"make_*\"} == 0",
		  "no call site of the trace matches \"make_*\"; as a regular expression that is "
		  "\"make_.*\"" },
		{ "alive{comm=\"dug\"} == 0",
		  "no task of the trace is \"dug\"; did you mean 'dog'?" },
		{ "count{cache=\"kmalloc-64\",site=\"make_c\"} >= 0",
		  "no call site of the trace is \"make_c\"; did you mean 'make_a'?" },
		{ "count{site!~\".*\"} == 0", "every call site of the trace matches \".*\"" },
		{ "count{cache=\"kmalloc-128\",site=\"make_b\"} == 0", NULL },
		{ "alive{cache=\"kmalloc-12[89]\"} >= 0", "no cache of the trace is" },
		{ "alive{cache=~\"kmalloc-12[89]\"} >= 0", NULL },
		{ "alive{cache!=\"kmalloc-129\"} == 1", NULL },
		{ "count{comm=\"\"} == 0", NULL },
		{ "count{comm=\"idle\"} == 0", NULL },
	};
	struct tg *g = usual_trace();
	struct lt_side s;

	(void)state;
	TG_TASK(g, 1, 60000, .tid = 19, .tgid = 19, .start = 70, .comm = "idle");
	freed(g, 61000, 5);
	s = side_of(g, "lacks.lt");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lt_budget b = { .n = 0 };
		struct lt_checked c;

		assert_int_equal(lt_budget_add(&b, "-e", rows[i].rule), 0);
		lt_budget_check(&b, &s, NULL, 0, &c);
		if (c.verdicts[0].kind != (rows[i].lacks ? LT_UNDECIDED : LT_MET) ||
		    !rows[i].lacks != !c.verdicts[0].lacks ||
		    (rows[i].lacks && !strstr(c.verdicts[0].lacks, rows[i].lacks)))
			fail_msg("%s: %s, %s", rows[i].rule, lt_verdict_name(c.verdicts[0].kind),
				 c.verdicts[0].lacks ? c.verdicts[0].lacks : "nothing");
		lt_checked_free(&c);
		b.allow_empty = true;
		lt_budget_check(&b, &s, NULL, 0, &c);
		if (c.verdicts[0].kind != LT_MET)
			fail_msg("%s: not met where that is allowed", rows[i].rule);
		lt_checked_free(&c);
		lt_budget_free(&b);
	}
	lt_side_free(&s);
}

/* A base without the name is none; but of several one may lack it. */
static void test_base_lacks(void **state)
{
	struct lt_side s = side_of(usual_trace(), "s.lt"), bases[2];
	struct tg *g = new_trace();

	(void)state;
	tg_text(g, LT_BLOCK_SYMBOLS, symbols);
	born(g, 1000, 1, A, 128);
	bases[0] = side_of(g, "base0.lt");
	bases[1] = side_of(usual_trace(), "base1.lt");
	assert_int_equal(judge(&s, bases, 1, "count{site=\"make_b\"} >= base", NULL),
			 LT_UNDECIDED);
	assert_int_equal(judge(&s, bases, 1, "count{site=\"make_a\"} >= base", NULL), LT_MET);
	assert_int_equal(judge(&s, bases, 2, "count{site=\"make_b\"} >= base", NULL), LT_MET);
	assert_int_equal(judge(&s, bases, 1, "count{site=\"make_b\"} == 2", NULL), LT_MET);
	lt_side_free(&bases[0]);
	lt_side_free(&bases[1]);
	lt_side_free(&s);
}

/* Each sum says what it is a part of, and what it leaves out. */
static void test_of(void **state)
{
	static const struct {
		const char *rule;
		const char *finding;
	} rows[] = {
		{ "exact >= 99%", "100 % of 4 lifetimes that are not open; 2 more are open\n" },
		{ "exact > 0", "4 of 4 lifetimes that are not open; 2 more are open\n" },
		{ "censored > 0", "2 of 6 allocations\n" },
		{ "short_lived < 50%", "33.33 % of 6 allocations, of which 2 are open\n" },
		{ "alive < 50%", "33.33 % of 6 allocations\n" },
		{ "slack < 5%", "3.75 % of 640 B allocated\n" },
		{ "live_bytes < 1KiB", "128 B of 640 B allocated\n" },
		{ "p50{site=\"make_a\"} < 1s", " of 4 lifetimes that ended and 0 that are open\n" },
		{ "count > 0", "              6\n" }, { "bytes > 0", "              640 B\n" },
		{ "lost == 0", "              0\n" }, { "live / s > 0", "/s\n" },
	};
	struct lt_side s = side_of(usual_trace(), "of.lt");

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lt_budget b = { .n = 0 };
		struct lt_out out = LT_OUT_INIT(-1);
		struct lt_check_view view = { .file = "of", .out = &out };
		struct lt_checked c;

		assert_int_equal(lt_budget_add(&b, "-e", rows[i].rule), 0);
		lt_budget_check(&b, &s, NULL, 0, &c);
		lt_check_print(&c, &view);
		lt_out_char(&out, 0);
		if (!strstr(out.buf, rows[i].finding))
			fail_msg("%s: %s", rows[i].rule, out.buf);
		free(out.buf);
		lt_checked_free(&c);
		lt_budget_free(&b);
	}
	lt_side_free(&s);
}

static char *printed(void (*print)(const struct lt_checked *, const struct lt_check_view *),
		     const struct lt_checked *c, bool allow)
{
	struct lt_out out = LT_OUT_INIT(-1);
	struct lt_check_view view = { .file = "a&b", .allow_unknown = allow, .out = &out };

	print(c, &view);
	lt_out_char(&out, 0);
	return out.buf;
}

/* The rows that count most are printed, and each format says the same. */
static void test_print(void **state)
{
	struct lt_side s = side_of(usual_trace(), "print.lt");
	struct lt_budget b = { .n = 0 };
	struct lt_checked c;
	char *text;

	(void)state;
	assert_int_equal(lt_budget_add(&b, "b", "bytes <= 600\nlost == 0\n"
				       "p90{site=~\".*\"} < 1s # <\n"), 0);
	lt_budget_check(&b, &s, NULL, 0, &c);
	assert_int_equal(c.count[LT_MET], 1);
	assert_int_equal(c.verdicts[0].n_offenders, 2);
	assert_string_equal(c.verdicts[0].offenders[0].site, "make_a+0x100");
	assert_true(c.verdicts[0].offenders[0].value == 512);
	assert_string_equal(c.verdicts[0].offenders[1].cache, "kmalloc-64");
	assert_string_equal(c.verdicts[0].offenders[1].comm, "cat");

	text = printed(lt_check_print, &c, false);
	assert_non_null(strstr(text, "broken      bytes <= 600\n              640 B\n"));
	assert_non_null(strstr(text, "| 512 B  kmalloc-128  make_a+0x100  cat\n"));
	assert_non_null(strstr(text, "1 met, 1 broken, 1 undecided\n"));
	free(text);
	text = printed(lt_check_tap, &c, false);
	assert_non_null(strstr(text, "1..3\nnot ok 1 - bytes <= 600\n# 640 B\n"));
	assert_non_null(strstr(text, "\nok 2 - lost == 0\n"));
	assert_non_null(strstr(text, "\nnot ok 3 - p90"));
	free(text);
	text = printed(lt_check_tap, &c, true);
	assert_non_null(strstr(text, "\nok 3 - p90{site=~\".*\"} < 1s # SKIP undecided\n"));
	free(text);
	text = printed(lt_check_junit, &c, false);
	assert_non_null(strstr(text, "name=\"lifetrace a&amp;b\" tests=\"3\" failures=\"2\""));
	assert_non_null(strstr(text, "name=\"p90{site=~&quot;.*&quot;} &lt; 1s\">"));
	free(text);
	text = printed(lt_check_junit, &c, true);
	assert_non_null(strstr(text, "failures=\"1\" errors=\"0\" skipped=\"1\""));
	free(text);
	lt_checked_free(&c);
	lt_budget_free(&b);
	lt_side_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_lost), cmocka_unit_test(test_lost_unknown),
		cmocka_unit_test(test_filtered),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_lacks),
		cmocka_unit_test(test_base_lacks),
		cmocka_unit_test(test_of),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
