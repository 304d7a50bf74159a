/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which columns of a kind of row a table has: --columns=NAME,... and --sort=NAME.
 */
#ifndef LT_FORMS_COLUMNS_H
#define LT_FORMS_COLUMNS_H

#include "forms/table.h"

#define LT_COLUMN_CONDITIONS	(LT_COLUMN_IF_LINES | LT_COLUMN_IF_STACKS | LT_COLUMN_IF_ESTIMATES)

/* Whether a command has a column. @conditions: those of enum lt_column_marks that hold */
static inline bool lt_column_is_there(const struct lt_column *c, unsigned int conditions)
{
	const unsigned int outputs = LT_COLUMN_LINES | LT_COLUMN_FLEET | LT_COLUMN_SQL;

	return (c->marks & LT_COLUMN_LINES || !(c->marks & outputs)) &&
	       !(c->marks & LT_COLUMN_CONDITIONS & ~conditions);
}

/*
 * The column of a name, without its unit at the end ("_ns") too, or headed so in text; NULL: none.
 */
const struct lt_column *lt_columns_find(const struct lt_row_kind *kind, unsigned int conditions,
					const char *name);

/**
 * lt_columns_named() - the column that a user means
 * @option: that has the name: "sort"
 * Return: NULL after reporting that there is none, with the nearest one and all of them.
 */
const struct lt_column *lt_columns_named(const struct lt_row_kind *kind, unsigned int conditions,
					 const char *option, const char *name);

/* That of --sort, which may be any column, there or not. */
const struct lt_column *lt_columns_sort(const struct lt_row_kind *kind, const char *name);

/* Where words are asked for: gives the names, and ends the program. */
void lt_columns_offer(const struct lt_row_kind *kind, bool list);

/* Whether the names of --columns are names of columns, each one once; reports what is wrong. */
bool lt_columns_check(const struct lt_row_kind *kind, unsigned int conditions, const char *names);

/**
 * lt_table_columns() - give a table its columns, until lt_table_end()
 * @names: for which lt_columns_check() was true; NULL: those that the format has
 */
void lt_table_columns(struct lt_table *t, const struct lt_row_kind *kind, unsigned int conditions,
		      const char *names);

/* Prints name, type and meaning of all columns of a kind of row. */
void lt_columns_help(const struct lt_row_kind *kind, unsigned int conditions, struct lt_out *out,
		     enum lt_format format);

#endif /* LT_FORMS_COLUMNS_H */
