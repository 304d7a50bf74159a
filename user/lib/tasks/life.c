// SPDX-License-Identifier: GPL-2.0
/*
 * Births, ends, and who belongs to whom.
 */
#include "tasks/internal.h"

#define CLONE_PARENT	0x8000U
#define CLONE_THREAD	0x10000U

/* ------------------------------------------------------------------------
 * Instances and their numbers
 */

/* In the order in which links may lead: to what was started before. */
bool lt_task_older(const struct lt_tasks *tb, uint32_t a, uint32_t b)
{
	const struct lt_task_inst *x = lt_tasks_get(tb, a), *y = lt_tasks_get(tb, b);

	if (x->start != y->start)
		return x->start < y->start;
	return x->tid < y->tid;
}

/*
 * The end of a task was not seen, but it is known to be dead by now. A record
 * that tells the true end may still come.
 */
void lt_task_end_bounded(struct lt_tasks *tb, const struct lt_task_event *ev,
			 uint32_t inst, enum lt_task_ending ending)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);

	if (lt_task_ended(t))
		return;
	t->end = ev->time;
	t->ending = (uint8_t)ending;
	t->death_is = LT_BOUNDED;
	lt_task_settle(tb, t);
	/* It may be undone, by exec. */
	if (ending != LT_TASK_END_FOUND_EXITING || t->tgid != t->tid)
		lt_tasks_bury(tb, t);
	lt_tasks_notify(tb, LT_NOTICE_ENDED, ev, inst, 0);
}

/* The instance holds its number now, unless one that was started later does. */
static void take_number(struct lt_tasks *tb, const struct lt_task_event *ev,
			uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);
	uint64_t *slot = lt_tasks_slot(tb, LT_MAP_HOLDER, t->tid, 0);
	uint32_t other = (uint32_t)*slot;

	lt_tasks_notify(tb, LT_NOTICE_SEEN, ev, inst, other);
	if (other && lt_task_older(tb, inst, other)) {
		lt_task_end_bounded(tb, ev, inst, LT_TASK_END_NUMBER_REUSED);
		return;
	}
	lt_tasks_fill_slot(tb, LT_MAP_HOLDER, slot, inst);
	if (!other)
		return;
	t->marks |= LT_TASK_MARK_REUSED;
	tb->totals.again++;
	if (!lt_task_ended(lt_tasks_get(tb, other))) {
		/* An exec may still tell that it had become another. */
		lt_tasks_live(tb, t)->before = other;
		lt_task_end_bounded(tb, ev, other, LT_TASK_END_NUMBER_REUSED);
	}
}

/* A task that was taken for dead is alive. */
static void revive(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);

	lt_tasks_notify(tb, LT_NOTICE_UNDONE, ev, inst, 0);
	t->ending = LT_TASK_END_ALIVE;
	t->code = 0;
	t->seen = ev->time;
	t->marks &= ~(uint32_t)(LT_TASK_MARK_WAS_RELEASED | LT_TASK_MARK_LEADER_FIRST |
				LT_TASK_MARK_LAST |
				LT_TASK_MARK_SEEN_LATER);
	lt_tasks_enlist(tb, inst);
}

/* Something is told of a task whose end was known, or deduced. */
static void seen_after_end(struct lt_tasks *tb, const struct lt_task_event *ev,
			   uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);

	/* What is told of a group is told of its leader; and see lt_task_on_exec(). */
	if (t->marks & LT_TASK_MARK_LEADER_FIRST) {
		/* Its threads can rename it, too. */
		if (ev->id != LT_EV_RENAME)
			t->marks |= LT_TASK_MARK_SEEN_LATER;
		return;
	}
	if (t->ending != LT_TASK_END_FOUND_EXITING)
		tb->totals.alive_again++;
	else if (ev->id == LT_EV_RENAME)
		t->marks |= LT_TASK_MARK_BY_NAME;
	if (t->ending == LT_TASK_END_FOUND_EXITING || t->ending == LT_TASK_END_MISSING)
		revive(tb, ev, inst);
}

static uint32_t make(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t tid,
		     uint64_t start)
{
	uint32_t inst = lt_tasks_make(tb, tid, start);
	struct lt_task_inst *t = lt_tasks_get(tb, inst);

	t->birth = ev->time;
	t->seen = ev->time;
	take_number(tb, ev, inst);
	return inst;
}

/**
 * lt_task_subject() - the instance that an event is about
 * @tgid: 0: the event does not say
 * @alive: the event shows that it lives
 * Return: 0: the idle task, which is none.
 */
uint32_t lt_task_subject(struct lt_tasks *tb, const struct lt_task_event *ev,
			 uint32_t tid, uint32_t tgid, uint64_t start, bool alive)
{
	struct lt_task_inst *t;
	uint32_t inst;

	if (!tid)
		return 0;
	inst = lt_tasks_find(tb, tid, start);
	if (!inst)
		inst = make(tb, ev, tid, start);
	t = lt_tasks_get(tb, inst);
	t->marks |= LT_TASK_MARK_SEEN;
	if (!t->tgid)
		t->tgid = tgid;
	if (!alive)
		return inst;
	if (lt_task_ended(t))
		seen_after_end(tb, ev, inst);
	if (!lt_task_ended(t)) {
		t->seen = ev->time;
		lt_tasks_enlist(tb, inst);
		if (ev->id != LT_EV_RENAME)
			t->marks &= ~(uint32_t)LT_TASK_MARK_BY_NAME;
	}
	return inst;
}

/* ------------------------------------------------------------------------
 * Links
 */

/*
 * The instance that @inst shall link to.
 *
 * If it is not known it becomes a placeholder. Before the initial snapshot was taken
 * that is no rare thing. Return: 0: none, or one that cannot be.
 */
static uint32_t link_to(struct lt_tasks *tb, const struct lt_task_event *ev,
			uint32_t inst, uint32_t tid, uint64_t start)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);
	uint32_t other;

	if (!tid)
		return 0;
	if (start > t->start || (start == t->start && tid >= t->tid)) {
		tb->totals.refused++;
		t->marks |= LT_TASK_MARK_LINK_REFUSED;
		return 0;
	}
	other = lt_tasks_find(tb, tid, start);
	if (other)
		return other;
	if (tb->placeholders >= tb->config.max_placeholders) {
		tb->totals.left_out++;
		return 0;
	}
	tb->placeholders++;
	return make(tb, ev, tid, start);
}

static uint32_t link_creator(struct lt_tasks *tb, const struct lt_task_event *ev,
			     uint32_t inst)
{
	uint32_t other = link_to(tb, ev, inst, ev->creator, ev->creator_start);
	struct lt_task_inst *t;

	if (!other)
		return 0;
	t = lt_tasks_get(tb, other);
	if (!lt_task_ended(t)) {
		t->seen = ev->time;
		lt_tasks_enlist(tb, other);
	} else if (t->marks & LT_TASK_MARK_LEADER_FIRST && t->end < ev->time) {
		t->marks |= LT_TASK_MARK_SEEN_LATER;
	}
	return other;
}

/* The parent at the birth, or at the first sight of it. */
void lt_task_set_parent(struct lt_tasks *tb, const struct lt_task_event *ev,
			uint32_t inst)
{
	uint32_t other = link_to(tb, ev, inst, ev->parent, ev->parent_start);
	struct lt_task_inst *t = lt_tasks_get(tb, inst);

	if (!ev->parent)
		t->marks |= LT_TASK_MARK_TOP;
	if (other && !lt_tasks_get(tb, other)->tgid)
		lt_tasks_get(tb, other)->tgid = ev->parent;
	t->parent = other;
	t->last_parent = other;
	lt_task_note_parent(tb, inst, t->marks & LT_TASK_MARK_BORN ? ev->time : 0);
}

/*
 * The leader of a thread's group: who holds its number, as it does, dead or alive, as
 * long as a thread is left.
 */
void lt_task_find_leader(struct lt_tasks *tb, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);
	const struct lt_task_inst *l;
	uint32_t leader;

	if (!lt_task_is_thread(t) || t->leader)
		return;
	leader = lt_tasks_holder(tb, t->tgid);
	if (!leader || !lt_task_older(tb, leader, inst))
		return;
	l = lt_tasks_get(tb, leader);
	/* With that group it ended before; whose this is nobody knows. */
	if (l->marks & LT_TASK_MARK_LAST && l->end < t->birth)
		return;
	/* Nor does who was released lead those that are born behind it. */
	if (t->marks & LT_TASK_MARK_BORN &&
	    (l->marks & LT_TASK_MARK_WAS_RELEASED ? l->release < t->birth :
	     l->ending == LT_TASK_END_RELEASED && l->end < t->birth))
		return;
	t->leader = leader;
}

void lt_task_set_last_parent(struct lt_tasks *tb, const struct lt_task_event *ev,
			     uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);
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
	lt_task_note_parent(tb, inst, ev->time);
}

/* ------------------------------------------------------------------------
 * Events
 */

static void fill_birth(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);

	t->creator = link_creator(tb, ev, inst);
	lt_task_set_parent(tb, ev, inst);
	lt_task_find_leader(tb, inst);
	t->flags = ev->flags & (LT_TASK_FLAG_KTHREAD | LT_TASK_FLAG_IO_WORKER | LT_TASK_FLAG_USER_WORKER);
	t->ns = ev->ns;
	t->nr = ev->nr;
	t->generation = ev->generation > UINT32_MAX ? UINT32_MAX : (uint32_t)ev->generation;
	t->ino = ev->ino;
	lt_task_inherit(tb, inst, ev->time);
	lt_task_attr_born(tb, inst, LT_ATTR_COMM, ev->time,
			  lt_task_names_add(&tb->names, ev->comm.s, ev->comm.len));
	t->birth_comm = t->comm;
	lt_task_attr_born(tb, inst, LT_ATTR_OOM, ev->time, (uint64_t)(int64_t)ev->oom_score_adj);
	lt_task_attr_born(tb, inst, LT_ATTR_UID, ev->time, ev->uid);
	lt_task_attr_born(tb, inst, LT_ATTR_GID, ev->time, ev->gid);
	lt_task_attr_born(tb, inst, LT_ATTR_CGROUP, ev->time, ev->cgroup);
	if (ev->clone_flags & CLONE_PARENT && !(ev->clone_flags & CLONE_THREAD))
		t->marks |= LT_TASK_MARK_BY_OTHER;
}

void lt_task_on_new(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	uint32_t inst = lt_task_subject(tb, ev, ev->tid, ev->tgid, ev->start, true);
	struct lt_task_inst *t;

	if (!inst)
		return;
	t = lt_tasks_get(tb, inst);
	if (t->marks & LT_TASK_MARK_BORN) {
		tb->totals.twice++;
		return;
	}
	t->marks |= LT_TASK_MARK_BORN;
	/* Nobody dies before his birth, whatever the order of the events is. */
	if (!lt_task_ended(t))
		t->birth = ev->time;
	tb->totals.births++;
	fill_birth(tb, ev, inst);
	lt_tasks_notify(tb, LT_NOTICE_BORN, ev, inst, 0);
}

/*
 * For a thread to take over, the leader is dead. If that was not seen, or before the
 * end of the initial snapshot, then the thread may have had its leader's name when the
 * snapshot came to it, or no number when it came to its own.
 */
static bool was_met_as_leader(const struct lt_tasks *tb, const struct lt_task_event *ev,
			      const struct lt_task_inst *l, bool led)
{
	const struct lt_task_snapshot *s = &tb->snap;
	uint64_t end = s->had_initial ? lt_tasks_boot_time(tb, s->initial_end) : 0;

	/* What is revived keeps the time of its end. */
	if (!(l->marks & LT_TASK_MARK_INITIAL) || (!led && l->end > s->initial_end))
		return false;
	return !end || ev->old_start <= end;
}

/*
 * A thread has become the leader of its group, by executing a program: from here
 * on it is called as the leader was, and the leader's life goes on as its own.
 * Its own number was free before this event, and may be held by another already.
 */
static uint32_t end_thread(struct lt_tasks *tb, const struct lt_task_event *ev,
			   uint32_t leader, bool led)
{
	uint32_t inst = ev->old_start ? lt_tasks_find(tb, ev->old_tid, ev->old_start) :
					lt_tasks_holder(tb, ev->old_tid);
	struct lt_task_inst *t = inst ? lt_tasks_get(tb, inst) : NULL;

	if (t && t->tgid && t->tgid != ev->tid) {
		inst = t->live ? lt_tasks_live(tb, t)->before : 0;
		t = inst ? lt_tasks_get(tb, inst) : NULL;
		if (!t || (t->tgid && t->tgid != ev->tid)) {
			tb->totals.odd_execs++;
			return 0;
		}
	}
	if (!t && ev->old_start) {
		inst = lt_task_subject(tb, ev, ev->old_tid, ev->tid, ev->old_start, false);
		t = lt_tasks_get(tb, inst);
		if (was_met_as_leader(tb, ev, lt_tasks_get(tb, leader), led))
			t->marks |= LT_TASK_MARK_AS_LEADER;
	}
	if (!t || inst == leader || t->ending == LT_TASK_END_EXITED ||
	    t->ending == LT_TASK_END_BECAME_LEADER || !lt_task_older(tb, leader, inst)) {
		tb->totals.odd_execs++;
		return 0;
	}
	t->marks |= LT_TASK_MARK_SEEN;
	t->tgid = ev->tid;
	t->leader = leader;
	if (!lt_task_ended(t))
		lt_task_end_bounded(tb, ev, inst, LT_TASK_END_BECAME_LEADER);
	/* It may seem to have ended before: its number is free since the exchange. */
	t->end = ev->time;
	t->ending = LT_TASK_END_BECAME_LEADER;
	t->death_is = LT_EXACT;
	tb->totals.became_leaders++;
	lt_tasks_fill_slot(tb, LT_MAP_OLD_LEADER,
			   lt_tasks_slot(tb, LT_MAP_OLD_LEADER, t->tid,
					 lt_tasks_get(tb, leader)->start), inst);
	return inst;
}

/* What is told of a leader behind its end is the thread's already. */
static void take_over(struct lt_tasks *tb, const struct lt_task_event *ev,
		      uint32_t leader, uint32_t thread, bool led)
{
	const struct lt_task_inst *from = lt_tasks_get(tb, thread);
	const struct lt_task_inst *to = lt_tasks_get(tb, leader);
	const struct lt_task_live *l = lt_tasks_live(tb, lt_tasks_get(tb, leader));
	const struct { enum lt_task_attr a; uint64_t v; } attrs[] = {
		{ LT_ATTR_UID, from->uid }, { LT_ATTR_GID, from->gid },
		{ LT_ATTR_CGROUP, lt_tasks_cgroup(tb, from) },
	};

	for (unsigned int i = 0; i < 3; i++) {
		enum lt_task_attr a = attrs[i].a;

		if (!led && l->has_event & 1U << a && l->time[a] > to->end)
			continue;
		if (from->marks & LT_TASK_MARK_KNOWS << a)
			lt_task_attr_event(tb, leader, a, ev->time, attrs[i].v, NULL);
	}
}

void lt_task_on_exec(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	bool by_thread = ev->old_tid && ev->old_tid != ev->tid;
	uint32_t inst = lt_tasks_find(tb, ev->tid, ev->start), thread;
	bool led = inst && !lt_task_ended(lt_tasks_get(tb, inst));
	struct lt_task_inst *t;

	if (inst && by_thread && !led) {
		/* What exited was the task that led before; the process did not. */
		lt_tasks_get(tb, inst)->marks |= LT_TASK_MARK_LIVES_ON;
		revive(tb, ev, inst);
	}
	inst = lt_task_subject(tb, ev, ev->tid, ev->tid, ev->start, true);
	if (!inst)
		return;
	if (by_thread) {
		thread = end_thread(tb, ev, inst, led);
		lt_task_pass_name(tb, inst, thread);
		if (thread)
			take_over(tb, ev, inst, thread, led);
		lt_tasks_notify(tb, LT_NOTICE_EXEC_THREAD, ev, inst, thread);
	}
	tb->totals.execs++;
	t = lt_tasks_get(tb, inst);
	if (t->n_exec < UINT16_MAX)
		t->n_exec++;
	lt_task_attr_event(tb, inst, LT_ATTR_FILE, ev->time,
			   lt_task_names_add(&tb->names, ev->file.s, ev->file.len), NULL);
	if (t->n_exec == 1)
		t->first_file = t->file;
}

/* Of a leader that lives on, the task that was the leader before counts, too. */
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

static void set_end(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);
	bool was_alive = !lt_task_ended(t);

	t->end = ev->time;
	t->code = (uint16_t)ev->code;
	t->ending = LT_TASK_END_EXITED;
	t->death_is = LT_EXACT;
	lt_task_settle(tb, t);
	if (ev->group_dead) {
		const struct lt_task_inst *leader = t->leader ? lt_tasks_get(tb, t->leader) : t;

		t->marks |= LT_TASK_MARK_LAST;
		lt_task_note_group_end(tb, ev->time, leader->start);
		if (t->leader)
			lt_tasks_bury(tb, lt_tasks_get(tb, t->leader));
	} else if (t->tgid == t->tid) {
		t->marks |= LT_TASK_MARK_LEADER_FIRST;
	}
	if (!(t->marks & LT_TASK_MARK_LEADER_FIRST))
		lt_tasks_bury(tb, t);
	if (was_alive)
		lt_tasks_notify(tb, LT_NOTICE_ENDED, ev, inst, 0);
}

void lt_task_on_exit(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	uint32_t inst = lt_task_subject(tb, ev, ev->tid, ev->tgid, ev->start, false);
	struct lt_task_inst *t;

	if (!inst)
		return;
	t = lt_tasks_get(tb, inst);
	/* Nobody exits twice: a thread took its place, and exec failed or was not seen. */
	if (t->ending == LT_TASK_END_EXITED && t->marks & LT_TASK_MARK_LEADER_FIRST) {
		t->marks |= LT_TASK_MARK_LIVES_ON;
		revive(tb, ev, inst);
	}
	if (t->ending == LT_TASK_END_EXITED || t->ending == LT_TASK_END_BECAME_LEADER) {
		tb->totals.twice++;
		return;
	}
	lt_task_find_leader(tb, inst);
	add_usage(t, ev);
	lt_task_attr_dump(tb, inst, LT_ATTR_COMM, ev->time,
			  lt_task_names_add(&tb->names, ev->comm.s, ev->comm.len), true);
	/* Of the group, so told by its leader or by its last thread. */
	if (t->tgid == t->tid)
		lt_task_attr_dump(tb, inst, LT_ATTR_OOM, ev->time,
				  (uint64_t)(int64_t)ev->oom_score_adj, true);
	else if (ev->group_dead && t->leader)
		lt_task_attr_dump(tb, t->leader, LT_ATTR_OOM, ev->time,
				  (uint64_t)(int64_t)ev->oom_score_adj, true);
	if (!t->parent && !(t->marks & LT_TASK_MARK_BORN))
		lt_task_set_parent(tb, ev, inst);
	else
		lt_task_set_last_parent(tb, ev, inst);
	set_end(tb, ev, inst);
}

/* Its times with those of its way out, which the exit could not know. */
static void add_rest(struct lt_task_inst *t, const struct lt_task_event *ev)
{
	/* Of two tasks that were the leader only their sum is known. */
	if (t->marks & LT_TASK_MARK_LIVES_ON)
		return;
	if (ev->utime > t->utime)
		t->utime = ev->utime;
	if (ev->stime > t->stime)
		t->stime = ev->stime;
	if (ev->runtime > t->runtime)
		t->runtime = ev->runtime;
}

/* From RCU: long after the end, when its number may have another holder. */
void lt_task_on_release(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	uint32_t holder = lt_tasks_holder(tb, ev->tid);
	uint32_t inst = lt_tasks_find(tb, ev->tid, ev->start), thread;
	struct lt_task_inst *t;

	if (!inst) {
		thread = (uint32_t)*lt_tasks_slot(tb, LT_MAP_OLD_LEADER, ev->tid, ev->start);
		if (thread)
			lt_tasks_get(tb, thread)->marks |= LT_TASK_MARK_OLD_RELEASED;
		else
			tb->totals.stray++;
		lt_tasks_notify(tb, LT_NOTICE_RELEASED, ev, thread, holder);
		return;
	}
	lt_tasks_notify(tb, LT_NOTICE_RELEASED, ev, inst, holder);
	t = lt_tasks_get(tb, inst);
	t->marks |= LT_TASK_MARK_SEEN;
	if (!lt_task_ended(t)) {
		lt_task_end_bounded(tb, ev, inst, LT_TASK_END_RELEASED);
	} else if (t->ending == LT_TASK_END_EXITED && !(t->marks & LT_TASK_MARK_WAS_RELEASED)) {
		t->marks |= LT_TASK_MARK_WAS_RELEASED;
		t->release = ev->time;
		add_rest(t, ev);
	}
}

void lt_task_on_reused(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	uint32_t inst = lt_tasks_find(tb, ev->tid, ev->start);
	uint32_t old = lt_tasks_find(tb, ev->old_tid, ev->old_start);

	lt_tasks_notify(tb, LT_NOTICE_REUSED, ev, inst, old);
	if (inst)
		lt_tasks_get(tb, inst)->marks |= LT_TASK_MARK_REUSED;
	if (old && old != inst)
		lt_task_end_bounded(tb, ev, old, LT_TASK_END_NUMBER_REUSED);
}
