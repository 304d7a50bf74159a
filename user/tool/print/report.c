// SPDX-License-Identifier: GPL-2.0
/*
 * The lists of a report, and its JSON and CSV.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "out/units.h"
#include "print/report_columns.h"

/**
 * struct list - a list of a report
 * @name: for the command line; NULL: it is printed with all lists only
 * @title: its heading
 * @sort: the column that it is sorted by
 * @also: other columns that come first, as far as the line is long enough
 */
static const struct list {
	const char *name;
	const char *title;
	const char *sort;
	const char *also[LT_REPORT_ALSO];
} lists[] = {
	{ "churn", "Most allocations", "allocations", { "rate_per_s", "bytes" } },
	{ NULL, "Most bytes", "bytes", { "allocations", "rate_per_s" } },
	{ "alive", "Alive at the end", "alive_bytes", { "alive", "p50_ns" } },
	{ "peak", "Alive at the peak", "peak_bytes", { "peak_alive", "alive" } },
	{ "short", "Short-lived", "short_lived", { "allocations", "p50_ns" } },
	{ "long", "Long-lived", "long_lived", { "alive", "p50_ns" } },
	{ "slack", "Slack: given but not asked for", "slack_bytes", { "bytes", "allocations" } },
	{ "remote", "Freed on another CPU", "other_cpu", { "exact", "p50_ns" } },
	{ NULL, "Freed in another context", "other_context", { "exact", "p50_ns" } },
	{ "outlives", "Outlives the task that made it", "outlives", { "alive", "p50_ns" } },
};

#define N_LISTS		(sizeof(lists) / sizeof(lists[0]))

static const struct list *find_list(const char *name)
{
	for (size_t i = 0; name && i < N_LISTS; i++) {
		if (lists[i].name && !strcmp(lists[i].name, name))
			return &lists[i];
	}
	return NULL;
}

const char *lt_report_list(size_t i)
{
	for (size_t at = 0; at < N_LISTS; at++) {
		if (lists[at].name && !i--)
			return lists[at].name;
	}
	return NULL;
}

bool lt_report_has_list(const char *name)
{
	return find_list(name);
}

/* The functions that are inlined at the call site of a row: a line each, the innermost first. */
static void put_inlined(const struct lt_report *r, const struct lt_report_view *p,
			struct lt_table *t, const struct lt_report_row *row)
{
	const struct lt_place *place = NULL;
	char line[LT_SITE_TEXT], text[LT_SITE_TEXT + 16];

	if (p->format == LT_FORMAT_TEXT && p->lines && r->opts.by == LT_BY_SITE && row->site)
		place = lt_lines_find(p->lines, row->site);
	for (size_t i = 0; place && i + 1 < place->n; i++) {
		snprintf(text, sizeof(text), "inlined: %s",
			 lt_place_inlined(&place->frames[i], line, sizeof(line)));
		lt_table_note(t, text);
	}
}

/* The path to the call site of a row, a line. */
static void put_path(const struct lt_report *r, const struct lt_report_view *p,
		     struct lt_table *t, const struct lt_report_row *row, const char *column)
{
	struct lt_para path = { .n = 0 };

	if (p->format == LT_FORMAT_TEXT && r->opts.by == LT_BY_SITE &&
	    lt_report_path(p->stacks, row->site, column, &path))
		lt_table_note(t, path.s);
}

/* The callers of a row by stack that are not in its label: a line each, the innermost first. */
static void put_callers(const struct lt_report *r, struct lt_report_ctx *c, struct lt_table *t,
			const struct lt_report_row *row)
{
	struct lt_value v = { 0 };
	struct lt_stack stack;
	char *text, *line;

	if (t->format != LT_FORMAT_TEXT || r->opts.by != LT_BY_STACK)
		return;
	stack = lt_report_stack(r, row);
	/* With source lines also the frames of the label have something to say. */
	if (!c->lines) {
		unsigned int in_label = r->opts.depth ? r->opts.depth : 1;

		stack.frames += in_label < stack.n ? in_label : stack.n;
		stack.n -= in_label < stack.n ? in_label : stack.n;
	}
	lt_stack_frames(r->trace, c->lines, &stack, &c->frames, &v);
	if (v.type == LT_VALUE_NONE)
		return;
	lt_out_char(&c->frames, 0);
	for (text = c->frames.buf; text; text = line) {
		char note[LT_SITE_TEXT + 8];

		line = strchr(text, '\n');
		if (line)
			*line++ = 0;
		snprintf(note, sizeof(note), "← %s", text);
		lt_table_note(t, note);
	}
}

static void print_rows(struct lt_report *r, const struct lt_report_view *p,
		       const struct lt_column *by, const struct list *list)
{
	struct lt_report_ctx c = { .r = r, .lines = p->lines,
				   .people = p->format == LT_FORMAT_TEXT,
					.frames = LT_OUT_INIT(-1) };
	struct lt_table t = { .out = p->out, .format = p->format, .ctx = &c,
			      .indent = 2, .max_width = p->width, .cut = p->cut };
	size_t n, shown;
	struct lt_report_row **rows = lt_report_sorted(r, &c, by, p->format == LT_FORMAT_TEXT, &n);
	char line[128], *names = NULL;

	if (p->format == LT_FORMAT_TEXT && !p->columns)
		names = lt_report_text_columns(r, by, list ? list->also : NULL, p->lines);
	lt_table_columns(&t, lt_report_kind(r->opts.by), lt_report_conditions(r, p->lines),
			 names ? names : p->columns);
	free(names);
	shown = p->top && p->top < n ? p->top : n;
	if (!n && p->format == LT_FORMAT_TEXT)
		lt_out_str(p->out, "  none\n");
	if (n || p->format != LT_FORMAT_TEXT) {
		lt_table_begin(&t);
		for (size_t i = 0; i < shown; i++) {
			lt_table_row(&t, rows[i]);
			put_inlined(r, p, &t, rows[i]);
			put_callers(r, &c, &t, rows[i]);
			put_path(r, p, &t, rows[i], by->name);
		}
		lt_table_end(&t);
	} else {
		free(t.owned);
	}
	if (shown < n && p->format == LT_FORMAT_TEXT) {
		snprintf(line, sizeof(line), "  … and %zu more; all with -n 0\n", n - shown);
		lt_out_str(p->out, line);
	}
	free(c.frames.buf);
	free(rows);
}

static void print_json(struct lt_report *r, const struct lt_report_view *p,
		       const struct lt_column *by)
{
	struct lt_report_ctx c = { .r = r, .lines = p->lines,
					.frames = LT_OUT_INIT(-1) };
	struct lt_json j = LT_JSON_INIT(p->out);
	struct lt_table t = { .out = p->out, .format = LT_FORMAT_JSON, .ctx = &c, .json = &j };
	size_t n;
	struct lt_report_row **rows = lt_report_sorted(r, &c, by, false, &n);

	lt_json_object(&j, NULL);
	lt_report_summary_json(&j, r, p);
	lt_json_word(&j, "sort", by->name);
	lt_json_u64(&j, "total_rows", n);
	lt_json_array(&j, "rows");
	lt_table_columns(&t, lt_report_kind(r->opts.by), lt_report_conditions(r, p->lines),
			 p->columns);
	lt_table_begin(&t);
	for (size_t i = 0; i < n && (!p->top || i < p->top); i++)
		lt_table_row(&t, rows[i]);
	lt_table_end(&t);
	lt_json_line(&j);
	free(c.frames.buf);
	free(rows);
}

/* Objects whose free may have been missed: the list of what is alive leaves them out. */
static void put_maybe(const struct lt_report *r, const struct lt_report_view *p)
{
	char line[160], n[LT_HUMAN], bytes[LT_HUMAN];

	if (!r->all.maybe)
		return;
	snprintf(line, sizeof(line), "  perhaps alive: %s more, %s (report --sort=maybe_alive_bytes)\n",
		 lt_human_count(r->all.maybe, n, sizeof(n)),
		 lt_human_bytes(r->all.maybe_bytes, bytes, sizeof(bytes)));
	lt_out_str(p->out, line);
}

/* @list: NULL: sorted by the column @sort */
static void print_list(struct lt_report *r, const struct lt_report_view *p,
		       const struct list *list, const char *sort)
{
	const struct lt_column *by = lt_report_column(r, list ? list->sort : sort);
	char line[160], then[LT_TIME_TEXT + 8];

	if (list && !strcmp(list->sort, "alive_bytes"))
		snprintf(line, sizeof(line), "Alive %s, by %s", lt_report_then(r, p->times, then),
			 lt_report_what(r));
	else if (list)
		snprintf(line, sizeof(line), "%s, by %s", list->title, lt_report_what(r));
	else
		snprintf(line, sizeof(line), "By %s, sorted by %s", lt_report_what(r), by->name);
	lt_out_char(p->out, '\n');
	lt_report_heading(p, line);
	lt_out_char(p->out, '\n');
	print_rows(r, p, by, list);
	if (list && !strcmp(list->sort, "alive_bytes"))
		put_maybe(r, p);
}

static void print_all(struct lt_report *r, const struct lt_report_view *p)
{
	lt_report_summary(r, p);
	if (p->coverage)
		lt_report_coverage(r, p);
	for (size_t i = 0; i < N_LISTS; i++)
		print_list(r, p, &lists[i], NULL);
	lt_report_histogram(r, p);
}

/* One list, below the lines that say what the trace is and how sure the answer is. */
static void print_one(struct lt_report *r, const struct lt_report_view *p)
{
	const struct list *list = find_list(p->list);

	lt_report_head(r, p);
	if (p->coverage)
		lt_report_coverage(r, p);
	if (list || p->sort || p->columns)
		print_list(r, p, list, p->sort ? p->sort : "bytes");
	if (list && (!strcmp(list->name, "short") || !strcmp(list->name, "long")))
		lt_report_histogram(r, p);
}

void lt_report_print(struct lt_report *r, const struct lt_report_view *p)
{
	const struct list *list = find_list(p->list);
	const struct lt_column *by = lt_report_column(r, list ? list->sort : p->sort ? p->sort :
						       "bytes");

	if (p->format == LT_FORMAT_JSON)
		print_json(r, p, by);
	else if (p->format != LT_FORMAT_TEXT)
		print_rows(r, p, by, NULL);
	else if (p->all)
		print_all(r, p);
	else if (p->sort || p->list || p->columns || p->coverage)
		print_one(r, p);
	else
		lt_report_screen(r, p);
}
