/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_PRINT_ADVICE_H
#define LT_PRINT_ADVICE_H

#include "forms/columns.h"
#include "lines/lines.h"
#include "sums/advice.h"

/**
 * struct lt_advice_view - how advice is printed
 * @t: the trace it is of
 * @out: where to
 * @lines: source lines of call sites; NULL: none
 * @columns: of --columns: text is a table of them, too; NULL: those of the format
 * @sort: the column that rows are sorted by; NULL: leaks first, then by part
 * @top: maximum number of rows; 0: all
 * @width: characters in a line of text; 0: 100
 */
struct lt_advice_view {
	const struct lt_trace *t;
	struct lt_out *out;
	struct lt_lines *lines;
	enum lt_format format;
	const char *columns;
	const struct lt_column *sort;
	size_t top;
	unsigned int width;
};

void lt_advice_print(const struct lt_advisor *a, const struct lt_advice_view *view);

extern const struct lt_row_kind lt_rows_of_advice;

#endif /* LT_PRINT_ADVICE_H */
