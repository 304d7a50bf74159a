// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sites that are no addresses.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/later.h"

/* No kernel has addresses that begin so. */
#define LATER		0x7eULL
#define LATER_SHIFT	56
/* Sites of the first chunk. */
#define FIRST_CHUNK	64

void lt_later_init(struct lt_later *l)
{
	*l = (struct lt_later){ .seed = lt_hash_seed() };
	lt_map_init(&l->by_place);
	pthread_mutex_init(&l->making, NULL);
}

void lt_later_destroy(struct lt_later *l)
{
	for (size_t i = 0; i < LT_LATER_CHUNKS; i++)
		free(l->chunks[i]);
	lt_map_destroy(&l->by_place);
	pthread_mutex_destroy(&l->making);
}

/* The chunk of a number, and the index there. */
static unsigned int chunk_of(uint64_t number, size_t *index)
{
	unsigned int chunk = 0;

	for (*index = number; *index >= (size_t)FIRST_CHUNK << chunk; chunk++)
		*index -= (size_t)FIRST_CHUNK << chunk;
	return chunk;
}

static const struct lt_later_site *at(const struct lt_later *l, uint64_t number)
{
	size_t index;
	unsigned int chunk = chunk_of(number, &index);

	return &l->chunks[chunk][index];
}

const struct lt_later_site *lt_later_of(const struct lt_later *l, uint64_t site)
{
	uint64_t number = site & ((1ULL << LATER_SHIFT) - 1);

	/* Pairs with the release in add(): who sees the number sees the chunk and what is in it. */
	if (site >> LATER_SHIFT != LATER || number >= __atomic_load_n(&l->n, __ATOMIC_ACQUIRE))
		return NULL;
	return at(l, number);
}

/* Return: its number plus 1; 0: there is none. */
static uint32_t find(const struct lt_later *l, uint32_t hash, uint64_t addr, uint32_t range)
{
	uint32_t number;

	lt_map_for_each(number, place, &l->by_place, hash) {
		const struct lt_later_site *s = at(l, number - 1);

		if (s->addr == addr && s->range == range)
			return number;
	}
	return 0;
}

static uint32_t add(struct lt_later *l, uint32_t hash, struct lt_later_site site)
{
	size_t number = l->n, index;
	unsigned int chunk = chunk_of(number, &index);

	if (!index)
		l->chunks[chunk] = lt_alloc_array((size_t)FIRST_CHUNK << chunk, sizeof(site));
	l->chunks[chunk][index] = site;
	lt_map_add(&l->by_place, hash, (uint32_t)number + 1);
	__atomic_store_n(&l->n, number + 1, __ATOMIC_RELEASE);
	return (uint32_t)number + 1;
}

uint64_t lt_later_site(struct lt_later *l, uint64_t addr, uint32_t range)
{
	uint32_t hash = (uint32_t)lt_hash64(lt_hash64(addr, l->seed) + range, l->seed), number;

	pthread_mutex_lock(&l->making);
	number = find(l, hash, addr, range);
	if (!number)
		number = add(l, hash, (struct lt_later_site){ addr, range });
	pthread_mutex_unlock(&l->making);
	return LATER << LATER_SHIFT | (number - 1);
}
