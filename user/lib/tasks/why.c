// SPDX-License-Identifier: GPL-2.0
/*
 * Why the birth or the end of a task is not exact, in words.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tasks/internal.h"

/* "exits lost on cpu 1 at 3.200000 s" */
static const char *lost(const struct lt_tasks *tb, enum lt_task_loss kind, uint64_t from,
			uint64_t to, char *buf, size_t size)
{
	const char *what = kind == LT_LOST_BIRTHS ? "births" : "exits";
	const struct lt_task_gap *g = lt_tasks_gap_over(tb, kind, from, to);
	uint64_t at;

	if (!g)
		return NULL;
	at = g->begin ? g->begin : g->end;
	if (g->unwatched)
		snprintf(buf, size, "%s not watched", what);
	else if (at == UINT64_MAX)
		snprintf(buf, size, "%s lost on cpu %u at an unknown time", what, g->cpu);
	else
		snprintf(buf, size, "%s lost on cpu %u %s %" PRIu64 ".%06u s", what, g->cpu,
			 g->begin ? "at" : "before", at / 1000000000,
			 (unsigned int)(at % 1000000000 / 1000));
	return buf;
}

const char *lt_task_birth_why(const struct lt_tasks *tb, const struct lt_task_inst *t, char *buf,
			      size_t size)
{
	const char *why;

	switch (t->birth_is) {
	case LT_EXACT:
		return "";
	case LT_BEFORE:
		return t->marks & (LT_TASK_MARK_INITIAL | LT_TASK_MARK_AS_LEADER) ?
		       "in the initial snapshot" : "started before the trace";
	default:
		why = lost(tb, LT_LOST_BIRTHS, 0, t->birth, buf, size);
		if (why)
			return why;
		return t->marks & LT_TASK_MARK_SEEN ? "neither born nor in the initial snapshot" :
						      "only named by other tasks";
	}
}

/* The exit was not seen. */
static const char *unseen(const struct lt_task_inst *t)
{
	switch (t->ending) {
	case LT_TASK_END_RELEASED:
		return "exit not seen: it was released";
	case LT_TASK_END_NUMBER_REUSED:
		return "exit not seen: its number was given again";
	case LT_TASK_END_GROUP_DEAD:
		return "exit not seen: its thread group ended";
	case LT_TASK_END_MISSING:
		return "exit not seen: a snapshot lacks it";
	default:
		return "exit not seen: a snapshot found it exiting";
	}
}

const char *lt_task_end_why(const struct lt_tasks *tb, const struct lt_task_inst *t, char *buf,
			    size_t size)
{
	const char *why;

	switch (t->death_is) {
	case LT_EXACT:
		return "";
	case LT_OPEN:
		return "alive at the end";
	case LT_BOUNDED:
		return unseen(t);
	default:
		why = lost(tb, LT_LOST_ENDS, lt_task_last_seen(t), t->end, buf, size);
		if (why)
			return why;
		return t->marks & LT_TASK_MARK_BY_NAME ? "after its end only a rename was seen" :
							 "only named by other tasks";
	}
}
