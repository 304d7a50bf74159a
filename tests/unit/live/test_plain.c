// SPDX-License-Identifier: GPL-2.0
/*
 * Live views that take what leaves no doubt many at a time: their tables are the same as those of
 * views that take each event, of golden traces and of recordings that are made up.
 */
#include "cuttest.h"
#include "live/live.h"
#include "same_number.h"
#include "trace/pass.h"

#define BASE		"../tests/golden/"
#define RANDOM_RUNS	24

static const enum lt_report_by all_by[] = { LT_BY_SITE, LT_BY_CACHE, LT_BY_TASK, LT_BY_PROCESS };

static uint64_t n_plain;

static int take_event(void *arg, const struct lt_event *ev)
{
	lt_live_event(arg, ev);
	return 0;
}

static int take_some(void *arg, const struct lt_event *evs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		lt_live_event(arg, &evs[i]);
	return 0;
}

static int take_plain(void *arg, const struct lt_plain_event *evs, size_t n)
{
	lt_live_plain(arg, evs, n);
	n_plain += n;
	return 0;
}

static struct lt_live *read_all(struct lt_trace *t, const struct lt_live_options *o, bool plain)
{
	struct lt_live *l = lt_live_new(t, o);
	const struct lt_pass pass = {
		.event = take_event, .some = plain ? take_some : NULL,
		.plain = plain ? take_plain : NULL, .arg = l,
	};

	assert_true(lt_trace_pass(t, &pass) >= 0);
	return l;
}

static void check_hist(const char *what, const char *path, const struct lt_hist *a,
		       const struct lt_hist *b)
{
	check_number(what, path, a->n, b->n);
	for (double percent = 0; percent <= 100; percent += 12.5)
		check_number(what, path, lt_hist_percentile(a, percent),
			     lt_hist_percentile(b, percent));
}

static void check_row(const char *path, const struct lt_live_row *a, const struct lt_live_row *b)
{
	SAME(site);
	SAME(cache);
	SAME(context);
	SAME(tasks);
	SAME(count.births);
	SAME(count.frees);
	SAME(count.born);
	SAME(count.freed);
	SAME(last.births);
	SAME(last.frees);
	SAME(alive);
	SAME(alive_bytes);
	SAME(maybe);
	SAME(maybe_bytes);
	SAME(oldest);
	check_number("task", path, a->task ? a->task->tid : 0, b->task ? b->task->tid : 0);
	check_hist("a span of life", path, &a->life[0], &b->life[0]);
	check_hist("an age", path, &a->ages, &b->ages);
}

static void check_table(const char *path, enum lt_report_by by, struct lt_live *l[2])
{
	const struct lt_live_table *a = lt_live_table(l[0], by), *b = lt_live_table(l[1], by);

	check_number("rows", path, a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		check_row(path, a->rows[i], b->rows[i]);
	check_row(path, a->all, b->all);
	check_number("begin", path, a->since, b->since);
	check_number("own births", path, a->own_births, b->own_births);
	check_number("seen", path, a->loss.seen, b->loss.seen);
	check_number("lost", path, a->loss.lost, b->loss.lost);
	check_number("gaps", path, a->gaps, b->gaps);
	for (int i = 0; i < LT_N_CERTAINTIES; i++)
		check_number("certainty", path, a->certainty[i], b->certainty[i]);
}

/* Before the end and behind it. */
static void check_view(const char *path, const struct lt_live_options *o, enum lt_report_by by)
{
	struct lt_live *l[2];
	struct lt_trace *t[2];

	test_stderr_begin();
	for (int i = 0; i < 2; i++) {
		t[i] = lt_trace_open(path);
		l[i] = read_all(t[i], o, !i);
		lt_live_tick(l[i], lt_trace_end(t[i]));
	}
	test_stderr_end();
	check_table(path, by, l);
	for (int i = 0; i < 2; i++) {
		lt_live_finish(l[i]);
		lt_live_tick(l[i], lt_trace_end(t[i]));
	}
	check_table(path, by, l);
	for (int i = 0; i < 2; i++) {
		lt_live_free(l[i]);
		lt_trace_close(t[i]);
	}
}

static void check_file(const char *name)
{
	char path[512];

	/* Another path may be asked for meanwhile. */
	snprintf(path, sizeof(path), "%s", name);
	for (size_t i = 0; i < sizeof(all_by) / sizeof(all_by[0]); i++) {
		struct lt_live_options o = { .by = 1U << all_by[i], .no_recorder = i % 2 };

		check_view(path, &o, all_by[i]);
		o.no_recorder = !o.no_recorder;
		o.by |= 1U << LT_BY_CACHE | 1U << LT_BY_TASK;
		check_view(path, &o, all_by[i]);
		o.space = LT_SPACE_PAGE;
		check_view(path, &o, all_by[i]);
	}
}

static void golden_traces(void **state)
{
	static const char *const names[] = {
		"x86_64.lt", "armhf.lt", "s390x-zstd.lt", "rare.lt", "rare32.lt",
	};
	char path[256];

	(void)state;
	n_plain = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), BASE "%s", names[i]);
		check_file(path);
	}
	assert_true(n_plain);
}

static void random_recordings(void **state)
{
	(void)state;
	n_plain = 0;
	cut_random_files(RANDOM_RUNS, check_file);
	assert_true(n_plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_traces),
		cmocka_unit_test(random_recordings),
	};

	return cmocka_run_group_tests_name("live_plain", tests, NULL, NULL);
}
