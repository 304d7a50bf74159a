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

static void unpack_slot(const struct lt_objtable *t, uint64_t slot, struct lt_obj *obj)
{
	const struct packed *p = packed_at(t, SLOT_ID(slot));
	uint64_t mixed = (uint64_t)SLOT_HASH(slot) << 32 | p->low;

	unpack(t, p, lt_unmix64(mixed, t->unmix_seed), SLOT_ID(slot), obj);
}

/* Calls @fn for the objects in the first @n slots of a part, which are not removed. */
static void visit(const struct lt_objtable *t, const struct lt_objtable_part *part, uint32_t n,
		  lt_objtable_fn *fn, void *arg)
{
	struct lt_obj obj;

	for (uint32_t k = 0; k < n; k++) {
		if (!part->slots[k])
			continue;
		unpack_slot(t, part->slots[k], &obj);
		if (!(obj.flags & REMOVED))
			fn(arg, &obj);
	}
}

void lt_objtable_each(const struct lt_objtable *t, lt_objtable_fn *fn, void *arg)
{
	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++)
		visit(t, &t->parts[i], t->parts[i].n_slots, fn, arg);
}

static void birth_of(const struct lt_objtable *t, uint64_t slot, uint64_t *time,
		     uint32_t *count)
{
	const struct packed *p = packed_at(t, SLOT_ID(slot));
	const struct lt_obj *obj;

	if (is_whole(p)) {
		obj = lt_pool_at(&t->whole, p->traits);
		*time = obj->time;
		*count = obj->count;
		return;
	}
	*time = t->base + (p->time_flags & TIME_MASK);
	*count = p->count;
}

static unsigned int flags_of(const struct lt_objtable *t, uint64_t slot)
{
	const struct packed *p = packed_at(t, SLOT_ID(slot));

	if (is_whole(p))
		return ((const struct lt_obj *)lt_pool_at(&t->whole, p->traits))->flags;
	return (unsigned int)(p->time_flags >> TIME_BITS);
}

static int by_birth(const struct lt_objtable *t, uint64_t x, uint64_t y)
{
	uint64_t time_x, time_y;
	uint32_t count_x, count_y;
	struct lt_obj a, b;

	birth_of(t, x, &time_x, &count_x);
	birth_of(t, y, &time_y, &count_y);
	if (time_x != time_y)
		return time_x < time_y ? -1 : 1;
	/* Objects of one time cannot be 2^31 births apart. */
	if (count_x != count_y)
		return (int32_t)(count_x - count_y) < 0 ? -1 : 1;
	/* Parts of one page block. */
	unpack_slot(t, x, &a);
	unpack_slot(t, y, &b);
	return a.ptr < b.ptr ? -1 : a.ptr > b.ptr;
}

static int compare_slots(const void *a, const void *b, void *arg)
{
	return by_birth(arg, *(const uint64_t *)a, *(const uint64_t *)b);
}

/* Calls @fn for the objects with one of the flags; they are few. */
static void close_flagged(struct lt_objtable *t, unsigned int flags, lt_objtable_fn *fn, void *arg)
{
	uint64_t *found = NULL;
	size_t n = 0, cap = 0;
	struct lt_obj obj;

	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		for (uint32_t k = 0; k < t->parts[i].n; k++) {
			uint64_t slot = t->parts[i].slots[k];

			if (!(flags_of(t, slot) & flags))
				continue;
			found = lt_grow(found, &cap, n, sizeof(*found));
			found[n++] = slot;
		}
	}
	if (n)
		qsort_r(found, n, sizeof(*found), compare_slots, t);
	for (size_t i = 0; i < n; i++) {
		unpack_slot(t, found[i], &obj);
		fn(arg, &obj);
	}
	free(found);
}

/* A slot and the time of its object's birth. */
struct key {
	uint64_t time;
	uint64_t slot;
};

static inline bool comes_before(const struct lt_objtable *t, const struct key *x,
				const struct key *y)
{
	if (x->time != y->time)
		return x->time < y->time;
	return by_birth(t, x->slot, y->slot) < 0;
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
static const struct key *sort_keys(const struct lt_objtable *t, struct key *keys, size_t n)
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

/* Times are looked up once: a comparison of two numbers takes less than one of two objects. */
static void sort_part(const struct lt_objtable *t, struct lt_objtable_part *part, uint32_t n)
{
	struct key *keys = lt_alloc_array(2 * (size_t)n, sizeof(*keys));
	const struct key *sorted;
	uint32_t count;

	for (uint32_t k = 0; k < n; k++) {
		birth_of(t, part->slots[k], &keys[k].time, &count);
		keys[k].slot = part->slots[k];
	}
	sorted = sort_keys(t, keys, n);
	for (uint32_t k = 0; k < n; k++)
		part->slots[k] = sorted[k].slot;
	free(keys);
}

void lt_objtable_close(struct lt_objtable *t, unsigned int flags, bool ordered, lt_objtable_fn *fn,
		       void *arg)
{
	t->closed = true;
	t->ordered = ordered;
	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		struct lt_objtable_part *part = &t->parts[i];
		uint32_t n = 0;

		for (uint32_t k = 0; k < part->n_slots; k++) {
			if (part->slots[k])
				part->slots[n++] = part->slots[k];
		}
		if (ordered && n > 1)
			sort_part(t, part, n);
	}
	close_flagged(t, flags, fn, arg);
}

/* The parts that are not yet walked over: a heap, the earliest object first. */
struct walk {
	const struct lt_objtable *t;
	size_t n;
	struct walk_part {
		uint64_t time;		/* of the object at @slot */
		const uint64_t *slot, *end;
	} heap[LT_OBJTABLE_PARTS];
};

static bool is_earlier(const void *a, const void *b, const void *arg)
{
	const struct walk_part *x = a, *y = b;
	const struct walk *w = arg;

	if (x->time != y->time)
		return x->time < y->time;
	return by_birth(w->t, *x->slot, *y->slot) < 0;
}

static void set_time(const struct walk *w, struct walk_part *p)
{
	uint32_t count;

	birth_of(w->t, *p->slot, &p->time, &count);
}

void lt_objtable_walk(struct lt_objtable *t, lt_objtable_fn *fn, void *arg)
{
	struct walk w = { .t = t };

	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		const struct lt_objtable_part *part = &t->parts[i];

		if (!t->ordered)
			visit(t, part, part->n, fn, arg);
		if (!t->ordered || !part->n)
			continue;
		w.heap[w.n].slot = part->slots;
		w.heap[w.n].end = part->slots + part->n;
		set_time(&w, &w.heap[w.n++]);
	}
	for (size_t i = w.n / 2; i--;)
		lt_heap_down(w.heap, w.n, sizeof(w.heap[0]), i, is_earlier, &w);
	while (w.n) {
		struct walk_part *first = &w.heap[0];
		struct lt_obj obj;

		unpack_slot(t, *first->slot, &obj);
		if (!(obj.flags & REMOVED))
			fn(arg, &obj);
		if (++first->slot == first->end)
			*first = w.heap[--w.n];
		else
			set_time(&w, first);
		lt_heap_sink(w.heap, w.n, sizeof(w.heap[0]), is_earlier, &w);
	}
}
