// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A live view: from events to rows.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/plain.h"
#include "lifetimes/carry.h"
#include "lifetimes/read.h"
#include "live/internal.h"

static void add_births(struct lt_live_count *c, uint64_t n, uint64_t bytes)
{
	c->births += n;
	c->born += n * bytes;
}

static void add_frees(struct lt_live_count *c, uint64_t n, uint64_t bytes)
{
	c->frees += n;
	c->freed += n * bytes;
}

/* Counts a birth or a free in all rows; @n is 1, or -1 modulo 2^64 to take a birth back. */
static void count(struct lt_live *l, const struct lt_obj *o, uint64_t n,
		  void (*add)(struct lt_live_count *c, uint64_t n, uint64_t bytes))
{
	uint64_t bytes = o->bytes_alloc ? o->bytes_alloc : o->bytes_req;

	n *= lt_live_sample(l, o);
	add(&l->all.count, n, bytes);
	for (unsigned int by = 0; by < LT_BY_PIECE; by++) {
		uint64_t weight = lt_live_keeps(l, by) ? lt_live_weight(l, by, o, n) : 0;

		if (weight)
			add(&lt_live_row_of(l, by, o)->count, weight, bytes);
	}
}

/* The end that is not counted yet was one. */
static void settle(struct lt_live *l)
{
	if (l->has_reborn)
		count(l, &l->reborn, 1, add_frees);
	l->has_reborn = false;
}

/* ------------------------------------------------------------------------
 * The callbacks of the pairing
 */

static void born(void *arg, enum lt_space space, const struct lt_obj *o)
{
	struct lt_live *l = arg;

	if (space != l->opts.space)
		return;
	if (lt_birth_seen(o, l->t) < l->watched)
		l->watched = lt_birth_seen(o, l->t);
	/* A second event of one allocation, which corrects its call site. */
	if (l->has_reborn && l->reborn.ptr == o->ptr) {
		l->has_reborn = false;
		count(l, &l->reborn, UINT64_MAX, add_births);
	}
	settle(l);
	if (o->time < lt_trace_cut(l->t))
		return;
	if (lt_live_wants(l, o))
		count(l, o, 1, add_births);
	else
		l->table.own_births += l->own_reborn != o->ptr ? lt_live_sample(l, o) : 0;
	l->own_reborn = 0;
}

static void gone(void *arg, enum lt_space space, const struct lt_obj *o, enum lt_ending ending,
		 uint64_t time)
{
	struct lt_live *l = arg;

	(void)time;
	if (space != l->opts.space)
		return;
	settle(l);
	if (o->kind == LT_CLASS_NONE)
		return;
	if (!lt_live_wants(l, o)) {
		l->own_reborn = ending == LT_END_REBORN ? o->ptr : 0;
		return;
	}
	if (ending == LT_END_REBORN) {
		l->reborn = *o;
		l->has_reborn = true;
	} else {
		count(l, o, 1, add_frees);
	}
}

static void released(void *arg, enum lt_space space, const struct lt_obj *o,
		     enum lt_ending ending, uint64_t time, bool rcu)
{
	struct lt_live *l = arg;

	(void)o;
	(void)ending;
	(void)time;
	(void)rcu;
	if (space != l->opts.space)
		return;
	settle(l);
	l->own_reborn = 0;
}

void lt_live_add_alive(struct lt_live_row *row, const struct lt_obj *o, enum lt_certainty certainty,
		       uint64_t time, uint64_t weight)
{
	uint64_t bytes = o->bytes_alloc ? o->bytes_alloc : o->bytes_req;

	if (certainty != LT_OPEN) {
		row->maybe += weight;
		row->maybe_bytes += weight * bytes;
		return;
	}
	row->alive += weight;
	row->alive_bytes += weight * bytes;
	if (o->time < row->oldest)
		row->oldest = o->time;
	lt_hist_add_many(&row->ages, time > o->time ? time - o->time : 0, weight);
}

static void ended(void *arg, const struct lt_lifetime *life)
{
	struct lt_obj o = lt_lifetime_obj(life);
	struct lt_live *l = arg;
	bool alive = life->ending == LT_END_ALIVE;
	uint64_t sample, weight;

	if (life->space != l->opts.space || !lt_live_wants(l, &o))
		return;
	l->ended[life->certainty]++;
	if (!life->birth.known || (life->certainty != LT_EXACT && !alive))
		return;
	sample = l->weights.by_birth ? lt_weights_stand(&l->weights, life).lives : l->sample;
	for (unsigned int by = 0; by <= LT_BY_PIECE; by++) {
		struct lt_live_row *row = &l->all;

		weight = sample;
		if (by < LT_BY_PIECE) {
			weight = lt_live_keeps(l, by) ? lt_live_weight(l, by, &o, sample) : 0;
			row = weight ? lt_live_row_of(l, by, &o) : NULL;
		}
		if (row && alive)
			lt_live_add_alive(row, &o, (enum lt_certainty)life->certainty,
					  life->death.time, weight);
		else if (row)
			lt_hist_add_many(&row->life[0], lt_lifetime_ns(life), weight);
	}
}

/*
 * A smaller sample lacks it: its birth stays counted, and it is alive no more as far as this view
 * knows.
 */
static void left(void *arg, const struct lt_obj *obj, const struct lt_lifetime *life)
{
	struct lt_live *l = arg;

	(void)obj;
	if (life->space == l->opts.space)
		settle(l);
}

/* ------------------------------------------------------------------------
 * The view
 */

struct lt_live *lt_live_new(struct lt_trace *t, const struct lt_live_options *opts)
{
	struct lt_live *l = lt_alloc(sizeof(*l));
	struct lt_lifetime_ops ops = {
		.ended = ended, .born = born, .gone = gone, .released = released, .arg = l,
	};

	l->opts = *opts;
	l->t = t;
	l->opts.space = lt_space_chosen(l->opts.space);
	if (l->opts.by & 1U << LT_BY_PROCESS)
		l->opts.by |= 1U << LT_BY_TASK;
	l->out = opts->no_recorder ? lt_own_new(t) : NULL;
	l->watched = UINT64_MAX;
	l->stacks = lt_row_stacks_new(0, false);
	lt_kmalloc_init(&l->kmalloc, t);
	lt_weights_init(&l->weights, t);
	l->sample = lt_weights_sample(&l->weights, l->opts.space);
	/* It may change later. */
	if (lt_trace_sample_changes(t) &&
	    (l->opts.space == LT_SPACE_SLAB || l->opts.space == LT_SPACE_PAGE)) {
		l->weights.by_birth = t;
		ops.left = left;
	}
	lt_live_plain_ops(l, &ops);
	for (unsigned int by = 0; by < LT_BY_PIECE; by++)
		lt_intern_init(&l->by[by].keys);
	lt_live_row_init(&l->all);
	l->lf = lt_lifetimes_of(t, &ops);
	lt_lifetimes_restore(l->lf, t);
	return l;
}

void lt_live_free(struct lt_live *l)
{
	if (!l)
		return;
	for (unsigned int by = 0; by < LT_BY_PIECE; by++) {
		for (size_t i = 0; i < l->by[by].n; i++)
			lt_live_row_destroy(&l->by[by].rows[i]);
		free(l->by[by].rows);
		free(l->by[by].numbers.of);
		lt_intern_destroy(&l->by[by].keys);
	}
	for (size_t i = 0; i < l->n_merged; i++)
		lt_live_row_destroy(&l->merged[i]);
	free(l->merged);
	free(l->table.rows);
	lt_live_row_destroy(&l->all);
	lt_weights_destroy(&l->weights);
	lt_row_stacks_free(l->stacks);
	lt_lifetimes_free(l->lf);
	lt_own_free(l->out);
	free(l);
}

void lt_live_event(struct lt_live *l, const struct lt_event *ev)
{
	if (ev->time > lt_trace_end(l->t))
		return;
	l->latest = ev->time;
	lt_lifetimes_take(l->lf, l->t, ev);
}

static int take_event(void *arg, const struct lt_event *ev)
{
	lt_live_event(arg, ev);
	return 0;
}

void lt_live_plain(struct lt_live *l, const struct lt_plain_event *evs, size_t n)
{
	lt_lifetimes_take_plain(l->lf, l->t, evs, n, take_event, l);
	if (evs[n - 1].time <= lt_trace_end(l->t))
		l->latest = evs[n - 1].time;
}

void lt_live_finish(struct lt_live *l)
{
	/* ended() adds what is alive at the end to what earlier tables have left in the rows. */
	lt_live_forget_alive(&l->all);
	for (unsigned int by = 0; by < LT_BY_PIECE; by++) {
		for (size_t i = 0; i < l->by[by].n; i++)
			lt_live_forget_alive(&l->by[by].rows[i]);
	}
	l->finished = true;
	l->latest = lt_trace_end(l->t);
	lt_lifetimes_end(l->lf, l->t);
	settle(l);
}
