// SPDX-License-Identifier: GPL-2.0
/*
 * What must be told of the lifetimes at one time.
 */
#include <string.h>

#include "lifetimes/internal.h"
#include "lifetimes/tell.h"

struct teller {
	const struct lt_lifetimes *lf;
	enum lt_space space;
	uint64_t gap_end;
	void (*fn)(void *arg, const struct lt_telling *telling);
	void *arg;
};

static enum lt_state_why why_of(const struct teller *t, const struct lt_obj *obj)
{
	if (lt_unsure_lost(obj, t->gap_end))
		return LT_STATE_LOST;
	if (obj->flags & LT_OBJ_TAINTED)
		return LT_STATE_GUESS;
	/* Of a holder in doubt the flag has another meaning, and it gets it anew. */
	return obj->flags & LT_OBJ_LATE ? LT_STATE_LATE : LT_STATE_CERTAIN;
}

static void tell_birth(const struct teller *t, const struct lt_obj *obj, enum lt_tell what)
{
	const struct lt_telling telling = {
		.time = obj->time, .ptr = obj->ptr, .cpu = obj->cpu, .space = (uint8_t)t->space,
		.what = (uint8_t)what, .why = (uint8_t)why_of(t, obj),
		.split = (obj->flags & LT_OBJ_SPLIT) != 0, .task = lt_life_task(t->lf, obj->task),
	};

	if (!(obj->flags & LT_OBJ_UNBORN))
		t->fn(t->arg, &telling);
}

static void tell_death(const struct teller *t, uint64_t ptr, const struct lt_death *death,
		       enum lt_tell what)
{
	const struct lt_telling telling = {
		.time = death->time, .ptr = ptr, .cpu = death->cpu, .space = (uint8_t)t->space,
		.what = (uint8_t)what, .task = lt_life_task(t->lf, death->task),
	};

	t->fn(t->arg, &telling);
}

static const struct lt_doubt *doubt_of(const struct lt_lifetimes *lf, const struct lt_obj *obj)
{
	return lt_pool_at(&lf->doubts, obj->extra);
}

static const struct lt_death *request_of(const struct lt_lifetimes *lf, const struct lt_obj *obj)
{
	return lt_pool_at(&lf->deaths, obj->extra);
}

static void tell_former(const struct teller *t, const struct lt_doubt *d)
{
	tell_birth(t, &d->former, LT_TELL_FORMER);
	if (d->former.flags & LT_OBJ_RCU)
		tell_death(t, d->former.ptr, request_of(t->lf, &d->former),
			   LT_TELL_FORMER_REQUEST);
	if (lt_has_free(d))
		tell_death(t, d->former.ptr, &d->free, LT_TELL_FREE);
}

static void tell_object(void *arg, struct lt_obj *obj)
{
	const struct teller *t = arg;

	if (lt_is_awaited(obj))
		return;
	if (obj->flags & LT_OBJ_DOUBT)
		tell_former(t, doubt_of(t->lf, obj));
	tell_birth(t, obj, LT_TELL_BIRTH);
	if (obj->flags & LT_OBJ_RCU)
		tell_death(t, obj->ptr, request_of(t->lf, obj), LT_TELL_REQUEST);
}

void lt_lifetimes_tell(const struct lt_lifetimes *lf, const uint64_t gap_end[LT_N_MEMORY],
		       void (*fn)(void *arg, const struct lt_telling *telling), void *arg)
{
	for (int space = LT_SPACE_SLAB; space < LT_N_MEMORY; space++) {
		struct teller t = {
			.lf = lf, .space = (enum lt_space)space, .gap_end = gap_end[space],
			.fn = fn, .arg = arg,
		};

		lt_objtable_each(&lf->live[space], tell_object, &t);
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

static void told_birth(const struct lt_lifetimes *lf, const struct lt_obj *obj,
		       struct lt_told *told)
{
	struct lt_size size;

	told->ev = (struct lt_event){
		.time = obj->time, .ptr = obj->ptr, .bytes_req = obj->bytes_req,
		.bytes_alloc = obj->bytes_alloc, .gfp = obj->gfp, .node = obj->node,
		.cpu = obj->cpu, .cache = obj->cache, .class = obj->kind,
		.context = obj->context, .order = obj->order,
	};
	set_place(lf, &told->ev, obj->site, obj->task);
	told->resized = lf->resizes.n && lt_resize_get(&lf->resizes, obj, &size);
	if (told->resized) {
		told->req = size.req;
		told->alloc = size.alloc;
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

static void told_death(const struct lt_lifetimes *lf, const struct lt_obj *obj,
		       const struct lt_death *death, struct lt_told *told)
{
	told->ev = (struct lt_event){
		.time = death->time, .ptr = obj->ptr, .node = -1, .cpu = death->cpu,
		.class = class_of(death), .context = death->context, .order = obj->order,
	};
	set_place(lf, &told->ev, death->site, death->task);
}

void lt_lifetimes_told(const struct lt_lifetimes *lf, const struct lt_telling *telling,
		       struct lt_told *told)
{
	const struct lt_doubt *d;
	struct lt_obj obj;

	memset(told, 0, sizeof(*told));
	if (!lt_objtable_find(&lf->live[telling->space], telling->ptr, &obj))
		return;
	switch (telling->what) {
	case LT_TELL_BIRTH:
		told_birth(lf, &obj, told);
		return;
	case LT_TELL_REQUEST:
		told_death(lf, &obj, request_of(lf, &obj), told);
		return;
	}
	d = doubt_of(lf, &obj);
	if (telling->what == LT_TELL_FORMER)
		told_birth(lf, &d->former, told);
	else if (telling->what == LT_TELL_FORMER_REQUEST)
		told_death(lf, &d->former, request_of(lf, &d->former), told);
	else
		told_death(lf, &d->former, &d->free, told);
}
