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
#include "forms/sort.h"
#include "lifetimes/kmalloc.h"
#include "out/units.h"
#include "print/leaks.h"
#include "print/self.h"
#include "print/site.h"

#define GET(name)	static void get_##name(const void *row, void *ctx, struct lt_value *v)
#define ROW		const struct lt_leak_row *w = row

#define NUMBER(name, type, value)	\
GET(name)				\
{					\
	ROW;				\
					\
	(void)ctx;			\
	lt_value_u(v, type, value);	\
}

NUMBER(births, LT_VALUE_COUNT, w->births)
NUMBER(live, LT_VALUE_COUNT, w->live)
NUMBER(live_bytes, LT_VALUE_BYTES, w->live_bytes)
NUMBER(old, LT_VALUE_COUNT, w->old)
NUMBER(old_bytes, LT_VALUE_BYTES, w->old_bytes)
NUMBER(maybe, LT_VALUE_COUNT, w->maybe)
NUMBER(maybe_bytes, LT_VALUE_BYTES, w->maybe_bytes)
NUMBER(late, LT_VALUE_COUNT, w->late)
NUMBER(gone, LT_VALUE_COUNT, w->gone)
NUMBER(gone_bytes, LT_VALUE_BYTES, w->gone_bytes)

static void age(const struct lt_leak_row *w, double percent, struct lt_value *v)
{
	if (w->ages.n)
		lt_value_u(v, LT_VALUE_NS, lt_hist_percentile(&w->ages, percent));
}

GET(age_p50)
{
	(void)ctx;
	age(row, 50, v);
}

GET(age_p90)
{
	(void)ctx;
	age(row, 90, v);
}

GET(age_max)
{
	ROW;

	(void)ctx;
	if (w->ages.n)
		lt_value_u(v, LT_VALUE_NS, w->ages.max);
}

static void rate(const struct lt_leak_row *w, double d, struct lt_value *v)
{
	if (w->doubt != LT_LEAK_SHORT)
		lt_value_d(v, LT_VALUE_RATE, d);
}

#define RATE(name, value)	\
GET(name)			\
{				\
	ROW;			\
				\
	(void)ctx;		\
	rate(w, value, v);	\
}

RATE(growth, w->growth)
RATE(growth_error, w->growth_error)
RATE(bytes_growth, w->bytes_growth)
RATE(steady, w->steady)

GET(name)
{
	struct lt_leaks_ctx *c = ctx;
	ROW;
	const char *s = w->site ? lt_trace_symbol(c->t, w->site, true, c->buf, sizeof(c->buf)) :
				  "(unknown)";

	lt_value_text(v, s, strlen(s));
}

/* As in report. */
GET(site)
{
	ROW;

	if (w->site)
		get_name(row, ctx, v);
}

GET(address)
{
	const struct lt_leaks_ctx *c = ctx;
	ROW;

	if (w->site)
		lt_value_u(v, LT_VALUE_HEX, lt_trace_code_address(c->t, w->site));
}

static const struct lt_place *place(const struct lt_leak_row *w, const struct lt_leaks_ctx *c)
{
	return w->site ? lt_lines_find(c->lines, w->site) : NULL;
}

GET(source)
{
	struct lt_leaks_ctx *c = ctx;
	const char *s = lt_site_source(place(row, c), c->buf, sizeof(c->buf));

	if (s)
		lt_value_text(v, s, strlen(s));
}

GET(file)
{
	lt_site_file(place(row, ctx), v);
}

GET(line)
{
	lt_site_line(place(row, ctx), v);
}

GET(inlined)
{
	struct lt_leaks_ctx *c = ctx;

	lt_site_list(place(row, c), v, c->buf, sizeof(c->buf));
}

GET(cache)
{
	struct lt_leaks_ctx *c = ctx;
	ROW;
	const char *s;

	if (!w->cache)
		return;
	s = lt_cache_key_name(c->t, w->cache, c->buf, sizeof(c->buf));
	lt_value_text(v, s, strlen(s));
}

const char *lt_leaks_verdict(const struct lt_leak_row *row)
{
	if (row->doubt == LT_LEAK_SURE)
		return "leak";
	if (row->gone)
		return "gone";
	return lt_leak_grows(row) ? "grows" : "old";
}

GET(verdict)
{
	const char *s = lt_leaks_verdict(row);

	(void)ctx;
	lt_value_text(v, s, strlen(s));
}

GET(doubt)
{
	ROW;

	(void)ctx;
	if (w->doubt != LT_LEAK_SURE)
		lt_value_text(v, lt_leak_doubt_name(w->doubt),
			      strlen(lt_leak_doubt_name(w->doubt)));
}

GET(doubt_text)
{
	ROW;

	(void)ctx;
	if (w->doubt != LT_LEAK_SURE)
		lt_value_text(v, lt_leak_doubt_text(w->doubt),
			      strlen(lt_leak_doubt_text(w->doubt)));
}

#define C(id, key, title, is_left)				\
static const struct lt_column col_##id = {			\
	.name = key, .header = title, .left = is_left, .get = get_##id,	\
};

C(name, "name", "call site", true)
C(site, "site", "", true)
C(address, "address", "", false)
C(source, "source", "source", true)
C(file, "file", "", true)
C(line, "line", "", false)
C(inlined, "inlined", "", true)
C(cache, "cache", "cache", true)
C(verdict, "verdict", "verdict", true)
C(doubt, "doubt", "not certain", true)
C(doubt_text, "doubt", "not certain:", true)
C(births, "allocations", "allocations", false)
C(live, "alive", "alive", false)
C(live_bytes, "alive_bytes", "alive bytes", false)
C(old, "old", "old", false)
C(old_bytes, "old_bytes", "bytes", false)
C(maybe, "maybe_old", "perhaps", false)
C(maybe_bytes, "maybe_old_bytes", "perhaps bytes", false)
C(late, "freed_late", "freed late", false)
C(gone, "maker_gone", "maker gone", false)
C(gone_bytes, "maker_gone_bytes", "bytes", false)
C(age_p50, "age_p50_ns", "age p50", false)
C(age_p90, "age_p90_ns", "p90", false)
C(age_max, "age_max_ns", "max", false)
C(growth, "growth_per_s", "growth/s", false)
C(growth_error, "growth_error_per_s", "± error", false)
C(bytes_growth, "growth_bytes_per_s", "bytes/s", false)
C(steady, "growth_t", "t", false)

/* Those of source lines come first, for people behind the name. */
static const struct lt_column *const for_people[] = {
	&col_source, &col_verdict, &col_old, &col_old_bytes, &col_growth, &col_doubt_text,
	&col_growth_error, &col_births, &col_maybe, &col_age_p50, &col_age_p90, &col_age_max,
};

static const struct lt_column *const all[] = {
	&col_file, &col_line, &col_inlined, &col_cache, &col_verdict, &col_doubt, &col_births,
	&col_live, &col_live_bytes, &col_old, &col_old_bytes, &col_maybe, &col_maybe_bytes,
	&col_late, &col_age_p50, &col_age_p90, &col_age_max, &col_growth, &col_growth_error,
	&col_bytes_growth, &col_steady, &col_gone, &col_gone_bytes,
};

#define N(columns)	(sizeof(columns) / sizeof((columns)[0]))
#define N_SOURCE_TEXT	1	/* of @for_people */
#define N_SOURCE	3	/* of @all */
#define MAX_COLUMNS	(3 + N(all))

_Static_assert(MAX_COLUMNS <= LT_LEAKS_COLUMNS, "all columns fit");

size_t lt_leaks_columns(bool lines, const struct lt_column **chosen)
{
	size_t n = 0;

	chosen[n++] = &col_name;
	chosen[n++] = &col_site;
	chosen[n++] = &col_address;
	for (size_t i = lines ? 0 : N_SOURCE; i < N(all); i++)
		chosen[n++] = all[i];
	return n;
}

static size_t text_columns(bool lines, const struct lt_column **chosen)
{
	size_t n = 0;

	chosen[n++] = &col_name;
	for (size_t i = lines ? 0 : N_SOURCE_TEXT; i < N(for_people); i++)
		chosen[n++] = for_people[i];
	return n;
}

const struct lt_column *lt_leaks_sort(const char *name)
{
	const struct lt_column *chosen[MAX_COLUMNS];

	return lt_sort_column(chosen, lt_leaks_columns(true, chosen), name);
}

const struct lt_column *lt_leaks_column(const char *name)
{
	if (!strcmp(name, col_name.name))
		return &col_name;
	for (size_t i = 0; i < N(for_people); i++) {
		if (!strcmp(for_people[i]->name, name))
			return for_people[i];
	}
	for (size_t i = 0; i < N(all); i++) {
		if (!strcmp(all[i]->name, name))
			return all[i];
	}
	return NULL;
}

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

void lt_leaks_head(const struct lt_leaks *l, struct lt_out *out)
{
	uint64_t unsure = l->stats.certainty[l->opts.space][LT_UNCERTAIN];
	char line[256], ns[32], n[32];

	snprintf(line, sizeof(line), "%zu site%s certainly leak%s; %zu have objects of %s or older\n",
		 l->n_sure, l->n_sure == 1 ? "" : "s", l->n_sure == 1 ? "s" : "", l->n_rows,
		 lt_human_ns(l->opts.older_ns, ns, sizeof(ns)));
	lt_out_str(out, line);
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

void lt_leaks_print(const struct lt_leaks *l, const struct lt_leaks_view *view)
{
	bool text = view->format == LT_FORMAT_TEXT, json = view->format == LT_FORMAT_JSON;
	const struct lt_column *chosen[MAX_COLUMNS];
	struct lt_leaks_ctx c = { .t = view->t, .lines = view->lines };
	struct lt_table table = {
		.out = view->out, .format = view->format, .columns = chosen, .ctx = &c,
		.n_columns = text ? text_columns(view->lines, chosen) :
				    lt_leaks_columns(view->lines, chosen),
		.max_width = view->width,
		.cut = view->cut,
	};
	size_t n = view->top && view->top < l->n_rows ? view->top : l->n_rows;
	const void **rows = sorted(l, view->sort, &c);
	struct lt_out *out = view->out;
	struct lt_json j = LT_JSON_INIT(out);
	char line[64];

	if (json) {
		put_json_head(&j, l);
	} else if (text) {
		lt_leaks_head(l, out);
		put_limits(l, out);
	}
	if (!json && (n || !text))
		lt_table_begin(&table);
	for (size_t i = 0; i < n; i++) {
		if (json) {
			lt_json_break(&j);
			lt_json_value(&j, NULL);
			lt_table_json(&table, rows[i]);
		} else {
			lt_table_row(&table, rows[i]);
		}
	}
	free(rows);
	if (json)
		lt_json_line(&j);
	else if (n || !text)
		lt_table_end(&table);
	if (text && n < l->n_rows) {
		snprintf(line, sizeof(line), "… and %zu more; all with -n 0\n", l->n_rows - n);
		lt_out_str(out, line);
	}
}
