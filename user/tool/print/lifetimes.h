/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lifetimes as lines: from a trace, or while recording.
 */
#ifndef LT_LIB_LIFETIME_OUT_H
#define LT_LIB_LIFETIME_OUT_H

#include "lifetimes/lifetime.h"
#include "trace/sink.h"
#include "print/table.h"
#include "trace/trace.h"

/**
 * struct lt_lifetime_filter - which lifetimes are printed; zero is all
 * @min_ns: not shorter than this
 * @cache: of this cache, NULL: of any
 * @site: made by a function whose name contains this, NULL: by any
 * @certainty: bit n: print those of enum lt_certainty n; 0: all
 */
struct lt_lifetime_filter {
	uint64_t min_ns;
	const char *cache;
	const char *site;
	unsigned int certainty;
};

/**
 * lt_lifetime_sink_new() - a sink that prints lifetimes
 * @fd: where to
 * @own: its end() closes @fd
 * Lines are written out every 100 ms at the latest while events come, so that
 * the reader of a pipe sees them soon. Its end() also frees it.
 */
struct lt_sink *lt_lifetime_sink_new(int fd, bool own, enum lt_format format,
				     const struct lt_lifetime_filter *filter);

/**
 * lt_lifetimes_sink() - a sink that writes lifetimes as CSV
 * @path: file to write, "-": standard output
 * The sink's end() also frees it.
 * Return: NULL after printing what is wrong.
 */
struct lt_sink *lt_lifetimes_sink(const char *path);

/* The same as its event() for each of them, faster; of lt_trace_next_some(). */
int lt_lifetime_sink_some(struct lt_sink *sink, const struct lt_event *evs, size_t n);

#endif /* LT_LIB_LIFETIME_OUT_H */
