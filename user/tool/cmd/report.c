// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace report: lifetimes, summed up.
 */
#include <argp.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print/log.h"
#include "print/report.h"
#include "cmd/cmd.h"

struct options {
	const char *file;
	struct lt_report_options report;
	struct lt_report_print print;
};

enum { KEY_BY = 256, KEY_SORT, KEY_CSV, KEY_COVERAGE, KEY_PAGES, KEY_SHORT, KEY_LONG, KEY_WITHIN };

static const struct argp_option argp_options[] = {
	{ "by", KEY_BY, "WHAT", 0, "One row for each call site (default), cache, task or size", 0 },
	{ "sort", KEY_SORT, "COLUMN", 0, "One list, sorted by this, not ten", 0 },
	{ "number", 'n', "N", 0, "Rows of a list; 0: all [10]", 0 },
	{ "pages", KEY_PAGES, NULL, 0, "Of pages, not of slab objects", 0 },
	{ "coverage", KEY_COVERAGE, NULL, 0,
	  "Also the table of caches: what the kernel counted, what the trace has", 0 },
	{ "json", 'j', NULL, 0, "One JSON object with the summary and all columns", 1 },
	{ "csv", KEY_CSV, NULL, 0, "One table as comma-separated values, all columns", 1 },
	{ "short", KEY_SHORT, "MS", 0, "Short-lived is up to so many ms [1]", 2 },
	{ "within", KEY_WITHIN, "N", 0,
	  "At once is within so many further allocations [16]", 2 },
	{ "long", KEY_LONG, "MS", 0, "Long-lived is from so many ms [1000]", 2 },
	{ 0 }
};

static double number(struct argp_state *state, const char *arg, double max)
{
	char *end;
	double v = strtod(arg, &end);

	if (end == arg || *end || !(v >= 0 && v <= max))
		argp_error(state, "'%s' is not a number from 0 to %.0f", arg, max);
	return v;
}

static enum lt_report_by parse_by(struct argp_state *state, const char *arg)
{
	static const char *const names[] = { "site", "cache", "task", "size" };

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(arg, names[i]))
			return (enum lt_report_by)i;
	}
	argp_error(state, "--by: there are site, cache, task and size, not '%s'", arg);
	return LT_BY_SITE;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_BY:
		o->report.by = parse_by(state, arg);
		return 0;
	case KEY_SORT:
		if (!lt_report_can_sort(arg))
			exit(LT_EXIT_BAD);
		o->print.sort = arg;
		return 0;
	case 'n':
		o->print.top = (size_t)number(state, arg, 1e9);
		return 0;
	case KEY_PAGES:
		o->report.pages = true;
		return 0;
	case KEY_COVERAGE:
		o->print.coverage = true;
		return 0;
	case 'j':
		o->print.format = LT_FORMAT_JSON;
		return 0;
	case KEY_CSV:
		o->print.format = LT_FORMAT_CSV;
		return 0;
	case KEY_SHORT:
		o->report.short_ns = (uint64_t)(number(state, arg, 1e12) * 1e6);
		return 0;
	case KEY_LONG:
		o->report.long_ns = (uint64_t)(number(state, arg, 1e12) * 1e6);
		return 0;
	case KEY_WITHIN:
		o->report.within = (uint32_t)number(state, arg, 1e9);
		return 0;
	default:
		return lt_cmd_file_argument(key, arg, state, &o->file);
	}
}

static const struct argp argp = {
	argp_options, parse, "FILE",
	"Print what a trace says of allocations: how sure it is, who allocates most, what is "
	"alive, short-lived, long-lived, wasted, freed elsewhere, or outlives the task that "
	"made it; with percentiles and a histogram of lifetimes."
	"\v"
	"Columns for --sort: count bytes rate waste live live_bytes maybe maybe_bytes peak "
	"peak_bytes short within long cross-cpu cross-ctx outlives exact p50 p90 p99. JSON and CSV "
	"have raw numbers: bytes, ns. Objects whose birth was not seen are in the summary only.",
	NULL, NULL, NULL
};

int lt_cmd_report(int argc, char **argv)
{
	struct options o = {
		.report = { .short_ns = 1000000, .within = 16, .long_ns = 1000000000 },
		.print = { .top = 10 },
	};
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	struct lt_report *r;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	r = lt_report_make(o.file, &o.report);
	if (!r)
		return LT_EXIT_BAD;
	o.print.file = o.file;
	o.print.out = &out;
	setlocale(LC_CTYPE, "");
	o.print.utf8 = isatty(STDOUT_FILENO) && !strcmp(nl_langinfo(CODESET), "UTF-8");
	lt_report_print(r, &o.print);
	lt_report_free(r);
	return lt_out_close(&out) ? LT_EXIT_BAD : LT_EXIT_OK;
}
