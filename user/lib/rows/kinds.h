/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All kinds of rows that tables of a fleet have: T(NAME, kind, by which ClickHouse sorts a
 * partition). TRACE is last: it is always made.
 */
#ifndef LT_ROWS_KINDS_H
#define LT_ROWS_KINDS_H

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

#endif /* LT_ROWS_KINDS_H */
