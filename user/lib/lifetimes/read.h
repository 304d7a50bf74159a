/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lifetimes of a trace: its events are paired.
 */
#ifndef LT_LIFETIMES_READ_H
#define LT_LIFETIMES_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lifetimes/kmalloc.h"
#include "lifetimes/lifetime.h"
#include "trace/trace.h"

/* lt_lifetimes_event() with an event that @t has just handed out. */
static inline void lt_lifetimes_take(struct lt_lifetimes *lf, const struct lt_trace *t,
				     const struct lt_event *ev)
{
	lt_lifetimes_event(lf, ev, lt_trace_gap_end(t, lt_event_space(ev)));
}

/**
 * lt_lifetimes_take_plain() - take events that lt_trace_next_plain() has handed out
 * @careful: is given those that may leave a doubt. Return: 0 to go on
 * Return: what @careful has returned.
 */
int lt_lifetimes_take_plain(struct lt_lifetimes *lf, struct lt_trace *t,
			    const struct lt_plain_event *evs, size_t n,
			    int (*careful)(void *arg, const struct lt_event *ev), void *arg);

/* The number of the task that made the object of a step, for lt_lifetimes_task(). */
uint32_t lt_lifetimes_maker(const struct lt_lifetimes *lf, const struct lt_plain_step *step);

/* The call site of the event of a step that is an end, of those that were handed out last. */
uint64_t lt_lifetimes_end_site(const struct lt_lifetimes *lf, const struct lt_plain_event *ev);

/* Of @n steps that are ends, of which @unsure are unsure, all but how they ended. */
static inline void lt_lifetime_stats_add_ends(struct lt_lifetime_stats *s, uint64_t n,
					      uint64_t unsure)
{
	s->certainty[LT_SPACE_SLAB][LT_EXACT] += n - unsure;
	s->why[LT_SPACE_SLAB][LT_WHY_NONE] += n - unsure;
	s->certainty[LT_SPACE_SLAB][LT_UNCERTAIN] += unsure;
	s->why[LT_SPACE_SLAB][LT_WHY_NOT_WATCHED] += unsure;
	s->ambiguous += unsure;
	s->births[LT_SPACE_SLAB] += n;
}

/* Of @n that are LT_END_REBORN. */
static inline void lt_lifetime_stats_add_reborn(struct lt_lifetime_stats *s, uint64_t n)
{
	s->certainty[LT_SPACE_SLAB][LT_BOUNDED] += n;
	s->why[LT_SPACE_SLAB][LT_WHY_NO_FREE] += n;
	s->births[LT_SPACE_SLAB] += n;
}

/* lt_lifetime_stats_add() of the lifetime that a step ends. */
static inline void lt_lifetime_stats_add_step(struct lt_lifetime_stats *s,
					      const struct lt_plain_step *step)
{
	s->ending[step->ending]++;
	if (step->ending == LT_END_REBORN)
		lt_lifetime_stats_add_reborn(s, 1);
	else
		lt_lifetime_stats_add_ends(s, 1, step->unsure);
}

/* lt_lifetimes_finish() at the end of a trace. */
void lt_lifetimes_end(struct lt_lifetimes *lf, const struct lt_trace *t);

/**
 * struct lt_lifetime_pass - takes the lifetimes of a trace, and its events
 * @ops: takes the lifetimes
 * @begin: NULL, or called first: the pairing of the pass, which the other callbacks may ask
 * @event: NULL, or each event, before it is paired; also those behind lt_trace_end().
 *	Return: 0; -1: failed; then no other callback is called but @end.
 * @plain: with @event: NULL, or is called instead for events that leave no doubt, many at a time
 * @stop: NULL, or what a callback sets to end the pass with -1. It is read from time to time, so
 *	that other events are paired, and their lifetimes handed out, before the end.
 * @bytes: @event uses their bytes (lt_event.raw) and not those of markers alone
 * @end: NULL, or called last; the pairing is still there
 *
 * The argument of all callbacks is that of @ops.
 */
struct lt_lifetime_pass {
	struct lt_lifetime_ops ops;
	void (*begin)(void *arg, struct lt_lifetimes *lf);
	int (*event)(void *arg, const struct lt_event *ev);
	void (*plain)(void *arg, const struct lt_plain_event *evs, size_t n);
	const bool *stop;
	bool bytes;
	void (*end)(void *arg);
};

/**
 * lt_lifetimes_pass() - pair all events of a trace
 * @t: open, and no event of it was taken
 * Return: 0, what @pass->event has returned, or -1 after @pass->stop.
 */
int lt_lifetimes_pass(struct lt_trace *t, const struct lt_lifetime_pass *pass);

/* lt_lifetimes_pass() for those who need nothing else of the trace. */
void lt_lifetimes_read(struct lt_trace *t, const struct lt_lifetime_ops *ops);

/* The name of the slab cache of an object, perhaps in @buf. NULL: not known. */
const char *lt_lifetime_cache_name(const struct lt_trace *t, const struct lt_kmalloc *k,
				   const struct lt_lifetime *l, char *buf, size_t size);

#endif /* LT_LIFETIMES_READ_H */
