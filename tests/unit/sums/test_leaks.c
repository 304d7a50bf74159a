// SPDX-License-Identifier: GPL-2.0
/* Leaks, in traces of which each object's fate is known. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sums/leaks.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000100000ULL
#define SITE	0xffffffff81000100ULL
#define FREE	0xffffffff81000900ULL
#define BEGIN	1000ULL
#define END	1001000ULL
#define OLDER	100000ULL
#define NEVER	UINT64_MAX
#define STEP	100ULL		/* between two births */
#define QUICK	50ULL		/* life of a usual object */

/* A birth or a free. Times must not decrease, so all are made first, and sorted. */
struct happening {
	uint64_t time;
	uint64_t ptr;
	bool free;
};

struct script {
	struct happening *h;
	size_t n;
	size_t cap;
	uint64_t next;
};

static void put(struct script *s, uint64_t time, uint64_t ptr, bool is_free)
{
	s->h = lt_grow(s->h, &s->cap, s->n, sizeof(*s->h));
	s->h[s->n++] = (struct happening){ time, ptr, is_free };
}

static void object(struct script *s, uint64_t birth, uint64_t life)
{
	uint64_t ptr = PTR + 0x1000 * s->next++;

	put(s, birth, ptr, false);
	if (life != NEVER && birth + life < END)
		put(s, birth + life, ptr, true);
}

static int by_time(const void *a, const void *b)
{
	const struct happening *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->ptr < y->ptr ? -1 : x->ptr > y->ptr;
}

/* Writes the trace, with a loss at that time if it is not 0, and looks for leaks. */
static unsigned int sample;	/* that the next trace is of; 0: none */

static struct lt_leak_row judge_as(struct script *s, uint64_t lost_at,
				   struct lt_leak_options o, const char *symbols)
{
	struct tg *g = tg_new(&(struct tg_options){ .sample = sample });
	struct lt_leak_row row = { 0 };
	struct lt_leaks *l;
	struct lt_trace *t;
	uint64_t lossy_to = 0;

	qsort(s->h, s->n, sizeof(*s->h), by_time);
	TG_TASK(g, 0, BEGIN, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	for (size_t i = 0; i < s->n; i++) {
		const struct happening *h = &s->h[i];

		/* A loss may be anywhere in its packet, which is kept short. */
		if (lossy_to && h->time >= lossy_to) {
			tg_close(g, 0, h->time);
			lossy_to = 0;
		}
		if (lost_at && h->time >= lost_at) {
			tg_close(g, 0, h->time);
			tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 3);
			lossy_to = lost_at + 1000;
			lost_at = 0;
		}
		if (h->free)
			tg_kfree(g, 0, h->time, h->ptr, FREE);
		else
			TG_KMALLOC(g, 0, h->time, .ptr = h->ptr, .call_site = SITE,
				   .bytes_req = 100, .bytes_alloc = 128, .gfp = 0xcc0, .node = -1);
	}
	if (symbols)
		tg_text(g, LT_BLOCK_SYMBOLS, symbols);
	tg_finish(g, END);
	assert_int_equal(tg_write(g, test_path("leaks.lt"), 0), 0);
	t = lt_trace_open(test_path("leaks.lt"));
	assert_non_null(t);
	l = lt_leaks_make(t, &o);
	assert_non_null(l);
	if (l->n_rows) {
		assert_int_equal(l->n_rows, 1);
		row = l->rows[0];
		assert_int_equal(row.site, SITE);
		assert_int_equal(l->n_sure, row.doubt == LT_LEAK_SURE);
	}
	lt_leaks_free(l);
	lt_trace_close(t);
	tg_free(g);
	free(s->h);
	return row;
}

static struct lt_leak_row judge(struct script *s, uint64_t lost_at, uint64_t older)
{
	return judge_as(s, lost_at, (struct lt_leak_options){ .older_ns = older }, NULL);
}

/* Births at equal distances; of those born in [from, to) the n-th ones stay. */
static struct script births(uint64_t n, uint64_t from, uint64_t to)
{
	struct script s = { .n = 0 };
	uint64_t i = 0;

	for (uint64_t time = BEGIN; time < END; time += STEP)
		object(&s, time, time >= from && time < to && !(++i % n) ? NEVER : QUICK);
	return s;
}

/* One object of 200 is forgotten: 10,000 births, 50 leaks, of which 45 become old. */
static void test_leak(void **state)
{
	struct script s = births(200, BEGIN, END);
	struct lt_leak_row row = judge(&s, 0, OLDER);

	(void)state;
	assert_int_equal(row.doubt, LT_LEAK_SURE);
	assert_int_equal(row.births, 10000);
	assert_int_equal(row.live, 50);
	assert_int_equal(row.live_bytes, 50 * 128);
	assert_int_equal(row.old, 45);
	assert_int_equal(row.old_bytes, 45 * 128);
	assert_int_equal(row.maybe, 0);
	assert_int_equal(row.late, 0);
	/* 45 in 900,000 ns. */
	assert_true(row.growth > 49900 && row.growth < 50100);
	assert_true(row.bytes_growth > 128 * 49900.0 && row.bytes_growth < 128 * 50100.0);
	assert_true(lt_leak_grows(&row));
}

/* With gaps between them that vary as chance has it. */
static void test_random_leak(void **state)
{
	uint64_t x = 88172645463325252ULL;
	struct script s = { .n = 0 };

	(void)state;
	for (uint64_t time = BEGIN; time < END; time += STEP) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		object(&s, time, x >> 20 & 0xff ? QUICK + (x & 0x3fff) : NEVER);
	}
	assert_int_equal(judge(&s, 0, OLDER).doubt, LT_LEAK_SURE);
}

/* A cache that fills: the growth ends in the middle, though it was great before. */
static void test_filling(void **state)
{
	struct script s = births(10, BEGIN, END / 2);
	struct lt_leak_row row = judge(&s, 0, OLDER);

	(void)state;
	assert_true(lt_leak_grows(&row));
	assert_int_equal(row.doubt, LT_LEAK_NOT_STEADY);
	/* Or it becomes slower. */
	s = (struct script){ .n = 0 };
	for (uint64_t time = BEGIN, i = 0; time < END; time += STEP, i++)
		object(&s, time, (i % (4 + i / 100)) ? QUICK : NEVER);
	assert_int_equal(judge(&s, 0, OLDER).doubt, LT_LEAK_UNEVEN);
}

/* Objects that stay come all at once. */
static void test_burst(void **state)
{
	struct script s = births(1, 400000, 410000);
	struct lt_leak_row row = judge(&s, 0, OLDER);

	(void)state;
	assert_int_equal(row.old, 100);
	assert_false(lt_leak_grows(&row));
	assert_int_equal(row.doubt, LT_LEAK_NOT_STEADY);
}

/* A slow ramp of objects that are all kept: it grows, and is not called a leak. */
static void test_kept(void **state)
{
	struct script s = { .n = 0 };
	struct lt_leak_row row;

	(void)state;
	for (uint64_t time = BEGIN; time < END; time += 20 * STEP)
		object(&s, time, NEVER);
	row = judge(&s, 0, OLDER);
	assert_true(lt_leak_grows(&row));
	assert_int_equal(row.doubt, LT_LEAK_KEPT);
}

/* One of 20 becomes old; of these half are freed later: the other half may be, too. */
static void test_late(void **state)
{
	struct script s = { .n = 0 };
	struct lt_leak_row row;

	(void)state;
	for (uint64_t time = BEGIN, i = 0; time < END; time += STEP, i++)
		object(&s, time, i % 20 ? QUICK : i % 40 ? NEVER : 2 * OLDER);
	row = judge(&s, 0, OLDER);
	assert_true(row.late > 150);
	assert_int_equal(row.doubt, LT_LEAK_LATE);
}

/* All objects live long, and come and go: the first fill the place that is seen as empty. */
static void test_steady_state(void **state)
{
	struct script s = { .n = 0 };

	(void)state;
	for (uint64_t time = BEGIN; time < END; time += STEP)
		object(&s, time, time / STEP % 3 ? QUICK : 3 * OLDER);
	assert_int_equal(judge(&s, 0, OLDER).doubt, LT_LEAK_LATE);
}

static void test_few(void **state)
{
	struct script s = births(1000, BEGIN, END);
	struct lt_leak_row row = judge(&s, 0, OLDER);

	(void)state;
	assert_int_equal(row.old, 9);
	assert_int_equal(row.doubt, LT_LEAK_FEW);
	/* Nothing is old. */
	s = births(100000, BEGIN, END);
	assert_int_equal(judge(&s, 0, OLDER).births, 0);
}

/* Frees were lost after the births: what has no end need not be alive. */
static void test_loss(void **state)
{
	struct script s = births(200, BEGIN, END);
	struct lt_leak_row row = judge(&s, END - 1000, OLDER);

	(void)state;
	assert_int_equal(row.old, 0);
	assert_int_equal(row.maybe, 45);
	assert_int_equal(row.doubt, LT_LEAK_UNCERTAIN);
	/* Lost at the begin: only what was born before is uncertain. */
	s = births(200, BEGIN, END);
	row = judge(&s, 30000, OLDER);
	assert_int_equal(row.maybe, 1);
	assert_int_equal(row.old + row.maybe, 45);
	assert_int_equal(row.doubt, LT_LEAK_SURE);
}

static void test_short(void **state)
{
	struct script s = births(200, BEGIN, END);
	struct lt_leak_row row = judge(&s, 0, 600000);

	(void)state;
	assert_int_equal(row.doubt, LT_LEAK_SHORT);
	assert_false(lt_leak_grows(&row));
	/* By default a third of the trace. */
	s = births(200, BEGIN, END);
	row = judge(&s, 0, 0);
	assert_int_equal(row.doubt, LT_LEAK_SURE);
	assert_int_equal(row.old, 33);
}

/* What the module lifetrace allocates, in any task, goes when the trace ends. */
static void test_own(void **state)
{
	static const char own[] = "ffffffff81000000 t get\t[lifetrace]\n";
	static const char other[] = "ffffffff81000000 t get\t[lifetrace2]\n";
	struct lt_leak_options o = { .older_ns = OLDER };
	struct script s = births(200, BEGIN, END);

	(void)state;
	assert_int_equal(judge_as(&s, 0, o, own).doubt, LT_LEAK_SURE);
	o.no_recorder = true;
	s = births(200, BEGIN, END);
	assert_int_equal(judge_as(&s, 0, o, own).births, 0);
	s = births(200, BEGIN, END);
	assert_int_equal(judge_as(&s, 0, o, other).births, 10000);
	s = births(200, BEGIN, END);
	assert_int_equal(judge_as(&s, 0, o, NULL).births, 10000);
}

/*
 * The trace begins long before its first allocation: what was watched is the time after that, of
 * which a third is the default age, and by which the growth is. One object of 20 is forgotten.
 */
static void test_watched(void **state)
{
	const uint64_t first = BEGIN + 700000;
	struct script s = { .n = 0 };
	struct lt_leak_row row;
	uint64_t i = 0;

	(void)state;
	for (uint64_t time = first; time < END; time += STEP)
		object(&s, time, ++i % 20 ? QUICK : NEVER);
	row = judge(&s, 0, 0);
	assert_int_equal(row.births, 3000);
	assert_int_equal(row.live, 150);
	assert_int_equal(row.old, 100);
	assert_int_equal(row.doubt, LT_LEAK_SURE);
	assert_true(row.growth > 0.95 * 1e9 / (20 * STEP) && row.growth < 1.05 * 1e9 / (20 * STEP));
}

/* Of a sample the numbers are those of all, and the verdict is that on what was recorded. */
static void test_sample(void **state)
{
	struct script s[3] = { births(200, BEGIN, END), births(200, BEGIN, END),
			       births(200, BEGIN, END) };
	struct lt_leak_options o = { .older_ns = OLDER, .estimate = true };
	struct lt_leak_row row, all, recorded;
	struct lt_interval in;

	(void)state;
	all = judge_as(&s[0], 0, o, NULL);
	sample = 8;
	recorded = judge(&s[1], 0, OLDER);
	row = judge_as(&s[2], 0, o, NULL);
	sample = 0;
	assert_int_equal(recorded.births, all.births);
	assert_true(all.births_off.var == 0 && recorded.births_off.var == 0);
	assert_int_equal(row.births, 8 * all.births);
	assert_int_equal(row.old_bytes, 8 * all.old_bytes);
	assert_int_equal(row.doubt, all.doubt);
	assert_true(row.growth == 8 * all.growth && row.steady == all.steady);
	/* Each at an address of its own: N * (N - 1) * n. */
	assert_true(row.old_off.var == 56.0 * (double)all.old);
	assert_true(row.births_off.var == 56.0 * (double)all.births);
	in = lt_spread_interval(&row.old_off, row.old);
	assert_true(in.low < row.old && row.old < in.high && in.low >= all.old);
	in = lt_spread_interval(&all.old_off, all.old);
	assert_true(in.low == all.old && in.high == all.old);
}

static void test_names(void **state)
{
	(void)state;
	for (int i = 0; i < LT_N_LEAK_DOUBTS; i++) {
		assert_non_null(lt_leak_doubt_name((enum lt_leak_doubt)i));
		assert_non_null(lt_leak_doubt_text((enum lt_leak_doubt)i));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leak), cmocka_unit_test(test_random_leak),
		cmocka_unit_test(test_filling), cmocka_unit_test(test_burst),
		cmocka_unit_test(test_kept), cmocka_unit_test(test_late),
		cmocka_unit_test(test_steady_state), cmocka_unit_test(test_few),
		cmocka_unit_test(test_loss), cmocka_unit_test(test_short),
		cmocka_unit_test(test_sample), cmocka_unit_test(test_own),
		cmocka_unit_test(test_watched), cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("leaks", tests, NULL, NULL);
}
