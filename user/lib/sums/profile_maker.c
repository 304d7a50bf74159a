// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Profiles in the making: their rows, what is alive, and the peak.
 */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "sums/profile_maker.h"

/* ------------------------------------------------------------------------
 * Rows
 */

/* There is no bound for the names that tasks give themselves, but for rows. */
uint32_t lt_profile_name(struct lt_profile_maker *m, const char *name)
{
	static const char full[] = "(other names)";

	if (m->p->names.n > m->p->opts.max_rows)
		name = full;
	return lt_names_add(&m->p->names, name, strlen(name));
}

static uint32_t module_number(struct lt_profile_maker *m, uint32_t site)
{
	uint32_t place = lt_lifetimes_place(m->lf, site);
	const char *module = NULL;
	uint64_t offset;

	if (place >= m->n_module_of)
		m->module_of = lt_extend(m->module_of, &m->n_module_of, place + 1,
					 sizeof(*m->module_of));
	if (!m->module_of[place]) {
		lt_trace_function(m->t, lt_lifetimes_site(m->lf, site), &offset, &module);
		m->module_of[place] = (module ? lt_profile_name(m, module) : 0) + 1;
	}
	return m->module_of[place] - 1;
}

static struct lt_profile_key key_of(struct lt_profile_maker *m, const struct lt_obj *o,
				    uint32_t name)
{
	const struct lt_task *task = lt_lifetimes_task(m->lf, o->task);
	const struct lt_report_options *opts = &m->p->opts.report;
	struct lt_profile_key key = { .cgroup = 0 };

	for (unsigned int i = 0; i < m->p->opts.n_levels; i++) {
		switch (m->p->opts.levels[i]) {
		case LT_LEVEL_TASK:
			key.context = o->context;
			if (o->context == LT_CTX_TASK)
				key.task = name;
			break;
		case LT_LEVEL_CGROUP:
			key.context = o->context;
			if (task && o->context == LT_CTX_TASK)
				key.cgroup = opts->group(opts->groups, task, o->time);
			break;
		case LT_LEVEL_MODULE:
			key.module = module_number(m, o->site);
			break;
		case LT_LEVEL_CACHE:
			key.cache = lt_obj_cache_key(&m->kmalloc, o);
			break;
		case LT_LEVEL_SITE:
		case LT_LEVEL_STACK:
			key.stack = lt_row_stacks_number(m->p->stacks, m->t,
							 lt_lifetimes_site(m->lf, o->site),
							 m->p->opts.levels[i] == LT_LEVEL_STACK ?
							 lt_lifetimes_stack(m->lf, o->site) : 0);
			break;
		case LT_N_LEVELS:
			break;
		}
	}
	return key;
}

static uint32_t hash_of(const struct lt_profile_maker *m, const struct lt_profile_key *key)
{
	uint64_t h = lt_hash64(key->cgroup, m->seed);

	h = lt_hash64(h ^ key->cache, m->seed);
	h = lt_hash64(h ^ ((uint64_t)key->task << 32 | key->module), m->seed);
	return (uint32_t)lt_hash64(h ^ ((uint64_t)key->stack << 32 | key->context), m->seed);
}

uint32_t lt_profile_row(struct lt_profile_maker *m, const struct lt_obj *o, uint32_t name)
{
	const struct lt_profile_key key = key_of(m, o, name);
	uint32_t hash = hash_of(m, &key), number;
	struct lt_profile *p = m->p;

	lt_map_for_each(number, at, &m->rows, hash) {
		if (!memcmp(&p->rows[number - 1].key, &key, sizeof(key)))
			return number - 1;
	}
	if (p->n_rows >= p->opts.max_rows)
		return LT_PROFILE_OTHER;
	p->rows = lt_grow(p->rows, &m->cap_rows, p->n_rows, sizeof(*p->rows));
	p->rows[p->n_rows] = (struct lt_profile_row){ .key = key };
	lt_map_add(&m->rows, hash, (uint32_t)p->n_rows + 1);
	return (uint32_t)p->n_rows++;
}

/* ------------------------------------------------------------------------
 * What is alive
 */

struct lt_profile_alive *lt_profile_find(struct lt_profile_maker *m, uint64_t ptr, uint32_t *number)
{
	uint32_t hash = (uint32_t)lt_hash64(ptr, m->seed);

	lt_map_for_each(*number, at, &m->by_ptr, hash) {
		struct lt_profile_alive *a = lt_pool_at(&m->pool, *number);

		if (a->ptr == ptr)
			return a;
	}
	return NULL;
}

void lt_profile_keep(struct lt_profile_maker *m, const struct lt_profile_alive *a)
{
	unsigned int i;
	uint32_t number;
	struct lt_profile_alive *old = lt_profile_find(m, a->ptr, &number);

	if (old) {
		*old = *a;
		return;
	}
	number = lt_pool_get(&m->pool);
	*(struct lt_profile_alive *)lt_pool_at(&m->pool, number) = *a;
	lt_map_add(&m->by_ptr, (uint32_t)lt_hash64(a->ptr, m->seed), number);
	i = lt_profile_may_be(a->ptr);
	m->may_be[i] += m->may_be[i] < UINT8_MAX;
	m->some[i / 64] |= 1ULL << i % 64;
}

void lt_profile_drop(struct lt_profile_maker *m, uint64_t ptr, uint32_t number)
{
	const unsigned int i = lt_profile_may_be(ptr);

	lt_map_remove(&m->by_ptr, (uint32_t)lt_hash64(ptr, m->seed), number);
	m->may_be[i] -= m->may_be[i] < UINT8_MAX;
	if (!m->may_be[i])
		m->some[i / 64] &= ~(1ULL << i % 64);
	lt_pool_put(&m->pool, number);
}

/*
 * As in reports, where the call site of the object that made the peak was corrected the rows are
 * those after that.
 */
void lt_profile_peak(struct lt_profile_maker *m, uint64_t time)
{
	struct lt_profile_row *all = &m->p->all;

	if (!m->p->opts.peak)
		return;
	if (!m->peak_taken || all->now_bytes > m->peak_bytes)
		m->p->peak = time;
	else if (!m->reborn || all->now_bytes != m->peak_bytes || m->peak_step + 2 != m->step)
		return;
	m->peak_bytes = all->now_bytes;
	m->peak_taken = true;
	m->peak_step = m->step;
	m->p->peaks++;
	all->peak = all->now;
	all->peak_bytes = all->now_bytes;
}
