// SPDX-License-Identifier: GPL-2.0
/*
 * Five functions that allocate an object and free it at once. Two of them forget one in a
 * thousand: the one each thousandth, the other as chance has it; none while the parameter
 * "forget" is 0. They run while the parameter "run" is 1. The truth: the parameters "made"
 * and "forgotten", a number for each function. What was forgotten is freed when the module
 * goes.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#define N_PATHS		5
#define ONE_IN		1000

static bool run;
module_param(run, bool, 0644);

static bool forget = true;
module_param(forget, bool, 0644);

/* Ends the run after so many wakeups; 0: only "run" does. */
static unsigned int wakeups;
module_param(wakeups, uint, 0644);

/* Of each path, a wakeup. */
static unsigned int objects = 2;
module_param(objects, uint, 0444);

static unsigned int made[N_PATHS], forgotten[N_PATHS];
module_param_array(made, uint, NULL, 0444);
module_param_array(forgotten, uint, NULL, 0444);

struct object {
	struct list_head list;
};

/* What was forgotten. */
static LIST_HEAD(of_kmalloc);
static LIST_HEAD(of_cache);

static struct kmem_cache *cache;
static struct task_struct *worker;
static u32 chance = 2463534242;

static noinline void lt_leak_small(void)
{
	struct object *o = kmalloc(48, GFP_KERNEL);

	made[0] += !!o;
	kfree(o);
}

/* Forgets each thousandth. */
static noinline void lt_leak_forgets_regularly(void)
{
	struct object *o = kzalloc(200, GFP_KERNEL);

	if (!o)
		return;
	if (++made[1] % ONE_IN || !READ_ONCE(forget)) {
		kfree(o);
		return;
	}
	list_add(&o->list, &of_kmalloc);
	forgotten[1]++;
}

static noinline void lt_leak_large(void)
{
	struct object *o = kmalloc(3000, GFP_KERNEL);

	made[2] += !!o;
	kfree(o);
}

/* Forgets one of a thousand, by xorshift. */
static noinline void lt_leak_forgets_by_chance(void)
{
	struct object *o = kmem_cache_alloc(cache, GFP_KERNEL);

	if (!o)
		return;
	made[3]++;
	chance ^= chance << 13;
	chance ^= chance >> 17;
	chance ^= chance << 5;
	if (chance % ONE_IN || !READ_ONCE(forget)) {
		kmem_cache_free(cache, o);
		return;
	}
	list_add(&o->list, &of_cache);
	forgotten[3]++;
}

static noinline void lt_leak_of_cache(void)
{
	struct object *o = kmem_cache_alloc(cache, GFP_KERNEL);

	if (!o)
		return;
	made[4]++;
	kmem_cache_free(cache, o);
}

static int work(void *unused)
{
	unsigned int i;

	while (!kthread_should_stop()) {
		for (i = 0; READ_ONCE(run) && i < objects; i++) {
			lt_leak_small();
			lt_leak_forgets_regularly();
			lt_leak_large();
			lt_leak_forgets_by_chance();
			lt_leak_of_cache();
		}
		if (i && wakeups && !--wakeups)
			WRITE_ONCE(run, false);
		usleep_range(500, 1000);
	}
	return 0;
}

/* kfree() takes an object of a cache on kernels from 6.4 on only. */
static void free_forgotten(void)
{
	struct object *o, *next;

	list_for_each_entry_safe(o, next, &of_kmalloc, list)
		kfree(o);
	list_for_each_entry_safe(o, next, &of_cache, list)
		kmem_cache_free(cache, o);
}

static int __init lt_leak_init(void)
{
	/* The kernel may merge it with another cache, as any. */
	cache = kmem_cache_create("lt_leak", 320, 0, 0, NULL);
	if (!cache)
		return -ENOMEM;
	worker = kthread_run(work, NULL, "lt_leak");
	if (IS_ERR(worker)) {
		kmem_cache_destroy(cache);
		return PTR_ERR(worker);
	}
	return 0;
}

static void __exit lt_leak_exit(void)
{
	kthread_stop(worker);
	free_forgotten();
	kmem_cache_destroy(cache);
}

module_init(lt_leak_init);
module_exit(lt_leak_exit);
MODULE_DESCRIPTION("Test: functions that free what they allocate, but for one in a thousand");
MODULE_LICENSE("GPL");
MODULE_AUTHOR("The lifetrace authors");
