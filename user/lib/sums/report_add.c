// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a lifetime adds to a row of a report.
 */
#include "sums/report_maker.h"
#include "sums/weights.h"

/* Whether the object lived longer than the task that made it. */
static bool outlived(const struct lt_lifetime *l)
{
	const struct lt_task *maker = l->birth.task;

	if (!maker || l->birth.context != LT_CTX_TASK || maker->exit == UINT64_MAX ||
	    maker->exit < l->birth.time)
		return false;
	/* The frees of an exiting task come after its exit event. */
	return l->death.time > maker->exit && l->death.task != maker;
}

void lt_report_row_add(struct lt_report_row *row, const struct lt_lifetime *l,
		       const struct lt_report_options *opts, struct lt_stands stands)
{
	uint64_t bytes = lt_lifetime_bytes(l);
	uint64_t ns = lt_lifetime_ns(l);
	uint64_t weight = stands.lives;

	row->lifetimes += weight;
	if (!l->older) {
		row->births += stands.births;
		row->bytes += bytes * stands.births;
		row->waste += lt_lifetime_slack(l) * stands.births;
	}
	if (l->certainty == LT_OPEN) {
		row->live += weight;
		row->live_bytes += bytes * weight;
	} else if (l->ending == LT_END_ALIVE) {
		row->maybe += weight;
		row->maybe_bytes += bytes * weight;
	}
	/*
	 * Of a bounded lifetime only the latest possible end is known; birth and end of
	 * an uncertain one may be of two objects.
	 */
	if (l->certainty != LT_EXACT && l->certainty != LT_OPEN) {
		row->unsure_bytes += bytes * weight;
		return;
	}
	row->longs += ns >= opts->long_ns ? weight : 0;
	row->outlived += outlived(l) ? weight : 0;
	if (l->certainty != LT_EXACT) {
		if (!opts->no_spans)
			lt_hist_add_many(&row->ages, ns, weight);
		return;
	}
	row->shorts += ns <= opts->short_ns ? weight : 0;
	row->within += l->further <= opts->within ? weight : 0;
	row->other_cpu += l->death.cpu != l->birth.cpu ? weight : 0;
	row->other_context += l->death.context != l->birth.context ? weight : 0;
	if (!opts->no_spans)
		lt_hist_add_many(&row->life, ns, weight);
}

/* Adds what has ended to a row. */
static void add_ends(struct lt_report_row *row, const struct lt_plain_sums *x)
{
	row->lifetimes += x->ends;
	row->births += x->ends;
	row->bytes += (uint64_t)x->ends * x->bytes;
	row->waste += (uint64_t)x->ends * x->slack;
	row->unsure_bytes += x->unsure ? (uint64_t)x->ends * x->bytes : 0;
	LT_ADD_KINDS(row, x);
}

/* Adds them to a row, by its number plus 1; 0: to none. */
static void settle_row(struct lt_maker *m, uint32_t number, const struct lt_plain_sums *x)
{
	/* Modulo 2^32 it may be less than 0. */
	uint64_t now = (uint64_t)(int32_t)(x->births - x->ends);
	uint64_t peak = x->kept == m->peaks ? (uint64_t)(int32_t)x->peak : now;
	struct lt_report_row *row;

	if (!number)
		return;
	row = &m->r->rows[number - 1];
	lt_maker_keep_peak(m, row);
	row->listed--;
	row->peak += peak;
	row->peak_bytes += peak * x->bytes;
	row->now += now;
	row->now_bytes += now * x->bytes;
	add_ends(row, x);
}

static void settle_sums(struct lt_maker *m, uint32_t traits)
{
	struct lt_plain_sums *x = &m->plain[traits];

	for (struct lt_maker *f = m->follower; f; f = f->follower) {
		if (f->sums_rows)
			settle_row(f, f->by_traits.of[traits], x);
		else
			add_ends(&f->r->all, x);
	}
	settle_row(m, x->row, x);
	if (m->r->coverage)
		lt_coverage_count(m->r->coverage, m->coverage.of[traits] - 1, x->births, x->ends);
	*x = (struct lt_plain_sums){
		.bytes = x->bytes, .slack = x->slack, .row = x->row, .span = x->span,
		.kept = m->peaks,
	};
}

void lt_maker_settle(struct lt_maker *m)
{
	m = m->follows ? m->follows : m;
	for (struct lt_maker *f = m->follower; f; f = f->follower)
		f->peaks = m->peaks;
	for (size_t i = 0; i < m->n_listed; i++)
		settle_sums(m, m->listed[i]);
	m->n_listed = 0;
	lt_hist_settle(&m->later);
}

/* Adds @from, or moves it where there is nothing. */
static void take_spans(struct lt_hist *to, struct lt_hist *from)
{
	struct lt_hist rest = to->n ? *from : *to;

	if (to->n)
		lt_hist_merge(to, from);
	else
		*to = *from;
	lt_hist_destroy(&rest);
}

void lt_maker_add_spans(struct lt_maker *m)
{
	struct lt_maker *f = m->follower;

	while (f && f->r->opts.no_spans)
		f = f->follower;
	for (size_t i = 0; i < m->n_spans; i++) {
		struct lt_spans *x = &m->spans[i];

		if (x->follower)
			lt_hist_merge(&f->r->rows[x->follower - 1].life, &x->life);
		take_spans(&m->r->rows[x->row].life, &x->life);
	}
	m->n_spans = 0;
}

void lt_report_row_vary(struct lt_report_row *row, uint32_t number, const struct lt_lifetime *l,
			struct lt_weights *weights, struct lt_stands stands)
{
	if (!l->older && stands.births > 1)
		lt_weights_add(weights, number, l->ptr, stands.births, lt_lifetime_bytes(l));
	/* At one address one object at most is alive. */
	if (l->certainty == LT_OPEN && stands.lives > 1) {
		lt_spread_add(&row->live_off, stands.lives, 1);
		lt_spread_add(&row->live_bytes_off, stands.lives, lt_lifetime_bytes(l));
	}
}

static void vary(void *arg, uint32_t number, const struct lt_spread *births,
		 const struct lt_spread *bytes)
{
	struct lt_report *r = arg;
	struct lt_report_row *row = number == LT_WEIGHTS_ALL ? &r->all : &r->rows[number];

	lt_spread_merge(&row->births_off, births);
	lt_spread_merge(&row->bytes_off, bytes);
}

/* The counters are of the whole trace. */
static void count_all(struct lt_maker *m)
{
	struct lt_report *r = m->r;
	struct lt_counted c = m->all;

	c.births = lt_births_counted(r->trace, m->space);
	c.addresses = lt_spread_addresses(&r->all.births_off);
	for (size_t i = 0; i <= r->n_rows; i++) {
		struct lt_report_row *row = i < r->n_rows ? &r->rows[i] : &r->all;

		lt_spread_count(&row->births_off, &row->bytes_off, &c, row->births);
		lt_spread_judge_live(&row->live_off, &row->live_bytes_off);
	}
}

void lt_report_vary(struct lt_maker *m)
{
	lt_weights_each(&m->weights, vary, m->r);
	if (m->sample > 1 && !m->r->opts.at)
		count_all(m);
}
