// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of tables as text of SQL, of which the program sqlite3 makes a database.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "forms/sqlwriter.h"

#define PER_INSERT	250	/* rows of a statement */
#define LINE		100	/* characters of a line of CREATE TABLE */

/**
 * struct text - a writer of text
 * @table: of the statement that is being written; NULL: none
 * @n: rows of it
 * @first: no value of the row was written yet
 */
struct text {
	struct lt_sql sql;
	struct lt_out out;
	const struct lt_sql_table *table;
	uint64_t n;
	bool first;
};

static struct lt_out *out_of(struct lt_sql *q)
{
	return &((struct text *)q)->out;
}

void lt_sql_put_create(struct lt_out *o, const struct lt_sql_table *t)
{
	size_t used = strlen(t->name) + 14;

	lt_out_str(o, "CREATE TABLE ");
	lt_out_str(o, t->name);
	lt_out_char(o, '(');
	for (size_t i = 0; i < t->n; i++) {
		size_t len = strlen(t->columns[i].name) + strlen(t->columns[i].type) + 3;

		if (i)
			lt_out_str(o, used + len > LINE ? ",\n  " : ", ");
		used = i && used + len > LINE ? len + 2 : used + len;
		lt_out_str(o, t->columns[i].name);
		lt_out_char(o, ' ');
		lt_out_str(o, t->columns[i].type);
	}
	if (t->key) {
		lt_out_str(o, ",\n  ");
		lt_out_str(o, t->key);
	}
	lt_out_str(o, t->key ? ") WITHOUT ROWID;\n" : ");\n");
}

static void text_create(struct lt_sql *q, const struct lt_sql_table *t)
{
	lt_sql_put_create(out_of(q), t);
}

static void end_table(struct text *q)
{
	if (q->table)
		lt_out_str(&q->out, ";\n");
	q->table = NULL;
}

/* Rows are in as few statements as are reasonable. */
static void text_row(struct lt_sql *sql, const struct lt_sql_table *t)
{
	struct text *q = (struct text *)sql;

	q->first = true;
	if (q->table == t && q->n++ % PER_INSERT) {
		lt_out_str(&q->out, ",\n(");
		return;
	}
	if (q->table)
		lt_out_str(&q->out, ";\n");
	if (q->table != t)
		q->n = 1;
	q->table = t;
	lt_out_str(&q->out, "INSERT INTO ");
	lt_out_str(&q->out, t->name);
	lt_out_str(&q->out, " VALUES\n(");
}

/* Where the next value goes. */
static struct lt_out *value(struct lt_sql *sql)
{
	struct text *q = (struct text *)sql;

	if (!q->first)
		lt_out_char(&q->out, ',');
	q->first = false;
	return &q->out;
}

static void text_null(struct lt_sql *q)
{
	lt_out_str(value(q), "NULL");
}

static void text_integer(struct lt_sql *q, int64_t v)
{
	lt_out_s64(value(q), v);
}

static void text_text(struct lt_sql *q, const char *s, size_t len)
{
	struct lt_out *o = value(q);

	lt_out_char(o, '\'');
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\'')
			lt_out_char(o, '\'');
		lt_out_char(o, s[i]);
	}
	lt_out_char(o, '\'');
}

static void text_row_end(struct lt_sql *q)
{
	lt_out_char(out_of(q), ')');
}

static void text_run(struct lt_sql *q, const char *statements)
{
	end_table((struct text *)q);
	lt_out_str(out_of(q), statements);
}

/* Without COMMIT, nothing is left in the database of what was read. */
static int text_close(struct lt_sql *q, bool whole)
{
	int err;

	text_run(q, whole ? "COMMIT;\n" : "");
	err = lt_out_close(out_of(q));
	free(q);
	return err;
}

struct lt_sql *lt_sql_text(int fd, const char *path)
{
	static const struct lt_sql_ops ops = {
		.create = text_create, .row = text_row, .null = text_null,
		.integer = text_integer, .text = text_text, .row_end = text_row_end,
		.run = text_run, .close = text_close,
	};
	struct text *q = lt_alloc(sizeof(*q));

	q->sql.ops = &ops;
	q->out = (struct lt_out)LT_OUT_NAMED(fd, path);
	/* The file can be made again, so that it need not wait for the disk. */
	lt_out_str(&q->out, "PRAGMA synchronous=OFF;\nBEGIN;\n");
	return &q->sql;
}

/* ------------------------------------------------------------------------
 * Both ways
 */

void lt_sql_create(struct lt_sql *q, const struct lt_sql_table *t)
{
	q->ops->create(q, t);
}

void lt_sql_row(struct lt_sql *q, const struct lt_sql_table *t)
{
	q->ops->row(q, t);
}

void lt_sql_null(struct lt_sql *q)
{
	q->ops->null(q);
}

void lt_sql_int(struct lt_sql *q, int64_t v)
{
	q->ops->integer(q, v);
}

void lt_sql_str(struct lt_sql *q, const char *s, size_t len)
{
	q->ops->text(q, s, len);
}

void lt_sql_row_end(struct lt_sql *q)
{
	q->ops->row_end(q);
}

void lt_sql_run(struct lt_sql *q, const char *statements)
{
	q->ops->run(q, statements);
}

int lt_sql_close(struct lt_sql *q, bool whole)
{
	return q->ops->close(q, whole);
}
