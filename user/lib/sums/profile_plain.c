// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What births and ends that leave no doubt add to a profile. The row of an object follows from its
 * traits and from the name that its maker had then. What the objects of one name and with the same
 * traits add is counted in a cell, one line of the processor's cache, and later added to the row;
 * see lt_profile_settle().
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "format/plain.h"
#include "sums/plain_numbers.h"
#include "sums/profile_who.h"

#define MAX_CELLS	(1U << 16)	/* above that all are settled */

/**
 * struct cell - objects of one name and with the same traits
 * @key: the name's number and that of the traits; 0: the cell is free
 * @ns: sum of the lifetimes that have ended
 * @kept: number of the peak that @peak is of
 * @row: number of their row
 * @weight: for how many one stands in the row
 * @bytes: given to each
 * @slack: of these, not requested
 * @now: born under that name less gone since it was settled, modulo 2^32
 * @ended: gone since then of which the maker had that name when they were born, by what is known at
 *	their end
 * @exact: of @ended, and of @ns
 * @peak: @now at the peak
 */
struct cell {
	_Alignas(LT_LINE) uint64_t key;
	uint64_t ns;
	uint64_t kept;
	uint32_t row;
	uint32_t weight;
	uint32_t bytes;
	uint32_t slack;
	uint32_t now;
	uint32_t ended;
	uint32_t exact;
	uint32_t peak;
};

/**
 * struct lt_profile_plain - profiles from steps
 * @cells: open addressing; @mask + 1 of them, @n in use
 * @latest: by traits: the index of a cell of theirs, or of any one
 * @whos: who makes objects
 * @renewals: as of the steps for which cells and @whos are
 * @pending: not less than how many births and ends are to be settled
 */
struct lt_profile_plain {
	struct cell *cells;
	size_t mask;
	size_t n;
	struct lt_plain_numbers latest;
	struct lt_whos whos;
	uint32_t renewals;
	uint64_t pending;
};

/* ------------------------------------------------------------------------
 * Cells
 */

/* To the sum of all each counts once. */
static void add_ends(struct lt_profile_row *all, uint64_t ended, uint64_t exact, uint64_t ns,
		     const struct cell *c)
{
	all->births += ended;
	all->bytes += ended * c->bytes;
	all->waste += ended * c->slack;
	all->exact += exact;
	lt_profile_add_ns(&all->exact_ns, ns, 1);
}

static void settle_cell(struct lt_profile_maker *m, struct cell *c)
{
	/* Modulo 2^32 it may be less than 0. */
	const uint64_t now = (uint64_t)(int32_t)c->now * c->weight;
	const uint64_t peak = c->kept == m->p->peaks ? (uint64_t)(int32_t)c->peak * c->weight : now;
	const uint64_t ended = (uint64_t)c->ended * c->weight;
	struct lt_profile_row *row = lt_profile_row_at(m, c->row);

	/*
	 * What the row has beside its cells has not changed since the peak, if it is not kept yet.
	 */
	lt_profile_keep_peak(m->p, row);
	if (m->p->peaks) {
		row->peak += peak;
		row->peak_bytes += peak * c->bytes;
	}
	row->now += now;
	row->now_bytes += now * c->bytes;
	row->births += ended;
	row->bytes += ended * c->bytes;
	row->waste += ended * c->slack;
	row->exact += (uint64_t)c->exact * c->weight;
	lt_profile_add_ns(&row->exact_ns, c->ns, c->weight);
	add_ends(&m->p->all, c->ended, c->exact, c->ns, c);
	c->now = c->ended = c->exact = c->peak = 0;
	c->ns = 0;
	c->kept = m->p->peaks;
}

void lt_profile_settle(struct lt_profile_maker *m)
{
	struct lt_profile_plain *x = m->plain;

	if (!x)
		return;
	for (size_t i = 0; i <= x->mask; i++) {
		if (x->cells[i].key)
			settle_cell(m, &x->cells[i]);
	}
	x->pending = 0;
}

static void forget_cells(struct lt_profile_plain *x)
{
	memset(x->cells, 0, (x->mask + 1) * sizeof(*x->cells));
	x->n = 0;
}

static struct cell *place_of(const struct lt_profile_plain *x, uint64_t key, uint64_t seed)
{
	size_t at = lt_mix64(key, seed) >> 32;

	while (x->cells[at & x->mask].key && x->cells[at & x->mask].key != key)
		at++;
	return &x->cells[at & x->mask];
}

static void grow(struct lt_profile_plain *x, uint64_t seed)
{
	struct cell *old = x->cells;
	const size_t n = x->mask + 1;

	x->mask = 2 * n - 1;
	x->cells = lt_alloc_lines(2 * n, sizeof(*x->cells));
	for (size_t i = 0; i < n; i++) {
		if (old[i].key)
			*place_of(x, old[i].key, seed) = old[i];
	}
	free(old);
}

static struct cell *new_cell(struct lt_profile_maker *m, const struct lt_plain_steps *steps,
			     const struct lt_plain_step *s, uint64_t key, uint32_t name)
{
	const struct lt_traits *traits = &steps->traits[s->traits];
	struct lt_profile_plain *x = m->plain;
	struct lt_obj o = lt_traits_obj(traits);
	struct cell *c;

	if (x->n >= MAX_CELLS) {
		lt_profile_settle(m);
		forget_cells(x);
	} else if (x->n * 2 > x->mask) {
		grow(x, m->seed);
	}
	c = place_of(x, key, m->seed);
	o.context = s->context;
	o.ptr = steps->evs[s->event].ptr;
	*c = (struct cell){
		.key = key, .bytes = traits->bytes_alloc, .kept = m->p->peaks,
		.slack = lt_traits_slack(traits), .weight = lt_profile_weight(m, &o),
		.row = lt_profile_row(m, &o, name),
	};
	lt_whos_look_whether_full(&x->whos, m->p);
	x->n++;
	return c;
}

static inline uint64_t key_of(const struct lt_plain_step *s, uint32_t who)
{
	return (uint64_t)who << 32 | s->traits;
}

/* @who: lt_who_at_birth() */
static inline struct cell *cell_of(struct lt_profile_maker *m, const struct lt_plain_steps *steps,
				   const struct lt_plain_step *s, uint32_t who)
{
	const uint64_t key = key_of(s, who);
	struct cell *c = place_of(m->plain, key, m->seed);

	return c->key ? c : new_cell(m, steps, s, key, who);
}

/* As that: mostly these objects have the maker that they had last. */
static inline struct cell *latest_cell(struct lt_profile_maker *m,
				       const struct lt_plain_steps *steps,
				       const struct lt_plain_step *s, uint32_t who)
{
	struct lt_profile_plain *x = m->plain;
	uint32_t *at = &x->latest.of[s->traits];
	struct cell *c = &x->cells[*at];

	if (c->key != key_of(s, who)) {
		c = cell_of(m, steps, s, who);
		/* A new one may have moved all of them. */
		*at = (uint32_t)(c - x->cells);
	}
	return c;
}

/* ------------------------------------------------------------------------
 * Steps
 */

/* Whether the object of a step stands for any in its row. */
static inline bool has_weight(const struct lt_profile_maker *m, const struct lt_plain_steps *steps,
			      const struct lt_plain_step *s)
{
	struct lt_obj o;

	if (!m->p->stacks_one_in)
		return true;
	o = lt_traits_obj(&steps->traits[s->traits]);
	o.ptr = steps->evs[s->event].ptr;
	return lt_profile_weight(m, &o);
}

static inline void keep_peak(struct cell *c, uint64_t peaks)
{
	if (c->kept == peaks)
		return;
	c->kept = peaks;
	c->peak = c->now;
}

static void keep_object(struct lt_profile_maker *m, const struct lt_plain_steps *steps,
			const struct lt_plain_step *s, const struct cell *c)
{
	const struct lt_obj o = lt_traits_obj(&steps->traits[s->traits]);

	lt_profile_keep(m, &(struct lt_profile_alive){
		.ptr = steps->evs[s->event].ptr, .bytes = o.bytes_alloc,
		.cache = lt_obj_cache_key(&m->kmalloc, &o), .row = c->row, .weight = c->weight,
	});
}

static void count_birth(struct lt_profile_maker *m, const struct lt_plain_steps *steps,
			const struct lt_plain_step *s, uint64_t time)
{
	bool keep = false;
	struct cell *c;

	if (!has_weight(m, steps, s))
		return;
	c = cell_of(m, steps, s, lt_who_at_birth(&m->plain->whos, m, s, time, &keep));
	keep_peak(c, m->p->peaks);
	c->now++;
	if (keep)
		keep_object(m, steps, s, c);
}

/* An object that is kept is of the row that it was born in. Return: it was kept. */
static __attribute__((noinline)) bool drop_kept(struct lt_profile_maker *m, uint64_t ptr)
{
	struct lt_profile_alive *a;
	uint32_t number;

	a = lt_profile_find(m, ptr, &number);
	if (!a)
		return false;
	if (a->weight)
		lt_profile_row_count(m->p, lt_profile_row_at(m, a->row), -(uint64_t)a->weight,
				     -(uint64_t)a->weight * a->bytes);
	lt_profile_drop(m, ptr, number);
	return true;
}

/* An object that stands for none in its row. */
static void count_end_of_all(struct lt_profile_maker *m, const struct lt_plain_steps *steps,
			     const struct lt_plain_step *s)
{
	const struct lt_traits *traits = &steps->traits[s->traits];
	const struct cell c = {
		.bytes = traits->bytes_alloc, .slack = lt_traits_slack(traits),
	};

	add_ends(&m->p->all, 1, lt_step_is_exact(s), lt_step_is_exact(s) ? s->ns : 0, &c);
}

static void count_end(struct lt_profile_maker *m, const struct lt_plain_steps *steps,
		      const struct lt_plain_step *s, const struct lt_plain_event *ev)
{
	const bool kept = lt_profile_may_be_kept(m, ev->ptr) && drop_kept(m, ev->ptr);
	uint32_t born, ended;
	struct cell *c;

	if (!has_weight(m, steps, s)) {
		count_end_of_all(m, steps, s);
		return;
	}
	lt_who_at_end(&m->plain->whos, m, s, ev->time - s->ns, &born, &ended);
	if (!kept) {
		c = cell_of(m, steps, s, born);
		keep_peak(c, m->p->peaks);
		c->now--;
	}
	if (kept || born != ended) {
		c = cell_of(m, steps, s, ended);
		keep_peak(c, m->p->peaks);
	}
	c->ended++;
	if (!lt_step_is_exact(s))
		return;
	c->exact++;
	lt_profile_add_ns(&c->ns, s->ns, 1);
}

static __attribute__((noinline)) void count_with_care(struct lt_profile_maker *m,
						      const struct lt_plain_steps *steps,
						      const struct lt_plain_step *s)
{
	if (s->birth)
		count_birth(m, steps, s, steps->evs[s->event].time);
	else
		count_end(m, steps, s, &steps->evs[s->event]);
}

/*
 * Most steps are of an object that was born under a name that is known, and that is not kept. No
 * guess of the processor depends on which are births.
 */
static inline __attribute__((always_inline)) void
count_step(struct lt_profile_maker *m, const struct lt_plain_steps *steps,
	   const struct lt_plain_step *s)
{
	const struct lt_plain_event *ev = &steps->evs[s->event];
	const uint32_t end = 1 - (uint32_t)s->birth, exact = lt_step_is_exact(s);
	struct cell *c;
	uint32_t who;

	if (m->p->stacks_one_in || (m->by_ptr.n && lt_profile_may_be_kept(m, ev->ptr) && end) ||
	    !lt_who_knows(&m->plain->whos, s, ev->time - s->ns, &who)) {
		count_with_care(m, steps, s);
		return;
	}
	c = latest_cell(m, steps, s, who);
	keep_peak(c, m->p->peaks);
	c->now += 1 - 2 * end;
	c->ended += end;
	c->exact += exact;
	lt_profile_add_ns(&c->ns, s->ns & -(uint64_t)exact, 1);
}

/* Whether no step is left out, or begins a peak. */
static bool are_below_peak(const struct lt_profile_maker *m, const struct lt_plain_steps *steps)
{
	if (m->reborn || steps->reborn || lt_own_has_step(lt_own_process(m->out), steps))
		return false;
	return !m->p->opts.peak ||
	       (m->peak_taken && lt_steps_keep_below(steps, m->p->all.now_bytes, m->peak_bytes));
}

/* count() of these. */
static void count_below_peak(struct lt_profile_maker *m, const struct lt_plain_steps *steps)
{
	struct lt_profile_row *all = &m->p->all;

	for (const struct lt_plain_step *s = steps->all; s < steps->all + steps->n; s++)
		count_step(m, steps, s);
	all->kept = m->p->peaks;
	all->now += (uint64_t)steps->n - 2 * (uint64_t)steps->n_ends;
	all->now_bytes += (uint64_t)steps->bytes;
	m->step += steps->n;
}

/* What is alive of all is counted apart from the rows. */
static void count(struct lt_profile_maker *m, const struct lt_plain_steps *steps)
{
	const uint32_t process = lt_own_process(m->out);
	struct lt_profile_row *all = &m->p->all;
	uint64_t now = all->now, now_bytes = all->now_bytes, step = m->step;
	const bool peaks = m->p->opts.peak;
	bool reborn = m->reborn;

	for (const struct lt_plain_step *s = steps->all; s < steps->all + steps->n; s++) {
		/* minus: all bits, if it is an end */
		const uint64_t born = s->birth, minus = born - 1;

		if (lt_own_step(process, s))
			continue;
		step++;
		now += born + minus;
		now_bytes += (steps->traits[s->traits].bytes_alloc ^ minus) - minus;
		count_step(m, steps, s);
		/* A birth ends nothing. */
		reborn = (reborn & s->birth) | (s->ending == LT_END_REBORN);
		if (peaks && (now_bytes > m->peak_bytes || !m->peak_taken || reborn) && s->birth) {
			all->now = now;
			all->now_bytes = now_bytes;
			m->step = step;
			m->reborn = reborn;
			lt_profile_peak(m, steps->evs[s->event].time);
		}
		reborn &= !s->birth;
	}
	m->reborn = reborn;
	/* What all has at the peak is known since then. */
	all->kept = m->p->peaks;
	all->now = now;
	all->now_bytes = now_bytes;
	m->step = step;
}

/* For these steps. */
static void prepare(struct lt_profile_maker *m, const struct lt_plain_steps *steps)
{
	struct lt_profile_plain *x = m->plain;

	/* The numbers in cells are of 32 bits. */
	if (x->renewals != steps->renewals || x->pending >> 31)
		lt_profile_settle(m);
	if (x->renewals != steps->renewals)
		forget_cells(x);
	lt_plain_numbers_prepare(&x->latest, steps, steps->n_traits);
	lt_whos_prepare(&x->whos, steps, x->renewals != steps->renewals);
	lt_whos_look_whether_full(&x->whos, m->p);
	x->renewals = steps->renewals;
	x->pending += steps->n;
}

static void plain(void *arg, const struct lt_plain_steps *steps)
{
	struct lt_profile_maker *m = arg;
	const uint32_t process = lt_own_process(m->out);

	if (m->space != LT_SPACE_SLAB)
		return;
	prepare(m, steps);
	for (size_t i = 0; i < steps->n && !m->begun; i++) {
		if (steps->all[i].birth)
			lt_profile_begin_line(m, steps->evs[steps->all[i].event].time);
	}
	if (m->p->opts.line)
		lt_timeline_plain(m->p->opts.line, m->lf, &m->kmalloc, process, steps);
	if (are_below_peak(m, steps))
		count_below_peak(m, steps);
	else
		count(m, steps);
}

static bool takes(void *arg, const struct lt_traits *traits)
{
	struct lt_profile_maker *m = arg;

	return !lt_own_site(m->out, m->lf, traits->site);
}

/* The rows of an object follow from it alone, and a row is there from its birth on. */
static bool take_reborn(void *arg, uint32_t traits, uint32_t renewals, uint64_t born)
{
	const struct lt_profile_maker *m = arg;

	(void)born;
	return m->space != LT_SPACE_SLAB || !m->p->opts.line ||
	       lt_timeline_has(m->p->opts.line, traits, renewals);
}

/* An event that is not plain may have left something to be looked at with the next one. */
static bool is_ready(void *arg)
{
	const struct lt_profile_maker *m = arg;

	return !m->corrected && !m->reborn;
}

bool lt_profile_born_by_step(struct lt_profile_maker *m, const struct lt_obj *o,
			     struct lt_profile_alive *a)
{
	const struct lt_profile_plain *x = m->plain;
	uint32_t name = 0;

	if (!x || m->space != LT_SPACE_SLAB || lt_own_obj(m->out, m->lf, o))
		return false;
	if (x->whos.by_name && o->context == LT_CTX_TASK)
		name = lt_who_was(&x->whos, o->task, o->time);
	*a = (struct lt_profile_alive){
		.ptr = o->ptr, .bytes = o->bytes_alloc,
		.weight = lt_profile_weight(m, o),
	};
	if (!a->weight)
		return true;
	/* The peak is one of sums: what a row has in its cells is kept there. */
	a->row = lt_profile_row(m, o, name);
	return true;
}

void lt_profile_plain_ops(const struct lt_profile_maker *m, struct lt_lifetime_ops *ops)
{
	if (!m->plain)
		return;
	ops->plain = plain;
	ops->plain_unsure = ops->plain_bytes = true;
	ops->plain_ready = is_ready;
	ops->plain_takes = takes;
	ops->plain_reborn = take_reborn;
}

struct lt_profile_plain *lt_profile_plain_new(struct lt_profile_maker *m)
{
	const struct lt_profile_options *opts = &m->p->opts;
	struct lt_profile_plain *x;

	if (opts->report.filter || opts->step || opts->lifetime || opts->max ||
	    opts->at == LT_AT_TIME || lt_profile_has_level(m->p, LT_LEVEL_CGROUP))
		return NULL;
	x = lt_alloc(sizeof(*x));
	x->whos.by_name = lt_profile_has_level(m->p, LT_LEVEL_TASK);
	x->mask = 1023;
	x->cells = lt_alloc_lines(x->mask + 1, sizeof(*x->cells));
	return x;
}

void lt_profile_plain_free(struct lt_profile_plain *x)
{
	if (!x)
		return;
	lt_whos_destroy(&x->whos);
	free(x->cells);
	free(x->latest.of);
	free(x);
}
