// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A queue of things that are decided when enough time has passed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/ring.h"

#define SIZE_AT_FIRST	64

void lt_ring_destroy(struct lt_ring *ring)
{
	free(ring->entries);
	memset(ring, 0, sizeof(*ring));
}

static void grow(struct lt_ring *ring)
{
	size_t size = ring->size ? 2 * ring->size : SIZE_AT_FIRST;
	struct lt_ring_entry *entries = lt_alloc_array(size, sizeof(*entries));

	for (size_t i = 0; i < ring->n; i++)
		entries[i] = ring->entries[(ring->head + i) & (ring->size - 1)];
	free(ring->entries);
	ring->entries = entries;
	ring->size = size;
	ring->head = 0;
}

void lt_ring_push(struct lt_ring *ring, uint64_t what, uint64_t stamp)
{
	if (ring->n == ring->size)
		grow(ring);
	ring->entries[(ring->head + ring->n++) & (ring->size - 1)] =
		(struct lt_ring_entry){ what, stamp };
}
