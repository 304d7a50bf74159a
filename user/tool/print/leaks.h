/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_PRINT_LEAKS_H
#define LT_PRINT_LEAKS_H

#include "forms/columns.h"
#include "lines/lines.h"
#include "sums/leaks.h"

/**
 * struct lt_leaks_view - how leaks are printed
 * @t: the trace they are of
 * @out: where to
 * @lines: source lines of call sites; NULL: none
 * @columns: of --columns; NULL: those of the format
 * @sort: the column that rows are sorted by; NULL: those that certainly leak come first
 * @top: maximum number of rows; 0: all
 * @width: characters in a line of text; 0: any number
 * @cut: names may be cut to fit into @width
 */
struct lt_leaks_view {
	const struct lt_trace *t;
	struct lt_out *out;
	struct lt_lines *lines;
	enum lt_format format;
	const char *columns;
	const struct lt_column *sort;
	size_t top;
	unsigned int width;
	bool cut;
};

void lt_leaks_print(const struct lt_leaks *l, const struct lt_leaks_view *view);

extern const struct lt_row_kind lt_rows_of_leak;

/* What the columns need as their context. */
struct lt_leaks_ctx {
	const struct lt_trace *t;
	struct lt_lines *lines;		/* NULL: without source lines */
	bool people;			/* doubts are sentences */
	bool merged;			/* caches are said to be merged with others */
	bool estimates;			/* of a sample: numbers have intervals */
	char buf[1024];
};

/* "leak", "gone", "grows" or "old". */
const char *lt_leaks_verdict(const struct lt_leak_row *row);
/* For people, a line each: how many sites leak, and modules whose objects outlived them. */
void lt_leaks_head(const struct lt_leaks *l, struct lt_out *out);
/* A line if the trace is too short for any verdict. */
void lt_leaks_short(const struct lt_leaks *l, struct lt_out *out);

#endif /* LT_PRINT_LEAKS_H */
