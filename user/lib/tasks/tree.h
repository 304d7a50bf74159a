/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The forest of tasks, with sums over each subtree.
 *
 * An edge leads to an instance that was started before, so there are no cycles, and one pass
 * over the instances in the order of their births suffices. Nothing here is recursive: a tree
 * may be as deep as a trace is long.
 */
#ifndef LT_TASKS_TREE_H
#define LT_TASKS_TREE_H

#include "tasks/tasks.h"

/**
 * struct lt_task_node - an instance in the forest
 * @up: the instance above, 0: the node is a root
 * @first, @last: first and last instance below
 * @next: the next instance below @up
 * @depth: 0 of a root
 * @processes, @threads: in the subtree, the node included
 * @begin, @end: of the subtree, trace time; @begin may lie before the trace and be negative
 * @cpu: CPU time of the subtree in ns
 */
struct lt_task_node {
	uint32_t up;
	uint32_t first;
	uint32_t last;
	uint32_t next;
	uint32_t depth;
	uint32_t processes;
	uint32_t threads;
	int64_t begin;
	int64_t end;
	uint64_t cpu;
};

struct lt_task_tree {
	const struct lt_tasks *tb;
	struct lt_task_node *nodes;	/* by instance; [0].first … are the roots */
	uint64_t roots;
	uint64_t processes;
	uint64_t threads;
	uint32_t deepest;
	uint64_t cycles;	/* edges against the order: 0, as a check */
};

enum lt_task_edges {
	LT_BY_PARENT,		/* threads below their leader */
	LT_BY_CREATOR,		/* below the process that called fork */
	LT_BY_CREATOR_THREAD,	/* below the thread that called fork */
};

/* @tb is finished, and must exist as long as the tree. */
void lt_task_tree_make(struct lt_task_tree *tree, const struct lt_tasks *tb,
		       enum lt_task_edges edges);
/* Puts siblings into the order of @order, which has each of the @n instances once. */
void lt_task_tree_order(struct lt_task_tree *tree, const uint32_t *order, uint32_t n);
void lt_task_tree_free(struct lt_task_tree *tree);

/**
 * lt_task_tree_next() - the next node of a subtree, in the order of a walk
 * @top: the subtree's root; 0: the whole forest
 * @at: the node before this one; @top at first
 * @down: whether to go below @at
 * Return: 0: there is no other node.
 */
uint32_t lt_task_tree_next(const struct lt_task_tree *tree, uint32_t top, uint32_t at,
			   bool down);

/* Trace time of the start of a task; may be negative if it was started before the trace. */
int64_t lt_task_begin_time(const struct lt_tasks *tb, const struct lt_task_inst *t);

/* How long a task lived in ns; until the end of the trace if it is alive. */
uint64_t lt_task_lifetime(const struct lt_tasks *tb, const struct lt_task_inst *t);

#endif /* LT_TASKS_TREE_H */
