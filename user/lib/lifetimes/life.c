// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The two ends of a life: what the table of live objects gets of a birth, and the
 * lifetime that comes out after a death.
 */
#include "lifetimes/internal.h"
#include "trace/trace.h"

/* ------------------------------------------------------------------------
 * Births
 */

const struct lt_cache *lt_life_cache(const struct lt_lifetimes *lf, uint32_t id)
{
	if (!id)
		return NULL;
	if (lf->ops.cache)
		return lf->ops.cache(lf->ops.arg, id);
	return lf->caches ? lt_trace_cache(lf->caches, id) : NULL;
}

void lt_life_cache_sizes(const struct lt_lifetimes *lf, uint32_t id, uint64_t *req, uint64_t *alloc)
{
	const struct lt_cache *cache = lt_life_cache(lf, id);

	*req = cache ? cache->object_size : 0;
	*alloc = cache ? cache->size : 0;
}

static uint32_t task_id(struct lt_lifetimes *lf, const struct lt_task *task)
{
	return lt_intern_number(&lf->tasks, (uintptr_t)task);
}

void lt_life_begin(struct lt_lifetimes *lf, enum lt_space space, struct lt_obj *obj,
		   const struct lt_event *ev)
{
	obj->time = ev->time;
	obj->site = lt_origin_number(lf, ev);
	obj->task = task_id(lf, ev->task);
	obj->gfp = ev->gfp;
	obj->cpu = ev->cpu;
	obj->node = ev->node;
	obj->extra = 0;
	obj->cache = ev->cache;
	obj->kind = ev->class;
	obj->context = ev->context;
	obj->order = ev->order;
	obj->flags = lf->restored_flags;
	obj->bytes_req = ev->bytes_req;
	obj->bytes_alloc = ev->bytes_alloc;
	if (space == LT_SPACE_PAGE)
		obj->bytes_req = obj->bytes_alloc = 1ULL << (lf->config.page_shift + ev->order);
	else if (space == LT_SPACE_SLAB && ev->class != LT_CLASS_KMALLOC)
		lt_life_cache_sizes(lf, ev->cache, &obj->bytes_req, &obj->bytes_alloc);

	lf->stats.births[space] += !lf->restoring;
	obj->count = (uint32_t)lf->stats.births[space];
	if (lf->ops.born)
		lf->ops.born(lf->ops.arg, space, obj);
}

void lt_life_unborn(struct lt_obj *obj, const struct lt_event *ev)
{
	*obj = (struct lt_obj){
		.ptr = obj->ptr, .id = obj->id, .kind = LT_CLASS_NONE, .node = -1,
		.cache = ev->cache, .flags = LT_OBJ_UNBORN,
	};
}

/* ------------------------------------------------------------------------
 * Deaths
 */

enum lt_ending lt_life_ending(unsigned int class)
{
	switch (class) {
	case LT_CLASS_KFREE:
		return LT_END_KFREE;
	case LT_CLASS_CACHE_FREE:
		return LT_END_CACHE_FREE;
	case LT_CLASS_BULK_FREE:
		return LT_END_BULK;
	case LT_CLASS_RCU_FREE:
		return LT_END_RCU;
	case LT_CLASS_VFREE:
		return LT_END_VFREE;
	case LT_CLASS_PERCPU_FREE:
		return LT_END_PERCPU;
	case LT_CLASS_DMA_FREE:
		return LT_END_DMA;
	default:
		return LT_END_PAGE;
	}
}

void lt_death_init(struct lt_lifetimes *lf, struct lt_death *death, enum lt_space space,
		   const struct lt_event *ev, uint8_t unsure)
{
	death->time = ev->time;
	death->site = lt_origin_number(lf, ev);
	death->task = task_id(lf, ev->task);
	death->cpu = ev->cpu;
	death->count = (uint32_t)lf->stats.births[space];
	death->context = ev->context;
	death->ending = (uint8_t)lt_life_ending(ev->class);
	death->unsure = unsure;
}

void lt_life_gone(const struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
		  enum lt_ending ending, uint64_t time)
{
	if (lf->ops.gone)
		lf->ops.gone(lf->ops.arg, space, obj, ending, time);
}

void lt_life_released(const struct lt_lifetimes *lf, enum lt_space space,
		      const struct lt_obj *obj, enum lt_ending ending, uint64_t time, bool rcu)
{
	if (lf->ops.released)
		lf->ops.released(lf->ops.arg, space, obj, ending, time, rcu);
}

/* ------------------------------------------------------------------------
 * Lifetimes
 */

/* What the numbers of a moment stand for. */
static inline void resolve(const struct lt_lifetimes *lf, struct lt_moment *m, uint32_t site,
			   uint32_t task)
{
	uint64_t origin = site & LT_ORIGIN ? lt_intern_value(&lf->origins, site & ~LT_ORIGIN) :
					     (uint64_t)site << 32;

	m->site_id = site;
	m->call_site = lt_intern_value(&lf->sites, (uint32_t)(origin >> 32));
	m->stack = (uint32_t)origin;
	m->task_id = task;
	m->task = lt_life_task(lf, task);
}

static inline void set_birth(const struct lt_lifetimes *lf, const struct lt_obj *obj,
			     struct lt_moment *m)
{
	if (obj->flags & LT_OBJ_UNBORN) {
		*m = (struct lt_moment){ 0 };
		return;
	}
	m->known = true;
	m->context = obj->context;
	m->cpu = obj->cpu;
	m->time = obj->time;
	resolve(lf, m, obj->site, obj->task);
}

static inline void set_death(const struct lt_lifetimes *lf, const struct lt_death *death,
			     struct lt_moment *m)
{
	m->known = death->ending != LT_END_ALIVE && death->ending != LT_END_REBORN &&
		   death->ending != LT_END_LOST;
	m->context = death->context;
	m->cpu = death->cpu;
	m->time = death->time;
	resolve(lf, m, death->site, death->task);
}

static inline void count_lifetime(struct lt_lifetime_stats *stats, const struct lt_lifetime *l)
{
	stats->certainty[l->space][l->certainty]++;
	stats->ending[l->ending]++;
	stats->why[l->space][l->why]++;
	if (l->lossy)
		stats->lossy++;
	else if (l->ambiguous)
		stats->ambiguous++;
}

/* Allocations during its life. */
static inline uint32_t further(const struct lt_lifetimes *lf, enum lt_space space,
			       const struct lt_obj *obj, const struct lt_death *death)
{
	const struct lt_missing *m = NULL;

	if (obj->flags & LT_OBJ_UNBORN)
		return 0;
	if (lf->config.some_tasks)
		return LT_FURTHER_UNKNOWN;
	if (obj->time < lf->healed_to)
		m = lt_trace_missing_parts(lf->trace, obj->time);
	for (; m && m->from <= death->time; m = lt_trace_missing_parts(lf->trace, m->to)) {
		if (m->lost[lt_channel_of_space(space)])
			return LT_FURTHER_UNKNOWN;
	}
	return death->count - obj->count;
}

/* Sizes, as far as they are known by now, also those that the object was given later. */
static inline void set_sizes(struct lt_lifetimes *lf, const struct lt_obj *obj,
			     struct lt_lifetime *l)
{
	struct lt_size size;

	l->bytes_req = obj->bytes_req;
	l->bytes_alloc = obj->bytes_alloc;
	/* The cache may have been announced only after its first object. */
	if (l->cache && !l->bytes_alloc)
		lt_life_cache_sizes(lf, l->cache, &l->bytes_req, &l->bytes_alloc);
	size = (struct lt_size){ l->bytes_req, l->bytes_alloc };
	l->resized = lf->resizes.n && (l->space == LT_SPACE_SLAB || l->space == LT_SPACE_VMALLOC) &&
		     lt_resize_take(&lf->resizes, obj, &size);
	l->bytes_last = size.req;
	l->slack = size.req && size.alloc > size.req ? size.alloc - size.req : 0;
}

/* All but how sure it is. The members are set one by one: it is done for each lifetime. */
static inline void set_lifetime(struct lt_lifetimes *lf, enum lt_space space,
				const struct lt_obj *obj, const struct lt_death *death,
				struct lt_lifetime *l)
{
	l->space = space;
	l->kind = obj->kind;
	l->ending = death->ending;
	l->split = obj->flags & LT_OBJ_SPLIT;
	l->order = obj->order;
	l->cache = obj->cache;
	l->ptr = obj->ptr;
	l->gfp = obj->gfp;
	l->node = obj->node;
	l->further = further(lf, space, obj, death);
	set_birth(lf, obj, &l->birth);
	set_death(lf, death, &l->death);
	l->older = l->birth.known && obj->time < lf->begin;
	set_sizes(lf, obj, l);
}

void lt_life_ended(struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
		   const struct lt_death *death, uint64_t confirmed)
{
	unsigned int unsure = death->unsure;
	struct lt_lifetime l;

	set_lifetime(lf, space, obj, death, &l);
	l.rcu_confirmed = confirmed;
	if (obj->flags & LT_OBJ_TAINTED)
		unsure |= LT_UNSURE_TAINTED;
	/* It is one of the earlier part of the recording. */
	if (death->time < lf->begin)
		return;
	lt_certainty_set(&l, &lf->config, unsure);
	count_lifetime(&lf->stats, &l);
	if (lf->ops.ended)
		lf->ops.ended(lf->ops.arg, &l);
}

void lt_life_left(struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
		  const struct lt_death *death)
{
	struct lt_lifetime l;

	set_lifetime(lf, space, obj, death, &l);
	l.rcu_confirmed = 0;
	lt_certainty_set(&l, &lf->config, 0);
	lf->ops.left(lf->ops.arg, obj, &l);
}

uint32_t lt_lifetimes_place(const struct lt_lifetimes *lf, uint32_t id)
{
	if (id & LT_ORIGIN)
		return (uint32_t)(lt_intern_value(&lf->origins, id & ~LT_ORIGIN) >> 32);
	return id;
}

uint64_t lt_lifetimes_site(const struct lt_lifetimes *lf, uint32_t id)
{
	return lt_intern_value(&lf->sites, lt_lifetimes_place(lf, id));
}

uint32_t lt_lifetimes_stack(const struct lt_lifetimes *lf, uint32_t id)
{
	if (!(id & LT_ORIGIN))
		return 0;
	return (uint32_t)lt_intern_value(&lf->origins, id & ~LT_ORIGIN);
}

const struct lt_task *lt_lifetimes_task(const struct lt_lifetimes *lf, uint32_t id)
{
	return lt_life_task(lf, id);
}
