// SPDX-License-Identifier: GPL-2.0
/*
 * What an attribute was at a time.
 */
#include "tasks/internal.h"

/* Of more processes that died none is looked at. */
#define MAX_ENDS_LOOKED_AT 4096

/* The latest value not after @time, and the first one behind it; NULL: there is none. */
static const struct lt_task_change *value_at(const struct lt_tasks *tb, uint32_t inst,
					     enum lt_task_attr a, uint64_t time, bool group,
					     const struct lt_task_change **behind)
{
	const struct lt_task_change *found = NULL, *next = NULL;

	for (uint32_t i = inst < tb->n_heads ? tb->heads[inst] : 0; i; i = tb->changes[i].next) {
		const struct lt_task_change *c = &tb->changes[i];

		if (c->attr != a || (group && c->source != LT_FROM_GROUP))
			continue;
		/* Of equal times the one that came last, which is met first. */
		if (c->time <= time && (!found || c->time > found->time))
			found = c;
		else if (c->time > time && (!next || c->time <= next->time))
			next = c;
	}
	*behind = next;
	return found;
}

/* Whether a process was dead, with all its threads, as far as known. */
static bool was_dead(const struct lt_tasks *tb, uint64_t inst, uint64_t time)
{
	const struct lt_task_inst *t = lt_tasks_get(tb, (uint32_t)inst);

	return lt_task_ended(t) && t->end < time && !(t->marks & LT_TASK_MARK_LEADER_FIRST);
}

/*
 * Whether a task may have had another parent at @time than the one that was told
 * first, at @told: a process that is not younger than the task died in between.
 */
static bool may_have_moved(const struct lt_tasks *tb, const struct lt_task_inst *t,
			   uint64_t time, uint64_t told)
{
	size_t low = 0, high = tb->n_group_ends, end;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (tb->group_ends[mid].time < time)
			low = mid + 1;
		else
			high = mid;
	}
	end = low + MAX_ENDS_LOOKED_AT;
	for (; low < tb->n_group_ends && tb->group_ends[low].time <= told; low++) {
		if (low == end || tb->group_ends[low].start <= t->start)
			return true;
	}
	return lt_tasks_lost_between(tb, LT_LOST_ENDS, time, told);
}

struct lt_task_value lt_tasks_at(const struct lt_tasks *tb, uint32_t inst,
				 enum lt_task_attr a, uint64_t time)
{
	const struct lt_task_inst *t = lt_tasks_get(tb, inst), *leader;
	const struct lt_task_change *c, *g, *next, *unused;
	struct lt_task_value v = { 0 };
	uint64_t from;

	if (time < lt_task_from_birth(t) || (lt_task_ended(t) && time > t->end))
		return v;
	leader = t->leader ? lt_tasks_get(tb, t->leader) : NULL;
	if (a == LT_ATTR_OOM && leader)
		inst = t->leader;
	c = value_at(tb, inst, a, time, false, &next);
	if (a == LT_ATTR_CGROUP && leader) {
		g = value_at(tb, t->leader, a, time, true, &unused);
		if (g && g->time >= lt_task_from_birth(t) && (!c || g->time > c->time))
			c = g;
	}
	v.certain = !next || (next->source != LT_FROM_SILENT && next->source != LT_FROM_DUMP);
	if (c && a == LT_ATTR_PARENT && was_dead(tb, c->value, time)) {
		/* It was given to another then, which is told later only. */
		c = next;
		v.certain = false;
	}
	if (!c)
		return (struct lt_task_value){ 0 };
	if (a == LT_ATTR_PARENT && time < c->confirmed && may_have_moved(tb, t, time, c->confirmed))
		v.certain = false;
	from = c->confirmed <= time ? c->confirmed : c->time;
	v.known = true;
	v.certain &= c->source != LT_FROM_CREATOR &&
		     !lt_tasks_lost_between(tb, LT_LOST_CHANGES, from, time);
	v.u = c->value;
	v.i = (int64_t)c->value;
	return v;
}
