// SPDX-License-Identifier: GPL-2.0
/*
 * The loops whose cost is measured.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "cost.h"

#define OBJECT_BYTES	64
#define MAX_CHUNKS	10000
#define BATCH		4096	/* objects that are alive at once, at as many addresses */
#define MIN_SIZE	48
#define MAX_SIZE	8192	/* the largest that comes from a slab cache */

static struct kmem_cache *cache;
static void *sink;	/* the compiler must not see that an object is not used */

static int kmalloc_pairs(unsigned int n)
{
	while (n--) {
		void *p = kmalloc(OBJECT_BYTES, GFP_KERNEL);

		WRITE_ONCE(sink, p);
		kfree(p);
	}
	return 0;
}

/* A user chooses the sizes, as with msgsnd(): nearly each call has another one. */
static int size_pairs(unsigned int n)
{
	static u32 random;

	while (n--) {
		void *p;

		random = random * 1664525 + 1013904223;
		p = kmalloc(MIN_SIZE + (random >> 16) % (MAX_SIZE - MIN_SIZE + 1), GFP_KERNEL);
		WRITE_ONCE(sink, p);
		kfree(p);
	}
	return 0;
}

/* Where an object is born again at the last address, a choice by address is all or nothing. */
static int batch_pairs(unsigned int n)
{
	static void *batch[BATCH];
	unsigned int i;

	while (n) {
		unsigned int count = min_t(unsigned int, n, BATCH);

		for (i = 0; i < count; i++)
			WRITE_ONCE(batch[i], kmalloc(OBJECT_BYTES, GFP_KERNEL));
		for (i = 0; i < count; i++)
			kfree(batch[i]);
		n -= count;
	}
	return 0;
}

static int cache_pairs(unsigned int n)
{
	while (n--) {
		void *p = kmem_cache_alloc(cache, GFP_KERNEL);

		WRITE_ONCE(sink, p);
		if (p)
			kmem_cache_free(cache, p);
	}
	return 0;
}

static int never_runs(void *data)
{
	return 0;
}

/* A thread that is stopped before it was ever woken exits without its function. */
static int kthread_pairs(unsigned int n)
{
	while (n--) {
		struct task_struct *task = kthread_create(never_runs, NULL, "lt_cost");

		if (IS_ERR(task))
			return PTR_ERR(task);
		kthread_stop(task);
	}
	return 0;
}

/**
 * lt_cost_function() - what recorders of function calls are attached to
 * @object: any
 * @offset: any
 * @count: any
 *
 * Nothing of it may be known to who calls it, else the compiler makes another function of it.
 *
 * Return: 0
 */
noinline __noclone int lt_cost_function(void *object, unsigned long offset, unsigned long count)
{
	int zero = 0;

	asm volatile("" : "+r" (zero) : "r" (object), "r" (offset), "r" (count));
	return zero;
}

static int function_calls(unsigned int n)
{
	int err = 0;

	while (n--)
		err |= lt_cost_function(sink, n, OBJECT_BYTES);
	return err;
}

static const struct {
	const char *name;
	int (*rounds)(unsigned int n);
} loads[] = {
	{ "kmalloc", kmalloc_pairs },
	{ "sizes", size_pairs },
	{ "batch", batch_pairs },
	{ "cache", cache_pairs },
	{ "kthread", kthread_pairs },
	{ "function", function_calls },
};

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void summarize(u64 *took, struct cost *cost)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < cost->chunks; i++)
		sum += took[i];
	sort(took, cost->chunks, sizeof(*took), by_value, NULL);
	cost->mean = div_u64(sum, cost->chunks);
	cost->median = took[cost->chunks / 2];
	cost->min = took[0];
	cost->max = took[cost->chunks - 1];
}

/**
 * loads_run() - measure a loop
 * @name: of the load
 * @per_chunk: rounds between two readings of the counter
 * @chunks: how often
 * @cost: result
 *
 * Return: 0, -EINVAL, -ENOMEM, or the error of a round.
 */
int loads_run(const char *name, unsigned int per_chunk, unsigned int chunks, struct cost *cost)
{
	unsigned int load, i;
	u64 *took;
	int err = 0;

	for (load = 0; load < ARRAY_SIZE(loads); load++)
		if (!strcmp(name, loads[load].name))
			break;
	if (load == ARRAY_SIZE(loads) || !per_chunk || !chunks || chunks > MAX_CHUNKS)
		return -EINVAL;
	took = kvcalloc(chunks, sizeof(*took), GFP_KERNEL);
	if (!took)
		return -ENOMEM;
	for (i = 0; i < chunks && !err; i++) {
		u64 begin = cost_counter();

		err = loads[load].rounds(per_chunk);
		took[i] = cost_counter() - begin;
	}
	cost->per_chunk = per_chunk;
	cost->chunks = chunks;
	if (!err)
		summarize(took, cost);
	kvfree(took);
	return err;
}

int loads_init(void)
{
	cache = kmem_cache_create("lt_cost", OBJECT_BYTES, 0, 0, NULL);
	return cache ? 0 : -ENOMEM;
}

void loads_exit(void)
{
	kmem_cache_destroy(cache);
}
