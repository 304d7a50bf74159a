// SPDX-License-Identifier: GPL-2.0
/*
 * Where identifying a task by its number would have been wrong.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "forms/screen.h"
#include "out/units.h"
#include "print/hazards.h"
#include "print/tasks.h"

static const char *value_of(const struct lt_hazard_kind *k, struct lt_hazards_view *p)
{
	snprintf(p->text, sizeof(p->text), "%s%s", k->is_time ? "ns " : "", k->value ? k->value : "");
	return p->text;
}

#define HAZARD(C)	\
	C(hazard, "hazard", "hazard", TEXT, A, true, k->name, "kind of hazard")	\
	C(count, "count", "count", COUNT, A, true,	\
	  lt_hazards_get(p->hazards, lt_hazard_id(k))->count,	\
	  "how often it is in the trace")	\
	C(what, "what", "what", TEXT, A, true, k->text, "what it is")	\
	C(value_is, "value_is", "value is", TEXT, A, true, value_of(k, p),	\
	  "what the value of an example is")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct lt_hazard_kind, k, struct lt_hazards_view, p, TYPE, known, value)

HAZARD(GETTER)
static const struct lt_column hazard_columns[] = { HAZARD(LT_SCREEN_COLUMN) };
LT_SCREEN_KIND(hazard, "hazard", NULL, "a kind of hazard");

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

static void print_kinds(struct lt_out *o, const struct lt_tasks *tb,
			const struct lt_hazards_view *p)
{
	lt_tasks_summary(o, tb);
	lt_out_char(o, '\n');
	for (unsigned int i = 0; i < LT_N_HAZARDS; i++) {
		const struct lt_hazard_kind *k = p->order[i];
		const struct lt_hazard *z = lt_hazards_get(p->hazards, lt_hazard_id(k));
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
			print_example(o, tb, k, &z->examples[j], p->times);
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
static void json_incomplete(struct lt_json *j, const struct lt_tasks *tb, const struct lt_trace *t,
			    size_t limit)
{
	unsigned int i = 0;
	size_t n = 0;
	char buf[256];

	while (lt_trace_incomplete(t, &i, buf, sizeof(buf))) {
		lt_json_object(j, NULL);
		lt_json_str(j, "incomplete", buf);
		lt_json_line(j);
	}
	for (uint32_t k = 0; k < lt_tasks_n_namespaces(tb) && n < limit; k++) {
		const struct lt_task_ns *ns = lt_tasks_namespace(tb, k);

		if (!ns || !ns->untracked)
			continue;
		lt_json_object(j, NULL);
		lt_json_str(j, "incomplete", "reuses in a pid namespace");
		lt_json_u64(j, "pid_namespace", ns->number);
		lt_json_u64(j, "inum", ns->inum);
		lt_json_u64(j, "level", ns->level);
		lt_json_u64(j, "tasks", ns->untracked);
		lt_json_u64(j, "born", ns->born);
		lt_json_line(j);
		n++;
	}
}

static void json_task(struct lt_json *j, const struct lt_tasks *tb, const char *what,
		      uint32_t inst)
{
	const struct lt_task_inst *t = lt_tasks_get(tb, inst);
	size_t len;
	const char *s = lt_tasks_name(tb, t->comm, &len);

	lt_json_object(j, what);
	lt_json_u64(j, "tid", t->tid);
	lt_json_u64(j, "start_ns", t->start);
	lt_json_text(j, "comm", s, len);
	lt_json_end(j);
}

static void json_example(struct lt_json *j, const struct lt_tasks *tb,
			 const struct lt_hazard_kind *k, const struct lt_hazard_example *e,
			 const struct lt_times *times)
{
	lt_json_object(j, NULL);
	lt_json_s64_if(j, "time_ns", e->time, lt_times_ns(times, e->time));
	if (k->inst && e->inst)
		json_task(j, tb, k->inst, e->inst);
	if (k->other && e->other)
		json_task(j, tb, k->other, e->other);
	else if (e->other)
		lt_json_u64(j, "pid_namespace", e->other);
	if (k->value)
		lt_json_u64(j, "value", e->value);
	lt_json_end(j);
}

/* Each kind with its examples, unless columns were chosen. */
static void print_json(struct lt_out *o, const struct lt_tasks *tb, const struct lt_trace *t,
		       struct lt_hazards_view *p)
{
	struct lt_json j = LT_JSON_INIT(o);
	struct lt_table table = { .out = o, .format = LT_FORMAT_JSON, .ctx = p, .json = &j };

	lt_table_columns(&table, &lt_rows_of_hazard, 0, p->columns);
	for (unsigned int i = 0; i < LT_N_HAZARDS; i++) {
		const struct lt_hazard_kind *k = p->order[i];
		const struct lt_hazard *z = lt_hazards_get(p->hazards, lt_hazard_id(k));

		lt_json_object(&j, NULL);
		lt_table_members(&table, k);
		if (!p->columns)
			lt_json_array(&j, "examples");
		for (size_t n = 0; n < z->n && !p->columns; n++)
			json_example(&j, tb, k, &z->examples[n], p->times);
		lt_json_line(&j);
	}
	free(table.owned);
	json_incomplete(&j, tb, t, p->limit);
}

static void print_table(struct lt_out *o, struct lt_hazards_view *p)
{
	struct lt_table table = { .out = o, .format = p->format, .ctx = p };

	lt_table_columns(&table, &lt_rows_of_hazard, 0, p->columns);
	lt_table_begin(&table);
	for (unsigned int i = 0; i < LT_N_HAZARDS; i++)
		lt_table_row(&table, p->order[i]);
	lt_table_end(&table);
}

void lt_hazards_print(struct lt_out *o, const struct lt_tasks *tb, const struct lt_trace *t,
		      struct lt_hazards_view *p)
{
	if (p->format == LT_FORMAT_JSON) {
		print_json(o, tb, t, p);
		return;
	}
	if (p->format == LT_FORMAT_TEXT && !p->columns)
		print_kinds(o, tb, p);
	else
		print_table(o, p);
	if (p->format == LT_FORMAT_TEXT)
		print_incomplete(o, tb, t, p->limit);
}
