// SPDX-License-Identifier: GPL-2.0
/*
 * Differences: between runs with and without a leak, between equal ones, between two instants;
 * and traces that cannot be compared.
 */
#include <math.h>

#include "uapi/lifetrace_file.h"
#include "base/log.h"
#include "compare/diff.h"
#include "out/log.h"
#include "print/diff.h"
#include "reporttest.h"

#define RUNS	6
#define SITES	5

static const char symbols[] = "ffffffff81000000 T make_0\nffffffff81001000 T make_1\n"
			      "ffffffff81002000 T make_2\nffffffff81003000 T make_3\n"
			      "ffffffff81004000 T make_4\nffffffff81005000 T drop\n";

static uint64_t seed = 3;

static unsigned int chance(unsigned int n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)((seed >> 33) % n);
}

static char *path_of(const char *name, unsigned int n)
{
	char file[32];

	snprintf(file, sizeof(file), "%s%u.lt", name, n);
	return strdup(test_path(file));
}

/*
 * A load of some hundred objects; some stay for a reason. If @leak, make_1 and make_3 also forget
 * some. @mark: 0; 8: it is a sample of one in 8; 9: of kernel 9; 'n': all of make_0 stay; 'u': some
 * frees are not watched
 */
static char *load(const char *name, unsigned int number, bool leak, char mark,
		  unsigned int objects)
{
	struct tg *g = tg_new(NULL);
	char *path = path_of(name, number), *info;
	uint64_t time = 1000;

	if (mark == 'u')
		tg_text(g, LT_BLOCK_EVENTS, "kmalloc\ttracepoint\twatched\nkfree\ttracepoint\twatched\n"
			"bulk_free\tfunction\tnot watched\tno such way\n");
	else if (mark && mark != 'n') {
		info = strdup(tg_info_text(g));
		*strchr(strstr(info, mark == '8' ? "sample=1" : "release=6") + 7,
			mark == '8' ? '1' : '6') = mark;
		tg_text(g, LT_BLOCK_INFO, info);
		free(info);
	}
	tg_text(g, LT_BLOCK_SYMBOLS, symbols);
	TG_TASK(g, 0, 900, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	for (unsigned int i = 0; i < objects; i++) {
		unsigned int site = i % SITES;
		bool stays = !chance(20) || (leak && (site == 1 || site == 3) && !chance(4)) ||
			     (mark == 'n' && !site);

		born(g, time += 100, i, A + site * 0x1000, 64);
		if (i == objects / 2)
			tg_marker(g, 0, time, "half");
		if (i == objects / 4 || i == objects / 4 * 3)
			tg_marker(g, 0, time, "twice");
		if (!stays)
			tg_kfree(g, 0, time += 50 + chance(100), PTR + i * 0x10000ULL, F);
	}
	tg_marker(g, 0, time, "done");
	tg_finish(g, 200000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	return path;
}

static struct lt_diff *compare(char **paths, size_t n_old, size_t n_new, enum lt_correction how)
{
	struct lt_diff_options o = {
		.report = usual, .paths = { (const char *const *)paths,
					    (const char *const *)paths + n_old },
		.n = { n_old, n_new }, .correction = how,
	};

	return lt_diff_make(&o);
}

static void free_paths(char **paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
}

static char *printed(struct lt_diff *d, enum lt_format format, bool moments)
{
	struct lt_out out = LT_OUT_INIT(-1);
	struct lt_diff_view view = { .out = &out, .format = format, .sort = LT_DIFF_ALIVE_BYTES,
				     .moments = moments };

	lt_diff_print(d, &view);
	lt_out_char(&out, 0);
	return out.buf;
}

/* Both paths that leak come first, with a small p, and no other one has one. */
static void test_leak(void **state)
{
	char *paths[2 * RUNS], *text;

	(void)state;
	for (unsigned int i = 0; i < 2 * RUNS; i++)
		paths[i] = load("leak", i, i >= RUNS, 0, 300 + chance(20));
	for (int how = LT_BENJAMINI_HOCHBERG; how <= LT_HOLM; how++) {
		struct lt_diff *d = compare(paths, RUNS, RUNS, (enum lt_correction)how);
		unsigned int found = 0;

		assert_non_null(d);
		assert_true(d->tested);
		assert_false(d->offsets);
		assert_int_equal(d->n_rows, SITES);
		text = printed(d, LT_FORMAT_TEXT, false);
		assert_non_null(strstr(text, "old: 6 traces"));
		free(text);
		for (size_t i = 0; i < d->n_rows; i++) {
			const struct lt_diff_row *row = &d->rows[i];
			bool leaks = !strcmp(row->site, "make_1") || !strcmp(row->site, "make_3");

			assert_string_equal(row->cache, "kmalloc-64");
			assert_int_equal(leaks, i < 2);
			assert_int_equal(leaks, row->p[LT_DIFF_ALIVE_BYTES] < 0.05);
			assert_int_equal(leaks, row->lifetimes_p < 0.001);
			found += leaks;
		}
		assert_int_equal(found, 2);
		lt_diff_free(d);
	}
	free_paths(paths, 2 * RUNS);
}

/* What is only perhaps alive is not alive: that is said, with its number. */
static void test_perhaps(void **state)
{
	char *paths[] = { load("perhaps", 0, false, 'u', 300), load("perhaps", 1, true, 'u', 300) };
	struct lt_diff *d = compare(paths, 1, 1, LT_HOLM);
	char number[64];

	(void)state;
	assert_non_null(d);
	assert_true(d->all.mean[LT_NEW][LT_DIFF_ALLOCATIONS] > 299);
	assert_true(d->all.mean[LT_OLD][LT_DIFF_ALIVE] + d->all.mean[LT_NEW][LT_DIFF_ALIVE] < 1);
	assert_true(d->perhaps[LT_OLD] > 0 && d->perhaps[LT_OLD] < d->perhaps[LT_NEW]);
	snprintf(number, sizeof(number), "%u and %u objects are only perhaps",
		 (unsigned int)d->perhaps[LT_OLD], (unsigned int)d->perhaps[LT_NEW]);
	assert_non_null(strstr(d->notes.s, number));
	lt_diff_free(d);
	free_paths(paths, 2);
}

/*
 * A row that is not chance stands before one whose change is greater, but in some runs of both
 * sides: a leak is small beside what caches keep.
 */
static void test_noise(void **state)
{
	static const bool noisy[2 * RUNS] = { 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1 };
	char *paths[2 * RUNS], *text;
	struct lt_diff *d;

	(void)state;
	for (unsigned int i = 0; i < 2 * RUNS; i++)
		paths[i] = load("noise", i, i >= RUNS, noisy[i] ? 'n' : 0, 300);
	d = compare(paths, RUNS, RUNS, LT_BENJAMINI_HOCHBERG);
	text = printed(d, LT_FORMAT_TEXT, false);
	free(text);
	for (size_t i = 0; i < 2; i++) {
		assert_true(!strcmp(d->rows[i].site, "make_1") || !strcmp(d->rows[i].site, "make_3"));
		assert_true(d->rows[i].p[LT_DIFF_ALIVE_BYTES] < 0.05);
	}
	assert_string_equal(d->rows[2].site, "make_0");
	assert_true(d->rows[2].delta[LT_DIFF_ALIVE_BYTES] > d->rows[0].delta[LT_DIFF_ALIVE_BYTES]);
	lt_diff_free(d);
	free_paths(paths, 2 * RUNS);
}

/* A trace and itself; runs of one load. */
static void test_equal(void **state)
{
	char *paths[2 * RUNS], *text;
	struct lt_diff *d;

	(void)state;
	for (unsigned int i = 0; i < 2 * RUNS; i++)
		paths[i] = load("equal", i, false, 0, 300);
	d = compare(paths, RUNS, RUNS, LT_BENJAMINI_HOCHBERG);
	for (size_t i = 0; i < d->n_rows; i++) {
		for (int m = 0; m < LT_N_DIFFS; m++)
			assert_false(d->rows[i].p[m] < 0.05);
		/* Each run has as many: nothing to test. */
		assert_true(isnan(d->rows[i].p[LT_DIFF_ALLOCATIONS]));
		assert_true(d->rows[i].delta[LT_DIFF_ALLOCATIONS] == 0);
	}
	lt_diff_free(d);

	free(paths[1]);
	paths[1] = strdup(paths[0]);
	d = compare(paths, 1, 1, LT_BENJAMINI_HOCHBERG);
	assert_false(d->tested);
	assert_null(d->notes.s);
	for (size_t i = 0; i < d->n_rows; i++) {
		for (int m = 0; m < LT_N_DIFFS; m++) {
			assert_true(d->rows[i].delta[m] == 0);
			assert_true(isnan(d->rows[i].p[m]));
		}
		assert_false(d->rows[i].lifetimes_p < 1);
	}
	text = printed(d, LT_FORMAT_TEXT, false);
	assert_non_null(strstr(text, "Not tested: "));
	assert_non_null(strstr(text, "All rows: 0 allocations, 0 B allocated, 0 alive objects, 0 B "
				     "alive\n"));
	assert_non_null(strstr(text, "No row differs.\n"));
	free(text);
	lt_diff_free(d);
	free_paths(paths, 2 * RUNS);
}

/* The sums are those of a report; by unit they are divided. */
static void test_units(void **state)
{
	char *paths[2] = { load("unit", 0, false, 0, 100), load("unit", 1, true, 0, 150) };
	struct lt_diff_options o = { .report = usual, .n = { 1, 1 }, .per = LT_PER_SECOND };
	struct lt_report_options r = usual;
	struct lt_report *report;
	struct lt_diff *d;
	char *text;

	(void)state;
	o.paths[0] = (const char *const *)&paths[0];
	o.paths[1] = (const char *const *)&paths[1];
	report = lt_report_make(paths[1], &r);
	d = compare(paths, 1, 1, LT_HOLM);
	assert_true(d->all.mean[LT_OLD][LT_DIFF_ALLOCATIONS] == 100);
	assert_true(d->all.mean[LT_NEW][LT_DIFF_ALLOCATIONS] == 150);
	assert_true(d->all.delta[LT_DIFF_BYTES] == 50 * 64);
	assert_true(d->all.mean[LT_NEW][LT_DIFF_ALIVE] == (double)report->all.live);
	assert_true(d->all.mean[LT_NEW][LT_DIFF_ALIVE_BYTES] == (double)report->all.live_bytes);
	text = printed(d, LT_FORMAT_CSV, false);
	assert_non_null(strstr(text, "\nkmalloc-64,make_"));
	free(text);
	lt_diff_free(d);
	lt_report_free(report);

	d = lt_diff_make(&o);
	assert_true(fabs(d->all.mean[LT_OLD][LT_DIFF_ALLOCATIONS] - 100 / 198.9e-6) < 1);
	lt_diff_free(d);
	o.per = LT_PER_MARKER;
	o.marker = "half";
	d = lt_diff_make(&o);
	assert_true(d->all.mean[LT_NEW][LT_DIFF_ALLOCATIONS] == 150);
	lt_diff_free(d);
	o.marker = "hal";
	lt_set_log(NULL, NULL);
	assert_null(lt_diff_make(&o));
	o.per = LT_PER_EXEC;
	assert_null(lt_diff_make(&o));
	free_paths(paths, 2);
}

/* Another sample: refused, and by force compared with a note. Another kernel: a note. */
static void test_unlike(void **state)
{
	char *paths[3] = { load("unlike", 0, false, 0, 50), load("unlike", 1, false, '8', 50),
			   load("unlike", 2, false, '9', 50) };
	struct lt_diff_options o = { .report = usual, .n = { 1, 1 }, .force = true };
	const char *message;
	struct lt_diff *d;

	(void)state;
	test_stderr_begin();
	lt_log_to_stderr();
	d = compare(paths, 1, 1, LT_HOLM);
	message = test_stderr_end();
	assert_null(d);
	assert_non_null(strstr(message, "a sample of one address in: 1 and 8"));
	o.paths[0] = (const char *const *)&paths[0];
	o.paths[1] = (const char *const *)&paths[1];
	d = lt_diff_make(&o);
	assert_non_null(strstr(d->notes.s, "a sample of one address in: 1 and 8\n"));
	lt_diff_free(d);
	o.force = false;
	o.paths[1] = (const char *const *)&paths[2];
	d = lt_diff_make(&o);
	assert_non_null(strstr(d->notes.s, "kernels: "));
	lt_diff_free(d);
	free_paths(paths, 3);
}

/* What was made between two markers; what of all is alive at the second, not at the first. */
static void test_moments(void **state)
{
	char *path = load("moment", 0, true, 0, 200), *text;
	struct lt_diff_options o = { .report = usual, .n = { 1, 0 } };
	struct lt_diff *d;

	(void)state;
	o.paths[0] = (const char *const *)&path;
	d = lt_diff_moments(&o, "marker:half", "marker:done");
	assert_non_null(d);
	/* Number 100 was born at the time of the marker, and so before it. */
	assert_true(d->all.delta[LT_DIFF_ALLOCATIONS] == 200 - 100);
	assert_true(d->all.mean[LT_NEW][LT_DIFF_ALLOCATIONS] == 200);
	assert_true(d->all.delta[LT_DIFF_ALIVE] > 0);
	assert_true(d->all.delta[LT_DIFF_ALIVE_BYTES] == 64 * d->all.delta[LT_DIFF_ALIVE]);
	text = printed(d, LT_FORMAT_JSON, true);
	assert_non_null(strstr(text, "\"site\":\"make_1+0x100\""));
	free(text);
	lt_diff_free(d);
	/* From the first of the markers with a text, to the last of them. */
	d = lt_diff_moments(&o, "marker:twice", "marker:done");
	assert_true(d->all.delta[LT_DIFF_ALLOCATIONS] == 200 - 50);
	lt_diff_free(d);
	d = lt_diff_moments(&o, "marker:twice", "marker:twice");
	assert_true(d->all.delta[LT_DIFF_ALLOCATIONS] == 150 - 50);
	lt_diff_free(d);
	lt_set_log(NULL, NULL);
	assert_null(lt_diff_moments(&o, "marker:done", "marker:half"));
	assert_null(lt_diff_moments(&o, "marker:none", "marker:half"));
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leak),
		cmocka_unit_test(test_perhaps),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_unlike),
		cmocka_unit_test(test_moments),
	};

	return cmocka_run_group_tests_name("diff", tests, 0, NULL);
}
