/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_LIB_REPORT_PRINT_H
#define LT_LIB_REPORT_PRINT_H

#include "lifetimes/summary.h"
#include "print/table.h"

/**
 * struct lt_report_view - how to print a report
 * @file: its name
 * @sort: name of a column; NULL: several lists, each by its own
 * @top: rows a list has at the most, 0: all
 * @coverage: the table of caches, too
 * @utf8: bars of blocks
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

/* Is that a column to sort by? Prints those that there are if not. */
bool lt_report_can_sort(const char *name);

void lt_report_print(struct lt_report *r, const struct lt_report_view *p);

/* The first screen. */
void lt_report_summary(struct lt_report *r, const struct lt_report_view *p);
/* The same as a JSON object's members. */
void lt_report_summary_json(struct lt_report *r, struct lt_out *o);

void lt_report_histogram(struct lt_report *r, const struct lt_report_view *p);
void lt_report_coverage(struct lt_report *r, const struct lt_report_view *p);

#endif /* LT_LIB_REPORT_PRINT_H */
