/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers that look like chance, and are the same in each run: xorshift64.
 */
#ifndef LT_BENCH_CHANCE_H
#define LT_BENCH_CHANCE_H

#include <stdint.h>

static inline uint64_t rnd(void)
{
	static uint64_t state = 1;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

#endif /* LT_BENCH_CHANCE_H */
