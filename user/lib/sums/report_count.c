// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What births and ends that leave no doubt add to the sums of a report. Their row, sizes and cache
 * follow from the traits of the object, so that they are counted by these; see lt_maker_settle().
 * By task the row follows from who made the object, and what is counted is added to it at once.
 */
#include "format/plain.h"
#include "sums/report_maker.h"

static void look_at(struct lt_maker *m, const struct lt_plain_steps *steps, uint32_t number)
{
	const struct lt_traits *traits = &steps->traits[number];
	const struct lt_obj o = lt_traits_obj(traits);
	struct lt_plain_sums *x = &m->plain[number];

	x->bytes = traits->bytes_alloc;
	x->slack = lt_traits_slack(traits);
	if (m->r->coverage)
		m->coverage.of[number] = lt_coverage_number(m->r->coverage, &o) + 1;
}

/* A row is begun by the first of its objects. Return: its number, plus 1. */
static uint32_t begin_row(struct lt_maker *m, const struct lt_plain_steps *steps,
			  const struct lt_plain_step *s)
{
	struct lt_obj o = lt_traits_obj(&steps->traits[s->traits]);

	o.context = s->context;
	o.task = lt_lifetimes_maker(m->lf, s);
	return (uint32_t)(lt_maker_row(m, &o) - m->r->rows) + 1;
}

/*
 * The first of the objects of a row to end, which is what the row is about if no other one is
 * alive.
 * @number: of the row, plus 1; 0: there is none yet
 */
static void end_hollow(struct lt_maker *m, const struct lt_plain_steps *steps,
		       const struct lt_plain_step *s, uint32_t number)
{
	struct lt_report_row *row = number ? &m->r->rows[number - 1] : NULL;

	if (!row || !row->hollow)
		return;
	lt_maker_settle(m);
	if (!row->births && !row->lifetimes && row->now == 1) {
		row->now = 0;
		begin_row(m, steps, s);
		row->now = 1;
	}
	row->hollow = false;
	m->hollow--;
}

/* @m goes by the sums of another one, which has not listed these traits yet. */
static void list_follower(struct lt_maker *m, const struct lt_plain_steps *steps,
			  const struct lt_plain_step *s)
{
	uint32_t *row = &m->by_traits.of[s->traits];

	if (!*row || lt_report_row_may_be_empty(&m->r->rows[*row - 1]))
		*row = begin_row(m, steps, s);
	m->r->rows[*row - 1].listed++;
}

static bool has_hollow(const struct lt_maker *m)
{
	while (m && !m->hollow)
		m = m->follower;
	return m;
}

/*
 * Where the spans of life are counted that belong to a row, and to one of the follower with spans.
 */
static uint32_t span_of(struct lt_maker *m, uint32_t traits, uint32_t row)
{
	const struct lt_maker *f = m->follower;
	uint32_t other, number;

	while (f && f->r->opts.no_spans)
		f = f->follower;
	other = f ? f->by_traits.of[traits] : 0;
	number = lt_intern_number(&m->pairs, (uint64_t)other << 32 | (row + 1));
	while (m->n_spans <= number) {
		if (m->n_spans == m->cap_spans)
			m->spans = lt_extend_lines(m->spans, &m->cap_spans, m->n_spans + 1,
						   sizeof(*m->spans));
		m->spans[m->n_spans] = (struct lt_spans){ .row = row };
		lt_hist_init(&m->spans[m->n_spans++].life);
	}
	m->spans[number].row = row;
	m->spans[number].follower = other;
	return number;
}

/* The first step since they were settled. */
static void list(struct lt_maker *m, const struct lt_plain_steps *steps,
		 const struct lt_plain_step *s)
{
	struct lt_plain_sums *x = &m->plain[s->traits];

	if (!x->bytes)
		look_at(m, steps, s->traits);
	x->unsure = s->unsure;
	if (m->space == LT_SPACE_SLAB && !lt_maker_is_by_task(m) &&
	    (!x->row || lt_report_row_may_be_empty(&m->r->rows[x->row - 1])))
		x->row = begin_row(m, steps, s);
	for (struct lt_maker *f = m->follower; f; f = f->follower) {
		if (f->sums_rows)
			list_follower(f, steps, s);
	}
	if (x->row) {
		m->r->rows[x->row - 1].listed++;
		if (!m->r->opts.no_spans)
			x->span = span_of(m, s->traits, x->row - 1);
	}
	m->listed = lt_grow(m->listed, &m->cap_listed, m->n_listed, sizeof(*m->listed));
	m->listed[m->n_listed++] = s->traits;
	x->listed = true;
}

static inline struct lt_plain_sums *sums_of(struct lt_maker *m, const struct lt_plain_steps *steps,
					    const struct lt_plain_step *s)
{
	struct lt_plain_sums *x = &m->plain[s->traits];

	if (!x->listed)
		list(m, steps, s);
	return x;
}

static void end_hollows(struct lt_maker *m, const struct lt_plain_steps *steps,
			const struct lt_plain_step *s)
{
	/* An object that was born with care need not have a row yet. */
	const uint32_t row = sums_of(m, steps, s)->row;

	end_hollow(m, steps, s, row);
	for (struct lt_maker *f = m->follower; row && f; f = f->follower) {
		if (f->hollow)
			end_hollow(f, steps, s, f->by_traits.of[s->traits]);
	}
}

/* Whether the object lived longer than the task that made it, and was not ended by that. */
static bool outlived(const struct lt_plain_step *s, const struct lt_plain_event *ev)
{
	return s->context == LT_CTX_TASK && s->maker->exit >= ev->time - s->ns &&
	       ev->time > s->maker->exit && ev->task != s->maker;
}

/* Which kinds an exact lifetime is of, as in struct lt_report_row: 0 or 1 each. */
struct kinds {
	uint32_t shorts;
	uint32_t longs;
	uint32_t within;
	uint32_t outlived;
	uint32_t other_cpu;
	uint32_t other_context;
};

static inline struct kinds kinds_of(const struct lt_report_options *opts,
				    const struct lt_plain_step *s, const struct lt_plain_event *evs)
{
	return (struct kinds){
		.shorts = s->ns <= opts->short_ns, .longs = s->ns >= opts->long_ns,
		.within = s->further <= opts->within, .other_cpu = s->other_cpu,
		.outlived = s->maker && s->maker->exit != UINT64_MAX && outlived(s, &evs[s->event]),
		.other_context = s->other_context,
	};
}

/* lt_report_row_add() of a lifetime that is exact or bounded, and that was counted. */
static inline void add_kinds(struct lt_maker *m, struct lt_plain_sums *x,
			     const struct lt_plain_step *s, const struct lt_plain_event *evs)
{
	const struct lt_report_options *opts = &m->r->opts;
	struct kinds k;

	if (s->ending == LT_END_REBORN) {
		lt_maker_add_bounded(m, x, s->traits);
		return;
	}
	k = kinds_of(opts, s, evs);
	LT_ADD_KINDS(x, &k);
	if (!opts->no_spans)
		lt_hist_add_later(&m->spans[x->span].life, s->ns, &m->later);
}

/* A step of an object that the tracer itself made. */
static void count_own(struct lt_maker *m, const struct lt_plain_steps *steps,
		      const struct lt_plain_step *s)
{
	const struct lt_obj o = lt_traits_obj(&steps->traits[s->traits]);

	if (m->r->coverage)
		lt_coverage_count(m->r->coverage, lt_coverage_number(m->r->coverage, &o), s->birth,
				  !s->birth);
	if (s->birth)
		return;
	lt_lifetime_stats_add_step(&m->own, s);
	if (m->space != LT_SPACE_SLAB)
		return;
	m->r->own_births++;
	m->r->own_bytes += o.bytes_alloc;
}

void lt_maker_count_others(struct lt_maker *m, const struct lt_plain_steps *steps)
{
	const uint32_t process = lt_own_process(m->out);

	for (const struct lt_plain_step *s = steps->all; s < steps->all + steps->n; s++) {
		if (lt_own_step(process, s)) {
			count_own(m, steps, s);
		} else if (m->r->coverage) {
			struct lt_plain_sums *x = sums_of(m, steps, s);

			x->births += s->birth;
			x->ends += !s->birth;
		}
	}
}

/* What was alive at the present peak, before the first step behind it is counted. */
static inline void keep_peak(const struct lt_maker *m, struct lt_plain_sums *x)
{
	if (x->kept == m->peaks)
		return;
	x->kept = m->peaks;
	x->peak = x->births - x->ends;
}

/* What is alive, and the peak. No guess of the processor depends on which steps are births. */
static void count_now(struct lt_maker *m, const struct lt_plain_steps *steps)
{
	const uint32_t process = lt_own_process(m->out);
	const struct lt_plain_step *const end = steps->all + steps->n;
	struct lt_report_row *all = &m->r->all;
	/* What the sum of all has beside it stays as it is. */
	const uint64_t beside = all->now_bytes - m->live_bytes;
	uint64_t live = m->live_bytes, now = all->now;
	const bool hollow = has_hollow(m);
	bool reborn = m->reborn;

	for (const struct lt_plain_step *s = steps->all; s < end; s++) {
		/* minus: all bits, if it is an end */
		const uint64_t born = s->birth, minus = born - 1;
		struct lt_plain_sums *x;

		if (lt_own_step(process, s)) {
			count_own(m, steps, s);
			continue;
		}
		if (hollow && !s->birth)
			end_hollows(m, steps, s);
		x = sums_of(m, steps, s);
		m->step++;
		keep_peak(m, x);
		live += (x->bytes ^ minus) - minus;
		now += born + minus;
		x->births += (uint32_t)born;
		x->ends -= (uint32_t)minus;
		/* A birth ends nothing. */
		reborn = (reborn & s->birth) | (s->ending == LT_END_REBORN);
		if ((live > m->r->peak_bytes || reborn) && s->birth) {
			m->live_bytes = live;
			all->now = now;
			all->now_bytes = live + beside;
			m->reborn = reborn;
			lt_maker_take_peak(m, steps->evs[s->event].time);
			reborn = false;
		}
	}
	m->reborn = reborn;
	m->live_bytes = live;
	all->now = now;
	all->now_bytes = live + beside;
}

/* Whether none of these steps needs more than to be counted: there is no new peak. */
static bool are_below_peak(const struct lt_maker *m, const struct lt_plain_steps *steps)
{
	return !m->reborn && !steps->reborn && !m->of_time && !has_hollow(m) &&
	       lt_steps_keep_below(steps, m->live_bytes, m->r->peak_bytes) &&
	       !lt_own_has_step(lt_own_process(m->out), steps);
}

/* count_now() of these. */
static void count_below_peak(struct lt_maker *m, const struct lt_plain_steps *steps)
{
	struct lt_report_row *all = &m->r->all;

	for (const struct lt_plain_step *s = steps->all; s < steps->all + steps->n; s++) {
		struct lt_plain_sums *x = sums_of(m, steps, s);

		keep_peak(m, x);
		x->births += s->birth;
		x->ends += !s->birth;
	}
	m->step += steps->n;
	m->live_bytes += (uint64_t)steps->bytes;
	all->now += (uint64_t)steps->n - 2 * (uint64_t)steps->n_ends;
	all->now_bytes += (uint64_t)steps->bytes;
}

static void count(struct lt_maker *m, const struct lt_plain_steps *steps)
{
	const uint32_t process = lt_own_process(m->out);

	if (are_below_peak(m, steps))
		count_below_peak(m, steps);
	else
		count_now(m, steps);
	for (size_t i = 0; i < steps->n_ends; i++) {
		const struct lt_plain_step *s = &steps->all[steps->ends[i]];

		/* They may have been settled since. */
		if (!lt_own_step(process, s) && !s->unsure)
			add_kinds(m, sums_of(m, steps, s), s, steps->evs);
	}
	lt_counted_add_ones(&m->all, steps->n_ends);
}

/* The row of the task that made the object. */
static struct lt_report_row *task_row(struct lt_maker *m, const struct lt_plain_steps *steps,
				      const struct lt_plain_step *s)
{
	uint32_t *number = &m->by_actor.of[s->actor];

	if (!*number || lt_report_row_may_be_empty(&m->r->rows[*number - 1]))
		*number = begin_row(m, steps, s);
	return &m->r->rows[*number - 1];
}

/* A birth whose end is known. */
static inline void add_bytes(struct lt_report_row *row, uint64_t bytes, uint64_t slack)
{
	row->lifetimes++;
	row->births++;
	row->bytes += bytes;
	row->waste += slack;
}

/* lt_report_row_add() of a lifetime that is exact, or unsure. */
static void add_to_task(struct lt_maker *m, struct lt_report_row *row,
			const struct lt_plain_sums *x, const struct lt_plain_step *s,
			const struct lt_plain_event *evs)
{
	const struct lt_report_options *opts = &m->r->opts;
	struct kinds k;

	add_bytes(row, x->bytes, x->slack);
	if (s->unsure) {
		row->unsure_bytes += x->bytes;
		return;
	}
	k = kinds_of(opts, s, evs);
	LT_ADD_KINDS(row, &k);
	if (!opts->no_spans)
		lt_hist_add_later(&row->life, s->ns, &m->later);
}

static void count_step(struct lt_maker *m, const struct lt_plain_steps *steps,
		       const struct lt_plain_step *s)
{
	struct lt_report_row *row = task_row(m, steps, s), *all = &m->r->all;
	const uint64_t n = s->birth ? 1 : UINT64_MAX;	/* modulo 2^64 that is -1 */
	struct lt_plain_sums *x;

	if (!s->birth)
		end_hollow(m, steps, s, m->by_actor.of[s->actor]);
	x = sums_of(m, steps, s);
	m->step++;
	lt_maker_keep_peak(m, row);
	row->now += n;
	row->now_bytes += n * x->bytes;
	all->now += n;
	all->now_bytes += n * x->bytes;
	m->live_bytes += n * x->bytes;
	x->births += s->birth;
	x->ends += !s->birth;
	if (!s->birth)
		add_to_task(m, row, x, s, steps->evs);
	else if (m->live_bytes > m->r->peak_bytes)
		lt_maker_take_peak(m, steps->evs[s->event].time);
}

static void count_by_task(struct lt_maker *m, const struct lt_plain_steps *steps)
{
	const uint32_t process = lt_own_process(m->out);

	for (const struct lt_plain_step *s = steps->all; s < steps->all + steps->n; s++) {
		if (lt_own_step(process, s))
			count_own(m, steps, s);
		else
			count_step(m, steps, s);
	}
	lt_counted_add_ones(&m->all, steps->n_ends);
}

void lt_maker_count_births(struct lt_maker *m, const struct lt_plain_steps *steps)
{
	const uint32_t process = lt_own_process(m->out);

	for (size_t i = 0; i < steps->n_ends; i++) {
		const struct lt_plain_step *s = &steps->all[steps->ends[i]];
		const struct lt_traits *traits = &steps->traits[s->traits];
		uint32_t *number = &m->by_actor.of[s->actor];
		struct lt_report_row *row;

		if (lt_own_step(process, s))
			continue;
		if (!*number)
			*number = begin_row(m, steps, s);
		row = &m->r->rows[*number - 1];
		add_bytes(row, traits->bytes_alloc, lt_traits_slack(traits));
	}
}

void lt_maker_count_steps(struct lt_maker *m, const struct lt_plain_steps *steps)
{
	if (lt_maker_is_by_task(m))
		count_by_task(m, steps);
	else
		count(m, steps);
}
