/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the files of this room. Names of a trace enter the page in two ways: as text of HTML,
 * by lt_html_text(), and as strings of JSON, in which lt_page_data() escapes each '<'; so no name
 * can end an element or begin one. The script writes names by textContent only.
 */
#ifndef LT_PAGE_INTERNAL_H
#define LT_PAGE_INTERNAL_H

#include <stdio.h>

#include "lifetimes/advice.h"
#include "lifetimes/profile.h"
#include "lifetimes/timeline.h"
#include "print/report_columns.h"

/* What stands in the file at most; the rest is summed up. */
#define LT_PAGE_ROWS	300	/* rows of a table */
#define LT_PAGE_SERIES	80	/* caches, and sites, with births and ends by time */
#define LT_PAGE_LIVES	60	/* caches, and sites, with a histogram */
#define LT_PAGE_PATHS	2500	/* paths of the flame graph */
#define LT_PAGE_TASKS	200
#define LT_PAGE_STATIC	40	/* rows of the tables without JavaScript */

/* Some rows of a report. */
struct lt_page_rows {
	struct lt_report *r;
	struct lt_report_row **rows;	/* those with most of anything first */
	size_t n;			/* those that are shown */
	size_t total;
};

/* assets.c, which make writes from page.css and page.js. */
extern const char lt_page_css[];
extern const char lt_page_js[];
extern const char lt_page_css_hash[];	/* SHA-256, base64 */
extern const char lt_page_js_hash[];

/* html.c */

/* A text as text of an element, or as value of an attribute in double quotes. */
void lt_html_text(struct lt_out *o, const char *s, size_t len);
void lt_html_str(struct lt_out *o, const char *s);
void lt_html_value(struct lt_out *o, const struct lt_value *v);
/* A table, of the first rows, for those who read without JavaScript. */
void lt_html_table(struct lt_out *o, const struct lt_page_rows *rows, const char *caption);
/* What stands in @data, a file of JSON, as the content of a script element. Return: 0, or -1. */
int lt_html_data(struct lt_out *o, FILE *data);

/* rows.c */

void lt_page_rows_init(struct lt_page_rows *rows, struct lt_report *r);
void lt_page_rows_destroy(struct lt_page_rows *rows);
/* The object of a table: its columns, its rows, and the sum of the others. */
void lt_page_rows_json(struct lt_out *o, const struct lt_page_rows *rows);
/* Births and ends by time of a table's first rows; and the histograms of lifetimes. */
void lt_page_series_json(struct lt_out *o, const struct lt_page_rows *rows,
			 const struct lt_timeline *tl);
void lt_page_lives_json(struct lt_out *o, const struct lt_page_rows *rows);

/* flame.c */

void lt_page_flame_json(struct lt_out *o, const struct lt_profile *p);

/* tasks.c */

/**
 * struct lt_page_task - a process in the tree, with its threads
 * @depth: 0 of a root
 * @tid: its number
 * @name: its name, @len bytes
 * @own: what it allocated: births, bytes, alive, alive bytes
 * @sum: that of its tree
 */
struct lt_page_task {
	uint32_t depth;
	uint32_t tid;
	const char *name;
	size_t len;
	uint64_t own[4];
	uint64_t sum[4];
};

/**
 * struct lt_page_tasks - the tree
 * @rows: in the order of the tree
 * @n: their number; 0: the trace has no tasks
 * @total: of processes
 * @rest: of the processes without a row
 * @none: of interrupts, and of tasks that are not in the tree
 */
struct lt_page_tasks {
	struct lt_trace *trace;
	struct lt_tasks *tb;
	struct lt_page_task *rows;
	size_t n;
	size_t total;
	uint64_t rest[4];
	uint64_t none[4];
};

/* @r: a report by task of the trace in @file. Return: 0, or -1 after reporting the error. */
int lt_page_tasks_read(struct lt_page_tasks *t, const char *file, const struct lt_report *r);
void lt_page_tasks_free(struct lt_page_tasks *t);
void lt_page_tasks_json(struct lt_out *o, const struct lt_page_tasks *t);
void lt_page_tasks_html(struct lt_out *o, const struct lt_page_tasks *t);

#endif /* LT_PAGE_INTERNAL_H */
