/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The forest of tasks, printed.
 */
#ifndef LT_PRINT_TREE_H
#define LT_PRINT_TREE_H

#include "forms/columns.h"
#include "print/task_pick.h"
#include "print/times.h"
#include "tasks/tree.h"

struct lt_tree_line;

/**
 * struct lt_tree_view - what to print, and how
 * @root: print only the trees of tasks with this name or program, or, if it is a number,
 *	with this tid; NULL: all trees
 * @depth: levels below the root of a tree; UINT32_MAX: all
 * @threads: print threads as nodes of their own
 * @columns: of --columns: text is a table of them, too; NULL: those of the format
 * @pick: print only these tasks, and those above them
 * @times: of the trace
 * @node: gets each task instead, as it would be printed; NULL: they are
 */
struct lt_tree_view {
	struct lt_out *out;
	const struct lt_task_tree *tree;
	const char *root;
	uint32_t depth;
	bool threads;
	enum lt_format format;
	const char *columns;
	struct lt_task_pick pick;
	struct lt_times times;
	void (*node)(void *arg, uint32_t inst);
	void *node_arg;
	/* private */
	struct lt_tree_line *line;
	struct lt_table *table;
};

/* Return: the number of trees, with @root of those of its tasks. */
uint64_t lt_tree_print(struct lt_tree_view *p);

#endif /* LT_PRINT_TREE_H */
