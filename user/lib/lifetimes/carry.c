// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What must be carried of the lifetimes at one time.
 */
#include <string.h>

#include "lifetimes/internal.h"
#include "lifetimes/carry.h"

struct carrier {
	const struct lt_lifetimes *lf;
	enum lt_space space;
	uint64_t gap_end;
	void (*fn)(void *arg, const struct lt_carry *carry);
	void *arg;
};

static enum lt_state_why why_of(const struct carrier *t, const struct lt_obj *obj)
{
	if (lt_unsure_lost(obj, t->gap_end))
		return LT_STATE_LOST;
	if (obj->flags & LT_OBJ_TAINTED)
		return LT_STATE_GUESS;
	/* Of a holder in doubt the flag has another meaning, and it gets it anew. */
	return obj->flags & LT_OBJ_LATE ? LT_STATE_LATE : LT_STATE_CERTAIN;
}

static void carry_birth(const struct carrier *t, const struct lt_obj *obj, enum lt_carry_what what)
{
	const struct lt_carry carry = {
		.time = obj->time, .ptr = obj->ptr, .cpu = obj->cpu, .space = (uint8_t)t->space,
		.what = (uint8_t)what, .why = (uint8_t)why_of(t, obj),
		.split = (obj->flags & LT_OBJ_SPLIT) != 0, .task = lt_life_task(t->lf, obj->task),
	};

	if (!(obj->flags & LT_OBJ_UNBORN))
		t->fn(t->arg, &carry);
}

static void carry_death(const struct carrier *t, uint64_t ptr, const struct lt_death *death,
			enum lt_carry_what what)
{
	const struct lt_carry carry = {
		.time = death->time, .ptr = ptr, .cpu = death->cpu, .space = (uint8_t)t->space,
		.what = (uint8_t)what, .task = lt_life_task(t->lf, death->task),
	};

	t->fn(t->arg, &carry);
}

static const struct lt_doubt *doubt_of(const struct lt_lifetimes *lf, const struct lt_obj *obj)
{
	return lt_pool_at(&lf->doubts, obj->extra);
}

static const struct lt_death *request_of(const struct lt_lifetimes *lf, const struct lt_obj *obj)
{
	return lt_pool_at(&lf->deaths, obj->extra);
}

static void carry_former(const struct carrier *t, const struct lt_doubt *d)
{
	carry_birth(t, &d->former, LT_CARRY_FORMER);
	if (d->former.flags & LT_OBJ_RCU)
		carry_death(t, d->former.ptr, request_of(t->lf, &d->former),
			    LT_CARRY_FORMER_REQUEST);
	if (lt_has_free(d))
		carry_death(t, d->former.ptr, &d->free, LT_CARRY_FREE);
}

static void carry_object(void *arg, struct lt_obj *obj)
{
	const struct carrier *t = arg;

	if (lt_is_awaited(obj))
		return;
	if (obj->flags & LT_OBJ_DOUBT)
		carry_former(t, doubt_of(t->lf, obj));
	carry_birth(t, obj, LT_CARRY_BIRTH);
	if (obj->flags & LT_OBJ_RCU)
		carry_death(t, obj->ptr, request_of(t->lf, obj), LT_CARRY_REQUEST);
}

void lt_lifetimes_carry(const struct lt_lifetimes *lf, const uint64_t gap_end[LT_N_MEMORY],
			void (*fn)(void *arg, const struct lt_carry *carry), void *arg)
{
	for (int space = LT_SPACE_SLAB; space < LT_N_MEMORY; space++) {
		struct carrier t = {
			.lf = lf, .space = (enum lt_space)space, .gap_end = gap_end[space],
			.fn = fn, .arg = arg,
		};

		lt_objtable_each(&lf->live[space], carry_object, &t);
	}
}

/* ------------------------------------------------------------------------
 * One event
 */

static void set_place(const struct lt_lifetimes *lf, struct lt_event *ev, uint32_t site,
		      uint32_t task)
{
	ev->call_site = lt_lifetimes_site(lf, site);
	ev->stack = lt_lifetimes_stack(lf, site);
	ev->task = lt_life_task(lf, task);
}

static void carried_birth(const struct lt_lifetimes *lf, const struct lt_obj *obj,
			  struct lt_carried *carried)
{
	struct lt_size size;

	carried->ev = (struct lt_event){
		.time = obj->time, .ptr = obj->ptr, .bytes_req = obj->bytes_req,
		.bytes_alloc = obj->bytes_alloc, .gfp = obj->gfp, .node = obj->node,
		.cpu = obj->cpu, .cache = obj->cache, .class = obj->kind,
		.context = obj->context, .order = obj->order,
	};
	set_place(lf, &carried->ev, obj->site, obj->task);
	carried->resized = lf->resizes.n && lt_resize_get(&lf->resizes, obj, &size);
	if (carried->resized) {
		carried->req = size.req;
		carried->alloc = size.alloc;
	}
}

static uint8_t class_of(const struct lt_death *death)
{
	switch (death->ending) {
	case LT_END_KFREE:
		return LT_CLASS_KFREE;
	case LT_END_CACHE_FREE:
		return LT_CLASS_CACHE_FREE;
	case LT_END_BULK:
		return LT_CLASS_BULK_FREE;
	case LT_END_RCU:
		return LT_CLASS_RCU_FREE;
	case LT_END_VFREE:
		return LT_CLASS_VFREE;
	case LT_END_PERCPU:
		return LT_CLASS_PERCPU_FREE;
	case LT_END_DMA:
		return LT_CLASS_DMA_FREE;
	default:
		return LT_CLASS_PAGE_FREE;
	}
}

static void carried_death(const struct lt_lifetimes *lf, const struct lt_obj *obj,
			  const struct lt_death *death, struct lt_carried *carried)
{
	carried->ev = (struct lt_event){
		.time = death->time, .ptr = obj->ptr, .node = -1, .cpu = death->cpu,
		.class = class_of(death), .context = death->context, .order = obj->order,
	};
	set_place(lf, &carried->ev, death->site, death->task);
}

void lt_lifetimes_carried(const struct lt_lifetimes *lf, const struct lt_carry *carry,
			  struct lt_carried *carried)
{
	const struct lt_doubt *d;
	struct lt_obj obj;

	memset(carried, 0, sizeof(*carried));
	if (!lt_objtable_find(&lf->live[carry->space], carry->ptr, &obj))
		return;
	switch (carry->what) {
	case LT_CARRY_BIRTH:
		carried_birth(lf, &obj, carried);
		return;
	case LT_CARRY_REQUEST:
		carried_death(lf, &obj, request_of(lf, &obj), carried);
		return;
	}
	d = doubt_of(lf, &obj);
	if (carry->what == LT_CARRY_FORMER)
		carried_birth(lf, &d->former, carried);
	else if (carry->what == LT_CARRY_FORMER_REQUEST)
		carried_death(lf, &d->former, request_of(lf, &d->former), carried);
	else
		carried_death(lf, &d->former, &d->free, carried);
}
