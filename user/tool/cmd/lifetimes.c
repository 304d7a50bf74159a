// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace lifetimes: one line for each allocation's lifetime.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "out/output.h"
#include "out/terminal.h"
#include "print/lifetimes.h"
#include "record/choose.h"
#include "record/recorder.h"
#include "rows/lifetime.h"
#include "trace/pass.h"

struct options {
	struct lt_args args;
	const char *output;
	struct lt_filter_spec filter;
	struct lt_lines_args lines;
	bool live;
	const char *engine;
	const char *events;
	enum lt_space space;
	uint64_t duration_ns;
	char **command;
};

enum { KEY_LIVE = 256, KEY_MIN_LIFETIME, KEY_SPACE, KEY_ENGINE };

static const struct argp_option argp_options[] = {
	{ "output", 'o', "OUT", 0, "Write to OUT, not to standard output", 0 },
	{ "space", KEY_SPACE, "SPACE", 0,
	  "Only of this memory: slab, pages, percpu, vmalloc, dma [all]", 0 },
	{ "min-lifetime", KEY_MIN_LIFETIME, "TIME", OPTION_HIDDEN, "Another name of --older", 0 },
	{ "live", KEY_LIVE, NULL, 0,
	  "Record now, and print lifetimes as they end; no trace is kept", 2 },
	{ "duration", 'd', "TIME", 0, "With --live: stop after this time", 2 },
	{ "events", 'e', "LIST", 0, "With --live: what to watch, as for record", 2 },
	{ "engine", KEY_ENGINE, "NAME", 0, "With --live: what records, module or bpf, as for record", 2 },
	{ 0 }
};

/* A file with --live, and an option of --live without it, would be silently ignored. */
static void check(struct argp_state *state, struct options *o)
{
	if (o->live && o->args.n_files)
		argp_error(state, "--live reads no file, found '%s'; a command to run stands "
			   "behind --", o->args.files[0]);
	else if (!o->live && o->command)
		argp_error(state, "a command, '%s', is run with --live only", o->command[0]);
	else if (!o->live && (o->duration_ns || o->events || o->engine))
		argp_error(state, "--%s: is for --live only",
			   o->events ? "events" : o->engine ? "engine" : "duration");
	else if (o->live && o->lines.wanted)
		argp_error(state, "--live: source lines are looked up in a trace file only");
	else if (!o->live)
		lt_args_default_file(state, &o->args);
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
	case 'o':
		o->output = arg;
		return 0;
	case 'd':
		o->duration_ns = lt_args_duration(state, "duration", arg, 1);
		return 0;
	case 'e':
		o->events = arg;
		return 0;
	case KEY_MIN_LIFETIME:
		o->filter.older_ns = lt_args_duration(state, "min-lifetime", arg, 0);
		return 0;
	case KEY_SPACE:
		o->space = lt_args_space(state, arg);
		return 0;
	case KEY_LIVE:
		o->live = true;
		return 0;
	case KEY_ENGINE:
		o->engine = lt_record_engines[lt_args_word(state, "engine", arg,
							   lt_record_engines)];
		return 0;
	case ARGP_KEY_ARG:
		if (!lt_args_command(state, &o->command))
			lt_args_add_file(&o->args, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check(state, o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "[FILE...]\n--live [-- COMMAND [ARGUMENT...]]",
	"Print one line for each allocation: what it was, when it was allocated and freed, by "
	"which call sites and tasks, and how certain that is. Lifetimes come in the order in "
	"which they end; objects that are alive at the end of the trace come last.\vTimes are "
	"since the trace began: seconds for people, ns in CSV and JSON. In CSV a control "
	"character or a byte that is not UTF-8 is written \\xHH, and a backslash \\\\.",
	lt_args_table_filter, NULL, NULL
};

static int from_file(const struct options *o, struct lt_sink *sink)
{
	struct lt_trace *t = lt_trace_open(o->args.file);
	struct lt_lines *lines = NULL;
	int err = t ? lt_args_lines(&o->lines, t, &lines) : -1;

	if (!err)
		lt_lifetime_sink_lines(sink, lines);
	err = lt_sink_read(sink, err ? NULL : t);
	lt_args_lines_end(lines);
	lt_trace_close(t);
	return err ? LT_EXIT_BAD : LT_EXIT_OK;
}

int lt_cmd_lifetimes(int argc, char **argv)
{
	struct options o = { .args.kind = &lt_rows_of_lifetime };
	struct lt_filter *filter;
	struct lt_sink *sink;
	int fd = STDOUT_FILENO, status;

	lt_help_parse(&argp, argc, argv, ARGP_IN_ORDER, &o);
	lt_args_rows(&o.args, &lt_rows_of_lifetime, LT_COLUMN_IF_STACKS |
		     (o.lines.wanted ? LT_COLUMN_IF_LINES : 0), o.output);
	if (lt_args_filter(&o.filter, o.args.file, &filter))
		return LT_EXIT_BAD;
	if (o.output) {
		fd = lt_output_open(o.output);
		if (fd < 0) {
			lt_filter_free(filter);
			return LT_EXIT_BAD;
		}
	}
	sink = lt_lifetime_sink_new(fd, false, o.args.format, filter);
	lt_lifetime_sink_times(sink, o.args.times);
	lt_lifetime_sink_columns(sink, o.args.columns);
	lt_lifetime_sink_space(sink, o.space);
	if (o.live) {
		struct lt_record_options r = {
			.events = o.events, .duration_ns = o.duration_ns, .quiet = true,
			.command = o.command, .engine = o.engine, .any_engine = true,
			.says_engine = true,
		};

		status = lt_record_run(&r, sink);
	} else {
		struct lt_terminal term;

		lt_cmd_page(&term, !o.output && o.args.format == LT_FORMAT_TEXT);
		lt_lifetime_sink_width(sink, term.fit);
		status = lt_cmd_page_end(&term, from_file(&o, sink));
	}
	lt_filter_free(filter);
	return lt_output_close(fd, status != LT_EXIT_BAD) ? LT_EXIT_BAD : status;
}
