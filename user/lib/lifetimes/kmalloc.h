/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The slab cache of an object: a key for tables, and its name.
 *
 * The event of a kmalloc does not name the cache. The cache follows from the size given
 * and the flags, by the order of kmalloc_type() in mm/slab.h since 5.14: DMA before
 * reclaimable before accounted. The size given is that of the slot, which is larger than
 * the object where the kernel checks itself (KASAN, slub_debug): then the trace has a
 * list of the slot sizes of all caches.
 */
#ifndef LT_LIFETIMES_KMALLOC_H
#define LT_LIFETIMES_KMALLOC_H

#include "lifetimes/lifetime.h"
#include "trace/trace.h"

#define LT_MAX_KMALLOC_SIZES	32

/**
 * struct lt_kmalloc_size - a cache whose slots are larger than its objects
 */
struct lt_kmalloc_size {
	uint64_t object;
	uint64_t slot;
};

/**
 * struct lt_kmalloc - the kmalloc caches of the traced kernel
 * @dma: gfp flag that selects the DMA caches, 0: the kernel has no such flag
 * @reclaimable: gfp flag that selects the reclaimable caches, or 0
 * @account: gfp flag that selects the accounted caches, or 0
 * @largest: bytes of the largest cache
 * @sizes: all caches by size, if slots are larger than objects
 * @n_sizes: length of @sizes
 */
struct lt_kmalloc {
	uint32_t dma;
	uint32_t reclaimable;
	uint32_t account;
	uint64_t largest;
	struct lt_kmalloc_size sizes[LT_MAX_KMALLOC_SIZES];
	unsigned int n_sizes;
};

void lt_kmalloc_init(struct lt_kmalloc *k, const struct lt_trace *t);

/**
 * lt_cache_key() - one number for all objects of a cache
 * @kind: enum lt_class of the birth
 * @cache: cache id, 0: none or not known
 * Return: the key of the cache, 0: the cache is not known.
 */
uint64_t lt_cache_key(const struct lt_kmalloc *k, unsigned int kind, uint32_t cache,
		      uint64_t bytes_req, uint64_t bytes_alloc, uint32_t gfp);

static inline uint64_t lt_obj_cache_key(const struct lt_kmalloc *k, const struct lt_obj *o)
{
	return lt_cache_key(k, o->kind, o->cache, o->bytes_req, o->bytes_alloc, o->gfp);
}

static inline uint64_t lt_lifetime_cache_key(const struct lt_kmalloc *k,
					     const struct lt_lifetime *l)
{
	return lt_cache_key(k, l->kind, l->cache, l->bytes_req, l->bytes_alloc, l->gfp);
}

/* Of the birth that an event is. */
static inline uint64_t lt_event_cache_key(const struct lt_kmalloc *k, const struct lt_event *ev)
{
	return lt_cache_key(k, ev->class, ev->cache, ev->bytes_req, ev->bytes_alloc, ev->gfp);
}

#define LT_KEY_KMALLOC	(1ULL << 63)	/* in the key of a kmalloc's cache */

/* Whether it is the key of kmallocs that are too large for a slab. */
bool lt_cache_key_large(uint64_t key);

/* The name of a key's cache, in @buf or elsewhere; valid as long as @buf and the trace. */
const char *lt_cache_key_name(const struct lt_trace *t, uint64_t key, char *buf, size_t size);
/*
 * As that, for an object whose cache may be gone: @cache is the one with its number, if the caller
 * has it. NULL: not known.
 */
const char *lt_cache_name(const struct lt_trace *t, uint64_t key, const struct lt_cache *cache,
			  char *buf, size_t size);

/*
 * The name for people: of a cache with which five others were merged "name (+5)", since each of its
 * objects may be of any of the six. Other programs get the name alone.
 */
const char *lt_cache_key_shown(const struct lt_trace *t, uint64_t key, char *buf, size_t size);

#endif /* LT_LIFETIMES_KMALLOC_H */
