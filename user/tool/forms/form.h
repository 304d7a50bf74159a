/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Forms: how rows of any table become bytes. A form is one struct of callbacks, which has no part
 * that depends on what the rows are; struct lt_table (forms/table.h) calls it.
 */
#ifndef LT_FORMS_FORM_H
#define LT_FORMS_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "rows/column.h"

/* The words of --format, in the order of lt_form_names. */
enum lt_format {
	LT_FORMAT_TEXT,
	LT_FORMAT_CSV,
	LT_FORMAT_JSON,
	LT_FORMAT_JSONL,
	LT_FORMAT_SQL,
	LT_FORMAT_TSV,
	LT_FORMAT_PARQUET,
	LT_N_FORMATS,
};

/* Of files of tables: higher when a column changes its meaning or disappears. */
#define LT_ROWS_VERSION	"1"

struct lt_table;

/**
 * struct lt_form - how rows become bytes
 * @name: word of --format
 * @begin: before the first row; what the form keeps goes to @t->state
 * @value: the next value of a row; those of a row come in the order of the columns
 * @row: the row is complete
 * @note: see lt_table_note(); NULL: the form has none
 * @end: no row follows; frees @t->state
 */
struct lt_form {
	const char *name;
	void (*begin)(struct lt_table *t);
	void (*value)(struct lt_table *t, size_t column, const struct lt_value *v);
	void (*row)(struct lt_table *t);
	void (*note)(struct lt_table *t, const char *text);
	void (*end)(struct lt_table *t);
};

extern const struct lt_form lt_form_text, lt_form_csv, lt_form_json, lt_form_jsonl, lt_form_sql,
			    lt_form_tsv, lt_form_parquet;

/* By enum lt_format. */
extern const struct lt_form *const lt_forms[LT_N_FORMATS];

/* value.c */

#define LT_SIGNIFICANT	0.05	/* a smaller probability is no chance */
#define LT_VALUE_CELL	512	/* bytes of a cell for people; longer text is cut */

/* A value for people. */
void lt_value_human(const struct lt_value *v, char cell[LT_VALUE_CELL]);

/* One value as text for people, or as a field of CSV or a value of JSON. */
void lt_value_print(struct lt_out *o, enum lt_format format, const struct lt_value *v);

/* A number without a unit: whole ones as such. */
void lt_value_number(struct lt_out *o, double d);

/* Text as a field of CSV, quoted if necessary. */
void lt_csv_text(struct lt_out *o, const char *text, size_t len);

/*
 * Text as one line of UTF-8: a backslash is \\, a control character or a byte that is not part of
 * UTF-8 \\xHH, and @quote is doubled.
 */
void lt_value_escaped(struct lt_out *o, const char *text, size_t len, char quote);
/* That, without quotes, as @size bytes to be freed. */
char *lt_value_escaped_copy(const char *text, size_t len, size_t *size);

/* For sorting: -1, 0 or 1; NONE is less than every other value, NS less than OVER_NS. */
int lt_value_compare(const struct lt_value *a, const struct lt_value *b);

/* What a database has for a type. */
enum lt_storage { LT_STORAGE_INT, LT_STORAGE_REAL, LT_STORAGE_TEXT };
enum lt_storage lt_value_storage(enum lt_value_type type);

/* Whether there is a value; else a database has NULL. */
bool lt_value_is_known(const struct lt_value *v);

/* A known value of LT_STORAGE_INT; one beyond INT64_MAX becomes that. */
int64_t lt_value_int(const struct lt_value *v);

/**
 * struct lt_value_text - the text of a value of LT_STORAGE_TEXT
 * @text: @len bytes
 * @to_free: may be NULL
 */
struct lt_value_text {
	const char *text;
	size_t len;
	char *to_free;
	char buf[24];
};

void lt_value_string(const struct lt_value *v, struct lt_value_text *t);

#endif /* LT_FORMS_FORM_H */
