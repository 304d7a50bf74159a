// SPDX-License-Identifier: GPL-2.0
/*
 * The forest of tasks as rows, and siblings in the order of a column.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "forms/screen.h"
#include "forms/sort.h"
#include "print/tree_rows.h"
#include "tasks/words.h"

uint64_t lt_tree_cpu(const struct lt_tree_view *p, uint32_t inst)
{
	const struct lt_task_tree *tree = p->tree;
	uint64_t cpu = lt_task_cpu_time(lt_tasks_get(tree->tb, inst));

	for (uint32_t c = tree->nodes[inst].first; !p->threads && c; c = tree->nodes[c].next) {
		const struct lt_task_inst *t = lt_tasks_get(tree->tb, c);

		if (lt_task_is_thread(t))
			cpu += lt_task_cpu_time(t);
	}
	return cpu;
}

/* A row is a node; its place is the number of the task. */
static uint32_t number(const struct lt_task_node *n, const struct lt_tree_ctx *c)
{
	return (uint32_t)(n - c->p->tree->nodes);
}

static void put_name(const struct lt_tasks *tb, uint32_t name, struct lt_value *v)
{
	size_t len;
	const char *s = lt_tasks_name(tb, name, &len);

	lt_value_text(v, s, len);
}

/* A time of the trace. */
static int64_t when(const struct lt_tree_ctx *c, uint64_t time)
{
	return lt_times_ns(&c->p->times, time);
}

#define TB	c->p->tree->tb
#define UP	lt_tasks_get(TB, n->up)
#define EXITED	lt_task_has_code(t)

#define TREE(C, G)	\
	C(depth, "depth", "depth", COUNT, A, true, c->p->tree->nodes[number(n, c)].depth - c->base,	\
	  "levels above it")	\
	C(tid, "tid", "tid", COUNT, A, true, t->tid, "number of the task")	\
	C(start, "start_ns", "start", TIME, A, true, t->start, "when it was born, since boot")	\
	C(tgid, "tgid", "tgid", COUNT, A, true, t->tgid, "its process")	\
	C(up_tid, "up_tid", "up tid", COUNT, A, n->up, UP->tid, "number of the task above it")	\
	C(up_start, "up_start_ns", "up start", TIME, A, n->up, UP->start, "when that was born")	\
	G(comm, "comm", "comm", TEXT, A, put_name(TB, t->comm, v), "its name")	\
	G(file, "file", "file", TEXT, A, put_name(TB, t->file, v), "its program")	\
	C(begin, "begin_ns", "begin", SIGNED, A, true, when(c, (uint64_t)lt_task_begin_time(TB, t)),	\
	  "when it was born, or seen first")	\
	C(end, "end_ns", "end", SIGNED, A, lt_task_ended(t), when(c, t->end), "when it exited")	\
	C(elapsed, "elapsed_ns", "elapsed", NS, A, true, lt_task_lifetime(TB, t), "how long it lived")	\
	C(cpu, "cpu_ns", "cpu", NS, A, lt_task_has_usage(t), lt_tree_cpu(c->p, number(n, c)),	\
	  "its CPU time, with its threads unless these are rows")	\
	C(exit_code, "exit_code", "code", COUNT, A, EXITED, t->code >> 8, "exit code")	\
	C(exit_signal, "exit_signal", "signal", COUNT, A, EXITED, t->code & 0x7f, "signal that ended it")	\
	C(birth_is, "birth_certainty", "birth is", TEXT, A, true,	\
	  lt_certainty_name((enum lt_certainty)t->birth_is), "how certain its birth is")	\
	C(end_is, "end_certainty", "end is", TEXT, A, true,	\
	  lt_certainty_name((enum lt_certainty)t->death_is), "how certain its end is")	\
	C(ending, "ended_by", "ended by", TEXT, A, true,	\
	  lt_task_ending_name((enum lt_task_ending)t->ending), "what ended it")	\
	C(remarks, "remarks", "remarks", TEXT, A, true, lt_task_remarks(t, c->text, sizeof(c->text)),	\
	  "what is unusual about it")	\
	C(processes, "processes", "processes", COUNT, A, true, n->processes, "processes: it and all below it") \
	C(threads, "threads", "threads", COUNT, A, true, n->threads, "threads of these")	\
	C(span, "span_ns", "span", NS, A, true, lt_tree_span(n), "from the first birth to the last end of these") \
	C(tree_cpu, "tree_cpu_ns", "tree cpu", NS, A, true, n->cpu, "CPU time of these")

#define TASK_OF_ROW	const struct lt_task_inst *t = lt_tasks_get(TB, number(n, c)); (void)t

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)			\
	LT_ROW_FILLER(id, struct lt_task_node, n, struct lt_tree_ctx, c, v,		\
		      TASK_OF_ROW; if (known) LT_ROW_SET_##TYPE(v, value))
#define FILLER(id, name, head, TYPE, marks, call, meaning)				\
	LT_ROW_FILLER(id, struct lt_task_node, n, struct lt_tree_ctx, c, v, TASK_OF_ROW; call)

TREE(GETTER, FILLER)
static const struct lt_column tree_columns[] = { TREE(LT_SCREEN_COLUMN, LT_SCREEN_FILLED) };
LT_SCREEN_KIND(tree, "tree", NULL, "a task and all below it");

void lt_tree_sort_siblings(struct lt_task_tree *tree, const struct lt_tree_view *p,
			   const struct lt_column *by)
{
	struct lt_tree_ctx c = { .p = p };
	uint32_t n = lt_tasks_count(tree->tb);
	const void **rows = lt_alloc_array((size_t)n + 1, sizeof(*rows));
	const uint32_t *order = lt_tasks_order(tree->tb);
	uint32_t *sorted = lt_alloc_array((size_t)n + 1, sizeof(*sorted));

	for (uint32_t i = 0; i < n; i++)
		rows[i] = &tree->nodes[order[i]];
	lt_sort_rows(rows, n, by, &c);
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = (uint32_t)((const struct lt_task_node *)rows[i] - tree->nodes);
	lt_task_tree_order(tree, sorted, n);
	free(sorted);
	free(rows);
}
