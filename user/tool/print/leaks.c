// SPDX-License-Identifier: GPL-2.0
/*
 * Leaks, as text, CSV and JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "forms/screen.h"
#include "forms/sort.h"
#include "lifetimes/kmalloc.h"
#include "out/units.h"
#include "print/leaks.h"
#include "print/self.h"
#include "print/site.h"

static const char *name_of(struct lt_leaks_ctx *c, const struct lt_leak_row *w)
{
	return w->site ? lt_trace_symbol(c->t, w->site, true, c->buf, sizeof(c->buf)) : "(unknown)";
}

static const struct lt_place *place(const struct lt_leak_row *w, const struct lt_leaks_ctx *c)
{
	return w->site ? lt_lines_find(c->lines, w->site) : NULL;
}

const char *lt_leaks_verdict(const struct lt_leak_row *row)
{
	if (row->doubt == LT_LEAK_SURE)
		return "leak";
	if (row->gone)
		return "gone";
	return lt_leak_grows(row) ? "grows" : "old";
}

static const char *doubt_of(const struct lt_leak_row *w, const struct lt_leaks_ctx *c)
{
	return c->people ? lt_leak_doubt_text(w->doubt) : lt_leak_doubt_name(w->doubt);
}

static const char *cache_of(struct lt_leaks_ctx *c, uint64_t key)
{
	return c->merged ? lt_cache_key_shown(c->t, key, c->buf, sizeof(c->buf)) :
			   lt_cache_key_name(c->t, key, c->buf, sizeof(c->buf));
}

#define IN_SITE		w->site
#define KNOWN_AGE	w->ages.n
#define KNOWN_RATE	(w->doubt != LT_LEAK_SHORT)
#define DOUBTED		(w->doubt != LT_LEAK_SURE)
#define AGE(percent)	lt_hist_percentile(&w->ages, percent)
#define ESTIMATE	(A | LT_COLUMN_IF_ESTIMATES)
#define ESTIMATED	c->estimates
#define INTERVAL(of)	lt_spread_interval(&w->of##_off, w->of)
#define KNOWN(of)		(ESTIMATED && INTERVAL(of).known)

/* Of 100 such intervals 95 hold the true number. */
#define INTERVAL_OF(C, of, name, TYPE)	\
	C(of##_low, name "_low", "from", TYPE, ESTIMATE, KNOWN(of), INTERVAL(of).low,	\
	  "begin of the interval of 95 % of " name)	\
	C(of##_high, name "_high", "to", TYPE, ESTIMATE, KNOWN(of), INTERVAL(of).high, "its end")

#define LEAK(C, G)	\
	C(name, "name", "call site", TEXT, A, true, name_of(c, w), "call site, or (unknown)")	\
	C(site, "site", "site", TEXT, A, IN_SITE, name_of(c, w), "call site")	\
	C(address, "address", "address", HEX, A, IN_SITE, lt_trace_code_address(c->t, w->site),	\
	  "address of the call site")	\
	LT_SITE_SOURCE(C, G)	\
	C(cache, "cache", "cache", TEXT, A, w->cache, cache_of(c, w->cache), "slab cache, or device")	\
	C(verdict, "verdict", "verdict", TEXT, A, true, lt_leaks_verdict(w), "leak, gone, grows or old")	\
	C(doubt, "doubt", "not certain:", TEXT, A, DOUBTED, doubt_of(w, c),	\
	  "the condition of a leak that does not hold")	\
	C(births, "allocations", "allocations", COUNT, A, true, w->births, "objects that were allocated")	\
	C(live, "alive", "alive", COUNT, A, true, w->live, "objects alive at the end")	\
	C(live_bytes, "alive_bytes", "alive bytes", BYTES, A, true, w->live_bytes, "their size")	\
	C(old, "old", "old", COUNT, A, true, w->old, "objects that became old")	\
	C(old_bytes, "old_bytes", "bytes", BYTES, A, true, w->old_bytes, "their size")	\
	C(maybe, "maybe_old", "perhaps", COUNT, A, true, w->maybe, "old objects whose free may be missing") \
	C(maybe_bytes, "maybe_old_bytes", "perhaps bytes", BYTES, A, true, w->maybe_bytes, "their size")	\
	C(late, "freed_late", "freed late", COUNT, A, true, w->late, "objects that were freed when old")	\
	C(age_p50, "age_p50_ns", "age p50", NS, A, KNOWN_AGE, AGE(50), "half of the old ones are at most that old") \
	C(age_p90, "age_p90_ns", "p90", NS, A, KNOWN_AGE, AGE(90), "90 % of the old ones are at most that old")	\
	C(age_max, "age_max_ns", "max", NS, A, KNOWN_AGE, w->ages.max, "age of the oldest")	\
	C(growth, "growth_per_s", "growth/s", RATE, A, KNOWN_RATE, w->growth, "more old objects a second")	\
	C(growth_error, "growth_error_per_s", "± error", RATE, A, KNOWN_RATE, w->growth_error,	\
	  "standard error of that")	\
	C(bytes_growth, "growth_bytes_per_s", "bytes/s", RATE, A, KNOWN_RATE, w->bytes_growth,	\
	  "more bytes of old objects a second")	\
	C(steady, "growth_t", "t", RATE, A, KNOWN_RATE, w->steady, "how steady the growth is")	\
	C(gone, "maker_gone", "maker gone", COUNT, A, true, w->gone,	\
	  "objects alive whose maker, a module, was unloaded")	\
	C(gone_bytes, "maker_gone_bytes", "bytes", BYTES, A, true, w->gone_bytes, "their size")	\
	INTERVAL_OF(C, births, "allocations", COUNT)	\
	INTERVAL_OF(C, live, "alive", COUNT)	\
	INTERVAL_OF(C, live_bytes, "alive_bytes", BYTES)	\
	INTERVAL_OF(C, old, "old", COUNT)	\
	INTERVAL_OF(C, old_bytes, "old_bytes", BYTES)

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct lt_leak_row, w, struct lt_leaks_ctx, c, TYPE, known, value)
#define FILLER(id, name, head, TYPE, marks, call, meaning)	\
	LT_ROW_FILLER(id, struct lt_leak_row, w, struct lt_leaks_ctx, c, v, call)

LEAK(GETTER, FILLER)
static const struct lt_column leak_columns[] = { LEAK(LT_SCREEN_COLUMN, LT_SCREEN_FILLED) };
LT_SCREEN_KIND(leak, "leak",
	       "name,source,verdict,old,old_low,old_high,old_bytes,growth_per_s,doubt,growth_error_per_s,"
	       "allocations,maybe_old,age_p50_ns,age_p90_ns,age_max_ns",
	       "a call site whose objects are not freed");

/* Its code can free nothing any more, and other code frees it only if it was handed over. */
static void put_module(const struct lt_leak_module *m, uint64_t end, struct lt_out *out)
{
	uint64_t ago = end > m->time ? end - m->time : 0;
	char line[384], ns[32], n[32], bytes[32], more[96] = "";

	lt_human_ns(ago, ns, sizeof(ns));
	if (m->maybe)
		snprintf(more, sizeof(more), "%s%s more unless their frees are missing",
			 m->live ? ", and " : "", lt_human_count(m->maybe, n, sizeof(n)));
	snprintf(line, sizeof(line), "%s was unloaded %s before the end; of what it allocated ",
		 m->name, ns);
	lt_out_str(out, line);
	if (m->live) {
		snprintf(line, sizeof(line), "%s object%s (%s) %s alive",
			 lt_human_count(m->live, n, sizeof(n)), m->live == 1 ? "" : "s",
			 lt_human_bytes(m->live_bytes, bytes, sizeof(bytes)),
			 m->live == 1 ? "is" : "are");
		lt_out_str(out, line);
	}
	lt_out_str(out, more);
	lt_out_str(out, m->live ? "\n" : " are alive\n");
}

void lt_leaks_short(const struct lt_leaks *l, struct lt_out *out)
{
	char line[256], watched[32];

	if (l->window)
		return;
	snprintf(line, sizeof(line), "Allocations were watched for %s, less than %s (--older): nothing can be %s\n",
		 lt_human_ns(l->watched_ns, watched, sizeof(watched)),
		 l->watched_ns < l->opts.older_ns ? "this age" : "twice this age",
		 l->watched_ns < l->opts.older_ns ? "so old" : "called a leak");
	lt_out_str(out, line);
}

/* Sites none of whose old objects is certainly alive. */
static size_t count_perhaps(const struct lt_leaks *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_rows; i++)
		n += !l->rows[i].old && l->rows[i].maybe;
	return n;
}

/* Sites with old objects; what a module left when it was unloaded has a row at any age. */
static size_t count_old(const struct lt_leaks *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_rows; i++)
		n += l->rows[i].old != 0;
	return n;
}

void lt_leaks_head(const struct lt_leaks *l, struct lt_out *out)
{
	uint64_t unsure = l->stats.certainty[l->opts.space][LT_UNCERTAIN];
	size_t perhaps = count_perhaps(l), old = count_old(l);
	char line[256], ns[32], n[32];

	snprintf(line, sizeof(line), "%zu site%s certainly leak%s; %zu %s objects of %s or older",
		 l->n_sure, l->n_sure == 1 ? "" : "s", l->n_sure == 1 ? "s" : "",
		 old, old == 1 ? "has" : "have", lt_human_ns(l->opts.older_ns, ns, sizeof(ns)));
	lt_out_str(out, line);
	if (perhaps)
		lt_outf(out, "; %zu %s only perhaps", perhaps, perhaps == 1 ? "has" : "have");
	lt_out_char(out, '\n');
	for (size_t i = 0; i < l->n_modules; i++)
		put_module(&l->modules[i], l->end, out);
	if (unsure) {
		snprintf(line, sizeof(line), "%s lifetimes are uncertain; no verdict rests on them\n",
			 lt_human_count(unsure, n, sizeof(n)));
		lt_out_str(out, line);
	}
}

/* What was left out, and what could not be seen. */
static void put_limits(const struct lt_leaks *l, struct lt_out *out)
{
	char self[128];

	if (l->sample_changed)
		lt_outf(out, "A sample that changed: an object counts as many as the samples of its life say, at the most "
			"%u; verdicts rest on the smallest one; 95 of 100 intervals (from, to) hold the true "
			"number\n", l->sample);
	else if (l->sample)
		lt_outf(out, "A sample: each object at 1 in %u addresses counts as %u; verdicts rest on "
			"what was recorded; 95 of 100 intervals (from, to) hold the true number\n",
			l->sample, l->sample);
	if (l->own_births) {
		lt_out_str(out, lt_self_text(l->own_births, "object", self, sizeof(self)));
		lt_out_char(out, '\n');
	}
	lt_leaks_short(l, out);
}

/* The rows follow. */
static void put_json_head(struct lt_json *j, const struct lt_leaks *l)
{
	lt_json_object(j, NULL);
	lt_json_u64(j, "schema_version", LT_SCHEMA_VERSION);
	lt_json_u64(j, "older_ns", l->opts.older_ns);
	lt_json_u64(j, "watched_ns", l->watched_ns);
	lt_json_u64(j, "window_ns", l->window);
	lt_json_u64(j, "leaks", l->n_sure);
	lt_json_u64(j, "total_rows", l->n_rows);
	lt_json_u64(j, "uncertain", l->stats.certainty[l->opts.space][LT_UNCERTAIN]);
	lt_json_u64(j, "own_allocations", l->own_births);
	if (l->sample)
		lt_json_u64(j, "sample", l->sample);
	lt_json_array(j, "unloaded");
	for (size_t i = 0; i < l->n_modules; i++) {
		const struct lt_leak_module *m = &l->modules[i];

		lt_json_object(j, NULL);
		lt_json_str(j, "module", m->name);
		lt_json_u64(j, "before_end_ns", l->end > m->time ? l->end - m->time : 0);
		lt_json_u64(j, "alive", m->live);
		lt_json_u64(j, "alive_bytes", m->live_bytes);
		lt_json_u64(j, "maybe_alive", m->maybe);
		lt_json_end(j);
	}
	lt_json_end(j);
	lt_json_array(j, "rows");
}

/* To be freed. */
static const void **sorted(const struct lt_leaks *l, const struct lt_column *by,
			   struct lt_leaks_ctx *c)
{
	const void **rows = lt_alloc_array(l->n_rows + 1, sizeof(*rows));

	for (size_t i = 0; i < l->n_rows; i++)
		rows[i] = &l->rows[i];
	if (by)
		lt_sort_rows(rows, l->n_rows, by, c);
	return rows;
}

static void put_rows(struct lt_table *table, const void **rows, size_t n)
{
	lt_table_begin(table);
	for (size_t i = 0; i < n; i++)
		lt_table_row(table, rows[i]);
	lt_table_end(table);
}

void lt_leaks_print(const struct lt_leaks *l, const struct lt_leaks_view *view)
{
	bool text = view->format == LT_FORMAT_TEXT, json = view->format == LT_FORMAT_JSON;
	struct lt_leaks_ctx c = { .t = view->t, .lines = view->lines, .people = text, .merged = text,
				  .estimates = l->sample };
	struct lt_json j = LT_JSON_INIT(view->out);
	struct lt_table table = {
		.out = view->out, .format = view->format, .ctx = &c, .json = &j,
		.max_width = view->width, .cut = view->cut,
	};
	size_t n = view->top && view->top < l->n_rows ? view->top : l->n_rows;
	const void **rows = sorted(l, view->sort, &c);
	struct lt_out *out = view->out;

	lt_table_columns(&table, &lt_rows_of_leak, (view->lines ? LT_COLUMN_IF_LINES : 0) |
			 (l->sample ? LT_COLUMN_IF_ESTIMATES : 0), view->columns);
	if (json) {
		put_json_head(&j, l);
	} else if (text) {
		lt_leaks_head(l, out);
		put_limits(l, out);
	}
	if (n || !text)
		put_rows(&table, rows, n);
	else
		free(table.owned);
	free(rows);
	if (json)
		lt_json_line(&j);
	if (text && n < l->n_rows)
		lt_outf(out, "… and %zu more; all with -n 0\n", l->n_rows - n);
}
