// SPDX-License-Identifier: GPL-2.0
/*
 * Coverage: kmem_cache_free of objects older than the trace, where it does not name the cache.
 */
#include "uapi/lifetrace_file.h"
#include "sums/report.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000100000ULL
#define SITE	0xffffffff81000100ULL

/* Of 12 frees by kmem_cache_free and one by kfree; the counters of two caches at the end. */
static void sums(const char *end, struct lt_coverage_sum *sum)
{
	static const struct lt_report_options o = { .by = LT_BY_CACHE };
	struct tg *g = tg_new(NULL);
	struct lt_report *r;
	const char *why;
	size_t n;

	tg_text(g, LT_BLOCK_SLAB, "when=start clock=1000\nshrunk 2 of 2\n"
		"cache dentry active 100 total 900 objsize 192 slots_per_slab 21\n"
		"cache kmalloc-64 active 50 total 900 objsize 64 slots_per_slab 64\n");
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	tg_marker(g, 0, 1001, "lifetrace: slab start");
	for (unsigned int i = 0; i < 12; i++)
		tg_cache_free(g, 0, 1100 + i, PTR + i * 192, SITE, 0);
	tg_kfree(g, 0, 1200, PTR + 0x9000, SITE);
	tg_marker(g, 0, 5000, "lifetrace: slab end");
	tg_marker(g, 0, 5001, "lifetrace: slab end");
	tg_finish(g, 6000);
	tg_text(g, LT_BLOCK_SLAB, end);
	assert_int_equal(tg_write(g, test_path("u.lt"), 0), 0);
	tg_free(g);
	r = lt_report_make(test_path("u.lt"), &o);
	assert_non_null(r);
	assert_non_null(lt_coverage_rows(r->coverage, &n, sum, &why));
	assert_int_equal(sum->unknown_cache_frees, 12);
	assert_int_equal(sum->unknown_frees, 1);
	lt_report_free(r);
}

/* They explain what caches other than kmalloc's have lost. */
static void test_explained(void **state)
{
	struct lt_coverage_sum sum;

	(void)state;
	sums("when=end clock=5000\nshrunk 2 of 2\n"
	     "cache dentry active 88 total 900 objsize 192 slots_per_slab 21\n"
	     "cache kmalloc-64 active 49 total 900 objsize 64 slots_per_slab 64\n", &sum);
	assert_int_equal(sum.change, 12 + 1);
	assert_int_equal(sum.apart, 0);
	assert_int_equal(sum.beyond, 0);
}

/* They explain nothing of kmalloc's, and what is left of them is a difference. */
static void test_other_family(void **state)
{
	struct lt_coverage_sum sum;

	(void)state;
	sums("when=end clock=5000\nshrunk 2 of 2\n"
	     "cache dentry active 95 total 900 objsize 192 slots_per_slab 21\n"
	     "cache kmalloc-64 active 40 total 900 objsize 64 slots_per_slab 64\n", &sum);
	assert_int_equal(sum.change, 5 + 10);
	assert_int_equal(sum.apart, 7 + 9);
	assert_int_equal(sum.beyond, 7 + 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_explained),
		cmocka_unit_test(test_other_family),
	};

	return cmocka_run_group_tests_name("coverage_unknown", tests, NULL, NULL);
}
