/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a kind of row is made: those of this folder, and the tables of commands (forms/screen.h).
 */
#ifndef LT_ROWS_KIND_H
#define LT_ROWS_KIND_H

#include "rows/column.h"

/*
 * A kind of row is made from a macro KIND(C, ...) with a line for each column,
 *
 *	C(id, "name", TYPE, MARKS, known, value, "meaning")
 *
 * of which @known is a condition, without which the value is unknown, and @value an expression of
 * the type, in which the row and the ctx have the names that LT_ROW_GETTER() gives them.
 */
#define LT_ROW_SET_COUNT(v, x)		lt_value_u(v, LT_VALUE_COUNT, x)
#define LT_ROW_SET_SIGNED(v, x)		lt_value_i(v, x)
#define LT_ROW_SET_BYTES(v, x)		lt_value_u(v, LT_VALUE_BYTES, x)
#define LT_ROW_SET_NS(v, x)		lt_value_u(v, LT_VALUE_NS, x)
#define LT_ROW_SET_TIME(v, x)		lt_value_u(v, LT_VALUE_TIME, x)
#define LT_ROW_SET_RATE(v, x)		lt_value_d(v, LT_VALUE_RATE, x)
#define LT_ROW_SET_PERCENT(v, x)	lt_value_d(v, LT_VALUE_PERCENT, x)
#define LT_ROW_SET_NUMBER(v, x)		lt_value_d(v, LT_VALUE_NUMBER, x)
#define LT_ROW_SET_CHANGE(v, x)		lt_value_d(v, LT_VALUE_CHANGE, x)
#define LT_ROW_SET_SIZE(v, x)		lt_value_d(v, LT_VALUE_SIZE, x)
#define LT_ROW_SET_SIZE_CHANGE(v, x)	lt_value_d(v, LT_VALUE_SIZE_CHANGE, x)
#define LT_ROW_SET_CHANCE(v, x)		lt_value_d(v, LT_VALUE_CHANCE, x)
#define LT_ROW_SET_BOOL(v, x)		lt_value_u(v, LT_VALUE_BOOL, x)
#define LT_ROW_SET_HEX(v, x)		lt_value_u(v, LT_VALUE_HEX, x)
#define LT_ROW_SET_TEXT(v, x)		lt_value_str(v, LT_VALUE_TEXT, x)
#define LT_ROW_SET_NAME(v, x)		lt_value_str(v, LT_VALUE_NAME, x)
#define LT_ROW_SET_LIST(v, x)		lt_value_str(v, LT_VALUE_LIST, x)
#define LT_ROW_SET_INSTANT(v, x)	lt_value_u(v, LT_VALUE_INSTANT, x)
#define LT_ROW_SET_SITE(v, x)		lt_value_u(v, LT_VALUE_SITE, x)
#define LT_ROW_SET_FUNCTION(v, x)	lt_value_u(v, LT_VALUE_FUNCTION, x)
#define LT_ROW_SET_CACHE(v, x)		lt_row_set_cache(v, x)
#define LT_ROW_SET_GFP(v, x)		lt_value_u(v, LT_VALUE_GFP, x)
#define LT_ROW_SET_STACK(v, x)		lt_value_u(v, LT_VALUE_STACK, x)
/*
 * Of several numbers: a pointer, and how many;
 * of a task: a pointer, and the time; by LT_ROW_BOTH().
 */
#define LT_ROW_SET_COUNTS(v, ...)	lt_value_counts(v, __VA_ARGS__)
#define LT_ROW_SET_TASK(v, ...)		lt_value_task(v, __VA_ARGS__)
#define LT_ROW_BOTH(...)		__VA_ARGS__

static inline void lt_row_set_cache(struct lt_value *v, uint64_t key)
{
	if (key)
		lt_value_u(v, LT_VALUE_CACHE, key);
}

/* The getter of a column: @row_type *@r is its row, @ctx_type *@c its ctx. */
#define LT_ROW_GETTER(id, row_type, r, ctx_type, c, TYPE, known, ...)		\
static void get_##id(const void *r##_, void *c##_, struct lt_value *v_)		\
{										\
	const row_type *r = r##_;						\
	ctx_type *c = c##_;							\
										\
	(void)r;								\
	(void)c;								\
	if (known)								\
		LT_ROW_SET_##TYPE(v_, __VA_ARGS__);				\
}

/* A getter by a statement, from which struct lt_value *@v gets the value, or none. */
#define LT_ROW_FILLER(id, row_type, r, ctx_type, c, v, ...)			\
static void get_##id(const void *r##_, void *c##_, struct lt_value *v)		\
{										\
	const row_type *r = r##_;						\
	ctx_type *c = c##_;							\
										\
	(void)r;								\
	(void)c;								\
	__VA_ARGS__;								\
}

#define LT_ROW_COLUMN(id, title, TYPE, mark, known, value, text)		\
	{ .name = title, .header = title, .left = LT_VALUE_IS_TEXT(LT_VALUE_##TYPE),	\
	  .get = get_##id, .type = LT_VALUE_##TYPE, .marks = mark, .meaning = text },

#define LT_ROW_KIND(kind, title, text)						\
const struct lt_row_kind lt_rows_of_##kind = {					\
	.name = title, .meaning = text,						\
	.columns = kind##_columns, .n = sizeof(kind##_columns) / sizeof(kind##_columns[0]), \
}

#endif /* LT_ROWS_KIND_H */
