/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The allocator channel.
 */
#ifndef LT_KMEM_H
#define LT_KMEM_H

#include "cache.h"
#include "channel.h"

extern struct lt_channel lt_kmem;

/* Filters of the session; set before probes are attached. 0: off. */
extern size_t lt_min_size;	/* bytes; smaller requests are left out */
extern u32 lt_sample;		/* keep addresses whose hash is below this */

void lt_set_sample(unsigned int one_in);

/*
 * lt_sampled_out() - is this address left out?
 *
 * A matter of the address alone, so that what is kept is whole lifetimes. The
 * low bits are shifted out: they are the same in all objects of a cache.
 */
static __always_inline bool lt_sampled_out(u64 addr)
{
	return unlikely(lt_sample) && hash_64(addr >> 3, 32) >= lt_sample;
}

/* Does an address fit the 40 bits above ptr_base? */
static __always_inline bool lt_ptr_narrow(const void *ptr)
{
	return !(((u64)(unsigned long)ptr - lt_ptr_base()) >> 40);
}

/* Does a code address fit the 32 bits above text_base? */
static __always_inline bool lt_code_narrow(unsigned long addr)
{
	return !((u64)(addr - lt_text_base()) >> 32);
}

/* Store what both fit into. */
static __always_inline void lt_put_ptr(u8 *field, const void *ptr)
{
	lt_put_u40(field, (u64)(unsigned long)ptr - lt_ptr_base());
}

/* An unknown address (0) is stored as 0, in either form. */
static __always_inline u32 lt_code(unsigned long addr)
{
	return addr ? addr - lt_text_base() : 0;
}

void lt_alloc_failed(unsigned int what, unsigned long call_site, size_t bytes_req,
		     gfp_t gfp, int node, const struct kmem_cache *s);

/* Probes of paths that have no tracepoint, in paths.c. */
extern struct lt_function lt_on_bulk_free, lt_on_rcu_free, lt_on_cache_destroy;
extern struct kretprobe lt_rp_bulk_alloc;

#endif /* LT_KMEM_H */
