// SPDX-License-Identifier: GPL-2.0
/*
 * What the arguments of a thread's call pointed to when it began, until it returns: then it is
 * written with the call, and what could not be read before.
 *
 * One object for each thread that has made such a call, found by its number, and as large as
 * its largest call needed; it is charged to the thread's cgroup, and freed when the thread ends.
 * Only the thread itself uses it while probes are attached, from process context, so no lock is
 * needed.
 */
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include <asm/syscall.h>

#include "syscall/compat.h"
#include "syscall/internal.h"

#define N_LEAVES	DIV_ROUND_UP((size_t)PID_MAX_LIMIT, LT_LEAF_SLOTS)
#define LEAST		128	/* bytes of an object; a power of 2 */
#define GFP_KEPT	(GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT)

/* LT_LEAF_SLOTS pointers each. */
static struct lt_kept ***leaves __read_mostly;

/**
 * lt_kept_open() - make an empty table, if the session records what arguments point to
 *
 * Context: process, sleeps; no probe is attached.
 * Return: 0 or -ENOMEM.
 */
int lt_kept_open(void)
{
	if (!lt_texts_on)
		return 0;
	leaves = vzalloc(array_size(N_LEAVES, sizeof(*leaves)));
	return leaves ? 0 : -ENOMEM;
}

/* Context: process, sleeps; no probe is attached, and none runs. */
void lt_kept_close(void)
{
	unsigned int k;
	size_t i;

	if (!leaves)
		return;
	for (i = 0; i < N_LEAVES; i++) {
		for (k = 0; leaves[i] && k < LT_LEAF_SLOTS; k++)
			kfree(leaves[i][k]);
		kfree(leaves[i]);
	}
	vfree(leaves);
	leaves = NULL;
}

/* Return: where the pointer of the running thread stands; NULL: nowhere yet. */
static struct lt_kept **find(const struct task_struct *task)
{
	/* Pairs with the release in make(): the pointers are cleared before. */
	struct lt_kept **leaf = READ_ONCE(leaves[(u32)task->pid >> LT_LEAF_BITS]);

	return leaf ? leaf + ((u32)task->pid & (LT_LEAF_SLOTS - 1)) : NULL;
}

static struct lt_kept **make(const struct task_struct *task)
{
	struct lt_kept ***at = &leaves[(u32)task->pid >> LT_LEAF_BITS], **leaf;

	if (!READ_ONCE(*at)) {
		leaf = kcalloc(LT_LEAF_SLOTS, sizeof(*leaf), GFP_KEPT);
		if (!leaf)
			return NULL;
		if (cmpxchg_release(at, NULL, leaf))
			kfree(leaf);	/* another thread was faster */
	}
	return find(task);
}

/* Without memory nothing is kept. */
static void put(struct task_struct *task, const struct lt_syscall *call,
		const struct lt_texts *texts)
{
	struct lt_kept **at = make(task), *k;
	size_t size = sizeof(*k) + texts->size;

	if (!at)
		return;
	k = *at;
	if (!k || k->room < size) {
		kfree(k);
		size = max_t(size_t, roundup_pow_of_two(size), LEAST);
		k = kmalloc(size, GFP_KEPT);
		*at = k;
		if (!k)
			return;
		k->room = size;
	}
	k->start = task->start_boottime;
	k->nr = call->nr;
	k->compat = call->flags & LT_SYS_COMPAT;
	k->open = true;
	k->size = texts->size;
	memcpy(k->bytes, texts->bytes, texts->size);
}

/**
 * lt_kept_begin() - read, and keep, what the call that the running thread begins is given
 * @task: the running thread
 * @regs: of the call
 * @nr: its number
 *
 * Context: a probe on the begin of a call, not between lt_enter() and lt_leave(): the allocation
 * may itself be an event.
 */
void lt_kept_begin(struct task_struct *task, struct pt_regs *regs, long nr)
{
	struct lt_syscall call = { .nr = (s32)nr };
	struct lt_kept **at = find(task);
	struct lt_texts texts;

	/* Of a call whose end was not shown. */
	if (at && *at)
		(*at)->open = false;
	syscall_get_arguments(task, regs, call.args);
	if (lt_syscall_is_compat(task)) {
		call.flags = LT_SYS_COMPAT;
		lt_syscall_cut(call.args);
	}
	if (!lt_texts_given(&call))
		return;
	lt_texts_read(&texts, &call);
	put(task, &call, &texts);
}

/* What was kept for the call that the running thread ends; NULL: nothing. */
static const struct lt_kept *kept_of(const struct task_struct *task, const struct lt_syscall *call)
{
	struct lt_kept **at = find(task), *k = at ? *at : NULL;

	if (!k || !k->open || k->start != task->start_boottime || k->nr != call->nr ||
	    k->compat != !!(call->flags & LT_SYS_COMPAT))
		return NULL;
	k->open = false;
	return k;
}

/*
 * Is what is read now perhaps not what the call has read? One that the kernel skipped has read
 * nothing; of another one the begin was not seen, or there was no memory.
 */
static bool is_late(const struct lt_syscall *call)
{
	return (call->flags & (LT_SYS_SKIPPED | LT_SYS_BEFORE)) != LT_SYS_SKIPPED;
}

/**
 * lt_kept_write() - write a call that has returned, with what its arguments point to
 * @call: the call of the running thread; its flags are completed
 *
 * A program that was replaced has left nothing, and a new thread shows the registers of its
 * creator.
 *
 * Context: a probe on the end of a call.
 * Return: as lt_syscall_write().
 */
u64 lt_kept_write(struct lt_syscall *call)
{
	bool gone = call->flags & LT_SYS_FIRST || (call->flags & LT_SYS_BEGUN && call->result >= 0);
	bool compat = call->flags & LT_SYS_COMPAT;
	/* First: what is not used now must not be there for a call whose begin is not seen. */
	const struct lt_kept *kept = kept_of(current, call);
	struct lt_texts texts;

	if (gone || (lt_filter_used.active &&
		     !lt_syscall_result_is_chosen(call->nr, compat, call->result)))
		return lt_syscall_write(call);
	lt_texts_read_end(&texts, call, kept, is_late(call));
	return lt_syscall_write_texts(call, &texts);
}

/**
 * lt_kept_forget() - free what is kept of the running thread
 * @task: the running thread, which ends
 *
 * Context: process.
 */
void lt_kept_forget(const struct task_struct *task)
{
	struct lt_kept **at = find(task);

	if (!at)
		return;
	kfree(*at);
	*at = NULL;
}
