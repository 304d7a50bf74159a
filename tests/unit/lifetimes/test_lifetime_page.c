// SPDX-License-Identifier: GPL-2.0
/*
 * The lifetime engine: page blocks, freed as they were allocated or otherwise.
 */
#include "lifetime_test.h"

static void test_pair(void **state)
{
	struct run r = run_new(false);

	(void)state;
	page_alloc(&r, 0, 100, 0, 0);	/* page 0 is one like any other */
	page_alloc(&r, 0, 110, 8, 3);
	page_alloc(&r, 0, 120, 1024, 10);
	page_free(&r, 1, 130, 0, 0);
	page_free(&r, 1, 140, 8, 3);
	page_free(&r, 1, 150, 1024, 10);
	expect(&r, "page 0 100-130 exact page_free\n"
		   "page 8 110-140 exact page_free\n"
		   "page 400 120-150 exact page_free");
	assert_int_equal(r.last.bytes_alloc, 4096 << 10);
	finish(&r, 200, 0);
}

static void test_before(void **state)
{
	struct run r = run_new(false);

	(void)state;
	page_free(&r, 0, 100, 8, 2);
	page_free(&r, 0, 110, 1024, 9);
	expect(&r, "page 8 0-100 before page_free\n"
		   "page 400 0-110 before page_free");
	assert_int_equal(r.last.bytes_alloc, 4096 << 9);
	finish(&r, 200, 0);
}

/* alloc_pages_exact(5 pages): the tail goes back at once, the rest one by one. */
static void test_split(void **state)
{
	struct run r = run_new(false);
	uint64_t bytes = 0;

	(void)state;
	page_alloc(&r, 0, 100, 8, 3);
	for (uint64_t i = 5; i < 8; i++)
		page_free(&r, 0, 105 + i, 8 + i, 0);
	expect(&r, "page_split d 100-110 exact page_free\n"
		   "page_split e 100-111 exact page_free\n"
		   "page_split f 100-112 exact page_free");
	assert_int_equal(r.last.order, 0);
	assert_int_equal(r.last.bytes_alloc, 4096);
	page_free(&r, 0, 200, 8, 1);
	expect(&r, "page_split 8 100-200 exact page_free");
	bytes += r.last.bytes_alloc;
	assert_int_equal(bytes, 8192);
	finish(&r, 300, 0);
	/* 10, 11, 12 are still there; 10 and 11 stayed together. */
	expect(&r, "page_split a 100-300 open alive\n"
		   "page_split c 100-300 open alive");
	assert_int_equal(stats(&r)->page_splits, 1);
}

/* Every page of every order, in either direction, large blocks included. */
static void test_split_all(void **state)
{
	(void)state;
	for (uint8_t order = 1; order <= 10; order++) {
		struct run r = run_new(false);
		uint64_t n = 1ULL << order;

		page_alloc(&r, 0, 100, 1ULL << 20, order);
		for (uint64_t i = 0; i < n; i++) {
			uint64_t page = order & 1 ? i : n - 1 - i;

			page_free(&r, 0, 200 + i, (1ULL << 20) + page, 0);
			assert_int_equal(r.last.ptr, (1ULL << 20) + page);
			assert_int_equal(r.last.birth.time, 100);
			assert_int_equal(r.last.certainty, LT_EXACT);
			assert_true(r.last.split);
		}
		finish(&r, 5000, 0);
		assert_int_equal(r.n, n);
		assert_int_equal(stats(&r)->live[LT_SPACE_PAGE], 0);
	}
}

/* Freed as one block: what was allocated as several, partly before the trace. */
static void test_merged_free(void **state)
{
	struct run r = run_new(false);

	(void)state;
	page_alloc(&r, 0, 100, 16, 0);
	page_alloc(&r, 0, 110, 18, 1);
	page_free(&r, 0, 200, 16, 2);
	expect(&r, "page_split 10 100-200 exact page_free\n"
		   "page_split 12 110-200 exact page_free\n"
		   "page_split 10 0-200 before page_free");
	assert_int_equal(r.last.bytes_alloc, 4096);
	page_alloc(&r, 0, 300, 16, 0);
	page_alloc(&r, 0, 310, 17, 0);
	page_free(&r, 0, 400, 16, 1);
	expect(&r, "page_split 10 300-400 exact page_free\n"
		   "page_split 11 310-400 exact page_free");
	finish(&r, 500, 0);
	expect(&r, "");
}

static void test_merged_free_large(void **state)
{
	struct run r = run_new(false);

	(void)state;
	page_alloc(&r, 0, 100, 4096, 8);
	page_alloc(&r, 0, 110, 4096 + 256, 7);
	page_alloc(&r, 0, 120, 4096 + 511, 0);
	page_free(&r, 0, 200, 4096, 9);
	expect(&r, "page_split 1000 100-200 exact page_free\n"
		   "page_split 1100 110-200 exact page_free\n"
		   "page_split 11ff 120-200 exact page_free\n"
		   "page_split 1000 0-200 before page_free");
	assert_int_equal(r.last.bytes_alloc, 4096 * 127);
	finish(&r, 500, 0);
}

static void test_reborn(void **state)
{
	struct run r = run_new(false);

	(void)state;
	/* The same block again. */
	page_alloc(&r, 0, 100, 16, 2);
	page_alloc(&r, 0, 5000, 16, 2);
	page_free(&r, 0, 9000, 16, 2);
	expect(&r, "page 10 100-5000 bounded reborn\n"
		   "page 10 5000-9000 exact page_free");
	/* A part of it. The rest is not known to be free. */
	page_alloc(&r, 0, 10000, 16, 2);
	page_alloc(&r, 0, 11000, 17, 0);
	expect(&r, "page_split 11 10000-11000 bounded reborn");
	/* A block around several. */
	page_alloc(&r, 0, 20000, 16, 3);
	expect(&r, "page_split 10 10000-20000 bounded reborn\n"
		   "page 11 11000-20000 bounded reborn\n"
		   "page_split 12 10000-20000 bounded reborn");
	page_free(&r, 0, 21000, 16, 3);
	expect(&r, "page 10 20000-21000 exact page_free");
	finish(&r, 30000, 0);
	expect(&r, "");
}

/* A block in doubt is freed in parts: the doubt is settled first. */
static void test_doubt_then_split(void **state)
{
	struct run r = run_new(false);

	(void)state;
	page_alloc(&r, 0, 100, 16, 1);
	r.task = NULL;
	page_alloc(&r, 0, 200, 16, 1);
	page_free(&r, 0, 300, 16, 0);
	page_free(&r, 0, 400, 17, 0);
	expect(&r, "page 10 100-200 bounded reborn\n"
		   "page_split 10 200-300 exact page_free\n"
		   "page_split 11 200-400 exact page_free");
	page_alloc(&r, 0, 500, 16, 1);
	page_alloc(&r, 0, 600, 16, 1);
	page_free(&r, 1, 610, 16, 1);	/* may be either's */
	page_free(&r, 0, 700, 16, 2);
	expect(&r, "page 10 500-600 uncertain page_free\n"
		   "page_split 10 600-700 uncertain page_free\n"
		   "page_split 10 0-700 before page_free");
	finish(&r, 30000, 0);
}

static void test_inversion(void **state)
{
	struct run r = run_new(false);

	(void)state;
	page_alloc(&r, 0, 100, 16, 1);
	r.task = NULL;
	page_alloc(&r, 1, 200, 16, 1);
	page_free(&r, 0, 210, 16, 1);
	page_free(&r, 1, 300, 16, 1);
	expect(&r, "page 10 100-200 exact page_free\n"
		   "page 10 200-300 exact page_free");
	finish(&r, 30000, 0);
}

static void test_gap(void **state)
{
	struct run r = run_new(false);

	(void)state;
	page_alloc(&r, 0, 100, 16, 1);
	r.gap_end = 150;
	page_free(&r, 0, 200, 16, 0);
	page_free(&r, 0, 200, 64, 0);
	expect(&r, "page_split 10 100-200 uncertain page_free\n"
		   "page 40 0-200 uncertain page_free");
	finish(&r, 300, 150);
	expect(&r, "page_split 11 100-300 uncertain alive");
}

/* Any mix of orders: pages of lifetimes add up to pages allocated and freed. */
static void test_conservation(void **state)
{
	uint64_t x = 88172645463325252ULL;
	struct run r = run_new(false);

	(void)state;
	r.last = (struct lt_lifetime){ 0 };
	for (uint64_t i = 0; i < 50000; i++) {
		uint8_t order;
		uint64_t pfn;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		order = (x >> 8) % 11;
		if ((x >> 40) & 3)
			order %= 3;
		pfn = (x >> 16) % 4096 & ~((1ULL << order) - 1);
		if (x & 1)
			page_alloc(&r, 0, i * 2000, pfn, order);
		else
			page_free(&r, x >> 60 & 1, i * 2000, pfn, order);
	}
	finish(&r, 200000000, 0);
	assert_int_equal(stats(&r)->bad, 0);
	assert_int_equal(r.pages_died + r.pages_open, r.pages_born);
	assert_true(r.pages_open <= 4096 + 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_before),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_split_all),
		cmocka_unit_test(test_merged_free),
		cmocka_unit_test(test_merged_free_large),
		cmocka_unit_test(test_reborn),
		cmocka_unit_test(test_doubt_then_split),
		cmocka_unit_test(test_inversion),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_conservation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
