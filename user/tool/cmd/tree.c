// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace tree: the forest of tasks.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/task_args.h"
#include "cmd/with_trace.h"
#include "base/text.h"
#include "format/block.h"
#include "out/log.h"
#include "out/output.h"
#include "print/lanes.h"
#include "print/tree.h"
#include "print/tree_rows.h"
#include "print/wspy.h"
#include "tasks/read.h"
#include "trace/part.h"

struct options {
	struct lt_args args;
	struct lt_task_args tasks;
	struct lt_tree_view view;
	bool by_creator;
	const char *svg;
	const char *wspy;
	const struct lt_column *sort;
};

static const char *const edge_names[] = { "parent", "creator", NULL };

enum { KEY_ROOT = 256, KEY_DEPTH, KEY_THREADS, KEY_BY, KEY_SORT, KEY_SVG, KEY_WSPY };

static const struct argp_option argp_options[] = {
	{ "root", KEY_ROOT, "NAME|PID", 0,
	  "Only the trees of tasks with this name, program or number", 0 },
	{ "depth", KEY_DEPTH, "N", 0, "Not deeper than N levels; sums include all levels", 0 },
	{ "threads", KEY_THREADS, NULL, 0, "Threads, too, below their leaders", 0 },
	{ "by", KEY_BY, "parent|creator", 0,
	  "Each task below its parent at its birth (default), or below the task that called "
	  "fork", 0 },
	{ "sort", KEY_SORT, "COLUMN", 0, "What is below one task by COLUMN of --json: the greatest first, "
	  "texts from A to Z; otherwise by birth", 0 },
	{ "svg", KEY_SVG, "FILE", 0, "Write a picture instead: each task over time, coloured by its program, and "
	  "memory below; -: standard output", 0 },
	{ "wspy", KEY_WSPY, "FILE", 0, "Write the text that wspy --tree writes instead, for programs that read it; "
	  "-: standard output", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[2] = &o->args;
		state->child_inputs[1] = &o->tasks;
		return 0;
	case KEY_ROOT:
		o->view.root = arg;
		return 0;
	case KEY_DEPTH:
		o->view.depth = (uint32_t)lt_args_count(state, "depth", arg, 0, UINT32_MAX);
		return 0;
	case KEY_SORT:
		o->sort = lt_args_sort(&lt_rows_of_tree, arg);
		return 0;
	case KEY_THREADS:
		o->view.threads = true;
		return 0;
	case KEY_SVG:
		o->svg = arg;
		return 0;
	case KEY_WSPY:
		o->wspy = arg;
		return 0;
	case ARGP_KEY_END:
		if (o->svg && o->wspy)
			argp_error(state, "--svg and --wspy: expected one of them");
		return 0;
	case KEY_BY:
		o->by_creator = lt_args_word(state, "by", arg, edge_names);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ .argp = &lt_argp_file_table },
	{ &lt_argp_tasks, 0, "Only some of them, each below those that are above it:", 8 },
	{ .argp = &lt_argp_times }, { 0 }
};

static const struct argp argp = {
	argp_options, parse, "[FILE...]",
	"Print the forest of all tasks in the trace, each with its program, start, end and "
	"times, and with sums over all tasks below it.\v[PID] is a process, (TID) a thread. "
	"Times are since the trace began: seconds for people, ns in JSON. A task stays below its "
	"parent at its birth, also if it got another parent later. Sums are over all tasks "
	"below, also those that are not printed.",
	children, NULL, NULL
};

static enum lt_task_edges edges(const struct options *o)
{
	if (!o->by_creator)
		return LT_BY_PARENT;
	return o->view.threads ? LT_BY_CREATOR_THREAD : LT_BY_CREATOR;
}

/*
 * What memory was alive meanwhile; NULL: it was not recorded, or after an error, which is @failed.
 */
static struct lt_series *read_memory(const struct lt_trace *t, bool *failed)
{
	const struct lt_report_options report = {
		.no_recorder = true, .short_ns = 1000000, .within = 16, .long_ns = 1000000000,
	};
	const char *events = lt_trace_text(t, LT_BLOCK_EVENTS, SIZE_MAX), *line;
	struct lt_series *s = NULL;
	bool watched = true;
	char why[8];
	size_t len;

	*failed = false;
	while (events && lt_line(&events, &line, &len))
		watched &= !lt_line_unwatched(line, len, "kmem_cache_alloc", why, sizeof(why));
	if (!watched)
		return NULL;
	s = lt_series_make(lt_trace_file(t)->path, &report, LT_LANES_POINTS);
	*failed = !s;
	return s;
}

/* Return: an exit status. */
static int draw(const struct options *o, struct lt_lanes *lanes, const struct lt_trace *t)
{
	bool failed;
	struct lt_series *memory = read_memory(t, &failed);
	int fd = failed ? -1 : lt_output_open(o->svg), err = -1;
	struct lt_out out = LT_OUT_NAMED(fd, o->svg);

	if (fd >= 0) {
		lt_lanes_print(lanes, &out, &o->view.times, memory, false);
		err = lt_out_close(&out);
		err |= lt_output_close(fd, !err);
	}
	lt_series_free(memory);
	return err ? LT_EXIT_BAD : LT_EXIT_OK;
}

/* Return: an exit status. */
static int write_wspy(const struct options *o, struct lt_wspy *w)
{
	int fd = lt_output_open_public(o->wspy), err = -1;
	struct lt_out out = LT_OUT_NAMED(fd, o->wspy);

	if (fd >= 0) {
		lt_wspy_print(w, &out);
		err = lt_out_close(&out);
		err |= lt_output_close(fd, !err);
	}
	return err ? LT_EXIT_BAD : LT_EXIT_OK;
}

static int print(struct lt_tasks *tb, const struct lt_trace *t, struct lt_out *out, void *arg)
{
	struct options *o = arg;
	const struct lt_task_pick *pick = &o->tasks.pick;
	struct lt_task_tree tree;
	struct lt_lanes *lanes = NULL;
	struct lt_wspy *wspy = NULL;
	int status = LT_EXIT_OK;

	if (lt_times_init(&o->view.times, o->args.times, t) ||
	    (pick->name && lt_task_check_name(tb, o->args.file, "task", pick->name)) ||
	    (o->view.root && lt_task_check_name(tb, o->args.file, "root", o->view.root)))
		return LT_EXIT_BAD;
	lt_task_tree_make(&tree, tb, edges(o));
	o->view.out = out;
	o->view.tree = &tree;
	o->view.format = o->args.format;
	o->view.columns = o->args.columns;
	if (o->sort)
		lt_tree_sort_siblings(&tree, &o->view, o->sort);
	o->view.pick = *pick;
	if (o->svg) {
		o->view.node = lt_lanes_add;
		o->view.node_arg = lanes = lt_lanes_new(tb, t);
	}
	if (o->wspy) {
		o->view.node = lt_wspy_add;
		o->view.node_arg = wspy = lt_wspy_new(&tree, t);
	}
	lt_tree_print(&o->view);
	if (lanes) {
		status = draw(o, lanes, t);
		lt_lanes_free(lanes);
	}
	if (wspy) {
		status = write_wspy(o, wspy);
		lt_wspy_free(wspy);
	}
	lt_task_tree_free(&tree);
	return status;
}

int lt_cmd_tree(int argc, char **argv)
{
	const struct lt_tasks_command cmd = { .print = print };
	struct options o = { .args.kind = &lt_rows_of_tree, .view = { .depth = UINT32_MAX } };

	lt_help_parse(&argp, argc, argv, 0, &o);
	lt_args_rows(&o.args, &lt_rows_of_tree, 0, NULL);
	if (lt_task_args_times(&o.tasks, o.args.file))
		return LT_EXIT_BAD;
	return lt_cmd_with_tasks(o.args.file, o.args.format, &cmd, &o);
}
