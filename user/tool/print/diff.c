// SPDX-License-Identifier: GPL-2.0
/*
 * Differences between traces, as text, CSV and JSON.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "forms/screen.h"
#include "out/units.h"
#include "print/diff.h"
#include "print/self.h"

const char *const lt_diff_metrics[LT_N_DIFFS + 1] = {
	"allocations", "bytes", "alive", "alive_bytes", NULL
};

static bool is_bytes(enum lt_diff_metric m)
{
	return m == LT_DIFF_BYTES || m == LT_DIFF_ALIVE_BYTES;
}

struct ctx {
	bool people;		/* sites and caches that are not known have a word */
};

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
	int order = (y->p[*m] < LT_SIGNIFICANT) - (x->p[*m] < LT_SIGNIFICANT);

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

static const char *text_of(const struct ctx *c, const char *text, const char *instead)
{
	return text[0] || !c->people ? text : instead;
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

#define METRIC(C, name, words, METRIC, NUMBER, CHANGE)	\
	C(old_##name, "old_" #name, "old " words, NUMBER, A, true, w->mean[LT_OLD][METRIC],	\
	  words " of the old traces")	\
	C(new_##name, "new_" #name, "new " words, NUMBER, A, true, w->mean[LT_NEW][METRIC],	\
	  words " of the new traces")	\
	C(delta_##name, "delta_" #name, "+ " words, CHANGE, A, true, w->delta[METRIC],	\
	  "how many more the new ones have")	\
	C(p_##name, "p_" #name, "p of " words, CHANCE, A, true, w->p[METRIC],	\
	  "probability that the change is chance")

#define DIFF(C, G)	\
	C(cache, "cache", "cache", TEXT, A, true, text_of(c, w->cache, "(none)"),	\
	  "slab cache, or device")	\
	C(site, "site", "call site", TEXT, A, true, text_of(c, w->site, "(unknown)"),	\
	  "call site")	\
	METRIC(C, allocations, "allocations", LT_DIFF_ALLOCATIONS, NUMBER, CHANGE)	\
	METRIC(C, bytes, "bytes", LT_DIFF_BYTES, SIZE, SIZE_CHANGE)	\
	METRIC(C, alive, "alive", LT_DIFF_ALIVE, NUMBER, CHANGE)	\
	METRIC(C, alive_bytes, "alive bytes", LT_DIFF_ALIVE_BYTES, SIZE, SIZE_CHANGE)	\
	G(old_p50, "old_p50_ns", "p50 old", NS, A, median(w, LT_OLD, v),	\
	  "half of the objects of the old traces lived at most that long")	\
	G(new_p50, "new_p50_ns", "p50 new", NS, A, median(w, LT_NEW, v),	\
	  "the same of the new traces")	\
	C(p_lifetimes, "p_lifetimes", "p of lifetimes", CHANCE, A, true, w->lifetimes_p,	\
	  "probability that the change of lifetimes is chance")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct lt_diff_row, w, struct ctx, c, TYPE, known, value)
#define FILLER(id, name, head, TYPE, marks, call, meaning)	\
	LT_ROW_FILLER(id, struct lt_diff_row, w, struct ctx, c, v, call)

DIFF(GETTER, FILLER)
static const struct lt_column diff_columns[] = { DIFF(LT_SCREEN_COLUMN, LT_SCREEN_FILLED) };
LT_SCREEN_KIND(diff, "diff", NULL, "a call site and cache of two sets of traces");

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
			 LT_SIGNIFICANT, least);
	}
	lt_out_str(o, line);
}

static void put_head(const struct lt_diff *d, const struct lt_diff_view *p)
{
	static const char *const what[LT_N_DIFFS] = { "allocations", "allocated", "alive objects",
						      "alive" };
	struct lt_out *o = p->out;
	char line[128], n[LT_VALUE_CELL];

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
		struct lt_value v;

		lt_value_d(&v, is_bytes((enum lt_diff_metric)m) ? LT_VALUE_SIZE_CHANGE :
			   LT_VALUE_CHANGE, d->all.delta[m]);
		lt_value_human(&v, n);
		lt_outf(o, "%s %s %s", m ? "," : "", n, what[m]);
	}
	lt_out_str(o, "\n\n");
}

/* Of the metric that rows are sorted by all, of the others the change. To be freed. */
static char *text_names(const struct lt_diff *d, const struct lt_diff_view *p)
{
	const char *by = lt_diff_metrics[p->sort];
	struct lt_str s = { .n = 0 };

	lt_str_add(&s, "site,cache,delta_%s,old_%s,new_%s", by, by, by);
	if (d->tested)
		lt_str_add(&s, ",p_%s", by);
	for (int m = 0; m < LT_N_DIFFS; m++) {
		if (m != (int)p->sort)
			lt_str_add(&s, ",delta_%s", lt_diff_metrics[m]);
	}
	if (!p->moments)
		lt_str_add(&s, ",old_p50_ns,new_p50_ns,p_lifetimes");
	return s.s;
}

#define FIRST	3	/* the columns of the metric that rows are sorted by, behind its change */
#define MOST	16	/* columns, at least as many as there are */

/*
 * Headers of these are short, since the change before them says what they are of; and people know
 * all columns by their headers.
 */
static void shorten(struct lt_table *t, bool tested, struct lt_column shorter[MOST])
{
	static const char *const headers[] = { "old", "new", "p" };

	for (size_t i = 0; i < t->n_columns && i < MOST; i++) {
		shorter[i] = *t->columns[i];
		shorter[i].name = "";
		if (i >= FIRST && i < FIRST + (tested ? 3 : 2))
			shorter[i].header = headers[i - FIRST];
		t->owned[i] = &shorter[i];
	}
}

static void print_text(const struct lt_diff *d, const struct lt_diff_view *p, size_t shown)
{
	struct ctx c = { .people = true };
	struct lt_table t = { .out = p->out, .format = LT_FORMAT_TEXT, .ctx = &c,
			      .max_width = p->width, .cut = p->cut };
	struct lt_column shorter[MOST];
	size_t all = shown;
	char *names;

	while (shown && !(fabs(d->rows[shown - 1].delta[p->sort]) > 0) &&
	       !(fabs(d->rows[shown - 1].delta[LT_DIFF_ALLOCATIONS]) > 0))
		shown--;
	put_head(d, p);
	if (!shown) {
		lt_out_str(p->out, "No row differs.\n");
		return;
	}
	names = text_names(d, p);
	lt_table_columns(&t, &lt_rows_of_diff, 0, p->columns ? p->columns : names);
	free(names);
	if (!p->columns)
		shorten(&t, d->tested, shorter);
	lt_table_begin(&t);
	for (size_t i = 0; i < shown; i++)
		lt_table_row(&t, &d->rows[i]);
	lt_table_end(&t);
	if (all == shown && shown < d->n_rows)
		lt_outf(p->out, "… and %zu more; all with -n 0\n", d->n_rows - shown);
}

/* ------------------------------------------------------------------------
 * The other forms
 */

static void print_rows(const struct lt_diff *d, const struct lt_diff_view *p, struct lt_json *json,
		       size_t shown)
{
	struct ctx c = { .people = false };
	struct lt_table t = { .out = p->out, .format = p->format, .ctx = &c, .json = json };

	lt_table_columns(&t, &lt_rows_of_diff, 0, p->columns);
	lt_table_begin(&t);
	for (size_t i = 0; i < shown; i++)
		lt_table_row(&t, &d->rows[i]);
	lt_table_end(&t);
}

static void json_number(struct lt_json *j, const char *prefix, const char *name, double v)
{
	struct lt_value value;
	char key[64];

	snprintf(key, sizeof(key), "%s%s", prefix, name);
	lt_value_d(&value, LT_VALUE_NUMBER, v);
	lt_value_print(lt_json_value(j, key), LT_FORMAT_JSON, &value);
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
	print_rows(d, p, &j, shown);
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
	else if (p->format == LT_FORMAT_TEXT)
		print_text(d, p, shown);
	else
		print_rows(d, p, NULL, shown);
}
