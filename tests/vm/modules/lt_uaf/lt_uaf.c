// SPDX-License-Identifier: GPL-2.0
/*
 * Uses after free, in real oopses. A hundred objects of kmalloc's caches and of one of the
 * module's own are allocated by three functions and freed by five, in three rounds, in an order of
 * chance. The parameter "plant" does that; "strike" starts threads that die of a NULL pointer with
 * ten of the dangling addresses, each within its object, in registers. One more follows a pointer
 * that it reads from a freed, poisoned object.
 *
 * The truth: /sys/kernel/debug/lt_uaf, a line for each address with
 * the function that freed it last.
 *
 * For x86-64. The threads die in this module's code, so it cannot be unloaded.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#define N_OBJECTS	100
#define N_ROUNDS	3
#define N_REGISTERS	10	/* of each oops */

static const unsigned int sizes[] = { 24, 64, 90, 192, 400, 1024, 2000, 0 /* the own cache */ };

struct planted {
	void *object;
	unsigned int size;	/* 0: of the own cache */
	unsigned long address;	/* somewhere in it */
	const char *freed_by;
};

static struct planted planted[N_OBJECTS];
static struct planted poisoned;
static struct kmem_cache *own, *poison;
static struct dentry *file;
static u32 chance = 2463534242;

static u32 random(u32 n)
{
	chance ^= chance << 13;
	chance ^= chance >> 17;
	chance ^= chance << 5;
	return chance % n;
}

#define MAKER(name)								\
static noinline void *lt_uaf_make_##name(unsigned int size)			\
{										\
	void *p = size ? kmalloc(size, GFP_KERNEL) : kmem_cache_alloc(own, GFP_KERNEL);	\
										\
	barrier_data(p);	/* no tail call: this function is the caller */	\
	return p;								\
}

MAKER(early)
MAKER(often)
MAKER(late)

#define DROPPER(name)								\
static noinline void lt_uaf_drop_##name(struct planted *p)			\
{										\
	p->freed_by = __func__;							\
	if (p->size)								\
		kfree(p->object);						\
	else									\
		kmem_cache_free(own, p->object);				\
	barrier();								\
}

DROPPER(here)
DROPPER(there)
DROPPER(twice)
DROPPER(slowly)

static noinline void lt_uaf_drop_bulk(struct planted *p)
{
	p->freed_by = __func__;
	if (p->size)
		kfree_bulk(1, &p->object);
	else
		kmem_cache_free_bulk(own, 1, &p->object);
	barrier();
}

static void (*const droppers[])(struct planted *) = {
	lt_uaf_drop_here, lt_uaf_drop_there, lt_uaf_drop_twice, lt_uaf_drop_slowly,
	lt_uaf_drop_bulk,
};

static void *(*const makers[])(unsigned int) = {
	lt_uaf_make_early, lt_uaf_make_often, lt_uaf_make_late,
};

static int plant_round(void)
{
	unsigned int i, left;

	for (i = 0; i < N_OBJECTS; i++) {
		planted[i].size = sizes[random(ARRAY_SIZE(sizes))];
		planted[i].object = makers[random(ARRAY_SIZE(makers))](planted[i].size);
		planted[i].freed_by = NULL;
		if (!planted[i].object)
			return -ENOMEM;
		planted[i].address = (unsigned long)planted[i].object +
				     random(planted[i].size ? planted[i].size : 333);
	}
	for (left = N_OBJECTS; left; left--) {
		unsigned int k = random(left);

		for (i = 0; i < N_OBJECTS; i++) {
			if (!planted[i].freed_by && !k--)
				break;
		}
		droppers[random(ARRAY_SIZE(droppers))](&planted[i]);
	}
	return 0;
}

static int plant(const char *value, const struct kernel_param *unused)
{
	unsigned int i;
	int err;

	for (i = 0; i < N_ROUNDS; i++) {
		err = plant_round();
		if (err)
			return err;
	}
	poisoned.object = kmem_cache_alloc(poison, GFP_KERNEL);
	if (!poisoned.object)
		return -ENOMEM;
	poisoned.freed_by = "lt_uaf_drop_poisoned";
	return 0;
}

static noinline void lt_uaf_drop_poisoned(void)
{
	kmem_cache_free(poison, poisoned.object);
	barrier();
}

/* Dies with the addresses in ten registers. */
static noinline int lt_uaf_strike(void *arg)
{
	unsigned long *a = arg;

	asm volatile("movq 0(%%rax), %%rbx\n\tmovq 8(%%rax), %%rcx\n\tmovq 16(%%rax), %%rdx\n\t"
		     "movq 24(%%rax), %%rsi\n\tmovq 32(%%rax), %%r8\n\tmovq 40(%%rax), %%r9\n\t"
		     "movq 48(%%rax), %%r10\n\tmovq 56(%%rax), %%r11\n\tmovq 64(%%rax), %%r12\n\t"
		     "movq 72(%%rax), %%r13\n\txorl %%eax, %%eax\n\tmovq 8(%%rax), %%rax\n\t"
		     : "+a" (a) :
		     : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13",
		       "memory");
	return 0;
}

/* Follows the pointer in an object that is freed. */
static noinline int lt_uaf_strike_poisoned(void *arg)
{
	void ***p = arg;

	lt_uaf_drop_poisoned();
	/* The free pointer is behind the poison, or in the middle. */
	return (long)READ_ONCE(**p) & 1;
}

static int strike(const char *value, const struct kernel_param *unused)
{
	static unsigned long addresses[N_OBJECTS];
	unsigned int i;

	for (i = 0; i < N_OBJECTS; i++)
		addresses[i] = planted[i].address;
	for (i = 0; i < N_OBJECTS; i += N_REGISTERS) {
		kthread_run(lt_uaf_strike, &addresses[i], "lt_uaf/%u", i / N_REGISTERS);
		msleep(200);
	}
	kthread_run(lt_uaf_strike_poisoned, poisoned.object, "lt_uaf/p");
	msleep(200);
	return 0;
}

static const struct kernel_param_ops plant_ops = { .set = plant };
static const struct kernel_param_ops strike_ops = { .set = strike };
module_param_cb(plant, &plant_ops, NULL, 0200);
module_param_cb(strike, &strike_ops, NULL, 0200);

static int truth_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	for (i = 0; i < N_OBJECTS; i++)
		seq_printf(m, "%lx %s\n", planted[i].address, planted[i].freed_by);
	seq_printf(m, "%lx %s\n", (unsigned long)poisoned.object, poisoned.freed_by);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth);

static int __init lt_uaf_init(void)
{
	own = kmem_cache_create("lt_uaf", 333, 0, SLAB_NOLEAKTRACE, NULL);
	poison = kmem_cache_create("lt_uaf_poison", 128, 0, SLAB_POISON, NULL);
	if (!own || !poison) {
		kmem_cache_destroy(own);
		kmem_cache_destroy(poison);
		return -ENOMEM;
	}
	file = debugfs_create_file("lt_uaf", 0400, NULL, NULL, &truth_fops);
	return 0;
}
module_init(lt_uaf_init);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Uses after free, for tests");
