/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading a part of the events of a trace: those of a time, or of some kinds.
 */
#ifndef LT_TRACE_NARROW_H
#define LT_TRACE_NARROW_H

#include "trace/trace.h"

/**
 * struct lt_narrow - the events that are wanted
 * @from, @to: of this time, ns, @to not included
 * @wants: NULL, or whether events of a kind are wanted; asked once for each form of the schema,
 *	with the full form of a short one
 * @arg: passed to @wants, which is not called later
 */
struct lt_narrow {
	uint64_t from;
	uint64_t to;
	bool (*wants)(void *arg, const struct lt_event_desc *d);
	void *arg;
};

/**
 * lt_trace_narrow() - let lt_trace_next() hand out some of the events
 * @t: of a file, in order of time; no event of it was taken
 *
 * Each event is as in a pass over the whole trace: its number, task, cache and sites are the same.
 * Records that describe tasks and caches are taken wherever they stand; of packets before @from and
 * of other kinds nothing else is decoded. What begins at @to or later is not read, and damage there
 * not reported. Gaps, and the number of records of a class, have no meaning.
 */
void lt_trace_narrow(struct lt_trace *t, const struct lt_narrow *narrow);

#endif /* LT_TRACE_NARROW_H */
