// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lifetimes added up by minute.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "lifetimes/read.h"
#include "sums/minutes.h"
#include "sums/own.h"

#define NS_PER_MINUTE	(60 * 1000000000ULL)

uint64_t lt_minute_of(const struct lt_trace *t, uint64_t time)
{
	uint64_t real = lt_trace_realtime(t, time);

	return (real ? real : time) / NS_PER_MINUTE;
}

struct lt_minutes *lt_minutes_new(const struct lt_trace *t, const struct lt_minute_options *opts)
{
	struct lt_minutes *m = lt_alloc(sizeof(*m));

	m->opts = *opts;
	m->opts.most = opts->most ? opts->most : LT_MINUTE_ROWS;
	m->trace = t;
	m->own = lt_own_new(t);
	m->seed = lt_hash_seed();
	m->rows = lt_alloc_array(m->opts.most, sizeof(*m->rows));
	lt_kmalloc_init(&m->kmalloc, t);
	lt_names_init(&m->names);
	lt_map_init(&m->by_key);
	return m;
}

void lt_minutes_free(struct lt_minutes *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n_rows; i++)
		free(m->rows[i].powers);
	free(m->rows);
	lt_own_free(m->own);
	lt_names_destroy(&m->names);
	lt_map_destroy(&m->by_key);
	free(m);
}

/* ------------------------------------------------------------------------
 * Rows
 */

static uint32_t hash(const struct lt_minutes *m, const struct lt_minute_key *k)
{
	uint64_t h = lt_hash64(k->minute, m->seed);

	h = lt_hash64(h ^ k->cache, m->seed);
	h = lt_hash64(h ^ k->site, m->seed);
	h = lt_hash64(h ^ k->cgroup, m->seed);
	return (uint32_t)lt_hash64(h ^ ((uint64_t)k->comm << 32 | (uint32_t)k->space << 24 |
					(uint32_t)k->context << 16 | (uint32_t)k->recorder << 8 |
					k->born), m->seed);
}

/* Keys have no padding. */
_Static_assert(sizeof(struct lt_minute_key) == 4 * 8 + 4 + 4, "compared as bytes");

static struct lt_minute_row *row_of(struct lt_minutes *m, const struct lt_minute_key *key)
{
	uint32_t h = hash(m, key), number;

	lt_map_for_each(number, at, &m->by_key, h) {
		if (!memcmp(&m->rows[number - 1].key, key, sizeof(*key)))
			return &m->rows[number - 1];
	}
	m->rows[m->n_rows++] = (struct lt_minute_row){ .key = *key };
	lt_map_add(&m->by_key, h, (uint32_t)m->n_rows);
	return &m->rows[m->n_rows - 1];
}

static int order(const void *a, const void *b)
{
	const struct lt_minute_key *x = &((const struct lt_minute_row *)a)->key;
	const struct lt_minute_key *y = &((const struct lt_minute_row *)b)->key;
	const uint64_t fields[][2] = {
		{ x->minute, y->minute }, { x->recorder, y->recorder }, { x->space, y->space },
		{ x->cache, y->cache }, { x->site, y->site }, { x->comm, y->comm },
		{ x->cgroup, y->cgroup }, { x->context, y->context }, { x->born, y->born },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i][0] != fields[i][1])
			return fields[i][0] < fields[i][1] ? -1 : 1;
	}
	return 0;
}

void lt_minutes_flush(struct lt_minutes *m)
{
	qsort(m->rows, m->n_rows, sizeof(*m->rows), order);
	for (size_t i = 0; i < m->n_rows; i++) {
		m->opts.row(m->opts.arg, m, &m->rows[i]);
		free(m->rows[i].powers);
	}
	m->n_rows = 0;
	lt_map_clear(&m->by_key);
	lt_names_destroy(&m->names);
	lt_names_init(&m->names);
}

/* ------------------------------------------------------------------------
 * Lifetimes
 */

static uint32_t comm_of(struct lt_minutes *m, const struct lt_moment *birth)
{
	const char *comm;

	if (!m->opts.task || birth->context != LT_CTX_TASK || !birth->task)
		return 0;
	comm = lt_task_comm_at(birth->task, birth->time);
	return lt_names_add(&m->names, comm, strlen(comm));
}

static struct lt_minute_key key_of(struct lt_minutes *m, const struct lt_lifetime *l)
{
	const struct lt_moment *birth = &l->birth;
	struct lt_minute_key key = {
		.space = (uint8_t)l->space, .recorder = lt_own_lifetime(m->own, l),
		.born = birth->known,
	};

	if (m->opts.cache)
		key.cache = lt_lifetime_cache_key(&m->kmalloc, l);
	if (m->opts.site)
		key.site = birth->call_site;
	if (m->opts.task)
		key.context = birth->known ? birth->context : l->death.context;
	key.comm = comm_of(m, birth);
	if (m->opts.cgroup && m->opts.cgroup_of && birth->context == LT_CTX_TASK && birth->task)
		key.cgroup = m->opts.cgroup_of(m->opts.cgroups, birth->task, birth->time);
	return key;
}

static void add_exact(struct lt_minute_row *row, const struct lt_lifetime *l)
{
	uint64_t ns = lt_lifetime_ns(l);
	unsigned int power = ns ? 63 - (unsigned int)__builtin_clzll(ns) : 0;

	row->exact++;
	row->exact_ns = row->exact_ns > UINT64_MAX - ns ? UINT64_MAX : row->exact_ns + ns;
	if (!row->powers)
		row->powers = lt_alloc_array(LT_MINUTE_POWERS, sizeof(*row->powers));
	row->powers[power]++;
	row->n_powers = power >= row->n_powers ? power + 1 : row->n_powers;
}

static void add_end(struct lt_minute_row *row, const struct lt_lifetime *l)
{
	if (!l->birth.known) {
		row->before++;
		return;
	}
	row->ended_bytes += lt_lifetime_bytes(l);
	if (l->certainty == LT_EXACT)
		add_exact(row, l);
	else if (l->certainty == LT_BOUNDED)
		row->bounded++;
	else
		row->uncertain++;
}

static void add_birth(struct lt_minute_row *row, const struct lt_lifetime *l)
{
	uint64_t bytes = lt_lifetime_bytes(l);

	if (!l->older) {
		row->births++;
		row->bytes += bytes;
		row->waste += lt_lifetime_slack(l);
	}
	if (l->certainty == LT_OPEN) {
		row->open++;
		row->open_bytes += bytes;
	} else if (l->ending == LT_END_ALIVE) {
		row->maybe++;
		row->maybe_bytes += bytes;
	}
}

void lt_minutes_add(struct lt_minutes *m, const struct lt_lifetime *l)
{
	struct lt_minute_key key;

	/* A lifetime needs two rows at most. */
	if (m->n_rows + 2 > m->opts.most)
		lt_minutes_flush(m);
	key = key_of(m, l);
	if (l->birth.known) {
		/* What was alive at the begin of a part is of the minute of that. */
		key.minute = lt_minute_of(m->trace, l->older ? lt_trace_cut(m->trace) :
							       l->birth.time);
		add_birth(row_of(m, &key), l);
	}
	if (l->ending == LT_END_ALIVE)
		return;
	key.minute = lt_minute_of(m->trace, l->death.time);
	add_end(row_of(m, &key), l);
}
