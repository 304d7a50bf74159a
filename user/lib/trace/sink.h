/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Receivers of the events of a running session.
 */
#ifndef LT_LIB_SINK_H
#define LT_LIB_SINK_H

#include "trace/trace.h"

struct lt_lifetimes;

/**
 * struct lt_sink - receives the events of a running session, in order of time
 * @begin: before the first event; the trace has its INFO, SCHEMA, CLOCK, EVENTS,
 *	SYMBOLS and MODULES texts
 * @event: one event, as from lt_trace_next()
 * @end: after the last event or a failure, once for each @begin that was called;
 *	frees what @begin has allocated
 *
 * @some: NULL, or of a file faster than @event: the next @n events, as lt_pass.some
 * @plain: NULL, or with @some: of a file, as lt_pass.plain
 * @step: NULL, or called often, at least every 100 ms, also without events
 * @fd: with @step: it is called soon when this can be read; -1: none
 * @before_names: NULL, or called before the trace gets other symbols, by which what was recorded
 *	so far may have another name
 * @renew: set by the recorder, NULL: there is none. For @event to call, before it handles the
 *	event: the trace gets the symbols, modules and cgroups of now, if they have changed.
 * @recorder: for @renew
 * @also: set by the recorder, NULL: there is none: another table of the trace
 *
 * Each returns 0, or -1 after lt_error(): then the recording is stopped, and only @end
 * is called. So it is if @event or @step return 1: enough was seen, which is no failure.
 */
struct lt_sink {
	int (*begin)(struct lt_sink *sink, struct lt_trace *t);
	int (*event)(struct lt_sink *sink, const struct lt_event *ev);
	int (*end)(struct lt_sink *sink);
	int (*some)(struct lt_sink *sink, const struct lt_event *evs, size_t n);
	int (*plain)(struct lt_sink *sink, const struct lt_plain_event *evs, size_t n);
	int (*step)(struct lt_sink *sink);
	int fd;
	void (*before_names)(struct lt_sink *sink);
	void (*renew)(void *recorder);
	void *recorder;
	const struct lt_lifetimes *also;
};

#endif /* LT_LIB_SINK_H */
