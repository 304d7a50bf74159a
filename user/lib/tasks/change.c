// SPDX-License-Identifier: GPL-2.0
/*
 * Events of changes: of a name, of oom_score_adj, of user and group, of the cgroup.
 */
#include "tasks/internal.h"

static void on_rename(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	uint64_t old = lt_task_names_add(&tb->names, ev->old_comm.s, ev->old_comm.len);

	lt_task_attr_event(tb, inst, LT_ATTR_COMM, ev->time,
			   lt_task_names_add(&tb->names, ev->comm.s, ev->comm.len), &old);
}

static void on_cred(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	uint64_t old_uid = ev->old_uid, old_gid = ev->old_gid;

	if (ev->uid != ev->old_uid)
		lt_task_attr_event(tb, inst, LT_ATTR_UID, ev->time, ev->uid, &old_uid);
	if (ev->gid != ev->old_gid)
		lt_task_attr_event(tb, inst, LT_ATTR_GID, ev->time, ev->gid, &old_gid);
}

static void on_cgroup(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);
	struct lt_task_live *l;

	if (ev->hierarchy)
		return;
	lt_task_attr_event(tb, inst, LT_ATTR_CGROUP, ev->time, ev->cgroup, NULL);
	if (!ev->group)
		return;
	l = lt_tasks_live(tb, t);
	l->group_time = ev->time;
	l->group_cgroup = t->cgroup;
	if (tb->config.history)
		tb->changes[tb->heads[inst]].source = LT_FROM_GROUP;
}

void lt_task_on_change(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	uint64_t old = (uint64_t)(int64_t)ev->old;
	/* What is the group's is told of its leader, which itself may have exited before. */
	uint32_t tid = ev->id == LT_EV_OOM ? ev->tgid : ev->tid;
	uint32_t inst = lt_tasks_find(tb, tid, ev->start);
	bool alive = inst && !lt_task_ended(lt_tasks_get(tb, inst));

	if (ev->id == LT_EV_OOM) {
		inst = lt_task_subject(tb, ev, tid, tid, ev->start, alive);
		/* Where the value before is not known, it is given as the new one. */
		if (inst)
			lt_task_attr_event(tb, inst, LT_ATTR_OOM, ev->time,
					   (uint64_t)(int64_t)ev->oom_score_adj,
					   ev->old == ev->oom_score_adj ? NULL : &old);
		return;
	}
	inst = lt_task_subject(tb, ev, tid, 0, ev->start, alive || ev->id != LT_EV_CGROUP);
	if (!inst)
		return;
	/* Who has exited does nothing: a thread has taken its place, and exec will tell. */
	if (ev->id != LT_EV_CGROUP && lt_tasks_get(tb, inst)->marks & LT_TASK_MARK_LEADER_FIRST)
		lt_tasks_get(tb, inst)->marks |= LT_TASK_MARK_AFTER_END;
	if (ev->id == LT_EV_RENAME)
		on_rename(tb, ev, inst);
	else if (ev->id == LT_EV_CRED)
		on_cred(tb, ev, inst);
	else if (ev->id == LT_EV_CGROUP)
		on_cgroup(tb, ev, inst);
}
