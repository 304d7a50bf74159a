// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace report: lifetimes, added up by call site, cache, task or size.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/where.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "forms/words.h"
#include "out/log.h"
#include "out/terminal.h"
#include "print/report.h"
#include "sums/moment.h"
#include "syscalls/where.h"
#include "tasks/cgroups.h"

struct options {
	struct lt_args args;
	struct lt_filter_spec filter;
	struct lt_lines_args lines;
	struct lt_report_options report;
	struct lt_report_view view;
	bool by_given;
	bool whole_stacks;	/* not only their first frames */
	bool number;	/* -n was given */
	const char *at;
	char words[512];	/* options that change what is counted, for commands */
	struct lt_cgroups *cgroups;		/* by cgroup */
	struct lt_syscall_places *calls;		/* by system call */
	struct lt_call_places *functions;		/* by function call */
};

enum { KEY_BY = 256, KEY_SORT, KEY_COVERAGE, KEY_PAGES, KEY_SPACE, KEY_SHORT, KEY_LONG, KEY_WITHIN,
       KEY_ALL, KEY_SELF, KEY_STACKS, KEY_DEPTH, KEY_WRAPPERS, KEY_AT };

static const struct argp_option argp_options[] = {
	{ "by", KEY_BY, "WHAT", 0,
	  "One row for each call site (default), stack, cache, task, process, size, cgroup, "
	  "system call (syscall) or recorded function that it was in (call)", 0 },
	{ "stacks", KEY_STACKS, NULL, 0,
	  "As --by=stack: with the callers below each call site", 0 },
	{ "caller-depth", KEY_DEPTH, "K", 0,
	  "By the first K frames of the stack: \"caller ← caller\"", 0 },
	{ "skip-wrappers", KEY_WRAPPERS, NULL, 0, "By the first caller that is no wrapper; "
						  "kmemdup, alloc_inode and __alloc_skb are "
						  "wrappers. For more frames: --stacks, "
						  "--caller-depth", 0 },
	{ "at", KEY_AT, "WHEN", 0, "As it was then: 2.5 or 500ms after the beginning, -5s before the "
	  "end, @TIME on the trace's clock, 10:03:21 by the wall clock, marker:TEXT", 0 },
	{ "all", KEY_ALL, NULL, 0, "All lists, and a histogram of lifetimes", 0 },
	{ "sort", KEY_SORT, "COLUMN", 0, "One list, sorted by COLUMN", 0 },
	{ "number", 'n', "N", 0, "At most N rows of a list; 0: all [10; JSON and CSV: all]", 0 },
	{ "pages", KEY_PAGES, NULL, 0,
	  "Pages instead of slab objects, by size; with recorded stacks also by site or stack", 0 },
	{ "space", KEY_SPACE, "SPACE", 0, LT_SPACE_HELP, 0 },
	{ "self", KEY_SELF, NULL, 0, "With what the recorder itself allocated", 0 },
	{ "coverage", KEY_COVERAGE, NULL, 0,
	  "The table of caches: what the kernel counted, what the trace has", 0 },
	{ "short", KEY_SHORT, "TIME", 0, "Short-lived: lived at most TIME [1ms]", 2 },
	{ "within", KEY_WITHIN, "N", 0,
	  "At once: freed within N further allocations [16]", 2 },
	{ "long", KEY_LONG, "TIME", 0, "Long-lived: lived at least TIME [1s]", 2 },
	{ 0 }
};

/* What cannot be meant together. */
static void check(struct options *o, struct argp_state *state)
{
	const struct lt_report_view *v = &o->view;
	char option[LT_FORMAT_OPTION];

	if (v->list && v->sort)
		argp_error(state, "--sort: the list '%s' has its own order; leave one of them out",
			   v->list);
	if (v->all && (v->list || v->sort))
		argp_error(state, "--all: prints all lists; leave it out to print one");
	if (v->all && o->args.format != LT_FORMAT_TEXT)
		argp_error(state, "--all: %s has one table with all columns",
			   lt_args_format_option(o->args.format, option));
	if (v->coverage && o->at)
		argp_error(state, "--coverage: the kernel's counters were read at start and end only, not --at=%s",
			   o->at);
	if (v->coverage && o->args.format != LT_FORMAT_TEXT && o->args.format != LT_FORMAT_JSON)
		argp_error(state, "--coverage: is a table of its own, which %s does not have; "
			   "use --json", lt_args_format_option(o->args.format, option));
	if (v->coverage && o->report.space > LT_SPACE_SLAB)
		argp_error(state, "--coverage: the kernel's counters are of slab objects, not of %s",
			   lt_space_words(o->report.space)->objects);
}

/*
 * Slab objects have a cache, coherent memory has a device in its place; pages have a caller only
 * where their stacks were recorded.
 */
static void check_space(struct options *o, const struct argp_state *state)
{
	if (o->report.space <= LT_SPACE_SLAB)
		return;
	if (!o->by_given && o->report.space == LT_SPACE_PAGE)
		o->report.by = LT_BY_SIZE;
	else if (o->report.by == LT_BY_STACK && o->report.space > LT_SPACE_PAGE)
		argp_error(state, "stacks are not recorded of %s; use --by=site",
			   lt_space_words(o->report.space)->objects);
	else if (o->report.by == LT_BY_CACHE && !lt_space_has_caches(o->report.space))
		argp_error(state, "--by=cache: there are no caches of %s; use --by=size or --by=task",
			   lt_space_words(o->report.space)->objects);
}

/* An option that means a report by stack; with --by it must be that. */
static void want_stacks(struct options *o, const struct argp_state *state, const char *option)
{
	if (o->by_given && o->report.by != LT_BY_STACK)
		argp_error(state, "%s: is a report by stack; leave --by=%s out", option,
			   lt_report_kind(o->report.by)->name);
	o->report.by = LT_BY_STACK;
	o->by_given = true;
}

/* Commands that are lists of a report for their users, with options of their own. */
static const struct {
	const char *name;
	lt_cmd_fn *fn;
} questions[] = {
	{ "advice", lt_cmd_advice }, { "memory", lt_cmd_memory },
};

#define N_QUESTIONS	(sizeof(questions) / sizeof(questions[0]))

static lt_cmd_fn *other_question(const char *name)
{
	for (size_t i = 0; i < N_QUESTIONS; i++) {
		if (!strcmp(questions[i].name, name))
			return questions[i].fn;
	}
	return NULL;
}

/* The names of all lists, with @between two of them, but @last before the last one. */
static const char *list_names(char *text, size_t size, const char *between, const char *last)
{
	const char *name;
	size_t used = 0;

	for (size_t i = 0; used < size && (name = lt_report_list(i)); i++) {
		const char *before = lt_report_list(i + 1) ? between : last;

		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? before : "", name);
	}
	return text;
}

/* What may stand before the file. */
static void give_words(void)
{
	for (size_t i = 0; lt_report_list(i); i++)
		lt_words_give(lt_report_list(i), false);
	for (size_t i = 0; i < N_QUESTIONS; i++)
		lt_words_give(questions[i].name, false);
	lt_words_end();
}

/* A list, a question that has a command of its own, or a file, which is left to the caller. */
static error_t parse_word(struct options *o, const struct argp_state *state, char *arg)
{
	char lists[256];

	if (state->arg_num)
		return ARGP_ERR_UNKNOWN;
	if (lt_words_asked())
		give_words();
	if (other_question(arg))
		argp_error(state, "'%s' has options of its own: write it first, as in "
			   "'lifetrace report %s --json'", arg, arg);
	if (!lt_report_has_list(arg)) {
		if (!strpbrk(arg, "./-") && access(arg, F_OK))
			argp_error(state, "there is no list and no file '%s'; lists are %s", arg,
				   list_names(lists, sizeof(lists), ", ", " and "));
		return ARGP_ERR_UNKNOWN;
	}
	o->view.list = arg;
	return 0;
}

/* What a row is. */
static error_t parse_rows(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	enum lt_report_by by;

	switch (key) {
	case KEY_BY:
		by = lt_args_by(state, arg, lt_report_kind);
		if (o->by_given && o->report.by == LT_BY_STACK && by != LT_BY_STACK)
			argp_error(state, "--by=%s: with --stacks, --caller-depth and "
				   "--skip-wrappers a report is by stack; leave one of them out",
				   arg);
		o->report.by = by;
		o->by_given = true;
		o->whole_stacks |= by == LT_BY_STACK;
		return 0;
	case KEY_STACKS:
		o->whole_stacks = true;
		want_stacks(o, state, "--stacks");
		return 0;
	case KEY_DEPTH:
		o->report.depth = (unsigned int)lt_args_count(state, "caller-depth", arg, 1,
							      LT_STACK_MAX);
		want_stacks(o, state, "--caller-depth");
		return 0;
	case KEY_WRAPPERS:
		o->report.skip_wrappers = true;
		want_stacks(o, state, "--skip-wrappers");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* What is counted, and what counts as short, long or at once. */
static error_t parse_counted(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_AT:
		o->at = arg;
		lt_args_option(o->words, sizeof(o->words), "at", arg);
		return 0;
	case KEY_SPACE:
		o->report.space = lt_args_space(state, arg);
		return 0;
	case KEY_PAGES:
		o->report.space = LT_SPACE_PAGE;
		return 0;
	case KEY_SELF:
		o->report.no_recorder = false;
		lt_args_option(o->words, sizeof(o->words), "self", NULL);
		return 0;
	case KEY_SHORT:
		lt_args_option(o->words, sizeof(o->words), "short", arg);
		o->report.short_ns = lt_args_duration(state, "short", arg, 0);
		return 0;
	case KEY_LONG:
		lt_args_option(o->words, sizeof(o->words), "long", arg);
		o->report.long_ns = lt_args_duration(state, "long", arg, 0);
		return 0;
	case KEY_WITHIN:
		lt_args_option(o->words, sizeof(o->words), "within", arg);
		o->report.within = (uint32_t)lt_args_count(state, "within", arg, 0, 1000000000);
		return 0;
	default:
		return parse_rows(key, arg, state);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		state->child_inputs[1] = &o->filter;
		state->child_inputs[2] = &o->lines;
		state->child_inputs[3] = &o->args;
		return 0;
	case ARGP_KEY_ARG:
		return parse_word(o, state, arg);
	case ARGP_KEY_END:
		check(o, state);
		check_space(o, state);
		if (o->report.skip_wrappers && !o->report.depth && !o->whole_stacks)
			o->report.depth = 1;
		return 0;
	case KEY_SORT:
		lt_columns_offer(lt_report_kind(o->report.by), false);
		o->view.sort = arg;
		return 0;
	case 'n':
		o->view.top = (size_t)lt_args_count(state, "number", arg, 0, 1000000000);
		o->number = true;
		return 0;
	case KEY_ALL:
		o->view.all = true;
		return 0;
	case KEY_COVERAGE:
		o->view.coverage = true;
		return 0;
	default:
		return parse_counted(key, arg, state);
	}
}

static const struct argp argp = {
	argp_options, parse, NULL,
	"Sum up the allocations of a trace: how sure the figures are, what is alive at the end "
	"and at the peak, what allocates most, and how much is given but not asked for; each "
	"with its top call site. With a word, print one list: alive (at the end), peak (alive at "
	"the peak), churn (allocations), slack, short- or long-lived objects with a histogram, "
	"objects freed on another (remote) CPU, or objects that outlive the task that made "
	"them.\v"
	"Objects whose birth was not seen are in the "
	"summary only. A file that has the name of a list is written ./alive.",
	lt_args_file_table_filter_times, NULL, NULL
};

/* Return: enum lt_exit. */
static int print(struct lt_report *r, const struct options *o)
{
	struct lt_report_view v = o->view;
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	struct lt_terminal term;
	bool paged;
	int err;

	lt_terminal_init(&term);
	v.out = &out;
	v.utf8 = term.utf8;
	v.width = term.width;
	v.cut = term.fit;
	v.bold = term.bold;
	/* The first screen fits on the terminal. JSON and CSV are not for eyes. */
	if (v.format == LT_FORMAT_TEXT && (v.all || v.list || v.sort || v.columns || v.coverage)) {
		lt_terminal_page(&term);
		out.width = term.fit;
	}
	lt_report_print(r, &v);
	err = lt_out_close(&out);
	paged = lt_terminal_end(&term);
	/* A user who leaves the pager early has seen enough. */
	return err && !(paged && out.error == EPIPE) ? LT_EXIT_BAD : LT_EXIT_OK;
}

/* Whether the trace has the stacks that the report is made by; prints what it lacks. */
static bool has_stacks(const struct options *o, const struct lt_trace *t)
{
	const struct lt_report_options *r = &o->report;

	if (r->space == LT_SPACE_PAGE && (r->by == LT_BY_SITE || r->by == LT_BY_STACK)) {
		if (lt_trace_has_page_stacks(t))
			return true;
		lt_error("%s: was recorded without stacks of pages, so their callers are not "
			 "known; use --by=size or --by=task; lifetrace record --stacks-pages "
			 "records them", o->args.file);
		return false;
	}
	if (r->skip_wrappers && !lt_trace_has_stacks(t)) {
		lt_warn("%s: was recorded without stacks, so wrappers are marked and not skipped; "
			"lifetrace record --stacks records them", o->args.file);
	} else if (r->by == LT_BY_STACK && !lt_trace_has_stacks(t)) {
		lt_error("%s: was recorded without stacks; lifetrace record --stacks records them",
			 o->args.file);
		return false;
	}
	return true;
}

/*
 * A report of call sites for people has a second one in the same passes, by stack, if the trace has
 * stacks: for the paths to the sites. Return: the report; NULL after printing why there is none.
 */
static struct lt_report *make_with_paths(struct options *o)
{
	struct lt_report_options opts[2] = { o->report, o->report };
	struct lt_report *reports[2] = { NULL, NULL };
	struct lt_trace *t = lt_trace_open(o->args.file);
	size_t n = 1;

	if (!t)
		return NULL;
	if (lt_trace_has_stacks(t))
		n = 2;
	lt_trace_close(t);
	opts[1].by = LT_BY_STACK;
	/* Paths are compared by sums, see report_path.c. */
	opts[1].no_spans = true;
	if (lt_reports_make(o->args.file, opts, n, reports, NULL))
		return NULL;
	o->view.stacks = reports[1];
	return reports[0];
}

/* Return: the report; NULL after printing why there is none. */
static struct lt_report *make(struct options *o)
{
	struct lt_report_options *r = &o->report;
	struct lt_report *report;

	if (r->by == LT_BY_CGROUP && lt_args_cgroups(o->args.file, r, &o->cgroups))
		return NULL;
	if (r->by == LT_BY_SYSCALL && lt_args_syscalls(o->args.file, r, &o->calls))
		return NULL;
	if (r->by == LT_BY_CALL && lt_args_calls(o->args.file, r, &o->functions))
		return NULL;
	if (o->args.format == LT_FORMAT_TEXT && r->by == LT_BY_SITE && r->space <= LT_SPACE_SLAB)
		report = make_with_paths(o);
	else
		report = lt_report_make(o->args.file, r);
	if (report && lt_space_recorded(report->trace, r->space) && has_stacks(o, report->trace) &&
	    (!r->filter || !lt_filter_finish(r->filter, report->trace)))
		return report;
	lt_report_free(o->view.stacks);
	lt_report_free(report);
	return NULL;
}

/* Columns of --sort and --columns. Whether a trace has estimates is known when it is read. */
static void check_columns(const struct options *o)
{
	const struct lt_row_kind *kind = lt_report_kind(o->report.by);

	lt_args_rows(&o->args, kind, LT_COLUMN_IF_ESTIMATES |
		     (o->lines.wanted ? LT_COLUMN_IF_LINES : 0), NULL);
	if (o->view.sort)
		lt_args_sort(kind, o->view.sort);
}

int lt_cmd_report(int argc, char **argv)
{
	struct options o = {
		.args.kind = lt_report_kind(LT_BY_SITE),
		.report = { .no_recorder = true, .estimate = true, .short_ns = 1000000,
			    .within = 16, .long_ns = 1000000000 },
	};
	struct argp with_usage = argp;
	char lists[256], usage[300];
	struct lt_times times;
	struct lt_report *r;
	int status = LT_EXIT_BAD;

	if (argc > 1 && other_question(argv[1])) {
		const char *name = argv[1];

		argv[1] = argv[0];
		return other_question(name)(argc - 1, argv + 1);
	}
	snprintf(usage, sizeof(usage), "[FILE...]\n%s [FILE...]",
		 list_names(lists, sizeof(lists), "|", "|"));
	with_usage.args_doc = usage;
	lt_help_parse(&with_usage, argc, argv, 0, &o);
	check_columns(&o);
	if (o.at && lt_moment(o.args.file, "at", o.at, &o.report.at))
		return LT_EXIT_BAD;
	if (lt_args_filter(&o.filter, o.args.file, &o.report.filter))
		return LT_EXIT_BAD;
	if (strlen(o.words) + strlen(o.filter.words) < sizeof(o.words))
		strcat(o.words, o.filter.words);
	o.view.options = o.words;
	o.view.filters = o.filter.words;
	r = make(&o);
	if (!r || lt_times_init(&times, o.args.times, r->trace) ||
	    lt_args_lines(&o.lines, r->trace, &o.view.lines))
		goto free;
	o.view.file = o.args.file;
	o.view.default_file = !strcmp(o.args.file, LT_DEFAULT_FILE);
	o.view.several = strcmp(o.args.file, "-") && access(o.args.file, F_OK);
	o.view.format = o.args.format;
	o.view.columns = o.args.columns;
	o.view.times = o.args.times;
	if (!o.number && o.args.format == LT_FORMAT_TEXT)
		o.view.top = 10;
	status = print(r, &o);
	lt_args_lines_end(o.view.lines);
free:
	if (r)
		lt_report_free(o.view.stacks);
	lt_report_free(r);
	lt_cgroups_free(o.cgroups);
	lt_syscall_places_free(o.calls);
	lt_call_places_free(o.functions);
	lt_filter_free(o.report.filter);
	return status;
}
