// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Trees of calls. A group keeps the calls that are in no other one yet, as a stack: a call that
 * returns takes from its top those that it has made.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/search.h"
#include "calls/tree.h"

struct lt_call_trees {
	bool keep;
	struct lt_call_group **groups;	/* number N is at N - 1 */
	size_t n;
	size_t cap;
	struct lt_map map;
	uint64_t seed;
	size_t kept;
};

struct lt_call_trees *lt_call_trees_new(bool keep)
{
	struct lt_call_trees *c = lt_alloc(sizeof(*c));

	c->keep = keep;
	lt_map_init(&c->map);
	c->seed = lt_hash_seed();
	return c;
}

/* ------------------------------------------------------------------------
 * Nodes
 */

static struct lt_call_node *new_node(struct lt_call_trees *c, const struct lt_call *call)
{
	struct lt_call_node *node = lt_alloc(sizeof(*node) + (c->keep ? call->size : 0U));

	node->call = *call;
	if (c->keep && call->size)
		memcpy(node->bytes, call->values, call->size);
	node->call.values = c->keep ? node->bytes : NULL;
	node->call.size = c->keep ? call->size : 0;
	c->kept++;
	return node;
}

/* With all in it, however deep that goes. */
static void free_tree(struct lt_call_trees *c, struct lt_call_node *root)
{
	struct lt_call_node *node = root;

	while (node) {
		struct lt_call_node *up = node->up;

		if (node->n) {
			node = node->calls[--node->n];
			continue;
		}
		free(node->calls);
		if (node == root)
			up = NULL;
		free(node);
		c->kept--;
		node = up;
	}
}

const struct lt_call_node *lt_call_node_next(const struct lt_call_node *root,
					     const struct lt_call_node *node, uint32_t *left)
{
	*left = 0;
	return node->n ? node->calls[0] : lt_call_node_after(root, node, left);
}

const struct lt_call_node *lt_call_node_after(const struct lt_call_node *root,
					      const struct lt_call_node *node, uint32_t *left)
{
	for (*left = 0;; node = node->up) {
		++*left;
		if (node == root)
			return NULL;
		if (node->index + 1 < node->up->n)
			return node->up->calls[node->index + 1];
	}
}

const struct lt_call_node *lt_call_node_chosen(const struct lt_call_node *root,
					       const struct lt_call_node *from, bool behind,
					       const struct lt_call_choice *choice)
{
	uint32_t left;

	if (behind)
		from = lt_call_node_after(root, from, &left);
	while (from && choice->wanted && !choice->wanted(choice->arg, &from->call))
		from = lt_call_node_next(root, from, &left);
	return from;
}

/* ------------------------------------------------------------------------
 * Groups
 */

static uint32_t hash_of(const struct lt_call_trees *c, const struct lt_call_group *key)
{
	return (uint32_t)lt_hash64(key->tid ^ key->start << 22 ^ (uint64_t)key->cpu << 40 ^
				   (uint64_t)key->context << 62, c->seed);
}

static struct lt_call_group *find(const struct lt_call_trees *c, const struct lt_call_group *key)
{
	uint32_t number;

	lt_map_for_each(number, at, &c->map, hash_of(c, key)) {
		struct lt_call_group *g = c->groups[number - 1];

		if (g->tid == key->tid && g->start == key->start && g->cpu == key->cpu &&
		    g->context == key->context)
			return g;
	}
	return NULL;
}

static struct lt_call_group *group_of(struct lt_call_trees *c, const struct lt_call *call)
{
	bool of_cpu = call->context != LT_CTX_TASK || !call->tid;
	const struct lt_call_group key = {
		.context = call->why ? LT_CTX_TASK : call->context, .tid = call->tid,
		.tgid = call->tgid, .start = call->start, .task = call->task,
		.cpu = of_cpu && !call->why ? call->cpu : LT_ANY_CPU,
	};
	struct lt_call_group *g = find(c, &key);

	if (g)
		return g;
	g = lt_alloc(sizeof(*g));
	*g = key;
	c->groups = lt_grow(c->groups, &c->cap, c->n, sizeof(*c->groups));
	c->groups[c->n++] = g;
	lt_map_add(&c->map, hash_of(c, &key), (uint32_t)c->n);
	return g;
}

const struct lt_call_group *lt_call_group_below(const struct lt_call_trees *c,
						const struct lt_call_group *g)
{
	const struct lt_call_group key = {
		.context = LT_CTX_TASK, .tid = g->tid, .start = g->start,
		.cpu = g->tid ? LT_ANY_CPU : g->cpu,
	};

	return g->context == LT_CTX_TASK ? NULL : find(c, &key);
}

/* The last of calls, in the order of time, that began by then; NULL: none. */
static const struct lt_call_node *last_begun(struct lt_call_node *const *calls, size_t n,
					     uint64_t time)
{
	size_t begun = lt_first_not(n, i, calls[i]->call.begin <= time);

	return begun && calls[begun - 1]->call.end >= time ? calls[begun - 1] : NULL;
}

const struct lt_call_node *lt_call_group_at(const struct lt_call_group *g, uint64_t time)
{
	const struct lt_call_node *node = last_begun(g->roots, g->n, time), *inner = node;

	while (inner) {
		node = inner;
		inner = last_begun(node->calls, node->n, time);
	}
	return node;
}

/* ------------------------------------------------------------------------
 * Adding
 */

/* Whether @call, which ended later, has made the call of @node. A system call has no frame. */
static bool has_made(const struct lt_call *call, const struct lt_call_node *node)
{
	if (call->system || node->call.system)
		return node->call.begin >= call->begin && node->call.end > call->begin;
	return lt_call_has_made(call, node->call.begin, node->call.end, node->call.depth);
}

/* The roots @from to @to - 1 become calls of a node. */
static void adopt(struct lt_call_trees *c, struct lt_call_group *g, struct lt_call_node *node,
		  size_t from, size_t to)
{
	node->n = (uint32_t)(to - from);
	if (node->n && c->keep) {
		node->calls = lt_alloc_array(node->n, sizeof(*node->calls));
		memcpy(node->calls, &g->roots[from], node->n * sizeof(*node->calls));
	}
	for (size_t i = from; i < to; i++) {
		struct lt_call_node *inner = g->roots[i];

		node->within += lt_call_duration(&inner->call);
		inner->up = node;
		inner->index = (uint32_t)(i - from);
		inner->tail = !node->call.system && !inner->call.system &&
			      inner->call.depth == node->call.depth;
		if (!c->keep)
			free_tree(c, inner);
	}
	if (!c->keep)
		node->n = 0;
}

/* Return: NULL: a system call without others in it, which is gone. */
static struct lt_call_node *place(struct lt_call_trees *c, struct lt_call_group *g,
				  struct lt_call_node *node)
{
	const struct lt_call *call = &node->call;
	size_t to = g->n, from, behind;

	while (call->system && to && g->roots[to - 1]->call.begin >= call->end)
		to--;
	from = to;
	while (from && has_made(call, g->roots[from - 1]))
		from--;
	if (call->system && from == to) {
		free_tree(c, node);
		return NULL;
	}
	behind = g->n - to;
	adopt(c, g, node, from, to);
	node->partial = call->begin < g->released;
	node->crosses = from && !call->why && !g->roots[from - 1]->call.why &&
			g->roots[from - 1]->call.end > call->begin;
	g->roots = lt_grow(g->roots, &g->cap, g->n, sizeof(*g->roots));
	memmove(&g->roots[from + 1], &g->roots[to], behind * sizeof(*g->roots));
	g->roots[from] = node;
	g->n = from + 1 + behind;
	return node;
}

/* The inner ones first, as if they had returned. */
static int by_begin(const void *a, const void *b)
{
	const struct lt_call *x = &(*(struct lt_call_node *const *)a)->call;
	const struct lt_call *y = &(*(struct lt_call_node *const *)b)->call;

	if (x->begin != y->begin)
		return x->begin < y->begin ? 1 : -1;
	if (x->system != y->system)
		return x->system ? 1 : -1;
	return (int16_t)(uint16_t)(y->depth - x->depth);
}

static void place_open(struct lt_call_trees *c, struct lt_call_group *g)
{
	if (!g->n_open)
		return;
	qsort(g->open, g->n_open, sizeof(*g->open), by_begin);
	for (size_t i = 0; i < g->n_open; i++)
		place(c, g, g->open[i]);
	g->n_open = 0;
}

const struct lt_call_node *lt_call_trees_add(struct lt_call_trees *c, const struct lt_call *call)
{
	struct lt_call_group *g = group_of(c, call);
	struct lt_call_node *node = new_node(c, call);

	/* Those of a thread come one after the other, in any order. */
	if (call->why) {
		g->open = lt_grow(g->open, &g->cap_open, g->n_open, sizeof(*g->open));
		g->open[g->n_open++] = node;
		return NULL;
	}
	place_open(c, g);
	return place(c, g, node);
}

void lt_call_trees_finish(struct lt_call_trees *c)
{
	for (size_t i = 0; i < c->n; i++)
		place_open(c, c->groups[i]);
}

size_t lt_call_trees_kept(const struct lt_call_trees *c)
{
	return c->kept;
}

void lt_call_trees_release(struct lt_call_trees *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct lt_call_group *g = c->groups[i];

		for (size_t k = 0; k < g->n; k++) {
			if (g->roots[k]->call.end > g->released)
				g->released = g->roots[k]->call.end;
			free_tree(c, g->roots[k]);
		}
		g->n = 0;
	}
}

size_t lt_call_trees_groups(const struct lt_call_trees *c,
			    const struct lt_call_group *const **groups)
{
	*groups = (const struct lt_call_group *const *)c->groups;
	return c->n;
}

void lt_call_trees_free(struct lt_call_trees *c)
{
	if (!c)
		return;
	lt_call_trees_release(c);
	for (size_t i = 0; i < c->n; i++) {
		for (size_t k = 0; k < c->groups[i]->n_open; k++)
			free_tree(c, c->groups[i]->open[k]);
		free(c->groups[i]->roots);
		free(c->groups[i]->open);
		free(c->groups[i]);
	}
	free(c->groups);
	lt_map_destroy(&c->map);
	free(c);
}
