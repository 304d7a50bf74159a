// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Proofs about tasks and numbers: observes events and collects what contradicts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "verify/tasks_internal.h"

static void add_suspect(struct lt_task_checker *c, const struct lt_suspect *s)
{
	c->suspects = lt_grow(c->suspects, &c->cap, c->n, sizeof(*c->suspects));
	c->suspects[c->n++] = *s;
}

static void suspect(struct lt_task_checker *c, enum lt_suspect_kind kind, uint32_t inst,
		    uint32_t other, uint64_t from, uint64_t until)
{
	struct lt_suspect s = {
		.kind = (uint8_t)kind, .inst = inst, .other = other, .epoch = c->epoch,
		.from = from, .until = until,
	};

	add_suspect(c, &s);
}

/* ------------------------------------------------------------------------
 * The population
 */

static void on_snap_begin(struct lt_task_checker *c, const struct lt_task_event *ev)
{
	c->any = true;
	c->open = lt_tasks_snapshot_open(c->tb);
	if (!c->open)
		return;
	c->epoch = ev->epoch;
	c->purpose = ev->purpose;
	c->begin = ev->time;
}

static void on_state(struct lt_task_checker *c, const struct lt_task_event *ev, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_get(c->tb, inst);

	if (!c->open || ev->epoch != c->epoch || ev->flags & LT_TASK_FLAG_EXITING)
		return;
	if (!lt_task_ended(t) || ev->time < t->end)
		return;
	t->marks |= LT_TASK_MARK_AFTER_END;
	/* A record that was read before the end may be written after it. */
	if (t->end < c->begin)
		suspect(c, LT_SUSPECT_AFTER_END, inst, 0, c->begin, ev->time);
}

/* Compares all tasks that are alive as far as known with the snapshot that ends. */
static void compare(struct lt_task_checker *c, uint64_t time, bool base)
{
	struct lt_task_proofs *v = &c->sum;
	uint64_t in = 0, meanwhile = 0, pending = 0;
	const uint32_t *living;
	size_t n;

	living = lt_tasks_living(c->tb, &n);
	for (size_t i = 0; i < n; i++) {
		struct lt_task_inst *t = lt_tasks_get(c->tb, living[i]);

		if (lt_tasks_epoch(c->tb, living[i]) == c->epoch)
			in++;
		else if (t->birth >= c->begin)
			meanwhile++;
		else
			suspect(c, LT_SUSPECT_GONE, living[i], 0, t->seen, time);
		if (base)
			t->marks |= LT_TASK_MARK_COUNTED;
		else if (!(t->marks & LT_TASK_MARK_COUNTED))
			pending++;
	}
	if (base) {
		c->initial = n;
		v->initial = n;
		return;
	}
	v->initial = c->initial;
	v->births = c->births + pending;
	v->deaths = c->deaths;
	v->became_leaders = c->became_leaders;
	v->alive = n;
	v->snapshot = in;
	v->meanwhile = meanwhile;
}

static void on_snap_end(struct lt_task_checker *c, const struct lt_task_event *ev)
{
	bool base = !c->snapshots;

	if (!c->open || ev->epoch != c->epoch)
		return;
	if (ev->complete) {
		compare(c, ev->time, base);
		c->snapshots++;
		if (base) {
			c->base_initial = c->purpose == 0;
			c->base_end = ev->time;
		}
		c->last_final = c->purpose == 2;
		c->last_epoch = c->epoch;
		c->last_begin = c->begin;
		c->last_end = ev->time;
	}
	c->open = false;
}

/* The sum has no births that were not seen; so it must not have their deaths either. */
static void on_ended(struct lt_task_checker *c, uint32_t inst)
{
	c->deaths += !!(lt_tasks_get(c->tb, inst)->marks & LT_TASK_MARK_COUNTED);
}

static void on_undone(struct lt_task_checker *c, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_get(c->tb, inst);

	/* An exiting task does not come back: a leader that is alive again is another task. */
	if (t->ending == LT_TASK_END_FOUND_EXITING && t->tid == t->tgid)
		t->marks |= LT_TASK_MARK_AFTER_END;
	if (t->marks & LT_TASK_MARK_COUNTED)
		c->deaths--;
	else if (c->snapshots && t->end <= c->base_end)
		c->initial++;	/* it was alive when the first snapshot ended */
	else if (c->snapshots && t->marks & LT_TASK_MARK_BORN)
		c->births++;
	else
		return;
	t->marks |= LT_TASK_MARK_COUNTED;
}

static void count_birth(struct lt_task_checker *c, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_get(c->tb, inst);

	if (!c->snapshots || t->marks & LT_TASK_MARK_COUNTED || lt_task_ended(t))
		return;
	t->marks |= LT_TASK_MARK_COUNTED;
	c->births++;
}

/* ------------------------------------------------------------------------
 * Numbers
 */

static void on_seen(struct lt_task_checker *c, const struct lt_task_event *ev, uint32_t inst,
		    uint32_t other)
{
	const struct lt_task_inst *t;

	c->latest[c->n_seen % LT_LATEST_SEEN].inst = inst;
	c->latest[c->n_seen % LT_LATEST_SEEN].other = other;
	c->n_seen++;
	if (!other)
		return;
	t = lt_tasks_get(c->tb, other);
	if (!lt_task_ended(t))
		suspect(c, LT_SUSPECT_HELD, inst, other, t->seen, ev->time);
}

static void on_reused(struct lt_task_checker *c, const struct lt_task_event *ev, uint32_t inst,
		      uint32_t old)
{
	const struct lt_task_inst *t = old ? lt_tasks_get(c->tb, old) : NULL;
	uint64_t n = c->n_seen < LT_LATEST_SEEN ? c->n_seen : LT_LATEST_SEEN;

	c->reused++;
	if (t && old != inst && !lt_task_ended(t))
		suspect(c, LT_SUSPECT_HELD, inst, old, t->seen, ev->time);
	if (!inst || ev->ns != c->level0)
		return;
	for (uint64_t k = 1; k <= n; k++) {
		uint32_t before = c->latest[(c->n_seen - k) % LT_LATEST_SEEN].other;

		if (c->latest[(c->n_seen - k) % LT_LATEST_SEEN].inst != inst)
			continue;
		/* The module does not know tasks that died before the first snapshot. */
		if (before && before != old && lt_tasks_get(c->tb, before)->marks &
		    (LT_TASK_MARK_BORN | LT_TASK_MARK_INITIAL))
			suspect(c, LT_SUSPECT_HOLDER, inst, before, 0, ev->time);
		return;
	}
}

static struct lt_check_ns *get_ns(struct lt_task_checker *c, uint16_t id)
{
	if (id >= c->n_namespaces)
		c->namespaces = lt_extend(c->namespaces, &c->n_namespaces, (size_t)id + 16,
					  sizeof(*c->namespaces));
	return &c->namespaces[id];
}

static void bad_ns(struct lt_task_checker *c, enum lt_suspect_kind kind,
		   const struct lt_task_event *ev, uint64_t from, uint64_t expected,
		   uint64_t found)
{
	struct lt_suspect s = {
		.kind = (uint8_t)kind, .inst = ev->ns, .from = from, .until = ev->time,
		.expected = expected, .found = found,
	};

	add_suspect(c, &s);
}

/*
 * How many numbers of the initial namespace were given to tasks since the first snapshot.
 * These include tasks whose birth was not recorded.
 */
static void count_born(struct lt_task_checker *c, const struct lt_task_event *ev)
{
	if (!c->snapshots) {
		c->first_born = ev->born;
		c->births_now = 0;
	}
	c->born = ev->born > c->first_born ? ev->born - c->first_born : 0;
	c->born_since = c->births_now;
	c->born_time = ev->time;
}

static void check_counts(struct lt_task_checker *c, const struct lt_task_event *ev,
			 struct lt_check_ns *n)
{
	uint64_t used;

	if (n->counted && (ev->allocated < n->allocated || ev->born < n->born ||
			   ev->burned < n->burned))
		bad_ns(c, LT_SUSPECT_BACK, ev, n->time, n->allocated, ev->allocated);
	if (__builtin_add_overflow(ev->born, ev->burned, &used) || used > ev->allocated)
		bad_ns(c, LT_SUSPECT_COUNTS, ev, n->time, ev->allocated, ev->born + ev->burned);
	if (!n->counted && !ev->level && ev->id == LT_EV_PID_NS)
		c->level0 = ev->ns;
	if (ev->ns == c->level0)
		count_born(c, ev);
	n->counted = true;
	n->allocated = ev->allocated;
	n->born = ev->born;
	n->burned = ev->burned;
	n->untracked = ev->untracked;
}

static void on_namespace(struct lt_task_checker *c, const struct lt_task_event *ev)
{
	struct lt_check_ns *n;

	if (!ev->ns)
		return;
	n = get_ns(c, ev->ns);
	/* The id means another namespace now. */
	if (n->gone && ev->id == LT_EV_PID_NS) {
		c->earlier_namespaces++;
		c->earlier_wraps += n->wraps;
		c->earlier_untracked += n->untracked;
		c->earlier_incomplete += !!n->untracked;
		memset(n, 0, sizeof(*n));
	}
	n->gone = ev->id == LT_EV_PID_NS_GONE;
	if (ev->id == LT_EV_WRAP) {
		if (n->known && ev->generation != n->generation + 1)
			bad_ns(c, LT_SUSPECT_GENERATION, ev, n->time, n->generation + 1,
			       ev->generation);
		n->wraps++;
	} else {
		/* A repeated record must have the generation that began last. */
		if (n->known && ev->generation != n->generation)
			bad_ns(c, LT_SUSPECT_GENERATION, ev, n->time, n->generation,
			       ev->generation);
		if (ev->id == LT_EV_PID_NS)
			n->exact = ev->exact;
		check_counts(c, ev, n);
	}
	n->known = true;
	n->generation = ev->generation;
	n->time = ev->time;
}

static void on_born(struct lt_task_checker *c, const struct lt_task_event *ev, uint32_t inst)
{
	const struct lt_check_ns *n = c->level0 ? &c->namespaces[c->level0] : NULL;
	struct lt_suspect s = {
		.kind = LT_SUSPECT_NOT_BEGUN, .inst = inst, .until = ev->time,
		.found = ev->generation,
	};

	c->births_now++;
	count_birth(c, inst);
	if (!n || !n->known || ev->generation <= n->generation)
		return;
	s.from = n->time;
	s.expected = n->generation;
	add_suspect(c, &s);
}

/* ------------------------------------------------------------------------
 * The observer
 */

static void notice(void *arg, enum lt_task_notice what, const struct lt_task_event *ev,
		   uint32_t inst, uint32_t other)
{
	struct lt_task_checker *c = arg;

	switch (what) {
	case LT_NOTICE_SEEN:
		on_seen(c, ev, inst, other);
		break;
	case LT_NOTICE_BORN:
		on_born(c, ev, inst);
		break;
	case LT_NOTICE_ENDED:
		on_ended(c, inst);
		break;
	case LT_NOTICE_UNDONE:
		on_undone(c, inst);
		break;
	case LT_NOTICE_EXEC_THREAD:
		c->became_leaders += other && c->snapshots;
		lt_tasks_get(c->tb, inst)->marks &= ~(uint32_t)LT_TASK_MARK_AFTER_END;
		/* Behind the end of the trace the exec does not end the thread, but explains it. */
		if (other)
			lt_tasks_get(c->tb, other)->marks |= LT_TASK_MARK_TAKEN_OVER;
		break;
	case LT_NOTICE_STATE:
		on_state(c, ev, inst);
		break;
	case LT_NOTICE_REUSED:
		on_reused(c, ev, inst, other);
		break;
	case LT_NOTICE_RELEASED:
		break;
	case LT_NOTICE_OTHER:
		if (ev->id == LT_EV_SNAP_BEGIN)
			on_snap_begin(c, ev);
		else if (ev->id == LT_EV_SNAP_END)
			on_snap_end(c, ev);
		else
			on_namespace(c, ev);
		break;
	}
}

struct lt_task_checker *lt_task_checker_new(struct lt_tasks *tb)
{
	struct lt_task_checker *c = lt_alloc(sizeof(*c));

	c->tb = tb;
	lt_tasks_observe(tb, notice, c);
	return c;
}
