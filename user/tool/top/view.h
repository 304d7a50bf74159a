/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What lifetrace top shows of a table: rows that the filter lets through, in order, and which of
 * them is selected. There is no terminal here.
 */
#ifndef LT_TOP_VIEW_H
#define LT_TOP_VIEW_H

#include "top/columns.h"

/**
 * struct lt_top_row - a row, as it was when the table was made
 * @key: as in struct lt_live_row
 * @context: as there
 * @label: what it is about, safe to print
 * @cells: by column of the view
 * @row: the row of the table; valid until the next event
 */
struct lt_top_row {
	uint64_t key;
	unsigned int context;
	char *label;
	struct lt_top_cell *cells;
	const struct lt_live_row *row;
};

/**
 * struct lt_top_view - the rows, and how they are looked at
 * @names: of --columns; NULL: the columns that people see
 * @kind: what the rows are; NULL: there was no table yet
 * @columns: @n_shown of them are shown; one more may follow, by which the rows are sorted
 * @sort: name of the column that sorts; alive_bytes does where there is no such column
 * @by: index of the column that does
 * @reverse: the least comes first
 * @filter: only rows whose label contains this, in letters of any case; empty: all
 * @rows: those, in order
 * @n: their number
 * @total: rows of the table
 * @selected: index of the selected row
 * @key, @context: of the selected row, which stays selected in the next table
 * @followed: the table has the row of @key; false: the first row is selected, whatever it is
 */
struct lt_top_view {
	const char *names;
	const struct lt_row_kind *kind;
	const struct lt_column **columns;
	size_t n_columns;
	size_t n_shown;
	const char *sort;
	size_t by;
	bool reverse;
	char filter[64];
	struct lt_top_row *rows;
	size_t n;
	size_t cap;
	size_t total;
	size_t selected;
	uint64_t key;
	unsigned int context;
	bool followed;
};

void lt_top_view_destroy(struct lt_top_view *v);

/* Takes over the table of @c. */
void lt_top_view_fill(struct lt_top_view *v, struct lt_top_ctx *c);

/* Sorts again, by v->by. */
void lt_top_view_sort(struct lt_top_view *v);

/* Selects a row; -1 and v->n are as 0 and the last one. */
void lt_top_view_select(struct lt_top_view *v, long row);

/*
 * Selects the next row whose label contains @text, in letters of any case, from the selected one
 * on; with @step 1 or -1 behind or before it. Return: false: there is none.
 */
bool lt_top_view_search(struct lt_top_view *v, const char *text, int step);

#endif /* LT_TOP_VIEW_H */
