// SPDX-License-Identifier: GPL-2.0
/*
 * The table of slots: one of 16 bytes for each thread number, in leaves of 64 that are made
 * when a thread of theirs first calls. It has at most 16 bytes for each number that there can
 * be, which no program can make more; a leaf is charged to the cgroup of the thread for which
 * it is made. And what the CPUs counted.
 */
#include <linux/bitmap.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "syscall/internal.h"

#define N_LEAVES	DIV_ROUND_UP((size_t)PID_MAX_LIMIT, LT_LEAF_SLOTS)

struct lt_channel lt_channel_syscall __read_mostly;

DEFINE_PER_CPU(struct lt_syscall_counts, lt_syscall_counts);

struct lt_slot **lt_leaves __read_mostly;

/* A bit for each leaf: there was no memory for it when a call began. */
unsigned long *lt_unslotted __read_mostly;

/**
 * lt_slots_open() - make an empty table
 *
 * Context: process, sleeps; no probe is attached.
 * Return: 0 or -ENOMEM.
 */
int lt_slots_open(void)
{
	BUILD_BUG_ON(sizeof(struct lt_slot) != 16);
	lt_unslotted = bitmap_zalloc(N_LEAVES, GFP_KERNEL);
	if (!lt_unslotted)
		return -ENOMEM;
	lt_leaves = vzalloc(array_size(N_LEAVES, sizeof(*lt_leaves)));
	if (!lt_leaves) {
		bitmap_free(lt_unslotted);
		return -ENOMEM;
	}
	return 0;
}

/* Context: process, sleeps; no probe is attached, and none runs. */
void lt_slots_close(void)
{
	size_t i;

	if (!lt_leaves)
		return;
	for (i = 0; i < N_LEAVES; i++)
		kfree(lt_leaves[i]);
	bitmap_free(lt_unslotted);
	vfree(lt_leaves);
	lt_leaves = NULL;
}

/**
 * lt_slot_make() - the place of a thread, which is made if there is none
 * @tid: its number in the initial pid namespace
 *
 * Context: a probe on a system call: process, perhaps with preemption off; the session is
 * open. The allocation may itself be an event of the channel kmem, which is why this is not
 * called between lt_enter() and lt_leave().
 * Return: NULL: no memory.
 */
struct lt_slot *lt_slot_make(pid_t tid)
{
	struct lt_slot **at = &lt_leaves[(u32)tid >> LT_LEAF_BITS];
	struct lt_slot *leaf;

	if (!READ_ONCE(*at)) {
		leaf = kcalloc(LT_LEAF_SLOTS, sizeof(*leaf),
			       GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);
		if (!leaf)
			return NULL;
		/* A thread that reads the pointer reads the zeros. */
		if (cmpxchg_release(at, NULL, leaf))
			kfree(leaf);	/* another thread was faster */
	}
	return lt_slot_find(tid);
}

static u64 glance(const u64 *counter)
{
	/* Its CPU may count meanwhile: the value of some moment is enough. */
	return data_race(READ_ONCE(*counter));
}

/* The channel's lines in the file "stats". */
void lt_syscall_show_stats(struct seq_file *m)
{
	struct lt_syscall_counts sum = { 0 };
	u64 filtered = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct lt_syscall_counts *c = per_cpu_ptr(&lt_syscall_counts, cpu);

		sum.entered += glance(&c->entered);
		sum.unentered += glance(&c->unentered);
		sum.unslotted += glance(&c->unslotted);
		sum.lost_slot += glance(&c->lost_slot);
		sum.late += glance(&c->late);
		filtered += glance(per_cpu_ptr(lt_channel_syscall.cpu, cpu)->filtered +
				   LT_CLASS_INDEX(LT_CLASS_SYS));
	}
	seq_printf(m, "syscalls entered %llu unentered %llu unslotted %llu lost_slot %llu dropped %llu\n",
		   sum.entered, sum.unentered, sum.unslotted, sum.lost_slot,
		   filtered - sum.late);
}
