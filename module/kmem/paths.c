// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of the allocators that have no tracepoint: bulk allocation and free,
 * kfree_rcu, and the end of a cache. Function probes stand in.
 *
 * ftrace calls the handlers at the entry of a function, with preemption on where kernels
 * are preemptible. The result of a function takes a kretprobe.
 */
#include <linux/kprobes.h>

#include "kmem/kmem.h"

static const struct lt_forms bulk_alloc_forms = LT_FORMS(CACHE_ALLOC, BULK_ALLOC);
static const struct lt_forms bulk_free_forms = LT_FORMS(CACHE_FREE, BULK_FREE);
static const struct lt_forms rcu_free_forms = LT_FORMS(FREE, RCU_FREE);

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
	 * A kprobe is not delivered while the handler of another one runs. With
	 * interrupts off, no interrupt can hit a kprobe here and miss it.
	 */
	local_irq_save(flags);
	for (i = 0; i < n; i++)
		lt_write_cache_alloc(&bulk_alloc_forms, LT_ANY, b->call_site, b->objects[i], b->s,
				     b->gfp, NUMA_NO_NODE);
	local_irq_restore(flags);
	return 0;
}

NOKPROBE_SYMBOL(bulk_alloc_return);

/* void kmem_cache_free_bulk(s or NULL, n, void **objects) */
static __always_inline void bulk_free_entry(struct lt_entry *entry, unsigned long call_site)
{
	const struct kmem_cache *s = (void *)lt_entry_arg(entry, 0);
	size_t i, n = lt_entry_arg(entry, 1);
	void **objects = (void *)lt_entry_arg(entry, 2);

	for (i = 0; i < n; i++)
		lt_write_cache_free(&bulk_free_forms, LT_ANY, call_site, objects[i], s);
}

LT_CHECK_FUNCTION(kmem_cache_free_bulk, void (struct kmem_cache *, size_t, void **));
LT_FUNCTION_PROBE(lt_on_bulk_free, bulk_free_entry);

/* void kvfree_call_rcu(head, object or offset) */
static __always_inline void rcu_free_entry(struct lt_entry *entry, unsigned long call_site)
{
	lt_write_free(&rcu_free_forms, LT_ANY, call_site,
		      lt_kvfree_rcu_object(lt_entry_arg(entry, 0), lt_entry_arg(entry, 1)));
}

LT_FUNCTION_PROBE(lt_on_rcu_free, rcu_free_entry);

/* void kmem_cache_destroy(s) */
static void cache_destroy_entry(struct lt_entry *entry, unsigned long call_site)
{
	lt_cache_forget(&lt_channel_kmem, (void *)lt_entry_arg(entry, 0));
}

LT_CHECK_FUNCTION(kmem_cache_destroy, void (struct kmem_cache *));
LT_FUNCTION_PROBE(lt_on_cache_destroy, cache_destroy_entry);

struct kretprobe lt_rp_bulk_alloc = {
	.entry_handler = bulk_alloc_entry,
	.handler = bulk_alloc_return,
	.data_size = sizeof(struct bulk_alloc),
	/* The function may sleep, so more calls than CPUs can be under way. */
	.maxactive = 256,
};
