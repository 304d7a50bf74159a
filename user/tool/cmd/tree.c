// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace tree: the forest of tasks.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print/log.h"
#include "print/tree.h"
#include "tasks/read.h"
#include "cmd/cmd.h"

struct options {
	const char *file;
	struct lt_forest_print print;
	bool by_creator;
};

enum { KEY_ROOT = 256, KEY_DEPTH, KEY_THREADS, KEY_BY };

static const struct argp_option argp_options[] = {
	{ "root", KEY_ROOT, "NAME|PID", 0,
	  "Only the trees of tasks with this name, program or number", 0 },
	{ "depth", KEY_DEPTH, "N", 0, "Not deeper than N levels; sums go to the bottom", 0 },
	{ "threads", KEY_THREADS, NULL, 0, "Threads, too, below their leaders", 0 },
	{ "by", KEY_BY, "parent|creator", 0,
	  "Below its parent at its birth (default), or below who called fork", 0 },
	{ "json", 'j', NULL, 0, "One JSON object a line", 0 },
	{ 0 }
};

static uint32_t parse_depth(struct argp_state *state, const char *arg)
{
	char *end;
	unsigned long v = strtoul(arg, &end, 10);

	if (*arg < '0' || *arg > '9' || *end || v > UINT32_MAX)
		argp_error(state, "'%s' is not a number of levels", arg);
	return (uint32_t)v;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_ROOT:
		o->print.root = arg;
		return 0;
	case KEY_DEPTH:
		o->print.depth = parse_depth(state, arg);
		return 0;
	case KEY_THREADS:
		o->print.threads = true;
		return 0;
	case KEY_BY:
		if (strcmp(arg, "parent") && strcmp(arg, "creator"))
			argp_error(state, "--by takes parent or creator, not '%s'", arg);
		o->by_creator = !strcmp(arg, "creator");
		return 0;
	case 'j':
		o->print.json = true;
		return 0;
	default:
		return lt_cmd_file_argument(key, arg, state, &o->file);
	}
}

static const struct argp argp = {
	argp_options, parse, "FILE",
	"Print the forest of all tasks that the trace tells of, each with its program, start, end "
	"and times, and with sums over what is below it."
	"\v"
	"[PID] is a process, (TID) a thread. Times are seconds since the trace began. A task stays "
	"below the parent that it was born to, whoever it was given to later.",
	NULL, NULL, NULL
};

static enum lt_task_edges edges(const struct options *o)
{
	if (!o->by_creator)
		return LT_BY_PARENT;
	return o->print.threads ? LT_BY_CREATOR_THREAD : LT_BY_CREATOR;
}

int lt_cmd_tree(int argc, char **argv)
{
	struct options o = { .print = { .depth = UINT32_MAX } };
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	struct lt_tasks *tb;
	struct lt_task_tree tree;
	struct lt_trace *t;
	int err = -1;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	t = lt_trace_open(o.file);
	if (!t)
		return LT_EXIT_BAD;
	tb = lt_tasks_for(t, false);
	if (tb) {
		err = lt_tasks_read(t, tb);
		lt_task_tree_make(&tree, tb, edges(&o));
		o.print.out = &out;
		o.print.tree = &tree;
		o.print.begin = lt_trace_begin(t);
		if (!lt_forest_print(&o.print) && o.print.root) {
			lt_error("%s: there is no task '%s'", o.file, o.print.root);
			err = -1;
		}
		lt_task_tree_free(&tree);
	}
	lt_tasks_free(tb);
	lt_trace_close(t);
	if (lt_out_close(&out))
		err = -1;
	return err ? LT_EXIT_BAD : LT_EXIT_OK;
}
