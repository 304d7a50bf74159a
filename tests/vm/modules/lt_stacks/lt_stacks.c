// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks that are known: functions that call each other to a depth of 5, 12 and 40, and
 * allocate there, in task, softirq and hardirq context.
 *
 * A write of N to the parameter "run" does that N times. The stack of each allocation is
 * leaf_*(), level_1() to level_DEPTH(), from_*(), and what called that. Which one it is
 * follows from the allocation alone: kmalloc() gets 1000 bytes * context + DEPTH, each
 * context and depth has a cache of its own, named lt_stacks_CONTEXT_DEPTH, and pages are
 * one, two or four, by the depth.
 *
 * A write to "twins" does what looks the same to who does not read the whole stack: all calls
 * are made by left() or right(), which are alike but for where they are. kmalloc() gets 4096
 * bytes + the path, whose bit N says that the call at level N was right()'s.
 */
#include <linux/completion.h>
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/timer.h>

static const unsigned int depths[] = { 5, 12, 40 };

enum { TASK, SOFTIRQ, HARDIRQ, N_CONTEXTS };

static struct kmem_cache *caches[N_CONTEXTS][ARRAY_SIZE(depths)];
static DECLARE_COMPLETION(done);

/* What is to be allocated: of @cache, or @size bytes of kmalloc; neither: 2^@order pages. */
struct step {
	struct kmem_cache *cache;
	size_t size;
	unsigned int order;
};

/* No tail calls, and no copies under other names: each function is one frame. */
static noinline __noclone void *leaf_kmalloc(const struct step *s)
{
	void *p = kmalloc(s->size, GFP_ATOMIC);

	barrier();
	return p;
}

static noinline __noclone void *leaf_cache(const struct step *s)
{
	void *p = kmem_cache_alloc(s->cache, GFP_ATOMIC);

	barrier();
	return p;
}

static noinline __noclone void *leaf_page(const struct step *s)
{
	void *p = alloc_pages(GFP_ATOMIC, s->order);

	barrier();
	return p;
}

static noinline __noclone void *level_1(const struct step *s)
{
	void *p = s->cache ? leaf_cache(s) : s->size ? leaf_kmalloc(s) : leaf_page(s);

	barrier();
	return p;
}

#define LEVEL(n, below)						\
	static noinline __noclone void *level_##n(const struct step *s)			\
	{								\
		void *p = level_##below(s);				\
									\
		barrier();						\
		return p;						\
	}

LEVEL(2, 1)
LEVEL(3, 2)
LEVEL(4, 3)
LEVEL(5, 4)
LEVEL(6, 5)
LEVEL(7, 6)
LEVEL(8, 7)
LEVEL(9, 8)
LEVEL(10, 9)
LEVEL(11, 10)
LEVEL(12, 11)
LEVEL(13, 12)
LEVEL(14, 13)
LEVEL(15, 14)
LEVEL(16, 15)
LEVEL(17, 16)
LEVEL(18, 17)
LEVEL(19, 18)
LEVEL(20, 19)
LEVEL(21, 20)
LEVEL(22, 21)
LEVEL(23, 22)
LEVEL(24, 23)
LEVEL(25, 24)
LEVEL(26, 25)
LEVEL(27, 26)
LEVEL(28, 27)
LEVEL(29, 28)
LEVEL(30, 29)
LEVEL(31, 30)
LEVEL(32, 31)
LEVEL(33, 32)
LEVEL(34, 33)
LEVEL(35, 34)
LEVEL(36, 35)
LEVEL(37, 36)
LEVEL(38, 37)
LEVEL(39, 38)
LEVEL(40, 39)

static void *(*const entries[])(const struct step *s) = { level_5, level_12, level_40 };

/* In the function of each context: it is to be a frame. */
static __always_inline void allocate(unsigned int context)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		struct step step = { NULL, 1000 * (context + 1) + depths[i], 0 };
		void *p = entries[i](&step);

		kfree(p);
		step.cache = caches[context][i];
		p = entries[i](&step);
		if (p)
			kmem_cache_free(step.cache, p);
		step = (struct step) { NULL, 0, i };
		p = entries[i](&step);
		if (p)
			__free_pages(p, i);
	}
}

static noinline __noclone void from_task(void)
{
	allocate(TASK);
	barrier();
}

static noinline __noclone void from_softirq(struct timer_list *t)
{
	allocate(SOFTIRQ);
	complete(&done);
}

static noinline __noclone void from_hardirq(struct irq_work *work)
{
	allocate(HARDIRQ);
	complete(&done);
}

static DEFINE_TIMER(timer, from_softirq);
static struct irq_work work;

static int run(const char *text, const struct kernel_param *param)
{
	unsigned int n;
	int err = kstrtouint(text, 10, &n);

	while (!err && n--) {
		from_task();
		mod_timer(&timer, jiffies + 1);
		wait_for_completion(&done);
		irq_work_queue(&work);
		wait_for_completion(&done);
	}
	return err;
}

#define TWIN_LEVELS	8

static __always_inline void *twin(const struct step *s, unsigned int level);

static noinline __noclone void *left(const struct step *s, unsigned int level)
{
	void *p = twin(s, level);

	asm volatile("# the one");
	return p;
}

static noinline __noclone void *right(const struct step *s, unsigned int level)
{
	void *p = twin(s, level);

	asm volatile("# the other");
	return p;
}

static __always_inline void *twin(const struct step *s, unsigned int level)
{
	if (!level)
		return leaf_kmalloc(s);
	return s->size & BIT(level - 1) ? right(s, level - 1) : left(s, level - 1);
}

static noinline __noclone void from_twins(unsigned int path)
{
	const struct step step = { NULL, 4096 + path, 0 };

	kfree(twin(&step, TWIN_LEVELS));
	barrier();
}

/* All paths, each twice in a row, in an order that is another one each time. */
static int run_twins(const char *text, const struct kernel_param *param)
{
	unsigned int n, i;
	int err = kstrtouint(text, 10, &n);

	while (!err && n--)
		for (i = 0; i < 2 << TWIN_LEVELS; i++)
			from_twins((i / 2 * (2 * n + 1) + n) & (BIT(TWIN_LEVELS) - 1));
	return err;
}

static const struct kernel_param_ops twins_ops = { .set = run_twins };

module_param_cb(twins, &twins_ops, NULL, 0200);

static const struct kernel_param_ops run_ops = { .set = run };

module_param_cb(run, &run_ops, NULL, 0200);

static void nothing(void *object)
{
}

static void destroy(void)
{
	unsigned int i;

	for (i = 0; i < N_CONTEXTS * ARRAY_SIZE(depths); i++)
		kmem_cache_destroy((&caches[0][0])[i]);
}

static int __init stacks_init(void)
{
	static const char * const names[] = { "task", "softirq", "hardirq" };
	unsigned int context, i;
	char name[32];

	init_irq_work(&work, from_hardirq);
	for (context = 0; context < N_CONTEXTS; context++)
		for (i = 0; i < ARRAY_SIZE(depths); i++) {
			snprintf(name, sizeof(name), "lt_stacks_%s_%u", names[context], depths[i]);
			/* A cache with a constructor is not merged with another one. */
			caches[context][i] = kmem_cache_create(name, 200, 0, 0, nothing);
			if (!caches[context][i]) {
				destroy();
				return -ENOMEM;
			}
		}
	return 0;
}

static void __exit stacks_exit(void)
{
	irq_work_sync(&work);
	destroy();
}

module_init(stacks_init);
module_exit(stacks_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The lifetrace authors");
MODULE_DESCRIPTION("Test: allocations whose stacks are known");
