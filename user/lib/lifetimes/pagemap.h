/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which pages are allocated: one bit a page, 64 pages (a chunk) together, so that a block
 * of another size in the same place is found without trying every page.
 */
#ifndef LT_LIFETIMES_PAGEMAP_H
#define LT_LIFETIMES_PAGEMAP_H

#include <stdint.h>

#include "base/map.h"
#include "base/pool.h"

#define LT_PAGEMAP_SHIFT	6	/* log2 of the pages in a chunk */

/* Chunks with at least one bit. */
struct lt_pagemap {
	struct lt_map map;
	struct lt_pool chunks;
	uint64_t seed;
};

void lt_pagemap_init(struct lt_pagemap *map);
void lt_pagemap_destroy(struct lt_pagemap *map);

/* The bits of a chunk. @chunk: page frame number >> LT_PAGEMAP_SHIFT */
uint64_t lt_pagemap_get(const struct lt_pagemap *map, uint64_t chunk);
/* Clears bits of a chunk, then sets others. */
void lt_pagemap_change(struct lt_pagemap *map, uint64_t chunk, uint64_t clear, uint64_t set);

#endif /* LT_LIFETIMES_PAGEMAP_H */
