// SPDX-License-Identifier: GPL-2.0
/* The scenarios' own test: wrong expectations fail, and so do texts that are no scenarios. */
#include "scenario.h"

#define PAIR	"c1 100 kmalloc A | c0 1000 kmalloc A by b | c1 1050 kfree A by ? |" \
		"c0 3000 kfree A by b "

struct planted {
	const char *text;
	const char *error;	/* a part of the message; NULL: there is none */
};

static const struct planted expectations[] = {
	{ PAIR "-> A1 exact 1050@1000; A2 exact 3000", NULL },
	{ PAIR "-> A1 exact 1050@1000; A2 exact 3000 | end -> nothing", NULL },
	/* Too few, too many, in another order, too early, too late. */
	{ PAIR, "expected: nothing more\nfound:    A1 exact 1050@1000; A2 exact 3000" },
	{ PAIR "-> nothing", "expected: nothing\nfound:    A1 exact 1050@1000; A2 exact 3000" },
	{ PAIR "-> A1 exact 1050@1000", "found:    A1 exact 1050@1000; A2 exact 3000" },
	{ PAIR "-> A1 exact 1050@1000; A2 exact 3000; A2 exact 3000",
	  "found:    A1 exact 1050@1000; A2 exact 3000\n" },
	{ PAIR "-> A2 exact 3000; A1 exact 1050@1000", "found:    A1 exact 1050@1000; A2" },
	{ PAIR "| end -> A1 exact 1050@1000; A2 exact 3000", NULL },
	{ PAIR "-> A1 exact 1050@1000; A2 exact 3000 | end -> A1 open", "found:    nothing" },
	{ "c0 1 kmalloc A -> nothing", "expected: nothing more\nfound:    A1 open" },
	/* One thing wrong. */
	{ PAIR "-> A1 uncertain 1050@1000; A2 exact 3000", "found:    A1 exact" },
	{ PAIR "-> A1 exact 1050; A2 exact 3000", "found:    A1 exact 1050@1000" },
	{ PAIR "-> A1 exact 1050@1001; A2 exact 3000", "found:    A1 exact 1050@1000" },
	{ PAIR "-> A1 exact 1051@1000; A2 exact 3000", "found:    A1 exact 1050@1000" },
	{ PAIR "-> A1@99 exact 1050@1000; A2 exact 3000", "found:    A1 exact 1050@1000" },
	{ PAIR "-> A0 exact 1050@1000; A2 exact 3000", "found:    A1 exact 1050@1000" },
	{ PAIR "-> A1 exact reborn 1000; A2 exact 3000", "found:    A1 exact 1050@1000" },
	{ PAIR "-> A1 exact alive; A2 exact 3000", "found:    A1 exact 1050@1000" },
	{ PAIR "-> A1 exact 1050@1000 +7; A2 exact 3000", "found:    A1 exact 1050@1000; A2" },
	{ PAIR "-> A1 exact 1050@1000; A2 exact 3000 further 1", "A2 exact 3000 further 0" },
	{ "c0 1 page_alloc 8/1 | c0 2 page_free 8/0 -> P1:9+1 exact 2", "found:    P1:8+1 exact 2" },
	{ "c0 1 page_alloc 8/1 | c0 2 page_free 8/0 -> P1:8+2 exact 2", "found:    P1:8+1 exact 2" },
	{ "c0 1 page_alloc 8/1 | c0 2 page_free 8/0 -> P1 exact 2", "found:    P1:8+1 exact 2" },
	{ "c0 1 page_free 8/1 -> P0:8+2/split before 1", "found:    P0:8+2 before 1" },
	{ "c0 1 cache_free A -> A0 before 1", "found:    A0 before 1 cache 5" },
	{ "c0 1 rcu_free A | c0 9 kfree A -> A0 before 1", "found:    A0 before 1 +8" },
	{ "c0 1 kfree A | check bad 1", "bad: expected 1, found 0" },
	{ "c0 1 kmalloc A | check live 7", "live: expected 7, found 8" },
	{ "c0 1 kmalloc A | check lives 7", "there is no count 'lives'" },
	{ "c0 1 filtered kmalloc", "in traces only" },
};

static const struct planted syntax[] = {
	{ "", "column 1: no step: ''" },
	{ "c0 100 kmaloc A", "column 8: no event: 'kmaloc'\n\tc0 100 >>> kmaloc A" },
	{ "c0 100 kmalloc", "column 15: no object: ''" },
	{ "c0 100 kmalloc X", "column 16: no object: 'X'" },
	{ "c0 100 kmalloc AB", "column 16: no object: 'AB'" },
	{ "c0 100 page_alloc A", "column 19: a number is missing in 'A'" },
	{ "c0 100 page_alloc 8", "column 19: FIRST/ORDER is missing in '8'" },
	{ "c0 kmalloc A", "column 4: a number is missing in 'kmalloc'" },
	{ "c0 10x kmalloc A", "column 4: something is left in '10x'" },
	{ "c0x 10 kmalloc A", "column 1: something is left in 'c0x'" },
	{ "c0 -1 kmalloc A", "column 4: a number is missing in '-'" },
	{ "c0 1 kmalloc A by d", "column 19: no task: 'd'" },
	{ "c0 1 kmalloc A in nmi", "column 19: no context: 'nmi'" },
	{ "c0 1 kmalloc A on", "column 16: no detail of an event: 'on'" },
	{ "c0 1 kmalloc A size 8", "column 21: REQ/GIVEN is missing in '8'" },
	{ "c0 1 kmalloc A | | end", "column 18: no step: '|'" },
	{ "c0 1 kmalloc A |", "column 17: no step: ''" },
	{ "c0 1 kmalloc A; end", "column 15: neither | nor -> before ';'" },
	{ "ends", "column 1: no step: 'ends'" },
	{ "unwatched", "column 10: not a thing to be unwatched: ''" },
	{ "c0 1 kmalloc A | late_free", "column 18: too late for 'late_free'" },
	{ "lost all", "column 9: a number is missing in ''" },
	{ "lost tasks 7", "column 6: no events to be lost: 'tasks'" },
	{ "c0 1 kmalloc A -> A2 open", "column 19: no such allocation before: 'A2'" },
	{ "c0 1 kmalloc A -> A1 alive", "column 22: no certainty: 'alive'" },
	{ "c0 1 kmalloc A -> A1", "column 21: no certainty: ''" },
	{ "c0 1 kmalloc A -> A1 exact", "column 27: a number is missing in ''" },
	{ "c0 1 kmalloc A -> A1 open 5", "column 27: no part of a lifetime: '5'" },
	{ "c0 1 kmalloc A -> A1 exact 5 cache 5", "column 30: no part of a lifetime: 'cache'" },
	{ "c0 1 kmalloc A -> A1 exact 5@", "column 28: a number is missing in '5@'" },
	{ "c0 1 kmalloc A -> A exact 5", "column 19: a number is missing in 'A'" },
	{ "c0 1 kmalloc A -> A1:8+1 exact 5", "column 19: something is left in 'A1:8+1'" },
	{ "c0 1 kmalloc A -> nothing; A1 open", "column 26: neither | nor -> before ';'" },
	{ "c0 1 page_free 8/0 -> P0 before 1", "column 23: which pages is missing in 'P0'" },
	{ "c0 1 page_alloc 8/1 -> P1:8 exact 1", "column 24: FIRST+PAGES is missing in" },
	{ "c0 1 page_alloc 8/1 -> P1:8+0 exact 1", "column 24: no pages in 'P1:8+0'" },
	{ "c0 1 page_alloc 8/1 -> P1:8+1/split exact 1", "column 24: something is left in" },
};

static void run(const struct planted *planted, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *error = scenario_error(planted[i].text);

		if (!error && !planted[i].error)
			continue;
		if (!error || !planted[i].error || !strstr(error, planted[i].error))
			fail_msg("%s\nthe error: %s", planted[i].text, error ? error : "none");
	}
}

static void test_expectations(void **state)
{
	(void)state;
	run(expectations, sizeof(expectations) / sizeof(expectations[0]));
}

static void test_syntax(void **state)
{
	(void)state;
	run(syntax, sizeof(syntax) / sizeof(syntax[0]));
}

/* Longer than a script has room for. */
static void test_too_long(void **state)
{
	char text[4096] = "c0 1 kfree A";
	const char *error;

	(void)state;
	for (int i = 0; i < 60; i++)
		strcat(text, " | end");
	error = scenario_error(text);
	assert_non_null(error);
	assert_non_null(strstr(error, "too many steps"));
	strcpy(text, "c0 1 kfree A -> A0 before 1");
	for (int i = 0; i < 60; i++)
		strcat(text, "; A0 before 1");
	error = scenario_error(text);
	assert_non_null(error);
	assert_non_null(strstr(error, "too many lifetimes"));
}

/* By way of a trace, wrong expectations fail as well. */
static void test_traces(void **state)
{
	struct trace_scenario ts = { .text = "c0 1 kmalloc A by b | c1 7 kfree A -> A1 exact 7" };
	const char *error = trace_scenario_error(&ts);

	(void)state;
	if (error)
		fail_msg("%s", error);
	ts.text = "c0 1 kmalloc A by b | c1 7 kfree A -> A1 exact 8";
	assert_non_null(strstr(trace_scenario_error(&ts), "found:    A1 exact 7"));
	ts.text = "late_free | c0 1 kmalloc A | lost all 7 -> A1 open";
	assert_non_null(strstr(trace_scenario_error(&ts), "not a step for a trace"));
	ts.text = "c0 1 kmalloc";
	assert_non_null(strstr(trace_scenario_error(&ts), "column 13"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expectations), cmocka_unit_test(test_syntax),
		cmocka_unit_test(test_too_long), cmocka_unit_test(test_traces),
	};

	return cmocka_run_group_tests_name("scenario", tests, NULL, NULL);
}
