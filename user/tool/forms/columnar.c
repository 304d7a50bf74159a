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

static void begin(struct lt_table *t)
{
	static const enum lt_parquet_type types[] = {
		[LT_STORAGE_INT] = LT_PARQUET_INT, [LT_STORAGE_REAL] = LT_PARQUET_DOUBLE,
		[LT_STORAGE_TEXT] = LT_PARQUET_STRING,
	};
	struct state *s = lt_alloc(sizeof(*s));

	s->columns = lt_alloc_array(t->n_columns, sizeof(*s->columns));
	for (size_t i = 0; i < t->n_columns; i++) {
		s->columns[i] = (struct lt_parquet_column){
			.name = t->columns[i]->name, .optional = true,
			.type = types[lt_value_storage(t->columns[i]->type)],
		};
	}
	/* Nothing stands before it, so that the begin of the file is its begin. */
	lt_out_flush(t->out);
	s->parquet = lt_parquet_new(t->out->fd, s->columns, t->n_columns, LT_PARQUET_ROWS);
	lt_parquet_note(s->parquet, "lifetrace.table", lt_table_name(t));
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

static void value(struct lt_table *t, size_t column, const struct lt_value *v)
{
	enum lt_storage storage = lt_value_storage(t->columns[column]->type);
	struct state *s = t->state;

	if (!lt_value_is_known(v))
		lt_parquet_null(s->parquet, column);
	else if (lt_value_storage(v->type) != storage)
		lt_fatal("column %s: its value has another type", t->columns[column]->name);
	else if (storage == LT_STORAGE_TEXT)
		put_text(s, column, v);
	else if (storage == LT_STORAGE_REAL)
		lt_parquet_double(s->parquet, column, v->d);
	else
		lt_parquet_int(s->parquet, column, lt_value_int(v));
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
