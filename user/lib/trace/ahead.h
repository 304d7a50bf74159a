/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace whose plain events a second thread reads ahead of those that are handed out, see pass.c.
 */
#ifndef LT_TRACE_AHEAD_H
#define LT_TRACE_AHEAD_H

#include "trace/feeder.h"
#include "trace/internal.h"

/*
 * Called by the first thread before it uses what the second one changes: where the streams are, and
 * how many records were read. The second one makes a pause then, until all that it has read is
 * handed out.
 */
static inline void lt_trace_hold(const struct lt_trace *t)
{
	if (t->feeder)
		lt_feeder_hold(t->feeder);
}

/* sites.c: both threads may need symbols, so they are loaded while there is one. */
void lt_trace_load_symbols(const struct lt_trace *t);

/* stream.c */
/*
 * Goes on with the next record of a file that is plain or about a task. It may be in the next
 * packet, if nothing is to be said about that, or known of it to others. Changes nothing but the
 * stream and t->packets_read. Return: whether it did.
 */
bool lt_stream_go_on(struct lt_trace *t, struct lt_stream *s);

/*
 * Ends a stream of a file if it was read to its end, and nothing is to be said about that.
 * Return: whether it did.
 */
bool lt_stream_leave(const struct lt_trace *t, struct lt_stream *s);

/* merge.c */
/*
 * Goes on with the stream that lt_trace_next_plain() has stopped at, by lt_stream_go_on(), or with
 * the others if it has ended. Return: whether it did.
 */
bool lt_trace_go_on(struct lt_trace *t);

/*
 * The next event, if it says of a task what is known: as one that is about nothing.
 * lt_trace_go_on() is to be called next. Return: whether it is such.
 */
bool lt_trace_take_task(struct lt_trace *t, struct lt_plain_event *ev);

/*
 * The records that name the running task, and those of the channel pid about what becomes of one.
 */
static inline bool lt_is_about_task(unsigned int event)
{
	switch (event) {
	case LT_EV_TASK:
	case LT_EV_TASK_NEW:
	case LT_EV_STATE:
	case LT_EV_RENAME:
	case LT_EV_EXEC:
	case LT_EV_EXIT:
		return true;
	default:
		return false;
	}
}

/* known.c: takes such a record, that the stream is at, if all that it says of a task is known. */
bool lt_entities_take_known(struct lt_trace *t, struct lt_stream *s);

/* entities.c: whether tasks that sleep in calls are kept that do nothing else. */
bool lt_entities_have_calls(struct lt_trace *t);

#endif /* LT_TRACE_AHEAD_H */
