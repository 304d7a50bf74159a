/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interning: 64-bit values that occur again and again (call sites, pointers to
 * tasks) get small consecutive numbers, which index arrays.
 */
#ifndef LT_LIB_INTERN_H
#define LT_LIB_INTERN_H

#include <stddef.h>
#include <stdint.h>

#define LT_INTERN_MEMO	64

struct lt_intern_slot {
	uint64_t value;
	uint32_t number;	/* 0: free */
};

struct lt_intern {
	uint64_t *values;	/* by number; values[0] is 0 */
	size_t cap;
	uint32_t n;
	struct lt_intern_slot *slots;	/* a power of two of them */
	size_t n_slots;
	uint64_t seed;
	struct lt_intern_slot memo[LT_INTERN_MEMO];	/* those asked for of late */
};

void lt_intern_init(struct lt_intern *in);
void lt_intern_destroy(struct lt_intern *in);

uint32_t lt_intern_slow(struct lt_intern *in, uint64_t value);

/* The number of a value, the same for the same value. That of 0 is 0. */
static inline uint32_t lt_intern(struct lt_intern *in, uint64_t value)
{
	struct lt_intern_slot *memo =
		&in->memo[value * 0x9e3779b97f4a7c15ULL >> 32 & (LT_INTERN_MEMO - 1)];

	if (memo->value != value) {
		memo->number = lt_intern_slow(in, value);
		memo->value = value;
	}
	return memo->number;
}

static inline uint64_t lt_intern_value(const struct lt_intern *in, uint32_t id)
{
	return in->values[id];
}

#endif /* LT_LIB_INTERN_H */
