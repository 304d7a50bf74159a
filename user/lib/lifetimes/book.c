// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The book: what is alive, in doubt, or waits for a release. Here the verdicts of the
 * rules are applied. Nothing else changes the book, but for late marks that become too
 * old (late.c).
 *
 * Objects are copies of what the table has; they are put back when they were changed.
 */
#include <string.h>

#include "lifetimes/internal.h"

/* ------------------------------------------------------------------------
 * What is known of an address
 */

static struct lt_doubt *doubt_of(const struct lt_lifetimes *lf, const struct lt_known *k)
{
	return lt_pool_at(&lf->doubts, k->holder.extra);
}

static struct lt_objtable *table_of(struct lt_lifetimes *lf, const struct lt_known *k)
{
	return &lf->live[k->space];
}

void lt_book_details(const struct lt_lifetimes *lf, struct lt_known *k)
{
	const struct lt_obj *obj = &k->holder;

	k->late = obj->flags & LT_OBJ_LATE;
	k->maker = lt_life_task(lf, obj->task);
	k->site = lt_lifetimes_site(lf, obj->site);
	if (obj->flags & LT_OBJ_RCU)
		k->request = lt_pool_at(&lf->deaths, obj->extra);
	if (!(obj->flags & LT_OBJ_DOUBT))
		return;
	k->doubt = doubt_of(lf, k);
	k->former_maker = lt_life_task(lf, k->doubt->former.task);
	if (lt_is_awaited(obj))
		k->maker = lt_life_task(lf, k->doubt->holder.task);
	else
		k->late = lt_late_expected(lf, k->space, obj->ptr);
}

/* ------------------------------------------------------------------------
 * Ends
 */

/* An end that was not seen: @ending is LT_END_REBORN, LT_END_LOST or LT_END_ALIVE. */
static struct lt_death unseen_death(uint64_t time, uint32_t count, enum lt_ending ending,
				    uint8_t unsure)
{
	return (struct lt_death){
		.time = time, .count = count, .ending = (uint8_t)ending, .unsure = unsure,
	};
}

/* The lifetime of an object ends at its request to kfree_rcu. */
static void end_requested(struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
			  uint64_t confirmed)
{
	lt_life_ended(lf, space, obj, lt_pool_at(&lf->deaths, obj->extra), confirmed);
	if (confirmed)
		lf->stats.rcu_confirmed++;
	lt_pool_put(&lf->deaths, obj->extra);
}

/* The release was not seen. Without a birth, too, the address may be of vmalloc. */
static void end_unconfirmed(struct lt_lifetimes *lf, const struct lt_known *k)
{
	if (!(k->holder.flags & LT_OBJ_UNBORN)) {
		end_requested(lf, k->space, &k->holder, 0);
		return;
	}
	lf->stats.rcu_unknown++;
	lt_pool_put(&lf->deaths, k->holder.extra);
}

/* @obj is gone and released by one event. */
static void end(struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
		const struct lt_death *death)
{
	lt_life_gone(lf, space, obj, death->ending, death->time);
	lt_life_released(lf, space, obj, death->ending, death->time, false);
	lt_life_ended(lf, space, obj, death, 0);
}

static void leave(struct lt_lifetimes *lf, struct lt_known *k)
{
	lt_life_leave(lf, k->space, &k->holder);
	k->held = false;
}

/* ------------------------------------------------------------------------
 * Doubts
 */

/* The holder becomes the former holder, and its end is in doubt. */
static void open_doubt(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev,
		       uint8_t unsure)
{
	uint32_t id = lt_pool_get(&lf->doubts);
	struct lt_doubt *d = lt_pool_at(&lf->doubts, id);

	memset(d, 0, sizeof(*d));
	d->former = k->holder;
	d->reborn = ev->time;
	d->space = k->space;
	d->unsure = unsure;
	if (!++lf->doubt_serial)
		lf->doubt_serial = 1;
	d->serial = lf->doubt_serial;
	lt_ring_push(&lf->doubt_queue, id, d->serial);

	lt_life_begin(lf, k->space, &k->holder, ev);
	/* With a doubt this flag means that the object is over. */
	k->holder.flags &= (uint8_t)~LT_OBJ_LATE;
	d->count = k->holder.count;
	d->holder = k->holder;
	k->holder.flags |= LT_OBJ_DOUBT;
	k->holder.extra = id;
	lt_objtable_put(table_of(lf, k), &k->holder);
}

/* The doubt is decided; its entry in the queue, if any, is void. */
static void close_doubt(struct lt_lifetimes *lf, struct lt_known *k)
{
	doubt_of(lf, k)->serial = 0;
	lt_pool_put(&lf->doubts, k->holder.extra);
	k->doubt = NULL;
	if (lt_is_awaited(&k->holder)) {
		leave(lf, k);
		return;
	}
	k->holder.extra = 0;
	k->holder.flags &= (uint8_t)~LT_OBJ_DOUBT;
	if (lt_late_expected(lf, k->space, k->holder.ptr))
		k->holder.flags |= LT_OBJ_LATE;
	lt_objtable_put(table_of(lf, k), &k->holder);
}

/* The free may be the end of the former holder; or of one before that. */
static void keep_free(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev,
		      uint8_t unsure)
{
	struct lt_doubt *d = doubt_of(lf, k);

	if (unsure & LT_UNSURE_LATE)
		d->former.flags |= LT_OBJ_TAINTED;
	d->unsure |= unsure & LT_UNSURE_LOST;
	lt_death_init(lf, &d->free, k->space, ev, 0);
}

/* The free of the former holder (or, after a request, its release) was not seen. */
static void end_former_unseen(struct lt_lifetimes *lf, const struct lt_doubt *d)
{
	struct lt_death death = unseen_death(d->reborn, d->count, LT_END_REBORN, d->unsure);

	if (d->former.flags & LT_OBJ_RCU)
		end_requested(lf, d->space, &d->former, 0);
	else
		lt_life_ended(lf, d->space, &d->former, &death, 0);
}

/* The kept free ends the former holder. @unsure: LT_UNSURE_ORDER: that is a guess. */
static void end_former_freed(struct lt_lifetimes *lf, const struct lt_doubt *d, uint8_t unsure)
{
	struct lt_death death = d->free;

	/* It was recorded too late, and was over by the time of the new birth. */
	if (death.time > d->reborn)
		death.time = d->reborn;
	death.count = d->count;
	death.unsure = d->unsure | unsure;
	if (d->former.flags & LT_OBJ_RCU)
		end_requested(lf, d->space, &d->former, death.unsure ? 0 : death.time);
	else
		lt_life_ended(lf, d->space, &d->former, &death, 0);
	if (!unsure)
		lf->stats.inversions++;
}

/* Closes the doubt as @former has it. */
static void decide_former(struct lt_lifetimes *lf, struct lt_known *k, enum lt_former former)
{
	const struct lt_doubt *d = k->doubt;
	struct lt_death free = d->free;

	switch (former) {
	case LT_FORMER_UNSEEN:
	case LT_FORMER_REQUESTED:
		end_former_unseen(lf, d);
		break;
	case LT_FORMER_MISSED:
		end_former_unseen(lf, d);
		lt_late_mark(lf, d->former.ptr, d->reborn);
		break;
	case LT_FORMER_GUESSED:
		end_former_freed(lf, d, LT_UNSURE_ORDER);
		k->holder.flags |= LT_OBJ_TAINTED;
		break;
	default:
		end_former_freed(lf, d, 0);
		break;
	}
	close_doubt(lf, k);
	if (former == LT_FORMER_REQUESTED) {
		free.unsure = LT_UNSURE_ORDER;
		end(lf, k->space, &k->holder, &free);
		leave(lf, k);
	}
}

void lt_book_lose_former(struct lt_lifetimes *lf, const struct lt_doubt *d)
{
	end_former_unseen(lf, d);
}

void lt_book_lose_holder(struct lt_lifetimes *lf, const struct lt_known *k, uint64_t time)
{
	struct lt_death death = unseen_death(time, (uint32_t)lf->stats.births[k->space],
					     LT_END_LOST, LT_UNSURE_LOST);
	bool rcu = k->holder.flags & LT_OBJ_RCU;

	if (!rcu)
		lt_life_gone(lf, k->space, &k->holder, LT_END_LOST, time);
	if (!(k->holder.flags & LT_OBJ_UNBORN))
		lt_life_released(lf, k->space, &k->holder, LT_END_LOST, time, rcu);
	if (rcu)
		end_unconfirmed(lf, k);
	else
		lt_life_ended(lf, k->space, &k->holder, &death, 0);
}

void lt_book_leave_out(struct lt_lifetimes *lf, struct lt_known *k, uint64_t time)
{
	struct lt_death death = unseen_death(time, (uint32_t)lf->stats.births[k->space],
					     LT_END_LOST, 0);

	if (k->doubt) {
		end_former_unseen(lf, k->doubt);
		/* An awaited one is over, and leaves the table by that. */
		close_doubt(lf, k);
	}
	if (!k->held)
		return;
	if (k->holder.flags & LT_OBJ_RCU) {
		if (!(k->holder.flags & LT_OBJ_UNBORN))
			lt_life_released(lf, k->space, &k->holder, LT_END_LOST, time, true);
		end_unconfirmed(lf, k);
	} else {
		lt_life_left(lf, k->space, &k->holder, &death);
	}
	leave(lf, k);
}

/* In place of the holder, which ended, its former holder: the free of that is awaited. */
static void await_former(struct lt_lifetimes *lf, struct lt_known *k)
{
	uint32_t id = k->holder.id, extra = k->holder.extra;

	k->holder = k->doubt->former;
	k->holder.id = id;
	k->holder.flags |= LT_OBJ_AWAITED;
	k->holder.extra = extra;
	lt_objtable_put(table_of(lf, k), &k->holder);
}

const struct lt_doubt *lt_book_oldest_doubt(struct lt_lifetimes *lf)
{
	while (lf->doubt_queue.n) {
		const struct lt_ring_entry *head = lt_ring_first(&lf->doubt_queue);
		const struct lt_doubt *d = lt_pool_at(&lf->doubts, (uint32_t)head->what);

		if (d->serial == head->stamp)
			return d;
		lt_ring_pop(&lf->doubt_queue);
	}
	return NULL;
}

void lt_book_pass_doubt(struct lt_lifetimes *lf)
{
	lt_ring_pop(&lf->doubt_queue);
}

/* ------------------------------------------------------------------------
 * Verdicts
 */

void lt_book_begin(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev)
{
	lt_life_begin(lf, k->space, &k->holder, ev);
	if (lt_late_expected(lf, k->space, k->holder.ptr))
		k->holder.flags |= LT_OBJ_LATE;
	lt_life_enter_at(lf, k);
}

static void replace(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev,
		    uint8_t unsure)
{
	bool rcu = k->holder.flags & LT_OBJ_RCU;

	/*
	 * Whichever free turns out to be that of the holder: no memory has two
	 * holders, so it was released by now.
	 */
	if (!rcu)
		lt_life_gone(lf, k->space, &k->holder, LT_END_REBORN, ev->time);
	lt_life_released(lf, k->space, &k->holder, LT_END_REBORN, ev->time, rcu);
	open_doubt(lf, k, ev, unsure);
}

/* Sums by call site get this as an end and a birth. */
static void correct(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev,
		    uint8_t unsure)
{
	lt_life_gone(lf, k->space, &k->holder, LT_END_REBORN, ev->time);
	/* Only the first event may have a stack; it begins with the same caller. */
	if (ev->stack || !(k->holder.site & LT_ORIGIN))
		k->holder.site = lt_origin_number(lf, ev);
	if (unsure)
		k->holder.flags |= LT_OBJ_TAINTED;
	if (lf->ops.born)
		lf->ops.born(lf->ops.arg, k->space, &k->holder);
	lt_objtable_put(table_of(lf, k), &k->holder);
}

static void end_by(struct lt_lifetimes *lf, const struct lt_known *k, const struct lt_event *ev,
		   uint8_t unsure)
{
	struct lt_death death;

	lt_death_init(lf, &death, k->space, ev, unsure);
	end(lf, k->space, &k->holder, &death);
}

void lt_book_end_holder(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev,
			uint8_t unsure)
{
	end_by(lf, k, ev, unsure);
	lt_life_leave_at(lf, k);
	k->held = false;
}

static void end_holder(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev,
		       struct lt_verdict v)
{
	end_by(lf, k, ev, v.unsure);
	if (v.former == LT_FORMER_AWAITED)
		await_former(lf, k);
	else
		leave(lf, k);
}

/* A holder, if there is one, is another object and stays. */
static void end_unknown(struct lt_lifetimes *lf, const struct lt_known *k,
			const struct lt_event *ev, uint8_t unsure)
{
	struct lt_obj obj = k->holder;
	struct lt_death death;

	if (k->space != LT_SPACE_PAGE)
		lt_life_unborn(&obj, ev);
	lt_death_init(lf, &death, k->space, ev, unsure);
	end(lf, k->space, &obj, &death);
}

static void release(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev,
		    uint64_t confirmed)
{
	/* kmem_cache_free names the cache, if nothing else did before. */
	if (!k->holder.cache && (k->holder.flags & LT_OBJ_UNBORN))
		k->holder.cache = ev->cache;
	lt_life_released(lf, k->space, &k->holder, lt_life_ending(ev->class), ev->time, true);
	end_requested(lf, k->space, &k->holder, confirmed);
	leave(lf, k);
}

/* kfree_rcu ends the holder for its user; its memory stays in the table until its release. */
static void request(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev,
		    uint8_t unsure)
{
	k->holder.extra = lt_pool_get(&lf->deaths);
	lt_death_init(lf, lt_pool_at(&lf->deaths, k->holder.extra), k->space, ev, unsure);
	k->holder.flags |= LT_OBJ_RCU;
	if (k->held)
		lt_objtable_put(table_of(lf, k), &k->holder);
	else
		lt_life_enter(lf, k->space, &k->holder);
	k->held = true;
	lt_life_gone(lf, k->space, &k->holder, LT_END_RCU, ev->time);
}

/*
 * The object of the second request was born unseen. When the birth of the first one was
 * not seen either, both may be memory of vmalloc, and no lifetime is made of the first.
 */
static void request_again(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev,
			  uint8_t unsure)
{
	if (!(k->holder.flags & LT_OBJ_UNBORN))
		lt_life_released(lf, k->space, &k->holder, LT_END_REBORN, ev->time, true);
	end_unconfirmed(lf, k);
	lt_life_unborn(&k->holder, ev);
	request(lf, k, ev, unsure);
}

/* A part of a block, as a block of its own. */
static void enter_part(struct lt_lifetimes *lf, struct lt_obj *obj, uint64_t pfn,
		       unsigned int order)
{
	obj->ptr = pfn;
	obj->order = (uint8_t)order;
	obj->bytes_req = obj->bytes_alloc = 1ULL << (lf->config.page_shift + order);
	obj->flags |= LT_OBJ_SPLIT;
	lt_life_enter(lf, LT_SPACE_PAGE, obj);
}

/* Cuts the holder in halves until the pages of @ev stand alone, which the holder is then. */
static void cut(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev)
{
	struct lt_obj block = k->holder, half;

	if (!(block.flags & LT_OBJ_SPLIT))
		lf->stats.page_splits++;
	lt_life_leave(lf, LT_SPACE_PAGE, &k->holder);
	while (block.order > ev->order) {
		uint64_t upper = block.ptr + (1ULL << (block.order - 1));

		if (lf->ops.halved)
			lf->ops.halved(lf->ops.arg, &block);
		block.order--;
		block.bytes_req = block.bytes_alloc =
			1ULL << (lf->config.page_shift + block.order);
		half = block;
		if (ev->ptr < upper) {
			enter_part(lf, &half, upper, block.order);
		} else {
			enter_part(lf, &half, block.ptr, block.order);
			block.ptr = upper;
		}
	}
	k->holder = block;
	enter_part(lf, &k->holder, ev->ptr, ev->order);
}

static void end_replaced(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev,
			 uint8_t unsure)
{
	struct lt_death death = unseen_death(ev->time, (uint32_t)lf->stats.births[k->space],
					     LT_END_REBORN, unsure);

	end(lf, k->space, &k->holder, &death);
	leave(lf, k);
}

static void end_open(struct lt_lifetimes *lf, const struct lt_known *k, const struct lt_event *ev,
		     uint8_t unsure)
{
	struct lt_death death = unseen_death(ev->time, (uint32_t)lf->stats.births[k->space],
					     LT_END_ALIVE, unsure);

	lt_life_ended(lf, k->space, &k->holder, &death, 0);
}

void lt_book_apply_rare(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev,
			struct lt_verdict v)
{
	/* The table may change before the address enters or leaves it. */
	k->at.known = false;
	if (v.kind == LT_VERDICT_KEEP_FREE || v.kind == LT_VERDICT_END_FORMER)
		keep_free(lf, k, ev, v.unsure);
	if (v.former != LT_FORMER_NONE && v.former != LT_FORMER_AWAITED)
		decide_former(lf, k, (enum lt_former)v.former);
	switch (v.kind) {
	case LT_VERDICT_BEGIN:
		lt_book_begin(lf, k, ev);
		break;
	case LT_VERDICT_REPLACE:
		replace(lf, k, ev, v.unsure);
		break;
	case LT_VERDICT_CORRECT:
		correct(lf, k, ev, v.unsure);
		break;
	case LT_VERDICT_END_HOLDER:
		end_holder(lf, k, ev, v);
		break;
	case LT_VERDICT_END_UNKNOWN:
		end_unknown(lf, k, ev, v.unsure);
		break;
	case LT_VERDICT_CONFIRM:
		release(lf, k, ev, ev->time);
		break;
	case LT_VERDICT_RELEASE:
		release(lf, k, ev, 0);
		break;
	case LT_VERDICT_REQUEST:
		request(lf, k, ev, v.unsure);
		break;
	case LT_VERDICT_REQUEST_AGAIN:
		request_again(lf, k, ev, v.unsure);
		break;
	case LT_VERDICT_REQUEST_UNKNOWN:
		lt_life_unborn(&k->holder, ev);
		request(lf, k, ev, v.unsure);
		break;
	case LT_VERDICT_CUT:
		cut(lf, k, ev);
		break;
	case LT_VERDICT_JOIN:
		k->holder.flags |= LT_OBJ_SPLIT;
		break;
	case LT_VERDICT_END_REPLACED:
		end_replaced(lf, k, ev, v.unsure);
		break;
	case LT_VERDICT_END_REQUEST:
		end_unconfirmed(lf, k);
		break;
	case LT_VERDICT_END_OPEN:
		end_open(lf, k, ev, v.unsure);
		break;
	default:	/* nothing more happens at the address */
		break;
	}
}
