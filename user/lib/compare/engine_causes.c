// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Engines side by side: why one of them says something else.
 */
#include <stdlib.h>
#include <string.h>

#include "compare/engines_internal.h"

#define NEAR_NS		LT_ENGINES_NEAR_NS

const char *lt_engine_cause_name(enum lt_engine_cause cause)
{
	static const char *const names[] = {
		[LT_ENGINE_LOST] = "lost event", [LT_ENGINE_SKIPPED] = "skipped program",
		[LT_ENGINE_NOT_WATCHED] = "not watched",
		[LT_ENGINE_LEFT_OUT] = "sample or filter",
		[LT_ENGINE_OUTSIDE] = "outside of its recording",
		[LT_ENGINE_NUMBER_AGAIN] = "number used again",
		[LT_ENGINE_THREAD_EXEC] = "exec by a thread", [LT_ENGINE_REPARENTED] = "reparenting",
		[LT_ENGINE_NAME] = "name with a blank or a parenthesis",
		[LT_ENGINE_NOT_DELIVERED] = "event not delivered", [LT_ENGINE_UNKNOWN] = "not known",
	};

	return names[cause];
}

static enum lt_task_loss loss_of(enum lt_engine_what what)
{
	switch (what) {
	case LT_ENGINE_NO_EXEC:
	case LT_ENGINE_NO_EXIT:
	case LT_ENGINE_CODE:
		return LT_LOST_ENDS;
	default:
		return LT_LOST_BIRTHS;
	}
}

/* When the event is that one of them lacks. */
static uint64_t when(const struct lt_engine_life *l, enum lt_engine_what what)
{
	return loss_of(what) == LT_LOST_ENDS && what != LT_ENGINE_NO_EXEC ? l->end : l->begin;
}

/*
 * The engine bpf counts as lost_nested what the kernel skipped its programs for, and nothing else:
 * one that runs already on a CPU is not begun again.
 */
enum lt_engine_cause lt_engines_loss(const struct lt_engine_side *s, bool nested)
{
	return nested && !strcmp(s->name, "bpf") ? LT_ENGINE_SKIPPED : LT_ENGINE_LOST;
}

static enum lt_engine_cause loss_by(const struct lt_engine_side *s, const struct lt_task_gap *gap)
{
	return gap->unwatched ? LT_ENGINE_NOT_WATCHED : lt_engines_loss(s, gap->nested);
}

/* Why it is not sure of the end, or the birth, of a task that it has. */
static enum lt_engine_cause said_of(const struct lt_engine_side *s, const struct lt_task_inst *t,
				    enum lt_engine_what what)
{
	enum lt_task_cause why = what == LT_ENGINE_NO_EXIT ? lt_task_end_cause(s->tasks, t) :
				 lt_task_birth_cause(s->tasks, t);

	const struct lt_task_gap *gap;

	if (why == LT_TASK_WHY_NOT_WATCHED)
		return LT_ENGINE_NOT_WATCHED;
	if (why != LT_TASK_WHY_LOST)
		return LT_ENGINE_UNKNOWN;
	gap = what == LT_ENGINE_NO_EXIT ?
	      lt_tasks_gap_over(s->tasks, LT_LOST_ENDS, lt_task_last_seen(t), t->end) :
	      lt_tasks_gap_over(s->tasks, LT_LOST_BIRTHS, 0, t->birth);
	return gap ? loss_by(s, gap) : LT_ENGINE_LOST;
}

/* Where the engine says itself that something is missing. LT_ENGINE_UNKNOWN: it does not. */
static enum lt_engine_cause said(const struct lt_engine_side *s, const struct lt_engine_life *l,
				 enum lt_engine_what what)
{
	uint64_t from = when(l, what), to = what == LT_ENGINE_NO_EXEC ? l->end : from;
	const struct lt_task_gap *gap;

	from = from > NEAR_NS ? from - NEAR_NS : 0;
	gap = lt_tasks_gap_over(s->tasks, loss_of(what), from, to + NEAR_NS);
	if (gap)
		return loss_by(s, gap);
	if (to + NEAR_NS < lt_trace_begin(s->trace) || from + NEAR_NS > lt_trace_end(s->trace))
		return LT_ENGINE_OUTSIDE;
	return LT_ENGINE_UNKNOWN;
}

/* Another task with the number, that this side takes for the same one. */
static bool is_shared(const struct lt_engines *e, unsigned int side, size_t life)
{
	const struct lt_engine_life *l = &e->lives[life];
	uint32_t mine = l->inst[side];

	return mine && ((life && l[-1].tid == l->tid && l[-1].inst[side] == mine) ||
			(life + 1 < e->n_lives && l[1].tid == l->tid && l[1].inst[side] == mine));
}

static bool has_thread_exec(const struct lt_engines *e, const struct lt_engine_life *l)
{
	for (unsigned int i = 0; i < e->n_sides; i++) {
		const struct lt_task_inst *t = lt_engines_inst(e, i, l);

		if (t && (t->marks & LT_TASK_MARK_LIVES_ON ||
			  t->ending == LT_TASK_END_BECAME_LEADER))
			return true;
	}
	return false;
}

static bool was_reparented(const struct lt_engines *e, const struct lt_engine_life *l)
{
	for (unsigned int i = 0; i < e->n_sides; i++) {
		const struct lt_task_inst *t = lt_engines_inst(e, i, l);

		if (t && t->marks & LT_TASK_MARK_REPARENTED)
			return true;
	}
	return false;
}

static bool has_odd_name(const struct lt_engines *e, const struct lt_engine_life *l)
{
	char *name = lt_engines_name(e, l);
	bool odd = name[strcspn(name, " ()\n\t")];

	free(name);
	return odd;
}

enum lt_engine_cause lt_engines_cause(const struct lt_engines *e,
				      const struct lt_engine_difference *d)
{
	const struct lt_engine_life *l = &e->lives[d->life];
	const struct lt_task_inst *t = lt_engines_inst(e, d->side, l);
	enum lt_engine_cause cause = LT_ENGINE_UNKNOWN;

	if (t && (d->what == LT_ENGINE_NO_EXIT || d->what == LT_ENGINE_ORPHAN))
		cause = said_of(&e->sides[d->side], t, d->what);
	if (cause == LT_ENGINE_UNKNOWN)
		cause = said(&e->sides[d->side], l, d->what);
	if (cause != LT_ENGINE_UNKNOWN)
		return cause;
	if (is_shared(e, d->side, d->life))
		return LT_ENGINE_NUMBER_AGAIN;
	if (has_thread_exec(e, l))
		return LT_ENGINE_THREAD_EXEC;
	if ((d->what == LT_ENGINE_PARENT || d->what == LT_ENGINE_ORPHAN) && was_reparented(e, l))
		return LT_ENGINE_REPARENTED;
	if (d->what == LT_ENGINE_PARENT && has_odd_name(e, l))
		return LT_ENGINE_NAME;
	/* It would have seen an event, and had none. */
	if (d->what < LT_ENGINE_PARENT)
		return LT_ENGINE_NOT_DELIVERED;
	return LT_ENGINE_UNKNOWN;
}
