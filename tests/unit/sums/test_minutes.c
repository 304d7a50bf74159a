// SPDX-License-Identifier: GPL-2.0
/*
 * Minutes: in which one a lifetime counts, and that all rows together are all lifetimes, however
 * few rows fit into memory.
 */
#include "lifetimes/read.h"
#include "sums/minutes.h"
#include "reporttest.h"

#define MINUTE	(60 * 1000000000ULL)

struct got {
	struct lt_minutes *m;
	struct lt_minute_options opts;
	const struct lt_trace *trace;
	struct lt_minute_row rows[64];
	uint64_t powers[64][LT_MINUTE_POWERS];
	size_t n;
};

static void take(void *arg, const struct lt_minutes *m, const struct lt_minute_row *row)
{
	struct got *g = arg;

	(void)m;
	assert_true(g->n < 64);
	for (unsigned int i = 0; i < row->n_powers; i++)
		g->powers[g->n][i] = row->powers[i];
	g->rows[g->n++] = *row;
}

static void ended(void *arg, const struct lt_lifetime *l)
{
	struct got *g = arg;

	if (!g->m)
		g->m = lt_minutes_new(g->trace, &g->opts);
	lt_minutes_add(g->m, l);
}

static const struct lt_cache *cache(void *arg, uint32_t id)
{
	return lt_trace_cache(((struct got *)arg)->trace, id);
}

/*
 * A: 64 bytes for 1024 ns in minute 1; 64 bytes from minute 1 to 3; 64 bytes from minute 2 on.
 * B: 128 bytes from minute 1 on; an object that was there before is freed in minute 2.
 */
static void make(struct got *got, bool by_site, size_t most)
{
	struct tg *g = new_trace();
	struct lt_lifetime_ops ops = { .ended = ended, .cache = cache, .arg = got };
	struct lt_trace *t;

	born(g, MINUTE, 1, A, 64);
	freed(g, MINUTE + 1024, 1);
	born(g, MINUTE + 2000, 2, A, 64);
	born(g, MINUTE + 3000, 3, B, 128);
	freed(g, 2 * MINUTE, 9);
	born(g, 2 * MINUTE + 1000, 4, A, 64);
	freed(g, 3 * MINUTE + 2000, 2);
	tg_finish(g, 4 * MINUTE);
	assert_int_equal(tg_write(g, test_path("minutes.lt"), 0), 0);
	tg_free(g);
	memset(got, 0, sizeof(*got));
	t = lt_trace_open(test_path("minutes.lt"));
	got->trace = t;
	got->opts = (struct lt_minute_options){ .site = by_site, .row = take, .arg = got,
						.most = most };
	lt_lifetimes_read(t, &ops);
	lt_minutes_flush(got->m);
	lt_minutes_free(got->m);
	lt_trace_close(t);
}

static void test_minutes(void **state)
{
	struct got g;

	(void)state;
	make(&g, true, 0);
	assert_int_equal(g.n, 5);
	/* Minute 1: two of A, of which one has ended; one of B, which stays. */
	assert_int_equal(g.rows[0].key.minute, 1);
	assert_int_equal(g.rows[0].key.site, A);
	assert_int_equal(g.rows[0].births, 2);
	assert_int_equal(g.rows[0].bytes, 128);
	assert_int_equal(g.rows[0].exact, 1);
	assert_int_equal(g.rows[0].exact_ns, 1024);
	assert_int_equal(g.rows[0].n_powers, 11);
	assert_int_equal(g.powers[0][10], 1);
	assert_int_equal(g.rows[0].ended_bytes, 64);
	assert_int_equal(g.rows[0].open, 0);
	assert_int_equal(g.rows[1].key.site, B);
	assert_int_equal(g.rows[1].open, 1);
	assert_int_equal(g.rows[1].open_bytes, 128);
	assert_int_equal(g.rows[1].exact, 0);
	/* Minute 2: what was there before has no site. */
	assert_int_equal(g.rows[2].key.minute, 2);
	assert_int_equal(g.rows[2].key.site, 0);
	assert_int_equal(g.rows[2].before, 1);
	assert_int_equal(g.rows[2].births, 0);
	assert_int_equal(g.rows[3].key.site, A);
	assert_int_equal(g.rows[3].open, 1);
	/* Minute 3: an end without a birth. */
	assert_int_equal(g.rows[4].key.minute, 3);
	assert_int_equal(g.rows[4].births, 0);
	assert_int_equal(g.rows[4].exact, 1);
	assert_int_equal(g.rows[4].exact_ns, 2 * MINUTE);
	assert_int_equal(g.powers[4][36], 1);
}

static void sum(const struct got *g, struct lt_minute_row *all)
{
	memset(all, 0, sizeof(*all));
	for (size_t i = 0; i < g->n; i++) {
		all->births += g->rows[i].births;
		all->bytes += g->rows[i].bytes;
		all->exact += g->rows[i].exact;
		all->exact_ns += g->rows[i].exact_ns;
		all->ended_bytes += g->rows[i].ended_bytes;
		all->before += g->rows[i].before;
		all->open_bytes += g->rows[i].open_bytes;
	}
}

/* With room for two rows, more rows come out, and their sums are the same. */
static void test_few(void **state)
{
	struct lt_minute_row a, b;
	struct got g;

	(void)state;
	make(&g, true, 0);
	sum(&g, &a);
	make(&g, true, 2);
	assert_true(g.n > 5);
	sum(&g, &b);
	assert_memory_equal(&a, &b, sizeof(a));
	make(&g, false, 0);
	assert_int_equal(g.n, 4);		/* of one minute, those of no birth are a row */
	sum(&g, &b);
	assert_memory_equal(&a, &b, sizeof(a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_minutes),
		cmocka_unit_test(test_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
