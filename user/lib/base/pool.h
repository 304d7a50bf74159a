/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Many small elements of one size, referred to by 32-bit numbers.
 *
 * Elements never move: a pointer is valid until the element is released. They are
 * allocated in chunks, whose memory is reused and freed with the pool.
 */
#ifndef LT_LIB_POOL_H
#define LT_LIB_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The number of no element. */
#define LT_POOL_NONE	0U

#define LT_POOL_SHIFT	12	/* 4096 elements a chunk */

struct lt_pool {
	char **chunks;
	size_t n_chunks;
	size_t cap_chunks;
	size_t size;		/* of an element */
	uint32_t next;		/* the first number that was never in use */
	uint32_t free;		/* list of released elements, LT_POOL_NONE: empty */
	uint32_t used;
};

/* @size: size of an element, at least 4 bytes. */
void lt_pool_init(struct lt_pool *pool, size_t size);
void lt_pool_destroy(struct lt_pool *pool);

static inline void *lt_pool_at(const struct lt_pool *pool, uint32_t id)
{
	return pool->chunks[id >> LT_POOL_SHIFT] +
	       (id & ((1U << LT_POOL_SHIFT) - 1)) * pool->size;
}

/* lt_pool_get() where none was released. */
uint32_t lt_pool_new(struct lt_pool *pool);

/* A new element; its content is undefined. The number is never LT_POOL_NONE. */
static inline uint32_t lt_pool_get(struct lt_pool *pool)
{
	uint32_t id = pool->free;

	if (id == LT_POOL_NONE)
		return lt_pool_new(pool);
	/* A released element begins with the number of the next one in the list. */
	memcpy(&pool->free, lt_pool_at(pool, id), sizeof(pool->free));
	pool->used++;
	return id;
}

static inline void lt_pool_put(struct lt_pool *pool, uint32_t id)
{
	memcpy(lt_pool_at(pool, id), &pool->free, sizeof(pool->free));
	pool->free = id;
	pool->used--;
}

#endif /* LT_LIB_POOL_H */
