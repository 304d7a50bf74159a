/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_PRINT_REPORT_H
#define LT_PRINT_REPORT_H

#include "lifetimes/summary.h"
#include "print/table.h"

/**
 * struct lt_report_view - how to print a report
 * @file: name of the trace file
 * @sort: print one list, sorted by this column; NULL: several lists
 * @top: maximum number of rows of a list; 0: all
 * @coverage: also print the table of caches
 * @utf8: draw the histogram with block characters
 */
struct lt_report_view {
	const char *file;
	enum lt_format format;
	const char *sort;
	size_t top;
	bool coverage;
	bool utf8;
	struct lt_out *out;
};

/* Whether a list can be sorted by the column @name; prints all columns if not. */
bool lt_report_can_sort(const char *name);

void lt_report_print(struct lt_report *r, const struct lt_report_view *p);

/* The first screen. */
void lt_report_summary(struct lt_report *r, const struct lt_report_view *p);
/* The first screen as members of a JSON object. */
void lt_report_summary_json(struct lt_report *r, struct lt_out *o);

void lt_report_histogram(struct lt_report *r, const struct lt_report_view *p);
void lt_report_coverage(struct lt_report *r, const struct lt_report_view *p);

#endif /* LT_PRINT_REPORT_H */
