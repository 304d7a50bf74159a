/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which pages are allocated, one bit a page, 64 pages together: so that a
 * block of another size in the same place is found without trying every page.
 */
#ifndef LT_LIB_PAGEMAP_H
#define LT_LIB_PAGEMAP_H

#include <stddef.h>
#include <stdint.h>

#define LT_PAGEMAP_SHIFT	6	/* log2 of the pages in a chunk */

struct lt_pagemap_slot {
	uint64_t chunk;		/* page frame number >> LT_PAGEMAP_SHIFT */
	uint64_t bits;		/* 0: the slot is free */
};

struct lt_pagemap {
	struct lt_pagemap_slot *slots;
	size_t n_slots;		/* a power of two */
	size_t n;
	uint64_t seed;
};

void lt_pagemap_init(struct lt_pagemap *map);
void lt_pagemap_destroy(struct lt_pagemap *map);

/* The bits of a chunk. */
uint64_t lt_pagemap_get(const struct lt_pagemap *map, uint64_t chunk);
void lt_pagemap_set(struct lt_pagemap *map, uint64_t chunk, uint64_t bits);

#endif /* LT_LIB_PAGEMAP_H */
