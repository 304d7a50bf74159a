// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace top: what is alive and what allocates, again and again.
 */
#include <argp.h>
#include <string.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "out/terminal.h"
#include "record/choose.h"
#include "top/top.h"

struct options {
	struct lt_args args;
	struct lt_top_options top;
};

enum { KEY_BY = 256, KEY_SORT, KEY_ONCE, KEY_WINDOW, KEY_COUNT, KEY_SPACE, KEY_SELF,
       KEY_STACKS, KEY_AT, KEY_N_SUBBUFS, KEY_SAMPLE, KEY_MODULE_DIR, KEY_ENGINE, KEY_METRICS };

static const struct argp_option argp_options[] = {
	{ "by", KEY_BY, "WHAT", 0,
	  "A row for each call site (default), stack, cache, task, process or cgroup", 0 },
	{ "sort", KEY_SORT, "COLUMN", 0, "Sort by COLUMN, as --columns has them [alive_bytes]", 0 },
	{ "delay", 'd', "TIME", 0, "An interval [2s]", 0 },
	{ "window", KEY_WINDOW, "TIME", 0,
	  "Percentiles of the lifetimes that ended in the last TIME; 0: of all [0]", 0 },
	{ "number", 'n', "N", 0, "Without a screen: at most N rows; 0: all [0]", 0 },
	{ "at", KEY_AT, "WHEN", 0, "For a FILE that is whole: the state at that time: 2.5 or "
				   "500ms after the beginning, -5s before the end, @TIME on the "
				   "trace's clock, 10:03:21 by the wall clock, marker:TEXT", 0 },
	{ "once", KEY_ONCE, NULL, 0, "No screen: one table of the whole trace, or of one "
				     "interval of a recording of its own; in any form", 1 },
	{ "count", KEY_COUNT, "N", 0, "With --json alone, which prints an object for each interval: end "
				      "after N objects", 1 },
	{ "metrics", KEY_METRICS, "FILE", 0, "No screen: write figures for Prometheus to FILE each "
					     "interval, of N caches and call sites [50]", 1 },
	{ "space", KEY_SPACE, "SPACE", 0, LT_SPACE_HELP, 2 },
	{ "self", KEY_SELF, NULL, 0, "With what the recorder itself allocated", 2 },
	{ "output", 'o', "FILE", 0, "Without FILE: keep the trace, too", 3 },
	{ "events", 'e', "LIST", 0, "Without FILE: what to watch, as for record", 3 },
	{ "stacks", KEY_STACKS, "N", OPTION_ARG_OPTIONAL,
	  "Without FILE: record stacks, as for record", 3 },
	{ "sample", KEY_SAMPLE, "N", 0, "Without FILE: keep one address in N", 3 },
	{ "n-subbufs", KEY_N_SUBBUFS, "N", 0,
	  "Without FILE: packets that a CPU's buffer holds", 3 },
	{ "engine", KEY_ENGINE, "NAME", 0,
	  "Without FILE: what records, module or bpf, as for record", 3 },
	{ "module-dir", KEY_MODULE_DIR, "DIR", OPTION_HIDDEN, "The module's directory", 3 },
	{ 0 }
};

/* What is of a recording only, or of a file only. */
static void check(struct argp_state *state, const struct lt_top_options *o)
{
	const struct lt_record_options *r = &o->record;

	if (o->file && (r->output || r->events || r->stacks || r->sample || r->n_subbufs ||
			r->engine))
		argp_error(state, "--%s: is for a recording; leave '%s' out to start one",
			   r->output ? "output" : r->events ? "events" : r->stacks ? "stacks" :
			   r->sample ? "sample" : r->engine ? "engine" : "n-subbufs", o->file);
	if (o->at && (!o->file || !strcmp(o->file, "-")))
		argp_error(state, "--at: needs a file that is whole");
	if (o->count && o->format != LT_FORMAT_JSON)
		argp_error(state, "--count: counts the objects of --json");
	if (o->metrics &&
	    (o->once || o->format != LT_FORMAT_TEXT || o->by != LT_BY_SITE || o->columns))
		argp_error(state, "--metrics: has a form and figures of its own");
	if (o->metrics && o->number > 1000)
		argp_error(state, "--number: expected at most 1000 with --metrics, whose rows are series for years");
	if (o->count && o->once)
		argp_error(state, "--count: --once prints one");
	if (lt_terminal_width_is_chosen() && lt_top_on_screen(o))
		argp_error(state, "--width: is of the lines of --once");
	if (o->by == LT_BY_CACHE && o->space > LT_SPACE_SLAB)
		argp_error(state, "--by=cache: there are no caches of %s",
			   lt_space_words(o->space)->objects);
	if (o->by == LT_BY_STACK && o->space > LT_SPACE_PAGE)
		argp_error(state, "stacks are not recorded of %s; use --by=site",
			   lt_space_words(o->space)->objects);
	if (r->command && lt_top_on_screen(o))
		argp_error(state, "a command, '%s', would write to the screen; use --once or --json",
			   r->command[0]);
}

static error_t parse_record(int key, char *arg, struct argp_state *state)
{
	struct lt_record_options *r = &((struct options *)state->input)->top.record;

	switch (key) {
	case 'o':
		r->output = arg;
		return 0;
	case 'e':
		r->events = arg;
		return 0;
	case KEY_STACKS:
		if (arg)
			lt_args_count(state, "stacks", arg, 1, UINT32_MAX);
		r->stacks = arg ? arg : "1";
		return 0;
	case KEY_SAMPLE:
		lt_args_count(state, "sample", arg, 1, UINT32_MAX);
		r->sample = arg;
		return 0;
	case KEY_N_SUBBUFS:
		lt_args_count(state, "n-subbufs", arg, 1, UINT32_MAX);
		r->n_subbufs = arg;
		return 0;
	case KEY_MODULE_DIR:
		r->dir = arg;
		return 0;
	case KEY_ENGINE:
		r->engine = lt_record_engines[lt_args_word(state, "engine", arg,
							   lt_record_engines)];
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_argument(char *arg, struct argp_state *state)
{
	struct lt_args *args = &((struct options *)state->input)->args;
	struct lt_top_options *o = &((struct options *)state->input)->top;

	if (!lt_args_command(state, &o->record.command))
		lt_args_add_file(args, arg);
	else if (args->n_files)
		argp_error(state, "a command, '%s', is run by a recording; leave '%s' out", arg,
			   args->files[0]);
	return 0;
}

/* What all commands that print a table have. */
static void take_args(struct argp_state *state, struct lt_args *args, struct lt_top_options *o)
{
	char option[LT_FORMAT_OPTION];

	lt_args_take_files(args);
	o->file = args->file;
	o->format = args->format;
	o->columns = args->columns;
	if (!o->once && o->format != LT_FORMAT_TEXT && o->format != LT_FORMAT_JSON &&
	    !lt_args_list_columns(args))
		argp_error(state, "%s: is of one table; use --once",
			   lt_args_format_option(o->format, option));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct lt_top_options *o = &((struct options *)state->input)->top;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &((struct options *)state->input)->args;
		return 0;
	case KEY_BY:
		o->by = lt_args_by(state, arg, lt_top_kind);
		return 0;
	case KEY_SORT:
		lt_columns_offer(lt_top_kind(o->by), false);
		o->sort = arg;
		return 0;
	case 'd':
		o->delay_ns = lt_args_duration(state, "delay", arg, 1000000);
		return 0;
	case KEY_WINDOW:
		o->window_ns = lt_args_duration(state, "window", arg, 0);
		return 0;
	case 'n':
		o->number = (size_t)lt_args_count(state, "number", arg, 0, 1000000000);
		return 0;
	case KEY_ONCE:
		o->once = true;
		return 0;
	case KEY_COUNT:
		o->count = lt_args_count(state, "count", arg, 1, UINT32_MAX);
		return 0;
	case KEY_SPACE:
		o->space = lt_args_space(state, arg);
		return 0;
	case KEY_METRICS:
		o->metrics = arg;
		return 0;
	case KEY_AT:
		o->at = arg;
		return 0;
	case KEY_SELF:
		o->self = true;
		return 0;
	case ARGP_KEY_ARG:
		return parse_argument(arg, state);
	case ARGP_KEY_END:
		take_args(state, &((struct options *)state->input)->args, o);
		check(state, o);
		return 0;
	default:
		return parse_record(key, arg, state);
	}
}

static const struct argp argp = {
	argp_options, parse, "[FILE...]\n--once|--json [-- COMMAND [ARGUMENT...]]",
	"Show what is alive and what allocates, again and again, as top(1) and slabtop(1) do: of "
	"the trace FILE, which may still be written, of a trace from a pipe (FILE is -), or, "
	"without FILE, of a recording of its own, which needs root, and the module or BPF programs.\vOn the screen, h "
	"shows the keys.\n"
	"\n"
	"  ssh HOST lifetrace record -o - | lifetrace top -",
	lt_args_table, NULL, NULL
};

int lt_cmd_top(int argc, char **argv)
{
	struct options o = {
		.args.kind = lt_top_kind(LT_BY_SITE),
		.top = { .delay_ns = 2000000000, .sort = "alive_bytes",
			 .record = { .any_engine = true, .says_engine = true } },
	};

	lt_help_parse(&argp, argc, argv, ARGP_IN_ORDER, &o);
	lt_args_rows(&o.args, lt_top_kind(o.top.by), 0, NULL);
	if (o.top.file && strcmp(o.top.file, "-"))
		lt_cmd_say_whose(o.top.file);
	o.top.sort = lt_args_sort(lt_top_kind(o.top.by), o.top.sort)->name;
	return lt_top_run(&o.top);
}
