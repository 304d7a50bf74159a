/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace that is read while it is written: from a pipe, or from a file that grows. It is read
 * once, from its beginning to its end; nothing of it is kept but what a live trace keeps.
 */
#ifndef LT_LIVE_FEED_H
#define LT_LIVE_FEED_H

#include <stdbool.h>

#include "trace/trace.h"

struct lt_feed;

/*
 * How much later than others an event may come, ns: what is read is so much behind. The module
 * closes the packet of a quiet CPU after 200 ms, and the recorder looks for packets every 100 ms,
 * but both wait for a CPU: on a busy emulated machine packets came 2 s late. One that comes later
 * still is reported, and takes the time of what was read before it.
 */
#define LT_FEED_LAG_NS	5000000000ULL

/* @fd: is not closed; @name: for messages, must stay. */
struct lt_feed *lt_feed_new(int fd, const char *name);
/* Also closes the trace. @f may be NULL. */
void lt_feed_free(struct lt_feed *f);

/**
 * lt_feed_read() - read what is there
 *
 * Calls read() once, which waits if there is nothing and @fd is a pipe. Declares the events that
 * are complete, for lt_trace_next().
 *
 * Return: 1; 0: nothing is there now: a pipe is at its end, a file may grow; -1: what follows
 * cannot be read, after lt_error().
 */
int lt_feed_read(struct lt_feed *f);

/* The trace; NULL: what a trace begins with has not come yet. */
struct lt_trace *lt_feed_trace(struct lt_feed *f);

/* Whether the last block of a whole trace was read: nothing follows. */
bool lt_feed_is_whole(const struct lt_feed *f);

/* Nothing more is read. Return: 0, or -1 after lt_error(): there is no trace. */
int lt_feed_finish(struct lt_feed *f);

#endif /* LT_LIVE_FEED_H */
