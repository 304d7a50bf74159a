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

#include "forms/form.h"

#define LT_ROWS_HOST	80	/* bytes of a host that are in the name of a folder */

#define LT_ROWS_DATED	2	/* columns that a table begins with: date and host */

/**
 * struct lt_rows_table - a table
 * @columns: @n of them, the first ones for what the names of folders have. They are in the files of
 *	TSV alone: of Parquet, readers make columns of the folders.
 */
struct lt_rows_table {
	const char *name;
	const struct lt_column *const *columns;
	size_t n;
};

struct lt_rows;

/**
 * lt_rows_new() - begin the tables of a trace
 * @format: LT_FORMAT_PARQUET, or LT_FORMAT_TSV: TabSeparated of ClickHouse
 * @dir: exists
 * @host: any text
 * @stem: the begin of names of files: letters, digits and - only
 */
struct lt_rows *lt_rows_new(enum lt_format format, const char *dir, const char *host,
			    const char *stem);

/*
 * Begins a row of a day, counted from 1970. Return: the table, a strict one, whose form takes the
 * values of all columns behind those of the folders; NULL after printing what is wrong.
 */
struct lt_table *lt_rows_begin(struct lt_rows *r, const struct lt_rows_table *table, uint64_t day);

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
