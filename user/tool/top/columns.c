// SPDX-License-Identifier: GPL-2.0
/*
 * The columns of lifetrace top, and cells of few characters.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "forms/screen.h"
#include "print/stack.h"
#include "top/columns.h"

static const char *label(struct lt_top_ctx *c, const struct lt_live_row *r)
{
	return lt_live_label(c->l, r, c->t->by, c->buf, sizeof(c->buf));
}

/* NULL: the path of the cgroup is not known. */
static const char *path(struct lt_top_ctx *c, const struct lt_live_row *r)
{
	const char *text = r->cgroup ? label(c, r) : NULL;

	return text && *text == '/' ? text : NULL;
}

static void put_stack(struct lt_top_ctx *c, const struct lt_live_row *r, struct lt_value *v)
{
	struct lt_stack stack = lt_live_stack(c->l, r);

	if (!(stack.flags & LT_STACK_UNKNOWN))
		lt_stack_frames(c->trace, NULL, &stack, &c->frames, v);
}

static void put_alive(struct lt_top_ctx *c, enum lt_value_type type, uint64_t alive, uint64_t maybe,
		      struct lt_value *v)
{
	c->unsure = c->people && maybe;
	lt_value_u(v, type, alive + (c->people ? maybe : 0));
}

static void put_percentile(const struct lt_top_ctx *c, const struct lt_live_row *r, double percent,
			   struct lt_value *v)
{
	uint64_t ns;

	if (lt_live_percentile(c->l, r, percent, &ns))
		lt_value_u(v, LT_VALUE_NS, ns);
	else if (ns)
		lt_value_u(v, LT_VALUE_OVER_NS, ns);
}

/* ------------------------------------------------------------------------
 * The columns: what a row is about, by enum lt_report_by, and its figures. What stands behind the
 * meaning is in struct lt_top_look.
 */

/* In text for people the row is one column. */
#define LABEL(C, head)	\
	C(label, "name", head, TEXT, S, true, label(c, r), "what the row is about, for people",	\
	  0, 'e', 0, SHORT)

#define SITE(C)		C(site, "site", "SITE", TEXT, A, r->key, label(c, r), "call site", REST)
#define CACHE(C)	C(cache, "cache", "CACHE", TEXT, A, r->key, label(c, r), "slab cache", REST)
#define CONTEXT(C)	\
	C(context, "context", "CONTEXT", TEXT, A, true, lt_context_name(r->context), "context",	\
	  REST)
#define COMM(C)	\
	C(comm, "comm", "COMM", TEXT, A, r->task, r->task->comm, "name of the task", REST)
#define TASK(C)	\
	C(tid, "tid", "TID", COUNT, A, r->task, r->task->tid, "number of the task",	\
	  IS_WHOLE(8))	\
	C(start, "start_ns", "START", COUNT, A, r->task, r->task->start,	\
	  "when it was born, since boot", IS_WHOLE(16))
#define TASKS(C)	\
	C(tasks, "tasks", "TASKS", COUNT, A, r->task, r->tasks, "tasks of the name", IS_WHOLE(6))
#define CGROUP(C)	\
	C(cgroup, "cgroup", "CGROUP", COUNT, A, r->cgroup, r->cgroup, "number of the cgroup",	\
	  IS_WHOLE(10))	\
	C(cgroup_path, "path", "PATH", TEXT, A, true, path(c, r), "its path", REST)
#define CALLER(C)	\
	C(caller, "caller", "CALLER", TEXT, A, r->key, label(c, r), "call site", REST)
#define FRAMES(G)	\
	G(frames, "stack", "STACK", LIST, A, put_stack(c, r, v),	\
	  "callers, the innermost first", REST)

#define FIGURES(C, G)	\
	C(births, "allocations", "NEW", COUNT, A, true, r->count.births,	\
	  "objects that were allocated so far", ASKED)	\
	C(frees, "frees", "FREES", COUNT, A, true, r->count.frees,	\
	  "frees so far, of objects whose allocation was seen", ASKED)	\
	G(alive, "alive", "OBJS", COUNT, A,	\
	  put_alive(c, LT_VALUE_COUNT, r->alive, r->maybe, v),	\
	  "objects that are alive", 6, 'o', 6, SHORT)	\
	G(alive_bytes, "alive_bytes", "ALIVE", BYTES, A,	\
	  put_alive(c, LT_VALUE_BYTES, r->alive_bytes, r->maybe_bytes, v),	\
	  "bytes that are alive", 6, 'a', 1, SHORT)	\
	C(maybe, "maybe_alive", "MAYBE", COUNT, A, true, r->maybe,	\
	  "objects whose free may be missing", ASKED)	\
	C(maybe_bytes, "maybe_alive_bytes", "MAYBE", BYTES, A, true, r->maybe_bytes,	\
	  "their bytes", ASKED)	\
	C(growth, "growth_per_s", "GROW/s", RATE, A, true, lt_live_growth(c->t, r),	\
	  "bytes a second more, or less", 7, 'g', 2, CHANGE)	\
	C(births_rate, "allocations_per_s", "NEW/s", RATE, A, true, lt_live_births(c->t, r),	\
	  "allocations a second", 5, 'w', 3, SHORT)	\
	C(frees_rate, "frees_per_s", "FREE/s", RATE, A, true, lt_live_frees(c->t, r),	\
	  "frees a second", 6, 'f', 7, SHORT)	\
	G(p50, "p50_ns", "P50", NS, A, put_percentile(c, r, 50, v),	\
	  "age at which half have ended; >: it is later", 6, 'm', 5, SHORT)	\
	G(p99, "p99_ns", "P99", NS, A, put_percentile(c, r, 99, v),	\
	  "age at which 99 % have ended; >: it is later", 6, 'l', 8, SHORT)	\
	C(oldest, "oldest_ns", "OLDEST", NS, A,	\
	  r->oldest <= c->t->time, c->t->time - r->oldest,	\
	  "age of the oldest that is alive", 6, 't', 4, SHORT)	\
	C(exact, "exact", "EXACT", COUNT, A, true, r->life[0].n + r->life[1].n,	\
	  "lifetimes that are known exactly", ASKED)

/* Columns that are shown where they are asked for. */
#define REST		0, 0, 0, SHORT
#define ASKED		6, 0, 0, SHORT
#define IS_WHOLE(n)	n, 0, 0, WHOLE

#define SHOWN	"alive_bytes,alive,growth_per_s,allocations_per_s,frees_per_s,p50_ns,p99_ns,"	\
		"oldest_ns,name"

#define GETTER(id, name, head, TYPE, marks, known, value, ...)	\
	LT_ROW_GETTER(id, struct lt_live_row, r, struct lt_top_ctx, c, TYPE, known, value)
#define FILLER(id, name, head, TYPE, marks, call, ...)	\
	LT_ROW_FILLER(id, struct lt_live_row, r, struct lt_top_ctx, c, v, call)
#define KEYS(C, G)	\
	SITE(C) CACHE(C) CONTEXT(C) TASK(C) COMM(C) TASKS(C) CGROUP(C) CALLER(C) FRAMES(G)

LABEL(GETTER, "")
KEYS(GETTER, FILLER)
FIGURES(GETTER, FILLER)

#define LOOK_OF(title, wide, letter, weight, how)	\
	{ .name = title, .width = wide, .key = letter, .rank = weight, .form = LT_TOP_##how },
#define LOOKS(...)	LOOK_OF(__VA_ARGS__)
#define LOOK(id, title, head, TYPE, marks, known, value, meaning, ...)	LOOKS(title, __VA_ARGS__)
#define LOOK_FILLED(id, title, head, TYPE, marks, call, meaning, ...)	LOOKS(title, __VA_ARGS__)

static const struct lt_top_look looks[] = {
	LABEL(LOOK, "") KEYS(LOOK, LOOK_FILLED) FIGURES(LOOK, LOOK_FILLED)
};

#define C(id, name, head, TYPE, marks, known, value, meaning, ...)	\
	LT_SCREEN_COLUMN(id, name, head, TYPE, marks, known, value, meaning)
#define G(id, name, head, TYPE, marks, call, meaning, ...)	\
	LT_SCREEN_FILLED(id, name, head, TYPE, marks, call, meaning)
#define COLUMNS(by, head, keys)	\
	static const struct lt_column by_##by##_columns[] = {	\
		LABEL(C, head) keys FIGURES(C, G)	\
	};	\
	static LT_SCREEN_KIND(by_##by, #by, SHOWN, "what is alive, by " #by)

COLUMNS(site, "SITE", SITE(C));
COLUMNS(cache, "CACHE", CACHE(C));
COLUMNS(task, "TASK", CONTEXT(C) COMM(C) TASK(C));
COLUMNS(process, "PROCESS", CONTEXT(C) COMM(C) TASKS(C));
COLUMNS(cgroup, "CGROUP", CONTEXT(C) CGROUP(C));
COLUMNS(stack, "STACK", CALLER(C) FRAMES(G));

const struct lt_row_kind *lt_top_kind(enum lt_report_by by)
{
	static const struct lt_row_kind *const kinds[LT_BY_PIECE + 1] = {
		[LT_BY_SITE] = &lt_rows_of_by_site, [LT_BY_CACHE] = &lt_rows_of_by_cache,
		[LT_BY_TASK] = &lt_rows_of_by_task, [LT_BY_PROCESS] = &lt_rows_of_by_process,
		[LT_BY_CGROUP] = &lt_rows_of_by_cgroup, [LT_BY_STACK] = &lt_rows_of_by_stack,
	};

	return kinds[by];
}

const struct lt_top_look *lt_top_look(const struct lt_column *column)
{
	size_t i = 0;

	while (strcmp(looks[i].name, column->name))
		i++;
	return &looks[i];
}

/* ------------------------------------------------------------------------
 * Room
 */

#define TEXT_LEAST	13	/* characters of a text, in a narrow terminal … */
#define TEXT_WIDE	22	/* … and in one of WIDE characters or more */
#define WIDE		60

/* The column that is next to get room; @n: there is none. */
static size_t next_column(const struct lt_column *const *columns, size_t n, bool by_rank,
			  const unsigned int *widths)
{
	size_t next = n;

	for (size_t i = 0; i < n; i++) {
		const struct lt_top_look *look = lt_top_look(columns[i]);

		if (!look->width || widths[i])
			continue;
		if (next == n || (by_rank && look->rank < lt_top_look(columns[next])->rank))
			next = i;
	}
	return next;
}

void lt_top_fit(const struct lt_column *const *columns, size_t n, bool by_rank, unsigned int width,
		unsigned int *widths)
{
	unsigned int least = width < WIDE ? TEXT_LEAST : TEXT_WIDE, used = 0, texts = 0, room;
	size_t at;

	memset(widths, 0, n * sizeof(*widths));
	for (size_t i = 0; i < n; i++)
		texts += !lt_top_look(columns[i])->width;
	while ((at = next_column(columns, n, by_rank, widths)) < n) {
		room = lt_top_look(columns[at])->width + 1;
		if (used + room + texts * (least + 1) > width + 1)
			break;
		widths[at] = room - 1;
		used += room;
	}
	/* Texts share the rest: each one, and the space before it. */
	for (size_t i = 0; i < n; i++) {
		if (lt_top_look(columns[i])->width)
			continue;
		room = (width + 1 - used) / texts--;
		widths[i] = room ? room - 1 : 0;
		used += room;
	}
}

/* ------------------------------------------------------------------------
 * Values
 */

struct lt_top_cell lt_top_cell(struct lt_top_ctx *c, const struct lt_live_row *row,
			       const struct lt_column *column)
{
	struct lt_value v = { 0 };
	struct lt_top_cell cell;
	char text[LT_VALUE_CELL];

	c->unsure = false;
	column->get(row, c, &v);
	cell = (struct lt_top_cell){ .type = v.type, .unsure = c->unsure };
	if (LT_VALUE_IS_TEXT(v.type)) {
		lt_value_human(&v, text);
		cell.text = lt_strdup(text);
	} else {
		cell.v = lt_value_storage(v.type) == LT_STORAGE_REAL ? v.d : (double)v.u;
	}
	return cell;
}

/* ------------------------------------------------------------------------
 * Text
 */

/* With a unit of one character, in steps of @step; below the first step whole. */
static const char *scaled(double v, double step, const char *units, char *buf)
{
	size_t unit = 0;

	if (v < 999.5) {
		snprintf(buf, LT_TOP_CELL, "%.0f", v);
		return buf;
	}
	while (v >= 999.5 && units[unit + 1]) {
		v /= step;
		unit++;
	}
	snprintf(buf, LT_TOP_CELL, v < 99.95 ? "%.1f%c" : "%.0f%c", v, units[unit]);
	return buf;
}

const char *lt_top_short_bytes(double bytes, char buf[LT_TOP_CELL])
{
	return scaled(bytes, 1024, " KMGTPE", buf);
}

const char *lt_top_short_count(double n, char buf[LT_TOP_CELL])
{
	return scaled(n, 1000, " kMGTPE", buf);
}

/* Minutes, hours and days with the smaller unit beside them: "2m34s". */
static const char *long_time(double s, char *buf)
{
	static const struct {
		double unit;
		double sub;
		const char *form;
	} forms[] = {
		{ 60, 1, "%.0fm%02.0fs" }, { 3600, 60, "%.0fh%02.0fm" },
		{ 86400, 3600, "%.0fd%02.0fh" },
	};
	size_t i = s < 600 ? 0 : s < 36000 ? 1 : 2;

	if (s >= 600 && s < 3600)
		snprintf(buf, LT_TOP_CELL, "%.0fm", floor(s / 60));
	else if (s >= 36000 && s < 86400)
		snprintf(buf, LT_TOP_CELL, "%.0fh", floor(s / 3600));
	else if (s >= 864000)
		snprintf(buf, LT_TOP_CELL, "%.0fd", floor(s / 86400));
	else
		snprintf(buf, LT_TOP_CELL, forms[i].form, floor(s / forms[i].unit),
			 floor(fmod(s, forms[i].unit) / forms[i].sub));
	return buf;
}

const char *lt_top_short_ns(double ns, char buf[LT_TOP_CELL])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t unit = 0;

	if (ns >= 99.95e9)
		return long_time(ns / 1e9, buf);
	while (unit < 3 && ns >= 999.5) {
		ns /= 1000;
		unit++;
	}
	snprintf(buf, LT_TOP_CELL, unit && (ns < 9.95 || unit == 3) ? "%.1f%s" : "%.0f%s", ns,
		 units[unit]);
	return buf;
}

const char *lt_top_cell_text(const struct lt_top_cell *cell, enum lt_top_form form,
			     char buf[LT_TOP_CELL])
{
	char text[LT_TOP_CELL];

	if (cell->type == LT_VALUE_NONE)
		strcpy(text, "-");
	else if (form == LT_TOP_WHOLE)
		snprintf(text, sizeof(text), "%.0f", cell->v);
	else if (form == LT_TOP_CHANGE || cell->type == LT_VALUE_BYTES)
		lt_top_short_bytes(fabs(cell->v), text);
	else if (cell->type == LT_VALUE_NS || cell->type == LT_VALUE_OVER_NS)
		lt_top_short_ns(cell->v, text);
	else
		lt_top_short_count(cell->v, text);
	snprintf(buf, LT_TOP_CELL, "%s%.29s%s", cell->type == LT_VALUE_OVER_NS ? ">" :
		 form != LT_TOP_CHANGE || fabs(cell->v) < 0.5 ? "" : cell->v < 0 ? "-" : "+", text,
		 cell->unsure ? "~" : "");
	return buf;
}

const char *lt_top_figure(struct lt_top_ctx *c, const struct lt_live_row *row, const char *name,
			  char buf[LT_TOP_CELL])
{
	const struct lt_column *column = lt_columns_find(lt_top_kind(c->t->by), 0, name);
	struct lt_top_cell cell = lt_top_cell(c, row, column);

	return lt_top_cell_text(&cell, lt_top_look(column)->form, buf);
}
