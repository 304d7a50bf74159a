// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Execs.
 *
 * A thread that executes a program becomes the leader of its group: from the exec on it has
 * the leader's identity, and the leader's instance goes on. The thread's own instance ends.
 * The thread's number is free before the event, and may have another holder already.
 */
#include "tasks/internal.h"

static const struct lt_task_inst *get_or_null(const struct lt_tasks *tb, uint32_t inst)
{
	return inst ? lt_tasks_inst(tb, inst) : NULL;
}

static bool met_as_leader(const struct lt_tasks *tb, const struct lt_task_event *ev,
			  uint32_t leader, bool led)
{
	const struct lt_task_snapshot *s = &tb->snap;
	uint64_t boot = s->had_initial ? lt_tasks_boot_time(tb, s->initial_end) : 0;

	return lt_rule_met_as_leader(lt_tasks_inst(tb, leader), led, ev->old_start,
				     s->initial_end, boot).act == LT_ACT_TAKE;
}

/* The instance that was the thread; 0: it cannot be known. */
static uint32_t find_thread(struct lt_tasks *tb, const struct lt_task_event *ev,
			    uint32_t leader, bool led)
{
	uint32_t found = ev->old_start ? lt_tasks_find(tb, ev->old_tid, ev->old_start) :
					 lt_tasks_holder(tb, ev->old_tid);
	struct lt_task_inst *t = found ? lt_tasks_inst(tb, found) : NULL;
	uint32_t earlier = t && t->live ? lt_tasks_live(tb, t)->before : 0;
	uint32_t inst;

	switch (lt_rule_exec_thread(ev->tid, ev->old_start, t, get_or_null(tb, earlier)).act) {
	case LT_ACT_TAKE:
		return found;
	case LT_ACT_TAKE_EARLIER:
		return earlier;
	case LT_ACT_MAKE:
		inst = lt_life_see(tb, ev, ev->old_tid, ev->tid, ev->old_start, false);
		if (met_as_leader(tb, ev, leader, led))
			lt_tasks_inst(tb, inst)->marks |= LT_TASK_MARK_AS_LEADER;
		return inst;
	default:
		return 0;
	}
}

/* Return: the instance of the thread that became leader; 0: not known. */
static uint32_t end_thread(struct lt_tasks *tb, const struct lt_task_event *ev,
			   uint32_t leader, bool led)
{
	uint32_t inst = find_thread(tb, ev, leader, led);

	if (!inst || lt_rule_become_leader(lt_tasks_inst(tb, inst),
					   lt_tasks_inst(tb, leader)).act != LT_ACT_END) {
		tb->totals.odd_execs++;
		return 0;
	}
	lt_life_become_leader(tb, ev, inst, leader);
	return inst;
}

/* The leader has the thread's user, group and cgroup from now on. */
static void take_values(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t leader,
			uint32_t thread, bool led)
{
	const struct lt_task_inst *from = lt_tasks_inst(tb, thread);
	const struct lt_task_inst *to = lt_tasks_inst(tb, leader);
	const struct lt_task_live *l = lt_tasks_live(tb, lt_tasks_inst(tb, leader));
	const struct { enum lt_task_attr a; uint64_t v; } attrs[] = {
		{ LT_ATTR_UID, from->uid }, { LT_ATTR_GID, from->gid },
		{ LT_ATTR_CGROUP, lt_tasks_cgroup(tb, from) },
	};

	for (unsigned int i = 0; i < 3; i++) {
		enum lt_task_attr a = attrs[i].a;

		/* Events of the leader after its end are the thread's already. */
		if (!led && l->has_event & LT_ATTR_BIT(a) && l->time[a] > to->end)
			continue;
		if (lt_task_has_value(from, a))
			lt_attr_event(tb, leader, a, ev->time, attrs[i].v, NULL);
	}
}

static void become_leader(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t leader,
			  bool led)
{
	uint32_t thread = end_thread(tb, ev, leader, led);

	lt_attr_pass_name(tb, leader, thread);
	if (thread)
		take_values(tb, ev, leader, thread, led);
	lt_tasks_notify(tb, LT_NOTICE_EXEC_THREAD, ev, leader, thread);
}

void lt_on_exec(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	bool by_thread = ev->old_tid && ev->old_tid != ev->tid;
	uint32_t inst = lt_tasks_find(tb, ev->tid, ev->start);
	bool led = inst && !lt_task_ended(lt_tasks_inst(tb, inst));
	struct lt_task_inst *t;

	if (lt_rule_exec(get_or_null(tb, inst), by_thread).act == LT_ACT_REVIVE) {
		lt_tasks_inst(tb, inst)->marks |= LT_TASK_MARK_LIVES_ON;
		lt_life_revive(tb, ev, inst);
	}
	inst = lt_life_see(tb, ev, ev->tid, ev->tid, ev->start, true);
	if (!inst)
		return;
	if (by_thread)
		become_leader(tb, ev, inst, led);
	tb->totals.execs++;
	t = lt_tasks_inst(tb, inst);
	if (t->n_exec < UINT16_MAX)
		t->n_exec++;
	lt_attr_event(tb, inst, LT_ATTR_FILE, ev->time, lt_tasks_text(tb, &ev->file), NULL);
	if (t->n_exec == 1)
		t->first_file = t->file;
}
