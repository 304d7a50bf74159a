/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Products of 128 bits, and what is left of them after a division. 32-bit
 * machines have no such type; what they do instead is compiled everywhere, so
 * that it is tested everywhere.
 */
#ifndef LT_LIB_WIDE_H
#define LT_LIB_WIDE_H

#include <stdbool.h>
#include <stdint.h>

struct lt_wide {
	uint64_t hi, lo;
};

/* The sum, or the largest number where it has more than 64 bits. */
static inline uint64_t lt_add_limited(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

static inline struct lt_wide lt_mul_by_parts(uint64_t a, uint64_t b)
{
	uint64_t a1 = a >> 32, a0 = (uint32_t)a, b1 = b >> 32, b0 = (uint32_t)b;
	uint64_t low = a0 * b0, cross = a1 * b0, mid = a0 * b1;
	struct lt_wide p;

	/* Neither sum can pass 2^64: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1. */
	cross += low >> 32;
	mid += (uint32_t)cross;
	p.hi = a1 * b1 + (cross >> 32) + (mid >> 32);
	p.lo = mid << 32 | (uint32_t)low;
	return p;
}

/* floor(n / d), for n.hi < d: else it has more than 64 bits. */
static inline uint64_t lt_div_by_bits(struct lt_wide n, uint64_t d)
{
	uint64_t rest = n.hi, quotient = n.lo;
	int bit;

	for (bit = 0; bit < 64; bit++) {
		bool carry = rest >> 63;

		rest = rest << 1 | quotient >> 63;
		quotient <<= 1;
		if (carry || rest >= d) {
			rest -= d;
			quotient |= 1;
		}
	}
	return quotient;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 lt_u128;
#endif

static inline struct lt_wide lt_mul(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	lt_u128 p = (lt_u128)a * b;

	return (struct lt_wide){ (uint64_t)(p >> 64), (uint64_t)p };
#else
	return lt_mul_by_parts(a, b);
#endif
}

/* floor((hi * 2^64 + lo) / d), UINT64_MAX if that is more. */
static inline uint64_t lt_div(struct lt_wide n, uint64_t d)
{
	if (n.hi >= d)
		return UINT64_MAX;
#ifdef __SIZEOF_INT128__
	return (uint64_t)(((lt_u128)n.hi << 64 | n.lo) / d);
#else
	return lt_div_by_bits(n, d);
#endif
}

/* floor(a * b / d), UINT64_MAX if that is more. */
static inline uint64_t lt_mul_div(uint64_t a, uint64_t b, uint64_t d)
{
	return lt_div(lt_mul(a, b), d);
}

#endif /* LT_LIB_WIDE_H */
