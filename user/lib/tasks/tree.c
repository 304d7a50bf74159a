// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The forest of tasks.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tasks/tree.h"

int64_t lt_task_begin_time(const struct lt_tasks *tb, const struct lt_task_inst *t)
{
	uint64_t boot;

	if (t->marks & LT_TASK_MARK_BORN)
		return (int64_t)t->birth;
	boot = lt_tasks_boot_time(tb, t->birth);
	/* A task has the start 0 where nobody knows its start. */
	if (!boot || !t->start || t->start > boot)
		return (int64_t)t->birth;
	return (int64_t)(t->birth - (boot - t->start));
}

uint64_t lt_task_lifetime(const struct lt_tasks *tb, const struct lt_task_inst *t)
{
	int64_t begin = lt_task_begin_time(tb, t);

	return (int64_t)t->end > begin ? t->end - (uint64_t)begin : 0;
}

/* The instance above a task, which is older: other links are refused. */
static uint32_t above(const struct lt_tasks *tb, const struct lt_task_inst *t,
		      enum lt_task_edges edges)
{
	uint32_t up = t->creator;
	const struct lt_task_inst *c;

	if (lt_task_is_thread(t))
		return t->leader;
	if (edges == LT_BY_PARENT || !up)
		return t->parent;
	c = lt_tasks_get(tb, up);
	return edges == LT_BY_CREATOR && c->leader ? c->leader : up;
}

static void set_node(struct lt_task_tree *tree, uint32_t inst, enum lt_task_edges edges)
{
	const struct lt_task_inst *t = lt_tasks_get(tree->tb, inst);
	struct lt_task_node *node = &tree->nodes[inst], *up;

	node->up = above(tree->tb, t, edges);
	up = &tree->nodes[node->up];
	if (up->last)
		tree->nodes[up->last].next = inst;
	else
		up->first = inst;
	up->last = inst;
	node->depth = node->up ? up->depth + 1 : 0;
	if (node->depth > tree->deepest)
		tree->deepest = node->depth;
	tree->roots += !node->up;
	if (lt_task_is_thread(t))
		node->threads = 1;
	else
		node->processes = 1;
	node->begin = lt_task_begin_time(tree->tb, t);
	node->end = (int64_t)t->end;
	node->cpu = lt_task_cpu_time(t);
}

static void add_to(struct lt_task_node *up, const struct lt_task_node *node)
{
	up->processes += node->processes;
	up->threads += node->threads;
	up->cpu += node->cpu;
	if (node->begin < up->begin)
		up->begin = node->begin;
	if (node->end > up->end)
		up->end = node->end;
}

void lt_task_tree_make(struct lt_task_tree *tree, const struct lt_tasks *tb,
		       enum lt_task_edges edges)
{
	const uint32_t *order = lt_tasks_order(tb);
	uint32_t n = lt_tasks_count(tb);
	uint32_t *rank = lt_alloc_array((size_t)n + 1, sizeof(*rank));

	memset(tree, 0, sizeof(*tree));
	tree->tb = tb;
	tree->nodes = lt_alloc_array((size_t)n + 1, sizeof(*tree->nodes));
	for (uint32_t i = 0; i < n; i++) {
		rank[order[i]] = i + 1;
		set_node(tree, order[i], edges);
	}
	/* From the last birth to the first: all nodes below one are added before it. */
	for (uint32_t i = n; i > 0; i--) {
		const struct lt_task_node *node = &tree->nodes[order[i - 1]];

		tree->cycles += rank[node->up] >= i;
		if (node->up) {
			add_to(&tree->nodes[node->up], node);
		} else {
			tree->processes += node->processes;
			tree->threads += node->threads;
		}
	}
	free(rank);
}

void lt_task_tree_order(struct lt_task_tree *tree, const uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i <= n; i++)
		tree->nodes[i].first = tree->nodes[i].last = tree->nodes[i].next = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct lt_task_node *up = &tree->nodes[tree->nodes[order[i]].up];

		if (up->last)
			tree->nodes[up->last].next = order[i];
		else
			up->first = order[i];
		up->last = order[i];
	}
}

void lt_task_tree_free(struct lt_task_tree *tree)
{
	free(tree->nodes);
	memset(tree, 0, sizeof(*tree));
}

uint32_t lt_task_tree_next(const struct lt_task_tree *tree, uint32_t top, uint32_t at,
			   bool down)
{
	if (down && tree->nodes[at].first)
		return tree->nodes[at].first;
	while (at != top) {
		if (tree->nodes[at].next)
			return tree->nodes[at].next;
		at = tree->nodes[at].up;
	}
	return 0;
}
