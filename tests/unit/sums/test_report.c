// SPDX-License-Identifier: GPL-2.0
/*
 * Reports: every sum of a row, with values on both sides of each limit.
 */
#include "uapi/lifetrace_file.h"
#include "reporttest.h"

/* ------------------------------------------------------------------------
 * Peak and end
 */

static void test_peak(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1010, 1, A, 128);
	born(g, 1020, 2, A, 128);
	born(g, 1030, 3, B, 64);	/* 320, the first time */
	freed(g, 1040, 1);
	born(g, 1050, 4, B, 64);
	born(g, 1060, 5, B, 64);	/* 320 again: with other objects */
	freed(g, 1070, 99);		/* its birth was not seen */
	tg_finish(g, 2000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(r->peak_bytes, 320);
	assert_int_equal(r->peak_time, 1030);
	assert_int_equal(at(r, A)->peak, 2);
	assert_int_equal(at(r, A)->peak_bytes, 256);
	assert_int_equal(at(r, B)->peak, 1);
	assert_int_equal(at(r, B)->peak_bytes, 64);
	assert_int_equal(at(r, A)->live, 1);
	assert_int_equal(at(r, A)->live_bytes, 128);
	assert_int_equal(at(r, B)->live, 3);
	assert_int_equal(at(r, B)->live_bytes, 192);
	assert_int_equal(at(r, A)->births, 2);
	assert_int_equal(at(r, A)->bytes, 256);
	assert_int_equal(count_rows(r), 2);
	assert_int_equal(r->stats.certainty[LT_SPACE_SLAB][LT_BEFORE], 1);
	done(r, g);
}

/* An object that was given to kfree_rcu counts neither for the peak nor as alive. */
static void test_peak_rcu(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1010, 1, A, 1024);
	tg_rcu_free(g, 0, 1020, PTR + 0x10000, F);
	born(g, 1030, 2, B, 1024);
	freed(g, 1040, 1);		/* the end of the grace period */
	tg_finish(g, 2000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(r->peak_bytes, 1024);
	assert_int_equal(r->peak_time, 1010);
	assert_int_equal(at(r, A)->peak, 1);
	assert_int_equal(at(r, B)->peak, 0);
	assert_int_equal(at(r, A)->live, 0);
	assert_int_equal(at(r, B)->live, 1);
	assert_int_equal(lt_hist_percentile(&at(r, A)->life, 50), 10);
	done(r, g);
}

/* Of an address that is allocated again one object is alive, not two. */
static void test_reborn(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1000, 1, A, 128);
	born(g, 21000, 1, B, 64);
	tg_finish(g, 40000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(r->peak_bytes, 128);
	assert_int_equal(at(r, A)->live, 0);
	assert_int_equal(at(r, A)->births, 1);
	assert_int_equal(at(r, A)->life.n, 0);
	/* It may have died at once: its length is not known, nor what it outlived. */
	assert_int_equal(at(r, A)->longs, 0);
	assert_int_equal(at(r, A)->shorts, 0);
	assert_int_equal(at(r, A)->other_cpu, 0);
	assert_int_equal(at(r, B)->live, 1);
	assert_int_equal(at(r, B)->longs, 1);
	count_rows(r);
	done(r, g);
}

/*
 * Events were lost during its life: birth and free may be of two objects, so that the time
 * between them does not count.
 */
static void test_uncertain(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1000, 1, A, 64);
	tg_close(g, 0, 1001);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 1);
	tg_open(g, 0, 1100);
	freed(g, 21000, 1);
	tg_finish(g, 40000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(r->stats.certainty[LT_SPACE_SLAB][LT_UNCERTAIN], 1);
	assert_int_equal(at(r, A)->births, 1);
	assert_int_equal(at(r, A)->longs, 0);
	assert_int_equal(at(r, A)->within, 0);
	assert_int_equal(at(r, A)->other_cpu, 0);
	assert_int_equal(at(r, A)->life.n, 0);
	count_rows(r);
	done(r, g);
}

/* The frees of three objects were lost: they may be alive at the end or not. */
static void test_lost_frees(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		born(g, 1000 + i, i, A, 64);
	tg_close(g, 0, 1010);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 3);
	tg_open(g, 0, 1100);
	born(g, 21000, 4, B, 64);
	tg_finish(g, 40000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(r->stats.certainty[LT_SPACE_SLAB][LT_UNCERTAIN], 3);
	assert_int_equal(r->stats.certainty[LT_SPACE_SLAB][LT_OPEN], 1);
	assert_int_equal(at(r, A)->live, 0);
	assert_int_equal(at(r, A)->maybe, 3);
	assert_int_equal(at(r, A)->maybe_bytes, 192);
	assert_int_equal(r->all.live, 1);
	done(r, g);
}

static void test_empty(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	tg_finish(g, 2000);
	r = report(g, LT_BY_CACHE);
	assert_int_equal(count_rows(r), 0);
	assert_int_equal(r->peak_bytes, 0);
	assert_int_equal(r->all.births, 0);
	done(r, g);
	test_stderr_begin();
	assert_null(lt_report_make(test_path("there-is-none"), &usual));
	assert_non_null(strstr(test_stderr_end(), "there-is-none"));
}

static void test_limits(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1000, 1, A, 64);
	freed(g, 2000, 1);		/* 1000 ns: short */
	born(g, 3000, 2, A, 64);
	freed(g, 4001, 2);		/* 1001 ns: not short */
	born(g, 5000, 3, B, 64);
	freed(g, 9999, 3);		/* 4999 ns: not long */
	born(g, 10000, 4, B, 64);
	freed(g, 15000, 4);		/* 5000 ns: long */
	born(g, 16000, 5, B, 64);	/* alive for 5001 ns */
	born(g, 16002, 6, B, 64);	/* alive for 4999 ns */
	tg_finish(g, 21001);
	r = report(g, LT_BY_SITE);
	assert_int_equal(at(r, A)->shorts, 1);
	assert_int_equal(at(r, A)->longs, 0);
	assert_int_equal(at(r, B)->shorts, 0);
	assert_int_equal(at(r, B)->longs, 2);
	assert_int_equal(r->all.shorts, 1);
	assert_int_equal(r->all.longs, 2);
	done(r, g);
}

/* What is alive at the end counts in the percentiles, with the age that it has. */
static void test_percentiles(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;
	uint64_t ns;

	(void)state;
	for (unsigned int i = 0; i < 10; i++)
		born(g, 1000 + i, i, A, 64);
	freed(g, 1020, 0);		/* 20 ns */
	freed(g, 1031, 1);		/* 30 ns */
	born(g, 1040, 20, B, 64);
	freed(g, 1050, 20);		/* 10 ns */
	born(g, 1060, 21, B, 64);
	born(g, 1061, 22, B, 64);
	freed(g, 1101, 22);		/* 40 ns */
	tg_finish(g, 1110);		/* the other one is 50 ns old */
	r = report(g, LT_BY_SITE);
	assert_int_equal(at(r, A)->life.n, 2);
	assert_int_equal(at(r, A)->ages.n, 8);
	assert_true(lt_report_percentile(at(r, A), 10, &ns));
	assert_int_equal(ns, 20);
	assert_true(lt_report_percentile(at(r, A), 20, &ns));
	assert_int_equal(ns, 30);
	assert_false(lt_report_percentile(at(r, A), 50, &ns));
	assert_int_equal(ns, 108);
	assert_true(lt_report_percentile(at(r, B), 50, &ns));
	assert_int_equal(ns, 40);
	assert_false(lt_report_percentile(at(r, B), 90, &ns));
	assert_int_equal(ns, 50);
	assert_int_equal(r->all.ages.n, 9);
	done(r, g);
}

/* Allocations of all call sites count as further ones, but not that of the object. */
static void test_within(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1000, 1, A, 64);
	born(g, 1001, 2, B, 64);
	born(g, 1002, 3, B, 64);
	freed(g, 90000, 1);		/* two allocations since: within */
	born(g, 90001, 4, A, 64);
	born(g, 90002, 5, B, 64);
	born(g, 90003, 6, B, 64);
	born(g, 90004, 7, B, 64);
	freed(g, 90005, 4);		/* three allocations since */
	freed(g, 90006, 7);		/* none since */
	tg_finish(g, 100000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(at(r, A)->within, 1);
	assert_int_equal(at(r, B)->within, 1);
	assert_int_equal(at(r, A)->births, 2);
	done(r, g);
}

static void test_elsewhere(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	for (unsigned int i = 0; i < 5; i++)
		born(g, 1000 + i, i, A, 64);
	freed(g, 5000, 0);
	tg_kfree(g, 1, 5001, PTR + 0x10000, F);
	tg_context(g, 0, LT_CTX_SOFTIRQ);
	freed(g, 5002, 2);
	tg_context(g, 1, LT_CTX_HARDIRQ);
	tg_kfree(g, 1, 5003, PTR + 0x30000, F);
	/* kfree_rcu counts, not the kfree that gives the memory back. */
	tg_context(g, 0, LT_CTX_TASK);
	tg_rcu_free(g, 0, 5004, PTR + 0x40000, F);
	tg_kfree(g, 1, 5005, PTR + 0x40000, F);
	tg_finish(g, 6000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(at(r, A)->births, 5);
	assert_int_equal(at(r, A)->other_cpu, 2);
	assert_int_equal(at(r, A)->other_context, 2);
	assert_int_equal(at(r, A)->live, 0);
	done(r, g);
}

static void test_waste(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	TG_CACHE(g, 0, 1000, .id = 3, .ptr = 0xffff888000900000ULL, .object_size = 192, .size = 200,
		 .name = "dentry");
	TG_KMALLOC(g, 0, 1001, .ptr = PTR, .call_site = A, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = KERNEL, .node = -1);
	TG_KMALLOC(g, 0, 1002, .ptr = PTR + 64, .call_site = A, .bytes_req = 64, .bytes_alloc = 64,
		   .gfp = KERNEL, .node = -1);
	TG_CACHE_ALLOC(g, 0, 1003, .ptr = PTR + 0x1000, .call_site = B, .gfp = KERNEL, .cache = 3,
		       .node = -1);
	TG_BULK_ALLOC(g, 0, 1004, .ptr = PTR + 0x2000, .call_site = B, .gfp = KERNEL, .cache = 3,
		      .node = -1);
	/* A cache without a description has no sizes, and so no slack. */
	TG_CACHE_ALLOC(g, 0, 1005, .ptr = PTR + 0x3000, .call_site = F, .gfp = KERNEL, .cache = 4,
		       .node = -1);
	tg_finish(g, 6000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(at(r, A)->waste, 4);
	assert_int_equal(at(r, A)->bytes, 128);
	assert_int_equal(at(r, B)->waste, 16);
	assert_int_equal(at(r, B)->bytes, 400);
	assert_int_equal(at(r, F)->waste, 0);
	assert_int_equal(at(r, F)->bytes, 0);
	assert_int_equal(r->all.waste, 20);
	done(r, g);
}

/* ------------------------------------------------------------------------
 * A cache can be described after its first objects, in another stream
 */

static void cache_later(enum lt_report_by by)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	TG_CACHE_ALLOC(g, 0, 1000, .ptr = PTR, .call_site = A, .gfp = KERNEL, .cache = 5,
		       .node = -1);
	TG_CACHE_ALLOC(g, 0, 1001, .ptr = PTR + 64, .call_site = A, .gfp = KERNEL, .cache = 5,
		       .node = -1);
	tg_cache_free(g, 0, 1002, PTR, F, 5);
	TG_CACHE_ALLOC(g, 0, 1003, .ptr = PTR + 0x1000, .call_site = B, .gfp = KERNEL, .cache = 6,
		       .node = -1);	/* never described */
	TG_CACHE(g, 1, 1004, .id = 5, .ptr = PTR + 0x10000, .object_size = 50, .size = 56,
		 .name = "things");
	TG_CACHE_ALLOC(g, 1, 1005, .ptr = PTR + 128, .call_site = B, .gfp = KERNEL, .cache = 5,
		       .node = -1);
	tg_finish(g, 3000);
	r = report(g, by);
	assert_int_equal(r->all.live_bytes, 112);
	assert_int_equal(r->peak_bytes, 112);
	/* The first time that two objects were alive. */
	assert_int_equal(r->peak_time, 1001);
	assert_int_equal(count_rows(r), 2);
	assert_int_equal(at(r, A)->peak, 2);
	done(r, g);
}

/* Reports that are made together are those that are made one by one. */
static void test_together(void **state)
{
	struct lt_report_options opts[] = { { .by = LT_BY_CACHE }, { .by = LT_BY_SITE } };
	struct lt_report *r[2], *alone;
	struct tg *g = new_trace();

	(void)state;
	born(g, 1000, 1, A, 128);
	born(g, 1010, 2, B, 64);
	freed(g, 1020, 1);
	born(g, 1030, 3, B, 64);
	tg_finish(g, 2000);
	alone = report(g, LT_BY_SITE);
	assert_int_equal(lt_reports_make(test_path("r.lt"), opts, 2, r, NULL), 0);
	assert_ptr_equal(r[0]->trace, r[1]->trace);
	assert_int_equal(r[0]->all.births, 3);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(r[i]->peak_bytes, 192);
		assert_int_equal(r[i]->peak_time, 1010);
		assert_int_equal(r[i]->watched, alone->watched);
		assert_int_equal(r[i]->all.peak, 2);
		assert_memory_equal(&r[i]->stats, &alone->stats, sizeof(alone->stats));
	}
	assert_int_equal(at(r[1], A)->peak, at(alone, A)->peak);
	assert_int_equal(at(r[1], B)->live_bytes, 128);
	assert_int_equal(at(r[1], B)->births, at(alone, B)->births);
	lt_report_free(r[1]);
	lt_report_free(r[0]);
	assert_int_equal(lt_reports_make(test_path("missing.lt"), opts, 2, r, NULL), -1);
	assert_null(r[0]);
	assert_null(r[1]);
	lt_report_free(NULL);
	done(alone, g);
}

static void test_cache_later(void **state)
{
	(void)state;
	cache_later(LT_BY_SITE);
}

static void test_cache_later_by_size(void **state)
{
	(void)state;
	cache_later(LT_BY_SIZE);
}

/* A lifetime that is no plain one makes room in the histogram that plain ones wait for. */
static void test_settled(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .brief = true });
	struct lt_report *r;

	(void)state;
	born(g, 1010, 9, A, 1ULL << 33);	/* too large for a plain one */
	for (unsigned int i = 0; i < 3; i++)
		born(g, 1020 + i, i, A, 128);
	for (unsigned int i = 0; i < 3; i++)
		freed(g, 9020 + i, i);
	freed(g, 9030, 9);
	born(g, 9040, 9, A, 1ULL << 33);
	born(g, 9050, 1, A, 128);
	freed(g, 17050, 1);
	freed(g, 17060, 9);
	born(g, 17070, 9, A, 1ULL << 33);
	born(g, 17080, 1, A, 128);
	freed(g, 25080, 1);
	freed(g, 117070, 9);			/* of another power of two */
	tg_finish(g, 200000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(at(r, A)->life.n, 8);
	assert_int_equal(lt_hist_log2(&at(r, A)->life, 12), 7);
	assert_int_equal(lt_hist_log2(&at(r, A)->life, 16), 1);
	assert_int_equal(lt_hist_percentile(&at(r, A)->life, 50) / 100, 80);
	done(r, g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_peak),
		cmocka_unit_test(test_peak_rcu),
		cmocka_unit_test(test_reborn),
		cmocka_unit_test(test_uncertain),
		cmocka_unit_test(test_lost_frees),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_within),
		cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_waste),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_cache_later),
		cmocka_unit_test(test_cache_later_by_size),
		cmocka_unit_test(test_settled),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
