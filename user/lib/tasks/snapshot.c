// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Snapshots of all tasks.
 */
#include "tasks/internal.h"

/*
 * At the end of a snapshot each living task must have been seen since its begin. A snapshot
 * with the number or the time of the one before it is ignored: a damaged trace could repeat
 * it without an event, and the work would not be bounded.
 */
static void take_begin(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	tb->snap.open = !tb->snap.any || (ev->epoch != tb->snap.epoch &&
					  ev->time > tb->snap.begin);
	if (!tb->snap.open)
		return;
	tb->snap.any = true;
	tb->snap.epoch = ev->epoch;
	tb->snap.purpose = ev->purpose;
	tb->snap.begin = ev->time;
}

/* What a birth says is better than what a snapshot says. */
static void fill_unborn(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);

	if (t->marks & LT_TASK_MARK_BORN)
		return;
	t->flags = ev->flags & LT_TASK_BIRTH_FLAGS;
	t->ns = lt_tasks_ns_now(tb, ev->ns);
	t->nr = ev->nr;
	t->ino = ev->ino;
	/* A dead task may have lost its parent already. */
	if (!ev->parent && ev->flags & LT_TASK_FLAG_EXITING)
		return;
	if (!t->parent && !(t->marks & (LT_TASK_MARK_TOP | LT_TASK_MARK_LINK_REFUSED)))
		lt_link_parent(tb, ev, inst);
}

/* A name or a program: exec changes it some time before the event is written. */
static void dump_name(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst,
		      enum lt_task_attr a, const struct lt_task_text *text)
{
	uint32_t name = lt_tasks_text(tb, text);

	if (ev->flags & LT_TASK_FLAG_IN_EXEC)
		lt_attr_presume(tb, inst, a, ev->time, name);
	else
		lt_attr_dump(tb, inst, a, ev->time, name, false);
}

static void take_values(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);

	/*
	 * A leader that had exited and is alive is the thread that takes its place. The
	 * exec will say what its values are.
	 */
	if (t->marks & LT_TASK_MARK_LEADER_FIRST && !(ev->flags & LT_TASK_FLAG_EXITING))
		return;
	dump_name(tb, ev, inst, LT_ATTR_COMM, &ev->comm);
	if (!(t->marks & LT_TASK_MARK_BORN) && !t->birth_comm)
		t->birth_comm = t->comm;
	if (t->tgid == t->tid)
		lt_attr_dump(tb, inst, LT_ATTR_OOM, ev->time,
			     (uint64_t)(int64_t)ev->oom_score_adj, false);
	lt_attr_dump(tb, inst, LT_ATTR_UID, ev->time, ev->uid, false);
	lt_attr_dump(tb, inst, LT_ATTR_GID, ev->time, ev->gid, false);
	lt_attr_dump(tb, inst, LT_ATTR_CGROUP, ev->time, ev->cgroup, false);
	if (ev->file.len)
		dump_name(tb, ev, inst, LT_ATTR_FILE, &ev->file);
}

/*
 * While a thread takes its leader's place by exec, the old leader is dead and has the
 * thread's number and its own start. No task was ever called so.
 */
static bool is_old_leader(const struct lt_tasks *tb, const struct lt_task_event *ev)
{
	return ev->tid != ev->tgid && lt_tasks_find(tb, ev->tgid, ev->start);
}

static bool exec_since(struct lt_tasks *tb, struct lt_task_inst *t)
{
	const struct lt_task_live *l = t->live ? lt_tasks_live(tb, t) : NULL;

	return l && tb->snap.open && l->has_event & LT_ATTR_BIT(LT_ATTR_FILE) &&
	       l->time[LT_ATTR_FILE] >= tb->snap.begin;
}

static struct lt_task_verdict decide(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	uint32_t inst = lt_tasks_find(tb, ev->tid, ev->start);
	struct lt_task_inst *t = inst ? lt_tasks_inst(tb, inst) : NULL;
	bool exiting = ev->flags & LT_TASK_FLAG_EXITING;

	return lt_rule_state(t, exiting, !t && exiting && is_old_leader(tb, ev),
			     t && exiting && exec_since(tb, t));
}

/* Records that the snapshot has the task. */
static void mark_met(struct lt_tasks *tb, struct lt_task_inst *t, bool exiting)
{
	if (!exiting && t->marks & LT_TASK_MARK_LEADER_FIRST && t->end < tb->snap.begin)
		t->marks |= LT_TASK_MARK_SEEN_LATER;
	if (tb->snap.purpose == LT_SNAPSHOT_INITIAL)
		t->marks |= LT_TASK_MARK_INITIAL;
	else if (tb->snap.purpose == LT_SNAPSHOT_FINAL && !exiting)
		t->marks |= LT_TASK_MARK_FINAL;
}

static void take_state(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	struct lt_task_verdict v = decide(tb, ev);
	struct lt_task_inst *t;
	uint32_t inst;

	if (v.act == LT_ACT_NONE)
		return;
	inst = lt_life_see(tb, ev, ev->tid, ev->tgid, ev->start, v.act == LT_ACT_LIVE);
	if (!inst)
		return;
	t = lt_tasks_inst(tb, inst);
	fill_unborn(tb, ev, inst);
	lt_tasks_notify(tb, LT_NOTICE_STATE, ev, inst, 0);
	if (tb->snap.open && tb->snap.epoch == ev->epoch)
		mark_met(tb, t, v.act == LT_ACT_END);
	take_values(tb, ev, inst);
	/* A leader that has ended may yet live on: as the thread that takes its place. */
	if (!lt_task_ended(t) || t->marks & LT_TASK_MARK_LEADER_FIRST ||
	    (t->ending == LT_TASK_END_FOUND_EXITING && t->tgid == t->tid))
		lt_tasks_live(tb, t)->epoch = ev->epoch;
	if (lt_task_ended(t))
		return;
	lt_link_last_parent(tb, ev, inst);
	if (v.act == LT_ACT_END)
		lt_life_end_unseen(tb, ev, inst, LT_TASK_END_FOUND_EXITING);
}

static void end_missing(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	const uint32_t *living;
	size_t n;

	living = lt_tasks_living(tb, &n);
	for (size_t i = 0; i < n; i++) {
		uint32_t inst = living[i];

		/* The record of a thread may have come before that of its leader. */
		lt_link_leader(tb, inst);
		if (lt_rule_missing(lt_tasks_inst(tb, inst), tb->snap.begin,
				    lt_tasks_epoch(tb, inst) == ev->epoch).act == LT_ACT_END)
			lt_life_end_unseen(tb, ev, inst, LT_TASK_END_MISSING);
	}
}

/* Observers come first: they decide about tasks that are missing before these are ended. */
static void take_end(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	lt_tasks_notify(tb, LT_NOTICE_OTHER, ev, 0, 0);
	if (!tb->snap.open || tb->snap.epoch != ev->epoch)
		return;
	if (ev->complete) {
		end_missing(tb, ev);
		if (tb->snap.purpose == LT_SNAPSHOT_INITIAL) {
			tb->snap.had_initial = true;
			tb->snap.initial_end = ev->time;
		}
	}
	tb->snap.open = false;
}

void lt_on_snapshot(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	if (ev->id == LT_EV_STATE) {
		take_state(tb, ev);
	} else if (ev->id == LT_EV_SNAP_END) {
		take_end(tb, ev);
	} else {
		take_begin(tb, ev);
		lt_tasks_notify(tb, LT_NOTICE_OTHER, ev, 0, 0);
	}
}
