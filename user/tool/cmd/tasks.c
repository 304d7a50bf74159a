// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace tasks: one line for each task.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/task_args.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "print/tasks.h"
#include "tasks/cgroups.h"
#include "tasks/read.h"

struct options {
	struct lt_args args;
	struct lt_task_args tasks;
	bool wspy;
	bool no_threads;
	unsigned int why;
	const struct lt_column *sort;
	const char *cgroup;
	struct lt_cgroups *cgroups;
};

enum { KEY_CSV = 256, KEY_THREADS, KEY_NO_THREADS, KEY_WHY, KEY_CGROUP, KEY_SORT };

static const struct argp_option argp_options[] = {
	{ "csv", KEY_CSV, "STYLE", OPTION_ARG_OPTIONAL,
	  "Print comma-separated values, all columns; STYLE wspy: as wspy's processtree2.csv", 0 },
	{ "sort", KEY_SORT, "COLUMN", 0, "Sort by COLUMN of --json: the greatest first, texts from A to "
	  "Z; otherwise by birth", 0 },
	{ "threads", KEY_THREADS, NULL, 0, "Processes and threads (the default)", 1 },
	{ "no-threads", KEY_NO_THREADS, NULL, 0, "Leaders of thread groups only", 1 },
	{ "cgroup", KEY_CGROUP, "PATH", 0,
	  "Only tasks whose latest cgroup (version 2) is this one or below it; id:N: a cgroup "
	  "without a path",
	  1 },
	{ "why", KEY_WHY, "LIST", 0,
	  "Only tasks whose birth or end is not exact for one of these reasons: lost, "
	  "not_watched, no_birth, named, no_exit, before, alive; separated by commas", 1 },
	{ 0 }
};

static const char *cause(unsigned int i)
{
	return lt_task_cause_name((enum lt_task_cause)i);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const styles[] = { "wspy", NULL };
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[2] = &o->args;
		state->child_inputs[1] = &o->tasks;
		return 0;
	case KEY_CSV:
		if (arg)
			lt_args_word(state, "csv", arg, styles);
		lt_args_format(state, &o->args, LT_FORMAT_CSV);
		o->wspy = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (o->wspy && o->args.times)
			argp_error(state, "--csv=wspy: its times are since the trace began");
		if (o->wspy && o->args.columns)
			argp_error(state, "--columns: --csv=wspy has its own columns");
		if (o->wspy && o->sort)
			argp_error(state, "--sort: --csv=wspy has its own order");
		return 0;
	case KEY_THREADS:
		o->no_threads = false;
		return 0;
	case KEY_NO_THREADS:
		o->no_threads = true;
		return 0;
	case KEY_SORT:
		o->sort = lt_args_sort(&lt_rows_of_task, arg);
		return 0;
	case KEY_CGROUP:
		o->cgroup = arg;
		return 0;
	case KEY_WHY:
		o->why = lt_args_words(state, "why", arg, cause, 1, LT_N_TASK_WHYS);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ .argp = &lt_argp_file_own_csv }, { &lt_argp_tasks, 0, "Only some of them:", 8 },
	{ .argp = &lt_argp_times }, { 0 }
};

static const struct argp argp = {
	argp_options, parse, "[FILE...]",
	"Print one line for each task in the trace, in the order of their births: what task "
	"made it, what it ran, when it was born and ended, what it used, and how certain that is."
	"\v"
	"A task is identified by its number and its start together. Times are since the trace "
	"began: seconds for people, ns in CSV and JSON; starts are ns since boot. In "
	"names a backslash is written \\\\ and a byte that is not UTF-8 \\xHH.",
	children, NULL, NULL
};

static int print(struct lt_tasks *tb, const struct lt_trace *t, struct lt_out *out, void *arg)
{
	const struct options *o = arg;
	struct lt_cgroups *names = NULL;
	const char *name = o->tasks.pick.name;
	struct lt_tasks_view v = {
		.out = out, .tb = tb, .format = o->args.format, .wspy = o->wspy,
		.no_threads = o->no_threads, .why = o->why,
		.cgroups = o->cgroups, .pick = o->tasks.pick,
		.sort = o->sort, .columns = o->args.columns,
	};

	if (lt_times_init(&v.times, o->args.times, t) ||
	    (name && lt_task_check_name(tb, o->args.file, "task", name)))
		return LT_EXIT_BAD;
	lt_tasks_count_from(tb, o->args.times == LT_TIMES_CLOCK ? 0 : lt_trace_begin(t));
	if (v.format != LT_FORMAT_TEXT || v.columns)
		v.names = names = lt_cgroups_named(t);
	lt_tasks_print(&v);
	lt_cgroups_free(names);
	return LT_EXIT_OK;
}

int lt_cmd_tasks(int argc, char **argv)
{
	const struct lt_tasks_command cmd = { .print = print };
	struct options o = { .args.kind = &lt_rows_of_task };
	int status;

	lt_help_parse(&argp, argc, argv, 0, &o);
	lt_args_rows(&o.args, &lt_rows_of_task, 0, NULL);
	if (lt_task_args_times(&o.tasks, o.args.file))
		return LT_EXIT_BAD;
	if (o.cgroup) {
		o.cgroups = lt_cgroups_read(o.args.file);
		if (!o.cgroups || lt_cgroups_choose(o.cgroups, o.cgroup)) {
			lt_cgroups_free(o.cgroups);
			return LT_EXIT_BAD;
		}
	}
	status = lt_cmd_with_tasks(o.args.file, o.args.format, &cmd, &o);
	lt_cgroups_free(o.cgroups);
	return status;
}
