// SPDX-License-Identifier: GPL-2.0
/*
 * Timelines: births and ends by part of the time, by call site.
 */
#include <string.h>

#include "lifetimes/profile.h"
#include "lifetimes/timeline.h"
#include "reporttest.h"

static uint64_t sum(const uint64_t parts[LT_TIMELINE_PARTS])
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < LT_TIMELINE_PARTS; i++)
		n += parts[i];
	return n;
}

static void add(void *arg, const struct lt_profile *p, const struct lt_lifetime *l, uint64_t cache)
{
	(void)p;
	lt_timeline_add(arg, l, cache);
}

/* The timeline of a trace, by the pass of a profile. */
static struct lt_timeline *timeline(struct lt_report *r)
{
	struct lt_profile_options opts = {
		.report = r->opts, .made = r, .levels = { LT_LEVEL_CACHE }, .n_levels = 1,
		.lifetime = add, .arg = lt_timeline_new(r),
	};
	struct lt_profile *p = lt_profile_make(test_path("t.lt"), &opts);

	assert_non_null(p);
	assert_ptr_equal(p->report, r);
	assert_int_equal(p->all.births, r->all.births);
	lt_profile_free(p);
	return opts.arg;
}

/* From 1000 to 11000: a part is 101 ns, as the last one must have the end. */
static void test_parts(void **state)
{
	static const struct lt_report_options opts = { .by = LT_BY_CACHE };
	const struct lt_timeline_row *row;
	struct tg *g = new_trace();
	struct lt_timeline *tl;
	struct lt_report *r;

	(void)state;
	born(g, 1000, 0, A, 100);
	born(g, 1100, 1, A, 200);
	born(g, 1101, 2, B, 50);
	freed(g, 1202, 0);
	freed(g, 11000, 2);
	tg_finish(g, 11000);
	assert_int_equal(tg_write(g, test_path("t.lt"), 0), 0);
	r = lt_report_make(test_path("t.lt"), &opts);
	assert_non_null(r);
	tl = timeline(r);
	assert_non_null(tl);
	assert_int_equal(tl->begin, 1000);
	assert_int_equal(tl->step, 101);
	row = lt_timeline_row(&tl->sites, A);
	assert_non_null(row);
	assert_int_equal(row->births[0], 2);
	assert_int_equal(sum(row->births), 2);
	assert_int_equal(row->ends[2], 1);
	assert_int_equal(sum(row->ends), 1);
	assert_int_equal(row->bytes[0] - row->ended_bytes[2], r->all.live_bytes);
	row = lt_timeline_row(&tl->sites, B);
	assert_int_equal(row->births[1], 1);
	assert_int_equal(row->ends[99], 1);
	assert_int_equal(sum(tl->all.births), r->all.births);
	assert_int_equal(sum(tl->all.bytes), r->all.bytes);
	assert_null(lt_timeline_row(&tl->sites, 12345));
	assert_int_equal(sum(lt_timeline_row(&tl->sites, 0)->births), 0);
	lt_timeline_free(tl);
	lt_report_free(r);
	tg_free(g);
}

/* Call sites above the limit have no row, and are in the sum. */
static void test_limit(void **state)
{
	static const struct lt_report_options opts = { .by = LT_BY_CACHE };
	struct tg *g = new_trace();
	struct lt_timeline *tl;
	struct lt_report *r;

	(void)state;
	for (unsigned int i = 0; i < LT_TIMELINE_ROWS + 10; i++) {
		born(g, 1000 + 2 * i, 0, A + 16 * i, 100);
		freed(g, 1001 + 2 * i, 0);
	}
	tg_finish(g, 20000);
	assert_int_equal(tg_write(g, test_path("t.lt"), 0), 0);
	r = lt_report_make(test_path("t.lt"), &opts);
	tl = timeline(r);
	assert_non_null(tl);
	assert_int_equal(tl->sites.n, LT_TIMELINE_ROWS + 1);
	assert_non_null(lt_timeline_row(&tl->sites, A + 16 * (LT_TIMELINE_ROWS - 1)));
	assert_null(lt_timeline_row(&tl->sites, A + 16 * LT_TIMELINE_ROWS));
	assert_int_equal(sum(tl->all.births), LT_TIMELINE_ROWS + 10);
	lt_timeline_free(tl);
	lt_report_free(r);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts), cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
