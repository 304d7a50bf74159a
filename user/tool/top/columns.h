/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns of lifetrace top, and cells of few characters.
 */
#ifndef LT_TOP_COLUMNS_H
#define LT_TOP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "live/live.h"

enum lt_top_column {
	LT_TOP_ALIVE,
	LT_TOP_OBJECTS,
	LT_TOP_GROWTH,
	LT_TOP_NEW,
	LT_TOP_FREED,
	LT_TOP_P50,
	LT_TOP_P99,
	LT_TOP_OLDEST,
	LT_TOP_NAME,
	LT_TOP_COLUMNS,
};

/**
 * struct lt_top_cell - a value of a row
 * @v: the value: bytes, objects, a second, ns
 * @known: it is known
 * @over: it is greater than @v
 * @unsure: part of it may be gone, unseen
 */
struct lt_top_cell {
	double v;
	bool known;
	bool over;
	bool unsure;
};

#define LT_TOP_CELL	16	/* bytes of a cell's text */

/* The name of a column for --sort, and its header. */
const char *lt_top_column_name(unsigned int column);
const char *lt_top_column_header(enum lt_top_column column);
/* The width of a column but NAME, which takes what is left. */
unsigned int lt_top_column_width(enum lt_top_column column);
/* The key that sorts by the column. */
char lt_top_column_key(enum lt_top_column column);

/* The value of a row of a table of @l; not of NAME. */
struct lt_top_cell lt_top_cell(const struct lt_live *l, const struct lt_live_table *t,
			       const struct lt_live_row *row, enum lt_top_column column);

/* A cell as text, at most as wide as its column. Return: @buf. */
const char *lt_top_cell_text(const struct lt_top_cell *cell, enum lt_top_column column,
			     char buf[LT_TOP_CELL]);

/* At most 5 characters: "1.2M", "12.3k", "1.2ms". Return: @buf. */
const char *lt_top_short_bytes(double bytes, char buf[LT_TOP_CELL]);
const char *lt_top_short_count(double n, char buf[LT_TOP_CELL]);
const char *lt_top_short_ns(double ns, char buf[LT_TOP_CELL]);

/**
 * lt_top_fit() - which columns have room
 * @width: characters in a line
 * @name: result: characters for NAME
 * Return: bit n for the column n.
 */
unsigned int lt_top_fit(unsigned int width, unsigned int *name);

#endif /* LT_TOP_COLUMNS_H */
