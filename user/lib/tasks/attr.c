// SPDX-License-Identifier: GPL-2.0
/*
 * What changes in the life of a task, told by events and by snapshots.
 *
 * An event outranks a dumped value that it precedes: the value may have been read
 * before the event, and its record written after it. So a dump that differs is taken
 * only if the last event lies before the snapshot's begin, and it is not the value
 * from before that event, which a tracepoint that fires ahead of the change leaves
 * for a moment. Such a change came without an event, and is counted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "tasks/internal.h"

const char *lt_task_attr_name(enum lt_task_attr a)
{
	static const char *const names[] = {
		[LT_ATTR_COMM] = "comm", [LT_ATTR_OOM] = "oom_score_adj", [LT_ATTR_UID] = "uid",
		[LT_ATTR_GID] = "gid", [LT_ATTR_CGROUP] = "cgroup", [LT_ATTR_FILE] = "file",
		[LT_ATTR_PARENT] = "parent",
	};

	return a < LT_N_TASK_ATTRS ? names[a] : "?";
}

static bool knows(const struct lt_task_inst *t, enum lt_task_attr a)
{
	return t->marks & (uint32_t)LT_TASK_MARK_KNOWS << a;
}

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
	t->marks |= (uint32_t)LT_TASK_MARK_KNOWS << a;
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
		t->cgroup = lt_intern(&tb->cgroups, value);
		break;
	case LT_ATTR_FILE:
		t->file = (uint32_t)value;
		break;
	default:
		break;
	}
}

/* ------------------------------------------------------------------------
 * Histories
 */

static void remember(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
		     uint64_t time, uint64_t value, enum lt_task_source source)
{
	struct lt_task_change *c;

	if (!tb->config.history)
		return;
	if (inst >= tb->n_heads) {
		size_t n = (size_t)inst + inst / 2 + 1024;
		uint32_t *heads = lt_alloc_array(n, sizeof(*heads));

		if (tb->n_heads)
			memcpy(heads, tb->heads, tb->n_heads * sizeof(*heads));
		free(tb->heads);
		tb->heads = heads;
		tb->n_heads = n;
	}
	if (!tb->n_changes)
		tb->n_changes = 1;
	if (tb->n_changes == UINT32_MAX)
		lt_fatal("more than %u changes of attributes", UINT32_MAX);
	tb->changes = lt_grow(tb->changes, &tb->cap_changes, tb->n_changes,
			      sizeof(*tb->changes));
	c = &tb->changes[tb->n_changes];
	*c = (struct lt_task_change){
		.time = time, .confirmed = tb->now, .value = value, .next = tb->heads[inst],
		.attr = (uint8_t)a, .source = (uint8_t)source,
	};
	tb->heads[inst] = (uint32_t)tb->n_changes++;
}

/* The value was seen again. */
static void confirm(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
		    uint64_t value)
{
	uint32_t i = inst < tb->n_heads ? tb->heads[inst] : 0;

	/* The few attributes of a task change in turn: it is not far. */
	for (unsigned int n = 0; i && n < 64; n++) {
		if (tb->changes[i].attr == a && tb->changes[i].value == value) {
			tb->changes[i].confirmed = tb->now;
			return;
		}
		i = tb->changes[i].next;
	}
}

/* ------------------------------------------------------------------------
 * Values in
 */

void lt_task_attr_born(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
		       uint64_t time, uint64_t value)
{
	put_value(tb, lt_tasks_get(tb, inst), a, value);
	remember(tb, inst, a, time, value, LT_FROM_EVENT);
}

/* Return: no lost event explains it. */
static bool count_silent(struct lt_tasks *tb, enum lt_task_attr a, uint64_t since)
{
	bool lost = tb->lost_end[LT_LOST_CHANGES] > since;

	if (lost)
		tb->totals.unseen[a]++;
	else
		tb->totals.silent[a]++;
	return !lost;
}

/*
 * The time of the last event of an attribute; of one that was never changed, that
 * of the birth.
 */
static uint64_t last_event(const struct lt_tasks *tb, const struct lt_task_inst *t,
			   enum lt_task_attr a)
{
	const struct lt_task_live *l = t->live ? lt_pool_at(&tb->lives, t->live) : NULL;

	if (l && l->has_event & 1U << a)
		return l->time[a];
	return lt_task_from_birth(t);
}

/*
 * An event that does not say what was before, or says another value, and the dump before
 * it has the event's value already: it may have been read in the middle of that change, so
 * it tells nothing of the time before.
 */
static void doubt_dump(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
		       uint64_t time, uint64_t value)
{
	uint32_t i = inst < tb->n_heads ? tb->heads[inst] : 0;

	while (i && tb->changes[i].attr != a)
		i = tb->changes[i].next;
	if (i && tb->changes[i].source == LT_FROM_DUMP && tb->changes[i].value == value)
		tb->changes[i].time = time;
}

void lt_task_attr_event(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
			uint64_t time, uint64_t value, const uint64_t *old)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);
	struct lt_task_live *l = lt_tasks_live(tb, t);
	uint64_t now = current_value(tb, t, a);
	bool known = knows(t, a);

	l->silent &= (uint8_t)~(1U << a);
	if (!known && old)
		remember(tb, inst, a, lt_task_from_birth(t), *old, LT_FROM_OLD);
	if (known && now == value && (!old || (*old != value && a == LT_ATTR_OOM)))
		doubt_dump(tb, inst, a, time, value);
	/* Of a task that took the place of its leader, the name before is not the leader's. */
	if (known && old && *old != now && a != LT_ATTR_OOM && !lt_task_ended(t)) {
		if (count_silent(tb, a, last_event(tb, t, a)))
			l->silent |= (uint8_t)(1U << a);
		remember(tb, inst, a, time, *old, LT_FROM_SILENT);
	}
	l->time[a] = time;
	l->has_event |= (uint8_t)(1U << a);
	l->has_old &= (uint8_t)~(1U << a);
	if (old || known) {
		l->old[a] = old ? *old : now;
		l->has_old |= (uint8_t)(1U << a);
	}
	put_value(tb, t, a, value);
	remember(tb, inst, a, time, value, LT_FROM_EVENT);
}

/* The change before the last one of an attribute: its index, 0: none. */
static uint32_t one_before(const struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a)
{
	uint32_t i = inst < tb->n_heads ? tb->heads[inst] : 0;

	for (unsigned int n = 0; i; i = tb->changes[i].next) {
		if (tb->changes[i].attr == a && n++)
			return i;
	}
	return 0;
}

/**
 * lt_task_pass_name() - the name before the last rename was not the leader's
 * @thread: whose it was, 0: nobody knows
 *
 * Exec renames a thread when it has its leader's place already, and tells who it was
 * only after that. Nobody else runs under the leader's identity in between.
 */
void lt_task_pass_name(struct lt_tasks *tb, uint32_t leader, uint32_t thread)
{
	struct lt_task_inst *t = lt_tasks_get(tb, leader);
	struct lt_task_live *l = lt_tasks_live(tb, t);
	const enum lt_task_attr a = LT_ATTR_COMM;
	struct lt_task_change *c;
	uint32_t i;

	if (!(l->has_event & l->has_old & 1U << a))
		return;
	if (l->silent & 1U << a)
		tb->totals.silent[a]--;
	l->silent &= (uint8_t)~(1U << a);
	i = one_before(tb, leader, a);
	c = i ? &tb->changes[i] : NULL;
	if (c && (c->source == LT_FROM_OLD ||
		  (c->source == LT_FROM_SILENT && c->time == l->time[a])))
		c->attr = LT_N_TASK_ATTRS;
	if (!thread || knows(lt_tasks_get(tb, thread), a))
		return;
	put_value(tb, lt_tasks_get(tb, thread), a, l->old[a]);
	remember(tb, thread, a, lt_task_from_birth(lt_tasks_get(tb, thread)), l->old[a],
		 LT_FROM_OLD);
}

/* How far, from @at on, a name is the same as another; behind their ends are zeros. */
static size_t same_bytes(const struct lt_tasks *tb, uint32_t name, uint32_t other, size_t at)
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
 * Was a name read in the middle of being written over? From 6.13 on without a lock: it
 * begins as the new one and goes on as the old one. Its writer may stand still there.
 */
static bool is_torn(const struct lt_tasks *tb, uint64_t name, uint64_t old, uint64_t new)
{
	size_t at = same_bytes(tb, (uint32_t)name, (uint32_t)new, 0);

	return same_bytes(tb, (uint32_t)name, (uint32_t)old, at) == SIZE_MAX;
}

/* Whether what an event says is to be believed rather than a dump that differs. */
static bool event_outranks(const struct lt_tasks *tb, const struct lt_task_inst *t,
			   enum lt_task_attr a, uint64_t dumped)
{
	const struct lt_task_live *l = t->live ? lt_pool_at(&tb->lives, t->live) : NULL;
	bool event = (l && l->has_event & 1U << a) || t->marks & LT_TASK_MARK_BORN;

	if (event && tb->snap.open && last_event(tb, t, a) >= tb->snap.begin)
		return true;
	if (!l || !(l->has_old & 1U << a))
		return false;
	return l->old[a] == dumped ||
	       (a == LT_ATTR_COMM && is_torn(tb, dumped, l->old[a], t->comm));
}

/*
 * A dump that an event outranks tells what was before that event, if there was no
 * other one.
 */
static void note_before(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
			uint64_t value)
{
	unsigned int n = 0;

	if (lt_tasks_get(tb, inst)->marks & LT_TASK_MARK_BORN || inst >= tb->n_heads)
		return;
	for (uint32_t i = tb->heads[inst]; i && n < 2; i = tb->changes[i].next)
		n += tb->changes[i].attr == a;
	if (n == 1)
		remember(tb, inst, a, 0, value, LT_FROM_OLD);
}

/**
 * lt_task_attr_dump() - a value that was read, by a snapshot or at the exit
 * @at_once: its record was written when it was read
 */
void lt_task_attr_dump(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
		       uint64_t time, uint64_t value, bool at_once)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);

	if (a == LT_ATTR_CGROUP)
		lt_task_settle(tb, t);
	if (!knows(t, a)) {
		/* What was inherited is only presumed. */
		bool same = a != LT_ATTR_FILE || t->file == value || !t->file;

		put_value(tb, t, a, value);
		remember(tb, inst, a, same ? lt_task_from_birth(t) : time, value, LT_FROM_DUMP);
		return;
	}
	if (current_value(tb, t, a) == value) {
		confirm(tb, inst, a, value);
		return;
	}
	/* What its exit said is how it was at the end. */
	if (lt_task_ended(t))
		return;
	if (!at_once && event_outranks(tb, t, a, value)) {
		note_before(tb, inst, a, value);
		return;
	}
	count_silent(tb, a, last_event(tb, t, a));
	put_value(tb, t, a, value);
	remember(tb, inst, a, time, value, LT_FROM_SILENT);
}

/**
 * lt_task_attr_presume() - a value that was read in the middle of its change
 *
 * Of a task of which nothing else is known. How long it has been so is not known.
 */
void lt_task_attr_presume(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
			  uint64_t time, uint64_t value)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);

	if (knows(t, a) || (a == LT_ATTR_FILE && t->file))
		return;
	put_value(tb, t, a, value);
	remember(tb, inst, a, time, value, LT_FROM_DUMP);
}

/* A new task runs the program of its creator. */
void lt_task_inherit(struct lt_tasks *tb, uint32_t inst, uint64_t time)
{
	struct lt_task_inst *t = lt_tasks_get(tb, inst);
	const struct lt_task_inst *from = t->creator ? lt_tasks_get(tb, t->creator) : NULL;

	if (!from || !from->file || t->flags & LT_TASK_FLAG_KTHREAD || knows(t, LT_ATTR_FILE))
		return;
	t->file = from->file;
	remember(tb, inst, LT_ATTR_FILE, time, t->file, LT_FROM_CREATOR);
}

void lt_task_note_parent(struct lt_tasks *tb, uint32_t inst, uint64_t time)
{
	const struct lt_task_inst *t = lt_tasks_get(tb, inst);

	if (t->last_parent)
		remember(tb, inst, LT_ATTR_PARENT, time, t->last_parent, LT_FROM_EVENT);
}

/* The children of a process are given to others when its last task exits. */
void lt_task_note_group_end(struct lt_tasks *tb, uint64_t time, uint64_t start)
{
	if (!tb->config.history)
		return;
	tb->group_ends = lt_grow(tb->group_ends, &tb->cap_group_ends, tb->n_group_ends,
				 sizeof(*tb->group_ends));
	/* Times only grow but where CPUs' clocks differ; the search wants that always. */
	if (tb->n_group_ends && time < tb->group_ends[tb->n_group_ends - 1].time)
		time = tb->group_ends[tb->n_group_ends - 1].time;
	tb->group_ends[tb->n_group_ends++] = (struct lt_task_group_end){ time, start };
}

/* A thread is where its group was moved to, if it was not moved itself later. */
void lt_task_settle(struct lt_tasks *tb, struct lt_task_inst *t)
{
	const struct lt_task_inst *leader = t->leader ? lt_tasks_get(tb, t->leader) : NULL;
	const struct lt_task_live *l;

	if (!leader || !leader->live)
		return;
	l = lt_pool_at(&tb->lives, leader->live);
	if (l->group_time && l->group_time > last_event(tb, t, LT_ATTR_CGROUP))
		t->cgroup = l->group_cgroup;
}
