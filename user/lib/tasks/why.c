// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Why the birth or the end of a task is not exact, as a cause and in words.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tasks/internal.h"

static const struct {
	const char *name;
	const char *text;
} causes[LT_N_TASK_WHYS] = {
	[LT_TASK_WHY_NONE] = { "none", "" },
	[LT_TASK_WHY_LOST] = { "lost", "lost" },
	[LT_TASK_WHY_NOT_WATCHED] = { "not_watched", "not watched" },
	[LT_TASK_WHY_NO_BIRTH] = { "no_birth", "birth not seen" },
	[LT_TASK_WHY_NAMED] = { "named", "only named by others" },
	[LT_TASK_WHY_NO_EXIT] = { "no_exit", "exit not seen" },
	[LT_TASK_WHY_BEFORE] = { "before", "before the trace" },
	[LT_TASK_WHY_ALIVE] = { "alive", "alive at the end" },
};

const char *lt_task_cause_name(enum lt_task_cause cause)
{
	return cause < LT_N_TASK_WHYS ? causes[cause].name : "?";
}

const char *lt_task_cause_text(enum lt_task_cause cause)
{
	return cause < LT_N_TASK_WHYS ? causes[cause].text : "?";
}

/* The gap in which the record may be. */
static const struct lt_task_gap *birth_gap(const struct lt_tasks *tb, const struct lt_task_inst *t)
{
	return lt_tasks_gap_over(tb, LT_LOST_BIRTHS, 0, t->birth);
}

static const struct lt_task_gap *end_gap(const struct lt_tasks *tb, const struct lt_task_inst *t)
{
	return lt_tasks_gap_over(tb, LT_LOST_ENDS, lt_task_last_seen(t), t->end);
}

enum lt_task_cause lt_task_birth_cause(const struct lt_tasks *tb, const struct lt_task_inst *t)
{
	const struct lt_task_gap *gap;

	if (t->birth_is == LT_EXACT)
		return LT_TASK_WHY_NONE;
	if (t->birth_is == LT_BEFORE)
		return LT_TASK_WHY_BEFORE;
	gap = birth_gap(tb, t);
	if (gap)
		return gap->unwatched ? LT_TASK_WHY_NOT_WATCHED : LT_TASK_WHY_LOST;
	return t->marks & LT_TASK_MARK_SEEN ? LT_TASK_WHY_NO_BIRTH : LT_TASK_WHY_NAMED;
}

enum lt_task_cause lt_task_end_cause(const struct lt_tasks *tb, const struct lt_task_inst *t)
{
	const struct lt_task_gap *gap;

	switch (t->death_is) {
	case LT_EXACT:
		return LT_TASK_WHY_NONE;
	case LT_OPEN:
		return LT_TASK_WHY_ALIVE;
	case LT_BOUNDED:
		return LT_TASK_WHY_NO_EXIT;
	default:
		gap = end_gap(tb, t);
		if (gap)
			return gap->unwatched ? LT_TASK_WHY_NOT_WATCHED : LT_TASK_WHY_LOST;
		return LT_TASK_WHY_NAMED;
	}
}

/* "exits lost on cpu 1 at 3.200000 s" */
static const char *lost(const struct lt_tasks *tb, const char *what, const struct lt_task_gap *g,
			char *buf, size_t size)
{
	uint64_t at = g->begin ? g->begin : g->end;
	uint64_t since = at > tb->zero ? at - tb->zero : 0;

	if (g->unwatched)
		snprintf(buf, size, "%s not watched", what);
	else if (at == UINT64_MAX)
		snprintf(buf, size, "%s lost on cpu %u at an unknown time", what, g->cpu);
	else
		snprintf(buf, size, "%s lost on cpu %u %s %" PRIu64 ".%06u s", what, g->cpu,
			 g->begin ? "at" : "before", since / 1000000000,
			 (unsigned int)(since % 1000000000 / 1000));
	return buf;
}

void lt_tasks_count_from(struct lt_tasks *tb, uint64_t zero)
{
	tb->zero = zero;
}

const char *lt_task_birth_why(const struct lt_tasks *tb, const struct lt_task_inst *t, char *buf,
			      size_t size)
{
	switch (lt_task_birth_cause(tb, t)) {
	case LT_TASK_WHY_NONE:
		return "";
	case LT_TASK_WHY_BEFORE:
		return t->marks & (LT_TASK_MARK_INITIAL | LT_TASK_MARK_AS_LEADER) ?
		       "in the initial snapshot" : "started before the trace";
	case LT_TASK_WHY_NO_BIRTH:
		return "neither born nor in the initial snapshot";
	case LT_TASK_WHY_NAMED:
		return "only named by other tasks";
	default:
		return lost(tb, "births", birth_gap(tb, t), buf, size);
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
	switch (lt_task_end_cause(tb, t)) {
	case LT_TASK_WHY_NONE:
		return "";
	case LT_TASK_WHY_ALIVE:
		return "alive at the end";
	case LT_TASK_WHY_NO_EXIT:
		return unseen(t);
	case LT_TASK_WHY_NAMED:
		return t->marks & LT_TASK_MARK_BY_NAME ? "after its end only a rename was seen" :
							 "only named by other tasks";
	default:
		return lost(tb, "exits", end_gap(tb, t), buf, size);
	}
}
