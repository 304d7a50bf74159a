// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace memory: the kernel's own figures of memory, and what the trace explains of them.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "base/text.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "out/terminal.h"
#include "print/memory.h"
#include "print/memory_at.h"
#include "sums/moment.h"

struct options {
	struct lt_args args;
	const char *at;
	const struct lt_column *sort;
};

enum { KEY_AT = 256, KEY_SORT };

static const struct argp_option argp_options[] = {
	{ "at", KEY_AT, "WHEN", 0, "What was alive at that time, by the trace alone: 2.5 or "
				   "500ms after the beginning, -5s before the end, @TIME on the "
				   "trace's clock, 10:03:21 by the wall clock, marker:TEXT", 0 },
	{ "sort", KEY_SORT, "COLUMN", 0, "Rows of /proc/meminfo by COLUMN of --json: the greatest first, "
	  "texts from A to Z", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		return 0;
	case KEY_AT:
		o->at = arg;
		return 0;
	case KEY_SORT:
		o->sort = lt_args_sort(&lt_rows_of_memory, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (o->at && o->sort)
			argp_error(state, "--sort: sorts /proc/meminfo, which was not read at --at=%s",
				   o->at);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "[FILE...]",
	"Print how the kernel's own figures of memory, /proc/meminfo, changed while the trace was "
	"recorded, and how much of the change of slabs, vmalloc and per-CPU memory the trace "
	"explains; and what pages were used for.",
	lt_args_file_table, NULL, NULL
};

/* Whether the event @name was recorded. */
static bool is_watched(const struct lt_trace *t, const char *name)
{
	const char *text = lt_trace_text(t, LT_BLOCK_EVENTS, SIZE_MAX), *line;
	size_t len, n = strlen(name);
	char why[64];

	while (text && lt_line(&text, &line, &len)) {
		if (len > n && !strncmp(line, name, n) && line[n] == '\t')
			return !lt_line_unwatched(line, len, name, why, sizeof(why));
	}
	return false;
}

/* Return: 0, or -1 after printing what is wrong. */
static int read_areas(const struct lt_report *r, const char *file,
		      struct lt_report *areas[LT_N_MEMORY])
{
	/* Those of which /proc/meminfo has a row, and pages. */
	static const enum lt_space spaces[] = {
		LT_SPACE_PERCPU, LT_SPACE_VMALLOC, LT_SPACE_PAGE,
	};

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		const struct lt_report_options o = { .by = LT_BY_SITE, .space = spaces[i] };

		if (!is_watched(r->trace, lt_space_events(spaces[i])->births[0]))
			continue;
		areas[spaces[i]] = lt_report_make(file, &o);
		if (!areas[spaces[i]])
			return -1;
	}
	return 0;
}

/* What was alive at a time. Return: enum lt_exit. */
static int at_time(const struct options *o)
{
	struct lt_report *reports[LT_N_MEMORY] = { NULL };
	struct lt_trace *t = lt_trace_open(o->args.file);
	struct lt_out out = LT_OUT_INIT(1);
	struct lt_terminal term;
	struct lt_times times;
	uint64_t at;
	int status;
	bool ok = t && !lt_moment(o->args.file, "at", o->at, &at) &&
		  !lt_times_init(&times, LT_TIMES_BEGIN, t);

	for (int space = LT_SPACE_SLAB; ok && space < LT_N_MEMORY; space++) {
		const struct lt_report_options r = {
			.by = space == LT_SPACE_PAGE ? LT_BY_SIZE : LT_BY_SITE,
			.space = (enum lt_space)space, .at = at, .no_recorder = true,
		};

		if (!is_watched(t, lt_space_events((enum lt_space)space)->births[0]))
			continue;
		reports[space] = lt_report_make(o->args.file, &r);
		ok = reports[space] != NULL;
	}
	lt_cmd_page(&term, o->args.format == LT_FORMAT_TEXT);
	out.width = term.fit;
	if (ok)
		lt_memory_at(reports, o->args.file, &times, at, o->args.format,
			     o->args.columns, &out);
	for (int space = 0; space < LT_N_MEMORY; space++) {
		if (reports[space])
			lt_report_free(reports[space]);
	}
	lt_trace_close(t);
	status = lt_out_close(&out) || !ok ? LT_EXIT_BAD : LT_EXIT_OK;
	return lt_cmd_page_end(&term, status);
}

int lt_cmd_memory(int argc, char **argv)
{
	struct lt_report_options all = { .by = LT_BY_CACHE };
	struct lt_report *areas[LT_N_MEMORY] = { NULL };
	struct lt_out out = LT_OUT_INIT(1);
	struct options o = { .args.kind = &lt_rows_of_memory };
	struct lt_terminal term;
	struct lt_report *r;
	int status = LT_EXIT_BAD;

	lt_help_parse(&argp, argc, argv, 0, &o);
	lt_args_rows(&o.args, o.at ? &lt_rows_of_memory_at : &lt_rows_of_memory, 0, NULL);
	lt_cmd_say_whose(o.args.file);
	if (o.at)
		return at_time(&o);
	r = lt_report_make(o.args.file, &all);
	if (!r)
		return LT_EXIT_BAD;
	lt_cmd_page(&term, o.args.format == LT_FORMAT_TEXT);
	out.width = term.fit;
	if (!read_areas(r, o.args.file, areas) &&
	    !lt_memory_print(r, areas, o.args.file, o.args.format, o.sort, o.args.columns, &out))
		status = LT_EXIT_OK;
	for (int space = 0; space < LT_N_MEMORY; space++) {
		if (areas[space])
			lt_report_free(areas[space]);
	}
	lt_report_free(r);
	if (lt_out_close(&out))
		status = LT_EXIT_BAD;
	return lt_cmd_page_end(&term, status);
}
