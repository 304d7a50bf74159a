// SPDX-License-Identifier: GPL-2.0
/*
 * The form SQL: a table, and its rows, in one transaction; for sqlite3 and other databases.
 */
#include <stdlib.h>

#include "forms/table.h"

static void put_name(struct lt_out *o, const char *name)
{
	lt_out_char(o, '"');
	lt_out_str(o, name);
	lt_out_char(o, '"');
}

static void begin(struct lt_table *t)
{
	/* For sqlite all that has INT in it is an integer, and all with DOUB a real number. */
	static const char *const types[] = {
		[LT_STORAGE_INT] = " BIGINT", [LT_STORAGE_REAL] = " DOUBLE PRECISION",
		[LT_STORAGE_TEXT] = " TEXT",
	};

	lt_out_str(t->out, "BEGIN;\nCREATE TABLE ");
	put_name(t->out, lt_table_name(t));
	lt_out_str(t->out, " (");
	for (size_t i = 0; i < t->n_columns; i++) {
		if (i)
			lt_out_str(t->out, ", ");
		put_name(t->out, t->columns[i]->name);
		lt_out_str(t->out, types[lt_value_storage(t->columns[i]->type)]);
	}
	lt_out_str(t->out, ");\n");
}

static void put_text(struct lt_out *o, const struct lt_value *v)
{
	struct lt_value_text text;

	lt_value_string(v, &text);
	lt_out_char(o, '\'');
	lt_value_escaped(o, text.text, text.len, '\'');
	lt_out_char(o, '\'');
	free(text.to_free);
}

static void value(struct lt_table *t, size_t column, const struct lt_value *v)
{
	if (column) {
		lt_out_str(t->out, ", ");
	} else {
		lt_out_str(t->out, "INSERT INTO ");
		put_name(t->out, lt_table_name(t));
		lt_out_str(t->out, " VALUES (");
	}
	if (!lt_value_is_known(v))
		lt_out_str(t->out, "NULL");
	else if (lt_value_storage(v->type) == LT_STORAGE_TEXT)
		put_text(t->out, v);
	else if (lt_value_storage(v->type) == LT_STORAGE_REAL)
		lt_value_print(t->out, LT_FORMAT_CSV, v);
	else
		lt_out_s64(t->out, lt_value_int(v));
}

static void row(struct lt_table *t)
{
	lt_out_str(t->out, ");\n");
}

static void end(struct lt_table *t)
{
	lt_out_str(t->out, "COMMIT;\n");
}

const struct lt_form lt_form_sql = {
	.name = "sql", .begin = begin, .value = value, .row = row, .end = end,
};
