/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of lifetrace top for scripts: as text, and as JSON.
 */
#ifndef LT_TOP_PRINT_H
#define LT_TOP_PRINT_H

#include "base/out.h"
#include "top/cost.h"
#include "top/view.h"

/**
 * struct lt_top_shot - a table that is printed
 * @l: the live view
 * @table: its table
 * @view: the rows
 * @t: the trace
 * @window_ns: as in struct lt_live_options
 * @number: rows at the most, 0: all
 * @final: no event follows
 * @self: what the recorder itself allocated is counted, too
 * @cost: of the program itself; NULL: it reads a file that is whole, and what that costs is over
 */
struct lt_top_shot {
	const struct lt_live *l;
	const struct lt_live_table *table;
	const struct lt_top_view *view;
	const struct lt_trace *t;
	uint64_t window_ns;
	size_t number;
	bool final;
	bool self;
	const struct lt_top_cost *cost;
};

/* One object, with a newline behind it. */
void lt_top_print_json(struct lt_out *o, const struct lt_top_shot *s);

/* For people: a summary, and the rows in lines of @width characters. */
void lt_top_print_text(struct lt_out *o, const struct lt_top_shot *s, unsigned int width);

/**
 * lt_top_head() - a line of the summary
 * @line: which one, from 0 on
 * @width: characters that there are; with few it is shorter
 * @buf: the line
 * Return: false: there are no more lines.
 */
bool lt_top_head(const struct lt_top_shot *s, unsigned int line, unsigned int width, char *buf,
		 size_t size);
#define LT_TOP_HEADS	5

/* A row, or with @row NULL the header, in @width characters of UTF-8. Return: @buf. */
const char *lt_top_line(const struct lt_top_row *row, enum lt_report_by by, unsigned int width,
			char *buf, size_t size);

#endif /* LT_TOP_PRINT_H */
