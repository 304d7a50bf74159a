// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace report: lifetimes, added up by call site, cache, task or size.
 */
#include <argp.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print/log.h"
#include "print/report.h"
#include "cmd/args.h"
#include "cmd/cmd.h"

struct options {
	struct lt_args args;
	struct lt_filter_spec filter;
	struct lt_report_options report;
	struct lt_report_view view;
	bool by_given;
};

enum { KEY_BY = 256, KEY_SORT, KEY_COVERAGE, KEY_PAGES, KEY_SHORT, KEY_LONG, KEY_WITHIN };

static const struct argp_option argp_options[] = {
	{ "by", KEY_BY, "WHAT", 0, "One row for each call site (default), cache, task or size", 0 },
	{ "sort", KEY_SORT, "COLUMN", 0, "Print one list, sorted by COLUMN, instead of ten", 0 },
	{ "number", 'n', "N", 0, "At most N rows of a list; 0: all [10]", 0 },
	{ "pages", KEY_PAGES, NULL, 0,
	  "Pages instead of slab objects, by size or task: their events have no caller", 0 },
	{ "coverage", KEY_COVERAGE, NULL, 0,
	  "Also the table of caches: what the kernel counted, what the trace has", 0 },
	{ "short", KEY_SHORT, "TIME", 0, "Short-lived: lived at most TIME [1ms]", 2 },
	{ "within", KEY_WITHIN, "N", 0,
	  "At once: freed within N further allocations [16]", 2 },
	{ "long", KEY_LONG, "TIME", 0, "Long-lived: lived at least TIME [1s]", 2 },
	{ 0 }
};

/* In the order of enum lt_report_by. */
static const char *const by_names[] = { "site", "cache", "task", "size", NULL };

/* Events of pages have neither a caller nor a cache: all would be one row. */
static void check_pages(struct options *o, const struct argp_state *state)
{
	if (!o->report.pages)
		return;
	if (!o->by_given)
		o->report.by = LT_BY_SIZE;
	else if (o->report.by == LT_BY_SITE || o->report.by == LT_BY_CACHE)
		argp_error(state, "--pages --by=%s: events of pages have no %s; use --by=size or "
			   "--by=task", by_names[o->report.by],
			   o->report.by == LT_BY_SITE ? "caller" : "cache");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		state->child_inputs[1] = &o->filter;
		return 0;
	case KEY_BY:
		o->report.by = lt_args_word(state, "by", arg, by_names);
		o->by_given = true;
		return 0;
	case KEY_SORT:
		if (!lt_report_can_sort(arg))
			exit(LT_EXIT_BAD);
		o->view.sort = arg;
		return 0;
	case 'n':
		o->view.top = (size_t)lt_args_count(state, "number", arg, 0, 1000000000);
		return 0;
	case KEY_PAGES:
		o->report.pages = true;
		return 0;
	case KEY_COVERAGE:
		o->view.coverage = true;
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
	case ARGP_KEY_END:
		check_pages(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "[FILE]",
	"Print a summary of the allocations in a trace: how certain it is, what allocates most, "
	"what is alive, short-lived, long-lived, wasted, freed elsewhere, or outlives the task "
	"that allocated it; with percentiles and a histogram of lifetimes."
	"\v"
	"Columns for --sort: count bytes rate waste live live_bytes maybe maybe_bytes peak "
	"peak_bytes short within long cross-cpu cross-ctx outlives exact p50 p90 p99. JSON and CSV "
	"have raw numbers: bytes, ns. Objects whose birth was not seen are in the summary only.",
	lt_args_file_csv_json_filter, NULL, NULL
};

int lt_cmd_report(int argc, char **argv)
{
	struct options o = {
		.report = { .short_ns = 1000000, .within = 16, .long_ns = 1000000000 },
		.view = { .top = 10 },
	};
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	struct lt_report *r;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (lt_args_filter(&o.filter, o.args.file, &o.report.filter))
		return LT_EXIT_BAD;
	r = lt_report_make(o.args.file, &o.report);
	if (!r || (o.report.filter && lt_filter_finish(o.report.filter, r->trace))) {
		if (r)
			lt_report_free(r);
		lt_filter_free(o.report.filter);
		return LT_EXIT_BAD;
	}
	o.view.file = o.args.file;
	o.view.format = o.args.format;
	o.view.out = &out;
	setlocale(LC_CTYPE, "");
	o.view.utf8 = isatty(STDOUT_FILENO) && !strcmp(nl_langinfo(CODESET), "UTF-8");
	lt_report_print(r, &o.view);
	lt_report_free(r);
	lt_filter_free(o.report.filter);
	return lt_out_close(&out) ? LT_EXIT_BAD : LT_EXIT_OK;
}
