/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kinds of rows that tables have, T(NAME, kind, channel, absent, order): struct lt_row_entry
 * says what these are. TRACE is last: it is always made.
 */
#ifndef LT_ROWS_KINDS_H
#define LT_ROWS_KINDS_H

#include "rows/column.h"
#include "trace/trace.h"

#define LT_ROW_KINDS(T)									\
	T(SITE_MINUTE, minute, 0, NULL, "cache, function, host, minute")		\
	T(TASK, task, 0, NULL, "host, minute")						\
	T(LIFETIME, lifetime, 0, NULL, "host, minute")					\
	T(SYSCALL, syscall, LT_CHANNEL_SYSCALL,						\
	  "system calls were not recorded: record -e syscall records them", "host, minute") \
	T(REQUEST, request, LT_CHANNEL_SYSCALL,						\
	  "requests of io_uring were not recorded: record -e uring records them", "host, minute") \
	T(CALL, call, LT_CHANNEL_CALL,							\
	  "function calls were not recorded: record --call=NAME records those of NAME", "host, minute") \
	T(TRACE, trace, 0, NULL, "host, minute, session")

#define LT_ROW_DECLARE(name, kind, ...)	extern const struct lt_row_kind lt_rows_of_##kind;
LT_ROW_KINDS(LT_ROW_DECLARE)
#undef LT_ROW_DECLARE

#define LT_PLUS_ONE(name, ...)	+ 1
enum {
	LT_N_ROW_KINDS = 0 LT_ROW_KINDS(LT_PLUS_ONE),
};
#undef LT_PLUS_ONE

/**
 * struct lt_row_entry - a line of LT_ROW_KINDS
 * @kind: the rows
 * @channel: a row is made of events of this channel alone; 0: of something else, as lifetimes
 * @absent: for messages: a trace lacks @channel, and how to record it
 * @order: columns by which ClickHouse sorts a partition
 */
struct lt_row_entry {
	const struct lt_row_kind *kind;
	unsigned int channel;
	const char *absent;
	const char *order;
};

/* In the order of LT_ROW_KINDS. */
extern const struct lt_row_entry lt_row_kinds[LT_N_ROW_KINDS];

/* Whether a trace can have such rows: it has the channel of which they are made. */
bool lt_row_kind_recorded(const struct lt_row_entry *k, const struct lt_trace *t);

#endif /* LT_ROWS_KINDS_H */
