// SPDX-License-Identifier: GPL-2.0
/*
 * The forest of tasks, siblings in the order of a column of --json.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "forms/sort.h"
#include "tasks/words.h"
#include "print/tree_sort.h"

#define GET(column)									\
static void get_##column(const void *row, void *ctx, struct lt_value *v)

/* A row is a node; its place is the number of the task. */
static const struct lt_task_inst *task_of(const void *row, const struct lt_task_tree *tree)
{
	return lt_tasks_get(tree->tb, (uint32_t)((const struct lt_task_node *)row - tree->nodes));
}

#define NUMBER(column, type, known, value)						\
GET(column)										\
{											\
	const struct lt_task_tree *tree = ctx;						\
	const struct lt_task_node *n = row;						\
	const struct lt_task_inst *t = task_of(row, tree);				\
											\
	(void)n;									\
	(void)t;									\
	if (known)									\
		lt_value_u(v, type, value);						\
}

#define SIGNED(column, known, value)							\
GET(column)										\
{											\
	const struct lt_task_tree *tree = ctx;						\
	const struct lt_task_inst *t = task_of(row, tree);				\
											\
	if (!(known))									\
		return;									\
	v->type = LT_VALUE_SIGNED;							\
	v->i = (int64_t)(value);							\
}

#define NAME(column)									\
GET(column)										\
{											\
	const struct lt_task_tree *tree = ctx;						\
	const struct lt_task_inst *t = task_of(row, tree);				\
	size_t len;									\
	const char *s = lt_tasks_name(tree->tb, t->column, &len);			\
											\
	lt_value_text(v, s, len);							\
}

#define EXITED	(t->ending == LT_TASK_END_EXITED)

NUMBER(tid, LT_VALUE_COUNT, true, t->tid)
NUMBER(start, LT_VALUE_TIME, true, t->start)
NUMBER(tgid, LT_VALUE_COUNT, t->tgid, t->tgid)
NAME(comm)
NAME(file)
SIGNED(begin, true, lt_task_begin_time(tree->tb, t))
SIGNED(end, lt_task_ended(t), t->end)
NUMBER(elapsed, LT_VALUE_NS, true, lt_task_lifetime(tree->tb, t))
NUMBER(cpu, LT_VALUE_NS, lt_task_has_usage(t), lt_task_cpu_time(t))
NUMBER(exit_code, LT_VALUE_COUNT, EXITED, t->code >> 8)
NUMBER(exit_signal, LT_VALUE_COUNT, EXITED, t->code & 0x7f)
NUMBER(processes, LT_VALUE_COUNT, true, n->processes)
NUMBER(threads, LT_VALUE_COUNT, true, n->threads)
NUMBER(span, LT_VALUE_NS, n->end > n->begin, (uint64_t)n->end - (uint64_t)n->begin)
NUMBER(tree_cpu, LT_VALUE_NS, true, n->cpu)

#define COLUMN(title, id)	{ .name = title, .header = title, .get = get_##id }

static const struct lt_column all_columns[] = {
	COLUMN("tid", tid), COLUMN("start_ns", start), COLUMN("tgid", tgid), COLUMN("comm", comm),
	COLUMN("file", file), COLUMN("begin_ns", begin), COLUMN("end_ns", end),
	COLUMN("elapsed_ns", elapsed), COLUMN("cpu_ns", cpu), COLUMN("exit_code", exit_code),
	COLUMN("exit_signal", exit_signal), COLUMN("processes", processes),
	COLUMN("threads", threads), COLUMN("span_ns", span), COLUMN("tree_cpu_ns", tree_cpu),
};

#define N_COLUMNS	(sizeof(all_columns) / sizeof(all_columns[0]))

const struct lt_column *lt_tree_sort(const char *name)
{
	const struct lt_column *columns[N_COLUMNS];

	for (size_t i = 0; i < N_COLUMNS; i++)
		columns[i] = &all_columns[i];
	return lt_sort_column(columns, N_COLUMNS, name);
}

void lt_tree_sort_siblings(struct lt_task_tree *tree, const struct lt_column *by)
{
	uint32_t n = lt_tasks_count(tree->tb);
	const void **rows = lt_alloc_array((size_t)n + 1, sizeof(*rows));
	const uint32_t *order = lt_tasks_order(tree->tb);
	uint32_t *sorted = lt_alloc_array((size_t)n + 1, sizeof(*sorted));

	for (uint32_t i = 0; i < n; i++)
		rows[i] = &tree->nodes[order[i]];
	lt_sort_rows(rows, n, by, tree);
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = (uint32_t)((const struct lt_task_node *)rows[i] - tree->nodes);
	lt_task_tree_order(tree, sorted, n);
	free(sorted);
	free(rows);
}
