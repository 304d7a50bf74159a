/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lifetrace top: what is alive and what allocates, again and again: of a trace, of one that is
 * being written, or of a recording of its own.
 */
#ifndef LT_TOP_TOP_H
#define LT_TOP_TOP_H

#include "live/live.h"
#include "record/recorder.h"
#include "top/columns.h"

/**
 * struct lt_top_options - what is shown, and how
 * @file: the trace; "-": standard input; NULL: a recording of its own
 * @by: what the rows are
 * @sort: name of the column
 * @columns: names of --columns; NULL: those that people see, or all
 * @space: of which memory
 * @self: with what the recorder itself allocated
 * @once: one table, of all there is; of a recording of its own, of one interval
 * @format: JSON without @once: an object each interval; other forms than TEXT have @once
 * @delay_ns: an interval
 * @window_ns: as in struct lt_live_options
 * @number: rows at the most; 0: all, or with @metrics LT_TOP_METRICS
 * @metrics: write figures to this file each interval, and print nothing; NULL: do not
 * @at: of a whole file: as it was then; NULL: at its end
 * @count: end after so many intervals; 0: no limit
 * @record: of a recording of its own
 */
struct lt_top_options {
	const char *file;
	enum lt_report_by by;
	const char *sort;
	const char *columns;
	enum lt_space space;
	bool self;
	bool once;
	enum lt_format format;
	uint64_t delay_ns;
	uint64_t window_ns;
	size_t number;
	const char *metrics;
	const char *at;
	uint64_t count;
	struct lt_record_options record;
};

/* Whether the answer is a screen. */
static inline bool lt_top_on_screen(const struct lt_top_options *o)
{
	return !o->once && !o->metrics && o->format == LT_FORMAT_TEXT;
}

/* Return: an exit status. */
int lt_top_run(const struct lt_top_options *o);

#endif /* LT_TOP_TOP_H */
