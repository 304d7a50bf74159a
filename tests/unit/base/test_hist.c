// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms: percentiles against the exact ones of the sorted values.
 */
#include "base/hist.h"
#include "testlib.h"

#define N	20000

static uint64_t values[N];
static uint64_t state = 88172645463325252ULL;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Off by 3 % at the most; small values not at all. */
static void assert_close(uint64_t found, uint64_t exact)
{
	uint64_t off = found > exact ? found - exact : exact - found;

	if (off <= (exact < 64 ? 0 : exact / 100 * 3 + 1))
		return;
	fail_msg("found %llu, exact %llu", (unsigned long long)found, (unsigned long long)exact);
}

static void check(size_t n)
{
	static const unsigned int percents[] = { 1, 10, 25, 50, 75, 90, 95, 99, 100 };
	struct lt_hist h;
	uint64_t sum = 0;

	lt_hist_init(&h);
	for (size_t i = 0; i < n; i++)
		lt_hist_add(&h, values[i]);
	qsort(values, n, sizeof(values[0]), by_value);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++)
		assert_close(lt_hist_percentile(&h, percents[i]),
			     values[(n * percents[i] + 99) / 100 - 1]);
	assert_int_equal(h.n, n);
	assert_int_equal(h.min, values[0]);
	assert_int_equal(h.max, values[n - 1]);
	for (unsigned int i = 0; i < 64; i++)
		sum += lt_hist_log2(&h, i);
	assert_int_equal(sum, n);
	lt_hist_destroy(&h);
}

static void test_distributions(void **s)
{
	(void)s;
	for (size_t i = 0; i < N; i++)	/* uniform */
		values[i] = rnd() % 1000000;
	check(N);
	for (size_t i = 0; i < N; i++)	/* as many in each power of two */
		values[i] = rnd() >> rnd() % 64;
	check(N);
	for (size_t i = 0; i < N; i++)	/* two peaks far apart */
		values[i] = i % 10 ? 100 + rnd() % 50 : 3000000000ULL + rnd() % 1000;
	check(N);
	for (size_t i = 0; i < N; i++)	/* one value */
		values[i] = 123456789;
	check(N);
	for (size_t i = 0; i < N; i++)	/* small ones: exact */
		values[i] = rnd() % 64;
	check(N);
	for (size_t i = 0; i < N; i++)	/* a long tail */
		values[i] = 1000000000000ULL / (1 + rnd() % 1000000);
	check(N);
}

static void test_few(void **s)
{
	(void)s;
	for (size_t n = 1; n < 120; n++) {
		for (size_t i = 0; i < n; i++)
			values[i] = rnd() >> (i % 50);
		check(n);
	}
}

static void test_edges(void **s)
{
	struct lt_hist h;

	(void)s;
	lt_hist_init(&h);
	assert_int_equal(lt_hist_percentile(&h, 50), 0);
	assert_int_equal(lt_hist_log2(&h, 0), 0);
	assert_int_equal(h.min, UINT64_MAX);
	lt_hist_add(&h, 0);
	assert_int_equal(lt_hist_percentile(&h, 50), 0);
	lt_hist_add(&h, UINT64_MAX);
	assert_int_equal(lt_hist_percentile(&h, 0), 0);
	assert_int_equal(lt_hist_percentile(&h, 50), 0);
	assert_int_equal(lt_hist_percentile(&h, 100), UINT64_MAX);
	assert_int_equal(lt_hist_log2(&h, 0), 1);
	assert_int_equal(lt_hist_log2(&h, 63), 1);
	assert_int_equal(lt_hist_log2(&h, 64), 0);
	/* At each power of two, and on both sides of it. */
	for (unsigned int i = 6; i < 64; i++) {
		uint64_t n = lt_hist_log2(&h, i);

		lt_hist_add(&h, 1ULL << i);
		lt_hist_add(&h, (1ULL << i) - 1);
		assert_int_equal(lt_hist_log2(&h, i), n + 1);
	}
	lt_hist_destroy(&h);
	assert_int_equal(lt_hist_percentile(&h, 50), 0);
}

static void test_merge(void **s)
{
	struct lt_hist a, b, all, empty;

	(void)s;
	lt_hist_init(&a);
	lt_hist_init(&b);
	lt_hist_init(&all);
	lt_hist_init(&empty);
	for (size_t i = 0; i < N; i++) {
		uint64_t v = rnd() >> rnd() % 64;

		lt_hist_add(i % 3 ? &a : &b, v);
		lt_hist_add(&all, v);
	}
	lt_hist_merge(&a, &b);
	lt_hist_merge(&a, &empty);
	assert_int_equal(a.n, all.n);
	assert_int_equal(a.min, all.min);
	assert_int_equal(a.max, all.max);
	assert_memory_equal(a.places, all.places, sizeof(a.places));
	for (unsigned int p = 0; p <= 100; p++)
		assert_int_equal(lt_hist_percentile(&a, p), lt_hist_percentile(&all, p));
	lt_hist_merge(&empty, &a);
	assert_int_equal(lt_hist_percentile(&empty, 50), lt_hist_percentile(&all, 50));
	lt_hist_destroy(&a);
	lt_hist_destroy(&b);
	lt_hist_destroy(&all);
	lt_hist_destroy(&empty);
}

/* The rank is that of whole numbers, however percent / 100 is rounded. */
static void test_rank(void **s)
{
	static const unsigned int percents[] = { 7, 14, 28, 50, 55, 56, 57, 58, 90, 99 };

	(void)s;
	for (unsigned int n = 1; n <= 400; n++) {
		struct lt_hist h;

		/* Only the value at the rank is 1. */
		for (unsigned int i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
			unsigned int rank = (n * percents[i] + 99) / 100;

			lt_hist_init(&h);
			for (unsigned int j = 1; j <= n; j++)
				lt_hist_add(&h, j < rank ? 0 : j == rank ? 1 : 2);
			if (rank < n)
				assert_int_equal(lt_hist_percentile(&h, percents[i]), 1);
			lt_hist_destroy(&h);
		}
	}
}

/*
 * Weeks of remission of 21 patients (Freireich and others, 1963), the example of many books: 12
 * were followed up to a last visit only. S(6) = 18/21, S(7) = 0.807, S(10) = 0.753, S(13) = 0.690,
 * S(16) = 0.627, S(22) = 0.538, S(23) = 0.448.
 */
static void test_survival_book(void **s)
{
	static const uint64_t relapsed[] = { 6, 6, 6, 7, 10, 13, 16, 22, 23 };
	static const uint64_t well[] = { 6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35 };
	struct lt_hist ended, alive;
	uint64_t v;

	(void)s;
	lt_hist_init(&ended);
	lt_hist_init(&alive);
	for (size_t i = 0; i < sizeof(relapsed) / sizeof(relapsed[0]); i++)
		lt_hist_add(&ended, relapsed[i]);
	for (size_t i = 0; i < sizeof(well) / sizeof(well[0]); i++)
		lt_hist_add(&alive, well[i]);
	assert_true(lt_hist_survival(&ended, &alive, 10, &v));
	assert_int_equal(v, 6);
	assert_true(lt_hist_survival(&ended, &alive, 19, &v));
	assert_int_equal(v, 7);
	assert_true(lt_hist_survival(&ended, &alive, 25, &v));
	assert_int_equal(v, 13);
	assert_true(lt_hist_survival(&ended, &alive, 46, &v));
	assert_int_equal(v, 22);
	assert_true(lt_hist_survival(&ended, &alive, 50, &v));
	assert_int_equal(v, 23);
	/* 44.8 % had no relapse in 35 weeks. */
	assert_false(lt_hist_survival(&ended, &alive, 56, &v));
	assert_int_equal(v, 35);
	/* Of those with a relapse alone the median would be 10. */
	assert_int_equal(lt_hist_percentile(&ended, 50), 10);
	lt_hist_destroy(&ended);
	lt_hist_destroy(&alive);
}

/* Many may have ended in the last part: a percentile among them is not the greatest of them. */
static void test_survival_last_part(void **s)
{
	struct lt_hist h, none;
	uint64_t v;

	(void)s;
	lt_hist_init(&h);
	lt_hist_init(&none);
	lt_hist_add_many(&h, 1000000, 60);
	lt_hist_add_many(&h, 17900000, 39);
	lt_hist_add(&h, 18200000);
	assert_true(lt_hist_survival(&h, &none, 90, &v));
	assert_int_equal(v, lt_hist_percentile(&h, 90));
	assert_true(v < 17900000 + 17900000 / 64);
	assert_true(lt_hist_survival(&h, &none, 99, &v));
	assert_true(v < 18200000);
	assert_true(lt_hist_survival(&h, &none, 100, &v));
	assert_int_equal(v, 18200000);
	lt_hist_destroy(&h);
	lt_hist_destroy(&none);
}

/* If all have ended it is the percentile; if none has, none is reached. */
static void test_survival_ends(void **s)
{
	static const unsigned int percents[] = { 1, 10, 50, 75, 90, 99, 100 };
	struct lt_hist h, none;
	uint64_t v = 1;

	(void)s;
	lt_hist_init(&h);
	lt_hist_init(&none);
	assert_false(lt_hist_survival(&none, &none, 50, &v));
	assert_int_equal(v, 0);
	for (size_t i = 0; i < 1000; i++) {
		lt_hist_add(&h, rnd() >> rnd() % 60);
		for (size_t k = 0; k < sizeof(percents) / sizeof(percents[0]); k++) {
			assert_true(lt_hist_survival(&h, &none, percents[k], &v));
			assert_close(v, lt_hist_percentile(&h, percents[k]));
		}
	}
	assert_false(lt_hist_survival(&none, &h, 1, &v));
	assert_int_equal(v, h.max);
	/* The age of one that is alive lies in the part of the last end, but before it. */
	lt_hist_destroy(&h);
	lt_hist_add(&h, 1000000);
	lt_hist_add(&h, 1001000);
	lt_hist_add(&none, 1000500);
	assert_true(lt_hist_survival(&h, &none, 99, &v));
	assert_int_equal(v, 1001000);
	lt_hist_add(&none, 1001001);
	assert_false(lt_hist_survival(&h, &none, 99, &v));
	assert_int_equal(v, 1001001);
	lt_hist_destroy(&h);
	lt_hist_destroy(&none);
}

/* One walk for several finds what a walk for each finds. */
static void test_survivals(void **s)
{
	static const double percents[] = { 1, 5, 5, 25, 50, 51, 75, 90, 99, 99.9, 100 };
	const size_t n = sizeof(percents) / sizeof(percents[0]);
	size_t all = 0, some = 0;

	(void)s;
	for (size_t i = 0; i < 500; i++) {
		const size_t n_ended = rnd() % 40, n_alive = rnd() % 3 ? rnd() % 60 : 0;
		struct lt_hist ended, alive;
		uint64_t ns[sizeof(percents) / sizeof(percents[0])] = { 0 };
		size_t reached, k = 0;

		lt_hist_init(&ended);
		lt_hist_init(&alive);
		for (size_t j = 0; j < n_ended; j++)
			lt_hist_add_many(&ended, rnd() >> (44 + rnd() % 20), 1 + rnd() % 3);
		for (size_t j = 0; j < n_alive; j++)
			lt_hist_add(&alive, rnd() >> (44 + rnd() % 20));
		reached = lt_hist_survivals(&ended, &alive, percents, n, ns);
		for (; k < n; k++) {
			uint64_t v;

			if (!lt_hist_survival(&ended, &alive, percents[k], &v))
				break;
			assert_int_equal(ns[k], v);
		}
		assert_int_equal(reached, k);
		if (k < n) {
			uint64_t v;

			assert_false(lt_hist_survival(&ended, &alive, percents[k], &v));
			assert_int_equal(ns[k], v);
		}
		all += k == n;
		some += k && k < n;
		lt_hist_destroy(&ended);
		lt_hist_destroy(&alive);
	}
	assert_true(all > 20 && some > 20);
}

/*
 * A trace that began with a thousand objects that stay, of which the oldest one ended at last: its
 * end says nothing of the others, though it is the only one that was followed so long.
 */
static void test_survival_thin(void **s)
{
	struct lt_hist ended, alive;
	uint64_t v;

	(void)s;
	lt_hist_init(&ended);
	lt_hist_init(&alive);
	lt_hist_add_many(&ended, 1000, 250);
	lt_hist_add_many(&alive, 1000000, 740);
	lt_hist_add(&ended, 4000000);
	assert_true(lt_hist_survival(&ended, &alive, 25, &v));
	assert_close(v, 1000);
	assert_false(lt_hist_survival(&ended, &alive, 50, &v));
	assert_close(v, 4000000);
	/* In one part of a power of two with them. */
	lt_hist_add_many(&alive, 3999000, 9);
	assert_false(lt_hist_survival(&ended, &alive, 50, &v));
	/* One in twenty of those that live are enough: 38 of 750. */
	lt_hist_add_many(&ended, 4000000, 36);
	lt_hist_add_many(&alive, 4500000, 1);
	assert_true(lt_hist_survival(&ended, &alive, 50, &v));
	assert_close(v, 4000000);
	lt_hist_destroy(&ended);
	lt_hist_destroy(&alive);
}

/* Values that are counted later, of two histograms, whose groups come one after the other. */
static void test_later(void **s)
{
	struct lt_hist now[2], later[2];
	struct lt_hist_later pending = { .n = 0 };

	(void)s;
	for (size_t i = 0; i < 2; i++) {
		lt_hist_init(&now[i]);
		lt_hist_init(&later[i]);
	}
	for (unsigned int i = 0; i < 5000; i++) {
		uint64_t value = rnd() >> rnd() % 64;

		lt_hist_add(&now[i % 2], value);
		lt_hist_add_later(&later[i % 2], value, &pending);
	}
	lt_hist_settle(&pending);
	assert_int_equal(pending.n, 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(later[i].n, now[i].n);
		assert_int_equal(later[i].min, now[i].min);
		assert_int_equal(later[i].max, now[i].max);
		for (unsigned int power = 0; power < 64; power++)
			assert_int_equal(lt_hist_log2(&later[i], power),
					 lt_hist_log2(&now[i], power));
		lt_hist_destroy(&now[i]);
		lt_hist_destroy(&later[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distributions), cmocka_unit_test(test_few),
		cmocka_unit_test(test_edges), cmocka_unit_test(test_merge),
		cmocka_unit_test(test_rank),
		cmocka_unit_test(test_survival_book),
		cmocka_unit_test(test_survival_last_part),
		cmocka_unit_test(test_survival_ends),
		cmocka_unit_test(test_survivals),
		cmocka_unit_test(test_survival_thin),
		cmocka_unit_test(test_later),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
