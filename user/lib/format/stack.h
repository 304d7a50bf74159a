/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The stacks of a trace: each different one has a number, one for all packets.
 */
#ifndef LT_FORMAT_STACK_H
#define LT_FORMAT_STACK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

/* Frames of a stack at the most; more of a record are not taken. */
#define LT_STACK_MAX	255

/**
 * struct lt_stack - a stack
 * @frames: @n return addresses, absolute, the innermost first: the allocator's caller
 * @flags: enum lt_stack_flag
 */
struct lt_stack {
	const uint64_t *frames;
	unsigned int n;
	unsigned int flags;
};

struct lt_stack_block;

#define LT_STACK_SEGMENT_SHIFT	6
#define LT_STACK_SEGMENT	(1U << LT_STACK_SEGMENT_SHIFT)	/* numbers in the first segment */
#define LT_STACK_SEGMENTS	(33 - LT_STACK_SEGMENT_SHIFT)	/* of all 32-bit numbers */

/**
 * struct lt_stacks - different stacks
 * @blocks: of each stack its length and flags, and its frames
 * @at: by segments of numbers: where a stack begins in @blocks
 * @n: how many there are
 * @by_hash: the numbers
 *
 * There are never more than the records of the packets that were read announce.
 *
 * Stacks never move. So one thread may read the stacks that it knows the numbers of
 * (lt_stacks_get(), lt_stacks_n()) while another one adds more: what is written then belongs to
 * other stacks, but for @n, and @blocks and @by_hash, which only the thread that adds uses.
 */
struct lt_stacks {
	struct lt_stack_block *blocks;
	const uint64_t **at[LT_STACK_SEGMENTS];
	_Atomic size_t n;
	struct lt_map by_hash;
	uint64_t seed;
};

void lt_stacks_init(struct lt_stacks *s);
void lt_stacks_destroy(struct lt_stacks *s);

/* The number of a stack, from 1 on: a new one if it is new. 0: it has no frame. */
uint32_t lt_stacks_number(struct lt_stacks *s, const struct lt_stack *stack);

/* How many there are: the greatest number. All of them can be read. */
static inline size_t lt_stacks_n(const struct lt_stacks *s)
{
	return atomic_load_explicit(&s->n, memory_order_acquire);
}

/*
 * The stack with that number, without frames if there is none. Its frames are valid until
 * lt_stacks_destroy().
 */
struct lt_stack lt_stacks_get(const struct lt_stacks *s, uint32_t number);

#endif /* LT_FORMAT_STACK_H */
