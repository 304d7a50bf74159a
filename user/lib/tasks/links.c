// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Links of a task: to its creator, its parent and its leader. All lead to tasks that were
 * started before.
 */
#include "tasks/internal.h"

/*
 * The instance that @inst links to, 0: none. If it is not known it becomes a placeholder,
 * which is common before the initial snapshot is complete.
 */
static uint32_t link_to(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst,
			uint32_t tid, uint64_t start)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	uint32_t other = tid ? lt_tasks_find(tb, tid, start) : 0;
	struct lt_task_verdict v;

	v = lt_rule_link(t, tid, start, other, tb->placeholders >= tb->config.max_placeholders);
	switch (v.act) {
	case LT_ACT_TAKE:
		return other;
	case LT_ACT_MAKE:
		tb->placeholders++;
		return lt_life_make(tb, ev, tid, start);
	case LT_ACT_REFUSE:
		tb->totals.refused++;
		t->marks |= LT_TASK_MARK_LINK_REFUSED;
		return 0;
	default:
		tb->totals.left_out += v.why == LT_REASON_FULL;
		return 0;
	}
}

/* The task that called fork or clone, which is alive. */
void lt_link_creator(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	uint32_t other = link_to(tb, ev, inst, ev->creator, ev->creator_start);
	struct lt_task_inst *t;

	lt_tasks_inst(tb, inst)->creator = other;
	if (!other)
		return;
	t = lt_tasks_inst(tb, other);
	if (!lt_task_ended(t))
		lt_life_note(tb, ev, other);
	else if (t->marks & LT_TASK_MARK_LEADER_FIRST && t->end < ev->time)
		t->marks |= LT_TASK_MARK_SEEN_LATER;
}

/* The parent at the birth, or in the first record of the task. */
void lt_link_parent(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	uint32_t other = link_to(tb, ev, inst, ev->parent, ev->parent_start);
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);

	if (!ev->parent)
		t->marks |= LT_TASK_MARK_TOP;
	/* An import names some thread of the parent where it does not know the leader. */
	if (other && !lt_tasks_inst(tb, other)->tgid &&
	    !(tb->config.unknown & LT_TASK_UNKNOWN_OWNER))
		lt_tasks_inst(tb, other)->tgid = ev->parent;
	t->parent = other;
	t->last_parent = other;
	if (other)
		lt_history_add(tb, inst, LT_ATTR_PARENT,
			       t->marks & LT_TASK_MARK_BORN ? ev->time : 0, other, LT_FROM_EVENT);
}

/* The parent in a later record. */
void lt_link_last_parent(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	uint32_t parent;

	if (!ev->parent)
		return;
	parent = link_to(tb, ev, inst, ev->parent, ev->parent_start);
	if (!parent || parent == t->last_parent)
		return;
	if (t->last_parent && !(t->marks & LT_TASK_MARK_REPARENTED)) {
		t->marks |= LT_TASK_MARK_REPARENTED;
		tb->totals.reparented++;
	}
	t->last_parent = parent;
	lt_history_add(tb, inst, LT_ATTR_PARENT, ev->time, parent, LT_FROM_EVENT);
}

/* The leader of a thread's group, if it is not known yet. */
void lt_link_leader(struct lt_tasks *tb, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	uint32_t holder;

	if (!lt_task_is_thread(t) || t->leader)
		return;
	holder = lt_tasks_holder(tb, t->tgid);
	if (lt_rule_leader(t, holder ? lt_tasks_inst(tb, holder) : NULL).act == LT_ACT_TAKE)
		t->leader = holder;
}
