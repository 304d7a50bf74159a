/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which slab cache an object is of: a number for tables, and its name.
 *
 * The kernel does not say of a kmalloc which of its caches it came from. That
 * follows from the size given and the flags, as kmalloc_type() of mm/slab.h
 * has it from 5.14 on: DMA before reclaimable before accounted. The size given is
 * that of the slot, which has room for more than the object where the kernel checks
 * itself (KASAN, slub_debug): then the trace says which slots belong to which cache.
 */
#ifndef LT_LIB_KMALLOC_H
#define LT_LIB_KMALLOC_H

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
 * struct lt_kmalloc - what must be known of the trace's kernel
 * @dma: bit of its gfp flags, 0: it has no such flag
 * @reclaimable: also
 * @account: also
 * @largest: bytes of kmalloc's largest cache
 * @sizes, @n_sizes: all caches by size, if slots are larger than objects
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

/* The same for all objects of a cache, different for different caches. 0: unknown. */
uint64_t lt_cache_key(const struct lt_kmalloc *k, unsigned int kind, uint32_t cache,
		      uint64_t bytes_req, uint64_t bytes_alloc, uint32_t gfp);

#define LT_KEY_KMALLOC	(1ULL << 63)	/* in the key of a kmalloc's cache */

/* Is it a kmalloc that is too large for a slab? */
bool lt_cache_key_large(uint64_t key);

/* The name to a key, in buf or elsewhere; valid as long as buf and trace. */
const char *lt_cache_key_name(const struct lt_trace *t, uint64_t key, char *buf, size_t size);

#endif /* LT_LIB_KMALLOC_H */
