// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Many small elements of one size, referred to by 32-bit numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/pool.h"

void lt_pool_init(struct lt_pool *pool, size_t size)
{
	memset(pool, 0, sizeof(*pool));
	pool->size = size;
	/* Number 0 is LT_POOL_NONE. */
	pool->next = 1;
}

void lt_pool_destroy(struct lt_pool *pool)
{
	for (size_t i = 0; i < pool->n_chunks; i++)
		free(pool->chunks[i]);
	free(pool->chunks);
	lt_pool_init(pool, pool->size);
	pool->chunks = NULL;
}

uint32_t lt_pool_new(struct lt_pool *pool)
{
	uint32_t id = pool->next;

	if (id == UINT32_MAX)
		lt_fatal("more than %u objects at the same time", UINT32_MAX - 1);
	if (id >> LT_POOL_SHIFT >= pool->n_chunks) {
		pool->chunks = lt_grow(pool->chunks, &pool->cap_chunks, pool->n_chunks,
				       sizeof(*pool->chunks));
		pool->chunks[pool->n_chunks] = lt_alloc_array(1U << LT_POOL_SHIFT, pool->size);
		pool->n_chunks++;
	}
	pool->next++;
	pool->used++;
	return id;
}
