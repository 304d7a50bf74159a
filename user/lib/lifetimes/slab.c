// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetimes of slab objects, and of page blocks once their block is found.
 */
#include "lifetimes/internal.h"

/* kfree(NULL) and kfree(ZERO_SIZE_PTR) are about no object. */
#define ZERO_SIZE_PTR	16

static void make_unborn(struct lt_obj *obj, const struct lt_event *ev)
{
	*obj = (struct lt_obj){ .ptr = obj->ptr, .id = obj->id };
	obj->kind = LT_CLASS_NONE;
	obj->flags = OBJ_UNBORN;
	obj->cache = ev->cache;
	obj->node = -1;
}

void lt_emit_rcu(struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
		  uint64_t confirmed)
{
	const struct moment *request = lt_pool_at(&lf->moments, obj->extra);

	lt_emit(lf, space, obj, request, false, confirmed);
	if (confirmed)
		lf->stats.rcu_confirmed++;
	lt_pool_put(&lf->moments, obj->extra);
}

/*
 * An allocation at the address of an object that is alive, or that waits for
 * the end of its grace period.
 */
void lt_birth_again(struct lt_lifetimes *lf, enum lt_space space, struct lt_obj *obj,
		     const struct lt_event *ev, uint64_t gap_end)
{
	bool rcu;

	if ((obj->flags & OBJ_DOUBT) && !lt_doubt_reborn(lf, obj)) {
		lt_be_born(lf, obj, space, ev);
		obj->flags |= lt_late_flag(lf, space, obj->ptr);
		lt_objtable_add(&lf->live[space], obj);
		return;
	}
	/*
	 * Whichever free turns out to be its own: no memory is in two hands, so
	 * it was released by now.
	 */
	rcu = obj->flags & OBJ_RCU;
	if (!rcu)
		lt_gone(lf, space, obj, LT_END_REBORN, ev->time);
	lt_released(lf, space, obj, LT_END_REBORN, ev->time, rcu);
	lt_doubt_begin(lf, space, obj, ev, gap_end);
}

/* A free of an object whose birth was seen and that was not yet freed. */
void lt_free_live(struct lt_lifetimes *lf, enum lt_space space, struct lt_obj *obj,
		   const struct lt_event *ev, enum lt_ending ending, uint64_t gap_end)
{
	struct moment death;
	uint32_t ghost = 0;

	if ((obj->flags & OBJ_DOUBT) && lt_doubt_free(lf, obj, ev, ending, gap_end, &ghost))
		return;
	if ((obj->flags & OBJ_LATE) && lt_may_be_late(lf, obj, ev))
		obj->flags |= OBJ_TAINTED;
	lt_death_init(lf, &death, ev, ending, lt_lossy(obj, gap_end));
	lt_gone(lf, space, obj, ending, ev->time);
	lt_released(lf, space, obj, ending, ev->time, false);
	lt_emit(lf, space, obj, &death, false, 0);
	if (ghost)
		lt_ghost_begin(lf, obj, ghost);
	else
		lt_forget(lf, space, obj);
}

void lt_free_unborn(struct lt_lifetimes *lf, enum lt_space space, struct lt_obj *unborn,
		     const struct lt_event *ev, enum lt_ending ending, uint64_t gap_end)
{
	struct moment death;

	lt_death_init(lf, &death, ev, ending, gap_end != 0);
	lt_gone(lf, space, unborn, ending, ev->time);
	lt_released(lf, space, unborn, ending, ev->time, false);
	lt_emit(lf, space, unborn, &death, false, 0);
}

/*
 * A free of an object that was given to kfree_rcu, and not born since, is the
 * other half of the same thing: it tells when the grace period was over and
 * the memory given back. Where a gap lies between the two, a birth may have
 * been lost, and the free may be that of another object: then it tells nothing.
 * So it is where births are left out for their size: the smallest slot is given to
 * all that is smaller, and the page of a larger one may become one of small slots.
 */
static void confirm(struct lt_lifetimes *lf, struct lt_obj *obj, const struct lt_event *ev,
		    enum lt_ending ending, uint64_t gap_end)
{
	const struct moment *request = lt_pool_at(&lf->moments, obj->extra);

	/* kmem_cache_free says what cache it was, if nothing did before. */
	if (!obj->cache && (obj->flags & OBJ_UNBORN))
		obj->cache = ev->cache;
	lt_released(lf, LT_SPACE_SLAB, obj, ending, ev->time, true);
	lt_emit_rcu(lf, LT_SPACE_SLAB, obj,
		     gap_end > request->time || lf->config.min_size ? 0 : ev->time);
	lt_forget(lf, LT_SPACE_SLAB, obj);
}

/*
 * A free that may come late is none of what was given to kfree_rcu, whose release is
 * never late: it is that of a former holder of the address.
 */
static bool is_of_former(const struct lt_lifetimes *lf, const struct lt_obj *obj,
			 const struct lt_event *ev)
{
	return (obj->flags & (OBJ_RCU | OBJ_UNBORN)) == OBJ_RCU && lt_may_be_late(lf, obj, ev) &&
	       ((obj->flags & OBJ_LATE) || lt_late_is_marked(lf, obj->ptr));
}

static void slab_free(struct lt_lifetimes *lf, const struct lt_event *ev,
		      enum lt_ending ending, uint64_t gap_end)
{
	struct lt_obj obj;
	bool found = lt_objtable_find(&lf->live[LT_SPACE_SLAB], ev->ptr, &obj);

	if (found && lt_is_ghost(&obj)) {
		if (lt_ghost_free(lf, &obj, ev, ending, gap_end))
			return;
		found = false;
	}
	if (!found || is_of_former(lf, &obj, ev)) {
		obj.ptr = ev->ptr;
		make_unborn(&obj, ev);
		lt_free_unborn(lf, LT_SPACE_SLAB, &obj, ev, ending, gap_end);
	} else if (obj.flags & OBJ_RCU) {
		confirm(lf, &obj, ev, ending, gap_end);
	} else {
		lt_free_live(lf, LT_SPACE_SLAB, &obj, ev, ending, gap_end);
	}
}

/*
 * kfree_rcu ends the life from its user's view. The object stays in the table
 * until its memory is seen to be given back, or born again: the lifetime is
 * reported only then, with the time between, if there is one to tell.
 *
 * An address of which nothing is known may be of vmalloc, which kvfree_rcu
 * also takes, or of an older slab object. It is kept to see what follows: a
 * free or a birth prove that it was a slab object.
 */
static void rcu_free(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	struct lt_objtable *live = &lf->live[LT_SPACE_SLAB];
	struct lt_obj obj = { .ptr = ev->ptr };
	bool found = lt_objtable_find(live, ev->ptr, &obj);

	lf->stats.rcu_requests++;
	if (found && lt_is_ghost(&obj))
		found = lt_doubt_reborn(lf, &obj);
	else if (found && (obj.flags & OBJ_DOUBT))
		lt_doubt_rcu(lf, &obj, gap_end);
	if (found && (obj.flags & OBJ_RCU)) {
		/*
		 * Asked twice: between the two it was born by a path that is
		 * not watched, or lost, or it is vmalloc's.
		 */
		if (obj.flags & OBJ_UNBORN) {
			lf->stats.rcu_unknown++;
			lt_pool_put(&lf->moments, obj.extra);
		} else {
			lt_released(lf, LT_SPACE_SLAB, &obj, LT_END_REBORN, ev->time, true);
			lt_emit_rcu(lf, LT_SPACE_SLAB, &obj, 0);
		}
		make_unborn(&obj, ev);
	} else if (!found) {
		make_unborn(&obj, ev);
	}
	obj.extra = lt_pool_get(&lf->moments);
	lt_death_init(lf, lt_pool_at(&lf->moments, obj.extra), ev, LT_END_RCU,
		   lt_lossy(&obj, gap_end));
	obj.flags |= OBJ_RCU;
	if (found)
		lt_objtable_put(live, &obj);
	else
		lt_objtable_add(live, &obj);
	lt_gone(lf, LT_SPACE_SLAB, &obj, LT_END_RCU, ev->time);
}

/*
 * Some kernels (6.12 for one) trace a kmalloc that is too large for a slab
 * twice: from within the allocator, and then for its caller. The second event
 * is of the same call: same task and context, nothing freed in between, soon
 * after, all values the same but the call site. That of the second is the one to
 * keep. (That nothing was freed in between holds only for frees that are watched.)
 */
static bool traced_twice(const struct lt_lifetimes *lf, const struct lt_obj *obj,
			 const struct lt_event *ev, uint64_t gap_end)
{
	return ev->class == LT_CLASS_KMALLOC && obj->kind == LT_CLASS_KMALLOC &&
	       !lt_is_ghost(obj) && !(obj->flags & ~(OBJ_DOUBT | OBJ_TAINTED | OBJ_LATE)) &&
	       ev->time - obj->time <= TWICE_NS &&
	       ev->bytes_alloc > 2ULL << lf->config.page_shift &&
	       obj->bytes_alloc == ev->bytes_alloc && obj->bytes_req == ev->bytes_req &&
	       obj->gfp == ev->gfp && obj->node == ev->node && obj->context == ev->context &&
	       ev->task && lt_lifetimes_task(lf, obj->task) == ev->task &&
	       !lt_lossy(obj, gap_end) &&
	       lt_lifetimes_site(lf, obj->site) != ev->call_site;
}

static void slab_birth(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	struct lt_objtable *live = &lf->live[LT_SPACE_SLAB];
	struct lt_obj obj;

	if (!lt_objtable_find(live, ev->ptr, &obj)) {
		obj.ptr = ev->ptr;
		lt_be_born(lf, &obj, LT_SPACE_SLAB, ev);
		obj.flags |= lt_late_flag(lf, LT_SPACE_SLAB, obj.ptr);
		lt_objtable_add(live, &obj);
		return;
	}
	if (!traced_twice(lf, &obj, ev, gap_end)) {
		lt_birth_again(lf, LT_SPACE_SLAB, &obj, ev, gap_end);
		return;
	}
	/* Who sums up by site hears of it as of an end and a birth. */
	lt_gone(lf, LT_SPACE_SLAB, &obj, LT_END_REBORN, ev->time);
	obj.site = lt_intern(&lf->sites, ev->call_site);
	/* Or it was freed in between where nobody looked, and is another one. */
	if (lf->config.unwatched_free[LT_SPACE_SLAB])
		obj.flags |= OBJ_TAINTED;
	if (lf->ops.born)
		lf->ops.born(lf->ops.arg, LT_SPACE_SLAB, &obj);
	lt_objtable_put(live, &obj);
}

void lt_slab_event(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	lf->gapped |= gap_end != 0;
	if (ev->ptr <= ZERO_SIZE_PTR) {
		lf->stats.bad++;
		return;
	}
	switch (ev->class) {
	case LT_CLASS_KMALLOC:
	case LT_CLASS_CACHE_ALLOC:
	case LT_CLASS_BULK_ALLOC:
		slab_birth(lf, ev, gap_end);
		break;
	case LT_CLASS_KFREE:
		slab_free(lf, ev, LT_END_KFREE, gap_end);
		break;
	case LT_CLASS_CACHE_FREE:
		slab_free(lf, ev, LT_END_CACHE_FREE, gap_end);
		break;
	case LT_CLASS_BULK_FREE:
		slab_free(lf, ev, LT_END_BULK, gap_end);
		break;
	case LT_CLASS_RCU_FREE:
		rcu_free(lf, ev, gap_end);
		break;
	}
}
