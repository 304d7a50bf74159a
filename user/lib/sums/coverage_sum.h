/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Coverage: the sums over all caches. For coverage.c only.
 */
#ifndef LT_SUMS_COVERAGE_SUM_H
#define LT_SUMS_COVERAGE_SUM_H

#include "sums/coverage.h"

/* By how much two numbers differ. */
uint64_t lt_coverage_distance(int64_t a, int64_t b);

/*
 * Adds the rows, the largest difference first, to @sum, which has the @unknown_* of the trace, and
 * judges it. The trace was read to its end.
 */
void lt_coverage_sum_up(const struct lt_trace *t, const struct lt_coverage_row *rows, size_t n,
			struct lt_coverage_sum *sum);

#endif /* LT_SUMS_COVERAGE_SUM_H */
