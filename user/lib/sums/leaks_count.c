// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Leaks: rows and windows, and what births and ends that leave no doubt add to them.
 */
#include <string.h>

#include "base/mem.h"
#include "format/plain.h"
#include "sums/leaks_count.h"

#define OLDER_NS	10000000000ULL

struct lt_leak_row *lt_leak_begin_row(struct lt_leak_finder *f, uint64_t site, uint64_t cache)
{
	uint32_t id = lt_intern_number(&f->keys, site);
	struct lt_leaks *leaks = f->l;

	while (leaks->n_rows <= id) {
		struct lt_leak_row *row;

		leaks->rows = lt_grow(leaks->rows, &f->cap_rows, leaks->n_rows,
				      sizeof(*leaks->rows));
		row = &leaks->rows[leaks->n_rows++];
		*row = (struct lt_leak_row){ 0 };
		lt_hist_init(&row->ages);
	}
	if (!leaks->rows[id].births) {
		leaks->rows[id].site = site;
		leaks->rows[id].cache = cache;
	}
	return &leaks->rows[id];
}

void lt_leak_add_old(struct lt_leak_finder *f, struct lt_leak_row *row, uint64_t birth,
		     uint64_t end)
{
	if (!lt_leak_is_in_windows(f, birth))
		return;
	row->entered[lt_leak_window(f, birth + f->l->opts.older_ns)]++;
	if (end)
		row->left[lt_leak_window(f, end)]++;
}

/*
 * From now to the end births are watched: the age at which an object is old by default, and the
 * windows, follow from how long that is.
 */
void lt_leaks_begin_watch(struct lt_leak_finder *f, uint64_t time)
{
	struct lt_leaks *l = f->l;
	uint64_t length = f->end > time ? f->end - time : 0;

	f->begin = time;
	l->watched_ns = length;
	if (!l->opts.older_ns)
		l->opts.older_ns = length / 3 < OLDER_NS ? length / 3 : OLDER_NS;
	if (length / 2 >= l->opts.older_ns)
		l->window = (length - l->opts.older_ns) / LT_LEAK_WINDOWS;
	f->before_near = f->near_from = time;
	f->near_to = time + l->window;
}

void lt_leaks_pair(struct lt_leak_finder *f, struct lt_lifetimes *lf)
{
	f->lf = lf;
}

/* ------------------------------------------------------------------------
 * Steps
 */

void lt_leaks_settle(struct lt_leak_finder *f)
{
	for (size_t i = 0; i < f->n_plain; i++) {
		struct lt_leak_ends *x = &f->plain[i];
		struct lt_leak_row *row = x->row ? &f->l->rows[x->row - 1] : NULL;

		if (!row)
			continue;
		row->births += x->ends;
		row->born[f->near] += x->born[0];
		if (x->born[1])
			row->born[f->near - 1] += x->born[1];
		x->ends = x->born[0] = x->born[1] = 0;
	}
	f->pending = 0;
}

static void prepare(struct lt_leak_finder *f, const struct lt_plain_steps *steps)
{
	/* The numbers are of 32 bits. */
	if (f->renewals != steps->renewals || f->pending >> 31)
		lt_leaks_settle(f);
	if (f->renewals != steps->renewals && f->n_plain)
		memset(f->plain, 0, f->n_plain * sizeof(*f->plain));
	f->renewals = steps->renewals;
	if (steps->n_traits > f->n_plain)
		f->plain = lt_extend(f->plain, &f->n_plain, steps->n_traits, sizeof(*f->plain));
	f->pending += steps->n;
}

static void look_up(struct lt_leak_finder *f, const struct lt_traits *traits,
		    struct lt_leak_ends *x)
{
	const struct lt_obj o = lt_traits_obj(traits);
	struct lt_leak_row *row;

	row = lt_leak_begin_row(f, lt_lifetimes_site(f->lf, o.site),
				lt_obj_cache_key(&f->kmalloc, &o));
	x->row = (uint32_t)(row - f->l->rows) + 1;
	/* The row is about the first of its objects, which is counted at once. */
	row->births++;
	x->ends--;
}

/* Objects that end now are mostly of a window that is not over, or was not long ago. */
static void move_near(struct lt_leak_finder *f, unsigned int window)
{
	lt_leaks_settle(f);
	f->near = window;
	f->near_from = f->begin + window * f->l->window;
	f->near_to = f->near_from + f->l->window;
	f->before_near = window ? f->near_from - f->l->window : f->near_from;
}

/* An object that was born neither in the window that is near nor in the one before it. */
static inline void add_far(struct lt_leak_finder *f, struct lt_leak_ends *x, uint64_t birth)
{
	unsigned int window;

	if (!lt_leak_is_in_windows(f, birth))
		return;
	window = lt_leak_window(f, birth + f->l->opts.older_ns);
	f->l->rows[x->row - 1].born[window]++;
	if (window > f->near)
		move_near(f, window);
}

/* An object that was old. */
static __attribute__((noinline)) void end_old(struct lt_leak_finder *f, struct lt_leak_ends *x,
					      uint64_t birth, uint64_t end)
{
	struct lt_leak_row *row = &f->l->rows[x->row - 1];

	row->late++;
	row->sure_late++;
	lt_leak_add_old(f, row, birth, end);
}

/* How many ends are bounded: of these it does not matter whether they are @unsure, too. */
static uint64_t count_reborn(const struct lt_plain_steps *steps, uint32_t process, uint64_t *unsure)
{
	uint64_t n = 0;

	for (size_t i = 0; i < steps->n_ends; i++) {
		const struct lt_plain_step *s = &steps->all[steps->ends[i]];

		if (s->ending != LT_END_REBORN || lt_own_step(process, s))
			continue;
		*unsure -= s->unsure;
		n++;
	}
	return n;
}

void lt_leaks_plain(struct lt_leak_finder *f, const struct lt_plain_steps *steps)
{
	const uint32_t process = lt_own_process(f->out);
	struct lt_leaks *l = f->l;
	uint64_t own = 0, unsure = 0, reborn = 0, older;

	if (l->opts.space != LT_SPACE_SLAB)
		return;
	for (size_t i = 0; i < steps->n && f->begin == UINT64_MAX; i++) {
		if (steps->all[i].birth)
			lt_leaks_begin_watch(f, steps->evs[steps->all[i].event].time);
	}
	prepare(f, steps);
	older = l->opts.older_ns;
	for (size_t i = 0; i < steps->n_ends; i++) {
		const struct lt_plain_step *s = &steps->all[steps->ends[i]];
		struct lt_leak_ends *x = &f->plain[s->traits];
		uint64_t birth, end;

		if (lt_own_step(process, s)) {
			own++;
			continue;
		}
		unsure += s->unsure;
		l->stats.ending[s->ending]++;
		if (!x->row)
			look_up(f, &steps->traits[s->traits], x);
		x->ends++;
		end = steps->evs[s->event].time;
		birth = end - s->ns;
		if (birth - f->before_near < f->near_to - f->before_near)
			x->born[birth < f->near_from]++;
		else
			add_far(f, x, birth);
		if (s->ns >= older && lt_step_is_exact(s))
			end_old(f, x, birth, end);
	}
	if (steps->reborn)
		reborn = count_reborn(steps, process, &unsure);
	l->own_births += own;
	lt_lifetime_stats_add_ends(&l->stats, steps->n_ends - own - reborn, unsure);
	lt_lifetime_stats_add_reborn(&l->stats, reborn);
	lt_counted_add_ones(&f->all, steps->n_ends);
}

bool lt_leaks_takes(struct lt_leak_finder *f, const struct lt_traits *traits)
{
	return !lt_own_site(f->out, f->lf, traits->site);
}

bool lt_leaks_take_reborn(const struct lt_leak_finder *f, uint32_t traits, uint32_t renewals)
{
	return f->l->opts.space != LT_SPACE_SLAB ||
	       (f->renewals == renewals && traits < f->n_plain && f->plain[traits].row);
}

bool lt_leaks_take_steps(const struct lt_leak_finder *f)
{
	return !f->l->opts.filter && !f->l->sample;
}

