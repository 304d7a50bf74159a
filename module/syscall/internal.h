/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the channel syscall share: the place of a thread.
 */
#ifndef LT_SYSCALL_INTERNAL_H
#define LT_SYSCALL_INTERNAL_H

#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/threads.h>

#include "core/write.h"
#include "syscall/syscall.h"

/* State of a slot. */
enum lt_slot_state {
	LT_SLOT_SEEN = 1,	/* the thread has had an event in this session */
	LT_SLOT_OPEN = 2,	/* it is inside of a call, whose begin was seen */
	LT_SLOT_WIDE = 4,	/* the number does not fit @nr */
	LT_SLOT_COMPAT = 8,	/* the call is of the ABI of 32 bits */
	LT_SLOT_BEGUN = 16,	/* sys_begin was written, or counted as lost */
};

/**
 * struct lt_slot - what is kept of a thread between the begin of a call and its end
 * @begin: of the open call; else the end of the last one. Clock units
 * @start: low bits of when the thread was started: they differ where another thread has got
 *	the number
 * @nr: number of the open call
 * @args: how many arguments the open call has
 * @state: enum lt_slot_state
 *
 * Only its own thread reads and writes it while probes are attached, from process context,
 * so no lock is needed. Number and ABI are kept since an execve changes them.
 */
struct lt_slot {
	u64 begin;
	u32 start;
	u16 nr;
	u8 args;
	u8 state;
};

#define LT_LEAF_BITS	6
#define LT_LEAF_SLOTS	BIT(LT_LEAF_BITS)

/**
 * struct lt_call_counts - what a CPU counted since the session began
 * @entered: calls whose begin was seen
 * @unentered: calls whose begin was not seen: see enum lt_sys_flag
 * @unslotted: calls whose begin was seen, and for which there was no memory
 * @lost_slot: calls of @entered of which the slot was lost: an exec moved it, no memory
 *
 *	entered + unentered = returned + did not return + lost_slot
 */
struct lt_call_counts {
	u64 entered;
	u64 unentered;
	u64 unslotted;
	u64 lost_slot;
};

DECLARE_PER_CPU(struct lt_call_counts, lt_call_counts);

/* Whether the session watches all calls. */
enum lt_calls_state {
	LT_CALLS_STARTING,	/* not all probes are attached */
	LT_CALLS_WATCHED,
	LT_CALLS_STOPPING,
};

extern struct lt_slot **lt_leaves;

/* slot.c */
int lt_slots_open(void);
void lt_slots_close(void);
struct lt_slot *lt_slot_make(pid_t tid);

/**
 * lt_slot_find() - the place of a thread
 * @tid: its number in the initial pid namespace
 *
 * Context: process; the session is open.
 * Return: NULL: there was no memory, or no event yet of any of its neighbours.
 */
static __always_inline struct lt_slot *lt_slot_find(pid_t tid)
{
	/* Pairs with the release in lt_slot_make(): the slots are cleared before. */
	struct lt_slot *leaf = READ_ONCE(lt_leaves[(u32)tid >> LT_LEAF_BITS]);

	return leaf ? leaf + ((u32)tid & (LT_LEAF_SLOTS - 1)) : NULL;
}

/* The slot is of that thread, not of an earlier one with its number. */
static __always_inline bool lt_slot_is_of(const struct lt_slot *s, const struct task_struct *t)
{
	return s->start == (u32)t->start_boottime;
}

/* open.c */
void lt_call_write_open(struct lt_slot *s, struct task_struct *task, enum lt_sys_why why);
void lt_calls_write_open(u64 since);

#endif /* LT_SYSCALL_INTERNAL_H */
