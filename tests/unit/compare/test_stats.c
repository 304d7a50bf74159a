// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of significance, against values that others have published, and against a count of all
 * cases.
 */
#include <math.h>

#include "base/hist.h"
#include "compare/stats.h"
#include "testlib.h"

static void near(double value, double wanted, double error)
{
	if (!(fabs(value - wanted) <= error))
		fail_msg("%.9g instead of %.9g", value, wanted);
}

static void test_mann_whitney(void **state)
{
	/* Hollander and Wolfe (1973), p. 69: permeability of the placenta; two-sided p of R. */
	static const double term[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
	static const double early[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	static const double low[] = { 1, 2, 3, 4 }, high[] = { 5, 6, 7, 8 };

	(void)state;
	near(lt_mann_whitney(term, 10, early, 5), 0.2544, 0.0001);
	near(lt_mann_whitney(early, 5, term, 10), 0.2544, 0.0001);
	near(lt_mann_whitney(low, 4, high, 4), 2.0 / 70, 1e-12);
	near(lt_mann_whitney(high, 4, low, 4), 2.0 / 70, 1e-12);
	near(lt_mann_whitney(low, 3, high, 3), 0.1, 1e-12);
	near(lt_mann_whitney(low, 4, low, 4), 1, 1e-12);
	near(lt_mann_whitney(low, 4, high, 0), 1, 0);
	near(lt_mann_whitney_least(4, 4), 2.0 / 70, 1e-12);
	near(lt_mann_whitney_least(3, 3), 0.1, 1e-12);
}

/* Twice the mean rank of value @i among all. */
static int rank_of(const double *v, size_t n, size_t i)
{
	int rank = 1;

	for (size_t k = 0; k < n; k++)
		rank += (v[k] < v[i]) * 2 + (v[k] <= v[i] && v[k] >= v[i]);
	return rank;
}

/* p by looking at each choice of @n_a of the values. */
static double by_count(const double *v, unsigned int n_a, unsigned int n)
{
	double below = 0, above = 0, all = 0, p;
	int is = 0;

	for (unsigned int i = 0; i < n_a; i++)
		is += rank_of(v, n, i);
	for (unsigned int set = 0; set < 1U << n; set++) {
		int sum = 0;

		if (__builtin_popcount(set) != (int)n_a)
			continue;
		for (unsigned int i = 0; i < n; i++)
			sum += (set & 1U << i) ? rank_of(v, n, i) : 0;
		all++;
		below += sum <= is;
		above += sum >= is;
	}
	p = 2 * fmin(below, above) / all;
	return fmin(p, 1);
}

static void test_ties(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 300; round++) {
		unsigned int n = 2 + (unsigned int)round % 9;
		unsigned int n_a = 1 + (unsigned int)round % (n - 1);
		double v[11];

		for (unsigned int i = 0; i < n; i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			v[i] = (double)(seed >> 33) / 0x1p31 < 0.5 ? 3 : (double)((seed >> 40) % 6);
		}
		near(lt_mann_whitney(v, n_a, v + n_a, n - n_a), by_count(v, n_a, n), 1e-12);
	}
}

/* Exact up to some number of values, then approximate: both are about the same there. */
static void test_many(void **state)
{
	double v[66];

	(void)state;
	for (int i = 0; i < 66; i++)
		v[i] = (i * 37 % 67) + (i >= 33 ? 9 : 0);
	near(lt_mann_whitney(v, 33, v + 33, 33), lt_mann_whitney(v, 32, v + 33, 32), 0.05);
	assert_true(lt_mann_whitney(v, 33, v + 33, 33) < 1);
}

/* Freireich (1963): weeks of remission with 6-MP and without; chi-square 16.79 in R. */
static void test_logrank(void **state)
{
	static const uint64_t ended[2][21] = {
		{ 6, 6, 6, 7, 10, 13, 16, 22, 23 },
		{ 1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23 },
	};
	static const uint64_t alive[12] = { 6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35 };
	struct lt_hist e[2], a[2];
	const struct lt_hist *const pe[2] = { &e[0], &e[1] }, *const pa[2] = { &a[0], &a[1] };
	const struct lt_hist *const same[2] = { &e[1], &e[1] }, *const none[2] = { &a[1], &a[1] };
	double z;

	(void)state;
	for (int i = 0; i < 2; i++) {
		lt_hist_init(&e[i]);
		lt_hist_init(&a[i]);
		for (int k = 0; k < (i ? 21 : 9); k++)
			lt_hist_add(&e[i], ended[i][k]);
	}
	for (int k = 0; k < 12; k++)
		lt_hist_add(&a[0], alive[k]);
	z = lt_hist_logrank(pe, pa);
	near(z * z, 16.793, 0.001);
	assert_true(z < 0);		/* with 6-MP it lasts longer */
	near(lt_normal_p(z), 4.17e-5, 1e-7);
	near(lt_hist_logrank(same, none), 0, 1e-12);
	near(lt_hist_logrank(none, none), 0, 0);
	for (int i = 0; i < 2; i++) {
		lt_hist_destroy(&e[i]);
		lt_hist_destroy(&a[i]);
	}
}

/* The values of R's p.adjust(). */
static void test_correct(void **state)
{
	static const double p[] = { 0.01, 0.04, 0.03, 0.005 };
	static const double holm[] = { 0.03, 0.06, 0.06, 0.02 }, bh[] = { 0.02, 0.04, 0.04, 0.02 };
	double q[5] = { 0.01, 0.04, NAN, 0.03, 0.005 }, r[4], one = 0.4;

	(void)state;
	lt_correct(q, 5, LT_HOLM);
	memcpy(r, p, sizeof(p));
	lt_correct(r, 4, LT_BENJAMINI_HOCHBERG);
	assert_true(isnan(q[2]));
	for (int i = 0; i < 4; i++) {
		near(q[i + (i >= 2)], holm[i], 1e-12);
		near(r[i], bh[i], 1e-12);
	}
	lt_correct(&one, 1, LT_HOLM);
	near(one, 0.4, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mann_whitney),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_logrank),
		cmocka_unit_test(test_correct),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
