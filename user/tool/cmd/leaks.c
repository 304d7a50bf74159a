// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace leaks: the call sites whose objects are not freed.
 */
#include <argp.h>

#include "cmd/cmd.h"
#include "cmd/leak_args.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "out/terminal.h"
#include "print/leaks.h"

static const struct argp_option argp_options[] = {
	{ "number", 'n', "N", 0, "At most N rows; 0: all [20; JSON and CSV: all]", 0 },
	{ "space", LT_LEAK_SPACE, "SPACE", 0, LT_SPACE_HELP_SITES, 0 },
	LT_LEAK_SORT_OPTION,
	LT_LEAK_AT_OPTION,
	{ "self", LT_LEAK_SELF, NULL, 0, "With what the recorder and its module allocated", 0 },
	{ 0 }
};

static const struct argp argp = {
	argp_options, lt_leak_args_key, "[FILE...]",
	"Print the call sites whose objects are not freed: first the sites that certainly leak, "
	"then those whose old objects become more, then all others with old objects.\v"
	"Objects are old at the age of --older, by default 10s, or a third of "
	"a trace of less than 30s. A site certainly leaks if it has many allocations, at most "
	"half of its objects become old, hardly any old object is freed, the old objects become "
	"more all the time, and they are a constant share of the allocations. Objects whose free "
	"may be missing in the trace do not count. The last column names the condition that does "
	"not hold.",
	lt_args_file_table_filter, NULL, NULL
};

static int run(struct lt_trace *t, struct lt_out *out, void *arg)
{
	struct lt_leak_args *o = arg;
	struct lt_leaks *l = lt_leak_args_begin(o, t) ? lt_leaks_make(t, &o->leaks) : NULL;
	struct lt_leaks_view view = {
		.t = t, .out = out, .format = o->args.format, .top = o->top,
		.sort = o->sort, .columns = o->args.columns,
	};
	struct lt_terminal term;

	if (!l || lt_args_lines(&o->lines, t, &view.lines)) {
		if (l)
			lt_leaks_free(l);
		return LT_EXIT_BAD;
	}
	lt_terminal_init(&term);
	/* What is read by a program is whole. */
	view.width = term.is ? term.width : 0;
	view.cut = term.is;
	lt_leaks_print(l, &view);
	lt_args_lines_end(view.lines);
	lt_leaks_free(l);
	return LT_EXIT_OK;
}

int lt_cmd_leaks(int argc, char **argv)
{
	struct lt_leak_args o;
	int status;

	if (lt_leak_args_parse(&argp, argc, argv, 20, &lt_rows_of_leak, &o))
		return LT_EXIT_BAD;
	o.leaks.estimate = true;
	status = lt_cmd_with_trace(o.args.file, o.args.format, run, &o);
	lt_filter_free(o.leaks.filter);
	return status;
}
