/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Apache Parquet files: tables by columns, which DuckDB, ClickHouse, Spark and others read.
 *
 * Written only, and only what tables of this project need: signed integers of 64 bits, numbers of
 * floating point, texts, and lists of integers; groups of rows with a dictionary where it is
 * smaller; zstd. Files are the same bytes for the same rows, options and version of libzstd. Memory
 * is that of one group of rows, and about 100 bytes for each column of each group that was written.
 */
#ifndef LT_PARQUET_PARQUET_H
#define LT_PARQUET_PARQUET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_PARQUET_ROWS		(1U << 16)	/* of a group */
#define LT_PARQUET_TEXT		(1U << 22)	/* bytes of a group's texts; then it ends earlier */

enum lt_parquet_type {
	LT_PARQUET_INT,
	LT_PARQUET_DOUBLE,
	LT_PARQUET_STRING,	/* UTF-8 */
	LT_PARQUET_INTS,	/* a list; never null, but perhaps empty */
};

/**
 * struct lt_parquet_column - a column
 * @name: of ASCII characters
 * @optional: its value may be null; not of LT_PARQUET_INTS
 */
struct lt_parquet_column {
	const char *name;
	enum lt_parquet_type type;
	bool optional;
};

struct lt_parquet;

/**
 * lt_parquet_new() - begin a file
 * @fd: open for writing, at its begin; is not closed
 * @columns: @n of them, one at least; must stay
 * @rows: of a group, one at least
 */
struct lt_parquet *lt_parquet_new(int fd, const struct lt_parquet_column *columns, size_t n,
				  size_t rows);

/* The value of a column in the current row. Each column gets one, in any order. */
void lt_parquet_null(struct lt_parquet *p, size_t column);
void lt_parquet_int(struct lt_parquet *p, size_t column, int64_t v);
void lt_parquet_double(struct lt_parquet *p, size_t column, double v);
void lt_parquet_string(struct lt_parquet *p, size_t column, const char *s, size_t len);
void lt_parquet_ints(struct lt_parquet *p, size_t column, const int64_t *v, size_t n);

/* The row is complete. Return: 0, or an errno when the group could not be written. */
int lt_parquet_row(struct lt_parquet *p);

/* What the file says of itself, a key and a value of UTF-8; before lt_parquet_finish(). */
void lt_parquet_note(struct lt_parquet *p, const char *key, const char *value);

/* Writes the rest. Return: 0, or an errno of this or an earlier write. */
int lt_parquet_finish(struct lt_parquet *p);

/* @p may be NULL. */
void lt_parquet_free(struct lt_parquet *p);

#endif /* LT_PARQUET_PARQUET_H */
