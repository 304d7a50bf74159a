// SPDX-License-Identifier: GPL-2.0
/*
 * Which pages are allocated.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/hash.h"
#include "lifetimes/pagemap.h"

#define SLOTS_AT_FIRST	256

void lt_pagemap_init(struct lt_pagemap *map)
{
	map->n = 0;
	map->n_slots = SLOTS_AT_FIRST;
	map->slots = lt_alloc_array(map->n_slots, sizeof(*map->slots));
	map->seed = lt_hash_seed();
}

void lt_pagemap_destroy(struct lt_pagemap *map)
{
	free(map->slots);
	memset(map, 0, sizeof(*map));
}

static size_t home(const struct lt_pagemap *map, uint64_t chunk)
{
	return lt_hash64(chunk, map->seed) & (map->n_slots - 1);
}

static size_t find_slot(const struct lt_pagemap *map, uint64_t chunk)
{
	size_t i = home(map, chunk);

	while (map->slots[i].bits && map->slots[i].chunk != chunk)
		i = (i + 1) & (map->n_slots - 1);
	return i;
}

uint64_t lt_pagemap_get(const struct lt_pagemap *map, uint64_t chunk)
{
	return map->slots[find_slot(map, chunk)].bits;
}

/* As in objtable.c: what follows moves up, no tombstone is left. */
static void clear_slot(struct lt_pagemap *map, size_t hole)
{
	size_t mask = map->n_slots - 1;

	for (size_t i = (hole + 1) & mask; map->slots[i].bits; i = (i + 1) & mask) {
		size_t own = home(map, map->slots[i].chunk);

		if (((i - own) & mask) < ((i - hole) & mask))
			continue;
		map->slots[hole] = map->slots[i];
		hole = i;
	}
	map->slots[hole].bits = 0;
	map->n--;
}

static void grow(struct lt_pagemap *map)
{
	struct lt_pagemap_slot *old = map->slots;
	size_t n_old = map->n_slots;

	map->n_slots *= 2;
	map->slots = lt_alloc_array(map->n_slots, sizeof(*map->slots));
	for (size_t i = 0; i < n_old; i++) {
		if (old[i].bits)
			map->slots[find_slot(map, old[i].chunk)] = old[i];
	}
	free(old);
}

void lt_pagemap_set(struct lt_pagemap *map, uint64_t chunk, uint64_t bits)
{
	size_t i = find_slot(map, chunk);

	if (!bits) {
		if (map->slots[i].bits)
			clear_slot(map, i);
		return;
	}
	if (!map->slots[i].bits) {
		if ((map->n + 1) * 2 > map->n_slots) {
			grow(map);
			i = find_slot(map, chunk);
		}
		map->n++;
	}
	map->slots[i].chunk = chunk;
	map->slots[i].bits = bits;
}
