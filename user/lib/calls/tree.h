/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which call was made within which: trees, from records in the order of return.
 *
 * Calls of one thread and context nest. A call comes after all that was called within it; it takes
 * those that began in it and whose frames are below its own. Calls in interrupts are trees of their
 * own.
 */
#ifndef LT_CALLS_TREE_H
#define LT_CALLS_TREE_H

#include "calls/call.h"

/**
 * struct lt_call_node - a call in its tree
 * @call: with values of its own
 * @up: the call that it was made in; NULL: none that is known
 * @calls: those made in it, @n of them, in the order of time
 * @index: its place in those of @up
 * @within: ns that @calls took
 * @tail: @up ended with a jump to it, and returned with it
 * @partial: some that were made in it have been released before
 * @crosses: the call before it ended after this one began, and did not lie in it: that cannot be
 */
struct lt_call_node {
	struct lt_call call;
	struct lt_call_node *up;
	struct lt_call_node **calls;
	uint64_t within;
	uint32_t n;
	uint32_t index;
	bool tail;
	bool partial;
	bool crosses;
	uint8_t bytes[];
};

/**
 * struct lt_call_group - the calls of a thread, or in interrupts on a CPU
 * @context: enum lt_context
 * @tid, @tgid, @start, @task: the thread that ran; in an interrupt, the one that was interrupted
 * @cpu: of interrupts and of the idle threads, which have one number; else LT_ANY_CPU
 * @roots: @n calls that are in no other one, in the order of time
 * The rest is private.
 */
struct lt_call_group {
	unsigned int context;
	uint32_t tid;
	uint32_t tgid;
	uint64_t start;
	const struct lt_task *task;
	uint32_t cpu;
	struct lt_call_node **roots;
	size_t n;
	size_t cap;
	uint64_t released;
	struct lt_call_node **open;
	size_t n_open;
	size_t cap_open;
};

struct lt_call_trees;

/* Nodes that a command keeps: when there are more, it writes what there is, and releases it. */
#define LT_CALL_TREES_MOST	(1U << 20)

/**
 * lt_call_trees_new() - trees of calls
 * @keep: the nodes in roots are kept; else only what their callers need to know of them
 */
struct lt_call_trees *lt_call_trees_new(bool keep);
void lt_call_trees_free(struct lt_call_trees *c);

/**
 * lt_call_trees_add() - add a call, after all that ended before
 *
 * A system call may also come after some that began when it had ended, and is left out if none was
 * made in it.
 *
 * Return: its node, of which @calls, without @keep, are gone; valid until the next call. NULL: it
 * is left out, or did not return, and waits for others of its thread.
 */
const struct lt_call_node *lt_call_trees_add(struct lt_call_trees *c, const struct lt_call *call);

/* No call follows: those that did not return get their places. */
void lt_call_trees_finish(struct lt_call_trees *c);

/* Nodes that are kept. */
size_t lt_call_trees_kept(const struct lt_call_trees *c);

/* Releases all nodes: a call that was around some of them will be @partial. */
void lt_call_trees_release(struct lt_call_trees *c);

/* The groups, in the order of their first calls. */
size_t lt_call_trees_groups(const struct lt_call_trees *c,
			    const struct lt_call_group *const **groups);

/*
 * The innermost call of a group's trees in which a time lies; NULL: none.
 */
const struct lt_call_node *lt_call_group_at(const struct lt_call_group *g, uint64_t time);

/* The group of the task that an interrupt's group has interrupted; NULL: it has no calls. */
const struct lt_call_group *lt_call_group_below(const struct lt_call_trees *c,
						const struct lt_call_group *g);

/* ns that a call took by itself. */
static inline uint64_t lt_call_node_self(const struct lt_call_node *node)
{
	uint64_t all = lt_call_duration(&node->call);

	return all > node->within ? all - node->within : 0;
}

/**
 * lt_call_node_next() - walk through a tree, each call before those in it
 * @root: of the walk
 * @left: is set to how many calls end between the two: 0 if the next one is in this one
 * Return: NULL: that was the last one; @left counts @root, too.
 */
const struct lt_call_node *lt_call_node_next(const struct lt_call_node *root,
					     const struct lt_call_node *node, uint32_t *left);

/* As that, without the calls in @node. */
const struct lt_call_node *lt_call_node_after(const struct lt_call_node *root,
					      const struct lt_call_node *node, uint32_t *left);

/**
 * struct lt_call_choice - which calls of a tree are wanted; with them come those in them
 * @wanted: NULL: all
 */
struct lt_call_choice {
	bool (*wanted)(void *arg, const struct lt_call *call);
	void *arg;
};

/*
 * The next call that is wanted, and in no other one that is: from @from on, which may be the root,
 * or behind @from, with all in it. NULL: there is none.
 */
const struct lt_call_node *lt_call_node_chosen(const struct lt_call_node *root,
					       const struct lt_call_node *from, bool behind,
					       const struct lt_call_choice *choice);

#endif /* LT_CALLS_TREE_H */
