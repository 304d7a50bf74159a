// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of changes: of a name, oom_score_adj, user and group, cgroup.
 */
#include "tasks/internal.h"

static void take_rename(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	uint64_t old = lt_tasks_text(tb, &ev->old_comm);

	lt_attr_event(tb, inst, LT_ATTR_COMM, ev->time, lt_tasks_text(tb, &ev->comm), &old);
}

static void take_cred(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	uint64_t old_uid = ev->old_uid, old_gid = ev->old_gid;

	if (ev->uid != ev->old_uid)
		lt_attr_event(tb, inst, LT_ATTR_UID, ev->time, ev->uid, &old_uid);
	if (ev->gid != ev->old_gid)
		lt_attr_event(tb, inst, LT_ATTR_GID, ev->time, ev->gid, &old_gid);
}

static void take_cgroup(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	struct lt_task_live *l;

	/* Only version 2 is kept: it has hierarchy 0. */
	if (ev->hierarchy)
		return;
	lt_attr_event(tb, inst, LT_ATTR_CGROUP, ev->time, ev->cgroup, NULL);
	if (!ev->group)
		return;
	l = lt_tasks_live(tb, t);
	l->group_time = ev->time;
	l->group_cgroup = t->cgroup;
	lt_history_of_group(tb, inst);
}

static bool is_alive(const struct lt_tasks *tb, uint32_t tid, uint64_t start)
{
	uint32_t inst = lt_tasks_find(tb, tid, start);

	return inst && !lt_task_ended(lt_tasks_inst(tb, inst));
}

/* The event names the leader of the group, which itself may have exited before. */
static void take_oom(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	uint64_t old = (uint64_t)(int64_t)ev->old;
	uint32_t inst = lt_life_see(tb, ev, ev->tgid, ev->tgid, ev->start,
				    is_alive(tb, ev->tgid, ev->start));

	/* Where the module cannot read the value before, it writes the new one twice. */
	if (inst)
		lt_attr_event(tb, inst, LT_ATTR_OOM, ev->time,
			      (uint64_t)(int64_t)ev->oom_score_adj,
			      ev->old == ev->oom_score_adj ? NULL : &old);
}

void lt_on_change(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	/* Others may move a group to another cgroup, by the number of a dead leader. */
	bool by_itself = ev->id != LT_EV_CGROUP;
	struct lt_task_inst *t;
	uint32_t inst;

	if (ev->id == LT_EV_OOM) {
		take_oom(tb, ev);
		return;
	}
	inst = lt_life_see(tb, ev, ev->tid, 0, ev->start,
			   by_itself || is_alive(tb, ev->tid, ev->start));
	if (!inst)
		return;
	t = lt_tasks_inst(tb, inst);
	/* A task that has exited does nothing: a thread took its place, and exec follows. */
	if (by_itself && t->marks & LT_TASK_MARK_LEADER_FIRST)
		t->marks |= LT_TASK_MARK_AFTER_END;
	if (ev->id == LT_EV_RENAME)
		take_rename(tb, ev, inst);
	else if (ev->id == LT_EV_CRED)
		take_cred(tb, ev, inst);
	else if (ev->id == LT_EV_CGROUP)
		take_cgroup(tb, ev, inst);
}
