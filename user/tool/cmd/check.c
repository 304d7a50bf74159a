// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace check: whether a trace keeps a budget.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "compare/budget.h"
#include "out/log.h"
#include "out/output.h"
#include "out/terminal.h"
#include "print/check.h"

#define MAX_BUDGET	(1U << 20)	/* bytes of a file with rules */
#define MAX_BASES	64

/* Rules from the command line, or from a file; in the order in which they stand there. */
struct source {
	bool file;
	const char *text;
};

struct options {
	struct lt_args args;
	struct lt_report_options report;
	struct source *sources;
	size_t n_sources;
	size_t cap_sources;
	const char *bases[MAX_BASES];
	size_t n_bases;
	const char *junit;
	bool tap;
	bool allow_unknown;
	bool allow_empty;
};

enum { KEY_BUDGET = 256, KEY_BASE, KEY_JUNIT, KEY_TAP, KEY_ALLOW, KEY_EMPTY, KEY_SPACE, KEY_SELF,
       KEY_SHORT, KEY_LONG, KEY_WITHIN };

static const struct argp_option argp_options[] = {
	{ "rule", 'e', "RULE", 0, "A rule, such as 'live_bytes{cache=\"dentry\"} <= 2MiB'; may be "
	  "repeated", 0 },
	{ "budget", KEY_BUDGET, "FILE", 0, "The rules in FILE, one a line; may be repeated", 0 },
	{ "base", KEY_BASE, "TRACE", 0, "The trace of 'base' in a rule, which is the same metric "
					"in TRACE; if repeated, the median", 0 },
	{ "allow-unknown", KEY_ALLOW, NULL, 0,
	  "A rule that is undecided does not fail", 0 },
	{ "allow-empty", KEY_EMPTY, NULL, 0,
	  "A selector may name something that the trace does not have", 0 },
	{ "junit", KEY_JUNIT, "FILE", 0, "Also write the verdicts to FILE as XML of JUnit", 0 },
	{ "tap", KEY_TAP, NULL, 0, "Print TAP, the Test Anything Protocol", 0 },
	{ "space", KEY_SPACE, "SPACE", 0, LT_SPACE_HELP, 0 },
	{ "self", KEY_SELF, NULL, 0, "With what the recorder itself allocated", 0 },
	{ "short", KEY_SHORT, "TIME", 0, "For short_lived: lived at most TIME [1ms]", 2 },
	{ "within", KEY_WITHIN, "N", 0,
	  "For freed_at_once: freed within N further allocations [16]", 2 },
	{ "long", KEY_LONG, "TIME", 0, "For long_lived: lived at least TIME [1s]", 2 },
	{ 0 }
};

static void add_source(struct options *o, bool file, const char *text)
{
	o->sources = lt_grow(o->sources, &o->cap_sources, o->n_sources, sizeof(*o->sources));
	o->sources[o->n_sources++] = (struct source){ file, text };
}

static void finish_options(const struct options *o, struct argp_state *state)
{
	char option[LT_FORMAT_OPTION];

	if (lt_args_list_columns(&o->args))
		return;
	if (!o->n_sources)
		argp_error(state, "expected a rule: -e RULE, or --budget=FILE");
	if (o->tap && o->args.format != LT_FORMAT_TEXT)
		argp_error(state, "--tap and %s: only one of them is possible",
			   lt_args_format_option(o->args.format, option));
	if (o->tap && o->args.columns)
		argp_error(state, "--columns: TAP has none");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		return 0;
	case ARGP_KEY_END:
		finish_options(o, state);
		return 0;
	case 'e':
		add_source(o, false, arg);
		return 0;
	case KEY_BUDGET:
		add_source(o, true, arg);
		return 0;
	case KEY_BASE:
		if (o->n_bases == MAX_BASES)
			argp_error(state, "--base: at most %d traces", MAX_BASES);
		o->bases[o->n_bases++] = arg;
		return 0;
	case KEY_ALLOW:
		o->allow_unknown = true;
		return 0;
	case KEY_EMPTY:
		o->allow_empty = true;
		return 0;
	case KEY_JUNIT:
		if (!strcmp(arg, "-"))
			argp_error(state, "--junit=-: standard output has the verdicts; name a file");
		o->junit = arg;
		return 0;
	case KEY_TAP:
		o->tap = true;
		return 0;
	case KEY_SPACE:
		o->report.space = lt_args_space(state, arg);
		return 0;
	case KEY_SELF:
		o->report.no_recorder = false;
		return 0;
	case KEY_SHORT:
		o->report.short_ns = lt_args_duration(state, "short", arg, 0);
		return 0;
	case KEY_LONG:
		o->report.long_ns = lt_args_duration(state, "long", arg, 0);
		return 0;
	case KEY_WITHIN:
		o->report.within = (uint32_t)lt_args_count(state, "within", arg, 0, 1000000000);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "[FILE...]",
	"Check rules about the memory use in a trace, for continuous integration. Print the "
	"verdict of each rule: met; broken, with the rows that contribute most; or undecided, if "
	"lost events or uncertain lifetimes could change the verdict. Exit status: 0 all rules "
	"are met, 1 not all, 2 a rule or a file cannot be used.\vA rule is METRIC[{SELECTOR}] [/ "
	"s] RELATION LIMIT, for example:\n"
	"  live_bytes{cache=\"dentry\"} <= 2MiB\n"
	"  count{site=~\"getname.*\"} / s < 2000\n"
	"  p99{comm=\"cp\"} < 5ms\n"
	"  peak_bytes <= base * 1.05\n"
	"  lost == 0; exact >= 99%\n"
	"Metrics are the columns of 'lifetrace report --sort', and lost. Selectors choose by "
	"cache, site (the function) and comm (the name of the task); for =~ and !~ a regular "
	"expression must match the whole name.",
	lt_args_file_table, NULL, NULL
};

/* Return: 0, or -1 after printing what is wrong. */
static int read_rules(const struct options *o, struct lt_budget *b)
{
	for (size_t i = 0; i < o->n_sources; i++) {
		const struct source *s = &o->sources[i];
		char *text;
		int err;

		if (!s->file) {
			if (lt_budget_add(b, "-e", s->text))
				return -1;
			continue;
		}
		text = lt_read_text_file(s->text, MAX_BUDGET, NULL);
		if (!text) {
			lt_error("%s: %s", s->text, strerror(errno));
			return -1;
		}
		err = lt_budget_add(b, s->text, text);
		free(text);
		if (err)
			return -1;
	}
	if (!b->n) {
		lt_error("the budget has no rule");
		return -1;
	}
	if (lt_budget_has_base(b) && !o->n_bases) {
		lt_error("a rule names the base: --base=TRACE must say which one it is");
		return -1;
	}
	return 0;
}

/* Return: 0, or -1 after printing why not. */
static int write_junit(const struct options *o, const struct lt_checked *c)
{
	int fd = lt_output_open_public(o->junit);
	struct lt_out out = LT_OUT_NAMED(fd, o->junit);
	struct lt_check_view view = { .file = lt_file_name(o->args.file),
				      .allow_unknown = o->allow_unknown, .out = &out };
	int err;

	if (out.fd < 0)
		return -1;
	lt_check_junit(c, &view);
	err = lt_out_close(&out);
	return lt_output_close(fd, !err) ? -1 : err;
}

/* Return: enum lt_exit. */
static int print(const struct options *o, const struct lt_checked *c, uint64_t own)
{
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	struct lt_check_view view = { .file = o->args.file, .allow_unknown = o->allow_unknown,
				      .own = own, .out = &out, .format = o->args.format,
				      .columns = o->args.columns };
	struct lt_terminal term;

	if (o->junit && write_junit(o, c))
		return LT_EXIT_BAD;
	lt_terminal_init(&term);
	if (!o->tap && o->args.format == LT_FORMAT_TEXT)
		out.width = term.fit;
	if (o->tap)
		lt_check_tap(c, &view);
	else
		lt_check_print(c, &view);
	if (lt_out_close(&out))
		return LT_EXIT_BAD;
	return c->count[LT_BROKEN] || (c->count[LT_UNDECIDED] && !o->allow_unknown) ? LT_EXIT_NO :
											LT_EXIT_OK;
}

/* Return: enum lt_exit. */
static int check(const struct options *o, const struct lt_budget *b)
{
	struct lt_side side = { .report = NULL }, *bases;
	struct lt_checked c;
	int status = LT_EXIT_BAD;
	size_t n = 0;

	bases = lt_alloc_array(o->n_bases + 1, sizeof(*bases));
	lt_cmd_say_whose(o->args.file);
	while (n < o->n_bases && !lt_side_make(&bases[n], o->bases[n], &o->report))
		n++;
	if (n == o->n_bases && !lt_side_make(&side, o->args.file, &o->report)) {
		lt_budget_check(b, &side, bases, n, &c);
		if (!lt_trace_has_stacks(side.report->trace) ||
		    !lt_checked_stacks(&c, &side, o->args.file))
			status = print(o, &c, side.report->own_births);
		lt_checked_free(&c);
	}
	lt_side_free(&side);
	while (n)
		lt_side_free(&bases[--n]);
	free(bases);
	return status;
}

int lt_cmd_check(int argc, char **argv)
{
	struct options o = {
		.args.kind = &lt_rows_of_rule,
		.report = { .no_recorder = true, .short_ns = 1000000, .within = 16,
			    .long_ns = 1000000000 },
	};
	struct lt_budget b = { .n = 0 };
	int status = LT_EXIT_BAD;

	lt_help_parse(&argp, argc, argv, 0, &o);
	lt_args_rows(&o.args, &lt_rows_of_rule, 0, NULL);
	b.allow_empty = o.allow_empty;
	if (!read_rules(&o, &b)) {
		o.report.comms = lt_budget_has_label(&b, LT_LABEL_COMM);
		status = check(&o, &b);
	}
	lt_budget_free(&b);
	free(o.sources);
	return status;
}
