/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kinds of rows that tables have: T(NAME, kind, by which ClickHouse sorts a
 * partition). TRACE is last: it is always made.
 */
#ifndef LT_ROWS_KINDS_H
#define LT_ROWS_KINDS_H

#include "rows/column.h"

#define LT_ROW_KINDS(T)						\
	T(SITE_MINUTE, minute, "cache, function, host, minute")	\
	T(TASK, task, "host, minute")				\
	T(LIFETIME, lifetime, "host, minute")			\
	T(SYSCALL, syscall, "host, minute")			\
	T(REQUEST, request, "host, minute")			\
	T(CALL, call, "host, minute")				\
	T(TRACE, trace, "host, minute, session")

#define LT_ROW_DECLARE(name, kind, order)	extern const struct lt_row_kind lt_rows_of_##kind;
LT_ROW_KINDS(LT_ROW_DECLARE)
#undef LT_ROW_DECLARE

#define LT_PLUS_ONE(name, kind, order)	+ 1
enum {
	LT_N_ROW_KINDS = 0 LT_ROW_KINDS(LT_PLUS_ONE),
};
#undef LT_PLUS_ONE

/**
 * struct lt_row_entry - a line of LT_ROW_KINDS
 * @kind: the rows
 * @order: columns by which ClickHouse sorts a partition
 */
struct lt_row_entry {
	const struct lt_row_kind *kind;
	const char *order;
};

/* In the order of LT_ROW_KINDS. */
extern const struct lt_row_entry lt_row_kinds[LT_N_ROW_KINDS];

#endif /* LT_ROWS_KINDS_H */
