// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A hash table that maps the hash of a key to small numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

#define SLOTS_AT_FIRST	64

void lt_map_init(struct lt_map *map)
{
	*map = (struct lt_map){
		.slots = lt_alloc_array(SLOTS_AT_FIRST, sizeof(*map->slots)),
		.mask = SLOTS_AT_FIRST - 1,
	};
}

void lt_map_destroy(struct lt_map *map)
{
	free(map->slots);
	memset(map, 0, sizeof(*map));
}

void lt_map_clear(struct lt_map *map)
{
	if (!map->slots)
		lt_map_init(map);
	else if (map->n)
		memset(map->slots, 0, (map->mask + 1) * sizeof(*map->slots));
	map->n = 0;
}

static void insert(struct lt_map *map, uint64_t slot)
{
	size_t i = (slot >> 32) & map->mask;

	while (map->slots[i])
		i = (i + 1) & map->mask;
	map->slots[i] = slot;
}

static void grow(struct lt_map *map)
{
	uint64_t *old = map->slots;
	size_t n_old = map->mask + 1;

	map->mask = 2 * n_old - 1;
	map->slots = lt_alloc_array(2 * n_old, sizeof(*map->slots));
	for (size_t i = 0; i < n_old; i++) {
		if (old[i])
			insert(map, old[i]);
	}
	free(old);
}

void lt_map_add(struct lt_map *map, uint32_t hash, uint32_t number)
{
	/* A search stays short while a quarter of the slots is free. */
	if (4 * (map->n + 1) > 3 * (map->mask + 1))
		grow(map);
	insert(map, (uint64_t)hash << 32 | number);
	map->n++;
}

void lt_map_remove(struct lt_map *map, uint32_t hash, uint32_t number)
{
	size_t mask = map->mask;
	size_t hole = hash & mask;

	while (map->slots[hole] != ((uint64_t)hash << 32 | number))
		hole = (hole + 1) & mask;
	/*
	 * A free slot would end the searches for the entries behind it. So each of them whose
	 * search begins at or before the hole moves into the hole, and leaves the next one.
	 */
	for (size_t i = (hole + 1) & mask; map->slots[i]; i = (i + 1) & mask) {
		size_t home = (map->slots[i] >> 32) & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		map->slots[hole] = map->slots[i];
		hole = i;
	}
	map->slots[hole] = 0;
	map->n--;
}
