// SPDX-License-Identifier: GPL-2.0
/*
 * Slab caches that come and go: while it is being loaded, "threads" kernel threads make "caches"
 * caches each, one after the other, with an object that is allocated and freed, and destroy them.
 * No two have one name: lt_churn_THREAD_NUMBER. The truth: each thread's objects in the order of
 * their births are of its caches 0, 1, 2, ...; "made" says how many there were.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#define MAX_THREADS	8

static unsigned int threads = 2;
module_param(threads, uint, 0444);

static unsigned int caches = 1000;
module_param(caches, uint, 0444);

static unsigned int made[MAX_THREADS];
module_param_array(made, uint, NULL, 0444);

static struct completion done[MAX_THREADS];

/* Caches with a constructor are not merged. */
static void ctor(void *object)
{
}

static noinline int lt_caches_churn(unsigned int thread, unsigned int number)
{
	struct kmem_cache *s;
	char name[32];
	void *object;

	snprintf(name, sizeof(name), "lt_churn_%u_%u", thread, number);
	s = kmem_cache_create(name, 200, 0, 0, ctor);
	if (!s)
		return -ENOMEM;
	object = kmem_cache_alloc(s, GFP_KERNEL);
	if (object) {
		made[thread]++;
		kmem_cache_free(s, object);
	}
	kmem_cache_destroy(s);
	return object ? 0 : -ENOMEM;
}

static int run(void *arg)
{
	unsigned int thread = (unsigned long)arg, i;

	for (i = 0; i < caches; i++)
		if (lt_caches_churn(thread, i))
			break;
	complete(&done[thread]);
	return 0;
}

static int __init lt_caches_init(void)
{
	struct task_struct *p;
	unsigned int i, n;
	int err = 0;

	threads = min_t(unsigned int, threads, MAX_THREADS);
	for (n = 0; n < threads; n++) {
		init_completion(&done[n]);
		p = kthread_run(run, (void *)(unsigned long)n, "lt_caches_%u", n);
		if (IS_ERR(p)) {
			err = PTR_ERR(p);
			break;
		}
	}
	/* Minutes with many caches: in parts, or the kernel takes this for a task that hangs. */
	for (i = 0; i < n; i++)
		while (!wait_for_completion_timeout(&done[i], 30 * HZ))
			;
	return err;
}

static void __exit lt_caches_exit(void)
{
}

module_init(lt_caches_init);
module_exit(lt_caches_exit);
MODULE_DESCRIPTION("Slab caches that come and go");
MODULE_LICENSE("GPL");
