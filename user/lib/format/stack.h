/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The stacks of a trace: each different one has a number, one for all packets.
 */
#ifndef LT_FORMAT_STACK_H
#define LT_FORMAT_STACK_H

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

/**
 * struct lt_stacks - different stacks
 * @words: of each stack its length and flags, and its frames
 * @at: by number minus 1: the begin of the stack in @words
 * @by_hash: the numbers
 *
 * There are never more than the records of the packets that were read announce.
 */
struct lt_stacks {
	uint64_t *words;
	size_t n_words;
	size_t cap_words;
	size_t *at;
	size_t n;
	size_t cap;
	struct lt_map by_hash;
	uint64_t seed;
};

void lt_stacks_init(struct lt_stacks *s);
void lt_stacks_destroy(struct lt_stacks *s);

/* The number of a stack, from 1 on: a new one if it is new. 0: it has no frame. */
uint32_t lt_stacks_number(struct lt_stacks *s, const struct lt_stack *stack);

/*
 * The stack with that number; its frames are valid until the next lt_stacks_number().
 * Without frames if there is none.
 */
struct lt_stack lt_stacks_get(const struct lt_stacks *s, uint32_t number);

#endif /* LT_FORMAT_STACK_H */
