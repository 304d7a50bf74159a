// SPDX-License-Identifier: GPL-2.0
/*
 * Interning of 64-bit values.
 */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "hash.h"
#include "intern.h"

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
static size_t find_slot(const struct lt_intern *in, uint64_t value)
{
	size_t mask = in->n_slots - 1;
	size_t i = lt_hash64(value, in->seed) & mask;

	while (in->slots[i] && in->values[in->slots[i]] != value)
		i = (i + 1) & mask;
	return i;
}

static void grow_slots(struct lt_intern *in)
{
	free(in->slots);
	in->n_slots *= 2;
	in->slots = lt_alloc_array(in->n_slots, sizeof(*in->slots));
	for (uint32_t id = 1; id < in->n; id++)
		in->slots[find_slot(in, in->values[id])] = id;
}

uint32_t lt_intern(struct lt_intern *in, uint64_t value)
{
	size_t i;

	if (in->values[in->last] == value)
		return in->last;
	if (!value)
		return 0;
	i = find_slot(in, value);
	if (!in->slots[i]) {
		if (in->n == UINT32_MAX)
			lt_die("more than %u different values", UINT32_MAX);
		in->values = lt_grow(in->values, &in->cap, in->n, sizeof(*in->values));
		in->values[in->n] = value;
		in->slots[i] = in->n++;
		in->last = in->slots[i];
		if ((size_t)in->n * 2 > in->n_slots)
			grow_slots(in);
		return in->last;
	}
	in->last = in->slots[i];
	return in->last;
}
