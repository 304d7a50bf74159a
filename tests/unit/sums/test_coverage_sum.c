// SPDX-License-Identifier: GPL-2.0
/*
 * Coverage: of which caches a percentage is said, what error it has, and when there is none.
 */
#include "uapi/lifetrace_file.h"
#include "sums/coverage_sum.h"
#include "sums/report.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000100000ULL
#define SITE	0xffffffff81000100ULL
#define KERNEL	0xcc0U

/*
 * Of quiet 100 objects are born between the readings. Each object of noisy that is born may be one
 * of 1,000 that a CPU keeps.
 */
static struct tg *busy_trace(const char *info)
{
	struct tg_options o = { .info = info };
	struct tg *g = tg_new(&o);

	tg_text(g, LT_BLOCK_SLAB, "when=start clock=1000\n"
		"cache quiet active 400 total 900 objsize 192 slots_per_slab 4\n"
		"cache noisy active 5000 total 9000 objsize 8 slots_per_slab 500\n"
		"slabattr quiet cpu_slabs 2\nslabattr noisy cpu_slabs 2\n");
	TG_CACHE(g, 1, 900, .id = 3, .ptr = 0xffff888000900000ULL, .object_size = 192, .size = 192,
		 .name = "quiet");
	TG_CACHE(g, 1, 901, .id = 4, .ptr = 0xffff888000900100ULL, .object_size = 8, .size = 8,
		 .name = "noisy");
	tg_marker(g, 1, 1000, "lifetrace: slab start");
	tg_marker(g, 1, 1001, "lifetrace: slab start");
	for (unsigned int i = 0; i < 100; i++) {
		TG_CACHE_ALLOC(g, 0, 1100 + i, .ptr = PTR + i * 192, .call_site = SITE,
			       .gfp = KERNEL, .cache = 3, .node = -1);
		TG_CACHE_ALLOC(g, 0, 1100 + i, .ptr = PTR + 0x10000 + i * 8, .call_site = SITE,
			       .gfp = KERNEL, .cache = 4, .node = -1);
	}
	return g;
}

static void end_trace(struct tg *g, uint64_t quiet, struct lt_coverage_sum *sum)
{
	static const struct lt_report_options o = { .by = LT_BY_CACHE };
	struct lt_report *r;
	char text[300];
	const char *why;
	size_t n;

	tg_marker(g, 1, 5000, "lifetrace: slab end");
	tg_marker(g, 1, 5001, "lifetrace: slab end");
	tg_finish(g, 6000);
	snprintf(text, sizeof(text), "when=end clock=5000\n"
		 "cache quiet active %llu total 900 objsize 192 slots_per_slab 4\n"
		 "cache noisy active 5000 total 9000 objsize 8 slots_per_slab 500\n"
		 "slabattr quiet cpu_slabs 2\nslabattr noisy cpu_slabs 2\n",
		 (unsigned long long)quiet);
	tg_text(g, LT_BLOCK_SLAB, text);
	assert_int_equal(tg_write(g, test_path("s.lt"), 0), 0);
	tg_free(g);
	r = lt_report_make(test_path("s.lt"), &o);
	assert_non_null(r);
	assert_non_null(lt_coverage_rows(r->coverage, &n, sum, &why));
	lt_report_free(r);
}

/* The error of all caches is ten times their change; that of quiet alone is not. */
static void test_busy(void **state)
{
	struct lt_coverage_sum sum;

	(void)state;
	end_trace(busy_trace(NULL), 496, &sum);
	assert_int_equal(sum.caches, 2);
	assert_int_equal(sum.change, 96);
	assert_int_equal(sum.error, 1008);
	assert_int_equal(sum.apart, 104);
	assert_int_equal(sum.beyond, 0);
	assert_int_equal(sum.judged.caches, 1);
	assert_int_equal(sum.judged.change, 96);
	assert_int_equal(sum.judged.error, 8);
	assert_int_equal(sum.judged.apart, 4);
	assert_int_equal(sum.verdict, LT_COVERAGE_JUDGED);
	assert_null(lt_coverage_silence(&sum));
	/* The difference is within the error, and is not rounded away by it. */
	assert_true(lt_coverage_percent(&sum) == 100.0 * 92 / 96);
	assert_true(lt_coverage_percent_error(&sum) == 100.0 * 8 / 96);
	assert_true(lt_coverage_beyond_percent(&sum) == 100);
}

/* A cache of which the trace alone has a change is judged, too: what is apart there counts. */
static void test_traced_only(void **state)
{
	struct lt_coverage_sum sum;

	(void)state;
	end_trace(busy_trace(NULL), 405, &sum);
	assert_int_equal(sum.judged.caches, 1);
	assert_int_equal(sum.judged.change, 5);
	assert_int_equal(sum.judged.apart, 95);
	assert_int_equal(sum.beyond, 87);
	assert_int_equal(sum.verdict, LT_COVERAGE_ERROR);
	assert_string_equal(lt_coverage_silence(&sum), "error");
}

/* Nothing of the change is said where events were lost: they may be births or frees. */
static void test_lost(void **state)
{
	struct lt_coverage_sum sum;
	struct tg *g = busy_trace(NULL);

	(void)state;
	tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 3);
	end_trace(g, 500, &sum);
	assert_int_equal(sum.lost, 3);
	assert_int_equal(sum.verdict, LT_COVERAGE_LOST);
	assert_string_equal(lt_coverage_silence(&sum), "lost");

	/* A packet that is missing, of which the counters of the next one say what it had. */
	g = busy_trace(NULL);
	tg_drop(g, 0, 1300);
	TG_CACHE_ALLOC(g, 0, 1400, .ptr = PTR + 0x20000, .call_site = SITE, .gfp = KERNEL,
		       .cache = 3, .node = -1);
	end_trace(g, 500, &sum);
	assert_int_equal(sum.lost, 200);
	assert_int_equal(sum.verdict, LT_COVERAGE_LOST);

	/* Lost pages say nothing against the counters of slab objects. */
	g = busy_trace(NULL);
	tg_lost(g, 0, LT_CLASS_PAGE_FREE, TG_NMI, 3);
	end_trace(g, 500, &sum);
	assert_int_equal(sum.lost, 0);
}

/* With another value of a key of the INFO block, whose line is as long. */
static struct tg *filtered_trace(const char *line)
{
	struct tg *g = busy_trace(NULL);
	char *info = strdup(tg_info_text(g)), *at = strstr(info, line);

	assert_non_null(at);
	*(strchr(at, '=') + 1) = '8';
	tg_text(g, LT_BLOCK_INFO, info);
	free(info);
	return g;
}

/* Where the recorder left births out, the rest does not come to the kernel's change. */
static void test_filtered(void **state)
{
	struct lt_coverage_sum sum;

	(void)state;
	end_trace(filtered_trace("\nsample=1\n"), 500, &sum);
	assert_int_equal(sum.verdict, LT_COVERAGE_FILTERED);
	assert_string_equal(lt_coverage_silence(&sum), "filtered");
	end_trace(filtered_trace("\nmin_size=0\n"), 500, &sum);
	assert_int_equal(sum.verdict, LT_COVERAGE_FILTERED);
	end_trace(busy_trace("births_filtered=1\n"), 500, &sum);
	assert_int_equal(sum.verdict, LT_COVERAGE_FILTERED);
	end_trace(busy_trace(NULL), 500, &sum);
	assert_int_equal(sum.verdict, LT_COVERAGE_JUDGED);
}

static void test_percent(void **state)
{
	struct lt_coverage_sum s = {
		.change = 200, .beyond = 1, .judged = { .change = 200, .apart = 3, .error = 5 },
	};

	(void)state;
	assert_true(lt_coverage_percent(&s) == 98.5);
	assert_true(lt_coverage_percent_error(&s) == 2.5);
	assert_true(lt_coverage_beyond_percent(&s) == 99.5);
	s.judged.apart = 500;
	assert_true(lt_coverage_percent(&s) == 0);
	s = (struct lt_coverage_sum){ 0 };
	assert_true(lt_coverage_percent(&s) == 100);
	assert_true(lt_coverage_percent_error(&s) == 0);
	s.judged.apart = 1;
	assert_true(lt_coverage_percent(&s) == 0);
	assert_true(lt_coverage_beyond_percent(&s) == 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy), cmocka_unit_test(test_traced_only),
		cmocka_unit_test(test_lost), cmocka_unit_test(test_filtered),
		cmocka_unit_test(test_percent),
	};

	return cmocka_run_group_tests_name("coverage sum", tests, NULL, NULL);
}
