/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of commands, as kinds of rows: a macro KIND(C, G) has a line for each column, either of
 *
 *	C(id, "name", "header for people", TYPE, marks, known, value, "meaning")
 *	G(id, "name", "header for people", TYPE, marks, statement, "meaning")
 *
 * as LT_ROW_GETTER() and LT_ROW_FILLER() of rows/kind.h make getters of them.
 */
#ifndef LT_FORMS_SCREEN_H
#define LT_FORMS_SCREEN_H

#include "rows/kind.h"

/*
 * Marks: a column of all forms, or one that other forms than text have only where it is asked for.
 */
#define A	LT_COLUMN_LINES
#define S	0

#define LT_SCREEN_COLUMN(id, title, head, TYPE, mark, known, value, text)	\
	LT_SCREEN_FILLED(id, title, head, TYPE, mark, , text)

#define LT_SCREEN_FILLED(id, title, head, TYPE, mark, call, text)		\
	{ .name = title, .header = head, .left = LT_VALUE_IS_TEXT(LT_VALUE_##TYPE),	\
	  .get = get_##id, .type = LT_VALUE_##TYPE, .marks = mark, .meaning = text },

/* A kind of row, whose name is that of a table; @shown: see @people of struct lt_row_kind. */
#define LT_SCREEN_KIND(kind, title, shown, text)				\
const struct lt_row_kind lt_rows_of_##kind = {					\
	.name = title, .meaning = text, .in_place = true, .people = shown,	\
	.columns = kind##_columns, .n = sizeof(kind##_columns) / sizeof(kind##_columns[0]), \
}

#endif /* LT_FORMS_SCREEN_H */
