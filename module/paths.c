// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of the allocators that have no tracepoint: bulk allocation and free,
 * kfree_rcu, and the end of a cache. Function probes stand in.
 *
 * ftrace calls us at the entry of a function, with preemption off; what a function
 * returns only a kretprobe tells.
 */
#include <linux/kprobes.h>

#include "kmem.h"

static void write_bulk_alloc(const struct kmem_cache *s, const void *ptr,
			     unsigned long call_site, gfp_t gfp)
{
	struct lt_channel_cpu *c;
	unsigned long flags;
	u16 id;

	if (!ptr || lt_sampled_out((unsigned long)ptr) ||
	    (unlikely(lt_min_size) && kmem_cache_size((struct kmem_cache *)s) < lt_min_size)) {
		lt_filtered(&lt_kmem, LT_CLASS_BULK_ALLOC);
		return;
	}
	c = lt_enter(&lt_kmem, LT_CLASS_BULK_ALLOC, &flags);
	if (!c)
		return;
	id = lt_cache_id(&lt_kmem, c, s);
	if (id == LT_CACHE_LOST) {
		c->full[LT_CLASS_BULK_ALLOC]++;
	} else if (lt_ptr_narrow(ptr) && lt_code_narrow(call_site)) {
		struct lt_rec_BULK_ALLOC *rec;

		rec = lt_reserve(&lt_kmem, c, LT_CLASS_BULK_ALLOC, LT_EV_BULK_ALLOC,
				 sizeof(*rec));
		if (rec) {
			lt_put_ptr(rec->ptr, ptr);
			rec->call_site = lt_code(call_site);
			rec->gfp_flags = (__force u32)gfp;
			rec->cache = id;
			rec->node = NUMA_NO_NODE;
		}
	} else {
		struct lt_rec_BULK_ALLOC_WIDE *rec;

		rec = lt_reserve(&lt_kmem, c, LT_CLASS_BULK_ALLOC, LT_EV_BULK_ALLOC_WIDE,
				 sizeof(*rec));
		if (rec) {
			rec->ptr = (unsigned long)ptr;
			rec->call_site = call_site;
			rec->gfp_flags = (__force u32)gfp;
			rec->cache = id;
			rec->node = NUMA_NO_NODE;
		}
	}
	lt_leave(c, LT_CLASS_BULK_ALLOC, flags);
}

static void write_bulk_free(const struct kmem_cache *s, const void *ptr,
			    unsigned long call_site)
{
	struct lt_channel_cpu *c;
	unsigned long flags;
	u16 id;

	if (ZERO_OR_NULL_PTR(ptr) || lt_sampled_out((unsigned long)ptr)) {
		lt_filtered(&lt_kmem, LT_CLASS_BULK_FREE);
		return;
	}
	c = lt_enter(&lt_kmem, LT_CLASS_BULK_FREE, &flags);
	if (!c)
		return;
	id = lt_cache_id(&lt_kmem, c, s);	/* NULL from kfree_bulk: unknown */
	if (id == LT_CACHE_LOST) {
		c->full[LT_CLASS_BULK_FREE]++;
	} else if (lt_ptr_narrow(ptr) && lt_code_narrow(call_site)) {
		struct lt_rec_BULK_FREE *rec;

		rec = lt_reserve(&lt_kmem, c, LT_CLASS_BULK_FREE, LT_EV_BULK_FREE,
				 sizeof(*rec));
		if (rec) {
			lt_put_ptr(rec->ptr, ptr);
			rec->call_site = lt_code(call_site);
			rec->cache = id;
		}
	} else {
		struct lt_rec_BULK_FREE_WIDE *rec;

		rec = lt_reserve(&lt_kmem, c, LT_CLASS_BULK_FREE, LT_EV_BULK_FREE_WIDE,
				 sizeof(*rec));
		if (rec) {
			rec->ptr = (unsigned long)ptr;
			rec->call_site = call_site;
			rec->cache = id;
		}
	}
	lt_leave(c, LT_CLASS_BULK_FREE, flags);
}

static void write_rcu_free(const void *ptr, unsigned long call_site)
{
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (ZERO_OR_NULL_PTR(ptr) || lt_sampled_out((unsigned long)ptr)) {
		lt_filtered(&lt_kmem, LT_CLASS_RCU_FREE);
		return;
	}
	c = lt_enter(&lt_kmem, LT_CLASS_RCU_FREE, &flags);
	if (!c)
		return;
	if (lt_ptr_narrow(ptr) && lt_code_narrow(call_site)) {
		struct lt_rec_RCU_FREE *rec;

		rec = lt_reserve(&lt_kmem, c, LT_CLASS_RCU_FREE, LT_EV_RCU_FREE, sizeof(*rec));
		if (rec) {
			lt_put_ptr(rec->ptr, ptr);
			rec->call_site = lt_code(call_site);
		}
	} else {	/* kvfree_rcu() of something from vmalloc, for one */
		struct lt_rec_RCU_FREE_WIDE *rec;

		rec = lt_reserve(&lt_kmem, c, LT_CLASS_RCU_FREE, LT_EV_RCU_FREE_WIDE,
				 sizeof(*rec));
		if (rec) {
			rec->ptr = (unsigned long)ptr;
			rec->call_site = call_site;
		}
	}
	lt_leave(c, LT_CLASS_RCU_FREE, flags);
}

/* ------------------------------------------------------------------------
 * The handlers
 */

/* int or bool kmem_cache_alloc_bulk(s, gfp, n, void **objects) */
struct bulk_alloc {
	const struct kmem_cache *s;
	void **objects;
	size_t n;
	gfp_t gfp;
	unsigned long call_site;
};

static int bulk_alloc_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct bulk_alloc *b = (void *)ri->data;

	b->s = (void *)lt_arg(regs, 0);
	b->gfp = (__force gfp_t)lt_arg(regs, 1);
	b->n = lt_arg(regs, 2);
	b->objects = (void *)lt_arg(regs, 3);
	/* The return address is still the caller's: it is replaced after this. */
	b->call_site = lt_return_address(regs);
	return 0;
}

NOKPROBE_SYMBOL(bulk_alloc_entry);

static int bulk_alloc_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct bulk_alloc *b = (void *)ri->data;
	unsigned long flags;
	size_t i, n;

	n = lt_bulk_alloc_count(regs_return_value(regs), b->n);
	if (!n && b->n)
		lt_alloc_failed(LT_CLASS_BULK_ALLOC, b->call_site,
				kmem_cache_size((struct kmem_cache *)b->s), b->gfp,
				NUMA_NO_NODE, b->s);
	/*
	 * A kprobe is not delivered while another one's handler runs: without
	 * interrupts none of theirs can come in between and be missed.
	 */
	local_irq_save(flags);
	for (i = 0; i < n; i++)
		write_bulk_alloc(b->s, b->objects[i], b->call_site, b->gfp);
	local_irq_restore(flags);
	return 0;
}

NOKPROBE_SYMBOL(bulk_alloc_return);

/* void kmem_cache_free_bulk(s or NULL, n, void **objects) */
static void bulk_free_entry(struct pt_regs *regs, unsigned long call_site)
{
	const struct kmem_cache *s = (void *)lt_arg(regs, 0);
	size_t i, n = lt_arg(regs, 1);
	void **objects = (void *)lt_arg(regs, 2);

	for (i = 0; i < n; i++)
		write_bulk_free(s, objects[i], call_site);
}

LT_FUNCTION_PROBE(lt_on_bulk_free, bulk_free_entry);

/* void kvfree_call_rcu(head, object or offset) */
static void rcu_free_entry(struct pt_regs *regs, unsigned long call_site)
{
	write_rcu_free(lt_kvfree_rcu_object(lt_arg(regs, 0), lt_arg(regs, 1)),
		       call_site);
}

LT_FUNCTION_PROBE(lt_on_rcu_free, rcu_free_entry);

/* void kmem_cache_destroy(s) */
static void cache_destroy_entry(struct pt_regs *regs, unsigned long call_site)
{
	lt_cache_forget(&lt_kmem, (void *)lt_arg(regs, 0));
}

LT_FUNCTION_PROBE(lt_on_cache_destroy, cache_destroy_entry);

struct kretprobe lt_rp_bulk_alloc = {
	.entry_handler = bulk_alloc_entry,
	.handler = bulk_alloc_return,
	.data_size = sizeof(struct bulk_alloc),
	/* It may sleep, so more calls than CPUs can be under way. */
	.maxactive = 256,
};
