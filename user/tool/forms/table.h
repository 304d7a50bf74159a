/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables. A column is a small struct; a form (forms/form.h) makes bytes of its values.
 *
 * For people, sizes and times have units, and columns are as wide as needed.
 * All other forms have raw numbers (bytes, ns, per second, percent).
 *
 * CSV is that of RFC 4180, except that lines end in a newline alone. In text a backslash is
 * written \\, and a control character (newlines included) or a byte that is not part of UTF-8
 * is written \xHH: so a record is one line, the file is UTF-8, and a reader can restore the
 * bytes. A value that is not known is empty.
 *
 * JSON is one object for each row, with text as lt_out_json() writes it. A value that is not
 * known is null.
 *
 * SQL and Parquet have text as CSV has it, TSV as ClickHouse does, with all of its bytes. Addresses
 * are text, since they exceed 63 bits. A value that is not known is NULL.
 */
#ifndef LT_FORMS_TABLE_H
#define LT_FORMS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "forms/form.h"

/*
 * Of the names in JSON and CSV, which output.rst lists. Higher when a name changes its meaning or
 * disappears; a new name changes nothing.
 */
#define LT_SCHEMA_VERSION	2

struct lt_json;

/**
 * struct lt_table - a table being printed
 * @indent: spaces before each line of text
 * @streaming: print rows as they come, in columns of fixed width; otherwise lt_table_end()
 *	prints text for people, in columns as wide as their cells
 * @max_width: characters in a line of text that is not streaming; columns that do not fit are
 *	left out, from the right, but for the first three, and named in a last line. 0: as many as
 *	@out has, and if that has a width, @cut
 * @cut: cells of the first column, and of a second one that is left-aligned, are cut to fit into
 *	@max_width
 * @resolve: of columns of a kind of row: makes a value one of the types up to LIST, with
 *	@resolve_arg; NULL: all are
 * @name: of the table, where rows are in tables; NULL: "rows"
 * @json: with an array open, whose elements rows of JSON are, each on a line; NULL: an object a
 *	line
 * @leave_out: an object of JSON has no members that are not known
 * @strict: a file of a set, whose readers have the columns from elsewhere: TSV has no header,
 *	Parquet says which columns are always known, COUNTS are an array, an address is an integer.
 *	Values are resolved: a text is UTF-8, as it is to be read; a number is SIGNED.
 * @owned: the array @columns, which lt_table_end() frees; NULL: it is somebody else's
 * The rest is private and starts as zero.
 */
struct lt_table {
	struct lt_out *out;
	enum lt_format format;
	const struct lt_column *const *columns;
	size_t n_columns;
	void *ctx;
	unsigned int indent;
	bool streaming;
	unsigned int max_width;
	bool cut;
	void (*resolve)(void *arg, struct lt_value *v);
	void *resolve_arg;
	const struct lt_column **owned;
	const char *name;
	struct lt_json *json;
	bool leave_out;
	bool strict;
	void *state;
};

/* The name of the table. */
static inline const char *lt_table_name(const struct lt_table *t)
{
	return t->name ? t->name : "rows";
}

/* A text, as the value of a column. */
static inline void lt_table_text(struct lt_table *t, size_t column, const char *s)
{
	struct lt_value v;

	lt_value_text(&v, s, strlen(s));
	lt_forms[t->format]->value(t, column, &v);
}

void lt_table_begin(struct lt_table *t);	/* prints the header, if the format has one */
void lt_table_row(struct lt_table *t, const void *row);
/* A line of text for people below the last row, of any length; other forms do not have it. */
void lt_table_note(struct lt_table *t, const char *text);
void lt_table_end(struct lt_table *t);

/*
 * The values of a row as members of the object that is open in @t->json, which stays open for what
 * no column has. Needs no begin.
 */
void lt_table_members(struct lt_table *t, const void *row);

#endif /* LT_FORMS_TABLE_H */
