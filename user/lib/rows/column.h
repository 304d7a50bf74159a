/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Columns of rows that leave lifetrace, and the kinds of rows.
 *
 * A kind of row is one table, in which a column is one line: its name, its type, whether it may be
 * unknown, whether it is a secret, which outputs have it, what it means, and how its value is
 * found. CSV, JSON, the tables of a fleet (Parquet, ClickHouse, DuckDB), SQL and the documents
 * follow from it, in the order of the lines.
 */
#ifndef LT_ROWS_COLUMN_H
#define LT_ROWS_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/value.h"

enum lt_column_marks {
	LT_COLUMN_NULL = 1,		/* may be unknown */
	LT_COLUMN_SECRET = 2,		/* leaves only where somebody asks for addresses */
	/* Which outputs have it. A column of none of these is one of a command. */
	LT_COLUMN_LINES = 4,		/* --csv and --json of a command */
	LT_COLUMN_FLEET = 8,		/* tables of a fleet */
	LT_COLUMN_SQL = 16,		/* SQL */
	/* --csv and --json have these only with source lines, or with stacks, behind all others. */
	LT_COLUMN_IF_LINES = 32,
	LT_COLUMN_IF_STACKS = 64,
	/* A table of a command has these only of estimates. */
	LT_COLUMN_IF_ESTIMATES = 128,
	/* Nearly each row has another text, so that numbers for texts save nothing. */
	LT_COLUMN_VARIED = 256,
};

/**
 * struct lt_column - one column
 * @name: name in CSV and JSON, and for --sort and --columns
 * @header: header in text for people
 * @left: text for people is left-aligned
 * @width: minimum width in text for people; 0: as wide as needed. Used by a streaming table
 *	only.
 * @get: fills in the value, which is NONE before; what the value points to must stay valid until
 *	the next call of @get of any column
 * @type: of a value that is known
 * @marks: enum lt_column_marks
 * @meaning: what it is, in a few words
 */
struct lt_column {
	const char *name;
	const char *header;
	bool left;
	unsigned int width;
	void (*get)(const void *row, void *ctx, struct lt_value *v);
	enum lt_value_type type;
	unsigned int marks;
	const char *meaning;
};

/**
 * struct lt_row_kind - a kind of row
 * @name: of the table, where rows are in tables
 * @meaning: what a row is
 * @columns: @n of them
 * @in_place: columns that are not always there stand in their places, not behind all others
 * @people: of a table of a command: the names of those that text for people has, in their order,
 *	separated by commas; NULL: as in --csv
 */
struct lt_row_kind {
	const char *name;
	const char *meaning;
	const struct lt_column *columns;
	size_t n;
	bool in_place;
	const char *people;
};

/**
 * struct lt_row_ctx - what every getter of a kind of row in this folder finds where its ctx points
 * @addresses: somebody has asked for addresses of objects and programs, which are secrets
 *
 * The ctx of a kind begins with this member.
 */
struct lt_row_ctx {
	bool addresses;
};

/* The value of a column of a kind of row. */
static inline void lt_row_get(const struct lt_column *c, const void *row, void *ctx,
			      struct lt_value *v)
{
	v->type = LT_VALUE_NONE;
	if (!(c->marks & LT_COLUMN_SECRET) || ((const struct lt_row_ctx *)ctx)->addresses)
		c->get(row, ctx, v);
}

/**
 * lt_row_columns() - which columns an output has, in their order
 * @marks: the output, and the conditions that hold: LT_COLUMN_LINES | LT_COLUMN_IF_STACKS
 * @columns: set to pointers to them, to be freed
 * Return: how many there are.
 */
size_t lt_row_columns(const struct lt_row_kind *kind, unsigned int marks,
		      const struct lt_column ***columns);

#endif /* LT_ROWS_COLUMN_H */
