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

/* ------------------------------------------------------------------------
 * Writing the events of objects. Each layout is that of two events, one from a
 * tracepoint and one from a function that has none; class and ids are constants
 * where these are called.
 */

static __always_inline void
lt_write_cache_alloc(unsigned int class, unsigned int narrow, unsigned int wide,
		     unsigned long call_site, const void *ptr, const struct kmem_cache *s,
		     gfp_t gfp, int node)
{
	struct lt_channel_cpu *c;
	unsigned long flags;
	u16 id;

	BUILD_BUG_ON(sizeof(struct lt_rec_CACHE_ALLOC) != sizeof(struct lt_rec_BULK_ALLOC));
	if ((unlikely(lt_min_size) && s &&
	     kmem_cache_size((struct kmem_cache *)s) < lt_min_size) ||
	    lt_sampled_out((unsigned long)ptr)) {
		lt_filtered(&lt_kmem, class);
		return;
	}
	c = lt_enter(&lt_kmem, class, &flags);
	if (!c)
		return;
	id = lt_cache_id(&lt_kmem, c, s);
	if (unlikely(id == LT_CACHE_LOST)) {
		c->full[LT_CLASS_INDEX(class)]++;
	} else if (likely(lt_ptr_narrow(ptr) && lt_code_narrow(call_site) &&
			  node == (s8)node)) {
		struct lt_rec_CACHE_ALLOC *rec;

		rec = lt_reserve(&lt_kmem, c, class, narrow, sizeof(*rec));
		if (likely(rec)) {
			lt_put_ptr(rec->ptr, ptr);
			rec->call_site = lt_code(call_site);
			rec->gfp_flags = (__force u32)gfp;
			rec->cache = id;
			rec->node = node;
		}
	} else {
		struct lt_rec_CACHE_ALLOC_WIDE *rec;

		rec = lt_reserve(&lt_kmem, c, class, wide, sizeof(*rec));
		if (rec) {
			rec->ptr = (unsigned long)ptr;
			rec->call_site = call_site;
			rec->gfp_flags = (__force u32)gfp;
			rec->cache = id;
			rec->node = node;
		}
	}
	lt_leave(c, class, flags);
}

static __always_inline void
lt_write_cache_free(unsigned int class, unsigned int narrow, unsigned int wide,
		    unsigned long call_site, const void *ptr, const struct kmem_cache *s)
{
	struct lt_channel_cpu *c;
	unsigned long flags;
	u16 id;

	BUILD_BUG_ON(sizeof(struct lt_rec_CACHE_FREE) != sizeof(struct lt_rec_BULK_FREE));
	if (unlikely(ZERO_OR_NULL_PTR(ptr)) || lt_sampled_out((unsigned long)ptr)) {
		lt_filtered(&lt_kmem, class);
		return;
	}
	c = lt_enter(&lt_kmem, class, &flags);
	if (!c)
		return;
	id = lt_cache_id(&lt_kmem, c, s);
	if (unlikely(id == LT_CACHE_LOST)) {
		c->full[LT_CLASS_INDEX(class)]++;
	} else if (likely(lt_ptr_narrow(ptr) && lt_code_narrow(call_site))) {
		struct lt_rec_CACHE_FREE *rec;

		rec = lt_reserve(&lt_kmem, c, class, narrow, sizeof(*rec));
		if (likely(rec)) {
			lt_put_ptr(rec->ptr, ptr);
			rec->call_site = lt_code(call_site);
			rec->cache = id;
		}
	} else {
		struct lt_rec_CACHE_FREE_WIDE *rec;

		rec = lt_reserve(&lt_kmem, c, class, wide, sizeof(*rec));
		if (rec) {
			rec->ptr = (unsigned long)ptr;
			rec->call_site = call_site;
			rec->cache = id;
		}
	}
	lt_leave(c, class, flags);
}

static __always_inline void
lt_write_free(unsigned int class, unsigned int narrow, unsigned int wide,
	      unsigned long call_site, const void *ptr)
{
	struct lt_channel_cpu *c;
	unsigned long flags;

	BUILD_BUG_ON(sizeof(struct lt_rec_KFREE) != sizeof(struct lt_rec_RCU_FREE));
	/* kfree(NULL) is frequent, and says nothing. */
	if (ZERO_OR_NULL_PTR(ptr) || lt_sampled_out((unsigned long)ptr)) {
		lt_filtered(&lt_kmem, class);
		return;
	}
	c = lt_enter(&lt_kmem, class, &flags);
	if (!c)
		return;
	if (likely(lt_ptr_narrow(ptr) && lt_code_narrow(call_site))) {
		struct lt_rec_KFREE *rec;

		rec = lt_reserve(&lt_kmem, c, class, narrow, sizeof(*rec));
		if (likely(rec)) {
			lt_put_ptr(rec->ptr, ptr);
			rec->call_site = lt_code(call_site);
		}
	} else {	/* of something from vmalloc, for one */
		struct lt_rec_KFREE_WIDE *rec;

		rec = lt_reserve(&lt_kmem, c, class, wide, sizeof(*rec));
		if (rec) {
			rec->ptr = (unsigned long)ptr;
			rec->call_site = call_site;
		}
	}
	lt_leave(c, class, flags);
}

/* Probes of paths that have no tracepoint, in paths.c. */
extern struct lt_function lt_on_bulk_free, lt_on_rcu_free, lt_on_cache_destroy;
extern struct kretprobe lt_rp_bulk_alloc;

#endif /* LT_KMEM_H */
