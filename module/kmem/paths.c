// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of the slab allocator that have no tracepoint: bulk allocation and free,
 * kfree_rcu, krealloc() that moves nothing, kmalloc_nolock(), and the end of a cache.
 * Function probes stand in.
 *
 * ftrace calls the handlers at the entry of a function, with preemption on where kernels
 * are preemptible. The result of a function takes a kretprobe.
 */
#include <linux/kprobes.h>

#include "kmem/caller.h"
#include "kmem/compat.h"
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
		lt_write_cache_alloc(&bulk_alloc_forms, LT_FILTERED, b->call_site, b->objects[i],
				     b->s, b->gfp, NUMA_NO_NODE);
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
	lt_births_forget_cache((void *)lt_entry_arg(entry, 0));
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

/* ------------------------------------------------------------------------
 * krealloc
 */

/* void *krealloc(object, size, ...) */
struct resize {
	unsigned long ptr;
	unsigned long bytes;
	unsigned long call_site;
	struct lt_krealloc *call;
};

static int resize_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct resize *r = (void *)ri->data;

	r->ptr = lt_arg(regs, 0);
	r->bytes = lt_arg(regs, 1);
	r->call_site = lt_return_address(regs);
	/* For the birth of what it moves to, see caller.c. */
	r->call = lt_krealloc_begin(r->call_site);
	return 0;
}

NOKPROBE_SYMBOL(resize_entry);

/*
 * An object that is moved has a birth and a death of its own. One that stays has another
 * size from here on, and no event of the allocator says so.
 */
static int resize_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct resize *r = (void *)ri->data;
	struct lt_rec_RESIZE *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	lt_krealloc_end(r->call);
	if (ZERO_OR_NULL_PTR((void *)r->ptr) || regs_return_value(regs) != r->ptr)
		return 0;
	if (lt_sampled_out(r->ptr)) {
		lt_filtered(&lt_channel_kmem, LT_CLASS_RESIZE);
		return 0;
	}
	c = lt_enter(&lt_channel_kmem, LT_CLASS_RESIZE, &flags);
	if (!c)
		return 0;
	rec = lt_reserve(&lt_channel_kmem, c, LT_CLASS_RESIZE, LT_EV_RESIZE, sizeof(*rec));
	if (rec) {
		rec->ptr = r->ptr;
		rec->call_site = r->call_site;
		rec->bytes_req = r->bytes;
	}
	lt_leave(c, LT_CLASS_RESIZE, flags);
	return 0;
}

NOKPROBE_SYMBOL(resize_return);

struct kretprobe lt_rp_resize = {
	.entry_handler = resize_entry,
	.handler = resize_return,
	.data_size = sizeof(struct resize),
	.maxactive = 256,	/* krealloc may sleep */
};

/* ------------------------------------------------------------------------
 * kmalloc_nolock, for callers in any context, NMI included: from BPF programs mostly
 */

static const struct lt_forms nolock_alloc_forms = LT_FORMS(KMALLOC, KMALLOC);
static const struct lt_forms nolock_free_forms = LT_FORMS(FREE, KFREE);

struct nolock {
	size_t bytes;
	gfp_t gfp;
	int node;
	unsigned long call_site;
};

static int nolock_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct nolock *n = (void *)ri->data;

	n->bytes = lt_arg(regs, 0);
	n->gfp = lt_nolock_gfp(regs);
	n->node = lt_nolock_node(regs);
	n->call_site = lt_return_address(regs);
	return 0;
}

NOKPROBE_SYMBOL(nolock_entry);

static int nolock_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct nolock *n = (void *)ri->data;
	const void *ptr = (void *)regs_return_value(regs);

	if (!ptr) {
		lt_alloc_failed(LT_CLASS_KMALLOC, n->call_site, n->bytes, n->gfp, n->node, NULL);
		return 0;
	}
	if (ZERO_OR_NULL_PTR(ptr))
		return 0;
	if (n->bytes < lt_min_size || lt_sampled_out((unsigned long)ptr) ||
	    (lt_births_on && lt_object_left_out(&n->call_site, NULL, n->bytes, ksize(ptr)))) {
		lt_filtered(&lt_channel_kmem, LT_CLASS_KMALLOC);
		return 0;
	}
	/* It takes from the next larger cache where its own is in use: only ksize() knows. */
	lt_write_object(&nolock_alloc_forms, LT_ANY, ptr, NULL, (struct lt_place) {
		n->call_site, lt_what_sizes(n->bytes, ksize(ptr)), lt_how(n->gfp, n->node),
	}, false);
	return 0;
}

NOKPROBE_SYMBOL(nolock_return);

struct kretprobe lt_rp_nolock = {
	.entry_handler = nolock_entry,
	.handler = nolock_return,
	.data_size = sizeof(struct nolock),
	.maxactive = 256,
};

/* void kfree_nolock(object) */
static __always_inline void nolock_free_entry(struct lt_entry *entry, unsigned long call_site)
{
	lt_write_free(&nolock_free_forms, LT_ANY, call_site, (void *)lt_entry_arg(entry, 0));
}

LT_FUNCTION_PROBE(lt_on_nolock_free, nolock_free_entry);
