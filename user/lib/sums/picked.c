// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A set of addresses: see picked.h.
 */
#include "base/hash.h"
#include "sums/picked.h"

void lt_picked_init(struct lt_picked *p)
{
	lt_map_init(&p->map);
	lt_pool_init(&p->pool, sizeof(uint64_t));
	p->seed = lt_hash_seed();
}

void lt_picked_destroy(struct lt_picked *p)
{
	lt_map_destroy(&p->map);
	lt_pool_destroy(&p->pool);
}

static uint32_t hash(const struct lt_picked *p, uint64_t ptr)
{
	return (uint32_t)lt_hash64(ptr, p->seed);
}

/* The number of an address; 0: it is not in the set. */
static uint32_t find(const struct lt_picked *p, uint64_t ptr)
{
	uint32_t number;

	lt_map_for_each(number, at, &p->map, hash(p, ptr)) {
		if (*(const uint64_t *)lt_pool_at(&p->pool, number) == ptr)
			return number;
	}
	return 0;
}

void lt_picked_add(struct lt_picked *p, uint64_t ptr)
{
	uint32_t number = find(p, ptr);

	if (number)
		return;
	number = lt_pool_get(&p->pool);
	*(uint64_t *)lt_pool_at(&p->pool, number) = ptr;
	lt_map_add(&p->map, hash(p, ptr), number);
}

bool lt_picked_has(const struct lt_picked *p, uint64_t ptr)
{
	return find(p, ptr);
}

bool lt_picked_remove(struct lt_picked *p, uint64_t ptr)
{
	uint32_t number = find(p, ptr);

	if (!number)
		return false;
	lt_map_remove(&p->map, hash(p, ptr), number);
	lt_pool_put(&p->pool, number);
	return true;
}
