/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_PRINT_LEAKS_H
#define LT_PRINT_LEAKS_H

#include "lifetimes/leaks.h"
#include "lines/lines.h"
#include "print/table.h"

/**
 * struct lt_leaks_view - how leaks are printed
 * @t: the trace they are of
 * @out: where to
 * @lines: source lines of call sites; NULL: none
 * @format: text, JSON or CSV
 * @top: maximum number of rows; 0: all
 * @width: characters in a line of text; 0: any number
 * @cut: names may be cut to fit into @width
 */
struct lt_leaks_view {
	const struct lt_trace *t;
	struct lt_out *out;
	struct lt_lines *lines;
	enum lt_format format;
	size_t top;
	unsigned int width;
	bool cut;
};

void lt_leaks_print(const struct lt_leaks *l, const struct lt_leaks_view *view);

#endif /* LT_PRINT_LEAKS_H */
