/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of an SQL export.
 */
#ifndef LT_EXPORT_SQL_TABLES_H
#define LT_EXPORT_SQL_TABLES_H

#include "base/out.h"
#include "forms/sqlwriter.h"
#include "rows/column.h"

/* What rows refer to, and what the trace says of itself. */
extern const struct lt_sql_table lt_sql_trace, lt_sql_cache, lt_sql_site, lt_sql_task, lt_sql_gfp,
	lt_sql_frame;

/**
 * struct lt_sql_kind - a kind of row as a table
 * @table: an id, then the columns
 * @columns: the latter, @n of them
 * @id: of the latest row
 */
struct lt_sql_kind {
	struct lt_sql_table table;
	const struct lt_column **columns;
	size_t n;
	uint64_t id;
};

void lt_sql_kind_init(struct lt_sql_kind *k, const struct lt_row_kind *kind);
void lt_sql_kind_destroy(struct lt_sql_kind *k);

/* CREATE VIEW of the table with names instead of numbers: `lifetimes` of the table `lifetime`. */
void lt_sql_put_view(struct lt_out *o, const struct lt_sql_kind *k);

/* Indexes and sums, when all rows are there. */
extern const char lt_sql_views[];

#endif /* LT_EXPORT_SQL_TABLES_H */
