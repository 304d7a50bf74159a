// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The sums of a report.
 *
 * The trace is read once. What each row has alive at the peak is exact, without a history: a row
 * keeps what it had at the latest peak when it changes for the first time after that.
 *
 * A cache may be announced only after its first object, in another stream. The caches of
 * the pass are kept; if there was such an object, the pass is made again, because the object
 * had counted with 0 bytes, or its cache had no name for a filter.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/channel.h"
#include "lifetimes/fan.h"
#include "sums/report.h"
#include "sums/report_maker.h"

/* ------------------------------------------------------------------------
 * The passes
 */

static void begin_all(void *arg, struct lt_lifetimes *lf)
{
	const struct lt_makers *makers = arg;

	for (size_t i = 0; i < makers->n; i++)
		makers->all[i].lf = lf;
}

/* Keeps the caches of the trace. Return: an object was born before its cache was known. */
static bool keep_caches(struct lt_maker *m, const struct lt_trace *t)
{
	bool late = false;

	free(m->caches);
	m->n_caches = lt_trace_n_caches(t);
	m->caches = lt_alloc_array(m->n_caches + 1, sizeof(*m->caches));
	for (uint32_t id = 0; id < m->n_caches; id++) {
		const struct lt_cache *cache = lt_trace_cache(t, id);

		if (!cache)
			continue;
		m->caches[id] = *cache;
		late |= (cache->size || cache->object_size || m->r->opts.filter) &&
			id / 64 < m->n_unknown && m->unknown[id / 64] & 1ULL << id % 64;
	}
	return late;
}

static void init_report(struct lt_report *r, const struct lt_report_options *opts)
{
	memset(r, 0, sizeof(*r));
	r->opts = *opts;
	r->opts.space = lt_space_chosen(r->opts.space);
	lt_report_row_init(&r->all);
}

static void empty_report(struct lt_report *r)
{
	for (size_t i = 0; i < r->n_rows; i++)
		lt_report_row_destroy(&r->rows[i]);
	free(r->rows);
	lt_report_row_destroy(&r->all);
	if (r->coverage)
		lt_coverage_free(r->coverage);
	lt_row_stacks_free(r->stacks);
	lt_pieces_free(r->pieces);
}

/* What a maker has of one pass; what remains are the caches and who asked for them too early. */
static void begin(struct lt_maker *m, const struct lt_maker *first, struct lt_trace *t)
{
	struct lt_report *r = m->r;

	*m = (struct lt_maker){
		.r = r, .space = m->space,
		.caches = first->caches, .n_caches = first->n_caches,
		.unknown = m->unknown, .n_unknown = m->n_unknown,
		.out = r->opts.no_recorder ? lt_own_new(t) : NULL,
	};
	lt_intern_init(&m->keys);
	lt_intern_init(&m->pairs);
	lt_picked_init(&m->picked);
	lt_weights_init(&m->weights, t);
	lt_kmalloc_init(&r->kmalloc, t);
	lt_maker_set_time(m);
	r->trace = t;
	r->borrows_trace = m != first;
	r->watched = lt_trace_end(t);
	r->stacks = lt_row_stacks_new(r->opts.depth, r->opts.skip_wrappers);
	r->pieces = r->opts.by == LT_BY_PIECE ? lt_pieces_new() : NULL;
	r->stacks_one_in = r->opts.by == LT_BY_STACK && m->space == LT_SPACE_SLAB ?
			   m->weights.one_in : 0;
	m->sample = r->opts.estimate ? lt_weights_sample(&m->weights, m->space) : 1;
	r->sample = m->sample > 1 ? m->sample : 0;
	if (r->sample)
		lt_weights_by_birth(&m->weights, t);
	m->sums_rows = m->sample == 1 && (r->opts.by != LT_BY_STACK || !m->weights.one_in);
}

/* The sum of all rows, but for its peak, which is that of one moment. */
static void sum_rows(struct lt_report *r)
{
	uint64_t peak = r->all.peak, peak_bytes = r->all.peak_bytes;

	for (size_t i = 0; i < r->n_rows; i++)
		lt_report_row_merge(&r->all, &r->rows[i]);
	r->all.peak = peak;
	r->all.peak_bytes = peak_bytes;
}

static void end(struct lt_maker *m)
{
	struct lt_report *r = m->r;

	lt_maker_settle(m);
	lt_maker_add_spans(m);
	r->stats = r->opts.filter ? m->counted : *lt_lifetimes_stats(m->lf);
	if (!r->opts.filter)
		lt_lifetime_stats_subtract(&r->stats, &m->own);
	for (size_t i = 0; i < r->n_rows; i++)
		lt_maker_keep_peak(m, &r->rows[i]);
	if (m->sums_rows)
		sum_rows(r);
	if (r->opts.by == LT_BY_PROCESS)
		lt_report_merge_instances(r, &m->weights);
	lt_report_vary(m);
	lt_picked_destroy(&m->picked);
	lt_own_free(m->out);
	free(m->places);
	free(m->plain);
	free(m->by_traits.of);
	free(m->by_actor.of);
	free(m->coverage.of);
	free(m->spans);
	free(m->listed);
	lt_intern_destroy(&m->keys);
	lt_intern_destroy(&m->pairs);
	lt_weights_destroy(&m->weights);
	/* The peak counts also objects of which only the end shows that they are unwanted. */
	if (!lt_filter_needs_end(r->opts.filter))
		return;
	for (size_t i = 0; i < r->n_rows; i++)
		r->rows[i].peak = r->rows[i].peak_bytes = 0;
	r->all.peak = r->all.peak_bytes = r->peak_bytes = 0;
}

static void end_all(void *arg)
{
	const struct lt_makers *makers = arg;

	for (size_t i = 0; i < makers->n; i++)
		end(&makers->all[i]);
}

/* One pass. Return: 0; 1: it must be made again; -1: the error was reported. */
static int sum_up(struct lt_makers *makers, const char *path, const struct lt_reports_guest *guest)
{
	struct lt_lifetime_fan fan = {
		.all[0] = {
			.begin = begin_all, .event = lt_makers_event, .plain = lt_makers_plain,
			.end = end_all,
		},
		.n = 1,
	};
	struct lt_lifetime_pass *pass = &fan.all[0], whole;
	struct lt_maker *first = &makers->all[0];
	struct lt_trace *t = lt_trace_open(path);

	if (!t)
		return -1;
	if (first->r->opts.at)
		lt_trace_stop_at(t, first->r->opts.at);
	first->r->coverage = lt_coverage_new(t);
	for (size_t i = 0; i < makers->n; i++)
		begin(&makers->all[i], first, t);
	lt_makers_ops(makers, &pass->ops);
	lt_makers_plain_ops(makers, &pass->ops);
	if (guest) {
		guest->begin(guest->arg, t, &fan);
		lt_lifetime_fan_pass(&fan, &whole);
		pass = &whole;
	}
	lt_lifetimes_pass(t, pass);
	return keep_caches(first, t);
}

/* Forgets a pass but for the caches, and its trace. */
static void begin_again(struct lt_makers *makers)
{
	struct lt_trace *t = makers->all[0].r->trace;

	for (size_t i = 0; i < makers->n; i++) {
		struct lt_maker *m = &makers->all[i];
		struct lt_report_options opts = m->r->opts;

		empty_report(m->r);
		init_report(m->r, &opts);
	}
	lt_trace_close(t);
}

int lt_reports_make(const char *path, const struct lt_report_options *opts, size_t n,
		    struct lt_report **reports, const struct lt_reports_guest *guest)
{
	struct lt_makers makers = { .all = lt_alloc_array(n, sizeof(*makers.all)), .n = n };
	int err;

	for (size_t i = 0; i < n; i++) {
		reports[i] = lt_alloc(sizeof(*reports[i]));
		init_report(reports[i], &opts[i]);
		makers.all[i].r = reports[i];
		makers.all[i].space = reports[i]->opts.space;
	}
	err = sum_up(&makers, path, guest);
	if (err > 0) {
		if (guest)
			guest->again(guest->arg);
		begin_again(&makers);
		err = sum_up(&makers, path, NULL);
	}
	free(makers.all[0].caches);
	for (size_t i = 0; i < n; i++)
		free(makers.all[i].unknown);
	free(makers.all);
	if (err >= 0)
		return 0;
	for (size_t i = n; i--;) {
		lt_report_free(reports[i]);
		reports[i] = NULL;
	}
	return -1;
}

struct lt_report *lt_report_make(const char *path, const struct lt_report_options *opts)
{
	struct lt_report *r;

	lt_reports_make(path, opts, 1, &r, NULL);
	return r;
}

uint64_t lt_report_watched(const struct lt_report *r)
{
	uint64_t from = r->watched, to = lt_trace_end(r->trace);

	lt_filter_clip(r->opts.filter, &from, &to);
	return to > from ? to - from : 0;
}

void lt_report_free(struct lt_report *r)
{
	if (!r)
		return;
	empty_report(r);
	if (!r->borrows_trace)
		lt_trace_close(r->trace);
	free(r);
}
