/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pass over the events of a trace. Everything that reads events reads them through this.
 */
#ifndef LT_TRACE_PASS_H
#define LT_TRACE_PASS_H

#include "format/plain.h"
#include "trace/sink.h"
#include "trace/trace.h"

#define LT_PASS_MAX	128	/* events at a time */

/**
 * struct lt_pass - takes the events of a trace, in order of time
 * @event: each event, as from lt_trace_next()
 * @some: NULL, or instead of @event: the next @n events, as from lt_trace_next_some(); @n may be 0
 * @plain: NULL, or is called instead for events from lt_trace_next_plain(), up to LT_PASS_MAX of
 *	them. With @some announcements of sites and stacks are no events, and records of memory in
 *	the full form are plain, too
 * @announced: without @some: @plain gets announcements of sites and stacks, too, with where their
 *	records are, see lt_trace_announced()
 * @slow: @plain does more than reading the events takes: where threads are allowed and it is
 *	faster, a second thread reads ahead. Callbacks are called by the caller's thread as ever.
 * @arg: passed to all
 *
 * Each returns 0 to go on. 1: enough was seen; -1: failed, after lt_error().
 */
struct lt_pass {
	int (*event)(void *arg, const struct lt_event *ev);
	int (*some)(void *arg, const struct lt_event *evs, size_t n);
	int (*plain)(void *arg, const struct lt_plain_event *evs, size_t n);
	bool announced;
	bool slow;
	void *arg;
};

/**
 * lt_trace_pass() - take the events that a trace has now
 * @t: live: up to the watermark. Another call goes on behind the last event that was taken.
 * Return: what the callback has returned, 0 at the end.
 */
int lt_trace_pass(struct lt_trace *t, const struct lt_pass *pass);

/* merge.c */

/**
 * lt_trace_announced() - the record of an announcement, from a pass with @announced
 * @desc: its event
 * @payload: valid, as what is returned, until the callback returns
 *
 * Return: its packet.
 */
const struct lt_packet *lt_trace_announced(const struct lt_trace *t,
					   const struct lt_plain_event *ev,
					   const struct lt_event_desc **desc,
					   const uint8_t **payload);

/**
 * lt_sink_read() - a sink takes a file
 * @t: NULL: it could not be opened: the sink only ends
 * Return: 0, or -1 after lt_error().
 */
int lt_sink_read(struct lt_sink *sink, struct lt_trace *t);

#endif /* LT_TRACE_PASS_H */
