// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records about tasks that say what is known already: the thread that reads ahead takes them, too.
 */
#include "trace/ahead.h"
#include "trace/entity_find.h"

/* Whether a task has the name that the record gives it. */
static bool has_name(const struct lt_trace *t, const struct lt_stream *s,
		     const struct lt_task *task)
{
	char comm[sizeof(task->comm)];

	copy_text(t, s, LT_F_COMM, comm, sizeof(comm));
	return !strcmp(comm, task->comm);
}

/* The running task. Only the thread that takes records reads and writes when one was named last. */
static bool take_running(const struct lt_trace *t, struct lt_stream *s)
{
	const struct lt_task_id id = identity(t, s);
	struct lt_task *task = find_task(&t->entities, &id);

	if (!task || s->rec_ns < task->named || task->tgid != num(t, s, LT_F_TGID) ||
	    task->flags != num(t, s, LT_F_FLAGS) || !has_name(t, s, task))
		return false;
	task->named = s->rec_ns;
	s->task = task;
	return true;
}

static bool take_name(const struct lt_trace *t, const struct lt_stream *s, struct lt_task *task)
{
	if (s->rec_ns < task->named)
		return true;
	if (!has_name(t, s, task))
		return false;
	task->named = s->rec_ns;
	return true;
}

/* What the channel pid records of any task; see lt_entities_record(). */
static bool take_change(struct lt_trace *t, const struct lt_stream *s)
{
	const struct lt_task_id id = identity(t, s);
	struct lt_task *task = id.tid ? find_task(&t->entities, &id) : NULL;

	if (lt_entities_have_calls(t))
		return false;
	if (!task)
		return true;
	switch (s->rec.desc->event) {
	case LT_EV_TASK_NEW:
	case LT_EV_STATE:
		return task->comm[0];
	case LT_EV_RENAME:
		return take_name(t, s, task);
	case LT_EV_EXEC:
		return num(t, s, LT_F_OLD_TID) == task->tid || task->exit == UINT64_MAX;
	default:
		return task->exit != UINT64_MAX;
	}
}

bool lt_entities_take_known(struct lt_trace *t, struct lt_stream *s)
{
	if (t->healing.missing || !t->entities.fields[s->rec.desc->id])
		return false;
	return s->rec.desc->event == LT_EV_TASK ? take_running(t, s) : take_change(t, s);
}
