// SPDX-License-Identifier: GPL-2.0
/*
 * What is done on purpose rather than at random: caches that come and go,
 * allocations that fail, frees of nothing, and marks.
 */
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "truth.h"

static void ctor(void *object)
{
	*(u8 *)object = 0;
}

/*
 * Makes an own cache. SLAB_NOLEAKTRACE changes nothing but that the kernel does
 * not merge it with others, and thus that its name is its own.
 */
static int cache_make(const char *name, unsigned int size, slab_flags_t flags,
		      void (*constructor)(void *object))
{
	struct truth_cache *c = &truth_caches[truth_n_caches];

	if (truth_n_caches == TRUTH_MAX_CACHES)
		return -ENOSPC;
	strscpy(c->name, name, sizeof(c->name));
	c->size = size;
	c->s = kmem_cache_create(c->name, size, 0, flags, constructor);
	if (!c->s)
		return -ENOMEM;
	c->address = (unsigned long)c->s;
	truth_n_caches++;
	return 0;
}

/* In the order of enum truth_cache_index. */
int truth_caches_init(void)
{
	int err = cache_make("lt_truth_ctor", 333, 0, ctor);

	if (!err)
		err = cache_make("lt_truth_plain", 1111, SLAB_NOLEAKTRACE, NULL);
	if (!err)
		err = cache_make("lt_truth_first", 200, 0, NULL);
	if (!err)
		err = cache_make("lt_truth_merged", 200, 0, NULL);
	if (err)
		truth_caches_exit();
	return err;
}

void truth_caches_exit(void)
{
	unsigned int i;

	for (i = 0; i < truth_n_caches; i++)
		kmem_cache_destroy(truth_caches[i].s);
}

/**
 * truth_cycle_caches() - make, use and destroy caches, one after the other
 * @n: how many
 *
 * The kernel is likely to put the next one where the last one was.
 * Return: 0 or an error.
 */
int truth_cycle_caches(unsigned int n)
{
	while (n--) {
		unsigned int i, index = truth_n_caches;
		struct truth_object *o[8];
		char name[32];
		int err;

		snprintf(name, sizeof(name), "lt_truth_cycle_%u", index);
		err = cache_make(name, 77 + 24 * (index % 40), SLAB_NOLEAKTRACE,
				 index & 1 ? ctor : NULL);
		if (err)
			return err;
		for (i = 0; i < ARRAY_SIZE(o); i++)
			o[i] = truth_make_cached(index, GFP_KERNEL);
		for (i = 0; i < ARRAY_SIZE(o); i++)
			if (o[i])
				truth_free_one(o[i], i & 1 ? TRUTH_KFREE : TRUTH_CACHE_FREE);
		kmem_cache_destroy(truth_caches[index].s);
		truth_caches[index].s = NULL;
	}
	return 0;
}

/* Requests that cannot be met, and frees of nothing. */
void truth_edge_cases(unsigned int n)
{
	while (n--) {
		struct truth_object *o = truth_row();
		void *nothing = NULL, *zero;

		/* More than any slab or block of pages can hold. */
		if (o && truth_make_kmalloc(o, KMALLOC_MAX_SIZE + 1 + n, GFP_KERNEL | __GFP_NOWARN))
			truth_free_one(o, TRUTH_KFREE);
		OPTIMIZER_HIDE_VAR(nothing);
		kfree(nothing);
		zero = kmalloc(0, GFP_KERNEL);
		OPTIMIZER_HIDE_VAR(zero);
		kfree(zero);
		atomic_add(2, &truth_counts.null_frees);
	}
}

#define MAX_BLOCKS	4096

/**
 * truth_exhaust() - take the largest blocks of pages until there are no more
 * Return: 0, -ENOSPC: they did not come to an end.
 */
int truth_exhaust(void)
{
	const unsigned int order = TRUTH_MAX_ORDER;
	u32 first = truth_n_objects();
	unsigned int i;
	int err = -ENOSPC;

	for (i = 0; i < MAX_BLOCKS && err; i++) {
		struct truth_object *o = truth_row();

		if (!o)
			break;
		if (!truth_make_pages(o, order, GFP_NOWAIT | __GFP_NORETRY))
			err = 0;
		/* All memory is filled with zeros: that takes long under emulation. */
		cond_resched();
	}
	for (i = first; i < truth_n_objects(); i++) {
		struct truth_object *o = truth_row_at(i);

		if (o->state == TRUTH_LIVE && o->kind == TRUTH_PAGES && o->order == order)
			truth_free_one(o, TRUTH_FREE_PAGES);
		cond_resched();
	}
	return err;
}

/* ------------------------------------------------------------------------
 * Marks: three allocations of sizes that nothing else asks for
 */

static const unsigned int begin_sizes[] = { 5003, 5009, 5011 };
static const unsigned int end_sizes[] = { 5021, 5023, 5039 };

static long mark_this_cpu(void *arg)
{
	const unsigned int *sizes = arg;
	unsigned long flags;
	unsigned int i;

	/*
	 * A task with interrupts off: nothing on this CPU is half way through
	 * an event, so every recorder sees the same events before and after.
	 */
	local_irq_save(flags);
	for (i = 0; i < ARRAY_SIZE(begin_sizes); i++) {
		void *p = kmalloc(sizes[i], GFP_ATOMIC);

		OPTIMIZER_HIDE_VAR(p);
		kfree(p);
	}
	local_irq_restore(flags);
	return 0;
}

int truth_mark_cpus(bool begin)
{
	unsigned int cpu;
	long err = 0;

	for_each_online_cpu(cpu)
		if (!err)
			err = work_on_cpu(cpu, mark_this_cpu,
					  (void *)(begin ? begin_sizes : end_sizes));
	return err;
}
