// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace hazards: where identifying a task by its pid number would have been wrong.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "forms/sort.h"
#include "out/log.h"
#include "print/hazards.h"
#include "tasks/hazard.h"
#include "tasks/read.h"

#define MAX_LIMIT	1000000

struct options {
	struct lt_args args;
	size_t limit;
	uint64_t grace;
	struct lt_hazards *hazards;
	const struct lt_column *sort;
	const void *order[LT_N_HAZARDS];	/* struct lt_hazard_kind */
};

enum { KEY_GRACE = 256, KEY_SORT };

static const struct argp_option argp_options[] = {
	{ "limit", 'n', "N", 0, "At most N examples of each kind of hazard [10]", 0 },
	{ "sort", KEY_SORT, "COLUMN", 0, "The kinds by COLUMN of --json: the greatest first, texts from A to Z",
	  0 },
	{ "grace", KEY_GRACE, "TIME", 0,
	  "PID reuse within TIME of the exit counts as quick [20ms]", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[1] = &o->args;
		return 0;
	case 'n':
		o->limit = (size_t)lt_args_count(state, "limit", arg, 0, MAX_LIMIT);
		return 0;
	case KEY_SORT:
		o->sort = lt_args_sort(&lt_rows_of_hazard, arg);
		return 0;
	case KEY_GRACE:
		o->grace = lt_args_duration(state, "grace", arg, 0);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "[FILE...]",
	"Count the places in a trace where pid reuse misleads tools that identify processes by "
	"number, with examples.",
	lt_args_file_table_times, NULL, NULL
};

static void prepare(struct lt_tasks *tb, void *arg)
{
	struct options *o = arg;

	o->hazards = lt_hazards_new(tb, o->limit, o->grace);
}

static int print(struct lt_tasks *tb, const struct lt_trace *t, struct lt_out *out, void *arg)
{
	struct options *o = arg;
	struct lt_times times;
	struct lt_hazards_view view = {
		.hazards = o->hazards, .order = o->order, .limit = o->limit, .times = &times,
		.format = o->args.format, .columns = o->args.columns,
	};
	int status = LT_EXIT_OK;

	lt_hazards_finish(o->hazards);
	for (unsigned int i = 0; i < LT_N_HAZARDS; i++)
		o->order[i] = &lt_hazard_kinds[i];
	if (o->sort)
		lt_sort_rows(o->order, LT_N_HAZARDS, o->sort, &view);
	if (lt_times_init(&times, o->args.times, t))
		status = LT_EXIT_BAD;
	else
		lt_hazards_print(out, tb, t, &view);
	lt_hazards_free(o->hazards);
	return status;
}

int lt_cmd_hazards(int argc, char **argv)
{
	const struct lt_tasks_command cmd = { .prepare = prepare, .print = print };
	struct options o = { .args.kind = &lt_rows_of_hazard, .limit = 10, .grace = 20000000 };

	lt_help_parse(&argp, argc, argv, 0, &o);
	lt_args_rows(&o.args, &lt_rows_of_hazard, 0, NULL);
	return lt_cmd_with_tasks(o.args.file, o.args.format, &cmd, &o);
}
