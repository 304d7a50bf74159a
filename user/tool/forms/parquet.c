// SPDX-License-Identifier: GPL-2.0
/*
 * The form Parquet: a file of the rows, on any descriptor that can be written.
 */
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "forms/table.h"
#include "parquet/parquet.h"

struct state {
	struct lt_parquet *parquet;
	struct lt_parquet_column *columns;
};

static enum lt_parquet_type type_of(const struct lt_table *t, enum lt_value_type type)
{
	static const enum lt_parquet_type types[] = {
		[LT_STORAGE_INT] = LT_PARQUET_INT, [LT_STORAGE_REAL] = LT_PARQUET_DOUBLE,
		[LT_STORAGE_TEXT] = LT_PARQUET_STRING,
	};

	if (t->strict && type == LT_VALUE_COUNTS)
		return LT_PARQUET_INTS;
	if (t->strict && type == LT_VALUE_HEX)
		return LT_PARQUET_INT;
	return types[lt_value_storage(type)];
}

static void begin(struct lt_table *t)
{
	struct state *s = lt_alloc(sizeof(*s));

	s->columns = lt_alloc_array(t->n_columns, sizeof(*s->columns));
	for (size_t i = 0; i < t->n_columns; i++) {
		s->columns[i] = (struct lt_parquet_column){
			.name = t->columns[i]->name, .type = type_of(t, t->columns[i]->type),
			.optional = !t->strict || t->columns[i]->marks & LT_COLUMN_NULL,
		};
	}
	/* Nothing stands before it, so that the begin of the file is its begin. */
	lt_out_flush(t->out);
	s->parquet = lt_parquet_new(t->out->fd, s->columns, t->n_columns, LT_PARQUET_ROWS);
	lt_parquet_note(s->parquet, "lifetrace.table", lt_table_name(t));
	if (t->strict)
		lt_parquet_note(s->parquet, "lifetrace.version", LT_ROWS_VERSION);
	t->state = s;
}

static void put_text(struct state *s, size_t column, const struct lt_value *v)
{
	struct lt_value_text text;
	size_t size;
	char *line;

	lt_value_string(v, &text);
	line = lt_value_escaped_copy(text.text, text.len, &size);
	lt_parquet_string(s->parquet, column, line, size);
	free(line);
	free(text.to_free);
}

static __attribute__((noinline)) void any_value(struct lt_table *t, size_t column,
						const struct lt_value *v)
{
	struct state *s = t->state;

	if (!lt_value_is_known(v))
		lt_parquet_null(s->parquet, column);
	else if (type_of(t, v->type) != s->columns[column].type)
		lt_fatal("column %s: its value has another type", t->columns[column]->name);
	else if (s->columns[column].type == LT_PARQUET_INT)
		lt_parquet_int(s->parquet, column, lt_value_int(v));
	else if (s->columns[column].type == LT_PARQUET_DOUBLE)
		lt_parquet_double(s->parquet, column, v->d);
	else
		put_text(s, column, v);
}

/* Of a table that is strict there may be millions. */
static void value(struct lt_table *t, size_t column, const struct lt_value *v)
{
	struct state *s = t->state;

	if (!t->strict)
		any_value(t, column, v);
	else if (v->type == LT_VALUE_SIGNED)
		lt_parquet_int(s->parquet, column, v->i);
	else if (v->type == LT_VALUE_TEXT)
		lt_parquet_string(s->parquet, column, v->text, v->len);
	else if (v->type == LT_VALUE_COUNTS)
		lt_parquet_ints(s->parquet, column, (const int64_t *)v->counts, v->len);
	else
		lt_parquet_null(s->parquet, column);
}

static void row(struct lt_table *t)
{
	struct state *s = t->state;
	int err = lt_parquet_row(s->parquet);

	if (err)
		t->out->error = err;
}

static void end(struct lt_table *t)
{
	struct state *s = t->state;
	int err = lt_parquet_finish(s->parquet);

	if (err)
		t->out->error = err;
	lt_parquet_free(s->parquet);
	free(s->columns);
	free(s);
}

const struct lt_form lt_form_parquet = {
	.name = "parquet", .begin = begin, .value = value, .row = row, .end = end,
};
