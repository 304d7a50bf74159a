// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests of significance.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "compare/stats.h"

double lt_normal_p(double z)
{
	return erfc(fabs(z) / sqrt(2));
}

/* A value, and whether it is of the first group. */
struct ranked {
	double value;
	int first;
	unsigned int rank;	/* twice the mean rank of all that are equal */
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

/* Ranks the values. Return: the sum of n^3 - n over all ties of n values. */
static double rank(struct ranked *all, size_t n)
{
	double ties = 0;

	qsort(all, n, sizeof(*all), by_value);
	for (size_t i = 0, end; i < n; i = end) {
		double same;

		for (end = i + 1; end < n && all[end].value <= all[i].value; end++)
			;
		for (size_t k = i; k < end; k++)
			all[k].rank = (unsigned int)(i + 1 + end);
		same = (double)(end - i);
		ties += same * same * same - same;
	}
	return ties;
}

/*
 * Both tails of the distribution of the sum of ranks: ways[k * width + s] is the number of ways to
 * choose k of the values seen so far with twice the sum s.
 */
static double exact(const struct ranked *all, size_t n, size_t n_a, unsigned int sum)
{
	size_t width = n * (n + 1) + 1;
	double *ways = lt_alloc_array((n_a + 1) * width, sizeof(*ways));
	double below = 0, above = 0, every = 0, p;

	ways[0] = 1;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1 < n_a ? i + 1 : n_a; k; k--) {
			for (size_t s = width - 1; s >= all[i].rank; s--)
				ways[k * width + s] += ways[(k - 1) * width + s - all[i].rank];
		}
	}
	for (size_t s = 0; s < width; s++) {
		double w = ways[n_a * width + s];

		every += w;
		below += s <= sum ? w : 0;
		above += s >= sum ? w : 0;
	}
	free(ways);
	p = 2 * (below < above ? below : above) / every;
	return p < 1 ? p : 1;
}

static double approximate(size_t n_a, size_t n_b, double sum, double ties)
{
	double a = (double)n_a, b = (double)n_b, n = a + b;
	double off = fabs(sum - a * (n + 1) / 2) - 0.5;
	double variance = a * b / 12 * (n + 1 - ties / (n * (n - 1)));

	return variance > 0 && off > 0 ? lt_normal_p(off / sqrt(variance)) : 1;
}

double lt_mann_whitney(const double *a, size_t n_a, const double *b, size_t n_b)
{
	size_t n = n_a + n_b;
	struct ranked *all = lt_alloc_array(n + 1, sizeof(*all));
	unsigned int sum = 0;
	double ties, p = 1;

	for (size_t i = 0; i < n; i++)
		all[i] = (struct ranked){ .value = i < n_a ? a[i] : b[i - n_a], .first = i < n_a };
	ties = rank(all, n);
	for (size_t i = 0; i < n; i++)
		sum += all[i].first ? all[i].rank : 0;
	if (n_a && n_b)
		p = n <= LT_STATS_EXACT ? exact(all, n, n_a, sum) :
					  approximate(n_a, n_b, sum / 2.0, ties);
	free(all);
	return p;
}

double lt_mann_whitney_least(size_t n_a, size_t n_b)
{
	double p = 2;

	for (size_t i = 1; i <= n_a; i++)
		p *= (double)i / (double)(n_b + i);
	return p < 1 ? p : 1;
}

struct test {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	const struct test *x = a, *y = b;

	return x->p < y->p ? -1 : x->p > y->p;
}

void lt_correct(double *p, size_t n, enum lt_correction how)
{
	struct test *tests = lt_alloc_array(n + 1, sizeof(*tests));
	double bound = how == LT_HOLM ? 0 : 1;
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i]))
			tests[m++] = (struct test){ p[i], i };
	}
	qsort(tests, m, sizeof(*tests), by_p);
	/* Holm: from the least p on, none becomes less; the other way round from the greatest. */
	for (size_t i = 0; i < m; i++) {
		size_t k = how == LT_HOLM ? i : m - 1 - i;
		double factor = how == LT_HOLM ? (double)(m - i) : (double)m / (double)(k + 1);
		double q = tests[k].p * factor;

		q = q < 1 ? q : 1;
		if (how == LT_HOLM ? q > bound : q < bound)
			bound = q;
		p[tests[k].at] = bound;
	}
	free(tests);
}
