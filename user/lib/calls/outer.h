/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The system calls in which functions were called, as calls around these.
 */
#ifndef LT_CALLS_OUTER_H
#define LT_CALLS_OUTER_H

#include "calls/call.h"

struct lt_call_outer;

/* A system call, as a call with @system; its texts are valid during the call. */
typedef void lt_call_outer_fn(void *arg, const struct lt_call *call);

/**
 * lt_call_outer_new() - a reader of the system calls of a trace
 * @fn: is called with @arg for each whose begin was seen; perhaps after calls that began later
 * Return: NULL: the trace has none.
 */
struct lt_call_outer *lt_call_outer_new(const struct lt_trace *t, lt_call_outer_fn *fn, void *arg);
void lt_call_outer_free(struct lt_call_outer *o);

/* Takes in the event that the trace has handed out last. */
void lt_call_outer_event(struct lt_call_outer *o, const struct lt_event *ev);

/* No event follows. */
void lt_call_outer_finish(struct lt_call_outer *o);

#endif /* LT_CALLS_OUTER_H */
