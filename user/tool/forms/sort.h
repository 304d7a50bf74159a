/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --sort=COLUMN: rows of a table in the order of one of its columns.
 */
#ifndef LT_FORMS_SORT_H
#define LT_FORMS_SORT_H

#include "forms/table.h"

/* The column of a name, whose unit at the end may be left out: "_ns"; NULL: there is none. */
const struct lt_column *lt_sort_find(const struct lt_column *const *columns, size_t n,
					   const char *name);

/**
 * lt_sort_column() - the column that a user means
 * @columns: @n of them
 * @name: its name in JSON and CSV; a unit at its end may be left out: "_ns"
 * Return: NULL after reporting that there is none, with the nearest one and all of them.
 */
const struct lt_column *lt_sort_column(const struct lt_column *const *columns, size_t n,
					     const char *name);

/**
 * lt_sort_rows() - sort
 * @rows: @n of them; those that are equal keep their order
 * @by: a column; @ctx: for its @get. Numbers: the greatest first; texts: from A to Z; what is not
 *	known comes last
 */
void lt_sort_rows(const void **rows, size_t n, const struct lt_column *by, void *ctx);

#endif /* LT_FORMS_SORT_H */
