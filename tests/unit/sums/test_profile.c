// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles: paths and what they add up, at each instant, within their limit.
 */
#include <stdio.h>
#include <string.h>

#include "sums/profile.h"
#include "reporttest.h"

static const struct lt_profile_options by_task = {
	.report = { .short_ns = 1000, .within = 2, .long_ns = 5000 },
	.levels = { LT_LEVEL_TASK, LT_LEVEL_SITE }, .n_levels = 2, .max = true,
};

/*
 * By cat from A: 0 of 100 bytes from 1000 to 1300, 1 of 200 bytes from 1100 on. By cat from B:
 * 2 of 50 bytes from 1400 to 1500. By an interrupt of it from B: 3 of 10 bytes from 1600 on.
 */
static struct tg *make_trace(void)
{
	struct tg *g = new_trace();

	born(g, 1000, 0, A, 100);
	born(g, 1100, 1, A, 200);
	freed(g, 1300, 0);
	born(g, 1400, 2, B, 50);
	freed(g, 1500, 2);
	tg_context(g, 0, LT_CTX_SOFTIRQ);
	born(g, 1600, 3, B, 10);
	tg_finish(g, 5000);
	return g;
}

static struct lt_profile *profile(struct tg *g, const struct lt_profile_options *o)
{
	struct lt_profile *p;

	assert_int_equal(tg_write(g, test_path("p.lt"), 0), 0);
	p = lt_profile_make(test_path("p.lt"), o);
	assert_non_null(p);
	return p;
}

static void finish(struct lt_profile *p, struct tg *g)
{
	lt_profile_free(p);
	tg_free(g);
}

static const struct lt_profile_row *find(const struct lt_profile *p, enum lt_frame_kind kind,
					 const char *name, uint64_t site)
{
	static struct lt_path path;

	for (size_t i = 0; i < p->n_rows; i++) {
		lt_profile_path(p, &p->rows[i], &path);
		assert_int_equal(path.n, p->opts.n_levels);
		if (path.frames[0].kind == kind && !strcmp(path.frames[0].name, name) &&
		    path.frames[path.n - 1].addr == site)
			return &p->rows[i];
	}
	fail_msg("there is no row of %s", name);
	return NULL;
}

static void test_rows(void **state)
{
	struct tg *g = make_trace();
	struct lt_profile *p = profile(g, &by_task);
	const struct lt_profile_row *row = find(p, LT_FRAME_TASK, "cat", A);

	(void)state;
	assert_int_equal(p->n_rows, 3);
	assert_int_equal(p->instant, 5000);
	assert_int_equal(row->births, 2);
	assert_int_equal(row->bytes, 300);
	assert_int_equal(row->at, 1);
	assert_int_equal(row->at_bytes, 200);
	assert_int_equal(row->max, 2);
	assert_int_equal(row->max_bytes, 300);
	assert_int_equal(row->exact, 1);
	assert_int_equal(row->exact_ns, 300);
	assert_int_equal(row->open, 1);
	assert_int_equal(row->open_ns, 3900);
	assert_int_equal(row->peak_bytes, 0);	/* not asked for */
	row = find(p, LT_FRAME_TASK, "cat", B);
	assert_int_equal(row->births, 1);
	assert_int_equal(row->at, 0);
	assert_int_equal(row->exact_ns, 100);
	row = find(p, LT_FRAME_INTERRUPT, "softirq", B);
	assert_int_equal(row->births, 1);
	assert_int_equal(row->at_bytes, 10);
	assert_int_equal(p->all.births, 4);
	assert_int_equal(p->all.at_bytes, 210);
	assert_int_equal(p->all.max_bytes, 300);
	assert_int_equal(p->other.births, 0);
	finish(p, g);
}

/* What is alive: an object is from its birth on, and no more at its end. */
static void test_instants(void **state)
{
	static const struct { uint64_t time, objects, bytes; } rows[] = {
		{ 999, 0, 0 }, { 1000, 1, 100 }, { 1299, 2, 300 }, { 1300, 1, 200 },
		{ 1450, 2, 250 }, { 5000, 2, 210 },
	};
	struct lt_profile_options o = by_task;
	struct tg *g = make_trace();
	struct lt_profile *p;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t objects = 0, bytes = 0;

		o.at = LT_AT_TIME;
		o.time = rows[i].time;
		p = profile(g, &o);
		for (size_t k = 0; k < p->n_rows; k++) {
			objects += p->rows[k].at;
			bytes += p->rows[k].at_bytes;
		}
		assert_int_equal(objects, rows[i].objects);
		assert_int_equal(bytes, rows[i].bytes);
		assert_int_equal(p->all.at_bytes, bytes);
		assert_int_equal(p->all.births, 4);
		lt_profile_free(p);
	}
	o.at = LT_AT_PEAK;
	p = profile(g, &o);
	assert_int_equal(p->instant, 1100);
	assert_int_equal(p->all.at_bytes, 300);
	assert_int_equal(find(p, LT_FRAME_TASK, "cat", A)->at, 2);
	finish(p, g);
}

/* What was alive at the peak, beside what is alive at the end. */
static void test_peak(void **state)
{
	struct lt_profile_options o = by_task;
	struct tg *g = make_trace();
	struct lt_profile *p;

	(void)state;
	o.peak = true;
	p = profile(g, &o);
	assert_int_equal(p->peak, 1100);
	assert_int_equal(p->instant, 5000);
	assert_int_equal(p->all.peak, 2);
	assert_int_equal(p->all.peak_bytes, 300);
	assert_int_equal(p->all.at_bytes, 210);
	assert_int_equal(find(p, LT_FRAME_TASK, "cat", A)->peak_bytes, 300);
	assert_int_equal(find(p, LT_FRAME_TASK, "cat", A)->at_bytes, 200);
	assert_int_equal(find(p, LT_FRAME_TASK, "cat", B)->peak_bytes, 0);
	finish(p, g);
}

/* Steps as text: + or -, the time, the bytes and the row of each. */
static void write_step(void *arg, const struct lt_profile *p, const struct lt_profile_step *s)
{
	char *text = arg;

	assert_true(s->row < p->n_rows);
	for (uint32_t i = 0; i < s->n; i++)
		sprintf(text + strlen(text), "%c%d:%d@%d ", s->born ? '+' : '-', (int)s->time,
			(int)s->bytes, (int)s->row);
}

static void expect_steps(struct tg *g, const struct lt_profile_options *opts, const char *expected)
{
	struct lt_profile_options o = *opts;
	char text[1024] = "";

	o.step = write_step;
	o.arg = text;
	finish(profile(g, &o), g);
	assert_string_equal(text, expected);
}

static void test_steps(void **state)
{
	struct lt_profile_options o = by_task;
	struct tg *g = new_trace();

	(void)state;
	expect_steps(make_trace(), &by_task, "+1000:100@0 +1100:200@0 -1300:100@0 +1400:50@1 "
					     "-1500:50@1 +1600:10@2 ");
	o.report.space = LT_SPACE_PAGE;
	o.n_levels = 1;
	tg_page_alloc(g, 0, 1000, 64, KERNEL, 1, 0);
	tg_page_free(g, 0, 2000, 64, 0);
	tg_finish(g, 5000);
	expect_steps(g, &o, "+1000:8192@0 -2000:8192@0 +2000:4096@0 +2000:4096@0 -2000:4096@0 ");
}

static void write_lifetime(void *arg, const struct lt_profile *p, const struct lt_lifetime *l,
			   uint64_t cache)
{
	char *text = arg, name[64];

	assert_string_equal(lt_cache_key_name(p->trace, cache, name, sizeof(name)), "kmalloc-100");
	sprintf(text + strlen(text), "%d+%d ", (int)l->birth.time, (int)lt_lifetime_ns(l));
}

static void write_marker(void *arg, const struct lt_profile *p, uint64_t time, const char *s)
{
	char *text = arg;

	(void)p;
	sprintf(text + strlen(text), "%s@%d ", s, (int)time);
}

/* Lifetimes come when they are decided, markers in between. */
static void test_lifetimes(void **state)
{
	struct lt_profile_options o = by_task;
	struct tg *g = new_trace();
	char text[1024] = "";

	(void)state;
	born(g, 1000, 0, A, 100);
	born(g, 1100, 1, A, 100);
	tg_marker(g, 0, 1200, "half");
	freed(g, 1300, 0);
	tg_marker(g, 0, 1400, "end");
	tg_finish(g, 5000);
	o.lifetime = write_lifetime;
	o.marker = write_marker;
	o.arg = text;
	finish(profile(g, &o), g);
	assert_string_equal(text, "half@1200 1000+300 end@1400 1100+3900 ");
}

/* One allocation that the kernel traces twice is one birth, of the second call site. */
static void test_traced_twice(void **state)
{
	struct tg *g = new_trace();
	struct lt_profile *p;

	(void)state;
	born(g, 1000, 0, A, 16384);
	TG_TASK(g, 1, 1005, .tid = 18, .tgid = 18, .start = 60, .comm = "dog");
	TG_KMALLOC(g, 1, 1005, .ptr = PTR + 0x10000, .call_site = A, .bytes_req = 64,
		   .bytes_alloc = 64, .gfp = KERNEL, .node = -1);
	TG_TASK(g, 0, 1010, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	born(g, 1010, 0, B, 16384);
	freed(g, 2000, 0);
	tg_finish(g, 5000);
	assert_int_equal(tg_write(g, test_path("p.lt"), 0), 0);
	p = lt_profile_make(test_path("p.lt"), &by_task);
	assert_non_null(p);
	assert_int_equal(p->all.births, 2);
	lt_profile_free(p);
	expect_steps(g, &by_task, "+1000:16384@2 +1005:64@1 -2000:16384@2 ");
}

/* Beyond the limit nothing is lost but the paths. */
static void test_limit(void **state)
{
	struct lt_profile_options o = by_task;
	struct tg *g = make_trace();
	struct lt_profile *p;
	struct lt_path path;

	(void)state;
	o.max_rows = 1;
	o.levels[0] = LT_LEVEL_SITE;
	o.n_levels = 1;
	p = profile(g, &o);
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(p->rows[0].births, 2);
	assert_int_equal(p->other.births, 2);
	assert_int_equal(p->other.at_bytes, 10);
	assert_int_equal(p->other.exact, 1);
	assert_int_equal(p->all.births, 4);
	lt_profile_path(p, &p->other, &path);
	assert_int_equal(path.n, 1);
	assert_int_equal(path.frames[0].kind, LT_FRAME_OTHER);
	finish(p, g);
}

/* The name of a task is the one that it had at the birth, and its row stays until the end. */
static void test_names(void **state)
{
	struct tg *g = new_trace();
	struct lt_profile *p;

	(void)state;
	born(g, 1000, 0, A, 100);
	TG_TASK(g, 0, 1100, .tid = 17, .tgid = 17, .start = 50, .comm = "tac");
	born(g, 1200, 1, A, 30);
	freed(g, 1300, 0);
	tg_finish(g, 5000);
	p = profile(g, &by_task);
	assert_int_equal(p->n_rows, 2);
	assert_int_equal(find(p, LT_FRAME_TASK, "cat", A)->births, 1);
	assert_int_equal(find(p, LT_FRAME_TASK, "cat", A)->now, 0);
	assert_int_equal(find(p, LT_FRAME_TASK, "cat", A)->max_bytes, 100);
	assert_int_equal(find(p, LT_FRAME_TASK, "tac", A)->at_bytes, 30);
	finish(p, g);
}

/* A page block that is freed in halves is one allocation, and each half is alive on its own. */
static void test_halves(void **state)
{
	struct lt_profile_options o = by_task;
	struct tg *g = new_trace();
	struct lt_profile *p;

	(void)state;
	o.report.space = LT_SPACE_PAGE;
	o.n_levels = 1;
	tg_page_alloc(g, 0, 1000, 64, KERNEL, 1, 0);
	tg_page_free(g, 0, 2000, 64, 0);
	tg_finish(g, 5000);
	o.at = LT_AT_TIME;
	o.time = 1500;
	p = profile(g, &o);
	assert_int_equal(p->all.births, 1);
	assert_int_equal(p->all.bytes, 8192);
	assert_int_equal(p->all.at_bytes, 8192);
	assert_int_equal(p->rows[0].births, 1);
	lt_profile_free(p);
	o.time = 2500;
	p = profile(g, &o);
	assert_int_equal(p->all.at, 1);
	assert_int_equal(p->all.at_bytes, 4096);
	assert_int_equal(p->rows[0].at_bytes, 4096);
	finish(p, g);
}

/* The rows are in order of the levels, whatever was born first. */
static void test_order(void **state)
{
	struct lt_profile_options o = by_task;
	struct tg *g = new_trace();
	struct lt_profile *p;
	struct lt_path path;

	(void)state;
	born(g, 1000, 0, B, 100);
	born(g, 1100, 1, A, 100);
	tg_finish(g, 5000);
	o.levels[0] = LT_LEVEL_SITE;
	o.levels[1] = LT_LEVEL_TASK;
	p = profile(g, &o);
	assert_int_equal(p->n_rows, 2);
	lt_profile_path(p, &p->rows[0], &path);
	assert_int_equal(path.n, 2);
	assert_int_equal(path.frames[0].addr, A);
	assert_int_equal(path.frames[1].kind, LT_FRAME_TASK);
	lt_profile_path(p, &p->rows[1], &path);
	assert_int_equal(path.frames[0].addr, B);
	finish(p, g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_instants),
		cmocka_unit_test(test_peak),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_lifetimes),
		cmocka_unit_test(test_traced_twice),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_halves),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
