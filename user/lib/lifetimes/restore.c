// SPDX-License-Identifier: GPL-2.0
/*
 * Taking what a trace carries of the time before it: as events, by the same rules as all others,
 * but that no birth counts, and that no lifetime comes out that was over by then.
 */
#include "lifetimes/internal.h"
#include "lifetimes/carry.h"

static uint8_t flags_of(const struct lt_trace_carried *carried)
{
	uint8_t flags = carried->split ? LT_OBJ_SPLIT : 0;

	if (carried->why == LT_STATE_LATE)
		return flags | LT_OBJ_LATE;
	return carried->why == LT_STATE_CERTAIN ? flags : flags | LT_OBJ_TAINTED;
}

void lt_lifetimes_restore(struct lt_lifetimes *lf, struct lt_trace *t)
{
	struct lt_trace_carried carried;
	struct lt_event ev;

	lf->begin = lt_trace_cut(t);
	if (!lf->begin)
		return;
	if (lf->config.late_free)
		lt_late_unseen(lf, lf->begin);
	lf->restoring = true;
	while (lt_trace_carried(t, &ev, &carried)) {
		lf->restored_flags = flags_of(&carried);
		lt_lifetimes_event(lf, &ev, lt_trace_gap_end(t, lt_event_space(&ev)));
	}
	lf->restored_flags = 0;
	lf->restoring = false;
}
