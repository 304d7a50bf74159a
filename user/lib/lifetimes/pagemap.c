// SPDX-License-Identifier: LGPL-2.1-or-later
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

/* The place of a chunk in the pool, 0: it has no bits. */
static uint32_t find(const struct lt_pagemap *map, uint64_t number, uint32_t hash)
{
	uint32_t id;

	lt_map_for_each(id, at, &map->map, hash) {
		const struct chunk *chunk = lt_pool_at(&map->chunks, id);

		if (chunk->number == number)
			break;
	}
	return id;
}

uint64_t lt_pagemap_get(const struct lt_pagemap *map, uint64_t chunk)
{
	uint32_t id = find(map, chunk, (uint32_t)lt_hash64(chunk, map->seed));

	return id ? ((const struct chunk *)lt_pool_at(&map->chunks, id))->bits : 0;
}

void lt_pagemap_change(struct lt_pagemap *map, uint64_t chunk, uint64_t clear, uint64_t set)
{
	uint32_t hash = (uint32_t)lt_hash64(chunk, map->seed);
	uint32_t id = find(map, chunk, hash);
	struct chunk *found;

	if (!id && !set)
		return;
	if (!id) {
		id = lt_pool_get(&map->chunks);
		*(struct chunk *)lt_pool_at(&map->chunks, id) = (struct chunk){ .number = chunk };
		lt_map_add(&map->map, hash, id);
	}
	found = lt_pool_at(&map->chunks, id);
	found->bits = (found->bits & ~clear) | set;
	if (!found->bits) {
		lt_map_remove(&map->map, hash, id);
		lt_pool_put(&map->chunks, id);
	}
}
