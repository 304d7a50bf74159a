// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace advice: what could be better in the use of memory.
 */
#include <argp.h>

#include "cmd/cmd.h"
#include "cmd/leak_args.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "out/terminal.h"
#include "print/advice.h"

static const struct argp_option argp_options[] = {
	{ "number", 'n', "N", 0, "At most N pieces of advice; 0: all [10; JSON and CSV: all]", 0 },
	{ "space", LT_LEAK_SPACE, "SPACE", 0, LT_SPACE_HELP_SITES, 0 },
	LT_LEAK_SORT_OPTION,
	LT_LEAK_AT_OPTION,
	{ "self", LT_LEAK_SELF, NULL, 0, "With what the recorder and its module allocated", 0 },
	{ 0 }
};

static const struct argp argp = {
	argp_options, lt_leak_args_key, "[FILE...]",
	"Print what could be better in the use of memory, by call site: leaks, growth, "
	"slack, objects that are freed at once (and could be on the stack, or be kept), that are "
	"freed on another CPU, that wait for RCU, or that outlive their task.\v"
	"Leaks come first, "
	"then the advice that concerns the largest part of all allocations, frees or bytes. "
	"Advice that concerns less than 1 % of these, or fewer than 100 objects, is left out. "
	"--older is the age at which growth is judged, as in leaks.",
	lt_args_file_table_filter, NULL, NULL
};

static int run(struct lt_trace *t, struct lt_out *out, void *arg)
{
	struct lt_leak_args *o = arg;
	struct lt_advisor *a = lt_leak_args_begin(o, t) ? lt_advisor_make(t, &o->leaks) : NULL;
	struct lt_advice_view view = {
		.t = t, .out = out, .format = o->args.format, .top = o->top,
		.sort = o->sort, .columns = o->args.columns,
	};
	struct lt_terminal term;

	if (!a || lt_args_lines(&o->lines, t, &view.lines)) {
		if (a)
			lt_advisor_free(a);
		return LT_EXIT_BAD;
	}
	lt_terminal_init(&term);
	view.width = term.width;
	lt_advice_print(a, &view);
	lt_args_lines_end(view.lines);
	lt_advisor_free(a);
	return LT_EXIT_OK;
}

int lt_cmd_advice(int argc, char **argv)
{
	struct lt_leak_args o;
	int status;

	if (lt_leak_args_parse(&argp, argc, argv, 10, &lt_rows_of_advice, &o))
		return LT_EXIT_BAD;
	status = lt_cmd_with_trace(o.args.file, o.args.format, run, &o);
	lt_filter_free(o.leaks.filter);
	return status;
}
