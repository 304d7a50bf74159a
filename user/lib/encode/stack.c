// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Stacks, announced once in a packet.
 */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "encode/internal.h"

static uint64_t hash_of(const struct lt_encode_stack *s)
{
	uint64_t hash = s->n | (uint64_t)s->flags << 8;

	for (unsigned int i = 0; i < s->n; i++)
		hash = (hash ^ s->frames[i]) * 0x9e3779b97f4a7c15ULL;
	return lt_hash64(hash, 0);
}

static void announce(struct lt_encoder *e, uint64_t time, unsigned int context,
		     const struct lt_encode_seen_stack *s)
{
	struct lt_rec_STACK_WIDE wide = {
		.stack = s->number, .n_frames = s->n, .flags = s->flags,
	};
	/* All forms begin as this one does. */
	struct lt_rec_STACK_32 rec = {
		.stack = s->number, .n_frames = s->n, .flags = s->flags,
	};
	bool narrow = true;

	for (unsigned int i = 0; i < s->n; i++) {
		narrow &= lt_encode_narrow_code(e, s->frames[i]);
		wide.frames[i] = s->frames[i];
		rec.frames[i] = lt_encode_code(e, s->frames[i]);
	}
	if (!narrow)
		lt_encode_put(e, time, context, LT_EV_STACK_WIDE, &wide);
	else
		lt_encode_put(e, time, context, s->n <= 8 ? LT_EV_STACK :
			      s->n <= 16 ? LT_EV_STACK_16 : LT_EV_STACK_32, &rec);
}

uint16_t lt_encode_stack(struct lt_encoder *e, uint64_t time, unsigned int context,
			 const struct lt_encode_stack *stack)
{
	struct lt_encode_stack s = *stack;
	struct lt_encode_seen_stack *at;
	uint64_t hash;

	if (s.n > LT_STACK_FRAMES) {
		s.n = LT_STACK_FRAMES;
		s.flags |= LT_STACK_CUT;
	}
	if (!e->stacks)
		e->stacks = lt_alloc(sizeof(*e->stacks));
	hash = hash_of(&s);
	at = &e->stacks->table[hash >> (64 - LT_ENCODE_STACKS_BITS)];
	if (at->stamp == e->stamp && at->hash == hash && at->n == s.n && at->flags == s.flags &&
	    !memcmp(at->frames, s.frames, s.n * sizeof(*s.frames)))
		return at->number;
	/* Another stack in this place is announced again where it comes again. */
	e->n_stacks++;
	*at = (struct lt_encode_seen_stack){
		.hash = hash, .stamp = e->stamp, .number = (uint16_t)e->n_stacks,
		.n = (uint8_t)s.n, .flags = (uint8_t)s.flags,
	};
	memcpy(at->frames, s.frames, s.n * sizeof(*s.frames));
	announce(e, time, context, at);
	return at->number;
}
