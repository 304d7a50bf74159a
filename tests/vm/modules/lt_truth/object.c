// SPDX-License-Identifier: GPL-2.0
/*
 * Making and freeing objects of every kind, each way.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "truth.h"

/* What kfree_rcu() with a head needs, at an offset that is not 0. */
struct rcu_object {
	char before[24];
	struct rcu_head rcu;
};

#define MAX_BULK	8

static bool simple;
module_param(simple, bool, 0400);
MODULE_PARM_DESC(simple, "nothing in bulk, and no RCU: for a kernel that has tracepoints only");

static const unsigned int const_sizes[] = {
	8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192, 12000, 40000,
};

/* With a size known at compile time the kernel takes another path. */
static noinline void *kmalloc_const(unsigned int i, gfp_t gfp)
{
	switch (i) {
	case 0: return kmalloc(8, gfp);
	case 1: return kmalloc(16, gfp);
	case 2: return kmalloc(32, gfp);
	case 3: return kmalloc(64, gfp);
	case 4: return kmalloc(96, gfp);
	case 5: return kmalloc(128, gfp);
	case 6: return kmalloc(192, gfp);
	case 7: return kmalloc(256, gfp);
	case 8: return kmalloc(512, gfp);
	case 9: return kmalloc(1024, gfp);
	case 10: return kmalloc(2048, gfp);
	case 11: return kmalloc(4096, gfp);
	case 12: return kmalloc(8192, gfp);
	case 13: return kmalloc(12000, gfp);
	default: return kmalloc(40000, gfp);
	}
}

static gfp_t random_gfp(struct truth_actor *a)
{
	static const gfp_t task_gfp[] = {
		GFP_KERNEL, GFP_KERNEL | __GFP_ZERO, GFP_KERNEL_ACCOUNT, GFP_NOFS,
		GFP_NOIO, GFP_ATOMIC, GFP_NOWAIT, GFP_KERNEL | __GFP_RECLAIMABLE,
	};
	static const gfp_t irq_gfp[] = {
		GFP_ATOMIC, GFP_NOWAIT, GFP_ATOMIC | __GFP_ZERO, GFP_ATOMIC | __GFP_RECLAIMABLE,
	};
	u32 r = truth_random(a) >> 8;

	if (in_hardirq() || in_serving_softirq())
		return irq_gfp[r % ARRAY_SIZE(irq_gfp)] | __GFP_NOWARN;
	return task_gfp[r % ARRAY_SIZE(task_gfp)] | __GFP_NOWARN;
}

/* Every size class alike, and within it every size; 1 in 64 takes pages. */
static size_t random_size(struct truth_actor *a)
{
	u32 r = truth_random(a);

	if (r % 64 == 0)
		return 8193 + (r >> 8) % 120000;
	return 1 + (r >> 8) % (8 << ((r >> 4) % 11));
}

static bool made(struct truth_object *o, const void *p, enum truth_kind kind)
{
	o->kind = kind;
	o->ptr = (unsigned long)p;
	if (!p)
		o->state = TRUTH_FAILED;
	else
		WRITE_ONCE(o->state, TRUTH_LIVE);
	return p;
}

static bool made_kmalloc(struct truth_object *o, const void *p, size_t size, gfp_t gfp)
{
	o->size = size;
	o->gfp = (__force u32)gfp;
	if (p)
		o->alloc = ksize(p);
	else
		atomic_inc(&truth_counts.failed_kmalloc);
	return made(o, p, TRUTH_KMALLOC);
}

/* A size that the compiler does not know. Return: was there memory? */
bool truth_make_kmalloc(struct truth_object *o, size_t size, gfp_t gfp)
{
	void *p;

	truth_begin(&o->birth);
	p = kmalloc(size, gfp);
	truth_end(&o->birth);
	return made_kmalloc(o, p, size, gfp);
}

static bool make_kmalloc_const(struct truth_actor *a, struct truth_object *o, gfp_t gfp)
{
	unsigned int i = (truth_random(a) >> 8) % ARRAY_SIZE(const_sizes);
	void *p;

	truth_begin(&o->birth);
	p = kmalloc_const(i, gfp);
	truth_end(&o->birth);
	return made_kmalloc(o, p, const_sizes[i], gfp);
}

static bool make_kmalloc_node(struct truth_object *o, size_t size, gfp_t gfp)
{
	void *p;

	o->node = 0;
	truth_begin(&o->birth);
	p = size & 1 ? kmalloc_node(size, gfp, 0) : kmalloc_node(200, gfp, 0);
	truth_end(&o->birth);
	return made_kmalloc(o, p, size & 1 ? size : 200, gfp);
}

static bool made_cached(struct truth_object *o, const void *p, unsigned int cache, gfp_t gfp,
			enum truth_kind kind)
{
	o->cache = cache;
	o->size = truth_caches[cache].size;
	o->gfp = (__force u32)gfp;
	if (!p)
		atomic_inc(&truth_counts.failed_cache);
	return made(o, p, kind);
}

static bool make_cached(struct truth_object *o, unsigned int cache, gfp_t gfp, int node)
{
	struct kmem_cache *s = truth_caches[cache].s;
	void *p;

	o->node = node;
	truth_begin(&o->birth);
	p = node < 0 ? kmem_cache_alloc(s, gfp) : kmem_cache_alloc_node(s, gfp, node);
	truth_end(&o->birth);
	return made_cached(o, p, cache, gfp, TRUTH_CACHE);
}

/* An object of an own cache in a row of its own, or NULL. */
struct truth_object *truth_make_cached(unsigned int cache, gfp_t gfp)
{
	struct truth_object *o = truth_row();

	return o && make_cached(o, cache, gfp, -1) ? o : NULL;
}

bool truth_make_pages(struct truth_object *o, unsigned int order, gfp_t gfp)
{
	struct page *page;

	o->kind = TRUTH_PAGES;
	o->order = order;
	o->size = PAGE_SIZE << order;
	o->alloc = o->size;
	gfp |= TRUTH_PAGE_GFP;
	o->gfp = (__force u32)gfp;
	truth_begin(&o->birth);
	page = alloc_pages(gfp, order);
	truth_end(&o->birth);
	if (!page) {
		o->state = TRUTH_FAILED;
		atomic_inc(&truth_counts.failed_pages);
		return false;
	}
	o->ptr = page_to_pfn(page);
	WRITE_ONCE(o->state, TRUTH_LIVE);
	return true;
}

/* Return: rows made, at most @max and MAX_BULK. Context: task. */
static unsigned int make_bulk(struct truth_actor *a, u32 *rows, unsigned int max, gfp_t gfp)
{
	unsigned int cache = truth_random(a) >> 8 & 1 ? TRUTH_CACHE_CTOR : TRUTH_CACHE_PLAIN;
	unsigned int i, n = 1 + (truth_random(a) >> 8) % min_t(unsigned int, max, MAX_BULK);
	struct truth_object *o[MAX_BULK];
	struct truth_moment birth = {};
	void *p[MAX_BULK];

	gfp &= ~__GFP_ZERO;	/* cannot be, with a constructor */
	for (i = 0; i < n; i++) {
		o[i] = truth_row();
		if (!o[i])
			break;
	}
	n = i;
	if (!n)
		return 0;
	truth_begin(&birth);
	if (!kmem_cache_alloc_bulk(truth_caches[cache].s, gfp, n, p))
		memset(p, 0, sizeof(p));
	truth_end(&birth);
	for (i = 0; i < n; i++) {
		o[i]->birth = birth;
		/* No event reports that a bulk allocation failed. */
		if (!p[i]) {
			o[i]->kind = TRUTH_BULK;
			o[i]->state = TRUTH_FAILED;
			return 0;
		}
		made_cached(o[i], p[i], cache, gfp, TRUTH_BULK);
		rows[i] = truth_index(o[i]);
	}
	return n;
}

/**
 * truth_make() - make objects of a random kind, as the context allows
 * @a: who makes them
 * @rows: the numbers of their rows
 * @max: of them, at least 1
 * Return: how many were made.
 */
unsigned int truth_make(struct truth_actor *a, u32 *rows, unsigned int max)
{
	bool task = !in_hardirq() && !in_serving_softirq();
	unsigned int kind = (truth_random(a) >> 8) % 16;
	gfp_t gfp = random_gfp(a);
	struct truth_object *o;
	bool ok;

	if (kind == 15 && task && !simple)
		return make_bulk(a, rows, max, gfp);
	o = truth_row();
	if (!o)
		return 0;
	if (kind < 5)
		ok = truth_make_kmalloc(o, random_size(a), gfp);
	else if (kind < 8)
		ok = make_kmalloc_const(a, o, gfp);
	else if (kind < 9)
		ok = make_kmalloc_node(o, random_size(a), gfp);
	else if (kind < 13)
		ok = make_cached(o, kind - 9, gfp & ~__GFP_ZERO,
				 truth_random(a) >> 8 & 1 ? 0 : -1);
	else
		ok = truth_make_pages(o, (truth_random(a) >> 8) % 5, gfp & ~__GFP_RECLAIMABLE);
	if (!ok)
		return 0;
	rows[0] = truth_index(o);
	return 1;
}

/* ------------------------------------------------------------------------
 * Freeing
 */

void truth_free_one(struct truth_object *o, enum truth_how how)
{
	void *p = (void *)(unsigned long)o->ptr;

	o->how = how;
	o->state = TRUTH_DEAD;
	truth_begin(&o->death);
	switch (how) {
	case TRUTH_CACHE_FREE:
		kmem_cache_free(truth_caches[o->cache].s, p);
		break;
	case TRUTH_RCU:
		kfree_rcu((struct rcu_object *)p, rcu);
		break;
	case TRUTH_RCU_HEADLESS:
		kfree_rcu_mightsleep(p);
		break;
	case TRUTH_FREE_PAGES:
		__free_pages(pfn_to_page(o->ptr), o->order);
		break;
	default:
		kfree(p);
		break;
	}
	truth_end(&o->death);
}

static enum truth_how random_how(struct truth_actor *a, const struct truth_object *o)
{
	u32 r = (truth_random(a) >> 8) % 16;

	if (o->kind == TRUTH_PAGES)
		return TRUTH_FREE_PAGES;
	if (o->kind != TRUTH_KMALLOC)
		return r < 3 ? TRUTH_KFREE : TRUTH_CACHE_FREE;
	if (simple)
		return TRUTH_KFREE;
	if (r == 0 && !in_hardirq() && !in_serving_softirq())
		return TRUTH_RCU_HEADLESS;
	if (r < (in_serving_softirq() ? 8 : 3) && !in_hardirq() &&
	    o->size >= sizeof(struct rcu_object))
		return TRUTH_RCU;
	return TRUTH_KFREE;
}

/* All of one cache, or all from kmalloc. Context: task. */
static void free_bulk(struct truth_object **o, unsigned int n)
{
	struct truth_moment death = {};
	void *p[MAX_BULK];
	unsigned int i;

	for (i = 0; i < n; i++)
		p[i] = (void *)(unsigned long)o[i]->ptr;
	truth_begin(&death);
	if (o[0]->cache == TRUTH_NO_CACHE)
		kfree_bulk(n, p);
	else
		kmem_cache_free_bulk(truth_caches[o[0]->cache].s, n, p);
	truth_end(&death);
	for (i = 0; i < n; i++) {
		o[i]->death = death;
		o[i]->how = TRUTH_BULK_FREE;
		o[i]->state = TRUTH_DEAD;
	}
}

/**
 * truth_free() - free objects in random ways, as the context allows
 * @a: who frees them
 * @rows: the numbers of their rows
 * @n: how many
 *
 * More than one are freed in bulk as far as they fit together.
 */
void truth_free(struct truth_actor *a, const u32 *rows, unsigned int n)
{
	struct truth_object *bulk[MAX_BULK];
	unsigned int i, n_bulk = 0;

	for (i = 0; i < n; i++) {
		struct truth_object *o = truth_row_at(rows[i]);

		if (n > 1 && !simple && n_bulk < MAX_BULK && o->kind != TRUTH_PAGES &&
		    (!n_bulk || bulk[0]->cache == o->cache))
			bulk[n_bulk++] = o;
		else
			truth_free_one(o, random_how(a, o));
	}
	if (n_bulk)
		free_bulk(bulk, n_bulk);
}
