// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Births: the event task_new.
 */
#include "tasks/internal.h"

#define CLONE_PARENT	0x8000U
#define CLONE_THREAD	0x10000U

static void fill_birth(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);

	lt_link_creator(tb, ev, inst);
	lt_link_parent(tb, ev, inst);
	lt_link_leader(tb, inst);
	t->flags = ev->flags & LT_TASK_BIRTH_FLAGS;
	t->ns = lt_tasks_ns_now(tb, ev->ns);
	t->nr = ev->nr;
	t->generation = ev->generation > UINT32_MAX ? UINT32_MAX : (uint32_t)ev->generation;
	t->ino = ev->ino;
	lt_attr_inherit(tb, inst, ev->time);
	lt_attr_born(tb, inst, LT_ATTR_COMM, ev->time, lt_tasks_text(tb, &ev->comm));
	t->birth_comm = t->comm;
	lt_attr_born(tb, inst, LT_ATTR_OOM, ev->time, (uint64_t)(int64_t)ev->oom_score_adj);
	if (ev->clone_flags & CLONE_PARENT && !(ev->clone_flags & CLONE_THREAD))
		t->marks |= LT_TASK_MARK_BY_OTHER;
	if (tb->config.unknown & LT_TASK_UNKNOWN_OWNER)
		return;
	lt_attr_born(tb, inst, LT_ATTR_UID, ev->time, ev->uid);
	lt_attr_born(tb, inst, LT_ATTR_GID, ev->time, ev->gid);
	lt_attr_born(tb, inst, LT_ATTR_CGROUP, ev->time, ev->cgroup);
}

void lt_on_task_new(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	uint32_t inst = lt_life_see(tb, ev, ev->tid, ev->tgid, ev->start, true);
	struct lt_task_verdict v;
	struct lt_task_inst *t;

	if (!inst)
		return;
	t = lt_tasks_inst(tb, inst);
	v = lt_rule_birth(t);
	if (v.act != LT_ACT_BEGIN) {
		tb->totals.twice++;
		return;
	}
	t->marks |= LT_TASK_MARK_BORN;
	/* The birth must not be later than an end that is known already. */
	if (v.why != LT_REASON_ENDED)
		t->birth = ev->time;
	tb->totals.births++;
	fill_birth(tb, ev, inst);
	lt_tasks_notify(tb, LT_NOTICE_BORN, ev, inst, 0);
}
