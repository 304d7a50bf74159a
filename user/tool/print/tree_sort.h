/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The forest of tasks, siblings in the order of a column.
 */
#ifndef LT_PRINT_TREE_SORT_H
#define LT_PRINT_TREE_SORT_H

#include "forms/table.h"
#include "tasks/tree.h"

/* The column that --sort means; NULL after reporting that there is none. */
const struct lt_column *lt_tree_sort(const char *name);

/* Puts all that are below one task, and the roots, into the order of a column. */
void lt_tree_sort_siblings(struct lt_task_tree *tree, const struct lt_column *by);

#endif /* LT_PRINT_TREE_SORT_H */
