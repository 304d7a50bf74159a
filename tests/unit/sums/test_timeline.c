// SPDX-License-Identifier: GPL-2.0
/*
 * Timelines: births and ends by part of the time, by call site.
 */
#include <string.h>

#include "cuttest.h"
#include "sums/profile.h"
#include "sums/timeline.h"
#include "reporttest.h"

static uint64_t sum(const uint64_t parts[LT_TIMELINE_PARTS])
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < LT_TIMELINE_PARTS; i++)
		n += parts[i];
	return n;
}

/* The timeline of a trace, by the pass of a profile. */
static struct lt_timeline *timeline_of(struct lt_report *r, const char *path)
{
	struct lt_profile_options opts = {
		.report = r->opts, .made = r, .levels = { LT_LEVEL_CACHE }, .n_levels = 1,
		.line = lt_timeline_new(lt_trace_end(r->trace)),
	};
	struct lt_profile *p = lt_profile_make(path, &opts);

	assert_non_null(p);
	assert_ptr_equal(p->report, r);
	assert_int_equal(p->all.births, r->all.births);
	lt_profile_free(p);
	return opts.line;
}

static struct lt_timeline *timeline(struct lt_report *r)
{
	return timeline_of(r, test_path("t.lt"));
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

/* What a part of a recording begins with was not born in it. */
static void test_older(void **state)
{
	static const struct lt_report_options opts = { .by = LT_BY_CACHE };
	const struct cut_options o = { .seed = 3, .events = 4000 };
	struct cut_table tables[2] = { 0 };
	uint64_t begin, end, cut, older = 0;
	struct cut_lives lives = { 0 };
	struct lt_timeline *tl;
	struct lt_report *r;
	struct tg *g;

	(void)state;
	g = cut_make(&o, &begin, &end);
	cut = begin + (end - begin) / 2;
	cut_write(g, &o, &cut, 1, tables);
	cut_read(test_path("part.1"), &lives, NULL, NULL);
	r = lt_report_make(test_path("part.1"), &opts);
	assert_non_null(r);
	assert_int_equal(r->watched, cut);
	for (size_t i = 0; i < lives.n; i++) {
		const struct lt_lifetime *l = &lives.lives[i].l;

		older += l->birth.known && l->space == LT_SPACE_SLAB && l->birth.time < cut;
	}
	assert_true(older > 5);
	tl = timeline_of(r, test_path("part.1"));
	assert_int_equal(tl->all.older, older);
	assert_int_equal(sum(tl->all.births), r->all.births);
	assert_int_equal(sum(tl->all.bytes), r->all.bytes);
	assert_int_equal(sum(tl->all.bytes) + tl->all.older_bytes - sum(tl->all.ended_bytes),
			 r->all.live_bytes + r->all.maybe_bytes);
	lt_timeline_free(tl);
	lt_report_free(r);
	cut_lives_free(&lives);
	cut_table_free(&tables[0]);
	cut_table_free(&tables[1]);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts), cmocka_unit_test(test_limit),
		cmocka_unit_test(test_older),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
