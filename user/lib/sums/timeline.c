// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Timelines.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/wide.h"
#include "format/plain.h"
#include "lifetimes/read.h"
#include "sums/own.h"
#include "sums/timeline.h"

#define NO_ROW	UINT32_MAX

/**
 * struct lt_timeline_plain - objects with the same traits
 * @bytes: given to each; 0: nothing was looked up
 * @cache, @site: numbers of their rows, or NO_ROW
 */
struct lt_timeline_plain {
	uint32_t bytes;
	uint32_t cache;
	uint32_t site;
};

/*
 * Of these, what steps have ended and is in no row yet, by the parts of its birth and of its end.
 * An object mostly ends soon, so that both are in one line of the processor's cache.
 */
struct lt_timeline_parts {
	struct {
		uint32_t born;
		uint32_t ended;
	} of[LT_TIMELINE_PARTS];
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
	const uint64_t ns = time > tl->begin ? time - tl->begin : 0;
	uint64_t part = lt_mul(ns, tl->inverse).hi;

	/* That is the part, or the one before it. */
	part += ns - part * tl->step >= tl->step;
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

/* Adds what steps have ended with some traits to one of their rows. */
static void settle_row(struct lt_timeline_row *row, const struct lt_timeline_parts *parts,
		       uint64_t bytes)
{
	for (unsigned int i = 0; i < LT_TIMELINE_PARTS; i++) {
		row->births[i] += parts->of[i].born;
		row->bytes[i] += parts->of[i].born * bytes;
		row->ends[i] += parts->of[i].ended;
		row->ended_bytes[i] += parts->of[i].ended * bytes;
	}
}

void lt_timeline_settle(struct lt_timeline *tl)
{
	for (size_t i = 0; i < tl->n_parts; i++) {
		const struct lt_timeline_plain *x = &tl->plain[i];

		if (!x->bytes)
			continue;
		settle_row(&tl->all, &tl->parts[i], x->bytes);
		if (x->cache != NO_ROW)
			settle_row(&tl->caches.rows[x->cache], &tl->parts[i], x->bytes);
		if (x->site != NO_ROW)
			settle_row(&tl->sites.rows[x->site], &tl->parts[i], x->bytes);
		memset(&tl->parts[i], 0, sizeof(tl->parts[i]));
	}
	tl->pending = 0;
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
	/* The numbers are of 32 bits. */
	if (tl->renewals != steps->renewals || tl->pending >> 31)
		lt_timeline_settle(tl);
	if (tl->renewals != steps->renewals && tl->n_plain)
		memset(tl->plain, 0, tl->n_plain * sizeof(*tl->plain));
	tl->renewals = steps->renewals;
	if (steps->n_traits > tl->n_plain) {
		/* New ones come one by one. */
		const size_t room = steps->n_traits + steps->n_traits / 2;
		const size_t parts = room < LT_TIMELINE_TRAITS ? room : LT_TIMELINE_TRAITS;

		tl->plain = lt_extend(tl->plain, &tl->n_plain, room, sizeof(*tl->plain));
		if (parts > tl->n_parts)
			tl->parts = lt_extend(tl->parts, &tl->n_parts, parts, sizeof(*tl->parts));
	}
	tl->pending += steps->n_ends;
}

bool lt_timeline_has(const struct lt_timeline *tl, uint32_t traits, uint32_t renewals)
{
	return tl->renewals == renewals && traits < tl->n_plain && tl->plain[traits].bytes;
}

static void add_end(struct lt_timeline_row *row, unsigned int born, unsigned int ended,
		    uint64_t bytes)
{
	row->births[born]++;
	row->bytes[born] += bytes;
	row->ends[ended]++;
	row->ended_bytes[ended] += bytes;
}

static void add_to_rows(struct lt_timeline *tl, const struct lt_timeline_plain *x,
			unsigned int born, unsigned int ended)
{
	add_end(&tl->all, born, ended, x->bytes);
	if (x->cache != NO_ROW)
		add_end(&tl->caches.rows[x->cache], born, ended, x->bytes);
	if (x->site != NO_ROW)
		add_end(&tl->sites.rows[x->site], born, ended, x->bytes);
}

void lt_timeline_plain(struct lt_timeline *tl, const struct lt_lifetimes *lf,
		       const struct lt_kmalloc *k, uint32_t recorder,
		       const struct lt_plain_steps *steps)
{
	prepare(tl, steps);
	for (size_t i = 0; i < steps->n_ends; i++) {
		const struct lt_plain_step *s = &steps->all[steps->ends[i]];
		struct lt_timeline_plain *x = &tl->plain[s->traits];
		const uint64_t time = steps->evs[s->event].time;
		unsigned int born, ended;

		if (lt_own_step(recorder, s))
			continue;
		if (!x->bytes)
			look_up(tl, lf, k, &steps->traits[s->traits], x);
		born = part_of(tl, time - s->ns);
		ended = part_of(tl, time);
		if (s->traits >= tl->n_parts) {
			add_to_rows(tl, x, born, ended);
			continue;
		}
		tl->parts[s->traits].of[ended].ended++;
		tl->parts[s->traits].of[born].born++;
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
	tl->begin = begin;
	tl->step = tl->end > begin ? (tl->end - begin) / LT_TIMELINE_PARTS + 1 : 1;
	tl->inverse = UINT64_MAX / tl->step;
}

void lt_timeline_free(struct lt_timeline *tl)
{
	if (!tl)
		return;
	rows_destroy(&tl->caches);
	rows_destroy(&tl->sites);
	free(tl->plain);
	free(tl->parts);
	free(tl);
}

const struct lt_timeline_row *lt_timeline_row(const struct lt_timeline_rows *rows, uint64_t key)
{
	uint32_t number = key ? lt_intern_find(&rows->keys, key) : 0;

	return key && !number ? NULL : &rows->rows[number];
}
