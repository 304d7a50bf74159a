// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A live view: from events to rows.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lifetimes/carry.h"
#include "lifetimes/read.h"
#include "live/internal.h"

/* ------------------------------------------------------------------------
 * Rows
 */

void lt_live_row_init(struct lt_live_row *row)
{
	memset(row, 0, sizeof(*row));
	row->oldest = UINT64_MAX;
	lt_hist_init(&row->life[0]);
	lt_hist_init(&row->life[1]);
	lt_hist_init(&row->ages);
}

void lt_live_row_destroy(struct lt_live_row *row)
{
	lt_hist_destroy(&row->life[0]);
	lt_hist_destroy(&row->life[1]);
	lt_hist_destroy(&row->ages);
}

void lt_live_forget_alive(struct lt_live_row *row)
{
	row->alive = row->alive_bytes = 0;
	row->maybe = row->maybe_bytes = 0;
	row->oldest = UINT64_MAX;
	lt_hist_destroy(&row->ages);
	lt_hist_init(&row->ages);
}

static uint64_t cgroup_of(const struct lt_live *l, const struct lt_obj *o)
{
	const struct lt_task *task = lt_lifetimes_task(l->lf, o->task);

	if (!task || !l->opts.cgroup)
		return 0;
	return l->opts.cgroup(l->opts.cgroups, task, o->time) & ~LT_LIVE_CONTEXT;
}

/* The key of the row of an object, 0: not known. */
static uint64_t key_of(const struct lt_live *l, enum lt_report_by by, const struct lt_obj *o)
{
	switch (by) {
	case LT_BY_SITE:
		return lt_lifetimes_place(l->lf, o->site);
	case LT_BY_CACHE:
		return lt_obj_cache_key(&l->kmalloc, o);
	case LT_BY_TASK:
		return o->context == LT_CTX_TASK ? o->task : LT_LIVE_CONTEXT | o->context;
	case LT_BY_CGROUP:
		return o->context == LT_CTX_TASK ? cgroup_of(l, o) : LT_LIVE_CONTEXT | o->context;
	case LT_BY_STACK:
		return lt_row_stacks_number(l->stacks, l->t, lt_lifetimes_site(l->lf, o->site),
					    lt_lifetimes_stack(l->lf, o->site));
	default:
		return 0;
	}
}

struct lt_live_row *lt_live_row_of(struct lt_live *l, enum lt_report_by by, const struct lt_obj *o)
{
	struct lt_live_rows *r = &l->by[by];
	uint64_t key = key_of(l, by, o);
	uint32_t number = lt_intern_number(&r->keys, key);
	struct lt_live_row *row;

	if (number < r->n)
		return &r->rows[number];
	while (r->n <= number) {
		r->rows = lt_grow(r->rows, &r->cap, r->n, sizeof(*r->rows));
		lt_live_row_init(&r->rows[r->n++]);
	}
	row = &r->rows[number];
	row->key = key;
	row->site = lt_lifetimes_site(l->lf, o->site);
	row->cache = lt_obj_cache_key(&l->kmalloc, o);
	row->context = o->context;
	row->task = o->context == LT_CTX_TASK ? lt_lifetimes_task(l->lf, o->task) : NULL;
	row->cgroup = by == LT_BY_CGROUP && !(key & LT_LIVE_CONTEXT) ? key : 0;
	row->stack = by == LT_BY_STACK ? (uint32_t)key : 0;
	return row;
}

uint64_t lt_live_sample(const struct lt_live *l, const struct lt_obj *o)
{
	return l->weights.by_birth ? lt_lifetimes_weight(l->lf, o->time) : l->sample;
}

uint64_t lt_live_weight(const struct lt_live *l, enum lt_report_by by, const struct lt_obj *o,
			uint64_t sample)
{
	return lt_weight_in_rows(&l->weights, sample, by == LT_BY_STACK, o);
}

bool lt_live_wants(const struct lt_live *l, const struct lt_obj *o)
{
	return !lt_own_obj(l->out, l->lf, o);
}

/* The ways to add up of which rows are kept. */
static bool is_kept(const struct lt_live *l, unsigned int by)
{
	return l->opts.by & 1U << by && by != LT_BY_PROCESS;
}

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
		uint64_t weight = is_kept(l, by) ? lt_live_weight(l, by, o, n) : 0;

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
			weight = is_kept(l, by) ? lt_live_weight(l, by, &o, sample) : 0;
			row = weight ? lt_live_row_of(l, by, &o) : NULL;
		}
		if (row && alive)
			lt_live_add_alive(row, &o, (enum lt_certainty)life->certainty,
					  life->death.time, weight);
		else if (row)
			lt_hist_add_many(&row->life[0], lt_lifetime_ns(life), weight);
	}
}

/* A smaller sample lacks it: its birth stays counted, and it is alive no more as far as this view knows. */
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
