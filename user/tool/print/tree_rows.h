/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The forest of tasks as rows, and siblings in the order of a column.
 */
#ifndef LT_PRINT_TREE_ROWS_H
#define LT_PRINT_TREE_ROWS_H

#include "forms/columns.h"
#include "print/tree.h"
#include "tasks/tree.h"

/**
 * struct lt_tree_ctx - what the columns need; a row is a struct lt_task_node of @p->tree
 * @base: depth of what is at the top
 */
struct lt_tree_ctx {
	const struct lt_tree_view *p;
	uint32_t base;
	char text[256];
};

extern const struct lt_row_kind lt_rows_of_tree;

/* CPU time of a task, with that of its threads if those are not printed. */
uint64_t lt_tree_cpu(const struct lt_tree_view *p, uint32_t inst);

/* From the first birth to the last end of a task and all below it. */
static inline uint64_t lt_tree_span(const struct lt_task_node *n)
{
	return n->end > n->begin ? (uint64_t)n->end - (uint64_t)n->begin : 0;
}

/* Puts all that are below one task, and the roots, into the order of a column. @p: with @tree */
void lt_tree_sort_siblings(struct lt_task_tree *tree, const struct lt_tree_view *p,
			   const struct lt_column *by);

#endif /* LT_PRINT_TREE_ROWS_H */
