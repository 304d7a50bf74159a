/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interning: 64-bit values that occur again and again (call sites, pointers to
 * tasks) get small consecutive numbers, which index arrays.
 */
#ifndef LT_LIB_INTERN_H
#define LT_LIB_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct lt_intern {
	uint64_t *values;	/* by number; values[0] is 0 */
	size_t cap;
	uint32_t n;
	uint32_t *slots;	/* numbers, 0: free; a power of two of them */
	size_t n_slots;
	uint64_t seed;
	uint32_t last;		/* number of the latest one asked for */
};

void lt_intern_init(struct lt_intern *in);
void lt_intern_destroy(struct lt_intern *in);

/* The number of a value, the same for the same value. That of 0 is 0. */
uint32_t lt_intern(struct lt_intern *in, uint64_t value);

static inline uint64_t lt_intern_value(const struct lt_intern *in, uint32_t id)
{
	return in->values[id];
}

#endif /* LT_LIB_INTERN_H */
