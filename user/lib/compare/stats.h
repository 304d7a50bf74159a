/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of significance.
 */
#ifndef LT_COMPARE_STATS_H
#define LT_COMPARE_STATS_H

#include <stddef.h>

#define LT_STATS_EXACT	64	/* up to so many values p is exact */

/**
 * lt_mann_whitney() - whether the values of two groups differ in their ranks
 * @a, @b: @n_a and @n_b values
 *
 * Up to LT_STATS_EXACT values the sum of ranks is compared with that of all ways to choose @n_a of
 * the values, ties and all; above, with a normal distribution, corrected for ties and continuity.
 *
 * Return: the two-sided p, 1 if a group is empty.
 */
double lt_mann_whitney(const double *a, size_t n_a, const double *b, size_t n_b);

/* The least p that lt_mann_whitney() can give for groups of these sizes. */
double lt_mann_whitney_least(size_t n_a, size_t n_b);

/* The two-sided p of a standard normal deviate. */
double lt_normal_p(double z);

enum lt_correction {
	LT_BENJAMINI_HOCHBERG,	/* of what is called different, at most that part is not */
	LT_HOLM,		/* that anything is called different that is not */
};

/**
 * lt_correct() - correct for the number of tests
 * @p: @n p of which each becomes the corrected one; those that are NAN, not tested, stay
 */
void lt_correct(double *p, size_t n, enum lt_correction how);

#endif /* LT_COMPARE_STATS_H */
