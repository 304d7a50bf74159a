// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The walk over all objects that are alive.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/mem.h"
#include "lifetimes/objtable_internal.h"

static bool is_removed(const struct lt_packed *p)
{
	return is_whole(p) && p->count == LT_POOL_NONE;
}

/* Calls @fn for an object, if it is not removed. */
static void visit(const struct lt_objtable *t, uint32_t id, lt_objtable_fn *fn, void *arg)
{
	struct lt_obj obj;

	if (is_removed(packed_at(t, id)))
		return;
	unpack_id(t, id, &obj);
	fn(arg, &obj);
}

static uint32_t first_id(size_t part)
{
	return (uint32_t)part << PLACE_BITS;
}

void lt_objtable_each(const struct lt_objtable *t, lt_objtable_fn *fn, void *arg)
{
	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		const struct lt_objtable_part *part = &t->parts[i];

		for (uint32_t k = 0; k < part->n_groups * GROUP; k++) {
			if (*tag_at(part, k))
				visit(t, first_id(i) + k, fn, arg);
		}
	}
}

/* What objects are sorted by: the time of the birth. */
struct key {
	uint64_t time;
	uint32_t id;
	uint32_t count;
};

static struct key birth_of(const struct lt_objtable *t, uint32_t id)
{
	const struct lt_packed *p = packed_at(t, id);
	const struct lt_obj *obj;

	if (!is_whole(p))
		return (struct key){ time_of_packed(t, p), id, p->count };
	/* It is passed by as soon as it comes. */
	if (is_removed(p))
		return (struct key){ 0, id, 0 };
	obj = lt_pool_at(&t->whole, p->count);
	return (struct key){ obj->time, id, obj->count };
}

static unsigned int flags_of(const struct lt_objtable *t, uint32_t id)
{
	const struct lt_packed *p = packed_at(t, id);

	if (is_whole(p))
		return ((const struct lt_obj *)lt_pool_at(&t->whole, p->count))->flags;
	return flags_of_packed(p);
}

static bool comes_before(const struct lt_objtable *t, const struct key *x, const struct key *y)
{
	struct lt_obj a, b;

	if (x->time != y->time)
		return x->time < y->time;
	/* Objects of one time cannot be 2^31 births apart. */
	if (x->count != y->count)
		return (int32_t)(x->count - y->count) < 0;
	/* Parts of one page block. */
	unpack_id(t, x->id, &a);
	unpack_id(t, y->id, &b);
	return a.ptr < b.ptr;
}

/* Merges @from[0 … @half) and @from[@half … @n), each in order. */
static void merge(const struct lt_objtable *t, const struct key *from, size_t half, size_t n,
		  struct key *to)
{
	const struct key *a = from, *b = from + half, *const end_a = b, *const end_b = from + n;

	while (a < end_a && b < end_b)
		*to++ = comes_before(t, b, a) ? *b++ : *a++;
	memcpy(to, a, (size_t)(end_a - a) * sizeof(*a));
	memcpy(to + (end_a - a), b, (size_t)(end_b - b) * sizeof(*b));
}

/* Sorts @n keys, with room for as many behind them. Return: where they are then. */
static struct key *sort_keys(const struct lt_objtable *t, struct key *keys, size_t n)
{
	struct key *from = keys, *to = keys + n, *done;

	for (size_t half = 1; half < n; half *= 2) {
		for (size_t i = 0; i < n; i += 2 * half) {
			size_t left = n - i;

			merge(t, from + i, half < left ? half : left,
			      2 * half < left ? 2 * half : left, to + i);
		}
		done = to;
		to = from;
		from = done;
	}
	return from;
}

/* Brings the @n objects of a part, which are its first ones, into the order of the keys. */
static void arrange(struct lt_objtable_part *part, struct key *keys, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		const struct lt_packed first = part->objs[k];
		uint32_t to = k, from = keys[k].id % MAX_PLACES;

		/* Around a circle of objects of which each takes the place of another. */
		while (from != k) {
			part->objs[to] = part->objs[from];
			keys[to].id = to;
			to = from;
			from = keys[to].id % MAX_PLACES;
		}
		part->objs[to] = first;
		keys[to].id = to;
	}
}

/* Times are looked up once: a comparison of two numbers takes less than one of two objects. */
static void sort_part(const struct lt_objtable *t, size_t number)
{
	const struct lt_objtable_part *part = &t->parts[number];
	struct key *keys = lt_alloc_array(2 * (size_t)part->n, sizeof(*keys));

	for (uint32_t k = 0; k < part->n; k++)
		keys[k] = birth_of(t, first_id(number) + k);
	arrange((struct lt_objtable_part *)(uintptr_t)part, sort_keys(t, keys, part->n), part->n);
	free(keys);
}

/* Moves the objects of a part to its begin. */
static void gather(struct lt_objtable_part *part)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < part->n_groups * GROUP; k++) {
		if (*tag_at(part, k))
			part->objs[n++] = part->objs[k];
	}
}

/* Calls @fn for the objects with one of the flags; they are few. */
static void close_flagged(struct lt_objtable *t, unsigned int flags, lt_objtable_fn *fn, void *arg)
{
	struct key *found = NULL;
	const struct key *sorted = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		for (uint32_t id = first_id(i); id < first_id(i) + t->parts[i].n; id++) {
			if (!(flags_of(t, id) & flags))
				continue;
			found = lt_grow(found, &cap, n, sizeof(*found));
			found[n++] = birth_of(t, id);
		}
	}
	if (n) {
		found = lt_realloc_array(found, 2 * n, sizeof(*found));
		sorted = sort_keys(t, found, n);
	}
	for (size_t i = 0; i < n; i++)
		visit(t, sorted[i].id, fn, arg);
	free(found);
}

void lt_objtable_close(struct lt_objtable *t, unsigned int flags, bool ordered, lt_objtable_fn *fn,
		       void *arg)
{
	t->closed = true;
	t->ordered = ordered;
	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		gather(&t->parts[i]);
		if (ordered && t->parts[i].n > 1)
			sort_part(t, i);
	}
	close_flagged(t, flags, fn, arg);
}

/* The parts that are not yet walked over: a heap, the earliest object first. */
struct walk {
	const struct lt_objtable *t;
	size_t n;
	struct walk_part {
		struct key birth;	/* of the next object */
		uint32_t last;
	} heap[LT_OBJTABLE_PARTS];
};

static bool is_earlier(const void *a, const void *b, const void *arg)
{
	const struct walk_part *x = a, *y = b;
	const struct walk *w = arg;

	return comes_before(w->t, &x->birth, &y->birth);
}

void lt_objtable_walk(struct lt_objtable *t, lt_objtable_fn *fn, void *arg)
{
	struct walk w = { .t = t };

	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		const uint32_t id = first_id(i), n = t->parts[i].n;

		for (uint32_t k = 0; !t->ordered && k < n; k++)
			visit(t, id + k, fn, arg);
		if (t->ordered && n)
			w.heap[w.n++] = (struct walk_part){ birth_of(t, id), id + n - 1 };
	}
	for (size_t i = w.n / 2; i--;)
		lt_heap_down(w.heap, w.n, sizeof(w.heap[0]), i, is_earlier, &w);
	while (w.n) {
		struct walk_part *first = &w.heap[0];

		visit(t, first->birth.id, fn, arg);
		if (first->birth.id == first->last)
			*first = w.heap[--w.n];
		else
			first->birth = birth_of(t, first->birth.id + 1);
		lt_heap_sink(w.heap, w.n, sizeof(w.heap[0]), is_earlier, &w);
	}
}
