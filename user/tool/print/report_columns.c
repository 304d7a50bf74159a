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
#include "base/str.h"
#include "forms/columns.h"
#include "forms/screen.h"
#include "print/report_columns.h"

static const char *cache_of(struct lt_report_ctx *c, uint64_t key)
{
	return c->people ? lt_cache_key_shown(c->r->trace, key, c->buf, sizeof(c->buf)) :
			   lt_cache_key_name(c->r->trace, key, c->buf, sizeof(c->buf));
}

static const char *label_of(struct lt_report_ctx *c, const struct lt_report_row *w)
{
	return c->r->opts.by == LT_BY_CACHE ? cache_of(c, w->key) :
	       lt_report_label(c->r, w, c->buf, sizeof(c->buf));
}

static void put_stack(struct lt_report_ctx *c, const struct lt_report_row *w, struct lt_value *v)
{
	struct lt_stack stack = lt_report_stack(c->r, w);

	if (!(stack.flags & LT_STACK_UNKNOWN))
		lt_stack_frames(c->r->trace, c->lines, &stack, &c->frames, v);
}

/* NULL: the row has no stack. */
static const char *caller_of(struct lt_report_ctx *c, const struct lt_report_row *w)
{
	struct lt_stack stack = lt_report_stack(c->r, w);

	return stack.n ? lt_trace_symbol(c->r->trace, stack.frames[0], true, c->buf,
					 sizeof(c->buf)) : NULL;
}

static const struct lt_place *place(const struct lt_report_row *w, const struct lt_report_ctx *c)
{
	return c->lines && w->site ? lt_lines_find(c->lines, w->site) : NULL;
}

/* NULL: the path of the cgroup is not known. */
static const char *path_of(struct lt_report_ctx *c, const struct lt_report_row *w)
{
	const char *label = w->group ? label_of(c, w) : NULL;

	return label && *label == '/' ? label : NULL;
}

static void put_percentile(const struct lt_report_row *w, double percent, struct lt_value *v)
{
	uint64_t ns;

	if (lt_report_percentile(w, percent, &ns))
		lt_value_u(v, LT_VALUE_NS, ns);
	else if (w->ages.n)
		lt_value_u(v, LT_VALUE_OVER_NS, ns);
}

static uint64_t longest(const struct lt_report_row *w)
{
	return w->life.max > w->ages.max ? w->life.max : w->ages.max;
}

/* ------------------------------------------------------------------------
 * The columns: what a row is about, by enum lt_report_by, and its sums
 */

#define ESTIMATE	(A | LT_COLUMN_IF_ESTIMATES)
#define WATCHED		lt_report_watched(c->r)
/* The standard error of an estimate; none where the row counts what is there. */
#define STANDARD_ERROR(of)	(uint64_t)(sqrt(w->of##_off.var) + 0.5)
#define INTERVAL(of)		lt_spread_interval(&w->of##_off, w->of)
#define ESTIMATED		lt_report_estimates(c->r)
#define KNOWN(of)		(ESTIMATED && INTERVAL(of).known)

/* Of 100 such intervals 95 hold the true number. */
#define INTERVAL_OF(C, of, name, TYPE)	\
	C(of##_low, name "_low", "from", TYPE, ESTIMATE, KNOWN(of), INTERVAL(of).low,	\
	  "begin of the interval of 95 % of " name)	\
	C(of##_high, name "_high", "to", TYPE, ESTIMATE, KNOWN(of), INTERVAL(of).high, "its end")

#define SITE(C)		C(site, "site", "call site", TEXT, A, w->site, label_of(c, w), "call site")
#define CACHE(C)	C(cache, "cache", "cache", TEXT, A, true, cache_of(c, w->cache), "slab cache, or device")
#define CONTEXT(C)	C(context, "context", "context", TEXT, A, true, lt_context_name(w->context), "context")
#define COMM(C)		C(comm, "comm", "comm", TEXT, A, w->task, w->task->comm, "name of the task")
#define TASK(C)	\
	C(tid, "tid", "tid", COUNT, A, w->task, w->task->tid, "number of the task")	\
	C(start, "start_ns", "start", COUNT, A, w->task, w->task->start, "when it was born, since boot")
#define TASKS(C)	C(tasks, "tasks", "tasks", COUNT, A, w->task, w->tasks, "tasks of the name")
#define SIZE(C)	\
	C(size, "size_max_bytes", "size", BYTES, A, w->key, w->size, "the greatest size of the row")
#define CGROUP(C)	\
	C(cgroup, "cgroup", "cgroup", COUNT, A, w->group, w->group, "number of the cgroup")	\
	C(cgroup_path, "cgroup_path", "path", TEXT, A, true, path_of(c, w), "its path")
#define STACK(C)	C(caller, "site", "call site", TEXT, A, true, caller_of(c, w), "call site")
#define FRAMES(G)	G(row_stack, "stack", "stack", LIST, A, put_stack(c, w, v), "callers, the innermost first")
#define FUNCTION(C)	\
	C(in, "call", "in a call of", TEXT, A, w->group, label_of(c, w), "the outermost function whose call was recorded")
#define SYSCALL(C)	C(call, "syscall", "system call", TEXT, A, w->group, label_of(c, w), "system call")

/* In text for people the row is one column. */
#define LABEL(C, head)	C(label, "label", head, TEXT, S, true, label_of(c, w), "what the row is about, for people")

#define SUMS(C, G)	\
	C(count, "allocations", "count", COUNT, A, true, w->births, "objects that were allocated")	\
	C(bytes, "bytes", "bytes", BYTES, A, true, w->bytes, "their size")	\
	C(rate, "rate_per_s", "per s", RATE, A, WATCHED, (double)w->births * 1e9 / (double)WATCHED,	\
	  "allocations a second")	\
	C(waste, "slack_bytes", "slack", BYTES, A, true, w->waste, "bytes that were given but not asked for")	\
	C(live, "alive", "alive", COUNT, A, true, w->live, "objects alive at the end")	\
	C(live_bytes, "alive_bytes", "alive bytes", BYTES, A, true, w->live_bytes, "their size")	\
	C(maybe, "maybe_alive", "maybe alive", COUNT, A, true, w->maybe, "objects whose free may be missing")	\
	C(maybe_bytes, "maybe_alive_bytes", "maybe bytes", BYTES, A, true, w->maybe_bytes, "their size")	\
	C(peak, "peak_alive", "at peak", COUNT, A, true, w->peak, "objects alive at the peak of all")	\
	C(peak_bytes, "peak_bytes", "peak bytes", BYTES, A, true, w->peak_bytes, "their size")	\
	C(shorts, "short_lived", "short", COUNT, A, true, w->shorts, "objects that lived at most --short")	\
	C(within, "freed_at_once", "at once", COUNT, A, true, w->within,	\
	  "objects freed within --within further allocations")	\
	C(longs, "long_lived", "long", COUNT, A, true, w->longs, "objects that lived at least --long")	\
	C(other_cpu, "other_cpu", "other cpu", COUNT, A, true, w->other_cpu, "objects freed on another CPU")	\
	C(other_context, "other_context", "other ctx", COUNT, A, true, w->other_context,	\
	  "objects freed in another context")	\
	C(outlived, "outlives", "outlived", COUNT, A, true, w->outlived,	\
	  "objects that outlive the task that made them")	\
	C(exact, "exact", "exact", COUNT, A, true, w->life.n, "lifetimes that are known exactly")	\
	C(censored, "censored", "censored", COUNT, A, true, w->ages.n, "lifetimes of which the age is known")	\
	G(p50, "p50_ns", "p50", NS, A, put_percentile(w, 50, v), "half of the objects lived at most that long") \
	G(p90, "p90_ns", "p90", NS, A, put_percentile(w, 90, v), "90 % of them lived at most that long")	\
	G(p99, "p99_ns", "p99", NS, A, put_percentile(w, 99, v), "99 % of them lived at most that long")	\
	C(longest, "longest_ns", "longest", NS, A, w->life.n || w->ages.n, longest(w),	\
	  "the longest lifetime or age")	\
	C(births_error, "allocations_se", "±", COUNT, ESTIMATE, ESTIMATED, STANDARD_ERROR(births),	\
	  "standard error of allocations")	\
	C(bytes_error, "bytes_se", "±", BYTES, ESTIMATE, ESTIMATED, STANDARD_ERROR(bytes),	\
	  "standard error of bytes")	\
	C(live_error, "alive_se", "±", COUNT, ESTIMATE, ESTIMATED, STANDARD_ERROR(live),	\
	  "standard error of alive")	\
	C(live_bytes_error, "alive_bytes_se", "±", BYTES, ESTIMATE, ESTIMATED,	\
	  STANDARD_ERROR(live_bytes), "standard error of alive_bytes")	\
	INTERVAL_OF(C, births, "allocations", COUNT)	\
	INTERVAL_OF(C, bytes, "bytes", BYTES)	\
	INTERVAL_OF(C, live, "alive", COUNT)	\
	INTERVAL_OF(C, live_bytes, "alive_bytes", BYTES)

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct lt_report_row, w, struct lt_report_ctx, c, TYPE, known, value)
#define FILLER(id, name, head, TYPE, marks, call, meaning)	\
	LT_ROW_FILLER(id, struct lt_report_row, w, struct lt_report_ctx, c, v, call)

LABEL(GETTER, "")
SITE(GETTER)
CACHE(GETTER)
LT_SITE_SOURCE(GETTER, FILLER)
CONTEXT(GETTER)
TASK(GETTER)
COMM(GETTER)
TASKS(GETTER)
SIZE(GETTER)
CGROUP(GETTER)
STACK(GETTER)
FRAMES(FILLER)
SYSCALL(GETTER)
FUNCTION(GETTER)
SUMS(GETTER, FILLER)

#define C	LT_SCREEN_COLUMN
#define G	LT_SCREEN_FILLED
#define COLUMNS(by, head, keys)	\
	static const struct lt_column by_##by##_columns[] = { LABEL(C, head) keys SUMS(C, G) };	\
	static LT_SCREEN_KIND(by_##by, #by, NULL, "allocations by " #by)

COLUMNS(site, "call site", SITE(C) CACHE(C) LT_SITE_SOURCE(C, G));
COLUMNS(cache, "slab cache", CACHE(C));
COLUMNS(task, "task", CONTEXT(C) TASK(C) COMM(C));
COLUMNS(process, "program", CONTEXT(C) COMM(C) TASKS(C));
COLUMNS(size, "size", SIZE(C));
COLUMNS(cgroup, "cgroup", CONTEXT(C) CGROUP(C));
COLUMNS(stack, "call site and callers", STACK(C) CACHE(C) FRAMES(G));
COLUMNS(syscall, "system call", CONTEXT(C) SYSCALL(C));
COLUMNS(call, "in a call of", CONTEXT(C) FUNCTION(C));

const struct lt_row_kind *lt_report_kind(enum lt_report_by by)
{
	static const struct lt_row_kind *const kinds[] = {
		[LT_BY_SITE] = &lt_rows_of_by_site, [LT_BY_CACHE] = &lt_rows_of_by_cache,
		[LT_BY_TASK] = &lt_rows_of_by_task, [LT_BY_PROCESS] = &lt_rows_of_by_process,
		[LT_BY_SIZE] = &lt_rows_of_by_size, [LT_BY_CGROUP] = &lt_rows_of_by_cgroup,
		[LT_BY_STACK] = &lt_rows_of_by_stack, [LT_BY_SYSCALL] = &lt_rows_of_by_syscall,
		[LT_BY_CALL] = &lt_rows_of_by_call,
	};

	return kinds[by];
}

const struct lt_column *lt_report_column(const struct lt_report *r, const char *name)
{
	return lt_columns_find(lt_report_kind(r->opts.by), LT_COLUMN_CONDITIONS, name);
}

/* ------------------------------------------------------------------------
 * Rows
 */

struct order {
	const struct lt_column *by;
	struct lt_report_ctx *c;
	char text[LT_SITE_TEXT];	/* of the first of two */
};

/* Numbers: the greatest first; texts: from A to Z. */
static int by_column(const void *a, const void *b, void *arg)
{
	const struct lt_report_row *x = *(struct lt_report_row *const *)a;
	const struct lt_report_row *y = *(struct lt_report_row *const *)b;
	struct lt_value vx = { 0 }, vy = { 0 };
	struct order *o = arg;
	int order;

	o->by->get(x, o->c, &vx);
	if (lt_value_storage(vx.type) == LT_STORAGE_TEXT && vx.text) {
		vx.len = vx.len < sizeof(o->text) ? vx.len : sizeof(o->text);
		memcpy(o->text, vx.text, vx.len);
		vx.text = o->text;
	}
	o->by->get(y, o->c, &vy);
	order = -lt_value_compare(&vx, &vy);
	if (order)
		return vx.type == LT_VALUE_TEXT && vy.type == LT_VALUE_TEXT ? -order : order;
	if (x->births != y->births)
		return x->births < y->births ? 1 : -1;
	return x->key < y->key ? -1 : x->key > y->key;
}

struct lt_report_row **lt_report_sorted(struct lt_report *r, struct lt_report_ctx *c,
					const struct lt_column *by, bool some, size_t *n)
{
	struct lt_report_row **rows = lt_alloc_array(r->n_rows + 1, sizeof(*rows));
	struct order o = { .by = by, .c = c };

	*n = 0;
	for (size_t i = 0; i < r->n_rows; i++) {
		struct lt_value v = { 0 };

		if (!lt_report_row_counts(&r->rows[i]))
			continue;
		by->get(&r->rows[i], c, &v);
		if (some && (v.type == LT_VALUE_NONE ||
			     (v.type != LT_VALUE_RATE && !v.u && !v.text)))
			continue;
		rows[(*n)++] = &r->rows[i];
	}
	qsort_r(rows, *n, sizeof(*rows), by_column, &o);
	return rows;
}

/* ------------------------------------------------------------------------
 * Choices of columns
 */

char *lt_report_text_columns(const struct lt_report *r, const struct lt_column *by,
			     const char *const also[LT_REPORT_ALSO], bool lines)
{
	bool has_cache = lt_space_has_caches(r->opts.space) &&
			 (r->opts.by == LT_BY_SITE || r->opts.by == LT_BY_STACK);
	struct lt_str s = { .n = 0 };
	bool first;

	lines &= r->opts.by == LT_BY_SITE;
	/* The interval of an estimate comes before what can be left out. */
	first = !lines && !lt_report_estimates(r);
	lt_str_add(&s, "label%s,%s,%s_low,%s_high", lines ? ",source" : first && has_cache ? ",cache" : "",
		   by->name, by->name, by->name);
	if (!first && has_cache)
		lt_str_add(&s, ",cache");
	if (r->opts.by == LT_BY_PROCESS)
		lt_str_add(&s, ",tasks");
	for (size_t i = 0; also && i < LT_REPORT_ALSO; i++)
		lt_str_add(&s, ",%s", also[i]);
	lt_str_add(&s, ",allocations,alive,p50_ns,p90_ns,p99_ns,alive_bytes,bytes,rate_per_s");
	return s.s;
}

unsigned int lt_report_conditions(const struct lt_report *r, bool lines)
{
	return (lines ? LT_COLUMN_IF_LINES : 0) | (lt_report_estimates(r) ? LT_COLUMN_IF_ESTIMATES : 0);
}

const char *lt_report_what(const struct lt_report *r)
{
	static const char *const names[] = { "call site", "slab cache", "task", "program", "size",
					     "cgroup", "stack", "system call", "function" };

	return names[r->opts.by];
}

void lt_report_value(struct lt_report *r, const struct lt_report_row *row, const char *column,
		     struct lt_value *v)
{
	struct lt_report_ctx c = { .r = r };

	v->type = LT_VALUE_NONE;
	lt_report_column(r, column)->get(row, &c, v);
}

const struct lt_report_row *lt_report_top(struct lt_report *r, const char *column)
{
	struct lt_report_ctx c = { .r = r };
	size_t n;
	struct lt_report_row **rows = lt_report_sorted(r, &c, lt_report_column(r, column), true,
						       &n);
	const struct lt_report_row *top = n ? rows[0] : NULL;

	free(rows);
	return top;
}
