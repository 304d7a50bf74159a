// SPDX-License-Identifier: GPL-2.0
/*
 * One fault for each analyser that looks at modules. Each has to be reported.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

u32 planted_order(__le32 value);
int planted_space(const int __user *p);
void planted_lock(bool now);
int planted_set(int value);
int planted_leak(size_t size);
void planted_stack(void);

static DEFINE_SPINLOCK(lock);

struct pair {
	int a;
	int b;
};

/* sparse: byte order */
u32 planted_order(__le32 value)
{
	return value;
}

/* sparse: address space */
int planted_space(const int __user *p)
{
	const int *q = p;

	return *q;
}

/* sparse: a lock that one way out leaves taken */
void planted_lock(bool now)
{
	spin_lock(&lock);
	if (now)
		return;
	spin_unlock(&lock);
}

/**
 * planted_set() - W=1: unused; W=2: half initialised; kernel-doc: a parameter
 */
int planted_set(int value)
{
	struct pair pair = { 1 };
	int unused;

	unused = value;
	/* clang, checkpatch */
	value = value;
	return pair.b;
}

/* coccinelle: what is allocated is not given back */
int planted_leak(size_t size)
{
	char *p = kmalloc(size, GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	memset(p, 0, size);
	kfree(p);
	return *p;
}

/* objtool: the stack is not as it was */
void planted_stack(void)
{
	asm volatile("push %%rax" : : : "memory");
}

MODULE_DESCRIPTION("Faults that analysers have to report");
MODULE_LICENSE("GPL");
