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

void lt_stacks_init(struct lt_stacks *s)
{
	*s = (struct lt_stacks){ .seed = lt_hash_seed() };
	lt_map_init(&s->by_hash);
}

void lt_stacks_destroy(struct lt_stacks *s)
{
	lt_map_destroy(&s->by_hash);
	free(s->words);
	free(s->at);
	*s = (struct lt_stacks){ 0 };
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

static bool is_at(const struct lt_stacks *s, uint32_t number, const struct lt_stack *stack)
{
	const uint64_t *w = s->words + s->at[number - 1];

	return w[0] == head_of(stack) && !memcmp(w + 1, stack->frames, stack->n * sizeof(*w));
}

static void append(struct lt_stacks *s, uint64_t word)
{
	s->words = lt_grow(s->words, &s->cap_words, s->n_words, sizeof(*s->words));
	s->words[s->n_words++] = word;
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
	s->at = lt_grow(s->at, &s->cap, s->n, sizeof(*s->at));
	s->at[s->n++] = s->n_words;
	append(s, head_of(stack));
	for (unsigned int i = 0; i < stack->n; i++)
		append(s, stack->frames[i]);
	lt_map_add(&s->by_hash, hash, (uint32_t)s->n);
	return (uint32_t)s->n;
}

struct lt_stack lt_stacks_get(const struct lt_stacks *s, uint32_t number)
{
	const uint64_t *w;

	if (!number || number > s->n)
		return (struct lt_stack){ 0 };
	w = s->words + s->at[number - 1];
	return (struct lt_stack){ w + 1, (uint32_t)w[0], (unsigned int)(w[0] >> 32) };
}
