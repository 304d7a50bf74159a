// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The stacks of a trace.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "format/stack.h"

#define BLOCK_WORDS	4096

/**
 * struct lt_stack_block - room for stacks
 * @n: length of @words, of which others than the thread that adds know nothing
 */
struct lt_stack_block {
	struct lt_stack_block *next;
	size_t n;
	uint64_t words[BLOCK_WORDS];
};

_Static_assert(BLOCK_WORDS > LT_STACK_MAX, "a block has room for a stack");

void lt_stacks_init(struct lt_stacks *s)
{
	*s = (struct lt_stacks){ .seed = lt_hash_seed() };
	lt_map_init(&s->by_hash);
}

void lt_stacks_destroy(struct lt_stacks *s)
{
	while (s->blocks) {
		struct lt_stack_block *next = s->blocks->next;

		free(s->blocks);
		s->blocks = next;
	}
	for (unsigned int i = 0; i < LT_STACK_SEGMENTS; i++)
		free(s->at[i]);
	lt_map_destroy(&s->by_hash);
	*s = (struct lt_stacks){ 0 };
}

/*
 * The segment of a number, which is not 0, and its index there. Each is twice as long as the one
 * before.
 */
static inline unsigned int segment_of(uint32_t number, size_t *index)
{
	const uint64_t place = (uint64_t)number - 1 + LT_STACK_SEGMENT;
	const unsigned int log = 63 - (unsigned int)__builtin_clzll(place);

	*index = (size_t)(place - (1ULL << log));
	return log - LT_STACK_SEGMENT_SHIFT;
}

static uint64_t head_of(const struct lt_stack *stack)
{
	return (uint64_t)stack->flags << 32 | stack->n;
}

/* Packets announce stacks again and again: a step of lt_mix64() for each frame. */
static uint32_t hash_of(const struct lt_stacks *s, const struct lt_stack *stack)
{
	const uint64_t odd = s->seed | 1;
	uint64_t h = head_of(stack) * odd;

	for (unsigned int i = 0; i < stack->n; i++)
		h = (h ^ h >> 32 ^ stack->frames[i]) * odd;
	return (uint32_t)(lt_mix64(h ^ h >> 32, s->seed) >> 32);
}

static const uint64_t *words_of(const struct lt_stacks *s, uint32_t number)
{
	size_t index;
	const unsigned int segment = segment_of(number, &index);

	return s->at[segment][index];
}

static bool is_at(const struct lt_stacks *s, uint32_t number, const struct lt_stack *stack)
{
	const uint64_t *w = words_of(s, number);

	return w[0] == head_of(stack) && !memcmp(w + 1, stack->frames, stack->n * sizeof(*w));
}

static uint64_t *room_for(struct lt_stacks *s, size_t n)
{
	struct lt_stack_block *b = s->blocks;

	if (!b || BLOCK_WORDS - b->n < n) {
		b = lt_alloc(sizeof(*b));
		b->next = s->blocks;
		s->blocks = b;
	}
	b->n += n;
	return &b->words[b->n - n];
}

/*
 * All that a reader of the stack uses is written before its number is given out: its words, where
 * they are, and last, with release semantics, how many stacks there are.
 */
static uint32_t add(struct lt_stacks *s, const struct lt_stack *stack)
{
	const uint32_t number = (uint32_t)atomic_load_explicit(&s->n, memory_order_relaxed) + 1;
	uint64_t *words = room_for(s, stack->n + 1);
	size_t index;
	const unsigned int segment = segment_of(number, &index);

	words[0] = head_of(stack);
	memcpy(words + 1, stack->frames, stack->n * sizeof(*words));
	if (!index)
		s->at[segment] = lt_alloc_array((size_t)LT_STACK_SEGMENT << segment,
						sizeof(*s->at[segment]));
	s->at[segment][index] = words;
	atomic_store_explicit(&s->n, number, memory_order_release);
	return number;
}

uint32_t lt_stacks_number(struct lt_stacks *s, const struct lt_stack *stack)
{
	uint32_t hash = hash_of(s, stack), number;

	if (!stack->n)
		return 0;
	lt_map_for_each(number, at, &s->by_hash, hash) {
		if (is_at(s, number, stack))
			return number;
	}
	number = add(s, stack);
	lt_map_add(&s->by_hash, hash, number);
	return number;
}

struct lt_stack lt_stacks_get(const struct lt_stacks *s, uint32_t number)
{
	const uint64_t *w;

	if (!number || number > lt_stacks_n(s))
		return (struct lt_stack){ 0 };
	w = words_of(s, number);
	return (struct lt_stack){ w + 1, (uint32_t)w[0], (unsigned int)(w[0] >> 32) };
}
