/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A queue of things that are decided when enough time has passed.
 */
#ifndef LT_BASE_RING_H
#define LT_BASE_RING_H

#include <stddef.h>
#include <stdint.h>

/*
 * @what names the thing, @stamp one state of it: where the thing has another stamp by the
 * time that the entry is the first, it has been replaced since, and the entry is void.
 */
struct lt_ring_entry {
	uint64_t what;
	uint64_t stamp;
};

/**
 * struct lt_ring - first in, first out; { 0 } is an empty one
 * @size: of @entries, a power of two, or 0
 * @head: place of the first entry
 * @n: entries in use
 */
struct lt_ring {
	struct lt_ring_entry *entries;
	size_t size;
	size_t head;
	size_t n;
};

void lt_ring_destroy(struct lt_ring *ring);

void lt_ring_push(struct lt_ring *ring, uint64_t what, uint64_t stamp);

/* The first entry of a queue that is not empty; valid until the next lt_ring_push(). */
static inline const struct lt_ring_entry *lt_ring_first(const struct lt_ring *ring)
{
	return &ring->entries[ring->head];
}

/* Removes the first entry. */
static inline void lt_ring_pop(struct lt_ring *ring)
{
	ring->head = (ring->head + 1) & (ring->size - 1);
	ring->n--;
}

#endif /* LT_BASE_RING_H */
