/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between traces, as text, CSV and JSON.
 */
#ifndef LT_PRINT_DIFF_H
#define LT_PRINT_DIFF_H

#include "compare/diff.h"
#include "forms/columns.h"

/**
 * struct lt_diff_view - how to print a difference
 * @sort: the metric by whose change the rows are sorted
 * @columns: of --columns; NULL: those of the format
 * @top: maximum number of rows; 0: all
 * @moments: it is of two instants of one trace
 * @width, @cut: as in struct lt_table
 */
struct lt_diff_view {
	struct lt_out *out;
	enum lt_format format;
	const char *columns;
	enum lt_diff_metric sort;
	size_t top;
	bool moments;
	unsigned int width;
	bool cut;
};

/* The name of a metric in options, JSON and CSV; and all of them, ending with NULL. */
extern const char *const lt_diff_metrics[LT_N_DIFFS + 1];

extern const struct lt_row_kind lt_rows_of_diff;

/* Sorts the rows of @d, too. */
void lt_diff_print(struct lt_diff *d, const struct lt_diff_view *p);

#endif /* LT_PRINT_DIFF_H */
