/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lifetimes as lines: from a trace, or while recording.
 */
#ifndef LT_PRINT_LIFETIMES_H
#define LT_PRINT_LIFETIMES_H

#include "forms/table.h"
#include "lifetimes/lifetime.h"
#include "lines/lines.h"
#include "print/times.h"
#include "sums/filter.h"
#include "trace/sink.h"
#include "trace/trace.h"

/**
 * lt_lifetime_sink_new() - a sink that prints lifetimes
 * @fd: descriptor to write to
 * @own: the sink's end() closes @fd
 * @filter: which lifetimes are printed, NULL: all. Of a file, end() fails if a name in it does
 *	not occur.
 * While events come, lines are written out within 100 ms, so that the reader of a pipe gets
 * them soon. The sink's end() also frees it.
 */
struct lt_sink *lt_lifetime_sink_new(int fd, bool own, enum lt_format format,
				     struct lt_filter *filter);

/* Before the sink begins: from where times count; LT_TIMES_BEGIN by default. */
/* Text has the columns that @width characters have room for, and names the others; 0: all. */
void lt_lifetime_sink_width(struct lt_sink *sink, unsigned int width);
void lt_lifetime_sink_times(struct lt_sink *sink, enum lt_times_base base);

/* Before the sink begins: only those of a space; begin() fails if that was not recorded. */
void lt_lifetime_sink_space(struct lt_sink *sink, enum lt_space space);

/* The columns of --columns: text is a table of them, too. */
void lt_lifetime_sink_columns(struct lt_sink *sink, const char *columns);

/* Before the sink begins: call sites get their source lines; @lines must stay. */
void lt_lifetime_sink_lines(struct lt_sink *sink, struct lt_lines *lines);

/**
 * lt_lifetimes_sink() - a sink that writes lifetimes as CSV, with times of the trace's clock
 * @path: file to write, "-": standard output
 * The sink's end() also frees it.
 * Return: NULL after printing what is wrong.
 */
struct lt_sink *lt_lifetimes_sink(const char *path);

#endif /* LT_PRINT_LIFETIMES_H */
