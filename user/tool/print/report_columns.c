// SPDX-License-Identifier: GPL-2.0
/*
 * The columns of a report, and its rows in the order of one of them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "forms/sort.h"
#include "print/report_columns.h"

#define ROW	const struct lt_report_row *w = row

#define NUMBER(name, type, value)						\
static void get_##name(const void *row, void *ctx, struct lt_value *v)		\
{										\
	ROW;									\
										\
	(void)ctx;								\
	lt_value_u(v, type, value);						\
}

NUMBER(count, LT_VALUE_COUNT, w->births)
NUMBER(bytes, LT_VALUE_BYTES, w->bytes)
NUMBER(waste, LT_VALUE_BYTES, w->waste)
NUMBER(live, LT_VALUE_COUNT, w->live)
NUMBER(live_bytes, LT_VALUE_BYTES, w->live_bytes)
NUMBER(maybe, LT_VALUE_COUNT, w->maybe)
NUMBER(maybe_bytes, LT_VALUE_BYTES, w->maybe_bytes)
NUMBER(peak, LT_VALUE_COUNT, w->peak)
NUMBER(peak_bytes, LT_VALUE_BYTES, w->peak_bytes)
NUMBER(shorts, LT_VALUE_COUNT, w->shorts)
NUMBER(within, LT_VALUE_COUNT, w->within)
NUMBER(longs, LT_VALUE_COUNT, w->longs)
NUMBER(other_cpu, LT_VALUE_COUNT, w->other_cpu)
NUMBER(other_context, LT_VALUE_COUNT, w->other_context)
NUMBER(outlived, LT_VALUE_COUNT, w->outlived)
NUMBER(exact, LT_VALUE_COUNT, w->life.n)
NUMBER(censored, LT_VALUE_COUNT, w->ages.n)

static void text_value(struct lt_value *v, const char *s)
{
	lt_value_text(v, s, strlen(s));
}

static const char *cache_of(struct lt_report_ctx *c, uint64_t key)
{
	return c->people ? lt_cache_key_shown(c->r->trace, key, c->buf, sizeof(c->buf)) :
			   lt_cache_key_name(c->r->trace, key, c->buf, sizeof(c->buf));
}

static void get_label(const void *row, void *ctx, struct lt_value *v)
{
	struct lt_report_ctx *c = ctx;
	ROW;

	text_value(v, c->r->opts.by == LT_BY_CACHE ? cache_of(c, w->key) :
			      lt_report_label(c->r, w, c->buf, sizeof(c->buf)));
}

static void get_site(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	if (w->site)
		get_label(row, ctx, v);
}

static void get_row_stack(const void *row, void *ctx, struct lt_value *v)
{
	struct lt_report_ctx *c = ctx;
	struct lt_stack stack;
	ROW;

	stack = lt_report_stack(c->r, w);
	if (!(stack.flags & LT_STACK_UNKNOWN))
		lt_stack_frames(c->r->trace, c->lines, &stack, &c->frames, v);
}

static void get_caller(const void *row, void *ctx, struct lt_value *v)
{
	struct lt_report_ctx *c = ctx;
	struct lt_stack stack;
	ROW;

	stack = lt_report_stack(c->r, w);
	if (stack.n)
		text_value(v, lt_trace_symbol(c->r->trace, stack.frames[0], true, c->buf,
					      sizeof(c->buf)));
}

static const struct lt_place *place(const struct lt_report_row *w, const struct lt_report_ctx *c)
{
	return c->lines && w->site ? lt_lines_find(c->lines, w->site) : NULL;
}

static void get_file(const void *row, void *ctx, struct lt_value *v)
{
	lt_site_file(place(row, ctx), v);
}

static void get_line(const void *row, void *ctx, struct lt_value *v)
{
	lt_site_line(place(row, ctx), v);
}

static void get_inlined(const void *row, void *ctx, struct lt_value *v)
{
	struct lt_report_ctx *c = ctx;

	lt_site_list(place(row, ctx), v, c->buf, sizeof(c->buf));
}

static void get_source(const void *row, void *ctx, struct lt_value *v)
{
	struct lt_report_ctx *c = ctx;
	const char *source = lt_site_source(place(row, ctx), c->buf, sizeof(c->buf));

	if (source)
		text_value(v, source);
}

static void get_cache(const void *row, void *ctx, struct lt_value *v)
{
	struct lt_report_ctx *c = ctx;
	ROW;

	text_value(v, cache_of(c, w->cache));
}

static void get_context(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	text_value(v, lt_context_name(w->context));
}

#define OF_TASK(name, value)							\
static void get_##name(const void *row, void *ctx, struct lt_value *v)		\
{										\
	ROW;									\
										\
	(void)ctx;								\
	if (w->task)								\
		value;								\
}

static void get_cgroup(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	if (w->group)
		lt_value_u(v, LT_VALUE_COUNT, w->group);
}

static void get_cgroup_path(const void *row, void *ctx, struct lt_value *v)
{
	struct lt_report_ctx *c = ctx;
	const char *label;
	ROW;

	if (!w->group)
		return;
	label = lt_report_label(c->r, w, c->buf, sizeof(c->buf));
	if (*label == '/')
		text_value(v, label);
}

static void get_call(const void *row, void *ctx, struct lt_value *v)
{
	struct lt_report_ctx *c = ctx;
	ROW;

	if (w->group)
		text_value(v, lt_report_label(c->r, w, c->buf, sizeof(c->buf)));
}

OF_TASK(tid, lt_value_u(v, LT_VALUE_COUNT, w->task->tid))
OF_TASK(start, lt_value_u(v, LT_VALUE_COUNT, w->task->start))
OF_TASK(comm, text_value(v, w->task->comm))
OF_TASK(tasks, lt_value_u(v, LT_VALUE_COUNT, w->tasks))

static void get_size(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	if (w->key)
		lt_value_u(v, LT_VALUE_BYTES, w->size);
}

static void get_rate(const void *row, void *ctx, struct lt_value *v)
{
	struct lt_report_ctx *c = ctx;
	uint64_t ns = lt_report_watched(c->r);
	ROW;

	if (ns)
		lt_value_d(v, LT_VALUE_RATE, (double)w->births * 1e9 / (double)ns);
}

#define PERCENTILE(name, percent)						\
static void get_##name(const void *row, void *ctx, struct lt_value *v)		\
{										\
	uint64_t ns;								\
	ROW;									\
										\
	(void)ctx;								\
	if (lt_report_percentile(w, percent, &ns))				\
		lt_value_u(v, LT_VALUE_NS, ns);					\
	else if (w->ages.n)							\
		lt_value_u(v, LT_VALUE_OVER_NS, ns);				\
}

PERCENTILE(p50, 50)
PERCENTILE(p90, 90)
PERCENTILE(p99, 99)

static void get_longest(const void *row, void *ctx, struct lt_value *v)
{
	ROW;

	(void)ctx;
	if (w->life.n || w->ages.n)
		lt_value_u(v, LT_VALUE_NS, w->life.max > w->ages.max ? w->life.max : w->ages.max);
}

/* The standard error of an estimate; none where the row counts what is there. */
static void put_error(struct lt_report_ctx *c, double variance, enum lt_value_type type,
		      struct lt_value *v)
{
	if (c->r->stacks_one_in)
		lt_value_u(v, type, (uint64_t)(sqrt(variance) + 0.5));
}

#define ERROR(name, type)							\
static void get_##name##_error(const void *row, void *ctx, struct lt_value *v)	\
{										\
	ROW;									\
										\
	put_error(ctx, w->name##_var, type, v);					\
}

ERROR(births, LT_VALUE_COUNT)
ERROR(bytes, LT_VALUE_BYTES)
ERROR(live, LT_VALUE_COUNT)
ERROR(live_bytes, LT_VALUE_BYTES)

/* What a row is about: one column for people, by enum lt_report_by; several in CSV and JSON. */
static const struct lt_column label_columns[] = {
	{ .name = "site", .header = "call site", .left = true, .get = get_label },
	{ .name = "cache", .header = "slab cache", .left = true, .get = get_label },
	{ .name = "task", .header = "task", .left = true, .get = get_label },
	{ .name = "comm", .header = "program", .left = true, .get = get_label },
	{ .name = "size", .header = "size", .left = true, .get = get_label },
	{ .name = "cgroup", .header = "cgroup", .left = true, .get = get_label },
	{ .name = "stack", .header = "call site and callers", .left = true, .get = get_label },
	{ .name = "syscall", .header = "system call", .left = true, .get = get_label },
};

/* For people, file and line are one column. */
static const struct lt_column source_column = {
	.name = "source", .header = "source", .left = true, .get = get_source,
};

static const struct lt_column line_columns[] = {
	{ .name = "file", .header = "", .left = true, .get = get_file },
	{ .name = "line", .header = "", .get = get_line },
	{ .name = "inlined", .header = "", .left = true, .get = get_inlined },
};

#define N_LINE_COLUMNS	(sizeof(line_columns) / sizeof(line_columns[0]))

static const struct lt_column site_column = {
	.name = "site", .header = "", .left = true, .get = get_site,
};
static const struct lt_column cache_column = {
	.name = "cache", .header = "cache", .left = true, .get = get_cache,
};
static const struct lt_column context_column = {
	.name = "context", .header = "", .left = true, .get = get_context,
};
static const struct lt_column tid_column = { .name = "tid", .header = "", .get = get_tid };
static const struct lt_column start_column = { .name = "start_ns", .header = "", .get = get_start };
static const struct lt_column comm_column = {
	.name = "comm", .header = "", .left = true, .get = get_comm,
};
static const struct lt_column tasks_column = {
	.name = "tasks", .header = "tasks", .get = get_tasks,
};
static const struct lt_column cgroup_column = { .name = "cgroup", .header = "", .get = get_cgroup };
static const struct lt_column cgroup_path_column = {
	.name = "cgroup_path", .header = "", .left = true, .get = get_cgroup_path,
};
static const struct lt_column call_column = {
	.name = "syscall", .header = "", .left = true, .get = get_call,
};
static const struct lt_column caller_column = {
	.name = "site", .header = "", .left = true, .get = get_caller,
};
static const struct lt_column stack_column = {
	.name = "stack", .header = "", .left = true, .get = get_row_stack,
};
static const struct lt_column size_column = {
	.name = "size_max_bytes", .header = "", .get = get_size,
};

#define MAX_KEYS	4	/* columns that say what a row is about, also the cache of a site */

static const struct lt_column *const key_columns[][MAX_KEYS] = {
	[LT_BY_SITE] = { &site_column, &cache_column },
	[LT_BY_CACHE] = { &cache_column },
	[LT_BY_TASK] = { &context_column, &tid_column, &start_column, &comm_column },
	[LT_BY_PROCESS] = { &context_column, &comm_column, &tasks_column },
	[LT_BY_SIZE] = { &size_column },
	[LT_BY_CGROUP] = { &context_column, &cgroup_column, &cgroup_path_column },
	[LT_BY_STACK] = { &caller_column, &cache_column, &stack_column },
	[LT_BY_SYSCALL] = { &context_column, &call_column },
};

static const struct lt_column columns[] = {
	{ .name = "allocations", .header = "count", .get = get_count },
	{ .name = "bytes", .header = "bytes", .get = get_bytes },
	{ .name = "rate_per_s", .header = "per s", .get = get_rate },
	{ .name = "slack_bytes", .header = "slack", .get = get_waste },
	{ .name = "alive", .header = "alive", .get = get_live },
	{ .name = "alive_bytes", .header = "alive bytes", .get = get_live_bytes },
	{ .name = "maybe_alive", .header = "maybe alive", .get = get_maybe },
	{ .name = "maybe_alive_bytes", .header = "maybe bytes", .get = get_maybe_bytes },
	{ .name = "peak_alive", .header = "at peak", .get = get_peak },
	{ .name = "peak_bytes", .header = "peak bytes", .get = get_peak_bytes },
	{ .name = "short_lived", .header = "short", .get = get_shorts },
	{ .name = "freed_at_once", .header = "at once", .get = get_within },
	{ .name = "long_lived", .header = "long", .get = get_longs },
	{ .name = "other_cpu", .header = "other cpu", .get = get_other_cpu },
	{ .name = "other_context", .header = "other ctx", .get = get_other_context },
	{ .name = "outlives", .header = "outlived", .get = get_outlived },
	{ .name = "exact", .header = "exact", .get = get_exact },
	{ .name = "censored", .header = "censored", .get = get_censored },
	{ .name = "p50_ns", .header = "p50", .get = get_p50 },
	{ .name = "p90_ns", .header = "p90", .get = get_p90 },
	{ .name = "p99_ns", .header = "p99", .get = get_p99 },
	{ .name = "longest_ns", .header = "longest", .get = get_longest },
};

#define N_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

/* Of estimates, each with the column that it is the standard error of. */
static const struct {
	const char *of;
	struct lt_column column;
} error_columns[] = {
	{ "allocations", { .name = "allocations_se", .header = "±", .get = get_births_error } },
	{ "bytes", { .name = "bytes_se", .header = "±", .get = get_bytes_error } },
	{ "alive", { .name = "alive_se", .header = "±", .get = get_live_error } },
	{ "alive_bytes", { .name = "alive_bytes_se", .header = "±", .get = get_live_bytes_error } },
};

#define N_ERRORS	(sizeof(error_columns) / sizeof(error_columns[0]))

_Static_assert(N_COLUMNS + MAX_KEYS + N_LINE_COLUMNS + N_ERRORS <= LT_REPORT_COLUMNS,
	       "all columns fit");

static void point_at(const struct lt_column *pointers[N_COLUMNS])
{
	for (size_t i = 0; i < N_COLUMNS; i++)
		pointers[i] = &columns[i];
}

const struct lt_column *lt_report_column(const char *name)
{
	const struct lt_column *pointers[N_COLUMNS];

	point_at(pointers);
	return lt_sort_find(pointers, N_COLUMNS, name);
}

bool lt_report_can_sort(const char *name)
{
	const struct lt_column *pointers[N_COLUMNS];

	point_at(pointers);
	return lt_sort_column(pointers, N_COLUMNS, name);
}

/* ------------------------------------------------------------------------
 * Rows
 */

static const struct lt_column *sort_column;
static struct lt_report_ctx *sort_ctx;

static int by_column(const void *a, const void *b)
{
	const struct lt_report_row *x = *(struct lt_report_row *const *)a;
	const struct lt_report_row *y = *(struct lt_report_row *const *)b;
	struct lt_value vx = { 0 }, vy = { 0 };
	int order;

	sort_column->get(x, sort_ctx, &vx);
	sort_column->get(y, sort_ctx, &vy);
	order = -lt_value_compare(&vx, &vy);
	if (order)
		return order;
	if (x->births != y->births)
		return x->births < y->births ? 1 : -1;
	return x->key < y->key ? -1 : x->key > y->key;
}

struct lt_report_row **lt_report_sorted(struct lt_report *r, struct lt_report_ctx *c,
					const struct lt_column *by, bool some, size_t *n)
{
	struct lt_report_row **rows = lt_alloc_array(r->n_rows + 1, sizeof(*rows));

	*n = 0;
	for (size_t i = 0; i < r->n_rows; i++) {
		struct lt_value v = { 0 };

		if (!lt_report_row_counts(&r->rows[i]))
			continue;
		by->get(&r->rows[i], c, &v);
		if (some && (v.type == LT_VALUE_NONE || (v.type != LT_VALUE_RATE && !v.u)))
			continue;
		rows[(*n)++] = &r->rows[i];
	}
	sort_column = by;
	sort_ctx = c;
	qsort(rows, *n, sizeof(*rows), by_column);
	sort_ctx = NULL;
	return rows;
}

/* ------------------------------------------------------------------------
 * Choices of columns
 */

static size_t add_column(const struct lt_column **chosen, size_t n, const char *name)
{
	const struct lt_column *column = lt_report_column(name);

	for (size_t i = 0; i < n; i++) {
		if (chosen[i] == column)
			return n;
	}
	chosen[n] = column;
	return n + 1;
}

/* The standard error of a column, behind it. */
static size_t add_error(const struct lt_report *r, const struct lt_column **chosen, size_t n,
			const struct lt_column *of)
{
	for (size_t i = 0; r->stacks_one_in && i < N_ERRORS; i++) {
		if (!strcmp(error_columns[i].of, of->name))
			chosen[n++] = &error_columns[i].column;
	}
	return n;
}

size_t lt_report_text_columns(const struct lt_report *r, const struct lt_column *by,
			      const char *const also[LT_REPORT_ALSO],
			      bool lines, const struct lt_column **chosen)
{
	static const char *const always[] = { "allocations", "alive", "p50_ns", "p90_ns", "p99_ns",
					      "alive_bytes", "bytes", "rate_per_s" };
	bool has_cache = lt_space_has_caches(r->opts.space) &&
			 (r->opts.by == LT_BY_SITE || r->opts.by == LT_BY_STACK);
	size_t n = 0;

	chosen[n++] = &label_columns[r->opts.by];
	if (r->opts.by == LT_BY_SITE && lines)
		chosen[n++] = &source_column;
	else if (has_cache)
		chosen[n++] = &cache_column;
	chosen[n++] = by;
	n = add_error(r, chosen, n, by);
	if (r->opts.by == LT_BY_SITE && lines && has_cache)
		chosen[n++] = &cache_column;
	if (r->opts.by == LT_BY_PROCESS)
		chosen[n++] = &tasks_column;
	for (size_t i = 0; also && i < LT_REPORT_ALSO; i++)
		n = add_column(chosen, n, also[i]);
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		n = add_column(chosen, n, always[i]);
	return n;
}

size_t lt_report_all_columns(const struct lt_report *r, bool lines,
			     const struct lt_column **chosen)
{
	size_t n = 0;

	for (size_t i = 0; i < MAX_KEYS && key_columns[r->opts.by][i]; i++)
		chosen[n++] = key_columns[r->opts.by][i];
	for (size_t i = 0; r->opts.by == LT_BY_SITE && lines && i < N_LINE_COLUMNS; i++)
		chosen[n++] = &line_columns[i];
	for (size_t i = 0; i < N_COLUMNS; i++)
		chosen[n++] = &columns[i];
	for (size_t i = 0; r->stacks_one_in && i < N_ERRORS; i++)
		chosen[n++] = &error_columns[i].column;
	return n;
}

const char *lt_report_what(const struct lt_report *r)
{
	static const char *const names[] = { "call site", "slab cache", "task", "program", "size",
					     "cgroup", "stack", "system call" };

	return names[r->opts.by];
}

void lt_report_value(struct lt_report *r, const struct lt_report_row *row, const char *column,
		     struct lt_value *v)
{
	struct lt_report_ctx c = { .r = r };

	v->type = LT_VALUE_NONE;
	lt_report_column(column)->get(row, &c, v);
}

const struct lt_report_row *lt_report_top(struct lt_report *r, const char *column)
{
	struct lt_report_ctx c = { .r = r };
	size_t n;
	struct lt_report_row **rows = lt_report_sorted(r, &c, lt_report_column(column), true, &n);
	const struct lt_report_row *top = n ? rows[0] : NULL;

	free(rows);
	return top;
}
