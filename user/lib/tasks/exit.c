// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Exits, releases, and numbers that are given again.
 */
#include "tasks/internal.h"

/* Of a leader that lives on, the usage of the task that was the leader before counts, too. */
static void add_usage(struct lt_task_inst *t, const struct lt_task_event *ev)
{
	t->utime += ev->utime;
	t->stime += ev->stime;
	t->runtime += ev->runtime;
	t->rchar += ev->rchar;
	t->wchar += ev->wchar;
	t->read_bytes += ev->read_bytes;
	t->write_bytes += ev->write_bytes;
	t->min_flt += ev->min_flt;
	t->maj_flt += ev->maj_flt;
	t->nvcsw += ev->nvcsw;
	t->nivcsw += ev->nivcsw;
	if (ev->maxrss > t->maxrss)
		t->maxrss = ev->maxrss;
}

static void take_values(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	uint64_t oom = (uint64_t)(int64_t)ev->oom_score_adj;

	add_usage(t, ev);
	if (tb->config.unknown & LT_TASK_UNKNOWN_USAGE)
		t->marks |= LT_TASK_MARK_NO_USAGE;
	if (tb->config.unknown & LT_TASK_UNKNOWN_CODE)
		t->marks |= LT_TASK_MARK_NO_CODE;
	lt_attr_dump(tb, inst, LT_ATTR_COMM, ev->time, lt_tasks_text(tb, &ev->comm), true);
	/* oom_score_adj is the group's: the leader's exit or the last thread's confirms it. */
	if (tb->config.unknown & LT_TASK_UNKNOWN_OWNER)
		oom = (uint64_t)(int64_t)t->oom_score_adj;
	else if (t->tgid == t->tid)
		lt_attr_dump(tb, inst, LT_ATTR_OOM, ev->time, oom, true);
	else if (ev->group_dead && t->leader)
		lt_attr_dump(tb, t->leader, LT_ATTR_OOM, ev->time, oom, true);
	if (!t->parent && !(t->marks & LT_TASK_MARK_BORN))
		lt_link_parent(tb, ev, inst);
	else
		lt_link_last_parent(tb, ev, inst);
}

void lt_on_exit(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	uint32_t inst = lt_life_see(tb, ev, ev->tid, ev->tgid, ev->start, false);
	struct lt_task_inst *t;

	if (!inst)
		return;
	t = lt_tasks_inst(tb, inst);
	switch (lt_rule_exit(t).act) {
	case LT_ACT_NONE:
		tb->totals.twice++;
		return;
	case LT_ACT_REVIVE:
		t->marks |= LT_TASK_MARK_LIVES_ON;
		lt_life_revive(tb, ev, inst);
		break;
	default:
		break;
	}
	lt_link_leader(tb, inst);
	take_values(tb, ev, inst);
	lt_life_exit(tb, ev, inst);
}

/* The times include those of the task's way out, which the exit could not contain. */
static void take_times(struct lt_task_inst *t, const struct lt_task_event *ev)
{
	/* Of a leader that lives on only the sum of two tasks is known. */
	if (t->marks & LT_TASK_MARK_LIVES_ON)
		return;
	if (ev->utime > t->utime)
		t->utime = ev->utime;
	if (ev->stime > t->stime)
		t->stime = ev->stime;
	if (ev->runtime > t->runtime)
		t->runtime = ev->runtime;
}

/* A release that names no known task may be that of a leader whose place a thread took. */
static void release_old_leader(struct lt_tasks *tb, const struct lt_task_event *ev,
			       uint32_t holder)
{
	uint32_t thread = lt_tasks_became_leader(tb, ev->tid, ev->start);

	if (thread)
		lt_tasks_inst(tb, thread)->marks |= LT_TASK_MARK_OLD_RELEASED;
	else
		tb->totals.stray++;
	lt_tasks_notify(tb, LT_NOTICE_RELEASED, ev, thread, holder);
}

/* The module writes releases from RCU: the number may have another holder by then. */
void lt_on_release(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	uint32_t holder = lt_tasks_holder(tb, ev->tid);
	uint32_t inst = lt_tasks_find(tb, ev->tid, ev->start);
	struct lt_task_inst *t = inst ? lt_tasks_inst(tb, inst) : NULL;
	struct lt_task_verdict v = lt_rule_release(t);

	if (!t) {
		release_old_leader(tb, ev, holder);
		return;
	}
	lt_tasks_notify(tb, LT_NOTICE_RELEASED, ev, inst, holder);
	t->marks |= LT_TASK_MARK_SEEN;
	if (v.act == LT_ACT_END) {
		lt_life_end_unseen(tb, ev, inst, LT_TASK_END_RELEASED);
	} else if (v.act == LT_ACT_RELEASE) {
		t->marks |= LT_TASK_MARK_WAS_RELEASED;
		t->release = ev->time;
		take_times(t, ev);
	}
}

void lt_on_number_reused(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	uint32_t inst = lt_tasks_find(tb, ev->tid, ev->start);
	uint32_t old = lt_tasks_find(tb, ev->old_tid, ev->old_start);

	lt_tasks_notify(tb, LT_NOTICE_REUSED, ev, inst, old);
	if (inst)
		lt_tasks_inst(tb, inst)->marks |= LT_TASK_MARK_REUSED;
	if (old && old != inst)
		lt_life_end_unseen(tb, ev, old, LT_TASK_END_NUMBER_REUSED);
}
