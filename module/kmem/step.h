/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steps: what the kernel's unwinder does at an address, kept so that it need not do it again.
 * Where LT_HAVE_ORC is 0 there are none.
 */
#ifndef LT_STEP_H
#define LT_STEP_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/string.h>

#include "kmem/compat.h"

#if LT_HAVE_ORC

/* Steps that a CPU keeps; a workload has some hundred. */
#define LT_STEP_SETS_BITS	10
#define LT_STEP_WAYS		4

/**
 * enum lt_how - from where it is how far to the next return address
 * @LT_STEP_NONE: not known
 * @LT_STEP_SP: from the place of this one
 * @LT_STEP_BP: a word above where the frame pointer points, which is where the caller's frame
 *	pointer is kept
 * @LT_STEP_STORED: from where the word behind this one points, in another stack
 * @LT_STEP_ALIGNED: it is below where the word points that is so far from where the frame
 *	pointer points, which is where the caller's frame pointer is kept
 * @LT_STEP_REGS: there is none. Registers are so far from the place of this one: those of user
 *	space, where the stack ends, or of what was interrupted
 * @LT_STEP_END: there is none
 */
enum lt_how {
	LT_STEP_NONE,
	LT_STEP_SP,
	LT_STEP_BP,
	LT_STEP_STORED,
	LT_STEP_ALIGNED,
	LT_STEP_REGS,
	LT_STEP_END,
};

/* Values of lt_step.saved beside those of places. */
#define LT_BP_KEPT	0
#define LT_BP_LOST	64

/**
 * struct lt_step - a step of the unwinder
 * @address: return address at which it is made; 0: the entry is free
 * @distance: in words
 * @how: enum lt_how
 * @saved: of LT_STEP_SP and LT_STEP_STORED: how many words below the next place the caller's
 *	frame pointer is kept; LT_BP_KEPT: it is the same one; LT_BP_LOST: not known
 * @entry: here an interrupt was entered, and stacks end
 * @tries: how often this was tried
 */
struct lt_step {
	unsigned long address;
	s16 distance;
	u8 how;
	u8 saved;
	bool entry;
	u8 tries;
};

/**
 * struct lt_steps - those that a CPU has learned
 * @generation: of the code that they are of
 * @turn: counts those that took an entry in use
 * @sets: those of the same hash of their address
 */
struct lt_steps {
	unsigned int generation;
	unsigned int turn;
	struct lt_step sets[BIT(LT_STEP_SETS_BITS)][LT_STEP_WAYS];
};

static __always_inline struct lt_step *lt_step_set(struct lt_steps *steps, unsigned long address)
{
	return steps->sets[((u32)address * 0x9e3779b1U) >> (32 - LT_STEP_SETS_BITS)];
}

static __always_inline struct lt_step *lt_find_step(struct lt_steps *steps, unsigned long address)
{
	struct lt_step *set = lt_step_set(steps, address);
	unsigned int i;

	for (i = 0; i < LT_STEP_WAYS; i++)
		if (set[i].address == address)
			return &set[i];
	return NULL;
}

extern atomic_t lt_step_generation;

/* Forget all. Context: of a probe, with interrupts off. */
static inline void lt_steps_forget(struct lt_steps *steps)
{
	steps->generation = atomic_read(&lt_step_generation);
	memset(steps->sets, 0, sizeof(steps->sets));
}

/* Forget all if modules came or went. Context: as lt_steps_forget(). */
static __always_inline void lt_steps_check(struct lt_steps *steps)
{
	if (unlikely(steps->generation != atomic_read(&lt_step_generation)))
		lt_steps_forget(steps);
}

int lt_steps_open(void);
void lt_steps_close(void);
void lt_step_learn(struct lt_steps *steps, unsigned long address, struct unwind_state *state);

#else

static inline int lt_steps_open(void)
{
	return 0;
}

static inline void lt_steps_close(void)
{
}

#endif /* LT_HAVE_ORC */

#endif /* LT_STEP_H */
