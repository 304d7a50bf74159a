/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of lifetrace top for scripts, and the lines that the screen has, too.
 */
#ifndef LT_TOP_PRINT_H
#define LT_TOP_PRINT_H

#include "base/out.h"
#include "top/cost.h"
#include "top/top.h"
#include "top/view.h"

/**
 * struct lt_top_shot - a table that is printed
 * @c: for columns: the live view, its table, the trace
 * @view: the rows
 * @o: the options
 * @final: no event follows
 * @cost: of the program itself; NULL: it reads a file that is whole, and what that costs is over
 */
struct lt_top_shot {
	struct lt_top_ctx c;
	const struct lt_top_view *view;
	const struct lt_top_options *o;
	bool final;
	const struct lt_top_cost *cost;
};

/* One object, with a newline behind it. */
void lt_top_print_json(struct lt_out *o, struct lt_top_shot *s);

/* The rows, in a form of tables. */
void lt_top_print_table(struct lt_out *o, struct lt_top_shot *s);

/* For people: a summary, and the rows in lines of @width characters. */
void lt_top_print_text(struct lt_out *o, struct lt_top_shot *s, unsigned int width);

/**
 * lt_top_head() - a line of the summary
 * @line: which one, from 0 on
 * @width: characters that there are; with few it is shorter
 * @buf: the line
 * Return: false: there are no more lines.
 */
bool lt_top_head(struct lt_top_shot *s, unsigned int line, unsigned int width, char *buf,
		 size_t size);
#define LT_TOP_HEADS	5

/* A row, or with @row NULL the header, in @width characters of UTF-8. Return: @buf. */
const char *lt_top_line(const struct lt_top_view *v, const struct lt_top_row *row,
			unsigned int width, char *buf, size_t size);

#endif /* LT_TOP_PRINT_H */
