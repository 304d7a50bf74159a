// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace leaks: the call sites whose objects are not freed.
 */
#include <argp.h>

#include "print/leaks.h"
#include "print/log.h"
#include "print/terminal.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/with_trace.h"

struct options {
	struct lt_args args;
	struct lt_filter_spec filter;
	struct lt_lines_args lines;
	struct lt_leak_options leaks;
	size_t top;
	bool number;	/* -n was given */
};

enum { KEY_SELF = 256 };

static const struct argp_option argp_options[] = {
	{ "number", 'n', "N", 0, "At most N rows; 0: all [20; JSON and CSV: all]", 0 },
	{ "self", KEY_SELF, NULL, 0, "With what the recorder and its module allocated", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		state->child_inputs[1] = &o->filter;
		state->child_inputs[2] = &o->lines;
		return 0;
	case 'n':
		o->top = (size_t)lt_args_count(state, "number", arg, 0, 1000000000);
		o->number = true;
		return 0;
	case KEY_SELF:
		o->leaks.no_recorder = false;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "[FILE...]",
	"Print the call sites whose objects stay: first those that certainly leak, then those "
	"whose old objects become more, then all others that have old objects."
	"\v"
	"Objects are old at the age of --older, by default 10s, or a third of a trace of less than "
	"30s. A site certainly leaks if it has many allocations, at most half of its objects become "
	"old, hardly any old one is freed, the old ones become more all the time, and they are the "
	"same share of the allocations all the time. Objects whose free may be missing in the "
	"trace do not count. Of the others the last column says which of these does not hold.",
	lt_args_file_csv_json_filter, NULL, NULL
};

static int run(struct lt_trace *t, struct lt_out *out, void *arg)
{
	struct options *o = arg;
	struct lt_leaks *l = lt_leaks_make(t, &o->leaks);
	struct lt_leaks_view view = {
		.t = t, .out = out, .format = o->args.format, .top = o->top,
	};
	struct lt_terminal term;

	if (!l || lt_args_lines(&o->lines, t, &view.lines)) {
		if (l)
			lt_leaks_free(l);
		return LT_EXIT_BAD;
	}
	lt_terminal_init(&term);
	view.width = term.width;
	view.cut = term.is;
	lt_leaks_print(l, &view);
	lt_args_lines_end(view.lines);
	lt_leaks_free(l);
	return LT_EXIT_OK;
}

int lt_cmd_leaks(int argc, char **argv)
{
	struct options o = { .leaks = { .no_recorder = true } };
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	/* Not a filter here: young objects are counted, too, since a leak is a share of all. */
	o.leaks.older_ns = o.filter.older_ns;
	o.filter.older_ns = 0;
	if (lt_args_filter(&o.filter, o.args.file, &o.leaks.filter))
		return LT_EXIT_BAD;
	if (!o.number && o.args.format == LT_FORMAT_TEXT)
		o.top = 20;
	status = lt_cmd_with_trace(o.args.file, run, &o);
	lt_filter_free(o.leaks.filter);
	return status;
}
