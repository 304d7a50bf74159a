// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace hazards: where identifying a task by its pid number would have been wrong.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "forms/sort.h"
#include "out/log.h"
#include "out/units.h"
#include "print/tasks.h"
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
	{ "sort", KEY_SORT, "COLUMN", 0, "The kinds by count, the greatest first, or by hazard, their name",
	  0 },
	{ "grace", KEY_GRACE, "TIME", 0,
	  "PID reuse within TIME of the exit counts as quick [20ms]", 0 },
	{ 0 }
};

static enum lt_hazard_id id_of(const void *row)
{
	return (enum lt_hazard_id)((const struct lt_hazard_kind *)row - lt_hazard_kinds);
}

static void get_hazard(const void *row, void *ctx, struct lt_value *v)
{
	const struct lt_hazard_kind *k = row;

	(void)ctx;
	lt_value_text(v, k->name, strlen(k->name));
}

static void get_count(const void *row, void *ctx, struct lt_value *v)
{
	lt_value_u(v, LT_VALUE_COUNT, lt_hazards_get(ctx, id_of(row))->count);
}

static const struct lt_column col_hazard = { .name = "hazard", .get = get_hazard };
static const struct lt_column col_count = { .name = "count", .get = get_count };
static const struct lt_column *const columns[] = { &col_hazard, &col_count };

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
		o->sort = lt_sort_column(columns, sizeof(columns) / sizeof(columns[0]), arg);
		if (!o->sort)
			exit(LT_EXIT_BAD);
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
	lt_args_file_json_times, NULL, NULL
};

/* ------------------------------------------------------------------------
 * Text for people
 */

static void put_task(struct lt_out *o, const struct lt_tasks *tb, const char *before,
		     const char *what, uint32_t inst)
{
	const struct lt_task_inst *t = lt_tasks_get(tb, inst);
	char buf[96];
	size_t len;
	const char *s = lt_tasks_name(tb, t->comm, &len);

	snprintf(buf, sizeof(buf), "%s%s %u@%" PRIu64 " ", before, what, t->tid, t->start);
	lt_out_str(o, buf);
	lt_task_out_name(o, s, len);
}

static void put_value(struct lt_out *o, const struct lt_hazard_kind *k, uint64_t value)
{
	char buf[96], ns[32];

	if (k->is_time)
		snprintf(buf, sizeof(buf), ", %s %s", lt_human_ns(value, ns, sizeof(ns)), k->value);
	else
		snprintf(buf, sizeof(buf), ", %s: %" PRIu64, k->value, value);
	lt_out_str(o, buf);
}

/* "    at 1.250000, new 17@123456789 sh, old 17@100000000 cc1, 5.0 ms after the exit" */
static void print_example(struct lt_out *o, const struct lt_tasks *tb,
			  const struct lt_hazard_kind *k, const struct lt_hazard_example *e,
			  const struct lt_times *times)
{
	char buf[LT_TIME_TEXT];

	if (e->time) {
		lt_out_str(o, "    at ");
		lt_out_str(o, lt_times_text(times, e->time, 6, buf));
	} else {
		snprintf(buf, sizeof(buf), "    pid namespace %u", e->other);
		lt_out_str(o, buf);
	}
	if (k->inst && e->inst)
		put_task(o, tb, ", ", k->inst, e->inst);
	if (k->other && e->other)
		put_task(o, tb, ", ", k->other, e->other);
	if (k->value)
		put_value(o, k, e->value);
	lt_out_char(o, '\n');
}

static void print_text(struct lt_out *o, const struct lt_tasks *tb,
		       const struct lt_hazards *h, const void *const *order,
		       const struct lt_times *times)
{
	lt_tasks_summary(o, tb);
	lt_out_char(o, '\n');
	for (unsigned int i = 0; i < LT_N_HAZARDS; i++) {
		const struct lt_hazard_kind *k = order[i];
		const struct lt_hazard *z = lt_hazards_get(h, id_of(k));
		char line[256], count[32];

		snprintf(line, sizeof(line), "%11s  %s\n",
			 lt_human_count(z->count, count, sizeof(count)), k->text);
		lt_out_str(o, line);
		if (!z->count)
			continue;
		snprintf(line, sizeof(line), "%11s  (a tool that goes by numbers %s)\n", "",
			 k->wrong);
		lt_out_str(o, line);
		for (size_t j = 0; j < z->n; j++)
			print_example(o, tb, k, &z->examples[j], times);
	}
}

/* A pid namespace of which not all reuses are known, and what the whole trace lacks. */
static void print_incomplete(struct lt_out *o, const struct lt_tasks *tb, const struct lt_trace *t,
			     size_t limit)
{
	unsigned int i = 0;
	size_t n = 0;
	char buf[256];

	while (lt_trace_incomplete(t, &i, buf, sizeof(buf))) {
		lt_out_str(o, "incomplete: ");
		lt_out_str(o, buf);
		lt_out_char(o, '\n');
	}
	for (uint32_t k = 0; k < lt_tasks_n_namespaces(tb) && n < limit; k++) {
		const struct lt_task_ns *ns = lt_tasks_namespace(tb, k);

		if (!ns || !ns->untracked)
			continue;
		snprintf(buf, sizeof(buf), "    pid namespace %u (pid:[%u], level %u): %" PRIu64
			 " tasks of %" PRIu64 "\n", ns->number, ns->inum, ns->level,
			 ns->untracked, ns->born);
		lt_out_str(o, buf);
		n++;
	}
}

/* ------------------------------------------------------------------------
 * JSON
 */

/* As the rows of hazards: a tool that reads those finds it, or passes over it. */
static void json_incomplete(struct lt_out *o, const struct lt_tasks *tb, const struct lt_trace *t,
			    size_t limit)
{
	unsigned int i = 0;
	size_t n = 0;
	char buf[256];

	while (lt_trace_incomplete(t, &i, buf, sizeof(buf))) {
		lt_out_str(o, "{\"incomplete\":");
		lt_out_json(o, buf, strlen(buf));
		lt_out_str(o, "}\n");
	}
	for (uint32_t k = 0; k < lt_tasks_n_namespaces(tb) && n < limit; k++) {
		const struct lt_task_ns *ns = lt_tasks_namespace(tb, k);

		if (!ns || !ns->untracked)
			continue;
		snprintf(buf, sizeof(buf), "{\"incomplete\":\"reuses in a pid namespace\","
			 "\"pid_namespace\":%u,\"inum\":%u,\"level\":%u,\"tasks\":%" PRIu64
			 ",\"born\":%" PRIu64 "}\n", ns->number, ns->inum, ns->level,
			 ns->untracked, ns->born);
		lt_out_str(o, buf);
		n++;
	}
}

static void json_task(struct lt_out *o, const struct lt_tasks *tb, const char *what,
		      uint32_t inst)
{
	const struct lt_task_inst *t = lt_tasks_get(tb, inst);
	char buf[96];
	size_t len;
	const char *s = lt_tasks_name(tb, t->comm, &len);

	snprintf(buf, sizeof(buf), ",\"%s\":{\"tid\":%u,\"start_ns\":%" PRIu64 ",\"comm\":", what,
		 t->tid, t->start);
	lt_out_str(o, buf);
	lt_out_json(o, s, len);
	lt_out_char(o, '}');
}

static void json_example(struct lt_out *o, const struct lt_tasks *tb,
			 const struct lt_hazard_kind *k, const struct lt_hazard_example *e,
			 const struct lt_times *times)
{
	lt_out_str(o, "{\"time_ns\":");
	if (e->time)
		lt_out_s64(o, lt_times_ns(times, e->time));
	else
		lt_out_str(o, "null");
	if (k->inst && e->inst)
		json_task(o, tb, k->inst, e->inst);
	if (k->other && e->other) {
		json_task(o, tb, k->other, e->other);
	} else if (e->other) {
		lt_out_str(o, ",\"pid_namespace\":");
		lt_out_u64(o, e->other);
	}
	if (k->value) {
		lt_out_str(o, ",\"value\":");
		lt_out_u64(o, e->value);
	}
	lt_out_char(o, '}');
}

static void print_json(struct lt_out *o, const struct lt_tasks *tb,
		       const struct lt_hazards *h, const void *const *order,
		       const struct lt_times *times)
{
	for (unsigned int i = 0; i < LT_N_HAZARDS; i++) {
		const struct lt_hazard_kind *k = order[i];
		const struct lt_hazard *z = lt_hazards_get(h, id_of(k));
		char value[64];

		lt_out_str(o, "{\"hazard\":");
		lt_out_json(o, k->name, strlen(k->name));
		lt_out_str(o, ",\"count\":");
		lt_out_u64(o, z->count);
		lt_out_str(o, ",\"what\":");
		lt_out_json(o, k->text, strlen(k->text));
		lt_out_str(o, ",\"value_is\":");
		snprintf(value, sizeof(value), "%s%s", k->is_time ? "ns " : "",
			 k->value ? k->value : "");
		lt_out_json(o, value, strlen(value));
		lt_out_str(o, ",\"examples\":[");
		for (size_t j = 0; j < z->n; j++) {
			if (j)
				lt_out_char(o, ',');
			json_example(o, tb, k, &z->examples[j], times);
		}
		lt_out_str(o, "]}\n");
	}
}

static void prepare(struct lt_tasks *tb, void *arg)
{
	struct options *o = arg;

	o->hazards = lt_hazards_new(tb, o->limit, o->grace);
}

static int print(struct lt_tasks *tb, const struct lt_trace *t, struct lt_out *out, void *arg)
{
	struct options *o = arg;
	struct lt_times times;
	int status = LT_EXIT_OK;

	lt_hazards_finish(o->hazards);
	for (unsigned int i = 0; i < LT_N_HAZARDS; i++)
		o->order[i] = &lt_hazard_kinds[i];
	if (o->sort)
		lt_sort_rows(o->order, LT_N_HAZARDS, o->sort, o->hazards);
	if (lt_times_init(&times, o->args.times, t)) {
		status = LT_EXIT_BAD;
	} else if (o->args.format == LT_FORMAT_JSON) {
		print_json(out, tb, o->hazards, o->order, &times);
		json_incomplete(out, tb, t, o->limit);
	} else {
		print_text(out, tb, o->hazards, o->order, &times);
		print_incomplete(out, tb, t, o->limit);
	}
	lt_hazards_free(o->hazards);
	return status;
}

int lt_cmd_hazards(int argc, char **argv)
{
	const struct lt_tasks_command cmd = { .prepare = prepare, .print = print };
	struct options o = { .limit = 10, .grace = 20000000 };

	lt_help_parse(&argp, argc, argv, 0, &o);
	return lt_cmd_with_tasks(o.args.file, o.args.format, &cmd, &o);
}
