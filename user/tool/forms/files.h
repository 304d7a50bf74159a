/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of a fleet: rows, in files of a format by table, date and host, so that the exports of all
 * traces of all machines can go into one directory:
 *
 *	DIR/TABLE/date=2026-11-23/host=NAME/BOOT-SESSION-0.SUFFIX
 *
 * The name of a file is made from what the trace is, so that exporting it once more replaces its
 * files, and adds nothing twice. A file has its name when all of the export is done, and is on the
 * disk.
 */
#ifndef LT_FORMS_FILES_H
#define LT_FORMS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_ROWS_VERSION	"1"	/* higher when a column changes its meaning or disappears */
#define LT_ROWS_HOST	80	/* bytes of a host that are in the name of a folder */

enum lt_rows_type {
	LT_ROWS_INT,
	LT_ROWS_TEXT,
	LT_ROWS_INTS,		/* never null */
};

struct lt_rows_column {
	const char *name;
	enum lt_rows_type type;
	bool optional;
};

struct lt_rows_table {
	const char *name;
	const struct lt_rows_column *columns;
	size_t n;
};

/**
 * struct lt_rows_format - how rows become bytes
 * @suffix: of names of files, with its dot
 * @open: begins a file, to be written to @fd; @date and @host must stay
 * @null, @integer, @text, @integers: the value of the column number @column; in order
 * @row: the row is complete. Returns 0, or an errno.
 * @close: writes the rest, and frees. Returns 0, or an errno.
 */
struct lt_rows_format {
	const char *suffix;
	void *(*open)(int fd, const struct lt_rows_table *table, const char *date,
		      const char *host);
	void (*null)(void *file, size_t column);
	void (*integer)(void *file, size_t column, int64_t v);
	void (*text)(void *file, size_t column, const char *s, size_t len);
	void (*integers)(void *file, size_t column, const int64_t *v, size_t n);
	int (*row)(void *file);
	int (*close)(void *file);
};

/* Apache Parquet, and TabSeparated of ClickHouse. */
extern const struct lt_rows_format lt_rows_parquet, lt_rows_tsv;

struct lt_rows;

/**
 * lt_rows_new() - begin the tables of a trace
 * @dir: exists
 * @host: any text
 * @stem: the begin of names of files: letters, digits and - only
 */
struct lt_rows *lt_rows_new(const struct lt_rows_format *format, const char *dir,
			    const char *host, const char *stem);

/* Begins a row of a day, counted from 1970. Return: 0, or -1 after printing what is wrong. */
int lt_rows_begin(struct lt_rows *r, const struct lt_rows_table *table, uint64_t day);

/* The values of the row, one for each column, in their order. */
void lt_rows_null(struct lt_rows *r);
void lt_rows_int(struct lt_rows *r, int64_t v);
void lt_rows_count(struct lt_rows *r, uint64_t v);	/* at most INT64_MAX is written */
void lt_rows_text(struct lt_rows *r, const char *s, size_t len);
void lt_rows_ints(struct lt_rows *r, const int64_t *v, size_t n);

/* The row is complete. Return: 0, or -1 after printing what is wrong. */
int lt_rows_end(struct lt_rows *r);

/*
 * Closes all files and gives them their names, in a thread; rows that follow go into others.
 * Return: 0, or -1 after printing what is wrong.
 */
int lt_rows_publish(struct lt_rows *r);

/* Return: 0, or -1 after printing what went wrong in that thread. Does not wait for it. */
int lt_rows_check(struct lt_rows *r);

/**
 * lt_rows_finish() - close all files, give them their names, and free
 * @failed: remove them instead, but for those that have their names
 * Return: 0, or -1 after printing what is wrong.
 */
int lt_rows_finish(struct lt_rows *r, bool failed);

#endif /* LT_FORMS_FILES_H */
