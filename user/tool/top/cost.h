/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the program itself costs.
 */
#ifndef LT_TOP_COST_H
#define LT_TOP_COST_H

#include <stdint.h>

/**
 * struct lt_top_cost - time of CPUs, and memory
 * @cpu_ns: used so far
 * @percent: of one CPU, since the reading before
 * @memory: resident bytes
 * @read_ns: when that was read, CLOCK_MONOTONIC; 0: not yet
 */
struct lt_top_cost {
	uint64_t cpu_ns;
	double percent;
	uint64_t memory;
	uint64_t read_ns;
};

/* Reads it; @cost starts as { 0 }. */
void lt_top_cost_read(struct lt_top_cost *cost);

#endif /* LT_TOP_COST_H */
