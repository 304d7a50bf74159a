/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --sort=COLUMN: rows of a table in the order of one of its columns.
 */
#ifndef LT_FORMS_SORT_H
#define LT_FORMS_SORT_H

#include "forms/table.h"

/**
 * lt_sort_rows() - sort
 * @rows: @n of them; those that are equal keep their order
 * @by: a column; @ctx: for its @get. Numbers: the greatest first; texts: from A to Z; what is not
 *	known comes last
 */
void lt_sort_rows(const void **rows, size_t n, const struct lt_column *by, void *ctx);

#endif /* LT_FORMS_SORT_H */
