/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the files of this room. Names of a trace enter the page in two ways: as text of HTML,
 * by lt_html_text(), and as strings of JSON, in which lt_page_data() escapes each '<'; so no name
 * can end an element or begin one. The script writes names by textContent only.
 */
#ifndef LT_PAGE_INTERNAL_H
#define LT_PAGE_INTERNAL_H

#include <stdio.h>

#include "base/json.h"
#include "print/report_columns.h"
#include "sums/advice.h"
#include "sums/leaks.h"
#include "sums/profile.h"
#include "sums/timeline.h"

/* What stands in the file at most; the rest is summed up. */
#define LT_PAGE_ROWS	300	/* rows of a table */
#define LT_PAGE_SERIES	80	/* caches, and sites, with births and ends by time */
#define LT_PAGE_LIVES	60	/* caches, and sites, with a histogram */
#define LT_PAGE_PATHS	2500	/* paths of the flame graph */
#define LT_PAGE_TASKS	200	/* programs in the tree of processes */
#define LT_PAGE_MEMBERS	20	/* processes of one of them, those with most */
#define LT_PAGE_LEAKS	60	/* call sites with old objects */
#define LT_PAGE_MARKERS	200
#define LT_PAGE_STATIC	40	/* rows of the tables without JavaScript */

/* Some rows of a report. */
struct lt_page_rows {
	struct lt_report *r;
	struct lt_report_row **rows;	/* those with most of anything first */
	size_t n;			/* those that are shown */
	size_t total;
	const struct lt_timeline *time;	/* of the same lifetimes */
};

/**
 * struct lt_page_time - what happened when
 * @line: births and ends
 * @markers: those that users wrote, in the order of time; @n of them, at most LT_PAGE_MARKERS
 * @n_markers: how many there were
 */
struct lt_page_time {
	struct lt_timeline *line;
	struct lt_page_marker {
		uint64_t time;
		char *text;
	} *markers;
	size_t n;
	size_t n_markers;
};

/* assets.c, which make writes from page.css and the scripts. */
extern const char lt_page_css[];
extern const char lt_page_js[];
extern const char lt_page_css_hash[];	/* SHA-256, base64 */
extern const char lt_page_js_hash[];

/* html.c */

/* A text as text of an element, or as value of an attribute in double quotes. */
void lt_html_text(struct lt_out *o, const char *s, size_t len);
void lt_html_str(struct lt_out *o, const char *s);
void lt_html_value(struct lt_out *o, const struct lt_value *v);
/* Begins a section: its element, and its heading. */
void lt_html_section(struct lt_out *o, const char *id, const char *title);
/* A table, of the rows with most bytes alive, for those who read without JavaScript. */
void lt_html_table(struct lt_out *o, const struct lt_page_rows *rows, const char *caption);
/* What stands in @data, a file of JSON, as the content of a script element. Return: 0, or -1. */
int lt_html_data(struct lt_out *o, FILE *data);

/* rows.c */

void lt_page_rows_init(struct lt_page_rows *rows, struct lt_report *r,
		       const struct lt_timeline *time);
void lt_page_rows_destroy(struct lt_page_rows *rows);
/* The names of columns, as an array; and values of a row. */
void lt_page_columns_json(struct lt_json *j, const struct lt_column *const *columns, size_t n);
void lt_page_values_json(struct lt_json *j, const struct lt_column *const *columns, size_t n,
			 const void *row, void *ctx);
/* The object of a table: its columns, its rows, and the sum of the others. */
void lt_page_rows_json(struct lt_json *j, const char *name, const struct lt_page_rows *rows);
/* Births and ends by time of a table's first rows; and the histograms of lifetimes. */
void lt_page_series_json(struct lt_json *j, const char *name, const struct lt_page_rows *rows);
/*
 * By how many bytes what is alive of a row became more in the second half of the time that was
 * watched. False: not known, the row has no timeline.
 */
bool lt_page_growth(const struct lt_page_rows *rows, const struct lt_report_row *row,
		    int64_t *bytes);
/* That of all rows, as an array. */
void lt_page_growth_json(struct lt_json *j, const char *name, const struct lt_page_rows *rows);
void lt_page_lives_json(struct lt_json *j, const char *name, const struct lt_page_rows *rows);

/* time.c */

/* The callback of struct lt_profile_options for markers; @arg: struct lt_page_time */
void lt_page_marker(void *arg, const struct lt_profile *p, uint64_t time, const char *text);
void lt_page_time_free(struct lt_page_time *time);
/* An object: the parts of the time, series, growth, markers. */
void lt_page_time_json(struct lt_json *j, const char *name, const struct lt_page_time *time,
		       const struct lt_trace *t, const struct lt_page_rows *caches,
		       const struct lt_page_rows *sites);
void lt_page_markers_html(struct lt_out *o, const struct lt_page_time *time,
			  const struct lt_trace *t);

/* wrong.c: leaks and growth */

void lt_page_wrong_html(struct lt_out *o, const struct lt_trace *t, const struct lt_leaks *l);
/* @sites: the call sites of the page, of which the rows of leaks get the numbers */
void lt_page_wrong_json(struct lt_json *j, const char *name, const struct lt_trace *t,
			const struct lt_leaks *l, const struct lt_page_rows *sites);

/* flame.c */

void lt_page_flame_json(struct lt_json *j, const char *name, const struct lt_profile *p);

/* tasks.c */

/**
 * struct lt_page_task - a process in the tree, with its threads; or all processes of one name whose
 * parents are one row
 * @depth: 0 of a root
 * @tid: the number of the process, of several that of the first of @members
 * @count: how many processes the row is of
 * @name: its name, @len bytes
 * @own: what it allocated: births, bytes, alive, alive bytes
 * @sum: that of its tree
 * @members: of several: those with most bytes, each with its tree; @n_members of them
 */
struct lt_page_task {
	uint32_t depth;
	uint32_t tid;
	uint64_t count;
	const char *name;
	size_t len;
	uint64_t own[4];
	uint64_t sum[4];
	struct lt_page_member {
		uint32_t tid;
		uint64_t own[4];
		uint64_t sum[4];
	} *members;
	size_t n_members;
};

/**
 * struct lt_page_tasks - the tree
 * @rows: in the order of the tree; below one row those come first whose trees have most bytes
 * @n: their number
 * @total: of rows that there would be, but for @idle
 * @processes: their number; 0: the trace has no tasks
 * @idle: of these, those whose rows allocated nothing, nor did what is below them
 * @rest: of the processes without a row
 * @none: of interrupts, and of tasks that are not in the tree
 */
struct lt_page_tasks {
	struct lt_trace *trace;
	struct lt_tasks *tb;
	struct lt_page_task *rows;
	size_t n;
	size_t total;
	uint64_t processes;
	uint64_t idle;
	uint64_t rest[4];
	uint64_t none[4];
};

/**
 * struct lt_page_process - a process with its threads
 * @up: the number of the process above it in the list, from 1 on; 0: it is a root
 * @tid: its number
 * @name: number of its name in the table of tasks
 * @own, @sum: as in struct lt_page_task
 */
struct lt_page_process {
	uint32_t up;
	uint32_t tid;
	uint32_t name;
	uint64_t own[4];
	uint64_t sum[4];
};

/* @r: a report by task of the trace in @file. Return: 0, or -1 after reporting the error. */
int lt_page_tasks_read(struct lt_page_tasks *t, const char *file, const struct lt_report *r);
void lt_page_tasks_free(struct lt_page_tasks *t);
void lt_page_tasks_json(struct lt_json *j, const char *name, const struct lt_page_tasks *t);
void lt_page_tasks_html(struct lt_out *o, const struct lt_page_tasks *t);

/* programs.c */

/* Fills in the rows of @t, whose tasks are known, from all processes, each behind its parent. */
void lt_page_programs(struct lt_page_tasks *t, const struct lt_page_process *list, size_t n);

#endif /* LT_PAGE_INTERNAL_H */
