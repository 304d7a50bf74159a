// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A live view: its rows, and which one is that of an object.
 */
#include <string.h>

#include "base/mem.h"
#include "live/internal.h"

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

bool lt_live_keeps(const struct lt_live *l, enum lt_report_by by)
{
	return l->opts.by & 1U << by && by != LT_BY_PROCESS;
}
