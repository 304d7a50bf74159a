// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Timelines.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/plain.h"
#include "lifetimes/read.h"
#include "sums/own.h"
#include "sums/timeline.h"

#define NO_ROW	UINT32_MAX

/**
 * struct lt_timeline_plain - objects with the same traits
 * @bytes: given to each; 0: nothing was looked up
 * @cache, @site: numbers of their rows, or NO_ROW
 * @ends: that steps have ended in the present part
 * @born: of these, in that part, and in those before it
 */
struct lt_timeline_plain {
	uint32_t bytes;
	uint32_t cache;
	uint32_t site;
	uint32_t ends;
	uint32_t born[LT_TIMELINE_NEAR];
};

/* One more, of the latest number in @keys. Rows are too large to be moved for each new one. */
static void add_row(struct lt_timeline_rows *rows)
{
	rows->rows = lt_grow(rows->rows, &rows->cap, rows->n, sizeof(*rows->rows));
	memset(&rows->rows[rows->n++], 0, sizeof(*rows->rows));
}

static void rows_init(struct lt_timeline_rows *rows)
{
	lt_intern_init(&rows->keys);
	add_row(rows);
}

static void rows_destroy(struct lt_timeline_rows *rows)
{
	lt_intern_destroy(&rows->keys);
	free(rows->rows);
}

/* NO_ROW: there are too many rows for a new one. */
static uint32_t number_of(struct lt_timeline_rows *rows, uint64_t key)
{
	uint32_t number = key ? lt_intern_find(&rows->keys, key) : 0;

	if (key && !number) {
		if (rows->n > LT_TIMELINE_ROWS)
			return NO_ROW;
		number = lt_intern_number(&rows->keys, key);
		add_row(rows);
	}
	return number;
}

static struct lt_timeline_row *row_at(const struct lt_timeline_rows *rows, uint32_t number)
{
	return number == NO_ROW ? NULL : &rows->rows[number];
}

static struct lt_timeline_row *row_of(struct lt_timeline_rows *rows, uint64_t key)
{
	return row_at(rows, number_of(rows, key));
}

static unsigned int part_of(const struct lt_timeline *tl, uint64_t time)
{
	uint64_t part = time > tl->begin ? (time - tl->begin) / tl->step : 0;

	return part < LT_TIMELINE_PARTS ? (unsigned int)part : LT_TIMELINE_PARTS - 1;
}

static void add(struct lt_timeline_row *row, const struct lt_timeline *tl,
		const struct lt_lifetime *l)
{
	uint64_t bytes = lt_lifetime_bytes(l);
	unsigned int part = part_of(tl, l->birth.time);

	/* What a part of a recording begins with was not born in its first hundredth. */
	if (l->older) {
		row->older++;
		row->older_bytes += bytes;
	} else {
		row->births[part]++;
		row->bytes[part] += bytes;
	}
	if (l->ending == LT_END_ALIVE)
		return;
	part = part_of(tl, l->death.time);
	row->ends[part]++;
	row->ended_bytes[part] += bytes;
}

void lt_timeline_add(struct lt_timeline *tl, const struct lt_lifetime *l, uint64_t cache)
{
	struct lt_timeline_row *row;

	add(&tl->all, tl, l);
	row = row_of(&tl->caches, cache);
	if (row)
		add(row, tl, l);
	row = row_of(&tl->sites, l->birth.call_site);
	if (row)
		add(row, tl, l);
}

/* ------------------------------------------------------------------------
 * What steps end
 */

static inline void add_births(struct lt_timeline_row *row, unsigned int part, uint64_t n,
			      uint64_t bytes)
{
	row->births[part] += n;
	row->bytes[part] += n * bytes;
}

/* Objects that steps have ended, and that were born in a part. */
static void count_births(struct lt_timeline *tl, const struct lt_timeline_plain *x,
			 unsigned int part, uint64_t n)
{
	add_births(&tl->all, part, n, x->bytes);
	if (x->cache != NO_ROW)
		add_births(&tl->caches.rows[x->cache], part, n, x->bytes);
	if (x->site != NO_ROW)
		add_births(&tl->sites.rows[x->site], part, n, x->bytes);
}

static void add_ends(struct lt_timeline_row *row, unsigned int part, uint64_t n, uint64_t bytes)
{
	if (!row)
		return;
	row->ends[part] += n;
	row->ended_bytes[part] += n * bytes;
}

void lt_timeline_settle(struct lt_timeline *tl)
{
	const unsigned int part = part_of(tl, tl->part_begin);

	for (size_t i = 0; i < tl->n_plain; i++) {
		struct lt_timeline_plain *x = &tl->plain[i];

		if (!x->ends)
			continue;
		add_ends(row_at(&tl->caches, x->cache), part, x->ends, x->bytes);
		add_ends(row_at(&tl->sites, x->site), part, x->ends, x->bytes);
		add_ends(&tl->all, part, x->ends, x->bytes);
		x->ends = 0;
		for (unsigned int k = 0; k < LT_TIMELINE_NEAR; k++) {
			if (x->born[k])
				count_births(tl, x, part - k, x->born[k]);
			x->born[k] = 0;
		}
	}
}

static void look_up(struct lt_timeline *tl, const struct lt_lifetimes *lf,
		    const struct lt_kmalloc *k, const struct lt_traits *traits,
		    struct lt_timeline_plain *x)
{
	const struct lt_obj o = lt_traits_obj(traits);

	x->bytes = traits->bytes_alloc;
	x->cache = number_of(&tl->caches, lt_obj_cache_key(k, &o));
	x->site = number_of(&tl->sites, lt_lifetimes_site(lf, o.site));
}

static void prepare(struct lt_timeline *tl, const struct lt_plain_steps *steps)
{
	if (tl->renewals != steps->renewals && tl->n_plain) {
		lt_timeline_settle(tl);
		memset(tl->plain, 0, tl->n_plain * sizeof(*tl->plain));
	}
	tl->renewals = steps->renewals;
	if (steps->n_traits > tl->n_plain)
		tl->plain = lt_extend(tl->plain, &tl->n_plain, steps->n_traits, sizeof(*tl->plain));
}

/* A step at @time is of the present part, or another part becomes that. */
static void go_on(struct lt_timeline *tl, uint64_t time)
{
	unsigned int part = part_of(tl, time);

	/* What is before the first part, or behind the last one, belongs to it. */
	if (part == part_of(tl, tl->part_begin))
		return;
	lt_timeline_settle(tl);
	tl->part_begin = tl->begin + part * tl->step;
	/* What was born before the first part counts in it. */
	for (unsigned int k = 0; k < LT_TIMELINE_NEAR; k++)
		tl->near[k] = k < part ? tl->begin + (part - k) * tl->step : 0;
}

/* How many parts before the present one; LT_TIMELINE_NEAR: that, or more. */
static inline unsigned int parts_before(const struct lt_timeline *tl, uint64_t birth)
{
	unsigned int n = 0;

	for (unsigned int k = 0; k < LT_TIMELINE_NEAR; k++)
		n += birth < tl->near[k];
	return n;
}

void lt_timeline_plain(struct lt_timeline *tl, const struct lt_lifetimes *lf,
		       const struct lt_kmalloc *k, uint32_t recorder,
		       const struct lt_plain_steps *steps)
{
	prepare(tl, steps);
	for (size_t i = 0; i < steps->n_ends; i++) {
		const struct lt_plain_step *s = &steps->all[steps->ends[i]];
		struct lt_timeline_plain *x = &tl->plain[s->traits];
		unsigned int before;
		uint64_t time;

		if (lt_own_step(recorder, s))
			continue;
		time = steps->evs[s->event].time;
		if (time - tl->part_begin >= tl->step)
			go_on(tl, time);
		if (!x->bytes)
			look_up(tl, lf, k, &steps->traits[s->traits], x);
		x->ends++;
		before = parts_before(tl, time - s->ns);
		if (before < LT_TIMELINE_NEAR)
			x->born[before]++;
		else
			count_births(tl, x, part_of(tl, time - s->ns), 1);
	}
}

/* ------------------------------------------------------------------------
 * The whole
 */

struct lt_timeline *lt_timeline_new(uint64_t end)
{
	struct lt_timeline *tl = lt_alloc(sizeof(*tl));

	rows_init(&tl->caches);
	rows_init(&tl->sites);
	tl->end = end;
	lt_timeline_begin(tl, end);
	return tl;
}

void lt_timeline_begin(struct lt_timeline *tl, uint64_t begin)
{
	tl->begin = tl->part_begin = begin;
	tl->step = tl->end > begin ? (tl->end - begin) / LT_TIMELINE_PARTS + 1 : 1;
}

void lt_timeline_free(struct lt_timeline *tl)
{
	if (!tl)
		return;
	rows_destroy(&tl->caches);
	rows_destroy(&tl->sites);
	free(tl->plain);
	free(tl);
}

const struct lt_timeline_row *lt_timeline_row(const struct lt_timeline_rows *rows, uint64_t key)
{
	uint32_t number = key ? lt_intern_find(&rows->keys, key) : 0;

	return key && !number ? NULL : &rows->rows[number];
}
