// SPDX-License-Identifier: GPL-2.0
/*
 * The callers of krealloc().
 *
 * While a kretprobe is attached to krealloc(), what that passes to the allocator as its caller,
 * for the object that it moves to, is not the caller: it reads its own return address, in
 * whose place is that of the kretprobes' trampoline. So the callers of the calls under way are
 * kept here, and put in where an event has the trampoline.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/sched.h>

#include "kmem/caller.h"
#include "kmem/compat.h"

/* More than there are instances of the kretprobe, so that a search is short. */
#define CALLS_BITS	10
#define CALLS		BIT(CALLS_BITS)
#define MAX_STEPS	16

/**
 * struct lt_call - a call of krealloc() that is under way
 * @key: key_of_this(); 0: the entry is free. Only who took the entry frees it
 * @caller: of that call; read and written by that task in that context only
 */
struct lt_call {
	unsigned long key;
	unsigned long caller;
};

static struct lt_call calls[CALLS];

/* The return address of what has a kretprobe; no address as long as it is not known. */
static unsigned long trampoline __read_mostly = -1UL;

/*
 * A context of a task has one call at most: an interrupt's are over before what it
 * interrupted goes on. The low bits of the address are 0.
 */
static unsigned long key_of_this(void)
{
	BUILD_BUG_ON(__alignof__(struct task_struct) < 4);
	return (unsigned long)current | (in_nmi() ? 3 : in_hardirq() ? 2 :
					 in_serving_softirq() ? 1 : 0);
}

static struct lt_call *entry_of(unsigned long key, unsigned int step)
{
	return &calls[(hash_long(key, CALLS_BITS) + step) & (CALLS - 1)];
}

/**
 * lt_call_begin() - note a call of krealloc()
 * @caller: its caller
 *
 * Context: any; of the call, before it allocates.
 * Return: for lt_call_end(); NULL: too many calls are under way.
 */
struct lt_call *lt_call_begin(unsigned long caller)
{
	unsigned long key = key_of_this();
	unsigned int i;

	for (i = 0; i < MAX_STEPS; i++) {
		struct lt_call *c = entry_of(key, i);

		if (READ_ONCE(c->key) || cmpxchg(&c->key, 0, key))
			continue;
		c->caller = caller;
		return c;
	}
	return NULL;
}

NOKPROBE_SYMBOL(lt_call_begin);

/* The call ends. @c: of lt_call_begin(). Context: that of the call. */
void lt_call_end(struct lt_call *c)
{
	if (c)
		smp_store_release(&c->key, 0);	/* the caller was read before */
}

NOKPROBE_SYMBOL(lt_call_end);

/**
 * lt_real_caller() - the caller of an allocation
 * @call_site: the caller that its event has
 *
 * Context: any; that of the event.
 * Return: the caller of krealloc() where the event has the trampoline of its kretprobe.
 *	The trampoline itself where another one's kretprobe is there, or too many calls are
 *	under way.
 */
unsigned long lt_real_caller(unsigned long call_site)
{
	unsigned int i;

	if (likely(call_site != trampoline))
		return call_site;
	for (i = 0; i < MAX_STEPS; i++) {
		unsigned long key = key_of_this();
		const struct lt_call *c = entry_of(key, i);

		if (READ_ONCE(c->key) == key)
			return c->caller;
	}
	return call_site;
}

/**
 * lt_restore_caller() - put the caller of krealloc() into a stack that has the trampoline
 * @frames: return addresses, the innermost first
 * @n: how many
 *
 * Kernels before 5.16 unwind no further than that, or over it.
 *
 * Context: that of the event.
 */
void lt_restore_caller(unsigned long *frames, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (frames[i] == trampoline) {
			frames[i] = lt_real_caller(trampoline);
			return;
		}
}

/* ------------------------------------------------------------------------
 * The trampoline, whose address modules cannot know: what a function with a kretprobe
 * returns to.
 */

/*
 * notrace: a kprobe on it is a breakpoint, not a user of ftrace. As the only user, for a
 * moment, it would run the kernel's test of ftrace's records (ftrace_shutdown()), which
 * switches ftrace off for good if probes were detached while kernel.ftrace_enabled was 0.
 */
static noinline __noclone notrace unsigned long returns_to(void)
{
	return _RET_IP_;
}

/* Always from the same place, and not by a jump, which would have another return address. */
static noinline __noclone unsigned long ask(void)
{
	unsigned long address = returns_to();

	barrier();
	return address;
}

/**
 * lt_callers_prepare() - find the trampoline, once
 *
 * Where it is not found, what krealloc() allocates has the trampoline as its caller; where
 * there are no kretprobes it has its caller.
 *
 * Context: process, sleeps; no probe is attached.
 */
void lt_callers_prepare(void)
{
	struct kretprobe probe = {
		.kp.addr = (void *)returns_to,
		.maxactive = 1,
	};
	unsigned long address;

	/* What a call left that was under way when the probe was detached. */
	memset(calls, 0, sizeof(calls));
	if (trampoline != -1UL)
		return;
	if (register_kretprobe(&probe))
		return;
	address = ask();
	unregister_kretprobe(&probe);
	/* Otherwise it was not hit: kprobes are switched off. */
	if (address != ask())
		trampoline = address;
}
