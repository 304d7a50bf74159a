/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interning: 64-bit values that occur again and again (call sites, pointers to tasks) get
 * small consecutive numbers, which index arrays.
 */
#ifndef LT_BASE_INTERN_H
#define LT_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

#define LT_INTERN_MEMO	512

struct lt_intern {
	uint64_t *values;	/* by number; values[0] is 0 */
	size_t cap;
	uint32_t n;
	struct lt_map numbers;
	uint64_t seed;
	struct lt_intern_memo {
		uint64_t value;
		uint32_t number;
	} memo[LT_INTERN_MEMO];	/* results of recent lookups */
};

void lt_intern_init(struct lt_intern *in);
void lt_intern_destroy(struct lt_intern *in);

/* The number of a value that has one; 0: it has none. */
uint32_t lt_intern_find(const struct lt_intern *in, uint64_t value);

/* lt_intern_number() without its memo. */
uint32_t lt_intern_lookup(struct lt_intern *in, uint64_t value);

/* The number of a value, one for each value: a new one at its first use. That of 0 is 0. */
static inline uint32_t lt_intern_number(struct lt_intern *in, uint64_t value)
{
	struct lt_intern_memo *memo =
		&in->memo[value * 0x9e3779b97f4a7c15ULL >> 32 & (LT_INTERN_MEMO - 1)];

	if (memo->value != value) {
		memo->number = lt_intern_lookup(in, value);
		memo->value = value;
	}
	return memo->number;
}

static inline uint64_t lt_intern_value(const struct lt_intern *in, uint32_t number)
{
	return in->values[number];
}

#endif /* LT_BASE_INTERN_H */
