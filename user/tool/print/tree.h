/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The forest of tasks, printed.
 */
#ifndef LT_PRINT_TREE_H
#define LT_PRINT_TREE_H

#include "base/out.h"
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
 * @pick: print only these tasks, and those above them
 * @times: of the trace
 */
struct lt_tree_view {
	struct lt_out *out;
	const struct lt_task_tree *tree;
	const char *root;
	uint32_t depth;
	bool threads;
	bool json;
	struct lt_task_pick pick;
	struct lt_times times;
	struct lt_tree_line *line;	/* private */
};

/* Return: the number of trees, with @root of those of its tasks. */
uint64_t lt_tree_print(const struct lt_tree_view *p);

#endif /* LT_PRINT_TREE_H */
