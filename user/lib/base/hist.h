/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms of 64-bit values: powers of two, each cut into 32 equal parts.
 *
 * A value is known to 1/32 of itself; the middle of its part, which is what
 * percentiles give, is off by 1/64 (1.6 %) at most. Values below 64 are exact.
 * Memory is taken only for the powers of two that occur: 256 bytes each.
 */
#ifndef LT_LIB_HIST_H
#define LT_LIB_HIST_H

#include <stdint.h>

#define LT_HIST_SUB_BITS	5
#define LT_HIST_SUB		(1U << LT_HIST_SUB_BITS)

struct lt_hist {
	uint64_t n;
	uint64_t min;		/* UINT64_MAX when n is 0 */
	uint64_t max;
	double sum;
	uint64_t present;	/* bit g: group g has an array in sub */
	uint64_t (*sub)[LT_HIST_SUB];	/* of the groups present, in order */
};

void lt_hist_init(struct lt_hist *h);
void lt_hist_destroy(struct lt_hist *h);
void lt_hist_add(struct lt_hist *h, uint64_t value);

/* Adds all values of @from. */
void lt_hist_merge(struct lt_hist *h, const struct lt_hist *from);

/*
 * The value that @percent of 100 values do not exceed (nearest rank): 50 is
 * the median. 0 when there are no values.
 */
uint64_t lt_hist_percentile(const struct lt_hist *h, double percent);

/* How many values lie in [2^power, 2^(power+1)); the 0s count for power 0. */
uint64_t lt_hist_log2(const struct lt_hist *h, unsigned int power);

#endif /* LT_LIB_HIST_H */
