// SPDX-License-Identifier: GPL-2.0
/*
 * Differences between traces, as text, CSV and JSON.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "out/units.h"
#include "print/diff.h"
#include "print/self.h"

#define SIGNIFICANT	0.05

const char *const lt_diff_metrics[LT_N_DIFFS + 1] = {
	"allocations", "bytes", "alive", "alive_bytes", NULL
};

struct ctx {
	const struct lt_diff *d;
	enum lt_diff_metric metric;
	char buf[128];
};

static bool is_bytes(enum lt_diff_metric m)
{
	return m == LT_DIFF_BYTES || m == LT_DIFF_ALIVE_BYTES;
}

/* ------------------------------------------------------------------------
 * The order
 */

/*
 * What is not chance comes first: a leak of some objects is small beside what a cache keeps in one
 * run and not in the next. Then the greatest change.
 */
static int by_delta(const void *a, const void *b, void *arg)
{
	const enum lt_diff_metric *m = arg;
	const struct lt_diff_row *x = a, *y = b;
	double dx = fabs(x->delta[*m]), dy = fabs(y->delta[*m]);
	int order = (y->p[*m] < SIGNIFICANT) - (x->p[*m] < SIGNIFICANT);

	if (order)
		return order;
	if (dx < dy || dx > dy)
		return dx < dy ? 1 : -1;
	dx = fabs(x->delta[LT_DIFF_ALLOCATIONS]);
	dy = fabs(y->delta[LT_DIFF_ALLOCATIONS]);
	if (dx < dy || dx > dy)
		return dx < dy ? 1 : -1;
	order = strcmp(x->cache, y->cache);
	return order ? order : strcmp(x->site, y->site);
}

/* ------------------------------------------------------------------------
 * Text
 */

/* A number of a metric; @sign: "+" in front of a positive one. */
static void put_value(char *buf, size_t size, enum lt_diff_metric m, double v, bool sign)
{
	const char *minus = v < 0 ? "-" : sign && v > 0 ? "+" : "";
	char number[LT_HUMAN];
	double n = fabs(v);

	if (n > 1e18)
		snprintf(number, sizeof(number), "%.3g", n);
	else if (is_bytes(m))
		lt_human_bytes((uint64_t)(n + 0.5), number, sizeof(number));
	else if (n < 100 && n != floor(n))
		snprintf(number, sizeof(number), "%.2f", n);
	else
		lt_human_count((uint64_t)(n + 0.5), number, sizeof(number));
	snprintf(buf, size, "%s%s", minus, number);
}

static void text(struct lt_value *v, const char *s)
{
	lt_value_text(v, s, strlen(s));
}

#define GET(name)	static void get_##name(const void *row, void *ctx, struct lt_value *v)
#define ROW		const struct lt_diff_row *w = row
#define CTX		struct ctx *c = ctx

GET(site)
{
	ROW;

	(void)ctx;
	text(v, w->site[0] ? w->site : "(unknown)");
}

GET(cache)
{
	ROW;

	(void)ctx;
	text(v, w->cache[0] ? w->cache : "(none)");
}

#define NUMBER(name, m, value, sign)				\
GET(name)							\
{								\
	CTX;							\
	ROW;							\
								\
	put_value(c->buf, sizeof(c->buf), m, value, sign);	\
	text(v, c->buf);					\
}

NUMBER(delta, c->metric, w->delta[c->metric], true)
NUMBER(old, c->metric, w->mean[LT_OLD][c->metric], false)
NUMBER(new, c->metric, w->mean[LT_NEW][c->metric], false)
NUMBER(allocations, LT_DIFF_ALLOCATIONS, w->delta[LT_DIFF_ALLOCATIONS], true)
NUMBER(bytes, LT_DIFF_BYTES, w->delta[LT_DIFF_BYTES], true)
NUMBER(alive, LT_DIFF_ALIVE, w->delta[LT_DIFF_ALIVE], true)
NUMBER(alive_bytes, LT_DIFF_ALIVE_BYTES, w->delta[LT_DIFF_ALIVE_BYTES], true)

static void put_p(char *buf, size_t size, double p)
{
	if (isnan(p))
		snprintf(buf, size, "not tested");
	else
		snprintf(buf, size, p < 0.0001 ? "<0.0001 *" :
			 p < SIGNIFICANT ? "%.4f *" : "%.2f  ", p);
}

GET(p)
{
	CTX;
	ROW;

	put_p(c->buf, sizeof(c->buf), w->p[c->metric]);
	text(v, c->buf);
}

/* The median, of Kaplan and Meier; NONE: there is no lifetime, OVER_NS: it is not reached. */
static void median(const struct lt_diff_row *w, int side, struct lt_value *v)
{
	uint64_t ns;

	if (lt_hist_survival(&w->ended[side], &w->alive[side], 50, &ns))
		lt_value_u(v, LT_VALUE_NS, ns);
	else if (w->alive[side].n)
		lt_value_u(v, LT_VALUE_OVER_NS, ns);
}

GET(p50_old)
{
	(void)ctx;
	median(row, LT_OLD, v);
}

GET(p50_new)
{
	(void)ctx;
	median(row, LT_NEW, v);
}

GET(lifetimes_p)
{
	CTX;
	ROW;

	put_p(c->buf, sizeof(c->buf), w->lifetimes_p);
	text(v, c->buf);
}

static const struct lt_column site_column = {
	.name = "", .header = "call site", .left = true, .get = get_site,
};
static const struct lt_column cache_column = {
	.name = "", .header = "cache", .left = true, .get = get_cache,
};
static const struct lt_column delta_columns[LT_N_DIFFS] = {
	{ .name = "", .header = "+ allocations", .get = get_delta },
	{ .name = "", .header = "+ bytes", .get = get_delta },
	{ .name = "", .header = "+ alive", .get = get_delta },
	{ .name = "", .header = "+ alive bytes", .get = get_delta },
};
static const struct lt_column old_column = { .name = "", .header = "old", .get = get_old };
static const struct lt_column new_column = { .name = "", .header = "new", .get = get_new };
static const struct lt_column p_column = { .name = "", .header = "p", .get = get_p };
static const struct lt_column other_columns[LT_N_DIFFS] = {
	{ .name = "", .header = "+ allocations", .get = get_allocations },
	{ .name = "", .header = "+ bytes", .get = get_bytes },
	{ .name = "", .header = "+ alive", .get = get_alive },
	{ .name = "", .header = "+ alive bytes", .get = get_alive_bytes },
};
static const struct lt_column life_columns[] = {
	{ .name = "", .header = "p50 old", .get = get_p50_old },
	{ .name = "", .header = "p50 new", .get = get_p50_new },
	{ .name = "", .header = "p of lifetimes", .get = get_lifetimes_p },
};

static void put_side(const struct lt_diff *d, int side, struct lt_out *o)
{
	static const char *const of[] = { "", " of 1 s", " of one program", " of one marker" };
	char line[160];

	snprintf(line, sizeof(line), "%s: %zu trace%s of %.4g s", side == LT_OLD ? "old" : "new",
		 d->opts.n[side], d->opts.n[side] == 1 ? "" : "s", d->seconds[side]);
	lt_out_str(o, line);
	if (d->opts.per) {
		snprintf(line, sizeof(line), ", numbers%s (%.4g in a trace)", of[d->opts.per],
			 d->units[side]);
		lt_out_str(o, line);
	} else if (d->opts.n[side] > 1) {
		lt_out_str(o, ", numbers of a trace on average");
	}
	lt_out_char(o, '\n');
}

static void put_tests(const struct lt_diff *d, struct lt_out *o)
{
	double least = lt_mann_whitney_least(d->opts.n[LT_OLD], d->opts.n[LT_NEW]);
	char line[256];

	if (!d->tested) {
		snprintf(line, sizeof(line), "Not tested: whether the numbers differ by chance shows only "
			 "from %d traces a side on. The lifetimes are tested one by one.\n",
			 LT_DIFF_ENOUGH);
	} else {
		snprintf(line, sizeof(line), "p of Mann and Whitney, corrected for the number of rows "
			 "(%s); * is below %.2f; none of one row can be below %.4f.\n",
			 d->opts.correction == LT_HOLM ? "Holm" : "Benjamini-Hochberg",
			 SIGNIFICANT, least);
	}
	lt_out_str(o, line);
}

static void put_head(const struct lt_diff *d, const struct lt_diff_view *p)
{
	static const char *const what[LT_N_DIFFS] = { "allocations", "allocated", "alive objects",
						      "alive" };
	struct lt_out *o = p->out;
	char line[128], n[64];

	if (p->moments) {
		snprintf(line, sizeof(line), "Two instants of one trace, %.4g s apart. Not tested.\n",
			 d->seconds[LT_NEW]);
		lt_out_str(o, line);
	} else {
		put_side(d, LT_OLD, o);
		put_side(d, LT_NEW, o);
		put_tests(d, o);
	}
	for (const char *s = d->notes.s, *end; s && *s; s = end + 1) {
		end = strchr(s, '\n');
		lt_out_str(o, "Caution: ");
		lt_out_text(o, s, (size_t)(end - s));
		lt_out_char(o, '\n');
	}
	if (d->own[LT_OLD] + d->own[LT_NEW]) {
		lt_out_str(o, lt_self_text(d->own[LT_OLD] + d->own[LT_NEW], "object", line,
					   sizeof(line)));
		lt_out_char(o, '\n');
	}
	lt_out_str(o, "All rows:");
	for (int m = 0; m < LT_N_DIFFS; m++) {
		put_value(n, sizeof(n), (enum lt_diff_metric)m, d->all.delta[m], true);
		snprintf(line, sizeof(line), "%s %s %s", m ? "," : "", n,
			 what[m]);
		lt_out_str(o, line);
	}
	lt_out_str(o, "\n\n");
}

static void print_text(const struct lt_diff *d, const struct lt_diff_view *p, size_t shown)
{
	const struct lt_column *chosen[8 + LT_N_DIFFS + 3];
	struct ctx c = { .d = d, .metric = p->sort };
	struct lt_table t = { .out = p->out, .format = LT_FORMAT_TEXT, .columns = chosen, .ctx = &c,
			      .max_width = p->width, .cut = p->cut };
	size_t n = 0, all = shown;
	char line[64];

	while (shown && !(fabs(d->rows[shown - 1].delta[p->sort]) > 0) &&
	       !(fabs(d->rows[shown - 1].delta[LT_DIFF_ALLOCATIONS]) > 0))
		shown--;
	put_head(d, p);
	chosen[n++] = &site_column;
	chosen[n++] = &cache_column;
	chosen[n++] = &delta_columns[p->sort];
	chosen[n++] = &old_column;
	chosen[n++] = &new_column;
	if (d->tested)
		chosen[n++] = &p_column;
	for (int m = 0; m < LT_N_DIFFS; m++) {
		if (m != (int)p->sort)
			chosen[n++] = &other_columns[m];
	}
	for (int i = 0; !p->moments && i < 3; i++)
		chosen[n++] = &life_columns[i];
	t.n_columns = n;
	if (!shown) {
		lt_out_str(p->out, "No row differs.\n");
		return;
	}
	lt_table_begin(&t);
	for (size_t i = 0; i < shown; i++)
		lt_table_row(&t, &d->rows[i]);
	lt_table_end(&t);
	if (all == shown && shown < d->n_rows) {
		snprintf(line, sizeof(line), "… and %zu more; all with -n 0\n",
			 d->n_rows - shown);
		lt_out_str(p->out, line);
	}
}

/* ------------------------------------------------------------------------
 * CSV and JSON
 */

static void put_number(struct lt_out *o, double v)
{
	lt_outf(o, fabs(v) < 1e15 && v == floor(v) ? "%.0f" : "%.6g", v + 0.0);
}

static bool is_number(double v)
{
	return !isnan(v) && !isinf(v);
}

static double median_of(const struct lt_diff_row *w, int side)
{
	struct lt_value v = { .type = LT_VALUE_NONE };

	median(w, side, &v);
	return v.type == LT_VALUE_NS ? (double)v.u : NAN;
}

/* The numbers of a row, in their order. */
static void row_numbers(const struct lt_diff_row *w,
			void (*put)(void *arg, const char *prefix, const char *name, double v),
			void *arg)
{
	for (int m = 0; m < LT_N_DIFFS; m++) {
		put(arg, "old_", lt_diff_metrics[m], w->mean[LT_OLD][m]);
		put(arg, "new_", lt_diff_metrics[m], w->mean[LT_NEW][m]);
		put(arg, "delta_", lt_diff_metrics[m], w->delta[m]);
		put(arg, "p_", lt_diff_metrics[m], w->p[m]);
	}
	put(arg, "old_", "p50_ns", median_of(w, LT_OLD));
	put(arg, "new_", "p50_ns", median_of(w, LT_NEW));
	put(arg, "p_", "lifetimes", w->lifetimes_p);
}

static void csv_name(void *arg, const char *prefix, const char *name, double v)
{
	(void)v;
	lt_outf(arg, ",%s%s", prefix, name);
}

static void csv_number(void *arg, const char *prefix, const char *name, double v)
{
	(void)prefix;
	(void)name;
	lt_out_char(arg, ',');
	if (is_number(v))
		put_number(arg, v);
}

static void print_csv(const struct lt_diff *d, const struct lt_diff_view *p, size_t shown)
{
	static const struct lt_diff_row none;

	lt_out_str(p->out, "cache,site");
	row_numbers(&none, csv_name, p->out);
	lt_out_char(p->out, '\n');
	for (size_t i = 0; i < shown; i++) {
		const struct lt_diff_row *w = &d->rows[i];

		lt_csv_text(p->out, w->cache, strlen(w->cache));
		lt_out_char(p->out, ',');
		lt_csv_text(p->out, w->site, strlen(w->site));
		row_numbers(w, csv_number, p->out);
		lt_out_char(p->out, '\n');
	}
}

static void json_number(void *arg, const char *prefix, const char *name, double v)
{
	char key[64];

	snprintf(key, sizeof(key), "%s%s", prefix, name);
	if (is_number(v))
		put_number(lt_json_value(arg, key), v);
	else
		lt_json_null(arg, key);
}

static void json_row(struct lt_json *j, const struct lt_diff_row *w)
{
	lt_json_break(j);
	lt_json_object(j, NULL);
	lt_json_str(j, "cache", w->cache);
	lt_json_str(j, "site", w->site);
	row_numbers(w, json_number, j);
	lt_json_end(j);
}

static void json_sums(struct lt_json *j, const struct lt_diff *d)
{
	for (int side = LT_OLD; side <= LT_NEW; side++) {
		const char *prefix = side == LT_OLD ? "old_" : "new_";

		json_number(j, prefix, "traces", (double)d->opts.n[side]);
		json_number(j, prefix, "seconds", d->seconds[side]);
		json_number(j, prefix, "units", d->units[side]);
		json_number(j, prefix, "lost", d->lost[side]);
		json_number(j, prefix, "own_allocations", (double)d->own[side]);
	}
	for (int m = 0; m < LT_N_DIFFS; m++)
		json_number(j, "delta_", lt_diff_metrics[m], d->all.delta[m]);
}

static void print_json(const struct lt_diff *d, const struct lt_diff_view *p, size_t shown)
{
	static const char *const per[] = { "total", "s", "exec", "marker" };
	struct lt_json j = LT_JSON_INIT(p->out);

	lt_json_object(&j, NULL);
	lt_json_u64(&j, "schema_version", LT_SCHEMA_VERSION);
	lt_json_word(&j, "per", per[d->opts.per]);
	lt_json_bool(&j, "tested", d->tested);
	lt_json_bool(&j, "offsets", d->offsets);
	json_sums(&j, d);
	lt_json_array(&j, "notes");
	for (const char *s = d->notes.s, *end; s && *s; s = end + 1) {
		end = strchr(s, '\n');
		lt_json_text(&j, NULL, s, (size_t)(end - s));
	}
	lt_json_end(&j);
	lt_json_word(&j, "sort", lt_diff_metrics[p->sort]);
	lt_json_u64(&j, "total_rows", d->n_rows);
	lt_json_array(&j, "rows");
	for (size_t i = 0; i < shown; i++)
		json_row(&j, &d->rows[i]);
	lt_json_line(&j);
}

void lt_diff_print(struct lt_diff *d, const struct lt_diff_view *p)
{
	enum lt_diff_metric sort = p->sort;
	size_t shown = p->top && p->top < d->n_rows ? p->top : d->n_rows;

	if (d->n_rows)
		qsort_r(d->rows, d->n_rows, sizeof(*d->rows), by_delta, &sort);
	if (p->format == LT_FORMAT_JSON)
		print_json(d, p, shown);
	else if (p->format == LT_FORMAT_CSV)
		print_csv(d, p, shown);
	else
		print_text(d, p, shown);
}
