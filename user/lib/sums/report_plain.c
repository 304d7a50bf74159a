// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reports from births and ends that leave no doubt: which reports can be made from them, and what
 * of several is counted once. report_count.c counts.
 */
#include <string.h>

#include "base/mem.h"
#include "format/plain.h"
#include "sums/report_maker.h"

static bool takes(void *arg, const struct lt_traits *traits)
{
	const struct lt_makers *makers = arg;
	const struct lt_obj o = lt_traits_obj(traits);
	struct lt_coverage *c = makers->all[0].r->coverage;

	for (size_t i = 0; i < makers->n; i++) {
		if (!makers->all[i].follows &&
		    lt_own_site(makers->all[i].out, makers->all[i].lf, traits->site))
			return false;
	}
	/*
	 * The others of a follower that has births with a stack alone are known by their address.
	 */
	if (makers->all[0].follower && !makers->all[0].follower->sums_rows &&
	    lt_weights_by_size(&makers->all[0].follower->weights, &o))
		return false;
	return !c || lt_coverage_number(c, &o) != UINT32_MAX;
}

/* An event that is not plain may have left something to be looked at with the next one. */
static bool is_ready(void *arg)
{
	const struct lt_makers *makers = arg;
	const struct lt_coverage *c = makers->all[0].r->coverage;

	for (size_t i = 0; i < makers->n; i++) {
		if (makers->all[i].corrected || makers->all[i].reborn)
			return false;
	}
	return !c || lt_coverage_is_plain(c);
}

/* The first birth: they come in order of time. */
static void begin_watch(struct lt_report *r, const struct lt_plain_steps *steps)
{
	for (const struct lt_plain_step *s = steps->all; s < steps->all + steps->n; s++) {
		uint64_t time = steps->evs[s->event].time;

		if (time >= r->watched)
			return;
		if (s->birth)
			r->watched = time;
	}
}

/* Sums by the traits of these steps. */
static void prepare(struct lt_maker *m, const struct lt_plain_steps *steps)
{
	/* The numbers are of 32 bits. */
	if (m->renewals != steps->renewals || m->pending >> 31) {
		lt_maker_settle(m);
		m->pending = 0;
	}
	if (m->renewals != steps->renewals && m->n_plain)
		memset(m->plain, 0, m->n_plain * sizeof(*m->plain));
	m->renewals = steps->renewals;
	if (steps->n_traits > m->n_plain)
		m->plain = lt_extend_lines(m->plain, &m->n_plain, steps->n_traits,
					   sizeof(*m->plain));
	if (m->r->coverage)
		lt_plain_numbers_prepare(&m->coverage, steps, steps->n_traits);
	for (struct lt_maker *f = m->follower; f; f = f->follower)
		lt_plain_numbers_prepare(&f->by_traits, steps, steps->n_traits);
	if (lt_maker_is_by_task(m))
		lt_plain_numbers_prepare(&m->by_actor, steps, steps->n_actors);
	m->pending += steps->n;
}

/* What was counted for the one that @m follows, which has been the same until now. */
static void follow(struct lt_maker *m, const struct lt_plain_steps *steps)
{
	const struct lt_maker *first = m->follows;
	const struct lt_report *r = first->r;

	m->step = first->step;
	m->peak_step = first->peak_step;
	m->peaks = first->peaks;
	m->live_bytes = first->live_bytes;
	m->reborn = first->reborn;
	/* These are large, and seldom change: the tracer's own, and those of a filter. */
	if (m->r->own_births != r->own_births)
		m->own = first->own;
	if (m->r->opts.filter)
		m->counted = first->counted;
	m->all = first->all;
	m->r->watched = r->watched;
	m->r->peak_bytes = r->peak_bytes;
	m->r->peak_time = r->peak_time;
	m->r->own_births = r->own_births;
	m->r->own_bytes = r->own_bytes;
	m->r->all.now = r->all.now;
	m->r->all.now_bytes = r->all.now_bytes;
	m->r->all.peak = r->all.peak;
	m->r->all.peak_bytes = r->all.peak_bytes;
	if (!lt_maker_is_by_task(m))
		return;
	lt_plain_numbers_prepare(&m->by_actor, steps, steps->n_actors);
	lt_maker_count_births(m, steps);
}

/* With fewer different traits all are in the processor's cache. */
#define MANY_TRAITS	1024

static void prefetch_sums(const struct lt_maker *m, const struct lt_plain_steps *steps)
{
	if (steps->n_traits < MANY_TRAITS)
		return;
	for (const struct lt_plain_step *s = steps->all; s < steps->all + steps->n; s++)
		__builtin_prefetch(&m->plain[s->traits]);
}

/* The steps of objects of the time of the report. */
static void count_time(struct lt_maker *m, const struct lt_plain_steps *steps)
{
	struct lt_plain_step in[LT_PLAIN_MAX];
	uint8_t ends[LT_PLAIN_MAX];
	struct lt_plain_steps some = *steps;

	some.n = lt_maker_take_time(m, steps, in);
	some.all = in;
	some.ends = ends;
	some.n_ends = 0;
	for (size_t i = 0; i < some.n; i++) {
		ends[some.n_ends] = (uint8_t)i;
		some.n_ends += !in[i].birth;
	}
	lt_maker_count_steps(m, &some);
}

static void plain(void *arg, const struct lt_plain_steps *steps)
{
	const struct lt_makers *makers = arg;

	for (size_t i = 0; i < makers->n; i++) {
		struct lt_maker *m = &makers->all[i];

		if (m->follows) {
			follow(m, steps);
			continue;
		}
		prepare(m, steps);
		prefetch_sums(m, steps);
		if (m->space != LT_SPACE_SLAB) {
			lt_maker_count_others(m, steps);
			continue;
		}
		begin_watch(m->r, steps);
		if (m->of_time)
			count_time(m, steps);
		else
			lt_maker_count_steps(m, steps);
	}
}

static bool is_plain(const struct lt_maker *m)
{
	const struct lt_report_options *opts = &m->r->opts;

	return m->sample == 1 && !m->weights.by_birth && (!opts->filter || m->of_time) &&
	       (opts->by == LT_BY_SITE || opts->by == LT_BY_CACHE || opts->by == LT_BY_SIZE ||
		opts->by == LT_BY_STACK || lt_maker_is_by_task(m));
}

/* A report that differs from the first one in its rows alone. */
static bool can_follow(const struct lt_maker *m, const struct lt_maker *first)
{
	const struct lt_report_options *a = &first->r->opts, *b = &m->r->opts;

	if (first->space != LT_SPACE_SLAB || m->space != LT_SPACE_SLAB ||
	    lt_maker_is_by_task(first) || a->long_ns != b->long_ns || a->short_ns != b->short_ns ||
	    a->within != b->within || a->no_recorder != b->no_recorder)
		return false;
	if (lt_maker_is_by_task(m))
		return b->brief && !m->of_time;
	return b->no_spans || (m->sums_rows && !a->no_spans);
}

/* Makes those followers that can be; one of them may have spans. */
static void make_followers(const struct lt_makers *makers)
{
	struct lt_maker *first = &makers->all[0], *last = first;
	bool spans = false;

	for (size_t i = 1; i < makers->n; i++) {
		struct lt_maker *m = &makers->all[i];

		if (!can_follow(m, first) || (spans && !m->r->opts.no_spans))
			continue;
		m->follows = first;
		if (lt_maker_is_by_task(m))
			continue;
		spans |= !m->r->opts.no_spans;
		last->follower = m;
		last = m;
	}
}

void lt_makers_plain_ops(const struct lt_makers *makers, struct lt_lifetime_ops *ops)
{
	const struct lt_maker *first = &makers->all[0];
	size_t n = 0;

	for (size_t i = 0; i < makers->n; i++) {
		const struct lt_maker *m = &makers->all[i];

		/*
		 * A report of births with a stack alone can be made as the second one, which
		 * follows.
		 */
		if (!is_plain(m) ||
		    !(m->sums_rows || (i == 1 && makers->n == 2 && can_follow(m, first))))
			return;
	}
	make_followers(makers);
	if (first->follower && !first->follower->sums_rows)
		ops->plain_apart = lt_weights_limit(&first->follower->weights);
	ops->plain = plain;
	ops->plain_unsure = ops->plain_bytes = true;
	ops->plain_in_order = lt_maker_is_by_task(first);
	ops->plain_ready = is_ready;
	ops->plain_takes = takes;
	for (size_t i = 1; i < makers->n; i++)
		n += makers->all[i].follows != NULL;
	if (n + 1 == makers->n && !lt_maker_is_by_task(first) && !first->of_time)
		ops->plain_reborn = lt_makers_take_reborn;
}

void lt_makers_plain(void *arg, const struct lt_plain_event *evs, size_t n)
{
	const struct lt_makers *makers = arg;

	/* The others have none. */
	lt_coverage_plain(makers->all[0].r->coverage, evs, n);
}
