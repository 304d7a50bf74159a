// SPDX-License-Identifier: GPL-2.0
/*
 * Reports of what leaves no doubt: they are the same as reports for which each event is taken with
 * care, of golden traces, of recordings that are made up, of parts, of many stacks, of what some
 * tasks did, and of what was born in a part of the time.
 */
#include <inttypes.h>

#include "base/threads.h"
#include "cmd/cmd.h"
#include "encode/encode.h"
#include "plaintest.h"
#include "sums/report.h"

#define STACK_EVENTS	20000

static const enum lt_report_by all_by[] = { LT_BY_SITE, LT_BY_CACHE, LT_BY_SIZE, LT_BY_TASK,
						LT_BY_PROCESS, LT_BY_STACK };

static bool with_thread;

static uint32_t tid_of(const struct lt_report_row *row)
{
	return row->task ? row->task->tid : 0;
}

static uint64_t start_of(const struct lt_report_row *row)
{
	return row->task ? row->task->start : 0;
}

/* In which order rows are compared. Each kind of report has one number that differs. */
static int by_what(const void *a, const void *b)
{
	const struct lt_report_row *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->cache != y->cache)
		return x->cache < y->cache ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	if (tid_of(x) != tid_of(y))
		return tid_of(x) < tid_of(y) ? -1 : 1;
	if (start_of(x) != start_of(y))
		return start_of(x) < start_of(y) ? -1 : 1;
	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	/* Idle tasks have one identity. */
	if (x->births != y->births)
		return x->births < y->births ? -1 : 1;
	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static void sort_rows(struct lt_report *r)
{
	if (r->n_rows)
		qsort(r->rows, r->n_rows, sizeof(*r->rows), by_what);
}

static void check_row(const char *path, const struct lt_report_row *a, const struct lt_report_row *b)
{
	/* Rows that are equal are printed in the order of their keys. */
	SAME(key);
	SAME(site);
	SAME(cache);
	SAME(context);
	SAME(size);
	SAME(tasks);
	SAME(stack);
	SAME(births);
	SAME(bytes);
	SAME(waste);
	SAME(lifetimes);
	SAME(live);
	SAME(live_bytes);
	SAME(maybe);
	SAME(maybe_bytes);
	SAME(unsure_bytes);
	SAME(peak);
	SAME(peak_bytes);
	SAME(shorts);
	SAME(within);
	SAME(longs);
	SAME(other_cpu);
	SAME(other_context);
	SAME(outlived);
	check_number("task", path, tid_of(a), tid_of(b));
	check_number("start of the task", path, start_of(a), start_of(b));
	check_hist("a span of life", path, &a->life, &b->life);
	check_hist("an age", path, &a->ages, &b->ages);
}

static void check_coverage(const char *path, struct lt_report *a, struct lt_report *b)
{
	const char *why[2] = { NULL, NULL };
	struct lt_coverage_sum sums[2];
	size_t n[2] = { 0, 0 };
	const struct lt_coverage_row *x, *y;

	memset(sums, 0, sizeof(sums));
	x = lt_coverage_rows(a->coverage, &n[0], &sums[0], &why[0]);
	y = lt_coverage_rows(b->coverage, &n[1], &sums[1], &why[1]);
	assert_int_equal(!x, !y);
	check_number("rows of coverage", path, n[0], n[1]);
	assert_memory_equal(&sums[0], &sums[1], sizeof(sums[0]));
	for (size_t i = 0; x && i < n[0]; i++)
		assert_memory_equal(&x[i], &y[i], sizeof(*x));
}

static struct lt_report *make(const char *path, const struct lt_report_options *opts, bool with_care)
{
	struct lt_report *r;
	const char *said;

	careful = with_care;
	/* Of plain events, a second thread reads each second time. */
	with_thread ^= !with_care;
	lt_set_threads(with_thread && !with_care ? LT_THREADS_ALWAYS : LT_THREADS_NEVER);
	test_stderr_begin();
	r = lt_report_make(path, opts);
	said = test_stderr_end();
	if (!r)
		fail_msg("%s: %s", path, said);
	sort_rows(r);
	return r;
}

/* Frees them. */
static void check_reports(const char *path, struct lt_report *a, struct lt_report *b)
{
	check_number("rows", path, a->n_rows, b->n_rows);
	for (size_t i = 0; i < a->n_rows; i++)
		check_row(path, &a->rows[i], &b->rows[i]);
	check_row(path, &a->all, &b->all);
	check_number("watched", path, a->watched, b->watched);
	check_number("peak", path, a->peak_bytes, b->peak_bytes);
	check_number("time of the peak", path, a->peak_time, b->peak_time);
	check_number("own births", path, a->own_births, b->own_births);
	check_number("own bytes", path, a->own_bytes, b->own_bytes);
	check_number("own live bytes", path, a->own_live_bytes, b->own_live_bytes);
	assert_memory_equal(&a->stats, &b->stats, sizeof(a->stats));
	if (a->coverage)
		check_coverage(path, a, b);
	lt_report_free(a);
	lt_report_free(b);
}

static void check_report(const char *path, const struct lt_report_options *opts)
{
	check_reports(path, make(path, opts, false), make(path, opts, true));
}

/* One by call site, and one by stack beside it. @filter: NULL, or what both are about */
static void check_pair(const char *path, struct lt_filter *filter)
{
	const struct lt_report_options opts[2] = {
		{
			.by = LT_BY_SITE, .short_ns = 1000, .within = 100, .long_ns = 5000,
			.estimate = true, .filter = filter,
		},
		{
			.by = LT_BY_STACK, .short_ns = 1000, .within = 100, .long_ns = 5000,
			.estimate = true, .no_spans = true, .filter = filter,
		},
	};
	struct lt_report *r[2][2];

	for (int i = 0; i < 2; i++) {
		careful = i;
		test_stderr_begin();
		assert_int_equal(lt_reports_make(path, opts, 2, r[i], NULL), 0);
		test_stderr_end();
		sort_rows(r[i][0]);
		sort_rows(r[i][1]);
	}
	/* The second one has the trace of the first one. */
	check_reports(path, r[0][1], r[1][1]);
	check_reports(path, r[0][0], r[1][0]);
}

/* Leaves what a brief report by task has. */
static void make_brief(struct lt_report_row *row)
{
	struct lt_report_row brief;

	lt_report_row_init(&brief);
	brief.task = row->task;
	brief.context = row->context;
	brief.births = row->births;
	brief.bytes = row->bytes;
	brief.waste = row->waste;
	brief.lifetimes = row->lifetimes;
	brief.live = row->live;
	brief.live_bytes = row->live_bytes;
	brief.maybe = row->maybe;
	brief.maybe_bytes = row->maybe_bytes;
	lt_report_row_destroy(row);
	*row = brief;
}

/* The reports of a page: by cache and by site, each with spans of life, and a brief one by task. */
static void check_page(const char *path, bool no_recorder)
{
	const struct lt_report_options all = {
		.short_ns = 1000, .within = 100, .long_ns = 5000, .no_recorder = no_recorder,
	};
	struct lt_report_options opts[3] = { all, all, all };
	struct lt_report *r[2][3];

	opts[0].by = LT_BY_CACHE;
	opts[1].by = LT_BY_SITE;
	opts[2].by = LT_BY_TASK;
	opts[2].no_spans = opts[2].brief = true;
	for (int i = 0; i < 2; i++) {
		careful = i;
		test_stderr_begin();
		assert_int_equal(lt_reports_make(path, opts, 3, r[i], NULL), 0);
		test_stderr_end();
		make_brief(&r[i][2]->all);
		for (size_t k = 0; k < r[i][2]->n_rows; k++)
			make_brief(&r[i][2]->rows[k]);
		for (size_t k = 0; k < 3; k++)
			sort_rows(r[i][k]);
	}
	for (size_t k = 3; k--;)
		check_reports(path, r[0][k], r[1][k]);
}

/* A report without spans of life differs in nothing else. */
static void check_no_spans(const char *path, struct lt_report *r, struct lt_report_options *opts)
{
	struct lt_report *without;

	opts->no_spans = true;
	without = make(path, opts, false);
	check_number("rows", path, without->n_rows, r->n_rows);
	for (size_t i = 0; i < r->n_rows; i++) {
		assert_int_equal(without->rows[i].life.n + without->rows[i].ages.n, 0);
		lt_hist_destroy(&r->rows[i].life);
		lt_hist_destroy(&r->rows[i].ages);
		check_row(path, &without->rows[i], &r->rows[i]);
	}
	lt_report_free(without);
}

/* Births of the middle third alone; NULL: there is no such time. */
static struct lt_filter *middle_third(const char *path)
{
	static char from[32], to[32];
	const struct lt_filter_spec spec = { .from = from, .to = to };
	struct lt_trace *t;
	uint64_t begin, third;

	test_stderr_begin();
	t = lt_trace_open(path);
	begin = lt_trace_begin(t);
	third = lt_trace_end(t) > begin ? (lt_trace_end(t) - begin) / 3 : 0;
	lt_trace_close(t);
	test_stderr_end();
	if (!third)
		return NULL;
	snprintf(from, sizeof(from), "@%" PRIu64 "ns", begin + third);
	snprintf(to, sizeof(to), "@%" PRIu64 "ns", begin + 2 * third);
	return lt_filter_new(&spec, path);
}

static void check_file(const char *name)
{
	struct lt_filter *filter;
	char path[512];

	/* Another path may be asked for meanwhile. */
	snprintf(path, sizeof(path), "%s", name);
	filter = middle_third(path);
	check_pair(path, NULL);
	if (filter)
		check_pair(path, filter);
	check_page(path, false);
	check_page(path, true);
	for (size_t i = 0; i < sizeof(all_by) / sizeof(all_by[0]); i++) {
		struct lt_report_options opts = {
			.by = all_by[i], .short_ns = 1000, .within = 100, .long_ns = 5000,
			.no_recorder = i % 2,
		};

		check_report(path, &opts);
		opts.space = LT_SPACE_PAGE;
		check_report(path, &opts);
		opts.filter = filter;
		if (!i)
			check_report(path, &opts);
		opts.space = LT_SPACE_SLAB;
		if (filter)
			check_report(path, &opts);
	}
	lt_filter_free(filter);
}

/* Some frames of the stacks below: they are there, then gone, then of another module. */
static const char code[] =
	"code old begin 0xffffffff82001000 size 4096 from 0 to 50000 build -\n"
	"0xffffffff82001000 t old_alloc\n"
	"code new begin 0xffffffff82001800 size 4096 from 100000 to 150000 build -\n"
	"0xffffffff82001800 t new_alloc\n";

/* Where all births may have one, some have none. */
static bool has_stack(uint64_t ptr, unsigned int one_in)
{
	return one_in == 1 ? rand() % 8 : LT_STACK_HASH(ptr) < (1ULL << 32) / one_in;
}

/* Births with 3,000 different stacks on two CPUs: more than a packet knows at a time. */
static void put_stacks(struct tg *g, bool big, unsigned int one_in)
{
	enum { SLOTS = 512 };
	uint64_t alive[SLOTS] = { 0 };

	srand(big);
	for (uint64_t i = 1; i <= STACK_EVENTS; i++) {
		const uint64_t way = (uint64_t)(rand() % 3000), site = 0xffffffff81000000ULL + way % 30 * 64;
		const uint64_t frames[] = { site, site + 0x1000, 0xffffffff82000000ULL + way * 16 };
		const struct lt_encode_stack stack = { .frames = frames, .n = 2 + way % 2 };
		const uint64_t slot = (uint64_t)(rand() % SLOTS), ptr = 0xffff888000000000ULL + slot * 256;
		const uint32_t cpu = (uint32_t)rand() % 2;

		if (alive[slot])
			tg_kfree(g, cpu, 1000 + i * 10, ptr, site + 32);
		else
			TG_KMALLOC(g, cpu, 1000 + i * 10, .ptr = ptr, .call_site = site,
				   .bytes_req = 100 + way % 30, .bytes_alloc = 128, .gfp = 0xcc0,
				   .node = -1, .stack = has_stack(ptr, one_in) ? &stack : NULL);
		alive[slot] = !alive[slot];
	}
	tg_finish(g, 1000 + STACK_EVENTS * 10 + 1);
}

static void many_stacks(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct lt_report_options opts = { .by = LT_BY_STACK, .short_ns = 1000, .within = 100 };
		struct tg *g = tg_new(&(struct tg_options){
			.brief = true, .big_endian = big, .info = "stacks=1\n",
		});
		struct lt_report *r;
		char path[512];

		strcpy(path, test_path("stacks.lt"));
		tg_text(g, LT_BLOCK_CODE, code);
		tg_auto_task(g, true);
		put_stacks(g, big, 1);
		assert_int_equal(tg_write(g, path, 0), 0);
		tg_free(g);
		check_file(path);
		n_plain = 0;
		r = make(path, &opts, false);
		/* All but the births with a frame in code that changes. */
		assert_in_range(n_plain, STACK_EVENTS * 3 / 4, STACK_EVENTS - 500);
		assert_true(r->n_rows > 1000);
		check_no_spans(path, r, &opts);
		lt_report_free(r);
	}
}

/*
 * One address in four has them, as is usual: its births stand for those of all in the report by
 * stack.
 */
static void sampled_stacks(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .brief = true, .info = "stacks=4\n" });
	char path[512];

	(void)state;
	strcpy(path, test_path("sampled.lt"));
	tg_auto_task(g, true);
	put_stacks(g, false, 4);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	check_file(path);
}

/* Allocations of other tasks are not in it, so how many came during a life is not known. */
static void some_tasks(void **state)
{
	char out[512], *args[] = {
		(char *)"lifetrace cut", (char *)"--task=lifetrace", (char *)"-o", out,
		(char *)BASE "x86_64.lt", NULL,
	};

	(void)state;
	strcpy(out, test_path("tasks.lt"));
	careful = false;
	test_stderr_begin();
	assert_int_equal(lt_cmd_cut(5, args), 0);
	test_stderr_end();
	check_file(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAIN_TESTS,
		cmocka_unit_test(many_stacks),
		cmocka_unit_test(sampled_stacks),
		cmocka_unit_test(some_tasks),
	};

	return cmocka_run_group_tests_name("report_plain", tests, NULL, NULL);
}
