// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of a report. A column is a small struct; a list is sorted by one column.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "print/units.h"
#include "print/report.h"

struct ctx {
	const struct lt_report *r;
	char buf[256];
};

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

static void get_label(const void *row, void *ctx, struct lt_value *v)
{
	struct ctx *c = ctx;
	const char *s;
	ROW;

	s = lt_report_label(c->r, w, c->buf, sizeof(c->buf));
	lt_value_text(v, s, strlen(s));
}

static void get_cache(const void *row, void *ctx, struct lt_value *v)
{
	struct ctx *c = ctx;
	const char *s;
	ROW;

	s = lt_cache_key_name(c->r->trace, w->cache, c->buf, sizeof(c->buf));
	lt_value_text(v, s, strlen(s));
}

static void get_rate(const void *row, void *ctx, struct lt_value *v)
{
	struct ctx *c = ctx;
	uint64_t ns = lt_trace_end(c->r->trace) - lt_trace_begin(c->r->trace);
	ROW;

	if (ns)
		lt_value_d(v, LT_VALUE_RATE, (double)w->births * 1e9 / (double)ns);
}

#define PERCENTILE(name, percent)						\
static void get_##name(const void *row, void *ctx, struct lt_value *v)		\
{										\
	ROW;									\
										\
	(void)ctx;								\
	if (w->life.n)								\
		lt_value_u(v, LT_VALUE_NS, lt_hist_percentile(&w->life, percent)); \
}

PERCENTILE(p50, 50)
PERCENTILE(p90, 90)
PERCENTILE(p99, 99)

static const struct lt_table_column label_column = { "name", "", true, 0, get_label };
static const struct lt_table_column cache_column = { "cache", "cache", true, 0, get_cache };

static const struct lt_table_column columns[] = {
	{ "count", "count", false, 0, get_count },
	{ "bytes", "bytes", false, 0, get_bytes },
	{ "rate", "per s", false, 0, get_rate },
	{ "waste", "wasted", false, 0, get_waste },
	{ "live", "live", false, 0, get_live },
	{ "live_bytes", "live bytes", false, 0, get_live_bytes },
	{ "maybe", "maybe live", false, 0, get_maybe },
	{ "maybe_bytes", "maybe bytes", false, 0, get_maybe_bytes },
	{ "peak", "at peak", false, 0, get_peak },
	{ "peak_bytes", "peak bytes", false, 0, get_peak_bytes },
	{ "short", "short", false, 0, get_shorts },
	{ "within", "at once", false, 0, get_within },
	{ "long", "long", false, 0, get_longs },
	{ "cross-cpu", "other cpu", false, 0, get_other_cpu },
	{ "cross-ctx", "other ctx", false, 0, get_other_context },
	{ "outlives", "outlived", false, 0, get_outlived },
	{ "exact", "exact", false, 0, get_exact },
	{ "p50", "p50", false, 0, get_p50 },
	{ "p90", "p90", false, 0, get_p90 },
	{ "p99", "p99", false, 0, get_p99 },
};

#define N_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

/* The lists of a report without --sort: title, and the column that each is sorted by. */
static const struct {
	const char *title;
	const char *sort;
} lists[] = {
	{ "Most allocations", "count" },
	{ "Most bytes", "bytes" },
	{ "Alive at the end", "live_bytes" },
	{ "Alive at the peak", "peak_bytes" },
	{ "Short-lived", "short" },
	{ "Long-lived", "long" },
	{ "Wasted: given but not asked for", "waste" },
	{ "Freed on another CPU", "cross-cpu" },
	{ "Freed in another context", "cross-ctx" },
	{ "Outlives the task that made it", "outlives" },
};

static const struct lt_table_column *find_column(const char *name)
{
	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (!strcmp(columns[i].name, name))
			return &columns[i];
	}
	if (!strcmp(name, "lifetime"))	/* an alias in --sort */
		return find_column("p50");
	return NULL;
}

bool lt_report_can_sort(const char *name)
{
	if (find_column(name))
		return true;
	lt_error("--sort: there is no column '%s'; there are:", name);
	for (size_t i = 0; i < N_COLUMNS; i++)
		lt_error("  %s", columns[i].name);
	return false;
}

/* ------------------------------------------------------------------------
 * Lists
 */

static const struct lt_table_column *sort_column;
static struct ctx *sort_ctx;

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

/*
 * The rows in falling order of a column. @some: without rows whose value is 0 or unknown, for
 * text; in CSV and JSON all rows are needed, so that sums over the table are right.
 */
static struct lt_report_row **sorted(struct lt_report *r, struct ctx *c,
				     const struct lt_table_column *by, bool some, size_t *n)
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

static size_t choose(const struct lt_report *r, const struct lt_report_view *p,
		     const struct lt_table_column *by, const struct lt_table_column **chosen)
{
	/* The columns of text for people, with the column that the list is sorted by. */
	static const char *const always[] = { "count", "rate", "bytes", "live_bytes", "p50", "p90",
					      "p99" };
	size_t n = 0;

	chosen[n++] = &label_column;
	if (p->format == LT_FORMAT_TEXT) {
		bool in = false;

		for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
			in |= !strcmp(always[i], by->name);
		if (!in)
			chosen[n++] = by;
		for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
			chosen[n++] = find_column(always[i]);
	} else {
		for (size_t i = 0; i < N_COLUMNS; i++)
			chosen[n++] = &columns[i];
	}
	if (r->opts.by == LT_BY_SITE)
		chosen[n++] = &cache_column;
	return n;
}

static void print_rows(struct lt_report *r, const struct lt_report_view *p,
		       const struct lt_table_column *by)
{
	const struct lt_table_column *chosen[N_COLUMNS + 2];
	struct ctx c = { .r = r };
	struct lt_table t = { .out = p->out, .format = p->format, .columns = chosen, .ctx = &c,
			      .indent = 2, .n_columns = choose(r, p, by, chosen) };
	size_t n, shown;
	struct lt_report_row **rows = sorted(r, &c, by, p->format == LT_FORMAT_TEXT, &n);
	char line[128];

	shown = p->top && p->top < n ? p->top : n;
	if (!n && p->format == LT_FORMAT_TEXT)
		lt_out_str(p->out, "  none\n");
	if (n || p->format == LT_FORMAT_CSV) {
		lt_table_begin(&t);
		for (size_t i = 0; i < shown; i++)
			lt_table_row(&t, rows[i]);
		lt_table_end(&t);
	}
	if (shown < n && p->format == LT_FORMAT_TEXT) {
		snprintf(line, sizeof(line), "  … and %zu more: --sort %s -n 0\n", n - shown,
			 by->name);
		lt_out_str(p->out, line);
	}
	free(rows);
}

static void print_json(struct lt_report *r, const struct lt_report_view *p)
{
	const struct lt_table_column *by = find_column(p->sort ? p->sort : "bytes");
	const struct lt_table_column *chosen[N_COLUMNS + 2];
	struct ctx c = { .r = r };
	struct lt_table t = { .out = p->out, .format = LT_FORMAT_JSON, .columns = chosen,
			      .ctx = &c, .n_columns = choose(r, p, by, chosen) };
	size_t n;
	struct lt_report_row **rows = sorted(r, &c, by, false, &n);

	lt_out_char(p->out, '{');
	lt_report_summary_json(r, p->out);
	lt_out_str(p->out, ",\"rows\":[");
	for (size_t i = 0; i < n && (!p->top || i < p->top); i++) {
		lt_out_str(p->out, i ? ",\n" : "\n");
		lt_table_json(&t, rows[i]);
	}
	lt_out_str(p->out, "]}\n");
	free(rows);
}

static const char *what(const struct lt_report *r)
{
	static const char *const names[] = { "call site", "slab cache", "task", "size" };

	return names[r->opts.by];
}

void lt_report_print(struct lt_report *r, const struct lt_report_view *p)
{
	char line[160];

	if (p->format == LT_FORMAT_JSON) {
		print_json(r, p);
		return;
	}
	if (p->format == LT_FORMAT_CSV) {
		print_rows(r, p, find_column(p->sort ? p->sort : "bytes"));
		return;
	}
	lt_report_summary(r, p);
	if (p->coverage)
		lt_report_coverage(r, p);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const char *sort = p->sort ? p->sort : lists[i].sort;

		if (p->sort)
			snprintf(line, sizeof(line), "\nBy %s, sorted by %s\n", what(r), sort);
		else
			snprintf(line, sizeof(line), "\n%s, by %s\n", lists[i].title, what(r));
		lt_out_str(p->out, line);
		print_rows(r, p, find_column(sort));
		if (p->sort)
			break;
	}
	lt_report_histogram(r, p);
}
