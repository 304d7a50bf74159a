// SPDX-License-Identifier: GPL-2.0
/*
 * Which pages are allocated.
 */
#include "base/hash.h"
#include "lifetimes/pagemap.h"

struct chunk {
	uint64_t number;
	uint64_t bits;
};

void lt_pagemap_init(struct lt_pagemap *map)
{
	lt_map_init(&map->map);
	lt_pool_init(&map->chunks, sizeof(struct chunk));
	map->seed = lt_hash_seed();
}

void lt_pagemap_destroy(struct lt_pagemap *map)
{
	lt_map_destroy(&map->map);
	lt_pool_destroy(&map->chunks);
}

static uint32_t hash_of(const struct lt_pagemap *map, uint64_t number)
{
	return (uint32_t)lt_hash64(number, map->seed);
}

/* The place of a chunk in the pool, 0: it has no bits. */
static uint32_t find(const struct lt_pagemap *map, uint64_t number)
{
	uint32_t id;

	lt_map_for_each(id, at, &map->map, hash_of(map, number)) {
		const struct chunk *chunk = lt_pool_at(&map->chunks, id);

		if (chunk->number == number)
			break;
	}
	return id;
}

uint64_t lt_pagemap_get(const struct lt_pagemap *map, uint64_t chunk)
{
	uint32_t id = find(map, chunk);

	return id ? ((const struct chunk *)lt_pool_at(&map->chunks, id))->bits : 0;
}

void lt_pagemap_set(struct lt_pagemap *map, uint64_t chunk, uint64_t bits)
{
	uint32_t id = find(map, chunk);

	if (!id && !bits)
		return;
	if (!bits) {
		lt_map_remove(&map->map, hash_of(map, chunk), id);
		lt_pool_put(&map->chunks, id);
		return;
	}
	if (!id) {
		id = lt_pool_get(&map->chunks);
		lt_map_add(&map->map, hash_of(map, chunk), id);
	}
	*(struct chunk *)lt_pool_at(&map->chunks, id) = (struct chunk){ chunk, bits };
}
