/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What must be carried of the lifetimes at one time, so that it and the events from then on lead to
 * the same lifetimes as all events do: the births of what is alive, and the events by which
 * something is undecided. Blocks STATE of a file hold it.
 *
 * Objects that were given to kfree_rcu are carried with their request, and an object whose former
 * holder's end is in doubt with the birth of that, and with the free that is kept. Not carried are
 * objects that are over and whose own late free is awaited, and marks of addresses where one is
 * expected: for as long as a free can be late, lt_lifetimes_restore() takes every address for
 * such a one.
 */
#ifndef LT_LIFETIMES_CARRY_H
#define LT_LIFETIMES_CARRY_H

#include <stdbool.h>
#include <stdint.h>

#include "lifetimes/lifetime.h"
#include "trace/trace.h"

/* Which event of an address, in the order in which they happened. */
enum lt_carry_what {
	LT_CARRY_FORMER,			/* birth of the former holder */
	LT_CARRY_FORMER_REQUEST,		/* that was given to kfree_rcu */
	LT_CARRY_BIRTH,			/* of the holder */
	LT_CARRY_REQUEST,		/* the holder was given to kfree_rcu */
	LT_CARRY_FREE,			/* of either holder */
};

/**
 * struct lt_carry - an event to be carried
 * @time: ns
 * @ptr: with @space: the object
 * @cpu: where it was recorded
 * @space: enum lt_space
 * @what: enum lt_carry_what
 * @why: enum lt_state_why, of a birth
 * @split: of a birth: the block is a part of a larger one
 * @task: that was running
 */
struct lt_carry {
	uint64_t time;
	uint64_t ptr;
	uint32_t cpu;
	uint8_t space;
	uint8_t what;
	uint8_t why;
	uint8_t split;
	const struct lt_task *task;
};

/**
 * struct lt_carried - such an event, with all that is known of it
 * @ev: its @id is not set
 * @resized: of a birth: the object has another size since
 * @req, @alloc: that size
 */
struct lt_carried {
	struct lt_event ev;
	bool resized;
	uint64_t req;
	uint64_t alloc;
};

/**
 * lt_lifetimes_carry() - list what must be carried now
 * @gap_end: lt_trace_gap_end() by space, now
 * @fn: is called for each event, in no order; it must not change @lf
 */
void lt_lifetimes_carry(const struct lt_lifetimes *lf, const uint64_t gap_end[LT_N_MEMORY],
			void (*fn)(void *arg, const struct lt_carry *carry), void *arg);

/* An event of that list, as long as no other event was taken. */
void lt_lifetimes_carried(const struct lt_lifetimes *lf, const struct lt_carry *carry,
			  struct lt_carried *carried);

/**
 * lt_lifetimes_restore() - take what a trace carries
 * @lf: new
 * @t: no event of it was taken
 *
 * A trace that begins at its start carries nothing. The callbacks are called for what is alive
 * then, with births before lt_trace_begin(). Call it before the first lt_trace_next().
 *
 * Where parts of the recording are missing, events that follow and lt_lifetimes_finish() take what
 * the part behind them says: so @t must stay open until then. The callbacks are called there for
 * what ended meanwhile (LT_END_LOST), then of what was born, at times before that of the event.
 */
void lt_lifetimes_restore(struct lt_lifetimes *lf, struct lt_trace *t);

/* When a trace has an object: from its birth on, or from the begin if it carries the birth. */
static inline uint64_t lt_birth_seen(const struct lt_obj *obj, const struct lt_trace *t)
{
	uint64_t cut = lt_trace_cut(t);

	return obj->time < cut ? cut : obj->time;
}

#endif /* LT_LIFETIMES_CARRY_H */
