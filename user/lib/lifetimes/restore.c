// SPDX-License-Identifier: GPL-2.0
/*
 * Taking what a trace tells of the time before it: as events, by the same rules as all others, but
 * that no birth counts, and that no lifetime comes out that was over by then.
 */
#include "lifetimes/internal.h"
#include "lifetimes/tell.h"

static uint8_t flags_of(const struct lt_trace_told *told)
{
	uint8_t flags = told->split ? LT_OBJ_SPLIT : 0;

	if (told->why == LT_STATE_LATE)
		return flags | LT_OBJ_LATE;
	return told->why == LT_STATE_CERTAIN ? flags : flags | LT_OBJ_TAINTED;
}

void lt_lifetimes_restore(struct lt_lifetimes *lf, struct lt_trace *t)
{
	struct lt_trace_told told;
	struct lt_event ev;

	lf->begin = lt_trace_cut(t);
	if (!lf->begin)
		return;
	if (lf->config.late_free)
		lt_late_unseen(lf, lf->begin);
	lf->restoring = true;
	while (lt_trace_told(t, &ev, &told)) {
		lf->restored_flags = flags_of(&told);
		lt_lifetimes_event(lf, &ev, lt_trace_gap_end(t, lt_event_space(&ev)));
	}
	lf->restored_flags = 0;
	lf->restoring = false;
}
