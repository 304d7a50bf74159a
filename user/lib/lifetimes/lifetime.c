// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lifetimes: events, time and the end of the trace come in here. Whose birth or death an
 * event is, rules.c decides, and book.c applies it.
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
	lf->missing_from = UINT64_MAX;
	for (int space = LT_SPACE_SLAB; space < LT_N_MEMORY; space++)
		lt_objtable_init(&lf->live[space]);
	lt_objtable_init(&lf->late);
	lt_resizes_init(&lf->resizes);
	lt_pool_init(&lf->deaths, sizeof(struct lt_death));
	lt_pool_init(&lf->doubts, sizeof(struct lt_doubt));
	lt_intern_init(&lf->sites);
	lt_intern_init(&lf->origins);
	lt_intern_init(&lf->tasks);
	lt_pagemap_init(&lf->pages);
	return lf;
}

struct lt_lifetimes *lt_lifetimes_of(const struct lt_trace *t, const struct lt_lifetime_ops *ops)
{
	struct lt_lifetime_config config;
	struct lt_lifetimes *lf;

	lt_lifetime_config_init(&config, t);
	lf = lt_lifetimes_new(&config, ops);
	lf->caches = t;
	lf->sampled = lt_trace_sample_changes(t) ? t : NULL;
	if (lf->sampled && lt_trace_sample(t))
		lf->most = lt_trace_sample_over(t, 0, 0);
	return lf;
}

void lt_lifetimes_free(struct lt_lifetimes *lf)
{
	if (!lf)
		return;
	for (int space = LT_SPACE_SLAB; space < LT_N_MEMORY; space++)
		lt_objtable_destroy(&lf->live[space]);
	lt_objtable_destroy(&lf->late);
	lt_resizes_destroy(&lf->resizes);
	lt_pool_destroy(&lf->deaths);
	lt_pool_destroy(&lf->doubts);
	lt_intern_destroy(&lf->sites);
	lt_intern_destroy(&lf->origins);
	lt_intern_destroy(&lf->tasks);
	lt_pagemap_destroy(&lf->pages);
	lt_ring_destroy(&lf->doubt_queue);
	lt_ring_destroy(&lf->late_queue);
	free(lf->forms);
	free(lf->peaks);
	free(lf->plain_ways);
	free(lf);
}


#define LOOK_AHEAD	64	/* events */

static void prefetch(const struct lt_lifetimes *lf, const struct lt_event *evs, size_t n)
{
	uint64_t mixed[LOOK_AHEAD];

	for (size_t i = 0; i < n; i++) {
		const struct lt_objtable *t = &lf->live[lt_event_space(&evs[i])];

		mixed[i] = lt_objtable_mix(t, evs[i].ptr);
		if (t->n)
			lt_objtable_prefetch_tags(t, mixed[i]);
	}
	for (size_t i = 0; i < n; i++) {
		const struct lt_objtable *t = &lf->live[lt_event_space(&evs[i])];

		if (t->n)
			lt_objtable_prefetch_object(t, mixed[i]);
	}
}

void lt_lifetimes_prefetch(const struct lt_lifetimes *lf, const struct lt_event *evs, size_t n)
{
	if (lf->live[LT_SPACE_SLAB].n + lf->live[LT_SPACE_PAGE].n < LT_PREFETCH_FROM)
		return;
	for (; n > LOOK_AHEAD; n -= LOOK_AHEAD, evs += LOOK_AHEAD)
		prefetch(lf, evs, LOOK_AHEAD);
	prefetch(lf, evs, n);
}

/* Decides the doubts that the mere passing of time decides. */
static void pass_time(struct lt_lifetimes *lf, uint64_t now)
{
	const struct lt_doubt *d;

	while ((d = lt_book_oldest_doubt(lf))) {
		struct lt_verdict v = lt_rule_time(&lf->config, d, now);
		struct lt_known k;

		if (v.reason == LT_BECAUSE_EARLY)
			return;
		if (v.former != LT_FORMER_NONE) {
			lt_book_find(lf, (enum lt_space)d->space, d->former.ptr, 0, &k);
			lt_book_details(lf, &k);
			lt_book_apply(lf, &k, NULL, v);
		}
		lt_book_pass_doubt(lf);
	}
}

void lt_lifetimes_pass_time(struct lt_lifetimes *lf, uint64_t now)
{
	if (lf->doubt_queue.n)
		pass_time(lf, now);
	if (lf->late_queue.n)
		lt_late_expire(lf, now);
}

uint64_t lt_lifetimes_waits_until(struct lt_lifetimes *lf)
{
	const struct lt_doubt *d = lf->doubt_queue.n ? lt_book_oldest_doubt(lf) : NULL;
	uint64_t until = d ? lt_rule_early_until(&lf->config, d) : UINT64_MAX;
	uint64_t late = lf->late_queue.n ? lt_late_until(lf) : UINT64_MAX;

	return late < until ? late : until;
}

/*
 * What comes before the event itself, where there is anything: parts are missing, something is in
 * doubt, or the sample may have left it out. Return: whether the event counts.
 */
static bool prepare(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t *gap_end)
{
	if (ev->time >= lf->missing_from && lf->missing) {
		if (!lf->pass_missing(lf, ev->time, ev->channel))
			return false;
		*gap_end = lt_trace_gap_end(lf->trace, lt_event_space(ev));
	}
	lt_lifetimes_pass_time(lf, ev->time);
	return !lf->sampled || lt_sampled_takes(lf, ev);
}

void lt_lifetimes_event(struct lt_lifetimes *lf, const struct lt_event *ev,
			uint64_t gap_end)
{
	if ((lf->doubt_queue.n || lf->late_queue.n || lf->missing || lf->sampled) &&
	    !prepare(lf, ev, &gap_end))
		return;
	switch (lt_event_space(ev)) {
	case LT_SPACE_SLAB:
		lt_slab_event(lf, ev, gap_end);
		break;
	case LT_SPACE_PAGE:
		lt_page_event(lf, ev, gap_end);
		break;
	case LT_SPACE_PERCPU:
	case LT_SPACE_VMALLOC:
	case LT_SPACE_DMA:
		lt_area_event(lf, ev, gap_end);
		break;
	default:
		if (ev->class == LT_CLASS_ALLOC_FAILED)
			lf->stats.failed++;
		break;
	}
}

/* The end of a space. */
struct finish {
	struct lt_lifetimes *lf;
	enum lt_space space;
	struct lt_event end;	/* has only a time */
	uint64_t gap_end;
	uint64_t n_open;
};

static void find_object(const struct finish *f, const struct lt_obj *obj, struct lt_known *k)
{
	lt_known_init(k, f->space, f->gap_end);
	k->held = true;
	k->holder = *obj;
	if (obj->flags & LT_OBJ_SPECIAL)
		lt_book_details(f->lf, k);
}

/* What is not decided yet, and what was given to kfree_rcu. */
static void finish_waiting(void *arg, struct lt_obj *obj)
{
	struct finish *f = arg;
	struct lt_known k;

	find_object(f, obj, &k);
	lt_book_apply(f->lf, &k, &f->end, lt_rule_end(&f->lf->config, &k));
}

static void finish_open(void *arg, struct lt_obj *obj)
{
	struct finish *f = arg;
	struct lt_verdict v;
	struct lt_known k;

	find_object(f, obj, &k);
	v = lt_rule_open(&k);
	lt_book_apply(f->lf, &k, &f->end, v);
	f->n_open += v.kind == LT_VERDICT_END_OPEN;
}

static void finish_space(struct lt_lifetimes *lf, enum lt_space space, uint64_t end,
			 uint64_t gap_end)
{
	struct finish f = { .lf = lf, .space = space, .end.time = end, .gap_end = gap_end };

	lt_objtable_close(&lf->live[space], LT_OBJ_DOUBT | LT_OBJ_RCU, !lf->ops.unordered,
			  finish_waiting, &f);
	lt_objtable_walk(&lf->live[space], finish_open, &f);
	lf->stats.live[space] = f.n_open;
}

void lt_lifetimes_finish(struct lt_lifetimes *lf, uint64_t end,
			 const uint64_t gap_end[LT_N_MEMORY])
{
	bool passed = lf->missing && end >= lf->missing_from;

	if (passed)
		lf->pass_missing(lf, end, 0);
	if (lf->sampled)
		lt_sampled_pass(lf, end);
	pass_time(lf, UINT64_MAX);
	for (int space = LT_SPACE_SLAB; space < LT_N_MEMORY; space++)
		finish_space(lf, (enum lt_space)space, end, passed ?
			     lt_trace_gap_end(lf->trace, (enum lt_space)space) : gap_end[space]);
}

const struct lt_lifetime_stats *lt_lifetimes_stats(const struct lt_lifetimes *lf)
{
	return &lf->stats;
}
