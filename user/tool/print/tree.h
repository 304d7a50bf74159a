/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The forest of tasks, printed.
 */
#ifndef LT_LIB_TASK_FOREST_H
#define LT_LIB_TASK_FOREST_H

#include "base/out.h"
#include "tasks/tree.h"

/**
 * struct lt_tree_view - what to print, and how
 * @root: only trees of tasks with this name, program, or, if it is a number, with
 *	this number; NULL: all
 * @depth: levels below a tree's root, UINT32_MAX: all
 * @threads: as nodes of their own
 * @begin: of the trace
 */
struct lt_tree_view {
	struct lt_out *out;
	const struct lt_task_tree *tree;
	const char *root;
	uint32_t depth;
	bool threads;
	bool json;
	uint64_t begin;
};

/* Return: how many trees there were. */
uint64_t lt_tree_print(const struct lt_tree_view *p);

#endif /* LT_LIB_TASK_FOREST_H */
