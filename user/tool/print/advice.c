// SPDX-License-Identifier: GPL-2.0
/*
 * Advice, as text, CSV and JSON.
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
#include "lifetimes/lifetime.h"
#include "out/para.h"
#include "out/units.h"
#include "print/advice.h"
#include "print/self.h"
#include "print/site.h"

#define WIDTH	100
#define INDENT	4

struct ctx {
	const struct lt_advisor *a;
	const struct lt_trace *t;
	struct lt_lines *lines;
	char buf[1024];
	struct lt_para text;
};

/* ------------------------------------------------------------------------
 * The sentences
 */

static double per_s(const struct lt_advisor *a, uint64_t n)
{
	return a->length ? (double)n * 1e9 / (double)a->length : 0;
}

static void say_at_once(struct lt_para *p, const struct lt_advisor *a, const struct lt_advice *w)
{
	char ns[LT_HUMAN], size[LT_HUMAN], objects[LT_HUMAN], of[LT_HUMAN];

	lt_para_add(p, "%s of %s objects, of %s at most, were freed by the %s that made them, after "
		    "%s on average: ", lt_human_count(w->objects, objects, sizeof(objects)),
		    lt_human_count(w->of, of, sizeof(of)),
		    lt_human_bytes(w->site->largest, size, sizeof(size)),
		    w->kind == LT_ADVICE_ON_STACK ? "function" : "task",
		    lt_human_ns(w->ns, ns, sizeof(ns)));
	if (w->kind == LT_ADVICE_ON_STACK)
		lt_para_add(p, "they could be variables on its stack, which would save %.0f calls of "
			    "the allocator a second.", 2 * per_s(a, w->objects));
	else
		lt_para_add(p, "one that is kept for the next time, by the caller or for each CPU, "
			    "would save up to %.0f calls of the allocator a second.",
			    2 * per_s(a, w->objects));
}

static void say_slack(struct lt_para *p, const struct lt_advice *w)
{
	char bytes[LT_HUMAN], given[LT_HUMAN], slack[LT_HUMAN], objects[LT_HUMAN];

	lt_para_add(p, "%s of the %s given to %s objects were not asked for, on average %s at any "
		    "time: a slab cache of the object's size would not need them.",
		    lt_human_bytes(w->site->slack, slack, sizeof(slack)),
		    lt_human_bytes(w->site->bytes, given, sizeof(given)),
		    lt_human_count(w->objects, objects, sizeof(objects)),
		    lt_human_bytes(w->bytes, bytes, sizeof(bytes)));
}

static void say_place(struct lt_para *p, const struct lt_advisor *a, const struct lt_advice *w)
{
	char objects[LT_HUMAN], of[LT_HUMAN];

	lt_para_add(p, "%s of %s frees were on another CPU than the allocation, where the allocator's "
		    "fast path does not take the memory of the CPU that made it. Who frees where the "
		    "objects are made, or keeps both sides on one CPU (affinity of tasks and "
		    "interrupts), saves up to %.0f such frees a second.",
		    lt_human_count(w->objects, objects, sizeof(objects)),
		    lt_human_count(w->of, of, sizeof(of)), per_s(a, w->objects));
}

/* From here on it is the batching of kfree_rcu() that takes the time, not the wait for readers. */
#define LONG_WAIT_NS	1000000000

static void say_rcu(struct lt_para *p, struct ctx *c, const struct lt_advice *w)
{
	char ns[LT_HUMAN], bytes[LT_HUMAN], objects[LT_HUMAN];
	const struct lt_advisor *a = c->a;

	lt_para_add(p, "%s objects of %zu call site%s waited %s on average from kfree_rcu() to their "
		    "release: %s at any time that nobody uses. ",
		    lt_human_count(w->objects, objects, sizeof(objects)), a->n_waiting_all,
		    a->n_waiting_all == 1 ? "" : "s", lt_human_ns(w->ns, ns, sizeof(ns)),
		    lt_human_bytes(w->bytes, bytes, sizeof(bytes)));
	for (size_t i = 0; i < a->n_waiting; i++) {
		const struct lt_advice_site *s = a->waiting[i];
		double held = a->length ? s->rcu_byte_ns / (double)a->length : 0;

		lt_para_add(p, "%s%s %s", i ? ", " : "Most: ",
			    lt_human_bytes((uint64_t)held, bytes, sizeof(bytes)),
			    s->site ? lt_trace_symbol(c->t, s->site, true, c->buf, sizeof(c->buf)) :
			    "(unknown)");
	}
	lt_para_add(p, ". A cache with SLAB_TYPESAFE_BY_RCU frees its objects at once: the "
		       "author of a site can use one if readers check each object that they "
		       "find, and save the site's part. ");
	if (w->ns >= LONG_WAIT_NS)
		lt_para_add(p, "kfree_rcu() of kernels from 6.2 on collects objects for up to 5 s, which "
			    "no parameter changes.");
	else
		lt_para_add(p, "An administrator can save a part of all by shorter grace periods "
			    "(rcutree.jiffies_till_first_fqs, rcutree.jiffies_till_next_fqs), which cost "
			    "CPU time.");
}

static void say_outlives(struct lt_para *p, const struct lt_advice *w)
{
	char objects[LT_HUMAN], of[LT_HUMAN], bytes[LT_HUMAN];

	lt_human_bytes(w->bytes, bytes, sizeof(bytes));
	lt_para_add(p, "%s of %s objects alive at the end (%s) are of tasks that have exited: a cache "
		    "keeps them, or they are forgotten. If nothing needs them, the code that ends the "
		    "task's use of them can free them, which saves %s.",
		    lt_human_count(w->objects, objects, sizeof(objects)),
		    lt_human_count(w->of, of, sizeof(of)), bytes, bytes);
}

static void say_growth(struct lt_para *p, const struct lt_advisor *a, const struct lt_advice *w)
{
	char objects[LT_HUMAN], of[LT_HUMAN], bytes[LT_HUMAN], older[LT_HUMAN];

	lt_para_add(p, "Of %s objects %s (%s) are older than %s, and become more by %.1f ± %.1f a "
		    "second: ", lt_human_count(w->of, of, sizeof(of)),
		    lt_human_count(w->objects, objects, sizeof(objects)),
		    lt_human_bytes(w->bytes, bytes, sizeof(bytes)),
		    lt_human_ns(a->leaks->opts.older_ns, older, sizeof(older)), w->leak->growth,
		    w->leak->growth_error);
	if (w->kind == LT_ADVICE_LEAK)
		lt_para_add(p, "a constant part of them is never freed, while the others die young. One "
			    "path of the code that ends their use lacks the free, or a reference is kept.");
	else
		lt_para_add(p, "that may be a cache, whose owner can bound it, or a leak (%s).",
			    lt_leak_doubt_text(w->leak->doubt));
}

static const char *say(struct ctx *c, const struct lt_advice *w)
{
	struct lt_para *p = &c->text;

	p->n = 0;
	p->s[0] = 0;
	switch (w->kind) {
	case LT_ADVICE_ON_STACK:
	case LT_ADVICE_AT_ONCE_FREED:
		say_at_once(p, c->a, w);
		break;
	case LT_ADVICE_SLACK:
		say_slack(p, w);
		break;
	case LT_ADVICE_OTHER_CPU:
		say_place(p, c->a, w);
		break;
	case LT_ADVICE_RCU:
		say_rcu(p, c, w);
		break;
	case LT_ADVICE_OUTLIVES:
		say_outlives(p, w);
		break;
	default:
		say_growth(p, c->a, w);
		break;
	}
	return p->s;
}

/* ------------------------------------------------------------------------
 * The columns
 */

static const char *name_of(const struct lt_advice *w, struct ctx *c)
{
	return w->site->site ? lt_trace_symbol(c->t, w->site->site, true, c->buf, sizeof(c->buf)) :
			       "(unknown)";
}

static const struct lt_place *place(const struct lt_advice *w, const struct ctx *c)
{
	return c->lines && w->site->site ? lt_lines_find(c->lines, w->site->site) : NULL;
}

#define IN_SITE		w->site->site

#define ADVICE(C, G)	\
	C(name, "name", "call site", TEXT, A, true, name_of(w, c), "call site, or (unknown)")	\
	C(site, "site", "site", TEXT, A, IN_SITE, name_of(w, c), "call site")	\
	C(address, "address", "address", HEX, A, IN_SITE, lt_trace_code_address(c->t, w->site->site),	\
	  "address of the call site")	\
	LT_SITE_COLUMNS(G)	\
	C(cache, "cache", "cache", TEXT, A, w->site->cache,	\
	  lt_cache_key_name(c->t, w->site->cache, c->buf, sizeof(c->buf)), "slab cache, or device")	\
	C(advice, "advice", "advice", TEXT, A, true, lt_advice_name(w->kind), "what it is about")	\
	C(part, "part_percent", "part", PERCENT, A, true, 100 * w->part, "how much of the whole it concerns") \
	C(part_of, "part_of", "of", TEXT, A, true, lt_advice_whole_name(w->kind), "what the whole is")	\
	C(objects, "objects", "objects", COUNT, A, true, w->objects, "objects that it concerns")	\
	C(of, "of_objects", "of objects", COUNT, A, true, w->of, "all objects of the site")	\
	C(bytes, "bytes", "bytes", BYTES, A, true, w->bytes, "bytes that it concerns")	\
	C(largest, "largest_bytes", "largest", BYTES, A, true, w->site->largest, "size of the largest object") \
	C(rate, "rate_per_s", "per s", RATE, A, true, per_s(c->a, w->site->births), "allocations a second") \
	C(bytes_rate, "bytes_per_s", "bytes per s", RATE, A, true, per_s(c->a, w->site->bytes),	\
	  "bytes allocated a second")	\
	C(mean, "mean_ns", "mean", NS, A, w->ns, w->ns, "how long the objects lived on average")	\
	C(text, "text", "text", TEXT, A, true, say(c, w), "the advice as sentences")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct lt_advice, w, struct ctx, c, TYPE, known, value)
#define FILLER(id, name, head, TYPE, marks, call, meaning)	\
	LT_ROW_FILLER(id, struct lt_advice, w, struct ctx, c, v, call)

ADVICE(GETTER, FILLER)
static const struct lt_column advice_columns[] = { ADVICE(LT_SCREEN_COLUMN, LT_SCREEN_FILLED) };
LT_SCREEN_KIND(advice, "advice", NULL, "a piece of advice");

/* ------------------------------------------------------------------------
 * For people
 */

/* Lines that end between words. "±" has one character and two bytes, which does not matter. */
static void put_wrapped(struct lt_out *out, const char *s, size_t width)
{
	size_t at = 0;

	while (*s) {
		size_t n = strcspn(s, " ");

		if (at && at + 1 + n > width) {
			lt_out_str(out, "\n");
			at = 0;
		}
		if (at) {
			lt_out_str(out, " ");
			at++;
		} else {
			for (size_t i = 0; i < INDENT; i++)
				lt_out_str(out, " ");
			at = INDENT;
		}
		lt_out_bytes(out, s, n);
		at += n;
		s += n;
		s += *s == ' ';
	}
	lt_out_str(out, "\n");
}

static void put_row(struct ctx *c, const struct lt_advice *w, struct lt_out *out, size_t i,
		    size_t width)
{
	const char *source;
	char line[512];

	snprintf(line, sizeof(line), "%zu. ", i + 1);
	lt_out_str(out, line);
	lt_out_str(out, name_of(w, c));
	source = lt_site_source(place(w, c), c->buf, sizeof(c->buf));
	if (source) {
		lt_out_str(out, "  ");
		lt_out_str(out, source);
	}
	if (w->site->cache) {
		lt_out_str(out, " (");
		lt_out_str(out, lt_cache_key_shown(c->t, w->site->cache, c->buf, sizeof(c->buf)));
		lt_out_str(out, ")");
	}
	snprintf(line, sizeof(line), ": %s, %.1f %% of the %s\n", lt_advice_name(w->kind),
		 100 * w->part, lt_advice_whole_text(w->kind));
	lt_out_str(out, line);
	put_wrapped(out, say(c, w), width);
}

static void put_text(struct ctx *c, const struct lt_advice_view *view, const void **rows, size_t n)
{
	const struct lt_advisor *a = c->a;
	char line[256], count[LT_HUMAN], ns[LT_HUMAN];

	snprintf(line, sizeof(line), "%zu piece%s of advice, from %s allocations in %s\n",
		 a->n_rows, a->n_rows == 1 ? "" : "s",
		 lt_human_count(a->all.births, count, sizeof(count)),
		 lt_human_ns(a->length, ns, sizeof(ns)));
	lt_out_str(view->out, line);
	if (a->leaks->own_births) {
		lt_out_str(view->out, lt_self_text(a->leaks->own_births, "object", line,
						   sizeof(line)));
		lt_out_char(view->out, '\n');
	}
	if (a->uncertain) {
		snprintf(line, sizeof(line), "%s lifetimes are uncertain; no advice rests on them\n",
			 lt_human_count(a->uncertain, count, sizeof(count)));
		lt_out_str(view->out, line);
	}
	for (size_t i = 0; i < n; i++)
		put_row(c, rows[i], view->out, i, view->width ? view->width : WIDTH);
	if (n < a->n_rows) {
		snprintf(line, sizeof(line), "… and %zu more; all with -n 0\n", a->n_rows - n);
		lt_out_str(view->out, line);
	}
}

static void put_json_head(struct lt_json *j, const struct lt_advisor *a)
{
	lt_json_object(j, NULL);
	lt_json_u64(j, "schema_version", LT_SCHEMA_VERSION);
	lt_json_u64(j, "length_ns", a->length);
	lt_json_u64(j, "allocations", a->all.births);
	lt_json_u64(j, "uncertain", a->uncertain);
	lt_json_u64(j, "own_allocations", a->leaks->own_births);
	lt_json_u64(j, "total_rows", a->n_rows);
	lt_json_array(j, "rows");
}

static void put_table(struct ctx *c, const struct lt_advice_view *view, const void **rows, size_t n)
{
	struct lt_json json = LT_JSON_INIT(view->out);
	struct lt_table table = {
		.out = view->out, .format = view->format, .ctx = c, .json = &json,
	};

	lt_table_columns(&table, &lt_rows_of_advice, view->lines ? LT_COLUMN_IF_LINES : 0,
			 view->columns);
	if (view->format == LT_FORMAT_JSON)
		put_json_head(&json, c->a);
	lt_table_begin(&table);
	for (size_t i = 0; i < n; i++)
		lt_table_row(&table, rows[i]);
	lt_table_end(&table);
	if (view->format == LT_FORMAT_JSON)
		lt_json_line(&json);
}

void lt_advice_print(const struct lt_advisor *a, const struct lt_advice_view *view)
{
	size_t n = view->top && view->top < a->n_rows ? view->top : a->n_rows;
	struct ctx c = { .a = a, .t = view->t, .lines = view->lines };
	const void **rows = lt_alloc_array(a->n_rows + 1, sizeof(*rows));

	for (size_t i = 0; i < a->n_rows; i++)
		rows[i] = &a->rows[i];
	if (view->sort)
		lt_sort_rows(rows, a->n_rows, view->sort, &c);
	if (view->format == LT_FORMAT_TEXT && !view->columns)
		put_text(&c, view, rows, n);
	else
		put_table(&c, view, rows, n);
	free(rows);
}
