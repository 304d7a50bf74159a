// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Timelines.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sums/timeline.h"

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

/* NULL: there are too many rows for a new one. */
static struct lt_timeline_row *row_of(struct lt_timeline_rows *rows, uint64_t key)
{
	uint32_t number = key ? lt_intern_find(&rows->keys, key) : 0;

	if (key && !number) {
		if (rows->n > LT_TIMELINE_ROWS)
			return NULL;
		number = lt_intern_number(&rows->keys, key);
		add_row(rows);
	}
	return &rows->rows[number];
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

struct lt_timeline *lt_timeline_new(const struct lt_report *r)
{
	struct lt_timeline *tl = lt_alloc(sizeof(*tl));
	uint64_t end = lt_trace_end(r->trace);

	rows_init(&tl->caches);
	rows_init(&tl->sites);
	tl->begin = r->watched;
	tl->step = end > tl->begin ? (end - tl->begin) / LT_TIMELINE_PARTS + 1 : 1;
	return tl;
}

void lt_timeline_free(struct lt_timeline *tl)
{
	if (!tl)
		return;
	rows_destroy(&tl->caches);
	rows_destroy(&tl->sites);
	free(tl);
}

const struct lt_timeline_row *lt_timeline_row(const struct lt_timeline_rows *rows, uint64_t key)
{
	uint32_t number = key ? lt_intern_find(&rows->keys, key) : 0;

	return key && !number ? NULL : &rows->rows[number];
}
