// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Taking what a trace carries of the time before it, or before a part behind missing ones: as
 * events, by the same rules as all others, but that no birth counts, and that no lifetime comes out
 * that was over by then.
 */
#include <stdlib.h>

#include "lifetimes/internal.h"
#include "lifetimes/carry.h"
#include "lifetimes/read.h"

#define BUSY_EVERY	1024	/* events */

static uint8_t flags_of(const struct lt_trace_carried *carried)
{
	uint8_t flags = carried->split ? LT_OBJ_SPLIT : 0;

	if (carried->why == LT_STATE_LATE)
		return flags | LT_OBJ_LATE;
	return carried->why == LT_STATE_CERTAIN ? flags : flags | LT_OBJ_TAINTED;
}

static void restore(struct lt_lifetimes *lf, struct lt_trace *t, uint64_t begin)
{
	struct lt_trace_carried carried;
	struct lt_event ev;
	size_t n = 0;

	lf->begin = begin;
	if (lf->config.late_free)
		lt_late_unseen(lf, begin);
	lf->restoring = true;
	while (lt_trace_carried(t, &ev, &carried)) {
		lf->restored_flags = flags_of(&carried);
		lt_lifetimes_take(lf, t, &ev);
		if (++n % BUSY_EVERY == 0 && lf->ops.busy)
			lf->ops.busy(lf->ops.arg);
	}
	lf->restored_flags = 0;
	lf->restoring = false;
}

static void next_missing(struct lt_lifetimes *lf, uint64_t time)
{
	lf->missing = lt_trace_missing_parts(lf->trace, time);
	lf->missing_from = lf->missing ? lf->missing->from : UINT64_MAX;
}

static bool pass_missing(struct lt_lifetimes *lf, uint64_t now, unsigned int channel);

void lt_lifetimes_restore(struct lt_lifetimes *lf, struct lt_trace *t)
{
	uint64_t cut = lt_trace_cut(t);

	if (cut)
		restore(lf, t, cut);
	lf->trace = t;
	lf->pass_missing = pass_missing;
	next_missing(lf, cut);
}

/* ------------------------------------------------------------------------
 * Behind missing parts
 */

/*
 * The book that STATE makes; no callback was called for it; NULL: it is damaged. It has the numbers
 * of places and tasks of @lf.
 */
static struct lt_lifetimes *read_state(struct lt_lifetimes *lf, struct lt_newborns *newborns)
{
	struct lt_lifetimes *book = lt_heal_book(lf, newborns);
	bool good;

	lt_trace_state_begin(lf->trace, lf->missing);
	restore(book, lf->trace, lf->missing->to);
	lt_heal_swap_numbers(lf, book);
	good = lt_trace_state_end(lf->trace);
	if (good)
		return book;
	lt_lifetimes_free(book);
	return NULL;
}

static void pass_part(struct lt_lifetimes *lf)
{
	struct lt_newborns newborns = { .old = lf };
	struct lt_lifetimes *book = read_state(lf, &newborns);

	if (book) {
		lt_heal(lf, book, &newborns, lf->missing->to);
		lt_lifetimes_free(book);
	}
	free(newborns.all);
}

/*
 * Of the time of missing parts there are some events: packets that a cut divides stand in both
 * parts. They are a part of what happened, so whose birth or death one is may be another than it
 * seems. What lived on is known behind the missing parts. Return: whether an event of the channel
 * counts.
 */
static bool pass_missing(struct lt_lifetimes *lf, uint64_t now, unsigned int channel)
{
	while (lf->missing && now >= lf->missing->to) {
		uint64_t to = lf->missing->to;

		pass_part(lf);
		next_missing(lf, to);
	}
	return now < lf->missing_from || channel >= LT_N_CHANNELS + 1 ||
	       !lf->missing->lost[channel];
}
