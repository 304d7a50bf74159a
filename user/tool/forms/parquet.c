// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of a fleet as Parquet files. Date and host are in the names of folders, as Apache Hive
 * has them, and readers of that layout make columns of them; they are not in the files.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "forms/files.h"
#include "parquet/parquet.h"

/**
 * struct file - a file in the making
 * @parquet: its writer
 * @columns: of the table, as the writer has them
 */
struct file {
	struct lt_parquet *parquet;
	struct lt_parquet_column *columns;
};

static void *open_file(int fd, const struct lt_rows_table *table, const char *date,
		       const char *host)
{
	static const enum lt_parquet_type types[] = {
		[LT_ROWS_INT] = LT_PARQUET_INT, [LT_ROWS_TEXT] = LT_PARQUET_STRING,
		[LT_ROWS_INTS] = LT_PARQUET_INTS,
	};
	struct file *f = lt_alloc(sizeof(*f));

	(void)date;
	(void)host;
	f->columns = lt_alloc_array(table->n, sizeof(*f->columns));
	for (size_t i = 0; i < table->n; i++) {
		f->columns[i] = (struct lt_parquet_column){
			.name = table->columns[i].name, .type = types[table->columns[i].type],
			.optional = table->columns[i].optional,
		};
	}
	f->parquet = lt_parquet_new(fd, f->columns, table->n, LT_PARQUET_ROWS);
	lt_parquet_note(f->parquet, "lifetrace.table", table->name);
	lt_parquet_note(f->parquet, "lifetrace.version", LT_ROWS_VERSION);
	return f;
}

static void null(void *file, size_t column)
{
	lt_parquet_null(((struct file *)file)->parquet, column);
}

static void integer(void *file, size_t column, int64_t v)
{
	lt_parquet_int(((struct file *)file)->parquet, column, v);
}

static void text(void *file, size_t column, const char *s, size_t len)
{
	lt_parquet_string(((struct file *)file)->parquet, column, s, len);
}

static void integers(void *file, size_t column, const int64_t *v, size_t n)
{
	lt_parquet_ints(((struct file *)file)->parquet, column, v, n);
}

static int row(void *file)
{
	return lt_parquet_row(((struct file *)file)->parquet);
}

static int close_file(void *file)
{
	struct file *f = file;
	int err = lt_parquet_finish(f->parquet);

	lt_parquet_free(f->parquet);
	free(f->columns);
	free(f);
	return err;
}

const struct lt_rows_format lt_rows_parquet = {
	.suffix = ".parquet", .open = open_file, .null = null, .integer = integer, .text = text,
	.integers = integers, .row = row, .close = close_file,
};
