// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Interning of 64-bit values.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/log.h"
#include "base/mem.h"

void lt_intern_init(struct lt_intern *in)
{
	memset(in, 0, sizeof(*in));
	lt_map_init(&in->numbers);
	in->seed = lt_hash_seed();
	in->values = lt_grow(NULL, &in->cap, 0, sizeof(*in->values));
	in->values[0] = 0;
	in->n = 1;
}

void lt_intern_destroy(struct lt_intern *in)
{
	lt_map_destroy(&in->numbers);
	free(in->values);
	memset(in, 0, sizeof(*in));
}

static inline uint32_t find(const struct lt_intern *in, uint64_t value, uint32_t hash)
{
	uint32_t number;

	lt_map_for_each(number, at, &in->numbers, hash) {
		if (in->values[number] == value)
			return number;
	}
	return 0;
}

uint32_t lt_intern_find(const struct lt_intern *in, uint64_t value)
{
	return value ? find(in, value, (uint32_t)lt_hash64(value, in->seed)) : 0;
}

uint32_t lt_intern_lookup(struct lt_intern *in, uint64_t value)
{
	uint32_t hash = (uint32_t)lt_hash64(value, in->seed), number;

	if (!value)
		return 0;
	number = find(in, value, hash);
	if (number)
		return number;
	if (in->n == UINT32_MAX)
		lt_fatal("more than %u different values", UINT32_MAX);
	in->values = lt_grow(in->values, &in->cap, in->n, sizeof(*in->values));
	in->values[in->n] = value;
	lt_map_add(&in->numbers, hash, in->n);
	return in->n++;
}
