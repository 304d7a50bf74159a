// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of tasks.
 */
#include "import/internal.h"

#define CLONE_PARENT	0x8000U
#define CLONE_THREAD	0x10000U

/* ------------------------------------------------------------------------
 * Births
 */

/* Who called fork: of task_newtask the task that runs, of sched_process_fork it is named. */
static struct lt_import_task *creator_of(struct lt_import *im, const struct lt_import_event *ev)
{
	int32_t tid = ev->kind == LT_IMPORT_FORK && ev->old_tid ? ev->old_tid : ev->pid;

	return lt_import_task(im, tid, ev->time);
}

/* The kernel has two events of a birth, the one directly behind the other. */
static bool is_second(struct lt_import *im, const struct lt_import_event *ev)
{
	struct lt_import_task *task = lt_import_find(im, ev->tid);

	if (ev->kind != LT_IMPORT_FORK || !task || task->dead || !task->half)
		return false;
	task->half = false;
	return true;
}

/* The process and the parent of a new task, as far as both follow from what is known. */
static void link_birth(struct lt_import_task *task, const struct lt_import_task *creator,
		       const struct lt_import_event *ev)
{
	uint64_t flags = ev->clone_flags;

	if (ev->flags_known && !(flags & CLONE_THREAD)) {
		task->tgid = task->tid;
		task->leader_start = task->start;
	}
	if (!creator || !ev->flags_known)
		return;
	if (flags & CLONE_THREAD) {
		task->tgid = creator->tgid;
		task->leader_start = creator->leader_start;
	}
	if (flags & (CLONE_THREAD | CLONE_PARENT)) {
		task->parent = creator->parent;
		task->parent_start = creator->parent_start;
	} else if (creator->tgid) {
		task->parent = creator->tgid;
		task->parent_start = creator->leader_start;
	} else {
		/* Some thread of the parent. */
		task->parent = creator->tid;
		task->parent_start = creator->start;
	}
}

/* A task that the source names, as it is now; all 0: none. */
static struct lt_import_task named(struct lt_import *im, int32_t tid, uint64_t now)
{
	const struct lt_import_task *task = lt_import_task(im, tid, now);

	return task ? *task : (struct lt_import_task){ 0 };
}

/* What the source says of process and parent, which outranks what follows. */
static void name_birth(struct lt_import_task *task, const struct lt_import_task *leader,
		       const struct lt_import_task *parent)
{
	if (leader->tid && leader->tid != task->tid) {
		task->tgid = leader->tid;
		task->leader_start = leader->start;
	}
	if (parent->tid) {
		task->parent = parent->tid;
		task->parent_start = parent->start;
	}
}

static void take_birth(struct lt_import *im, struct lt_encoder *e, const struct lt_import_event *ev)
{
	struct lt_import_task *task, *at = NULL, creator = { 0 }, leader, parent;
	struct lt_rec_TASK_NEW rec = { 0 };

	if (is_second(im, ev))
		return;
	at = creator_of(im, ev);
	if (at)
		creator = *at;
	leader = named(im, ev->tgid == ev->tid ? 0 : ev->tgid, ev->time);
	parent = named(im, ev->ppid, ev->time);
	task = lt_import_born(im, ev->tid, ev->time);
	if (!task) {
		im->counts.unusable++;
		return;
	}
	link_birth(task, at ? &creator : NULL, ev);
	name_birth(task, &leader, &parent);
	/* A source without names: a new task has its creator's. */
	if (ev->name[0] || creator.comm_known) {
		lt_import_set_comm(task->comm, ev->name[0] ? ev->name : creator.comm);
		task->comm_known = true;
	}
	task->half = ev->kind == LT_IMPORT_NEWTASK;
	rec.tid = task->tid;
	rec.tgid = task->tgid;
	rec.start = task->start;
	rec.creator = creator.tid;
	rec.creator_start = creator.start;
	rec.parent = task->parent;
	rec.parent_start = task->parent_start;
	rec.clone_flags = ev->clone_flags;
	rec.oom_score_adj = ev->oom_score_adj;
	memcpy(rec.comm, task->comm, sizeof(rec.comm));
	lt_encode_record(e, ev->time, ev->context, LT_EV_TASK_NEW, &rec);
}

/* ------------------------------------------------------------------------
 * Programs, names, ends
 */

static void move_call(struct lt_import_task *to, const struct lt_import_task *from)
{
	to->called = from->called;
	to->nr = from->nr;
	to->begin = from->begin;
	to->places = from->places;
	memcpy(to->args, from->args, sizeof(to->args));
}

/*
 * The number before of a task that executes a program. Where the source does not say it, and the
 * leader has exited, it is the last thread that is left: there is no other one then.
 */
static int32_t executor_of(struct lt_import *im, const struct lt_import_event *ev)
{
	const struct lt_import_task *leader = lt_import_find(im, ev->tid), *last = NULL;

	if (ev->old_tid || !leader || !leader->dead)
		return ev->old_tid;
	for (size_t i = 0; i < im->tasks.n; i++) {
		const struct lt_import_task *task = &im->tasks.all[i];

		if (task->tgid != leader->tid || task == leader || task->dead)
			continue;
		if (last)
			return 0;
		last = task;
	}
	return last ? (int32_t)last->tid : 0;
}

/* The task that executes a program leads its process from here on. */
static void take_exec(struct lt_import *im, struct lt_encoder *e, const struct lt_import_event *ev)
{
	struct lt_import_task *task, *at, old = { 0 };
	struct lt_rec_EXEC rec = { 0 };
	int32_t old_tid = executor_of(im, ev);
	bool thread = old_tid && old_tid != ev->tid;

	at = thread ? lt_import_alive(im, old_tid, ev->time) : NULL;
	if (at) {
		old = *at;
		/* Its call returns in the leader. */
		at->called = false;
		lt_import_died(im, at);
	}
	task = thread ? lt_import_task(im, ev->tid, ev->time) :
			lt_import_alive(im, ev->tid, ev->time);
	if (!task) {
		im->counts.unusable++;
		return;
	}
	task->dead = false;
	task->tgid = task->tid;
	task->leader_start = task->start;
	if (at)
		move_call(task, &old);
	rec.tid = task->tid;
	rec.start = task->start;
	rec.old_tid = thread ? (uint32_t)old_tid : task->tid;
	rec.old_start = thread ? old.start : task->start;
	lt_encode_exec(e, ev->time, ev->context, &rec, ev->path ? ev->path : "");
}

static void take_rename(struct lt_import *im, struct lt_encoder *e,
			const struct lt_import_event *ev)
{
	struct lt_import_task *task = lt_import_task(im, ev->tid, ev->time);
	struct lt_rec_RENAME rec = { 0 };

	if (!task) {
		im->counts.unusable++;
		return;
	}
	lt_import_set_comm(rec.old, ev->old[0] ? ev->old : task->comm);
	lt_import_set_comm(task->comm, ev->name);
	task->comm_known = true;
	rec.tid = task->tid;
	rec.start = task->start;
	memcpy(rec.comm, task->comm, sizeof(rec.comm));
	lt_encode_record(e, ev->time, ev->context, LT_EV_RENAME, &rec);
}

static void take_exit(struct lt_import *im, struct lt_encoder *e, const struct lt_import_event *ev)
{
	struct lt_import_task *task = lt_import_alive(im, ev->tid, ev->time);
	struct lt_rec_EXIT rec = { 0 };

	if (!task) {
		im->counts.unusable++;
		return;
	}
	if (ev->name[0]) {
		lt_import_set_comm(task->comm, ev->name);
		task->comm_known = true;
	}
	rec.tid = task->tid;
	rec.tgid = task->tgid;
	rec.start = task->start;
	rec.group_dead = ev->group_dead == 1;
	rec.code = ev->code;
	rec.parent = task->parent;
	rec.parent_start = task->parent_start;
	memcpy(rec.comm, task->comm, sizeof(rec.comm));
	lt_encode_record(e, ev->time, ev->context, LT_EV_EXIT, &rec);
	lt_import_sys_open(im, ev, task, LT_SYS_DIED);
	lt_import_died(im, task);
}

bool lt_import_identity(struct lt_import *im, int32_t tid, uint64_t *start)
{
	const struct lt_import_task *task = lt_import_find(im, tid);

	if (task)
		*start = task->start;
	return task;
}

void lt_import_pid(struct lt_import *im, const struct lt_import_event *ev)
{
	struct lt_encoder *e = lt_import_stream(im, LT_CHANNEL_PID, ev->cpu);

	switch (ev->kind) {
	case LT_IMPORT_NEWTASK:
	case LT_IMPORT_FORK:
		take_birth(im, e, ev);
		break;
	case LT_IMPORT_EXEC:
		take_exec(im, e, ev);
		break;
	case LT_IMPORT_RENAME:
		take_rename(im, e, ev);
		break;
	default:
		take_exit(im, e, ev);
		break;
	}
}
