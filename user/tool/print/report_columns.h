/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns of a report, for its lists and its first screen. A column is a small struct; a list
 * is sorted by one column.
 */
#ifndef LT_PRINT_REPORT_COLUMNS_H
#define LT_PRINT_REPORT_COLUMNS_H

#include "print/report.h"
#include "print/site.h"
#include "print/stack.h"

#define LT_REPORT_ALSO		2	/* columns that a list may ask for */

/* What the columns of struct lt_table need. */
struct lt_report_ctx {
	const struct lt_report *r;
	struct lt_lines *lines;		/* NULL: without source lines */
	bool people;			/* caches are said to be merged with others */
	struct lt_out frames;		/* of a stack; to be freed */
	char buf[LT_SITE_TEXT];
};

/* The column of a name, of which the unit may be left out; NULL: there is none. */
const struct lt_column *lt_report_column(const struct lt_report *r, const char *name);

/*
 * The names of the columns of a list for people, as of --columns, of which a line has as many as
 * fit. What is alive stands before the percentiles, to which it contributes an age, but no end.
 * @also: names of columns that come first; NULL: none. @lines: with the source lines of call sites.
 * To be freed.
 */
char *lt_report_text_columns(const struct lt_report *r, const struct lt_column *by,
			     const char *const also[LT_REPORT_ALSO], bool lines);

/* Which of LT_COLUMN_CONDITIONS hold. */
unsigned int lt_report_conditions(const struct lt_report *r, bool lines);

/*
 * The rows in falling order of a column, texts from A to Z, to be freed. @some: without rows whose
 * value is 0 or unknown, for text; in CSV and JSON all rows are needed, so that sums over the table
 * are right.
 */
struct lt_report_row **lt_report_sorted(struct lt_report *r, struct lt_report_ctx *c,
					const struct lt_column *by, bool some, size_t *n);

/* The value of a row, or of &r->all, in a column, which must exist. */
void lt_report_value(struct lt_report *r, const struct lt_report_row *row, const char *column,
		     struct lt_value *v);

/* The row with the greatest value in a column; NULL: there is no value but 0. */
const struct lt_report_row *lt_report_top(struct lt_report *r, const char *column);

/* What the rows are about: "call site". */
const char *lt_report_what(const struct lt_report *r);

#endif /* LT_PRINT_REPORT_COLUMNS_H */
