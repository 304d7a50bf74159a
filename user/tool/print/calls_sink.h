/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The function calls of a trace, as a command prints them.
 */
#ifndef LT_PRINT_CALLS_SINK_H
#define LT_PRINT_CALLS_SINK_H

#include "forms/table.h"
#include "print/times.h"
#include "rows/column.h"
#include "sums/filter.h"
#include "trace/sink.h"

enum lt_calls_what {
	LT_CALLS_LINES,
	LT_CALLS_GRAPH,
	LT_CALLS_SUMMARY,
	LT_CALLS_FLAME,
};

/**
 * struct lt_calls_options - which calls, and in what form
 * @columns: of --columns; NULL: all, and in text a line as C has it
 * @sort: of LT_CALLS_SUMMARY: the column; NULL: that of the time
 * @functions: only those of these names and patterns, separated by commas; NULL: all
 * @failed: only calls that returned an error
 * @min: only calls that took at least so many ns
 * @self: with calls of the recorder itself
 * @filter: only calls that it wants; NULL: all; stays the caller's
 */
struct lt_calls_options {
	enum lt_calls_what what;
	enum lt_format format;
	enum lt_times_base times;
	const char *columns;
	const struct lt_column *sort;
	const char *functions;
	bool failed;
	uint64_t min;
	bool self;
	struct lt_filter *filter;
};

/**
 * lt_calls_sink_new() - a receiver of events that prints calls
 * @o: its texts must stay
 * @fd: where to
 *
 * Its begin() fails, after a message, if no calls were recorded. end() frees it.
 */
struct lt_sink *lt_calls_sink_new(const struct lt_calls_options *o, int fd);

/* Text has lines of at most @width characters, longer ones are folded; 0: of any length. */
void lt_calls_sink_width(struct lt_sink *sink, unsigned int width);

#endif /* LT_PRINT_CALLS_SINK_H */
