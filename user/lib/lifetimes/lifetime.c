// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetimes: what all kinds of objects have in common. Which free ends which
 * life is decided in lifetime_slab.c, lifetime_page.c, lifetime_doubt.c and lifetime_late.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lifetimes/internal.h"
#include "trace/trace.h"

struct lt_lifetimes *lt_lifetimes_new(const struct lt_lifetime_config *config,
				      const struct lt_lifetime_ops *ops)
{
	struct lt_lifetimes *lf = lt_alloc(sizeof(*lf));

	lf->config = *config;
	lf->ops = *ops;
	lf->doubt_ns = config->late_free ? DOUBT_LATE_NS : DOUBT_NS;
	lt_objtable_init(&lf->live[LT_SPACE_SLAB]);
	lt_objtable_init(&lf->live[LT_SPACE_PAGE]);
	lt_objtable_init(&lf->late);
	lt_pool_init(&lf->moments, sizeof(struct moment));
	lt_pool_init(&lf->doubts, sizeof(struct doubt));
	lt_intern_init(&lf->sites);
	lt_intern_init(&lf->tasks);
	lt_pagemap_init(&lf->pages);
	return lf;
}

void lt_lifetimes_free(struct lt_lifetimes *lf)
{
	if (!lf)
		return;
	lt_objtable_destroy(&lf->live[LT_SPACE_SLAB]);
	lt_objtable_destroy(&lf->live[LT_SPACE_PAGE]);
	lt_objtable_destroy(&lf->late);
	lt_pool_destroy(&lf->moments);
	lt_pool_destroy(&lf->doubts);
	lt_intern_destroy(&lf->sites);
	lt_intern_destroy(&lf->tasks);
	lt_pagemap_destroy(&lf->pages);
	free(lf->queue.ring);
	free(lf->late_queue.ring);
	free(lf);
}

enum lt_space lt_event_space(const struct lt_event *ev)
{
	switch (ev->class) {
	case LT_CLASS_KMALLOC:
	case LT_CLASS_CACHE_ALLOC:
	case LT_CLASS_BULK_ALLOC:
	case LT_CLASS_KFREE:
	case LT_CLASS_CACHE_FREE:
	case LT_CLASS_BULK_FREE:
	case LT_CLASS_RCU_FREE:
		return LT_SPACE_SLAB;
	case LT_CLASS_PAGE_ALLOC:
	case LT_CLASS_PAGE_FREE:
		return LT_SPACE_PAGE;
	default:
		/* page_free_batched too: a page_free tells the same. */
		return LT_SPACE_NONE;
	}
}

/* A table of fewer objects is in the CPU's cache anyway. */
#define PREFETCH_FROM	200000

static bool prefetched(const struct lt_lifetimes *lf, const struct lt_event *ev)
{
	enum lt_space space = lt_event_space(ev);

	return space != LT_SPACE_NONE && lf->live[space].n >= PREFETCH_FROM;
}

void lt_lifetimes_prefetch(const struct lt_lifetimes *lf, const struct lt_event *evs, size_t n)
{
	if (lf->live[LT_SPACE_SLAB].n + lf->live[LT_SPACE_PAGE].n < PREFETCH_FROM)
		return;
	for (size_t i = 0; i < n; i++) {
		if (prefetched(lf, &evs[i]))
			lt_objtable_prefetch_slot(&lf->live[lt_event_space(&evs[i])], evs[i].ptr);
	}
	for (size_t i = 0; i < n; i++) {
		if (prefetched(lf, &evs[i]))
			lt_objtable_prefetch_object(&lf->live[lt_event_space(&evs[i])],
						    evs[i].ptr);
	}
}

void lt_lifetimes_event(struct lt_lifetimes *lf, const struct lt_event *ev,
			uint64_t gap_end)
{
	if (lf->queue.n)
		lt_doubt_expire(lf, ev->time);
	if (lf->late_queue.n)
		lt_late_expire(lf, ev->time);
	switch (lt_event_space(ev)) {
	case LT_SPACE_SLAB:
		lt_slab_event(lf, ev, gap_end);
		break;
	case LT_SPACE_PAGE:
		lt_page_event(lf, ev, gap_end);
		break;
	default:
		if (ev->class == LT_CLASS_ALLOC_FAILED)
			lf->stats.failed++;
		break;
	}
}

static uint32_t task_id(struct lt_lifetimes *lf, const struct lt_task *task)
{
	return lt_intern(&lf->tasks, (uintptr_t)task);
}

void lt_death_init(struct lt_lifetimes *lf, struct moment *m, const struct lt_event *ev,
		enum lt_ending ending, bool lossy)
{
	m->time = ev->time;
	m->site = lt_intern(&lf->sites, ev->call_site);
	m->task = task_id(lf, ev->task);
	m->cpu = ev->cpu;
	m->count = (uint32_t)lf->stats.births[lt_event_space(ev)];
	m->context = ev->context;
	m->ending = (uint8_t)ending;
	m->lossy = lossy;
}

static void cache_sizes(const struct lt_lifetimes *lf, uint32_t id, uint64_t *req,
			uint64_t *alloc)
{
	const struct lt_cache *cache = NULL;

	if (id && lf->ops.cache)
		cache = lf->ops.cache(lf->ops.arg, id);
	*req = cache ? cache->object_size : 0;
	*alloc = cache ? cache->size : 0;
}

void lt_be_born(struct lt_lifetimes *lf, struct lt_obj *obj, enum lt_space space,
		 const struct lt_event *ev)
{
	obj->time = ev->time;
	obj->site = lt_intern(&lf->sites, ev->call_site);
	obj->task = task_id(lf, ev->task);
	obj->gfp = ev->gfp;
	obj->cpu = ev->cpu;
	obj->node = ev->node;
	obj->extra = 0;
	obj->cache = ev->cache;
	obj->kind = ev->class;
	obj->context = ev->context;
	obj->order = ev->order;
	obj->flags = 0;
	obj->bytes_req = ev->bytes_req;
	obj->bytes_alloc = ev->bytes_alloc;
	if (space == LT_SPACE_PAGE)
		obj->bytes_req = obj->bytes_alloc = 1ULL << (lf->config.page_shift + ev->order);
	else if (ev->class != LT_CLASS_KMALLOC)
		cache_sizes(lf, ev->cache, &obj->bytes_req, &obj->bytes_alloc);

	lf->stats.births[space]++;
	obj->count = (uint32_t)lf->stats.births[space];
	if (lf->ops.born)
		lf->ops.born(lf->ops.arg, space, obj);
}

void lt_gone(struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
	      enum lt_ending ending, uint64_t time)
{
	if (lf->ops.gone)
		lf->ops.gone(lf->ops.arg, space, obj, ending, time);
}

void lt_released(struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
		  enum lt_ending ending, uint64_t time, bool rcu)
{
	if (lf->ops.released)
		lf->ops.released(lf->ops.arg, space, obj, ending, time, rcu);
}

static void resolve(const struct lt_lifetimes *lf, struct lt_moment *m)
{
	m->call_site = lt_intern_value(&lf->sites, m->site_id);
	m->task = (const struct lt_task *)(uintptr_t)lt_intern_value(&lf->tasks, m->task_id);
}

static enum lt_certainty certainty(const struct lt_lifetime *l)
{
	if (l->lossy || l->ambiguous)
		return LT_UNCERTAIN;
	if (!l->birth.known)
		return LT_BEFORE;
	if (l->ending == LT_END_REBORN)
		return LT_BOUNDED;
	return l->ending == LT_END_ALIVE ? LT_OPEN : LT_EXACT;
}

static void count_lifetime(struct lt_lifetime_stats *stats, const struct lt_lifetime *l)
{
	stats->certainty[l->space][l->certainty]++;
	stats->ending[l->ending]++;
	if (l->lossy)
		stats->lossy++;
	else if (l->ambiguous)
		stats->ambiguous++;
}

/*
 * By a sample the parts of a page block are kept or left out each for itself: the free of
 * a part, and what was born there since, may not be in the trace. So a block that seems
 * to be alive may have been freed but for its first page.
 */
static bool is_sampled_part(const struct lt_lifetime_config *config, const struct lt_lifetime *l)
{
	return config->sampled && l->space == LT_SPACE_PAGE &&
	       (l->split || (l->ending == LT_END_ALIVE && l->order));
}

/*
 * Whether birth and end may be of two objects, or the end that is missing have been, for
 * want of a probe. Where only births of caches' objects are missing, a kmalloc that ends
 * by kfree is not in doubt: kfree takes objects of caches, too, but hardly anybody
 * gives it one, and such kernels would have nothing exact to tell.
 */
static bool is_unwatched(const struct lt_lifetime_config *config, const struct lt_lifetime *l)
{
	if (!l->birth.known || !config->unwatched_free[l->space])
		return false;
	if (!l->death.known)
		return l->ending == LT_END_ALIVE;
	if (l->space != LT_SPACE_SLAB)
		return false;
	return config->unwatched_kmalloc || (config->unwatched_cache &&
	       !(l->kind == LT_CLASS_KMALLOC && l->ending == LT_END_KFREE));
}

void lt_emit(struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
	      const struct moment *death, bool ambiguous, uint64_t confirmed)
{
	bool born = !(obj->flags & OBJ_UNBORN);
	struct lt_lifetime l = {
		.space = space,
		.kind = obj->kind,
		.ending = death->ending,
		.split = obj->flags & OBJ_SPLIT,
		.lossy = death->lossy,
		.ambiguous = ambiguous || (obj->flags & OBJ_TAINTED),
		.order = obj->order,
		.cache = obj->cache,
		.ptr = obj->ptr,
		.bytes_req = obj->bytes_req,
		.bytes_alloc = obj->bytes_alloc,
		.gfp = obj->gfp,
		.node = obj->node,
		.further = born ? death->count - obj->count : 0,
		.rcu_confirmed = confirmed,
		.death = {
			.known = death->ending != LT_END_ALIVE &&
				 death->ending != LT_END_REBORN,
			.time = death->time, .cpu = death->cpu,
			.context = death->context,
			.site_id = death->site, .task_id = death->task,
		},
	};

	if (born) {
		l.birth = (struct lt_moment) {
			.known = true, .time = obj->time, .cpu = obj->cpu,
			.context = obj->context, .site_id = obj->site, .task_id = obj->task,
		};
	}
	resolve(lf, &l.birth);
	resolve(lf, &l.death);
	l.ambiguous |= is_unwatched(&lf->config, &l) || is_sampled_part(&lf->config, &l);
	/* The cache may have been described only after its first object. */
	if (l.cache && !l.bytes_alloc)
		cache_sizes(lf, l.cache, &l.bytes_req, &l.bytes_alloc);
	l.certainty = (uint8_t)certainty(&l);
	count_lifetime(&lf->stats, &l);
	lf->ops.ended(lf->ops.arg, &l);
}

void lt_forget(struct lt_lifetimes *lf, enum lt_space space, struct lt_obj *obj)
{
	if (space == LT_SPACE_PAGE)
		lt_page_forget(lf, obj);
	lt_objtable_remove(&lf->live[space], obj);
}

/* The end of a space. */
struct finish {
	struct lt_lifetimes *lf;
	enum lt_space space;
	uint64_t end;
	uint64_t gap_end;
	uint64_t n_open;
};

/* What is not decided yet, and what was freed through RCU. */
static void finish_waiting(void *arg, struct lt_obj *obj)
{
	struct finish *f = arg;

	if ((obj->flags & OBJ_DOUBT) && !lt_doubt_end(f->lf, obj))
		return;
	if ((obj->flags & (OBJ_RCU | OBJ_UNBORN)) == (OBJ_RCU | OBJ_UNBORN))
		f->lf->stats.rcu_unknown++;
	else if (obj->flags & OBJ_RCU)
		lt_emit_rcu(f->lf, f->space, obj, 0);
}

static void finish_open(void *arg, struct lt_obj *obj)
{
	struct finish *f = arg;
	struct moment alive = {
		.time = f->end,
		.count = (uint32_t)f->lf->stats.births[f->space],
		.ending = LT_END_ALIVE,
		.lossy = lt_lossy(obj, f->gap_end),
	};

	if (obj->flags & OBJ_RCU)
		return;
	lt_emit(f->lf, f->space, obj, &alive, false, 0);
	f->n_open++;
}

static void finish_space(struct lt_lifetimes *lf, enum lt_space space, uint64_t end,
			 uint64_t gap_end)
{
	struct finish f = { .lf = lf, .space = space, .end = end, .gap_end = gap_end };

	lt_objtable_close(&lf->live[space], OBJ_DOUBT | OBJ_RCU, finish_waiting, &f);
	lt_objtable_walk(&lf->live[space], finish_open, &f);
	lf->stats.live[space] = f.n_open;
}

void lt_lifetimes_finish(struct lt_lifetimes *lf, uint64_t end,
			 const uint64_t gap_end[LT_SPACE_PAGE + 1])
{
	lt_doubt_expire(lf, UINT64_MAX);
	finish_space(lf, LT_SPACE_SLAB, end, gap_end[LT_SPACE_SLAB]);
	finish_space(lf, LT_SPACE_PAGE, end, gap_end[LT_SPACE_PAGE]);
}

const struct lt_lifetime_stats *lt_lifetimes_stats(const struct lt_lifetimes *lf)
{
	return &lf->stats;
}

uint64_t lt_lifetimes_site(const struct lt_lifetimes *lf, uint32_t id)
{
	return lt_intern_value(&lf->sites, id);
}

const struct lt_task *lt_lifetimes_task(const struct lt_lifetimes *lf, uint32_t id)
{
	return (const struct lt_task *)(uintptr_t)lt_intern_value(&lf->tasks, id);
}
