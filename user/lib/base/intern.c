// SPDX-License-Identifier: GPL-2.0
/*
 * Interning of 64-bit values.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/hash.h"
#include "base/intern.h"

#define SLOTS_AT_FIRST	256

void lt_intern_init(struct lt_intern *in)
{
	memset(in, 0, sizeof(*in));
	in->seed = lt_hash_seed();
	in->n_slots = SLOTS_AT_FIRST;
	in->slots = lt_alloc_array(in->n_slots, sizeof(*in->slots));
	in->values = lt_grow(NULL, &in->cap, 0, sizeof(*in->values));
	in->values[0] = 0;
	in->n = 1;
}

void lt_intern_destroy(struct lt_intern *in)
{
	free(in->slots);
	free(in->values);
	memset(in, 0, sizeof(*in));
}

/* The slot of a value, or the free one where it belongs. */
static struct lt_intern_slot *find_slot(const struct lt_intern *in, uint64_t value)
{
	size_t mask = in->n_slots - 1;
	size_t i = lt_hash64(value, in->seed) & mask;

	while (in->slots[i].number && in->slots[i].value != value)
		i = (i + 1) & mask;
	return &in->slots[i];
}

static void grow_slots(struct lt_intern *in)
{
	free(in->slots);
	in->n_slots *= 2;
	in->slots = lt_alloc_array(in->n_slots, sizeof(*in->slots));
	for (uint32_t number = 1; number < in->n; number++)
		*find_slot(in, in->values[number]) =
			(struct lt_intern_slot){ in->values[number], number };
}

uint32_t lt_intern_slow(struct lt_intern *in, uint64_t value)
{
	struct lt_intern_slot *slot;

	if (!value)
		return 0;
	slot = find_slot(in, value);
	if (slot->number)
		return slot->number;
	if (in->n == UINT32_MAX)
		lt_fatal("more than %u different values", UINT32_MAX);
	in->values = lt_grow(in->values, &in->cap, in->n, sizeof(*in->values));
	in->values[in->n] = value;
	*slot = (struct lt_intern_slot){ value, in->n++ };
	if ((size_t)in->n * 2 > in->n_slots)
		grow_slots(in);
	return in->n - 1;
}
