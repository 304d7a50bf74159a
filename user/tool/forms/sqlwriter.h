/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of tables as SQL, or in a database of SQLite. All is one transaction: of a writer that did
 * not come to its end nothing is left.
 */
#ifndef LT_FORMS_SQLWRITER_H
#define LT_FORMS_SQLWRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

/* @type: as CREATE TABLE has it: "INTEGER REFERENCES site" */
struct lt_sql_column {
	const char *name;
	const char *type;
};

/**
 * struct lt_sql_table - a table
 * @columns: @n of them
 * @key: a constraint of the table, which has no rowid then; NULL: none
 */
struct lt_sql_table {
	const char *name;
	const struct lt_sql_column *columns;
	size_t n;
	const char *key;
};

struct lt_sql;

/* Text, to @fd; @path is its name in messages. */
struct lt_sql *lt_sql_text(int fd, const char *path);

/*
 * A database, to @fd, when it is whole. Return: NULL after printing what is wrong: without the
 * library none can be made.
 */
struct lt_sql *lt_sql_database(int fd, const char *path);

void lt_sql_create(struct lt_sql *q, const struct lt_sql_table *t);

/* Begins a row of a table, which is known by its pointer. Values follow, one for each column. */
void lt_sql_row(struct lt_sql *q, const struct lt_sql_table *t);
void lt_sql_null(struct lt_sql *q);
void lt_sql_int(struct lt_sql *q, int64_t v);
/* Without zeros and control characters. */
void lt_sql_str(struct lt_sql *q, const char *s, size_t len);
void lt_sql_row_end(struct lt_sql *q);

/* Statements, each with a semicolon and a newline behind it. */
void lt_sql_run(struct lt_sql *q, const char *statements);

/*
 * Frees the writer. @whole: what was written is all. Return: 0, or -1 after printing what is wrong,
 * now or earlier.
 */
int lt_sql_close(struct lt_sql *q, bool whole);

/* Inside: where the two ways of writing differ. */

struct lt_sql_ops {
	void (*create)(struct lt_sql *q, const struct lt_sql_table *t);
	void (*row)(struct lt_sql *q, const struct lt_sql_table *t);
	void (*null)(struct lt_sql *q);
	void (*integer)(struct lt_sql *q, int64_t v);
	void (*text)(struct lt_sql *q, const char *s, size_t len);
	void (*row_end)(struct lt_sql *q);
	void (*run)(struct lt_sql *q, const char *statements);
	int (*close)(struct lt_sql *q, bool whole);
};

struct lt_sql {
	const struct lt_sql_ops *ops;
};

/* "CREATE TABLE ...;\n" */
void lt_sql_put_create(struct lt_out *o, const struct lt_sql_table *t);

#endif /* LT_FORMS_SQLWRITER_H */
