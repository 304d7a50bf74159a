// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots of all tasks, and namespaces.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tasks/internal.h"

/* ------------------------------------------------------------------------
 * Snapshots
 */

bool lt_tasks_snapshot_open(const struct lt_tasks *tb)
{
	return tb->snap.open;
}

/*
 * At the end of each snapshot all that live are looked at, and who lives on has been
 * told of since it began. One with the number or the time of that before it is none:
 * it could be repeated without an event, and take no end.
 */
static void on_begin(struct lt_tasks *tb, const struct lt_task_event *ev)
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

/* What a birth has told is not told better by a snapshot. */
static void fill_unborn(struct lt_tasks *tb, const struct lt_task_event *ev,
			uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);

	if (t->marks & LT_TASK_MARK_BORN)
		return;
	t->flags = ev->flags & (LT_TASK_FLAG_KTHREAD | LT_TASK_FLAG_IO_WORKER | LT_TASK_FLAG_USER_WORKER);
	t->ns = ev->ns;
	t->nr = ev->nr;
	t->ino = ev->ino;
	/* A dead task may have lost its parent already. */
	if (!ev->parent && ev->flags & LT_TASK_FLAG_EXITING)
		return;
	if (!t->parent && !(t->marks & (LT_TASK_MARK_TOP | LT_TASK_MARK_LINK_REFUSED)))
		lt_task_set_parent(tb, ev, inst);
}

/* A name, or a program: exec changes it some time before it tells. */
static void dump_name(struct lt_tasks *tb, const struct lt_task_event *ev,
		      uint32_t inst, enum lt_task_attr a, const struct lt_task_text *text)
{
	uint64_t name = lt_task_names_add(&tb->names, text->s, text->len);

	if (ev->flags & LT_TASK_FLAG_IN_EXEC)
		lt_task_attr_presume(tb, inst, a, ev->time, name);
	else
		lt_task_attr_dump(tb, inst, a, ev->time, name, false);
}

static void take_values(struct lt_tasks *tb, const struct lt_task_event *ev,
			uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);

	/*
	 * A leader that had exited, and is alive: that is the thread that takes its place.
	 * What is the thread's is told by exec.
	 */
	if (t->marks & LT_TASK_MARK_LEADER_FIRST && !(ev->flags & LT_TASK_FLAG_EXITING))
		return;
	dump_name(tb, ev, inst, LT_ATTR_COMM, &ev->comm);
	if (!(t->marks & LT_TASK_MARK_BORN) && !t->birth_comm)
		t->birth_comm = t->comm;
	if (t->tgid == t->tid)
		lt_task_attr_dump(tb, inst, LT_ATTR_OOM, ev->time,
				  (uint64_t)(int64_t)ev->oom_score_adj, false);
	lt_task_attr_dump(tb, inst, LT_ATTR_UID, ev->time, ev->uid, false);
	lt_task_attr_dump(tb, inst, LT_ATTR_GID, ev->time, ev->gid, false);
	lt_task_attr_dump(tb, inst, LT_ATTR_CGROUP, ev->time, ev->cgroup, false);
	if (ev->file.len)
		dump_name(tb, ev, inst, LT_ATTR_FILE, &ev->file);
}

/*
 * While a thread takes its leader's place by exec, the old leader is dead, and has the
 * thread's number with its own start already: no task was ever called so.
 */
static bool is_old_leader(const struct lt_tasks *tb, const struct lt_task_event *ev)
{
	return ev->flags & LT_TASK_FLAG_EXITING && ev->tid != ev->tgid &&
	       lt_tasks_find(tb, ev->tgid, ev->start);
}

/*
 * A record may be written long after the look at the task: the leader that was dead
 * then is another one, if exec told so meanwhile.
 */
static bool was_replaced(struct lt_tasks *tb, struct lt_task_inst *t)
{
	const struct lt_task_live *l = t && t->live ? lt_tasks_live(tb, t) : NULL;

	return l && tb->snap.open && !lt_task_ended(t) && l->has_event & 1U << LT_ATTR_FILE &&
	       l->time[LT_ATTR_FILE] >= tb->snap.begin;
}

static void on_state(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	uint32_t inst = lt_tasks_find(tb, ev->tid, ev->start);
	struct lt_task_inst *t = inst ? lt_tasks_get(tb, inst) : NULL;
	bool exiting = ev->flags & LT_TASK_FLAG_EXITING && !was_replaced(tb, t);
	/* It may have exited between the look at it and the record. */
	bool alive = !exiting && !(t && t->ending != LT_TASK_END_MISSING &&
				   t->ending != LT_TASK_END_FOUND_EXITING && lt_task_ended(t));

	if (!inst && is_old_leader(tb, ev))
		return;
	inst = lt_task_subject(tb, ev, ev->tid, ev->tgid, ev->start, alive);
	if (!inst)
		return;
	t = lt_tasks_get(tb, inst);
	fill_unborn(tb, ev, inst);
	lt_tasks_notify(tb, LT_NOTICE_STATE, ev, inst, 0);
	if (tb->snap.open && tb->snap.epoch == ev->epoch) {
		if (!exiting && t->marks & LT_TASK_MARK_LEADER_FIRST && t->end < tb->snap.begin)
			t->marks |= LT_TASK_MARK_SEEN_LATER;
		if (tb->snap.purpose == 0)
			t->marks |= LT_TASK_MARK_INITIAL;
		else if (tb->snap.purpose == 2 && !exiting)
			t->marks |= LT_TASK_MARK_FINAL;
	}
	take_values(tb, ev, inst);
	/* An exec may yet tell that a leader lives on, as the thread that took its place. */
	if (!lt_task_ended(t) || t->marks & LT_TASK_MARK_LEADER_FIRST ||
	    (t->ending == LT_TASK_END_FOUND_EXITING && t->tgid == t->tid))
		lt_tasks_live(tb, t)->epoch = ev->epoch;
	if (lt_task_ended(t))
		return;
	lt_task_set_last_parent(tb, ev, inst);
	if (exiting)
		lt_task_end_bounded(tb, ev, inst, LT_TASK_END_FOUND_EXITING);
}

/*
 * Who lived before a complete snapshot began, and is not in it, has ended. That an
 * end has not been seen is for the observers to judge, before it is closed here.
 */
static void on_end(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	const uint32_t *living;
	size_t n;

	lt_tasks_notify(tb, LT_NOTICE_OTHER, ev, 0, 0);
	if (!tb->snap.open || tb->snap.epoch != ev->epoch)
		return;
	if (ev->complete) {
		living = lt_tasks_living(tb, &n);
		for (size_t i = 0; i < n; i++) {
			/* A thread may come before its leader. */
			lt_task_find_leader(tb, living[i]);
			if (lt_tasks_get(tb, living[i])->seen < tb->snap.begin &&
			    lt_tasks_epoch(tb, living[i]) != ev->epoch)
				lt_task_end_bounded(tb, ev, living[i], LT_TASK_END_MISSING);
		}
		if (!tb->snap.purpose) {
			tb->snap.had_initial = true;
			tb->snap.initial_end = ev->time;
		}
	}
	tb->snap.open = false;
}

void lt_task_on_snapshot(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	if (ev->id == LT_EV_STATE) {
		on_state(tb, ev);
	} else if (ev->id == LT_EV_SNAP_END) {
		on_end(tb, ev);
	} else {
		on_begin(tb, ev);
		lt_tasks_notify(tb, LT_NOTICE_OTHER, ev, 0, 0);
	}
}

/* ------------------------------------------------------------------------
 * Namespaces
 */

static struct lt_task_ns *get_namespace(struct lt_tasks *tb, uint16_t id)
{
	if (id >= tb->n_namespaces)
		tb->namespaces = lt_extend(tb->namespaces, &tb->n_namespaces, (size_t)id + 1,
					   sizeof(*tb->namespaces));
	if (!tb->namespaces[id]) {
		tb->namespaces[id] = lt_alloc(sizeof(struct lt_task_ns));
		tb->namespaces[id]->id = id;
	}
	return tb->namespaces[id];
}

void lt_task_namespace_event(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	struct lt_task_ns *n;

	if (!ev->ns)
		return;
	n = get_namespace(tb, ev->ns);
	n->generation = ev->generation;
	if (ev->id == LT_EV_WRAP) {
		tb->totals.wraps++;
		tb->totals.cursor_wraps += ev->why == 1;
		return;
	}
	n->wraps = ev->wraps;
	n->allocated = ev->allocated;
	n->born = ev->born;
	n->burned = ev->burned;
	if (ev->id == LT_EV_PID_NS_GONE) {
		n->gone = true;
		return;
	}
	n->parent = (uint16_t)ev->parent;
	n->level = ev->level;
	n->exact = ev->exact;
	n->inum = ev->inum;
	n->init_tid = ev->init_tid;
	n->init_start = ev->init_start;
}
