// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Leaks: what is counted of each call site, in one pass over the trace.
 */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "lifetimes/carry.h"
#include "lifetimes/read.h"
#include "sums/leaks_count.h"

static struct lt_leak_row *row_of(struct lt_leak_finder *f, const struct lt_lifetime *l)
{
	return lt_leak_begin_row(f, l->birth.call_site, lt_lifetime_cache_key(&f->kmalloc, l));
}

/*
 * Counts a lifetime in the windows. Its birth is exact, its end may be unknown: it has none if it
 * is neither exact nor open.
 */
static void add_to_windows(struct lt_leak_finder *f, struct lt_leak_row *row, uint64_t birth,
			   uint64_t ns, enum lt_certainty certainty)
{
	if (!lt_leak_is_in_windows(f, birth))
		return;
	row->born[lt_leak_window(f, birth + f->l->opts.older_ns)]++;
	if ((certainty == LT_EXACT || certainty == LT_OPEN) && ns >= f->l->opts.older_ns)
		lt_leak_add_old(f, row, birth, certainty == LT_EXACT ? birth + ns : 0);
}

static struct lt_leak_module *module_of(struct lt_leaks *l, const struct lt_unloaded_code *u)
{
	struct lt_leak_module *m;
	size_t at = l->n_modules;

	while (at && l->modules[at - 1].time >= u->time) {
		m = &l->modules[--at];
		if (m->time == u->time && !strcmp(m->name, u->name))
			return m;
	}
	while (at < l->n_modules && l->modules[at].time < u->time)
		at++;
	l->modules = lt_grow(l->modules, &l->cap_modules, l->n_modules, sizeof(*l->modules));
	m = &l->modules[at];
	memmove(m + 1, m, (l->n_modules++ - at) * sizeof(*m));
	*m = (struct lt_leak_module){ .name = lt_strdup(u->name), .time = u->time };
	return m;
}

/* Of @n objects that are, or may be, alive: whether the code that made them was unloaded since. */
static void add_to_module(struct lt_leak_finder *f, struct lt_leak_row *row,
			  const struct lt_lifetime *l, uint64_t n, uint64_t bytes)
{
	struct lt_unloaded_code u;
	struct lt_leak_module *m;

	if (!lt_trace_unloaded(f->t, l->birth.call_site, l->birth.time, &u))
		return;
	m = module_of(f->l, &u);
	if (l->certainty != LT_OPEN) {
		m->maybe += n;
		return;
	}
	m->live += n;
	m->live_bytes += n * bytes;
	row->gone += n;
	row->gone_bytes += n * bytes;
}

/* For how many others a lifetime stands. */
static struct lt_stands stands_for(const struct lt_leak_finder *f, const struct lt_lifetime *l)
{
	struct lt_stands s = { 1, 1 };

	if (f->l->sample)
		s = lt_weights_stand(&f->weights, l);
	if (lt_filter_needs_end(f->l->opts.filter))
		s.births = s.lives;
	return s;
}

static void add_birth(struct lt_leak_finder *f, struct lt_leak_row *row,
		      const struct lt_lifetime *l, uint64_t n)
{
	if (l->older)
		return;
	row->births += n;
	if (n > 1)
		lt_weights_add(&f->weights, (uint32_t)(row - f->l->rows), l->ptr, n,
			       lt_lifetime_bytes(l));
}

/* What is alive adds this to the spreads of its row. At an address one object is. */
static void vary(struct lt_leak_row *row, uint64_t n, uint64_t bytes, bool old)
{
	lt_spread_add(&row->live_off, n, 1);
	lt_spread_add(&row->live_bytes_off, n, bytes);
	if (!old)
		return;
	lt_spread_add(&row->old_off, n, 1);
	lt_spread_add(&row->old_bytes_off, n, bytes);
}

/* What the verdict rests on. */
static void add_sure(struct lt_leak_finder *f, struct lt_leak_row *row, const struct lt_lifetime *l,
		     bool old)
{
	if (f->weights.by_birth &&
	    !lt_trace_sample_has(f->t, l->space, l->ptr, f->weights.sample))
		return;
	row->sure_old += old && l->certainty == LT_OPEN;
	row->sure_maybe += old && l->certainty != LT_OPEN && l->ending == LT_END_ALIVE;
	row->sure_late += old && l->certainty == LT_EXACT;
	add_to_windows(f, row, l->birth.time, lt_lifetime_ns(l), (enum lt_certainty)l->certainty);
}

static void add(struct lt_leak_finder *f, const struct lt_lifetime *l)
{
	uint64_t bytes = lt_lifetime_bytes(l);
	bool old = lt_lifetime_ns(l) >= f->l->opts.older_ns;
	struct lt_leak_row *row = row_of(f, l);
	struct lt_stands stands = stands_for(f, l);
	uint64_t n = stands.lives, n_old = old ? n : 0;

	add_birth(f, row, l, stands.births);
	if (l->certainty == LT_OPEN) {
		vary(row, n, bytes, old);
		row->live += n;
		row->live_bytes += n * bytes;
		row->old += n_old;
		row->old_bytes += n_old * bytes;
		lt_hist_add_many(&row->ages, lt_lifetime_ns(l), n);
	} else if (l->ending == LT_END_ALIVE) {
		row->maybe += n_old;
		row->maybe_bytes += n_old * bytes;
	}
	if (l->ending == LT_END_ALIVE)
		add_to_module(f, row, l, n, bytes);
	row->late += l->certainty == LT_EXACT ? n_old : 0;
	add_sure(f, row, l, old);
}

/* Whether the filter wants it, and what the recorder has made does not count. */
static bool is_wanted(struct lt_leak_finder *f, const struct lt_lifetime *l)
{
	struct lt_filter *filter = f->l->opts.filter;
	char buf[128];

	if (filter &&
	    !lt_filter_lifetime(filter, f->t, l, lt_lifetime_cache_name(f->t, &f->kmalloc, l,
										  buf,
										  sizeof(buf))))
		return false;
	if (!lt_own_lifetime(f->out, l))
		return true;
	f->l->own_births += l->birth.known && !l->older ? stands_for(f, l).births : 0;
	return false;
}

static void count_birth(struct lt_leak_finder *f, const struct lt_lifetime *l)
{
	if (l->birth.known && !l->older)
		lt_counted_add(&f->all, stands_for(f, l).births);
}

void lt_leaks_add(struct lt_leak_finder *f, const struct lt_lifetime *l)
{
	if (l->space != f->l->opts.space)
		return;
	count_birth(f, l);
	if (!is_wanted(f, l))
		return;
	lt_lifetime_stats_add(&f->l->stats, l);
	if (l->birth.known)
		add(f, l);
}

static void ended(void *arg, const struct lt_lifetime *l)
{
	lt_leaks_add(arg, l);
}

/* Of an object whose end will not be seen there is the birth. */
static void left(void *arg, const struct lt_obj *obj, const struct lt_lifetime *l)
{
	struct lt_leak_finder *f = arg;

	(void)obj;
	if (l->space != f->l->opts.space)
		return;
	count_birth(f, l);
	/*
	 * Where the end decides whether an object is wanted, its birth counts only if the end was
	 * seen.
	 */
	if (lt_filter_needs_end(f->l->opts.filter) || !is_wanted(f, l))
		return;
	add_birth(f, row_of(f, l), l, stands_for(f, l).births);
}

static void born(void *arg, enum lt_space space, const struct lt_obj *o)
{
	lt_leaks_born(arg, space, o);
}

static int rank(const struct lt_leak_row *row)
{
	if (row->doubt == LT_LEAK_SURE)
		return 0;
	return row->gone ? 1 : lt_leak_grows(row) ? 2 : 3;
}

static int compare(const void *a, const void *b)
{
	const struct lt_leak_row *x = a, *y = b;
	uint64_t bytes[2] = { x->old_bytes + x->maybe_bytes, y->old_bytes + y->maybe_bytes };

	if (rank(x) != rank(y))
		return rank(x) < rank(y) ? -1 : 1;
	if (rank(x) == 1) {
		bytes[0] = x->gone_bytes;
		bytes[1] = y->gone_bytes;
	}
	if (rank(x) % 2 == 0 &&
	    (x->bytes_growth > y->bytes_growth || x->bytes_growth < y->bytes_growth))
		return x->bytes_growth > y->bytes_growth ? -1 : 1;
	if (bytes[0] != bytes[1])
		return bytes[0] > bytes[1] ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

static void spread(void *arg, uint32_t row, const struct lt_spread *births,
		   const struct lt_spread *bytes)
{
	struct lt_leaks *l = arg;

	(void)bytes;
	lt_spread_merge(&l->rows[row].births_off, births);
}

/* The counters are of the whole trace. */
static void count_all(struct lt_leak_finder *f)
{
	struct lt_counted c = f->all;
	struct lt_spread bytes = { 0 }, all = { 0 };

	for (size_t i = 0; i < f->l->n_rows; i++)
		lt_spread_merge(&all, &f->l->rows[i].births_off);
	c.births = lt_births_counted(f->t, f->l->opts.space);
	c.addresses = lt_spread_addresses(&all);
	for (size_t i = 0; i < f->l->n_rows; i++) {
		struct lt_leak_row *row = &f->l->rows[i];

		lt_spread_count(&row->births_off, &bytes, &c, row->births);
		lt_spread_judge_live(&row->live_off, &row->live_bytes_off);
		lt_spread_judge_live(&row->old_off, &row->old_bytes_off);
	}
}

/* Judges the rows, and drops those without an old object. */
static void finish(struct lt_leaks *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_rows; i++) {
		struct lt_leak_row *row = &l->rows[i];

		if (!row->old && !row->maybe && !row->gone) {
			lt_hist_destroy(&row->ages);
			continue;
		}
		lt_leak_judge(row, l->window);
		l->n_sure += row->doubt == LT_LEAK_SURE;
		/* In the windows each object counts once. */
		if (l->sample) {
			row->growth *= l->sample;
			row->growth_error *= l->sample;
			row->bytes_growth *= l->sample;
		}
		l->rows[n++] = *row;
	}
	l->n_rows = n;
	if (n)
		qsort(l->rows, n, sizeof(*l->rows), compare);
}

/* ------------------------------------------------------------------------
 * The whole
 */

void lt_leaks_born(struct lt_leak_finder *f, enum lt_space space, const struct lt_obj *o)
{
	if (f->begin == UINT64_MAX && space == f->l->opts.space)
		lt_leaks_begin_watch(f, lt_birth_seen(o, f->t));
}

struct lt_leak_finder *lt_leaks_begin(struct lt_trace *t, const struct lt_leak_options *opts)
{
	struct lt_leak_finder *f = lt_alloc(sizeof(*f));
	struct lt_leaks *l = lt_alloc(sizeof(*l));

	l->opts = *opts;
	l->opts.space = lt_space_chosen(l->opts.space);
	f->l = l;
	f->t = t;
	f->begin = UINT64_MAX;
	f->end = lt_trace_end(t);
	l->end = f->end;
	f->out = opts->no_recorder ? lt_own_new(t) : NULL;
	lt_intern_init(&f->keys);
	lt_kmalloc_init(&f->kmalloc, t);
	lt_weights_init(&f->weights, t);
	/* The other allocators are watched as a whole. */
	if (opts->estimate && f->weights.sample > 1 &&
	    (l->opts.space == LT_SPACE_SLAB || l->opts.space == LT_SPACE_PAGE))
		l->sample = f->weights.sample;
	l->sample_changed = l->sample && lt_trace_sample_changed(t);
	return f;
}

struct lt_leaks *lt_leaks_end(struct lt_leak_finder *f)
{
	struct lt_filter *filter = f->l->opts.filter;
	struct lt_leaks *l = f->l;
	int err;

	lt_leaks_settle(f);
	lt_weights_each(&f->weights, spread, l);
	if (l->sample)
		count_all(f);
	finish(l);
	err = filter ? lt_filter_finish(filter, f->t) : 0;
	lt_intern_destroy(&f->keys);
	lt_own_free(f->out);
	lt_weights_destroy(&f->weights);
	free(f->plain);
	free(f);
	if (!err)
		return l;
	lt_leaks_free(l);
	return NULL;
}

static void pair(void *arg, struct lt_lifetimes *lf)
{
	lt_leaks_pair(arg, lf);
}

static void plain(void *arg, const struct lt_plain_steps *steps)
{
	lt_leaks_plain(arg, steps);
}

static bool takes(void *arg, const struct lt_traits *traits)
{
	return lt_leaks_takes(arg, traits);
}

static bool take_reborn(void *arg, uint32_t traits, uint32_t renewals, uint64_t born)
{
	(void)born;
	return lt_leaks_take_reborn(arg, traits, renewals);
}

struct lt_leaks *lt_leaks_make(struct lt_trace *t, const struct lt_leak_options *opts)
{
	struct lt_leak_finder *f = lt_leaks_begin(t, opts);
	struct lt_lifetime_pass pass = {
		.ops = {
			.ended = ended, .born = born, .plain_takes = takes, .plain_unsure = true,
			.arg = f,
		},
		.begin = pair,
	};

	if (f->l->sample && lt_weights_by_birth(&f->weights, t))
		pass.ops.left = left;
	if (lt_leaks_take_steps(f)) {
		pass.ops.plain = plain;
		pass.ops.plain_reborn = take_reborn;
	}
	lt_lifetimes_pass(t, &pass);
	return lt_leaks_end(f);
}

void lt_leaks_free(struct lt_leaks *l)
{
	for (size_t i = 0; i < l->n_rows; i++)
		lt_hist_destroy(&l->rows[i].ages);
	for (size_t i = 0; i < l->n_modules; i++)
		free(l->modules[i].name);
	free(l->modules);
	free(l->rows);
	free(l);
}
