// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of leaks and of advice.
 */
#include <stdlib.h>

#include "cmd/help.h"
#include "cmd/leak_args.h"
#include "out/log.h"
#include "sums/moment.h"

error_t lt_leak_args_key(int key, char *arg, struct argp_state *state)
{
	struct lt_leak_args *o = state->input;

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
	case LT_LEAK_SPACE:
		o->leaks.space = lt_args_space_of_sites(state, arg, "report alive");
		return 0;
	case LT_LEAK_SORT:
		o->sort = lt_args_sort(o->args.kind, arg);
		return 0;
	case LT_LEAK_AT:
		o->at = arg;
		return 0;
	case LT_LEAK_SELF:
		o->leaks.no_recorder = false;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int lt_leak_args_parse(const struct argp *argp, int argc, char **argv, size_t top,
		       const struct lt_row_kind *kind, struct lt_leak_args *o)
{
	*o = (struct lt_leak_args){ .leaks = { .no_recorder = true }, .args.kind = kind };
	lt_help_parse(argp, argc, argv, 0, o);
	o->leaks.older_ns = o->filter.older_ns;
	o->filter.older_ns = 0;
	/* Whether a trace has estimates is known when it is read. */
	lt_args_rows(&o->args, kind, LT_COLUMN_IF_ESTIMATES |
		     (o->lines.wanted ? LT_COLUMN_IF_LINES : 0), NULL);
	if (!o->number && o->args.format == LT_FORMAT_TEXT)
		o->top = top;
	if (o->at && lt_moment(o->args.file, "at", o->at, &o->at_ns))
		return -1;
	return lt_args_filter(&o->filter, o->args.file, &o->leaks.filter);
}

bool lt_leak_args_begin(const struct lt_leak_args *o, struct lt_trace *t)
{
	if (o->at)
		lt_trace_stop_at(t, o->at_ns);
	return lt_space_recorded(t, o->leaks.space);
}
