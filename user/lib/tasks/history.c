// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Histories: all values that an attribute of a task had, and which one it had at a time.
 *
 * The changes of an instance are a list, latest first. Without histories in the
 * configuration nothing is kept, and the functions that add do nothing.
 */
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/search.h"
#include "tasks/internal.h"

#define MAX_ENDS_LOOKED_AT	4096	/* of more processes the answer is "uncertain" */
#define MAX_CHANGES_LOOKED_AT	64
#define MAX_CHANGES_COPIED	4096	/* of an instance; what was before is not known any more */

/* ------------------------------------------------------------------------
 * Values in
 */

static uint32_t latest(const struct lt_tasks *tb, uint32_t inst)
{
	return inst < tb->n_heads ? tb->heads[inst] : 0;
}

/* Return: the number of a new change, which is in no list; @inst may have one. */
static uint32_t new_change(struct lt_tasks *tb, uint32_t inst)
{
	if (inst >= tb->n_heads)
		tb->heads = lt_extend(tb->heads, &tb->n_heads, (size_t)inst + inst / 2 + 1024,
				      sizeof(*tb->heads));
	if (!tb->n_changes)
		tb->n_changes = 1;
	if (tb->n_changes == UINT32_MAX)
		lt_fatal("more than %u changes of attributes", UINT32_MAX);
	tb->changes = lt_grow(tb->changes, &tb->cap_changes, tb->n_changes,
			      sizeof(*tb->changes));
	return (uint32_t)tb->n_changes++;
}

void lt_history_append(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a, uint64_t time,
		       uint64_t value, enum lt_task_source source)
{
	uint32_t new = new_change(tb, inst);

	tb->changes[new] = (struct lt_task_change){
		.time = time, .confirmed = tb->now, .value = value, .next = tb->heads[inst],
		.attr = (uint8_t)a, .source = (uint8_t)source,
	};
	tb->heads[inst] = new;
}

void lt_history_copy(struct lt_tasks *tb, uint32_t inst, const struct lt_task_change *old,
		     uint32_t from, enum lt_task_attr a)
{
	uint32_t last = 0;

	for (unsigned int n = 0; from && n < MAX_CHANGES_COPIED; from = old[from].next) {
		uint32_t new;

		if (old[from].attr != a)
			continue;
		new = new_change(tb, inst);
		tb->changes[new] = old[from];
		tb->changes[new].next = 0;
		if (last)
			tb->changes[last].next = new;
		else
			tb->heads[inst] = new;
		last = new;
		n++;
	}
}

/* The value was seen again. */
void lt_history_confirm(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a, uint64_t value)
{
	uint32_t i = latest(tb, inst);

	/* The few attributes of a task change in turn, so the change is near. */
	for (unsigned int n = 0; i && n < MAX_CHANGES_LOOKED_AT; n++) {
		if (tb->changes[i].attr == a && tb->changes[i].value == value) {
			tb->changes[i].confirmed = tb->now;
			return;
		}
		i = tb->changes[i].next;
	}
}

/*
 * If the latest value is that of a snapshot, it holds only from @time on: it was read in the
 * middle of a change to it.
 */
void lt_history_shorten_dump(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
			     uint64_t time, uint64_t value)
{
	uint32_t i = latest(tb, inst);

	while (i && tb->changes[i].attr != a)
		i = tb->changes[i].next;
	if (i && tb->changes[i].source == LT_FROM_DUMP && tb->changes[i].value == value)
		tb->changes[i].time = time;
}

/* The value before the only event of an attribute, of a task whose birth was not seen. */
void lt_history_add_before(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
			   uint64_t value)
{
	unsigned int n = 0;

	if (lt_tasks_inst(tb, inst)->marks & LT_TASK_MARK_BORN)
		return;
	for (uint32_t i = latest(tb, inst); i && n < 2; i = tb->changes[i].next)
		n += tb->changes[i].attr == a;
	if (n == 1)
		lt_history_add(tb, inst, a, 0, value, LT_FROM_OLD);
}

/* Removes the value before the last event, at @time, if that event alone revealed it. */
void lt_history_drop_before(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
			    uint64_t time)
{
	struct lt_task_change *c;
	unsigned int n = 0;

	for (uint32_t i = latest(tb, inst); i; i = c->next) {
		c = &tb->changes[i];
		if (c->attr != a || !n++)
			continue;
		if (c->source == LT_FROM_OLD || (c->source == LT_FROM_SILENT && c->time == time))
			c->attr = LT_N_TASK_ATTRS;
		return;
	}
}

/* The change that was added last is one of the whole thread group. */
void lt_history_of_group(struct lt_tasks *tb, uint32_t inst)
{
	if (tb->config.history)
		tb->changes[tb->heads[inst]].source = LT_FROM_GROUP;
}

/* The children of a process get another parent when its last task exits. */
void lt_history_add_group_end(struct lt_tasks *tb, uint64_t time, uint64_t start)
{
	if (!tb->config.history)
		return;
	tb->group_ends = lt_grow(tb->group_ends, &tb->cap_group_ends, tb->n_group_ends,
				 sizeof(*tb->group_ends));
	/* Clocks of CPUs may differ a little; the binary search needs the order. */
	if (tb->n_group_ends && time < tb->group_ends[tb->n_group_ends - 1].time)
		time = tb->group_ends[tb->n_group_ends - 1].time;
	tb->group_ends[tb->n_group_ends++] = (struct lt_task_group_end){ time, start };
}

/* ------------------------------------------------------------------------
 * Values out
 */

/* The latest value not after @time, and the first one after it; NULL: none. */
static const struct lt_task_change *value_at(const struct lt_tasks *tb, uint32_t inst,
					     enum lt_task_attr a, uint64_t time, bool group,
					     const struct lt_task_change **after)
{
	const struct lt_task_change *found = NULL, *next = NULL;

	for (uint32_t i = latest(tb, inst); i; i = tb->changes[i].next) {
		const struct lt_task_change *c = &tb->changes[i];

		if (c->attr != a || (group && c->source != LT_FROM_GROUP))
			continue;
		/* Of equal times the one that was added last counts: it comes first. */
		if (c->time <= time && (!found || c->time > found->time))
			found = c;
		else if (c->time > time && (!next || c->time <= next->time))
			next = c;
	}
	*after = next;
	return found;
}

/* Whether a process and all its threads were dead, as far as known. */
static bool was_dead(const struct lt_tasks *tb, uint64_t inst, uint64_t time)
{
	const struct lt_task_inst *t = lt_tasks_inst(tb, (uint32_t)inst);

	return lt_task_ended(t) && t->end < time && !(t->marks & LT_TASK_MARK_LEADER_FIRST);
}

/*
 * Whether a task may have had another parent at @time than at @later, when its parent was
 * recorded: a process that is not younger than the task died in between.
 */
static bool may_have_moved(const struct lt_tasks *tb, const struct lt_task_inst *t,
			   uint64_t time, uint64_t later)
{
	size_t low = lt_first_not(tb->n_group_ends, i, tb->group_ends[i].time < time);
	size_t end = low + MAX_ENDS_LOOKED_AT;

	for (; low < tb->n_group_ends && tb->group_ends[low].time <= later; low++) {
		if (low == end || tb->group_ends[low].start <= t->start)
			return true;
	}
	return lt_tasks_lost_between(tb, LT_LOST_ENDS, time, later);
}

/* Whether a task did not live at a time, as far as known. */
static bool is_outside(const struct lt_task_inst *t, uint64_t time)
{
	return time < lt_task_from_birth(t) || (lt_task_ended(t) && time > t->end);
}

/* What @c, the latest value not after @time, and @next, the first one after it, say. */
static struct lt_task_value decide(const struct lt_tasks *tb, const struct lt_task_inst *t,
				   enum lt_task_attr a, uint64_t time,
				   const struct lt_task_change *c,
				   const struct lt_task_change *next)
{
	struct lt_task_value v = { 0 };
	uint64_t from;

	v.certain = !next || (next->source != LT_FROM_SILENT && next->source != LT_FROM_DUMP);
	if (c && a == LT_ATTR_PARENT && was_dead(tb, c->value, time)) {
		/* The task had another parent then, of which only later records are known. */
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

struct lt_task_value lt_tasks_at(const struct lt_tasks *tb, uint32_t inst,
				 enum lt_task_attr a, uint64_t time)
{
	const struct lt_task_inst *t = lt_tasks_inst(tb, inst), *leader;
	const struct lt_task_change *c, *g, *next, *unused;

	if (is_outside(t, time))
		return (struct lt_task_value){ 0 };
	leader = t->leader ? lt_tasks_inst(tb, t->leader) : NULL;
	if (a == LT_ATTR_OOM && leader)
		inst = t->leader;
	c = value_at(tb, inst, a, time, false, &next);
	if (a == LT_ATTR_CGROUP && leader) {
		g = value_at(tb, t->leader, a, time, true, &unused);
		if (g && g->time >= lt_task_from_birth(t) && (!c || g->time > c->time))
			c = g;
	}
	return decide(tb, t, a, time, c, next);
}

/* The part of a time in which a task lived; its end, if that is before. */
static void clip(const struct lt_task_inst *t, uint64_t *from, uint64_t *to)
{
	if (*from < lt_task_from_birth(t))
		*from = lt_task_from_birth(t);
	if (lt_task_ended(t) && *to > t->end)
		*to = t->end;
	if (*from > *to)
		*from = *to;
}

uint64_t lt_tasks_quiet(const struct lt_tasks *tb, uint32_t inst, uint64_t from, uint64_t to)
{
	const struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	uint64_t until = UINT64_MAX;

	clip(t, &from, &to);
	for (unsigned int k = 0; k < 2; k++) {
		for (uint32_t i = latest(tb, k ? t->leader : inst); i; i = tb->changes[i].next) {
			const struct lt_task_change *c = &tb->changes[i];

			if (c->time > from && c->time <= to)
				return 0;
			if (c->time > to && c->time < until)
				until = c->time;
		}
		if (!t->leader)
			break;
	}
	return until;
}

/* Whether an attribute of a task changed after @from, and not after @to. */
static bool changed(const struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a, uint64_t from,
		    uint64_t to)
{
	for (uint32_t i = latest(tb, inst); i; i = tb->changes[i].next) {
		const struct lt_task_change *c = &tb->changes[i];

		if (c->attr == a && c->time > from && c->time <= to)
			return true;
	}
	return false;
}

struct lt_task_value lt_tasks_over(const struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
				   uint64_t from, uint64_t to, bool quiet)
{
	const struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	uint32_t of[2] = { inst, a == LT_ATTR_CGROUP || a == LT_ATTR_OOM ? t->leader : 0 };
	struct lt_task_value v, w;

	clip(t, &from, &to);
	v = lt_tasks_at(tb, inst, a, to);
	/*
	 * What is not certain at the end is not certain over all of it, and not looked at further.
	 */
	if (!v.known || !v.certain || from == to)
		return v;
	quiet |= !changed(tb, inst, a, from, to) && (!of[1] || !changed(tb, of[1], a, from, to));
	/* A parent may die without a change of its child. */
	if (quiet && a != LT_ATTR_PARENT)
		return v;
	w = lt_tasks_at(tb, inst, a, from);
	v.certain &= w.certain;
	v.known = w.known && v.u == w.u;
	for (unsigned int k = 0; k < 2 && of[k] && !quiet; k++) {
		for (uint32_t i = latest(tb, of[k]); i; i = tb->changes[i].next) {
			const struct lt_task_change *c = &tb->changes[i];

			/* It may have changed, and changed back. */
			if (c->attr == a && c->time > from && c->time <= to && c->value != v.u)
				v.known = false;
		}
	}
	return v;
}

/* As of value_at(), of each attribute. */
struct around {
	const struct lt_task_change *found;
	const struct lt_task_change *next;
};

static void all_at(const struct lt_tasks *tb, uint32_t inst, uint64_t time,
		   struct around all[LT_N_TASK_ATTRS + 1])
{
	for (uint32_t i = latest(tb, inst); i; i = tb->changes[i].next) {
		const struct lt_task_change *c = &tb->changes[i];
		struct around *at = &all[c->attr];

		if (c->time <= time && (!at->found || c->time > at->found->time))
			at->found = c;
		else if (c->time > time && (!at->next || c->time <= at->next->time))
			at->next = c;
	}
}

void lt_tasks_over_quiet(const struct lt_tasks *tb, uint32_t inst, uint64_t from, uint64_t to,
			 struct lt_task_value values[LT_N_TASK_ATTRS])
{
	static const enum lt_task_attr attrs[] = {
		LT_ATTR_COMM, LT_ATTR_FILE, LT_ATTR_PARENT, LT_ATTR_CGROUP,
	};
	const struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	struct around all[LT_N_TASK_ATTRS + 1] = { { NULL, NULL } };
	struct lt_task_value *parent = &values[LT_ATTR_PARENT], w;

	clip(t, &from, &to);
	if (!is_outside(t, to))
		all_at(tb, inst, to, all);
	for (unsigned int i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		enum lt_task_attr a = attrs[i];

		values[a] = decide(tb, t, a, to, all[a].found, all[a].next);
	}
	/* That of a thread may be one of its process. */
	if (t->leader)
		values[LT_ATTR_CGROUP] = lt_tasks_at(tb, inst, LT_ATTR_CGROUP, to);
	/* A parent may die without a change of its child. */
	if (!parent->known || !parent->certain || from == to)
		return;
	w = decide(tb, t, LT_ATTR_PARENT, from, all[LT_ATTR_PARENT].found,
		   all[LT_ATTR_PARENT].next);
	parent->certain &= w.certain;
	parent->known = w.known && parent->u == w.u;
}

bool lt_tasks_had_name(const struct lt_tasks *tb, uint32_t inst, const char *name, size_t len)
{
	const struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	uint32_t i = latest(tb, inst), names[2] = { t->comm, t->birth_comm };
	size_t n;

	for (unsigned int k = 0; k < 2; k++) {
		const char *s = lt_tasks_name(tb, names[k], &n);

		if (n == len && !memcmp(s, name, len))
			return true;
	}
	for (; i; i = tb->changes[i].next) {
		const char *s;

		if (tb->changes[i].attr != LT_ATTR_COMM)
			continue;
		s = lt_tasks_name(tb, (uint32_t)tb->changes[i].value, &n);
		if (n == len && !memcmp(s, name, len))
			return true;
	}
	return false;
}
