// SPDX-License-Identifier: GPL-2.0
/*
 * Doubts: an allocation at the address of a live object.
 *
 * Either the free of the old object was not seen, or it was stamped later than
 * the new birth, although it came first. The second can happen in two ways:
 *
 * - The clocks of two CPUs differ by some ns. Then the free comes from another
 *   CPU than the birth, and within DOUBT_NS of it. (Between the stamps of a
 *   free and of the next allocation of the same memory lie, on two CPUs, the
 *   free itself and the passing of a slab: in practice this hardly occurs.)
 * - The kernel traces kmem_cache_free after the release (late_free). Until the
 *   free is stamped the memory may be allocated anew: on another CPU; or on
 *   the same one, by an interrupt that comes between release and stamp, or by
 *   another task when the first is preempted there. DOUBT_LATE_NS is how long
 *   we think that this may take.
 *
 * Only a free for which one of these holds can be that of the old object; all
 * others are the new one's:
 *
 * - A free by the task that made the new object, both in task context, comes
 *   after that birth in the program's own order.
 * - A free on the CPU of the new birth comes after it in that CPU's order, but
 *   for the two exceptions above: its context is below that of the birth, or
 *   both are of tasks, of different ones.
 * - A free given to kfree_rcu is never late: a grace period lies between it
 *   and the release.
 * - When both caches are known and differ, the cache that is given to
 *   kmem_cache_free decides.
 *
 * When a free may be either's (A1 A2 F, "A" a birth and "F" a free), it is kept
 * until what follows decides:
 *
 *   A1 A2 F F'   F' can only be that of A2: F was that of A1. Nothing was
 *                missed in this reading, so both are exact. If F' may itself be
 *                either's, which is which is a guess: both are uncertain. (A late
 *                free may be that for LATE_NS, not only for DOUBT_LATE_NS.)
 *   A1 A2 F A3   one free was missed, that of A1 or that of A2, or it is yet to
 *                come, late as well. F goes to A1, so that a late free of A2
 *                still finds it. Both are uncertain. The possible error: A1 died
 *                before A2's birth anyway; A2 may have died at F instead.
 *   A1 A2 F end  the same: A2 is open, but uncertain.
 *   A1 A2        and time passes: A1's free was not seen. It is bounded. (Where
 *                frees may be late, one that comes within LATE_NS and could still
 *                be A1's makes uncertain whom it seems to end, be it A2 or who
 *                came after: lifetime_late.c.)
 *   A1 A2 F2 F   F2 can only be that of A2, and F that of A1, which waits for it
 *                for as long as it may be late, as a ghost: it has no place among
 *                what is alive any more. Both are exact. Without F, A1 is bounded.
 *
 *   A2 F         the birth of A1 was lost, or left out by a filter: within LATE_NS F may
 *                be that of A1, and A2 is uncertain.
 *
 * Where A1 was given to kfree_rcu, its end is known, and F is at most the
 * confirmation, which some kernels never send. So in the undecided cases F goes
 * to A2, as uncertain, and A1 stays what it is.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lifetimes/internal.h"

enum verdict {
	NEW,		/* the free is the new object's */
	OLD,
	EITHER,
};

static struct doubt *doubt_of(const struct lt_lifetimes *lf, const struct lt_obj *obj)
{
	return lt_pool_at(&lf->doubts, obj->extra);
}

static void queue_push(struct doubt_queue *q, uint32_t id, uint32_t serial)
{
	if (q->n == q->size) {
		size_t size = q->size ? q->size * 2 : 64;
		void *ring = lt_alloc_array(size, sizeof(*q->ring));

		for (size_t i = 0; i < q->n; i++)
			memcpy((char *)ring + i * sizeof(*q->ring),
			       &q->ring[(q->head + i) & (q->size - 1)], sizeof(*q->ring));
		free(q->ring);
		q->ring = ring;
		q->size = size;
		q->head = 0;
	}
	q->ring[(q->head + q->n) & (q->size - 1)].id = id;
	q->ring[(q->head + q->n) & (q->size - 1)].serial = serial;
	q->n++;
}

void lt_doubt_begin(struct lt_lifetimes *lf, enum lt_space space, struct lt_obj *obj,
		     const struct lt_event *ev, uint64_t gap_end)
{
	uint32_t id = lt_pool_get(&lf->doubts);
	struct doubt *d = lt_pool_at(&lf->doubts, id);

	memset(d, 0, sizeof(*d));
	d->old = *obj;
	d->reborn = ev->time;
	d->space = (uint8_t)space;
	d->lossy = lt_lossy(obj, gap_end);
	if (!++lf->doubt_serial)
		lf->doubt_serial = 1;
	d->serial = lf->doubt_serial;
	queue_push(&lf->queue, id, d->serial);

	lt_be_born(lf, obj, space, ev);
	d->count = obj->count;
	d->young = *obj;
	obj->flags = OBJ_DOUBT;
	obj->extra = id;
	lt_objtable_put(&lf->live[space], obj);
}

/* The doubt is over; its place in the queue, if any, is void. */
static void drop(struct lt_lifetimes *lf, struct lt_obj *obj)
{
	struct doubt *d = doubt_of(lf, obj);
	struct lt_objtable *live = &lf->live[d->space];

	obj->flags &= (uint8_t)~OBJ_DOUBT;
	obj->flags |= lt_late_flag(lf, d->space, obj->ptr);
	d->serial = 0;
	lt_pool_put(&lf->doubts, obj->extra);
	obj->extra = 0;
	lt_objtable_put(live, obj);
}

/* Whether the free of the object before may come late: kfree and kfree_rcu are not. */
static bool can_be_late(const struct lt_lifetimes *lf, const struct doubt *d)
{
	return lf->config.late_free && d->space == LT_SPACE_SLAB &&
	       d->old.kind != LT_CLASS_KMALLOC && !(d->old.flags & OBJ_RCU);
}

/* The old object's free was not seen (or, after kfree_rcu, its release). */
static void old_unseen(struct lt_lifetimes *lf, const struct doubt *d)
{
	struct moment death = {
		.time = d->reborn,
		.count = d->count,
		.ending = LT_END_REBORN,
		.lossy = d->lossy,
	};

	if (d->old.flags & OBJ_RCU)
		lt_emit_rcu(lf, d->space, &d->old, 0);
	else
		lt_emit(lf, d->space, &d->old, &death, false, 0);
	if (can_be_late(lf, d))
		lt_late_mark(lf, d->old.ptr, d->reborn);
}

/* The old object died by the free that was kept. */
static void old_freed(struct lt_lifetimes *lf, const struct doubt *d, bool ambiguous)
{
	struct moment death = d->free;

	/* It was stamped too late, and was over by the time of the new birth. */
	if (death.time > d->reborn)
		death.time = d->reborn;
	death.count = d->count;
	death.lossy = d->lossy;
	if (d->old.flags & OBJ_RCU)
		lt_emit_rcu(lf, d->space, &d->old, ambiguous || d->lossy ? 0 : death.time);
	else
		lt_emit(lf, d->space, &d->old, &death, ambiguous, 0);
	if (!ambiguous)
		lf->stats.inversions++;
}

static bool is_late(const struct lt_lifetimes *lf, const struct lt_event *ev)
{
	return lf->config.late_free && ev->class == LT_CLASS_CACHE_FREE;
}

/* Whether the order of a task or a CPU has it that a free came after a birth. */
static bool is_after(const struct lt_lifetimes *lf, const struct lt_obj *obj,
		     const struct lt_event *ev)
{
	bool in_tasks = ev->context == LT_CTX_TASK && obj->context == LT_CTX_TASK;
	bool same_task = ev->task && lt_intern_value(&lf->tasks, obj->task) ==
				     (uintptr_t)ev->task;

	if (in_tasks && same_task)
		return true;
	if (ev->cpu != obj->cpu)
		return false;
	/* Interrupts of one kind do not interrupt each other. */
	return !is_late(lf, ev) || ev->context > obj->context ||
	       (ev->context == obj->context && !in_tasks);
}

/* @late_ns: how late a free may be, where it can be late. */
static enum verdict judge(const struct lt_lifetimes *lf, const struct doubt *d,
			  const struct lt_obj *obj, const struct lt_event *ev, uint64_t late_ns)
{
	if (ev->time - d->reborn > (is_late(lf, ev) ? late_ns : DOUBT_NS))
		return NEW;
	if (is_after(lf, obj, ev))
		return NEW;
	if (ev->cache && obj->cache && d->old.cache && obj->cache != d->old.cache) {
		if (ev->cache == obj->cache)
			return NEW;
		if (ev->cache == d->old.cache)
			return OLD;
	}
	return EITHER;
}

bool lt_may_be_late(const struct lt_lifetimes *lf, const struct lt_obj *obj,
		     const struct lt_event *ev)
{
	return is_late(lf, ev) && ev->time - obj->time <= LATE_NS && !is_after(lf, obj, ev);
}

/* It may be the end of the old object; or of the one before that, see OBJ_LATE. */
static void keep_free(struct lt_lifetimes *lf, struct doubt *d, const struct lt_event *ev,
		      enum lt_ending ending)
{
	if ((d->old.flags & OBJ_LATE) && lt_may_be_late(lf, &d->old, ev))
		d->old.flags |= OBJ_TAINTED;
	lt_death_init(lf, &d->free, ev, ending, false);
}

bool lt_doubt_free(struct lt_lifetimes *lf, struct lt_obj *obj, const struct lt_event *ev,
		    enum lt_ending ending, uint64_t gap_end, uint32_t *ghost)
{
	struct doubt *d = doubt_of(lf, obj);
	bool kept = d->free.ending != LT_END_ALIVE;
	/* It confirms another one only where it cannot be the later of the two. */
	enum verdict verdict = judge(lf, d, obj, ev, kept ? LATE_NS : lf->doubt_ns);
	/* An event that was lost since might have told another story. */
	bool lossy = gap_end > d->reborn;

	if (!kept && verdict != NEW) {
		keep_free(lf, d, ev, ending);
		if (verdict == EITHER)
			return true;
		d->lossy = d->lossy || lossy;
		old_freed(lf, d, false);
		drop(lf, obj);
		return true;
	}
	*ghost = 0;
	if (!kept && can_be_late(lf, d)) {
		*ghost = obj->extra;
		obj->flags &= (uint8_t)~OBJ_DOUBT;
		obj->extra = 0;
		return false;
	}
	if (!kept) {
		old_unseen(lf, d);
	} else if (verdict == NEW && !lossy) {
		old_freed(lf, d, false);
	} else {
		old_freed(lf, d, true);
		obj->flags |= OBJ_TAINTED;
	}
	drop(lf, obj);
	return false;
}

void lt_ghost_begin(struct lt_lifetimes *lf, struct lt_obj *obj, uint32_t ghost)
{
	struct doubt *d = lt_pool_at(&lf->doubts, ghost);
	uint32_t id = obj->id;

	*obj = d->old;
	obj->id = id;
	obj->flags |= OBJ_GHOST;
	obj->extra = ghost;
	lt_objtable_put(&lf->live[LT_SPACE_SLAB], obj);
}

static void ghost_end(struct lt_lifetimes *lf, struct lt_obj *obj)
{
	doubt_of(lf, obj)->serial = 0;
	lt_pool_put(&lf->doubts, obj->extra);
	lt_forget(lf, LT_SPACE_SLAB, obj);
}

bool lt_ghost_free(struct lt_lifetimes *lf, struct lt_obj *obj, const struct lt_event *ev,
		    enum lt_ending ending, uint64_t gap_end)
{
	struct doubt *d = doubt_of(lf, obj);
	bool own = judge(lf, d, &d->young, ev, lf->doubt_ns) != NEW &&
		   !(ev->cache && d->old.cache && ev->cache != d->old.cache);

	if (own) {
		keep_free(lf, d, ev, ending);
		d->lossy = d->lossy || gap_end > d->reborn;
		old_freed(lf, d, false);
	} else {
		old_unseen(lf, d);
	}
	ghost_end(lf, obj);
	return own;
}

/* Neither reading can be ruled out. False: @obj ended. */
static bool undecided(struct lt_lifetimes *lf, struct lt_obj *obj)
{
	struct doubt *d = doubt_of(lf, obj);
	enum lt_space space = d->space;
	struct moment death = d->free;

	if (lt_is_ghost(obj)) {
		old_unseen(lf, d);
		ghost_end(lf, obj);
		return false;
	}
	if (death.ending == LT_END_ALIVE) {
		old_unseen(lf, d);
		drop(lf, obj);
		return true;
	}
	if (!(d->old.flags & OBJ_RCU)) {
		old_freed(lf, d, true);
		obj->flags |= OBJ_TAINTED;
		drop(lf, obj);
		return true;
	}
	old_unseen(lf, d);
	drop(lf, obj);
	lt_gone(lf, space, obj, death.ending, death.time);
	lt_released(lf, space, obj, death.ending, death.time, false);
	lt_emit(lf, space, obj, &death, true, 0);
	lt_forget(lf, space, obj);
	return false;
}

bool lt_doubt_reborn(struct lt_lifetimes *lf, struct lt_obj *obj)
{
	return undecided(lf, obj);
}

bool lt_doubt_end(struct lt_lifetimes *lf, struct lt_obj *obj)
{
	return undecided(lf, obj);
}

void lt_doubt_rcu(struct lt_lifetimes *lf, struct lt_obj *obj, uint64_t gap_end)
{
	struct doubt *d = doubt_of(lf, obj);
	bool lossy = gap_end > d->reborn;

	/* The request is the new object's, so a free that was kept is the old one's. */
	if (d->free.ending == LT_END_ALIVE)
		old_unseen(lf, d);
	else
		old_freed(lf, d, lossy);
	if (lossy)
		obj->flags |= OBJ_TAINTED;
	drop(lf, obj);
}

void lt_doubt_expire(struct lt_lifetimes *lf, uint64_t now)
{
	struct doubt_queue *q = &lf->queue;

	while (q->n) {
		uint32_t id = q->ring[q->head].id;
		struct doubt *d = lt_pool_at(&lf->doubts, id);
		struct lt_obj obj;

		if (d->serial == q->ring[q->head].serial) {
			if (now - d->reborn <= lf->doubt_ns)
				return;
			/* With a free in hand only the next event can tell. */
			if (d->free.ending == LT_END_ALIVE) {
				lt_objtable_find(&lf->live[d->space], d->old.ptr, &obj);
				old_unseen(lf, d);
				if (lt_is_ghost(&obj))
					ghost_end(lf, &obj);
				else
					drop(lf, &obj);
			}
		}
		q->head = (q->head + 1) & (q->size - 1);
		q->n--;
	}
}
