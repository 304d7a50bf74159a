// SPDX-License-Identifier: GPL-2.0
/*
 * A live view: what is alive, what has happened in an interval, and what a second event of one
 * allocation takes back.
 */
#include "live/live.h"
#include "reporttest.h"

#define MS	1000000ULL

static const struct lt_live_options by_site = { .by = 1U << LT_BY_SITE | 1U << LT_BY_PROCESS };

/* A view of a trace, and as many events as it wants. */
struct view {
	struct lt_trace *t;
	struct lt_live *l;
	struct lt_event next;
	bool more;
};

static void open_view(struct view *v, struct tg *g, const struct lt_live_options *o)
{
	assert_int_equal(tg_write(g, test_path("live.lt"), 0), 0);
	tg_free(g);
	v->t = lt_trace_open(test_path("live.lt"));
	assert_non_null(v->t);
	v->l = lt_live_new(v->t, o);
	v->more = lt_trace_next(v->t, &v->next) > 0;
}

static void close_view(struct view *v)
{
	lt_live_free(v->l);
	lt_trace_close(v->t);
}

/* The table at a time, after all events up to it. */
static const struct lt_live_table *table_at(struct view *v, enum lt_report_by by, uint64_t time)
{
	while (v->more && v->next.time <= time) {
		lt_live_event(v->l, &v->next);
		v->more = lt_trace_next(v->t, &v->next) > 0;
	}
	lt_live_tick(v->l, time);
	return lt_live_table(v->l, by);
}

static const struct lt_live_row *row_of(const struct lt_live_table *t, uint64_t site)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->rows[i]->site == site)
			return t->rows[i];
	}
	fail_msg("there is no row of 0x%llx", (unsigned long long)site);
	return NULL;
}

/* A: 128 bytes at 1 ms, and at 3 ms, the first of which is freed at 4 ms. B: 64 from 3 to 6 ms. */
static struct tg *usual_trace(void)
{
	struct tg *g = new_trace();

	born(g, 1 * MS, 1, A, 128);
	born(g, 3 * MS, 2, A, 128);
	born(g, 3 * MS + 1, 3, B, 64);
	freed(g, 4 * MS, 1);
	freed(g, 6 * MS, 3);
	tg_finish(g, 9 * MS);
	return g;
}

static void test_intervals(void **state)
{
	const struct lt_live_table *t;
	const struct lt_live_row *row;
	struct view v;

	(void)state;
	open_view(&v, usual_trace(), &by_site);
	t = table_at(&v, LT_BY_SITE, 2 * MS);
	assert_int_equal(t->n, 1);
	assert_int_equal(t->since, 1 * MS);	/* the first allocation */
	row = row_of(t, A);
	assert_int_equal(row->alive, 1);
	assert_int_equal(row->alive_bytes, 128);
	assert_int_equal(row->oldest, 1 * MS);
	assert_true(lt_live_births(t, row) == 1000);
	assert_true(lt_live_growth(t, row) == 128000);
	assert_int_equal(t->certainty[LT_OPEN], 1);

	t = table_at(&v, LT_BY_SITE, 5 * MS);
	assert_int_equal(t->n, 2);
	assert_int_equal(t->time - t->since, 3 * MS);
	row = row_of(t, A);
	assert_int_equal(row->alive, 1);
	assert_int_equal(row->oldest, 3 * MS);
	assert_int_equal(row->last.births, 1);
	assert_int_equal(row->last.frees, 1);
	assert_int_equal(row->count.births, 2);
	assert_true(lt_live_growth(t, row) == 0);
	assert_int_equal(row_of(t, B)->alive_bytes, 64);
	assert_int_equal(t->all->alive_bytes, 192);
	assert_int_equal(t->certainty[LT_EXACT], 1);

	/* Nothing but the end of B's object. */
	t = table_at(&v, LT_BY_SITE, 8 * MS);
	assert_int_equal(row_of(t, B)->alive, 0);
	assert_int_equal(row_of(t, B)->oldest, UINT64_MAX);
	assert_int_equal(row_of(t, B)->last.frees, 1);
	assert_int_equal(row_of(t, A)->last.births, 0);
	lt_live_finish(v.l);
	t = lt_live_table(v.l, LT_BY_SITE);
	assert_int_equal(t->all->alive_bytes, 128);
	assert_int_equal(t->certainty[LT_OPEN], 1);
	assert_int_equal(t->certainty[LT_EXACT], 2);
	close_view(&v);
}

static void test_process(void **state)
{
	const struct lt_live_table *t;
	struct view v;
	char buf[64];

	(void)state;
	open_view(&v, usual_trace(), &by_site);
	t = table_at(&v, LT_BY_PROCESS, 5 * MS);
	assert_int_equal(t->n, 1);
	assert_string_equal(lt_live_label(v.l, t->rows[0], LT_BY_PROCESS, buf, sizeof(buf)), "cat");
	assert_int_equal(t->rows[0]->tasks, 1);
	assert_int_equal(t->rows[0]->alive_bytes, 192);
	close_view(&v);
}

/* A birth at an address that was in use ends the object that was there, unseen. */
static void test_reborn(void **state)
{
	const struct lt_live_table *t;
	struct tg *g = new_trace();
	struct view v;

	(void)state;
	born(g, 1 * MS, 1, A, 128);
	born(g, 4 * MS, 1, B, 64);
	born(g, 5 * MS, 2, B, 64);
	tg_finish(g, 9 * MS);
	open_view(&v, g, &by_site);
	t = table_at(&v, LT_BY_SITE, 6 * MS);
	assert_int_equal(row_of(t, A)->alive + row_of(t, A)->maybe, 0);
	assert_int_equal(row_of(t, B)->alive, 2);
	assert_int_equal(t->all->count.births - t->all->count.frees, 2);
	assert_int_equal(t->certainty[LT_BOUNDED], 1);
	close_view(&v);
}

/* Events were lost: what was alive then may be gone. */
static void test_loss(void **state)
{
	const struct lt_live_table *t;
	struct tg *g = new_trace();
	struct view v;

	(void)state;
	born(g, 1 * MS, 1, A, 128);
	tg_close(g, 0, 2 * MS);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 3);
	born(g, 4 * MS, 2, B, 64);
	tg_finish(g, 9 * MS);
	open_view(&v, g, &by_site);
	t = table_at(&v, LT_BY_SITE, 9 * MS);
	assert_int_equal(row_of(t, A)->alive, 0);
	assert_int_equal(row_of(t, A)->maybe_bytes, 128);
	assert_int_equal(t->loss.lost, 3);
	assert_true(t->gaps >= 1);
	close_view(&v);
}

/* Percentiles of a window forget; without one, what is alive counts for them. */
static void test_window(void **state)
{
	struct lt_live_options o = by_site;
	const struct lt_live_table *t;
	struct tg *g = new_trace();
	struct view v;
	uint64_t ns;

	(void)state;
	o.window_ns = 4 * MS;
	born(g, 1 * MS, 1, A, 128);
	freed(g, 2 * MS, 1);
	born(g, 8 * MS, 2, A, 128);
	freed(g, 8 * MS + 1000, 2);
	tg_finish(g, 20 * MS);
	open_view(&v, g, &o);
	t = table_at(&v, LT_BY_SITE, 3 * MS);
	assert_true(lt_live_percentile(v.l, row_of(t, A), 50, &ns));
	assert_true(ns > MS / 2);
	table_at(&v, LT_BY_SITE, 5 * MS);
	table_at(&v, LT_BY_SITE, 7 * MS);
	t = table_at(&v, LT_BY_SITE, 8 * MS + 2000);
	assert_true(lt_live_percentile(v.l, row_of(t, A), 50, &ns));
	assert_true(ns < 2000);
	table_at(&v, LT_BY_SITE, 12 * MS);
	t = table_at(&v, LT_BY_SITE, 16 * MS);
	assert_false(lt_live_percentile(v.l, row_of(t, A), 50, &ns));
	close_view(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_reborn),
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_window),
	};

	return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
