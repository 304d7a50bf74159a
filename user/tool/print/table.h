/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables: a column is a small struct; the same columns give text for people,
 * CSV and JSON.
 *
 * For people, sizes and times have units, and columns are as wide as needed.
 * CSV and JSON have raw numbers (bytes, ns, per second, percent).
 *
 * CSV is that of RFC 4180, but for the line ends, which are a newline alone. In
 * text, a backslash is written \\, and a control character (a newline too) or a
 * byte that is not part of UTF-8 is written \xHH: so a record is one line, the
 * file is UTF-8, and the bytes can be told. A value that is not known is empty.
 *
 * JSON is one object a row, text as lt_out_json() writes it. A value that is not
 * known is null.
 */
#ifndef LT_LIB_TABLE_H
#define LT_LIB_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

enum lt_format {
	LT_FORMAT_TEXT,
	LT_FORMAT_CSV,
	LT_FORMAT_JSON,
};

enum lt_value_type {
	LT_VALUE_NONE,		/* not known */
	LT_VALUE_COUNT,
	LT_VALUE_SIGNED,
	LT_VALUE_BYTES,
	LT_VALUE_NS,		/* a duration */
	LT_VALUE_TIME,		/* ns on the trace's clock */
	LT_VALUE_HEX,
	LT_VALUE_RATE,		/* a second */
	LT_VALUE_PERCENT,
	LT_VALUE_TEXT,
};

struct lt_value {
	enum lt_value_type type;
	uint64_t u;		/* COUNT, BYTES, NS, TIME, HEX */
	int64_t i;		/* SIGNED */
	double d;		/* RATE, PERCENT */
	const char *text;	/* TEXT, @len bytes */
	size_t len;
};

/**
 * struct lt_table_column - one column
 * @name: in CSV and JSON, and for --sort
 * @header: for people
 * @left: text for people stands at the left
 * @width: for people, at least; 0: as wide as needed. Only used where rows are
 *	printed as they come.
 * @get: fills in the value; what it points to must stay until the next call of
 *	any column's @get
 */
struct lt_table_column {
	const char *name;
	const char *header;
	bool left;
	unsigned int width;
	void (*get)(const void *row, void *ctx, struct lt_value *v);
};

/**
 * struct lt_table - a table being printed
 * @indent: spaces before each line of text
 * @streaming: print rows as they come, in columns of fixed width; otherwise
 *	text is kept until lt_table_end(), to know how wide the columns are
 * The rest is private; zero it.
 */
struct lt_table {
	struct lt_out *out;
	enum lt_format format;
	const struct lt_table_column *const *columns;
	size_t n_columns;
	void *ctx;
	unsigned int indent;
	bool streaming;
	char **cells;
	size_t n_cells;
	size_t cap_cells;
};

void lt_table_begin(struct lt_table *t);	/* prints the header, if there is one */
void lt_table_row(struct lt_table *t, const void *row);
void lt_table_end(struct lt_table *t);

/* One row as a JSON object, without a newline. */
void lt_table_json(struct lt_table *t, const void *row);

/* One value in the manner of a format. */
void lt_value_print(struct lt_out *o, enum lt_format format, const struct lt_value *v);

/* Text as in CSV, quoted where needed. */
void lt_csv_text(struct lt_out *o, const char *text, size_t len);

/* For sorting: -1, 0, 1; NONE is less than all else. */
int lt_value_compare(const struct lt_value *a, const struct lt_value *b);

static inline void lt_value_u(struct lt_value *v, enum lt_value_type type, uint64_t u)
{
	v->type = type;
	v->u = u;
}

static inline void lt_value_d(struct lt_value *v, enum lt_value_type type, double d)
{
	v->type = type;
	v->d = d;
}

static inline void lt_value_text(struct lt_value *v, const char *text, size_t len)
{
	v->type = LT_VALUE_TEXT;
	v->text = text;
	v->len = len;
}

#endif /* LT_LIB_TABLE_H */
