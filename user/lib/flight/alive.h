/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Triggers on what is alive now: of slab objects, their number or bytes.
 *
 * The window's own table is of its beginning, and late by its length; so these triggers need a
 * table of their own, which is kept only for them.
 */
#ifndef LT_FLIGHT_ALIVE_H
#define LT_FLIGHT_ALIVE_H

#include "flight/trigger.h"
#include "trace/trace.h"

struct lt_alive_watch;

/* What a trigger's rule chooses: what is alive, and of that what may have been freed. */
struct lt_alive_sum {
	double value;
	double unsure;
};

/* @t: no event of it was taken. Both must live as long as the result. */
struct lt_alive_watch *lt_alive_watch_new(struct lt_trace *t, const struct lt_triggers *triggers);
/* @w may be NULL. */
void lt_alive_watch_free(struct lt_alive_watch *w);

/* The next event of the trace. */
void lt_alive_watch_event(struct lt_alive_watch *w, const struct lt_event *ev);

/* Takes in a text CGROUPS. */
void lt_alive_watch_names(struct lt_alive_watch *w, const char *cgroups);

/* Adds up by trigger, in time proportional to what is alive. @sums: LT_TRIGGERS of them. */
void lt_alive_watch_sums(struct lt_alive_watch *w, struct lt_alive_sum *sums);

#endif /* LT_FLIGHT_ALIVE_H */
