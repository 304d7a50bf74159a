/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cutting a recording into parts: what a part says of what was before it.
 */
#ifndef LT_TRACE_PART_H
#define LT_TRACE_PART_H

#include "base/str.h"
#include "trace/trace.h"

/**
 * lt_trace_units() - the clock's reading at a time of the trace
 * @ns: the time
 * @near: where the search begins
 * Return: the first one of that time or later; lt_trace_ns() of it is @ns, if @ns is the time of
 * an event. UINT64_MAX stays.
 */
uint64_t lt_trace_units(const struct lt_trace *t, uint64_t ns, uint64_t near);

/* The latest reading up to @units that is the first one of its time in ns: a trace can be cut. */
uint64_t lt_trace_cut_before(const struct lt_trace *t, uint64_t units);

/* Adds the line of PART that is equal in all files of a session, and in no other: "set=…". */
void lt_trace_describe_set(struct lt_str *text, const struct lt_trace *t);

/**
 * lt_trace_describe_cut() - what the text PART of a new part says of the streams
 * @text: gets lines
 * @t: of which all events before @cut were taken, and none since
 * @cut: clock units
 *
 * For each stream the packet before the first one that ends at or behind the cut, with its
 * counters; and up to when events were lost.
 */
void lt_trace_describe_cut(struct lt_str *text, const struct lt_trace *t, uint64_t cut);

/* Adds the lines "gap=…" of the trace about times in [@from, @until), clock units. */
void lt_trace_describe_gaps(struct lt_str *text, const struct lt_trace *t, uint64_t from,
			    uint64_t until);

/*
 * Adds lines "unseen=…" of streams of which it is known since the trace was opened that events
 * are missing up to its end. @t: no event of it was taken; @until: clock units
 */
void lt_trace_describe_unseen(struct lt_str *text, const struct lt_trace *t, uint64_t until);

/**
 * lt_trace_live_part() - make a live trace one that goes on behind a cut
 * @t: new, with its clock, and with PART of the file that begins there (lt_trace_add_text())
 *
 * What it carries (lt_trace_carried()) is pushed by lt_trace_push_state(), then packets that end
 * at or behind the cut.
 */
void lt_trace_live_part(struct lt_trace *t);
void lt_trace_push_state(struct lt_trace *t, const void *packet, size_t size);

/* How many tasks and stacks a trace has. It forgets none on its own, however long it lives. */
size_t lt_trace_n_known(const struct lt_trace *t);

/* What the headers of all packets have in common, and their session. NULL: there is no packet. */
const struct lt_packet *lt_trace_machine(const struct lt_trace *t);
const struct lt_schema *lt_trace_schema(const struct lt_trace *t);

/* What lt_trace_dir() is the directory of; NULL: it is live. */
const struct lt_file *lt_trace_file(const struct lt_trace *t);

/* As lt_trace_stack(), with the frames of the page allocator. */
struct lt_stack lt_trace_whole_stack(const struct lt_trace *t, uint32_t number);

#endif /* LT_TRACE_PART_H */
