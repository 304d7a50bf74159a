/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of an SQL export.
 */
#ifndef LT_EXPORT_SQLITE_H
#define LT_EXPORT_SQLITE_H

extern const char lt_sql_tables[];

/* Indexes and views; when all rows are there. */
extern const char lt_sql_views[];

#endif /* LT_EXPORT_SQLITE_H */
