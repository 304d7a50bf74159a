// SPDX-License-Identifier: GPL-2.0
/*
 * The options that say which tasks are printed.
 */
#include "cmd/task_args.h"
#include "sums/moment.h"

enum { KEY_TASK = 0x2200, KEY_FROM, KEY_TO };

static const struct argp_option options[] = {
	{ "task", KEY_TASK, "NAME|PID", 0, "Tasks with this name, program or number", 0 },
	{ "from", KEY_FROM, "WHEN", 0,
	  "That lived at this time or later: 2.5 or 500ms after the beginning, -5s before the end, "
	  "@TIME on the trace's clock, 10:03:21 by the wall clock, marker:TEXT", 0 },
	{ "to", KEY_TO, "WHEN", 0, "That began before this time", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct lt_task_args *a = state->input;

	switch (key) {
	case KEY_TASK:
		a->pick.name = arg;
		return 0;
	case KEY_FROM:
		a->from = arg;
		return 0;
	case KEY_TO:
		a->to = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp lt_argp_tasks = { .options = options, .parser = parse };

int lt_task_args_times(struct lt_task_args *a, const char *file)
{
	if (a->from && lt_moment(file, "from", a->from, &a->pick.from))
		return -1;
	return a->to ? lt_moment(file, "to", a->to, &a->pick.to) : 0;
}
