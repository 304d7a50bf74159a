// SPDX-License-Identifier: GPL-2.0
/*
 * Timelines: one pass over a trace, after those of a report.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "lifetimes/read.h"
#include "lifetimes/timeline.h"

struct maker {
	struct lt_timeline *tl;
	const struct lt_report *r;
	struct lt_trace *t;
	struct lt_kmalloc kmalloc;
	uint32_t recorder;
};

static void rows_init(struct lt_timeline_rows *rows)
{
	lt_intern_init(&rows->keys);
	rows->rows = lt_extend(NULL, &rows->n, 1, sizeof(*rows->rows));
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
		rows->rows = lt_extend(rows->rows, &rows->n, number + 1, sizeof(*rows->rows));
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

	row->births[part]++;
	row->bytes[part] += bytes;
	if (l->ending == LT_END_ALIVE)
		return;
	part = part_of(tl, l->death.time);
	row->ends[part]++;
	row->ended_bytes[part] += bytes;
}

static void ended(void *arg, const struct lt_lifetime *l)
{
	struct maker *m = arg;
	struct lt_timeline *tl = m->tl;
	struct lt_timeline_row *row;

	if (l->space != m->r->opts.space || !l->birth.known || lt_lifetime_is_of(l, m->recorder))
		return;
	add(&tl->all, tl, l);
	row = row_of(&tl->caches, lt_cache_key(&m->kmalloc, l->kind, l->cache, l->bytes_req,
					       l->bytes_alloc, l->gfp));
	if (row)
		add(row, tl, l);
	row = row_of(&tl->sites, l->birth.call_site);
	if (row)
		add(row, tl, l);
}

/* The trace describes some caches after their first objects; the report has read all of it. */
static const struct lt_cache *find_cache(void *arg, uint32_t id)
{
	const struct maker *m = arg;
	const struct lt_cache *cache = lt_trace_cache(m->t, id);

	return cache ? cache : lt_trace_cache(m->r->trace, id);
}

struct lt_timeline *lt_timeline_make(const char *path, const struct lt_report *r)
{
	struct maker m = { .r = r, .t = lt_trace_open(path) };
	struct lt_lifetime_ops ops = { .ended = ended, .cache = find_cache, .arg = &m };
	struct lt_timeline *tl;
	uint64_t end;
	int err;

	if (!m.t)
		return NULL;
	tl = lt_alloc(sizeof(*tl));
	m.tl = tl;
	rows_init(&tl->caches);
	rows_init(&tl->sites);
	end = lt_trace_end(m.t);
	tl->begin = r->watched;
	tl->step = end > tl->begin ? (end - tl->begin) / LT_TIMELINE_PARTS + 1 : 1;
	m.recorder = r->opts.no_recorder ? lt_trace_recorder(m.t) : 0;
	lt_kmalloc_init(&m.kmalloc, m.t);
	err = lt_lifetimes_read(m.t, &ops);
	lt_trace_close(m.t);
	if (!err)
		return tl;
	lt_timeline_free(tl);
	return NULL;
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
