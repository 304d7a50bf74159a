// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace tasks: one line for each task.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print/log.h"
#include "print/tasks.h"
#include "tasks/read.h"
#include "cmd/cmd.h"

struct options {
	const char *file;
	enum lt_task_format format;
	bool no_threads;
};

enum { KEY_CSV = 256, KEY_THREADS, KEY_NO_THREADS };

static const struct argp_option argp_options[] = {
	{ "csv", KEY_CSV, "STYLE", OPTION_ARG_OPTIONAL,
	  "Comma-separated values, all columns; STYLE wspy: as wspy's processtree2.csv", 0 },
	{ "json", 'j', NULL, 0, "One JSON object a line, all columns", 0 },
	{ "threads", KEY_THREADS, NULL, 0, "Processes and threads; that is the default", 1 },
	{ "no-threads", KEY_NO_THREADS, NULL, 0, "Leaders of thread groups only", 1 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_CSV:
		if (arg && strcmp(arg, "wspy"))
			argp_error(state, "there is no style '%s' of CSV; there is wspy", arg);
		o->format = arg ? LT_TASKS_WSPY : LT_TASKS_CSV;
		return 0;
	case 'j':
		o->format = LT_TASKS_JSON;
		return 0;
	case KEY_THREADS:
		o->no_threads = false;
		return 0;
	case KEY_NO_THREADS:
		o->no_threads = true;
		return 0;
	default:
		return lt_cmd_file_argument(key, arg, state, &o->file);
	}
}

static const struct argp argp = {
	argp_options, parse, "FILE",
	"Print one line for each task that the trace tells of, in the order of their births: who "
	"made it, what it ran, when it was born and ended, what it used, and how certain that is."
	"\v"
	"A task is named by its number and its start together. Times are seconds since the trace "
	"began for people, ns on the trace's clock in CSV and JSON; starts are ns since boot. In "
	"names a backslash is written \\\\ and a byte that is not UTF-8 \\xHH.",
	NULL, NULL, NULL
};

int lt_cmd_tasks(int argc, char **argv)
{
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	struct options o = { .format = LT_TASKS_TEXT };
	struct lt_tasks *tb;
	struct lt_trace *t;
	int err = -1;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	t = lt_trace_open(o.file);
	if (!t)
		return LT_EXIT_BAD;
	tb = lt_tasks_for(t, false);
	if (tb) {
		struct lt_task_print p = {
			.out = &out, .tb = tb, .format = o.format, .no_threads = o.no_threads,
			.begin = lt_trace_begin(t),
		};

		/* What could be read is printed, too. */
		err = lt_tasks_read(t, tb);
		lt_tasks_print(&p);
	}
	lt_tasks_free(tb);
	lt_trace_close(t);
	if (lt_out_close(&out))
		err = -1;
	return err ? LT_EXIT_BAD : LT_EXIT_OK;
}
