// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace diff: what changed between traces.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "forms/words.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "out/terminal.h"
#include "print/diff.h"

#define MAX_TRACES	256	/* of both sides */

struct options {
	struct lt_args args;
	struct lt_diff_options diff;
	const char *files[MAX_TRACES];
	size_t n_files;
	size_t n_new;		/* files behind "--" */
	const char *from;
	const char *to;
	enum lt_diff_metric sort;
	bool sorted;
	size_t top;
	bool number;	/* -n was given */
};

enum { KEY_PER = 256, KEY_SORT, KEY_FROM, KEY_TO, KEY_CORRECTION, KEY_FORCE, KEY_SPACE, KEY_SELF };

static const struct argp_option argp_options[] = {
	{ "per", KEY_PER, "UNIT", 0, "Numbers of a whole trace (total, default), by the second (s), by "
	  "executed program (exec), or by marker of a text (marker:TEXT)", 0 },
	{ "from", KEY_FROM, "WHEN", 0, "Of one trace: what changed since then: 2.5 or 500ms after the "
	  "beginning, -5s before the end, @TIME on the trace's clock, 10:03:21 by the wall clock, marker:TEXT", 0 },
	{ "to", KEY_TO, "WHEN", 0, "Until then", 0 },
	{ "sort", KEY_SORT, "COLUMN", 0,
	  "By the change of allocations, bytes, alive or alive_bytes (default; bytes, where nothing is "
	  "certainly alive)", 0 },
	{ "number", 'n', "N", 0, "At most N rows; 0: all [20; JSON and CSV: all]", 0 },
	{ "correction", KEY_CORRECTION, "NAME", 0,
	  "For the number of rows: bh (Benjamini and Hochberg, default) or holm", 0 },
	{ "force", KEY_FORCE, NULL, 0, "Compare also traces that were not recorded alike", 0 },
	{ "space", KEY_SPACE, "SPACE", 0, LT_SPACE_HELP, 0 },
	{ "self", KEY_SELF, NULL, 0, "With what the recorder itself allocated", 0 },
	{ 0 }
};

static void parse_per(struct options *o, const struct argp_state *state, const char *arg)
{
	static const char *const names[] = { "total", "s", "exec", NULL };

	lt_words_offer(names, false);
	if (!strncmp(arg, "marker:", 7) && arg[7]) {
		o->diff.per = LT_PER_MARKER;
		o->diff.marker = arg + 7;
		return;
	}
	for (int i = LT_PER_TOTAL; i < LT_PER_MARKER; i++) {
		if (strcmp(arg, names[i]))
			continue;
		o->diff.per = (enum lt_per)i;
		return;
	}
	argp_error(state, "--per: expected total, s, exec or marker:TEXT, found '%s'", arg);
}

/* Which file is on which side. */
static void check(struct options *o, struct argp_state *state)
{
	bool moments = o->from || o->to;

	if (lt_args_list_columns(&o->args))
		return;
	if (moments) {
		if (!o->from || !o->to)
			argp_error(state, "--from, --to: two instants are compared; give both");
		if (o->diff.per)
			argp_error(state, "--per: is for two traces, not for two instants of one");
		if (o->n_new)
			argp_error(state, "--from, --to: two instants of one trace are compared; leave "
				   "-- out");
		for (size_t i = 0; i < o->n_files; i++)
			lt_args_add_file(&o->args, o->files[i]);
		lt_args_default_file(state, &o->args);
		o->files[0] = o->args.file;
		o->diff.n[LT_OLD] = 1;
		o->diff.paths[LT_OLD] = o->files;
		return;
	}
	if (!o->n_new && o->n_files == 2)
		o->n_new = 1;
	if (!o->n_new || o->n_new >= o->n_files)
		argp_error(state, "expected OLD NEW, or OLD... -- NEW..., or one trace with --from and "
			   "--to");
	o->diff.n[LT_NEW] = o->n_new;
	o->diff.n[LT_OLD] = o->n_files - o->n_new;
	o->diff.paths[LT_OLD] = o->files;
	o->diff.paths[LT_NEW] = o->files + o->diff.n[LT_OLD];
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const corrections[] = { "bh", "holm", NULL };
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		return 0;
	case ARGP_KEY_ARG:
		if (o->n_files == MAX_TRACES)
			argp_error(state, "at most %d traces are compared", MAX_TRACES);
		o->files[o->n_files++] = arg;
		return 0;
	case ARGP_KEY_END:
		check(o, state);
		return 0;
	case KEY_PER:
		parse_per(o, state, arg);
		return 0;
	case KEY_FROM:
		o->from = arg;
		return 0;
	case KEY_TO:
		o->to = arg;
		return 0;
	case KEY_SORT:
		/* As the column is called. */
		if (!strncmp(arg, "delta_", 6))
			arg += 6;
		o->sorted = true;
		o->sort = (enum lt_diff_metric)lt_args_word(state, "sort", arg, lt_diff_metrics);
		return 0;
	case 'n':
		o->top = (size_t)lt_args_count(state, "number", arg, 0, 1000000000);
		o->number = true;
		return 0;
	case KEY_CORRECTION:
		o->diff.correction = (enum lt_correction)lt_args_word(state, "correction", arg,
								      corrections);
		return 0;
	case KEY_FORCE:
		o->diff.force = true;
		return 0;
	case KEY_SPACE:
		o->diff.report.space = lt_args_space(state, arg);
		return 0;
	case KEY_SELF:
		o->diff.report.no_recorder = false;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "OLD NEW\nOLD... -- NEW...\n--from=WHEN --to=WHEN [FILE...]",
	"Print what changed between traces, or between two instants of one trace, by slab cache "
	"and call site: allocations, bytes, what is alive, lifetimes. With four or more traces "
	"on each side, a test shows which changes are not chance.",
	lt_args_table, NULL, NULL
};

/* Where nothing is certainly alive on any side, all rows would be alike by what is alive. */
static enum lt_diff_metric order_of(const struct options *o, const struct lt_diff *d)
{
	bool alive = d->all.mean[LT_OLD][LT_DIFF_ALIVE] + d->all.mean[LT_NEW][LT_DIFF_ALIVE] > 0;

	return o->sorted || alive ? o->sort : LT_DIFF_BYTES;
}

int lt_cmd_diff(int argc, char **argv)
{
	struct options o = {
		.args.kind = &lt_rows_of_diff,
		.diff.report = { .no_recorder = true, .short_ns = 1000000, .within = 16,
				 .long_ns = 1000000000 },
		.sort = LT_DIFF_ALIVE_BYTES,
	};
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	struct lt_diff_view view = { .out = &out };
	struct lt_terminal term;
	struct lt_diff *d;

	/* argp moves options to the front, and does not say where the words of "--" began. */
	for (int i = 1; i < argc && !o.n_new; i++)
		o.n_new = strcmp(argv[i], "--") ? 0 : (size_t)(argc - 1 - i);
	lt_help_parse(&argp, argc, argv, 0, &o);
	lt_args_rows(&o.args, &lt_rows_of_diff, 0, NULL);
	d = o.from ? lt_diff_moments(&o.diff, o.from, o.to) : lt_diff_make(&o.diff);
	if (!d)
		return LT_EXIT_BAD;
	lt_cmd_page(&term, o.args.format == LT_FORMAT_TEXT);
	out.width = term.fit;
	view.format = o.args.format;
	view.columns = o.args.columns;
	view.sort = order_of(&o, d);
	view.top = o.number || o.args.format != LT_FORMAT_TEXT ? o.top : 20;
	view.moments = o.from;
	view.width = term.width;
	view.cut = term.fit;
	lt_diff_print(d, &view);
	lt_diff_free(d);
	return lt_cmd_page_end(&term, lt_out_close(&out) ? LT_EXIT_BAD : LT_EXIT_OK);
}
