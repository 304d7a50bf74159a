// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Begins and ends of instances: the one place that applies the verdicts about them.
 *
 * An observer is notified of each of them, at the moment at which it still sees the state
 * before.
 */
#include "tasks/internal.h"

/**
 * lt_life_end_unseen() - a task has ended, but its exit was not seen
 *
 * Its end is now at the latest. A record that shows the true end may still come.
 */
void lt_life_end_unseen(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst,
			enum lt_task_ending ending)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);

	if (lt_task_ended(t))
		return;
	t->end = ev->time;
	t->ending = (uint8_t)ending;
	lt_attr_settle(tb, t);
	/* An exec may undo the end of a leader. */
	if (ending != LT_TASK_END_FOUND_EXITING || t->tgid != t->tid)
		lt_tasks_bury(tb, t);
	lt_tasks_notify(tb, LT_NOTICE_ENDED, ev, inst, 0);
}

/* Undoes the end of a task: it is alive. */
void lt_life_revive(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);

	lt_tasks_notify(tb, LT_NOTICE_UNDONE, ev, inst, 0);
	t->ending = LT_TASK_END_ALIVE;
	t->code = 0;
	t->seen = ev->time;
	t->marks &= ~(uint32_t)(LT_TASK_MARK_WAS_RELEASED | LT_TASK_MARK_LEADER_FIRST |
				LT_TASK_MARK_LAST | LT_TASK_MARK_SEEN_LATER);
	lt_tasks_enlist(tb, inst);
}

/* The task is alive now. */
void lt_life_note(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	lt_tasks_inst(tb, inst)->seen = ev->time;
	lt_tasks_enlist(tb, inst);
}

static void take_number(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	uint32_t holder = lt_tasks_holder(tb, t->tid);
	struct lt_task_verdict v;

	lt_tasks_notify(tb, LT_NOTICE_SEEN, ev, inst, holder);
	v = lt_rule_number(t, holder ? lt_tasks_inst(tb, holder) : NULL);
	if (v.act == LT_ACT_END) {
		lt_life_end_unseen(tb, ev, inst, LT_TASK_END_NUMBER_REUSED);
		return;
	}
	lt_tasks_set_holder(tb, inst);
	if (v.why == LT_REASON_NO_HOLDER)
		return;
	t->marks |= LT_TASK_MARK_REUSED;
	tb->totals.again++;
	if (v.act == LT_ACT_TAKE_AND_END) {
		/* An exec may still show that the holder had become leader. */
		lt_tasks_live(tb, t)->before = holder;
		lt_life_end_unseen(tb, ev, holder, LT_TASK_END_NUMBER_REUSED);
	}
}

/* The first record that names a task. */
uint32_t lt_life_make(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t tid,
		      uint64_t start)
{
	uint32_t inst = lt_tasks_make(tb, tid, start);
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);

	t->birth = ev->time;
	t->seen = ev->time;
	take_number(tb, ev, inst);
	return inst;
}

/* Applies what an event says of a task that it shows to be alive. */
static void show_alive(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	bool rename = ev->id == LT_EV_RENAME;
	struct lt_task_verdict v = lt_rule_sight(t, rename);

	if (v.act == LT_ACT_DOUBT)
		t->marks |= LT_TASK_MARK_SEEN_LATER;
	if (v.why == LT_REASON_ENDED || v.why == LT_REASON_MISSING)
		tb->totals.alive_again++;
	if (v.why == LT_REASON_RENAMED)
		t->marks |= LT_TASK_MARK_BY_NAME;
	if (v.act == LT_ACT_REVIVE)
		lt_life_revive(tb, ev, inst);
	else if (v.act == LT_ACT_LIVE)
		lt_life_note(tb, ev, inst);
	if (!rename && !lt_task_ended(t))
		t->marks &= ~(uint32_t)LT_TASK_MARK_BY_NAME;
}

/**
 * lt_life_see() - the instance that an event is about
 * @tgid: 0: the event does not say
 * @alive: the event shows that the task is alive
 * Return: 0: the idle task, which has no instance.
 */
uint32_t lt_life_see(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t tid,
		     uint32_t tgid, uint64_t start, bool alive)
{
	struct lt_task_inst *t;
	uint32_t inst;

	if (!tid)
		return 0;
	inst = lt_tasks_find(tb, tid, start);
	if (!inst)
		inst = lt_life_make(tb, ev, tid, start);
	t = lt_tasks_inst(tb, inst);
	t->marks |= LT_TASK_MARK_SEEN;
	if (!t->tgid)
		t->tgid = tgid;
	if (alive)
		show_alive(tb, ev, inst);
	return inst;
}

/* The exit of a task that has not ended, or whose exit was not seen so far. */
void lt_life_exit(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	bool was_alive = !lt_task_ended(t);

	t->end = ev->time;
	t->code = (uint16_t)ev->code;
	t->ending = LT_TASK_END_EXITED;
	lt_attr_settle(tb, t);
	if (ev->group_dead) {
		struct lt_task_inst *leader = t->leader ? lt_tasks_inst(tb, t->leader) : t;

		t->marks |= LT_TASK_MARK_LAST;
		lt_history_add_group_end(tb, ev->time, leader->start);
		lt_tasks_bury(tb, leader);
	} else if (t->tgid == t->tid && !(tb->config.unknown & LT_TASK_UNKNOWN_GROUP)) {
		t->marks |= LT_TASK_MARK_LEADER_FIRST;
	}
	if (!(t->marks & LT_TASK_MARK_LEADER_FIRST))
		lt_tasks_bury(tb, t);
	if (was_alive)
		lt_tasks_notify(tb, LT_NOTICE_ENDED, ev, inst, 0);
}

/**
 * lt_life_become_leader() - an exec has ended a thread, which goes on as its leader
 *
 * The thread may seem to have ended before: its number is free before the exec is recorded.
 */
void lt_life_become_leader(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst,
			   uint32_t leader)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);

	t->marks |= LT_TASK_MARK_SEEN;
	t->tgid = ev->tid;
	t->leader = leader;
	lt_life_end_unseen(tb, ev, inst, LT_TASK_END_BECAME_LEADER);
	t->end = ev->time;
	t->ending = LT_TASK_END_BECAME_LEADER;
	tb->totals.became_leaders++;
	lt_tasks_set_became_leader(tb, inst);
}
