// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of a fleet as text for ClickHouse, in its format TabSeparated, which all of its
 * versions read; share/lifetrace/sql has the tables. Columns are those of Parquet, with date and
 * host before them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/out.h"
#include "forms/files.h"
#include "forms/table.h"

struct file {
	struct lt_out out;
	const char *date;
	const char *host;
};

static void *open_file(int fd, const struct lt_rows_table *table, const char *date,
		       const char *host)
{
	struct file *f = lt_alloc(sizeof(*f));

	(void)table;
	*f = (struct file){ .out = LT_OUT_INIT(fd), .date = date, .host = host };
	return f;
}

/* Where the value of a column goes. */
static struct lt_out *value(struct file *f, size_t column)
{
	if (!column) {
		lt_out_str(&f->out, f->date);
		lt_out_char(&f->out, '\t');
		lt_tsv_text(&f->out, f->host, strlen(f->host));
	}
	lt_out_char(&f->out, '\t');
	return &f->out;
}

static void null(void *file, size_t column)
{
	lt_out_str(value(file, column), "\\N");
}

static void integer(void *file, size_t column, int64_t v)
{
	lt_out_s64(value(file, column), v);
}

static void text(void *file, size_t column, const char *s, size_t len)
{
	lt_tsv_text(value(file, column), s, len);
}

static void integers(void *file, size_t column, const int64_t *v, size_t n)
{
	struct lt_out *o = value(file, column);

	lt_out_char(o, '[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			lt_out_char(o, ',');
		lt_out_s64(o, v[i]);
	}
	lt_out_char(o, ']');
}

static int row(void *file)
{
	struct file *f = file;

	lt_out_char(&f->out, '\n');
	return f->out.error;
}

static int close_file(void *file)
{
	struct file *f = file;
	int err = lt_out_flush(&f->out) ? f->out.error : 0;

	free(f->out.buf);
	free(f);
	return err;
}

const struct lt_rows_format lt_rows_tsv = {
	.suffix = ".tsv", .open = open_file, .null = null, .integer = integer, .text = text,
	.integers = integers, .row = row, .close = close_file,
};
