// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Values of attributes: births and events set them, snapshots and exits confirm or
 * contradict them. lt_rule_dumped_value() and lt_rule_value_before() decide; this file
 * applies their verdicts.
 */
#include "tasks/internal.h"

static uint64_t current_value(const struct lt_tasks *tb, const struct lt_task_inst *t,
			      enum lt_task_attr a)
{
	switch (a) {
	case LT_ATTR_COMM:
		return t->comm;
	case LT_ATTR_OOM:
		return (uint64_t)(int64_t)t->oom_score_adj;
	case LT_ATTR_UID:
		return t->uid;
	case LT_ATTR_GID:
		return t->gid;
	case LT_ATTR_CGROUP:
		return lt_tasks_cgroup(tb, t);
	case LT_ATTR_FILE:
		return t->file;
	default:
		return t->last_parent;
	}
}

static void put_value(struct lt_tasks *tb, struct lt_task_inst *t, enum lt_task_attr a,
		      uint64_t value)
{
	t->marks |= (uint32_t)LT_TASK_MARK_KNOWN << a;
	switch (a) {
	case LT_ATTR_COMM:
		t->comm = (uint32_t)value;
		break;
	case LT_ATTR_OOM:
		t->oom_score_adj = (int16_t)value;
		break;
	case LT_ATTR_UID:
		t->uid = (uint32_t)value;
		break;
	case LT_ATTR_GID:
		t->gid = (uint32_t)value;
		break;
	case LT_ATTR_CGROUP:
		t->cgroup = lt_intern_number(&tb->cgroups, value);
		break;
	case LT_ATTR_FILE:
		t->file = (uint32_t)value;
		break;
	default:
		break;
	}
}

/* Puts in force, and keeps in the history. */
static void set_value(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a, uint64_t time,
		      uint64_t value, enum lt_task_source source)
{
	put_value(tb, lt_tasks_inst(tb, inst), a, value);
	lt_history_add(tb, inst, a, time, value, source);
}

static const struct lt_task_live *live_or_null(const struct lt_tasks *tb,
					       const struct lt_task_inst *t)
{
	return t->live ? lt_pool_at(&tb->lives, t->live) : NULL;
}

/* Time of an attribute's last event; without one, of the birth. */
static uint64_t last_event(const struct lt_tasks *tb, const struct lt_task_inst *t,
			   enum lt_task_attr a)
{
	const struct lt_task_live *l = live_or_null(tb, t);

	return l && l->has_event & LT_ATTR_BIT(a) ? l->time[a] : lt_task_from_birth(t);
}

/* Counts a change without an event. Return: false: its event may have been lost. */
static bool count_silent(struct lt_tasks *tb, enum lt_task_attr a, uint64_t since)
{
	bool lost = tb->lost_end[LT_LOST_CHANGES] > since;

	if (lost)
		tb->totals.unseen[a]++;
	else
		tb->totals.silent[a]++;
	return !lost;
}

/* ------------------------------------------------------------------------
 * Births and events
 */

void lt_attr_born(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a, uint64_t time,
		  uint64_t value)
{
	set_value(tb, inst, a, time, value, LT_FROM_EVENT);
}

/* Applies what an event says of the value before it. */
static void take_value_before(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
			      uint64_t time, uint64_t value, const uint64_t *old)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	uint64_t now = current_value(tb, t, a);
	struct lt_task_verdict v = lt_rule_value_before(a, lt_task_has_value(t, a) ? &now : NULL,
							value, old, lt_task_ended(t));

	if (v.act == LT_ACT_DOUBT) {
		lt_history_shorten_dump(tb, inst, a, time, value);
	} else if (v.act == LT_ACT_TAKE && v.why == LT_REASON_FIRST_VALUE) {
		lt_history_add(tb, inst, a, lt_task_from_birth(t), *old, LT_FROM_OLD);
	} else if (v.act == LT_ACT_TAKE) {
		if (count_silent(tb, a, last_event(tb, t, a)))
			lt_tasks_live(tb, t)->silent |= LT_ATTR_BIT(a);
		lt_history_add(tb, inst, a, time, *old, LT_FROM_SILENT);
	}
}

/**
 * lt_attr_event() - an event has changed a value
 * @old: the value before, as the event says; NULL: it does not say
 */
void lt_attr_event(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a, uint64_t time,
		   uint64_t value, const uint64_t *old)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	struct lt_task_live *l = lt_tasks_live(tb, t);
	uint8_t bit = LT_ATTR_BIT(a);

	l->silent &= (uint8_t)~bit;
	take_value_before(tb, inst, a, time, value, old);
	l->time[a] = time;
	l->has_event |= bit;
	l->has_old &= (uint8_t)~bit;
	if (old || lt_task_has_value(t, a)) {
		l->old[a] = old ? *old : current_value(tb, t, a);
		l->has_old |= bit;
	}
	set_value(tb, inst, a, time, value, LT_FROM_EVENT);
}

/* ------------------------------------------------------------------------
 * Snapshots and exits
 */

/* From @at on, the first byte in which two names differ; they are padded with zeros. */
static size_t differ_at(const struct lt_tasks *tb, uint32_t name, uint32_t other, size_t at)
{
	size_t len, other_len;
	const char *s = lt_tasks_name(tb, name, &len), *o = lt_tasks_name(tb, other, &other_len);

	while (at < len || at < other_len) {
		if ((at < len ? s[at] : 0) != (at < other_len ? o[at] : 0))
			return at;
		at++;
	}
	return SIZE_MAX;
}

/*
 * Whether a name was read while it was overwritten: from 6.13 on without a lock. It begins
 * as the new name and goes on as the old one; its writer may be preempted there.
 */
static bool is_torn(const struct lt_tasks *tb, uint64_t name, uint64_t old, uint64_t new)
{
	size_t at = differ_at(tb, (uint32_t)name, (uint32_t)new, 0);

	return differ_at(tb, (uint32_t)name, (uint32_t)old, at) == SIZE_MAX;
}

static bool is_before_event(const struct lt_tasks *tb, const struct lt_task_inst *t,
			    enum lt_task_attr a, uint64_t dumped)
{
	const struct lt_task_live *l = live_or_null(tb, t);

	if (!l || !(l->has_old & LT_ATTR_BIT(a)))
		return false;
	return l->old[a] == dumped ||
	       (a == LT_ATTR_COMM && is_torn(tb, dumped, l->old[a], t->comm));
}

static bool has_event_since(const struct lt_tasks *tb, const struct lt_task_inst *t,
			    enum lt_task_attr a)
{
	const struct lt_task_live *l = live_or_null(tb, t);

	if (!(l && l->has_event & LT_ATTR_BIT(a)) && !(t->marks & LT_TASK_MARK_BORN))
		return false;
	return tb->snap.open && last_event(tb, t, a) >= tb->snap.begin;
}

static void contradict(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a, uint64_t time,
		       uint64_t value, bool at_once)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	struct lt_task_verdict v = lt_rule_dumped_value(lt_task_ended(t), at_once,
							has_event_since(tb, t, a),
							is_before_event(tb, t, a, value));

	if (v.act == LT_ACT_TAKE) {
		count_silent(tb, a, last_event(tb, t, a));
		set_value(tb, inst, a, time, value, LT_FROM_SILENT);
	} else if (v.why != LT_REASON_ENDED) {
		lt_history_add_before(tb, inst, a, value);
	}
}

/**
 * lt_attr_dump() - a value was read, by a snapshot or at the exit
 * @at_once: its record was written when the value was read
 */
void lt_attr_dump(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a, uint64_t time,
		  uint64_t value, bool at_once)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);

	if (a == LT_ATTR_CGROUP)
		lt_attr_settle(tb, t);
	if (!lt_task_has_value(t, a)) {
		/* A program that was inherited is only presumed. */
		bool same = a != LT_ATTR_FILE || t->file == value || !t->file;

		set_value(tb, inst, a, same ? lt_task_from_birth(t) : time, value, LT_FROM_DUMP);
	} else if (current_value(tb, t, a) == value) {
		lt_history_confirm(tb, inst, a, value);
	} else {
		contradict(tb, inst, a, time, value, at_once);
	}
}

/**
 * lt_attr_presume() - a value was read in the middle of an exec
 *
 * The value is taken only if nothing else is known. Since when it holds is not known.
 */
void lt_attr_presume(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a, uint64_t time,
		     uint64_t value)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);

	if (!lt_task_has_value(t, a) && (a != LT_ATTR_FILE || !t->file))
		set_value(tb, inst, a, time, value, LT_FROM_DUMP);
}

/* ------------------------------------------------------------------------
 * Values of other tasks
 */

/* A new task runs the program of its creator. */
void lt_attr_inherit(struct lt_tasks *tb, uint32_t inst, uint64_t time)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	const struct lt_task_inst *from = t->creator ? lt_tasks_inst(tb, t->creator) : NULL;

	if (!from || !from->file || t->flags & LT_TASK_FLAG_KTHREAD ||
	    lt_task_has_value(t, LT_ATTR_FILE))
		return;
	t->file = from->file;
	lt_history_add(tb, inst, LT_ATTR_FILE, time, t->file, LT_FROM_CREATOR);
}

/**
 * lt_attr_pass_name() - the name before the leader's last rename was that of a thread
 * @thread: the thread; 0: not known
 *
 * Exec renames the thread when it has its leader's identity already; only the record that
 * follows names the thread. No other task has the leader's identity in between.
 */
void lt_attr_pass_name(struct lt_tasks *tb, uint32_t leader, uint32_t thread)
{
	struct lt_task_live *l = lt_tasks_live(tb, lt_tasks_inst(tb, leader));
	const enum lt_task_attr a = LT_ATTR_COMM;
	struct lt_task_inst *t;

	if (!(l->has_event & l->has_old & LT_ATTR_BIT(a)))
		return;
	if (l->silent & LT_ATTR_BIT(a))
		tb->totals.silent[a]--;
	l->silent &= (uint8_t)~LT_ATTR_BIT(a);
	lt_history_drop_before(tb, leader, a, l->time[a]);
	t = thread ? lt_tasks_inst(tb, thread) : NULL;
	if (t && !lt_task_has_value(t, a))
		set_value(tb, thread, a, lt_task_from_birth(t), l->old[a], LT_FROM_OLD);
}

/* A thread is in the cgroup to which its group was moved, if it was not moved itself later. */
void lt_attr_settle(struct lt_tasks *tb, struct lt_task_inst *t)
{
	const struct lt_task_live *l;

	l = t->leader ? live_or_null(tb, lt_tasks_inst(tb, t->leader)) : NULL;
	if (l && l->group_time && l->group_time > last_event(tb, t, LT_ATTR_CGROUP))
		t->cgroup = l->group_cgroup;
}
