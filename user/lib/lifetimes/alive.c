// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is alive now, while events are still to come.
 */
#include "lifetimes/internal.h"
#include "trace/trace.h"

struct alive {
	const struct lt_lifetimes *lf;
	enum lt_space space;
	uint64_t gap_end;
	lt_alive_fn *fn;
	void *arg;
};

/* How sure it is that the object is alive. */
static enum lt_certainty certainty_of(const struct alive *a, const struct lt_obj *obj)
{
	unsigned int unsure = lt_unsure_lost(obj, a->gap_end);
	struct lt_lifetime l = {
		.space = a->space, .kind = obj->kind, .ending = LT_END_ALIVE,
		.split = obj->flags & LT_OBJ_SPLIT, .order = obj->order,
		.birth = { .known = true, .time = obj->time },
	};

	if (obj->flags & LT_OBJ_TAINTED)
		unsure |= LT_UNSURE_TAINTED;
	lt_certainty_set(&l, &a->lf->config, unsure);
	return (enum lt_certainty)l.certainty;
}

static void each(void *arg, struct lt_obj *obj)
{
	const struct alive *a = arg;
	const struct lt_cache *cache;

	/* Given to kfree_rcu, or over and kept for its late free. */
	if (obj->flags & (LT_OBJ_RCU | LT_OBJ_UNBORN) || lt_is_awaited(obj))
		return;
	if (obj->cache && !obj->bytes_alloc) {
		cache = lt_life_cache(a->lf, obj->cache);
		obj->bytes_req = cache ? cache->object_size : 0;
		obj->bytes_alloc = cache ? cache->size : 0;
	}
	a->fn(a->arg, obj, certainty_of(a, obj));
}

void lt_lifetimes_alive(const struct lt_lifetimes *lf, enum lt_space space, uint64_t gap_end,
			lt_alive_fn *fn, void *arg)
{
	struct alive a = { .lf = lf, .space = space, .gap_end = gap_end, .fn = fn, .arg = arg };

	lt_objtable_each(&lf->live[space], each, &a);
}
