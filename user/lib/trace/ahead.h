/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace whose plain events a second thread reads ahead of those that are handed out, see pass.c.
 */
#ifndef LT_TRACE_AHEAD_H
#define LT_TRACE_AHEAD_H

#include "trace/feeder.h"
#include "trace/internal.h"

/*
 * Called by the first thread before it uses what the second one changes: where the streams are, how many
 * records were read, and stacks. The second one makes a pause then, until all that it has read is handed out.
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
 * Goes on with the next packet of a file if nothing is to be said about it, or known of it to others, and
 * its first record is plain. Changes nothing but the stream and t->packets_read. Return: whether it did.
 */
bool lt_stream_go_on(struct lt_trace *t, struct lt_stream *s);

/* merge.c */
/*
 * What lt_trace_next_plain() has stopped at is the next packet of a stream, of which lt_stream_go_on() has
 * made the first record. Return: whether it is so.
 */
bool lt_trace_go_on(struct lt_trace *t);

#endif /* LT_TRACE_AHEAD_H */
