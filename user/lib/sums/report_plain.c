// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What births and ends that leave no doubt add to the sums of reports. Their row, sizes and cache
 * follow from the traits of the object, and are found out once for each.
 */
#include <string.h>

#include "base/mem.h"
#include "format/plain.h"
#include "sums/report_maker.h"

enum state { NOT_LOOKED_AT, PLAIN, WITH_CARE };

/**
 * struct lt_plain_sums - of objects with the same traits
 * @bytes: given to each
 * @slack: of these, not requested
 * @row: number of their row
 * @cache: their number for lt_coverage_count()
 * @state: enum state
 */
struct lt_plain_sums {
	uint64_t bytes;
	uint64_t slack;
	uint32_t row;
	uint32_t cache;
	uint8_t state;
};

static void look_at(struct lt_maker *m, const struct lt_plain_life *l, struct lt_plain_sums *x)
{
	const struct lt_traits *traits = l->traits;
	const struct lt_obj o = lt_plain_obj(l, 0);
	struct lt_coverage *c = m->r->coverage;

	*x = (struct lt_plain_sums){ .state = WITH_CARE };
	if (!traits->bytes_alloc || lt_own_site(m->out, m->lf, traits->site))
		return;
	x->cache = c ? lt_coverage_number(c, &o) : 0;
	if (x->cache == UINT32_MAX)
		return;
	x->bytes = traits->bytes_alloc;
	if (traits->bytes_req && traits->bytes_alloc > traits->bytes_req)
		x->slack = traits->bytes_alloc - traits->bytes_req;
	if (m->space == LT_SPACE_SLAB)
		x->row = (uint32_t)(lt_maker_row(m, &o) - m->r->rows);
	x->state = PLAIN;
}

static inline struct lt_plain_sums *sums_of(struct lt_maker *m, const struct lt_plain_life *l)
{
	struct lt_plain_sums *x;

	if (m->renewals != l->renewals && m->n_plain)
		memset(m->plain, 0, m->n_plain * sizeof(*m->plain));
	m->renewals = l->renewals;
	if (l->number >= m->n_plain)
		m->plain = lt_extend(m->plain, &m->n_plain, (size_t)l->number + 1,
				     sizeof(*m->plain));
	x = &m->plain[l->number];
	if (x->state == NOT_LOOKED_AT)
		look_at(m, l, x);
	return x;
}

/* Whether a report can take it so. @task: who made it. */
static inline bool can_take(struct lt_maker *m, const struct lt_plain_life *l,
			    const struct lt_task *task)
{
	/* The row comes last: what is not counted must not begin one. */
	return m->corrected != l->ev->ptr &&
	       !(m->out && lt_own_task(m->out, l->context, task)) &&
	       !(m->r->coverage && lt_coverage_asks(m->r->coverage)) &&
	       sums_of(m, l)->state == PLAIN;
}

static inline bool can_all(const struct lt_makers *makers, const struct lt_plain_life *l,
			   const struct lt_task *task)
{
	for (size_t i = 0; i < makers->n; i++) {
		if (!can_take(&makers->all[i], l, task))
			return false;
	}
	return true;
}

/* The row of objects, which may have nothing any more. */
static inline struct lt_report_row *row_of(struct lt_maker *m, const struct lt_plain_life *l,
					   const struct lt_plain_sums *x)
{
	struct lt_report_row *row = &m->r->rows[x->row];

	if (!row->births && !row->lifetimes && !row->now) {
		const struct lt_obj o = lt_plain_obj(l, l->ev->ptr);

		return lt_maker_row(m, &o);
	}
	return row;
}

/* @change: 1, or -1 modulo 2^64 */
static inline void count_now(struct lt_maker *m, struct lt_report_row *row, uint64_t bytes,
			     uint64_t change, uint64_t time)
{
	struct lt_report_row *all = &m->r->all;

	m->step++;
	m->reborn = change == 1 && m->reborn;
	m->live_bytes += change * bytes;
	all->now += change;
	all->now_bytes += change * bytes;
	lt_maker_keep_peak(m, row);
	row->now += change;
	row->now_bytes += change * bytes;
	if (m->live_bytes > m->r->peak_bytes || m->reborn)
		lt_maker_take_peak(m, time);
	m->reborn = false;
}

static bool plain_born(void *arg, const struct lt_plain_life *l)
{
	const struct lt_makers *makers = arg;

	if (!can_all(makers, l, l->ev->task))
		return false;
	for (size_t i = 0; i < makers->n; i++) {
		struct lt_maker *m = &makers->all[i];
		const struct lt_plain_sums *x = &m->plain[l->number];

		m->corrected = 0;
		if (m->r->coverage)
			lt_coverage_count(m->r->coverage, x->cache, 1);
		if (m->space != LT_SPACE_SLAB)
			continue;
		if (l->born < m->r->watched)
			m->r->watched = l->born;
		count_now(m, row_of(m, l, x), x->bytes, 1, l->born);
	}
	return true;
}

/* Whether the object lived longer than the task that made it, and was not ended by that. */
static inline bool outlived(const struct lt_plain_life *l, const struct lt_task *maker)
{
	return maker && l->context == LT_CTX_TASK && maker->exit != UINT64_MAX &&
	       maker->exit >= l->born && l->ev->time > maker->exit && l->ev->task != maker;
}

/* lt_report_row_add() of an exact lifetime. */
static inline void add(struct lt_maker *m, struct lt_report_row *row, const struct lt_plain_life *l,
		       const struct lt_plain_sums *x, const struct lt_task *maker)
{
	const struct lt_report_options *opts = &m->r->opts;
	uint64_t ns = l->ev->time - l->born;

	lt_counted_add(&m->all, 1);
	row->lifetimes++;
	row->births++;
	row->bytes += x->bytes;
	row->waste += x->slack;
	row->longs += ns >= opts->long_ns;
	row->shorts += ns <= opts->short_ns;
	row->within += l->further <= opts->within;
	row->outlived += outlived(l, maker);
	row->other_cpu += l->ev->cpu != l->cpu;
	row->other_context += l->ev->context != l->context;
	lt_hist_add_later(&row->life, ns, &m->later);
}

static bool plain_ended(void *arg, const struct lt_plain_life *l)
{
	const struct lt_makers *makers = arg;
	const struct lt_task *task = lt_lifetimes_task(makers->all[0].lf, l->task);

	if (!can_all(makers, l, task))
		return false;
	for (size_t i = 0; i < makers->n; i++) {
		struct lt_maker *m = &makers->all[i];
		const struct lt_plain_sums *x = &m->plain[l->number];
		struct lt_report_row *row;

		m->corrected = 0;
		if (m->r->coverage)
			lt_coverage_count(m->r->coverage, x->cache, -1);
		if (m->space != LT_SPACE_SLAB)
			continue;
		row = row_of(m, l, x);
		count_now(m, row, x->bytes, UINT64_MAX, l->ev->time);
		add(m, row, l, x, task);
	}
	return true;
}

static bool is_plain(const struct lt_maker *m)
{
	const struct lt_report_options *opts = &m->r->opts;

	return m->sums_rows && !m->weights.by_birth && !opts->filter &&
	       (opts->by == LT_BY_SITE || opts->by == LT_BY_CACHE || opts->by == LT_BY_SIZE);
}

void lt_makers_plain_ops(const struct lt_makers *makers, struct lt_lifetime_ops *ops)
{
	for (size_t i = 0; i < makers->n; i++) {
		if (!is_plain(&makers->all[i]))
			return;
	}
	ops->plain_born = plain_born;
	ops->plain_ended = plain_ended;
}

void lt_makers_plain(void *arg, const struct lt_plain_event *evs, size_t n)
{
	const struct lt_makers *makers = arg;

	/* The others have none. */
	lt_coverage_plain(makers->all[0].r->coverage, evs, n);
}
