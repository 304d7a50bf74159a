/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * counted.c: what a packet has, and what its counters say that it has.
 */
#ifndef LT_TRACE_COUNTED_H
#define LT_TRACE_COUNTED_H

#include "trace/internal.h"

/*
 * Whether the records of a packet are those that its counters say it has, which is reported. This
 * must be known before the first of them is handed out, or lifetimes that end within the packet
 * would be taken for exact. @missing: packets are missing before it, which may have had any number
 */
bool lt_stream_adds_up(struct lt_trace *t, struct lt_stream *s, const struct lt_packet *p,
		       bool missing);

/* Whether cumulative counters are lower than they were. */
bool lt_counts_lower(const struct lt_class_counts *c, const struct lt_class_counts *prev);

/*
 * Whether a packet follows the one before it, adds up, and nothing was lost: lt_gap_packet() adds
 * no gap and says nothing. What is counted for that is not counted again.
 */
bool lt_stream_follows(const struct lt_trace *t, struct lt_stream *s, const struct lt_packet *p);

#endif /* LT_TRACE_COUNTED_H */
