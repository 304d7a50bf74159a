/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hash table that maps the hash of a key to small numbers.
 *
 * The keys are not part of the table: their owner keeps them in an array or a pool, where
 * the number finds them. An entry takes 8 bytes. A lookup tries each number that has the
 * hash of the key, and compares its key:
 *
 *	lt_map_for_each(number, at, &map, hash)
 *		if (keys[number] == key)
 *			return number;
 *
 * Keys that come from a trace must be hashed with a seed (see hash.h), but where there are
 * so few different ones that long searches do no harm.
 */
#ifndef LT_BASE_MAP_H
#define LT_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct lt_map - a hash table with open addressing
 * @slots: a hash in the upper half, a number in the lower one; 0: free
 * @mask: number of slots, a power of two, minus 1
 * @n: entries
 */
struct lt_map {
	uint64_t *slots;
	size_t mask;
	size_t n;
};

void lt_map_init(struct lt_map *map);
void lt_map_destroy(struct lt_map *map);

/* Removes all entries and keeps the memory; the table may also be { 0 } before. */
void lt_map_clear(struct lt_map *map);

/* Adds an entry; @number is not 0. Several entries may have one hash. */
void lt_map_add(struct lt_map *map, uint32_t hash, uint32_t number);

/* Removes an entry, which must be in the table. */
void lt_map_remove(struct lt_map *map, uint32_t hash, uint32_t number);

/* The number of the next entry with that hash, *@at being its place; 0: there is none. */
static inline uint32_t lt_map_match(const struct lt_map *map, uint32_t hash, size_t *at)
{
	for (;; ++*at) {
		uint64_t slot = map->slots[*at & map->mask];

		/* A free slot matches the hash 0, and has the number 0. */
		if (slot >> 32 == hash)
			return (uint32_t)slot;
		if (!slot)
			return 0;
	}
}

#define lt_map_for_each(number, at, map, hash)						\
	for (size_t at = (hash); ((number) = lt_map_match((map), (hash), &at)); at++)

/* In lt_map_for_each(): gives the entry at @at, whose key stays, another number. */
static inline void lt_map_renumber(struct lt_map *map, size_t at, uint32_t number)
{
	uint64_t *slot = &map->slots[at & map->mask];

	*slot = *slot >> 32 << 32 | number;
}

#endif /* LT_BASE_MAP_H */
