/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns of lifetrace top, and cells of few characters.
 */
#ifndef LT_TOP_COLUMNS_H
#define LT_TOP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "forms/columns.h"
#include "live/live.h"

/**
 * struct lt_top_ctx - what the columns need beside a row, a struct lt_live_row
 * @l: the live view
 * @t: its table
 * @trace: for names
 * @people: what may be alive is counted as alive
 * @unsure: set by a getter for people: part of the value may be gone, unseen
 * @frames: of a stack; to be freed
 */
struct lt_top_ctx {
	const struct lt_live *l;
	const struct lt_live_table *t;
	const struct lt_trace *trace;
	bool people;
	bool unsure;
	struct lt_out frames;
	char buf[512];
};

/* How the number of a column is written on the screen. */
enum lt_top_form {
	LT_TOP_SHORT,		/* with a unit */
	LT_TOP_WHOLE,
	LT_TOP_CHANGE,		/* bytes, with a unit and a sign */
};

/**
 * struct lt_top_look - a column on the screen
 * @width: characters; 0: a text, which takes what is left
 * @key: sorts by it; 0: none
 * @rank: the greatest is the first to be left out where there is no room; 0: a column that is shown
 *	where it is asked for
 */
struct lt_top_look {
	const char *name;
	unsigned int width;
	char key;
	unsigned int rank;
	enum lt_top_form form;
};

/* What a row is, and its figures; NULL: there are no such rows. */
const struct lt_row_kind *lt_top_kind(enum lt_report_by by);

const struct lt_top_look *lt_top_look(const struct lt_column *column);

/**
 * struct lt_top_cell - a value of a row
 * @type: NONE: it is not known
 * @unsure: part of it may be gone
 * @v: if it is a number
 * @text: if it is a text: safe to print, to be freed
 */
struct lt_top_cell {
	enum lt_value_type type;
	bool unsure;
	double v;
	char *text;
};

struct lt_top_cell lt_top_cell(struct lt_top_ctx *c, const struct lt_live_row *row,
			       const struct lt_column *column);

#define LT_TOP_CELL	32	/* bytes of a number's text */

/* A number as text, if it is short at most as wide as its column. Return: @buf. */
const char *lt_top_cell_text(const struct lt_top_cell *cell, enum lt_top_form form,
			     char buf[LT_TOP_CELL]);

/* The text of a number of a row, for people. Return: @buf. */
const char *lt_top_figure(struct lt_top_ctx *c, const struct lt_live_row *row, const char *name,
			  char buf[LT_TOP_CELL]);

/* At most 5 characters: "1.2M", "12.3k", "1.2ms". Return: @buf. */
const char *lt_top_short_bytes(double bytes, char buf[LT_TOP_CELL]);
const char *lt_top_short_count(double n, char buf[LT_TOP_CELL]);
const char *lt_top_short_ns(double ns, char buf[LT_TOP_CELL]);

/**
 * lt_top_fit() - which columns have room
 * @columns: @n of them
 * @by_rank: the first ones by rank have; otherwise the first ones in their order
 * @width: characters in a line
 * @widths: result: the width of each; 0: it has no room
 */
void lt_top_fit(const struct lt_column *const *columns, size_t n, bool by_rank, unsigned int width,
		unsigned int *widths);

#endif /* LT_TOP_COLUMNS_H */
