/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When events of a trace were lost. Users include "trace/trace.h".
 */
#ifndef LT_TRACE_GAPS_H
#define LT_TRACE_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/lifetrace.h"
#include "format/event.h"

struct lt_trace;

#define LT_ANY_CPU	UINT32_MAX

/**
 * struct lt_gap - an interval in which events of one CPU and channel were lost
 * @begin: the events up to here are complete, ns
 * @end: the events from here on are complete, ns; UINT64_MAX: none
 * @cpu: the CPU; LT_ANY_CPU: any one
 * @channel: the channel
 * @lost: lost events, entry i of the class LT_CLASS(channel, i); all zero if their number
 *	is not known (a packet is missing or damaged, or the stream ends too early)
 * @nested: of these, those that are counted as lost_nested
 */
struct lt_gap {
	uint64_t begin;
	uint64_t end;
	uint32_t cpu;
	unsigned int channel;
	uint64_t lost[LT_N_CLASSES];
	uint64_t nested;
};

/**
 * lt_trace_gap_end() - the end of the latest gap that began before now
 * @t: the trace
 * @space: counts the gaps that lost events of this space, or an unknown part of its
 *	channel; LT_SPACE_NONE: all gaps
 *
 * An object that was born at time b and whose end is the current event lived
 * through a gap if, and only if, the returned time is greater than b.
 *
 * Return: ns, 0: no gap yet.
 */
uint64_t lt_trace_gap_end(const struct lt_trace *t, enum lt_space space);
/* By space, until lt_trace_close(): it goes on with the events. */
const uint64_t *lt_trace_gap_table(const struct lt_trace *t);
/* lt_trace_gap_end() of each space of memory. */
void lt_trace_gap_ends(const struct lt_trace *t, uint64_t end[LT_N_MEMORY]);

/**
 * lt_trace_gap_over() - the gap that makes a lifetime uncertain
 * @space: as for lt_trace_gap_end()
 * @begin, @end: birth and death, ns; 0: the birth was not seen
 * Return: the latest gap that had begun by the death; NULL: none. Valid until the next event.
 */
const struct lt_gap *lt_trace_gap_over(const struct lt_trace *t, enum lt_space space,
				       uint64_t begin, uint64_t end);

/*
 * Of a live trace that has no end: gaps are not kept once they have begun, unless
 * lt_trace_new_gaps() is called from time to time, and has not handed them out yet.
 * lt_trace_gap_end() and lt_trace_n_gaps() are right; lt_trace_gaps() and lt_trace_gap_over() do
 * not know those gaps.
 */
void lt_trace_forget_gaps(struct lt_trace *t);

/* All gaps that were found so far, in the order of their discovery. */
size_t lt_trace_gaps(const struct lt_trace *t, const struct lt_gap **gaps);

/* The gaps that were found since the last call, or the first event. Valid until the next event. */
size_t lt_trace_new_gaps(struct lt_trace *t, const struct lt_gap **gaps);

/* How many gaps were found so far, with those that were forgotten. */
uint64_t lt_trace_n_gaps(const struct lt_trace *t);

#endif /* LT_TRACE_GAPS_H */
