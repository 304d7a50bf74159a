// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Profiles: one pass over a trace, after those of a report.
 *
 * The report says how sure the lifetimes are, and how many bytes are alive at the peak; and
 * when it was made its trace has all caches. So one more pass finds the peak's rows: it is the
 * first step after which so many bytes are alive.
 *
 * An object keeps the row that it got at its birth until it is gone, whatever its task is
 * called by then.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/pool.h"
#include "lifetimes/carry.h"
#include "lifetimes/read.h"
#include "sums/own.h"
#include "sums/profile.h"
#include "sums/profile_rows.h"
#include "sums/profile_steps.h"
#include "sums/weights.h"

/* Numbers of rows that are not in the array. */
#define ROW_NONE	UINT32_MAX

/* An object that is alive and counted. */
struct alive {
	uint64_t ptr;
	uint64_t bytes;
	uint64_t cache;
	uint32_t row;
	uint32_t weight;
};

/**
 * struct maker - a profile in the making
 * @p: the profile
 * @t: its trace
 * @lf: the pairing
 * @kmalloc: for lt_cache_key()
 * @space: what is added up
 * @out: whose objects are left out; NULL: nobody's
 * @cap_rows: room in the rows of @p
 * @rows: numbers of rows plus 1, by the hash of their keys
 * @by_ptr: numbers in @pool, by the hash of an address
 * @pool: struct alive
 * @seed: of the hashes
 * @module_of: by place: the number of its module's name plus 1; 0: not looked up yet
 * @n_module_of: length of @module_of
 * @weights: by stack: how many births one stands for
 * @step: births and deaths so far
 * @taken: the rows at the instant were taken
 * @peak_taken: the rows at the peak were taken
 * @peak_step: the step at which they were
 * @reborn: the latest step was an end that was seen by a birth at the address
 * @corrected: address of an object whose birth may come once more; 0: there is none
 * @now: the time of the current event
 * @steps: for the caller
 */
struct maker {
	struct lt_profile *p;
	struct lt_trace *t;
	struct lt_lifetimes *lf;
	struct lt_kmalloc kmalloc;
	enum lt_space space;
	struct lt_own *out;
	size_t cap_rows;
	struct lt_map rows;
	struct lt_map by_ptr;
	struct lt_pool pool;
	uint64_t seed;
	uint32_t *module_of;
	size_t n_module_of;
	struct lt_weights weights;
	uint64_t step;
	uint64_t peak_step;
	bool peak_taken;
	bool taken;
	bool reborn;
	uint64_t corrected;
	uint64_t now;
	struct lt_steps steps;
};

/* ------------------------------------------------------------------------
 * Rows
 */

static bool has_level(const struct lt_profile *p, enum lt_level level)
{
	for (unsigned int i = 0; i < p->opts.n_levels; i++) {
		if (p->opts.levels[i] == level)
			return true;
	}
	return false;
}

/* There is no bound for the names that tasks give themselves, but for rows. */
static uint32_t name_number(struct maker *m, const char *name)
{
	static const char full[] = "(other names)";

	if (m->p->names.n > m->p->opts.max_rows)
		name = full;
	return lt_names_add(&m->p->names, name, strlen(name));
}

static uint32_t module_number(struct maker *m, uint32_t site)
{
	uint32_t place = lt_lifetimes_place(m->lf, site);
	const char *module = NULL;
	uint64_t offset;

	if (place >= m->n_module_of)
		m->module_of = lt_extend(m->module_of, &m->n_module_of, place + 1,
					 sizeof(*m->module_of));
	if (!m->module_of[place]) {
		lt_trace_function(m->t, lt_lifetimes_site(m->lf, site), &offset, &module);
		m->module_of[place] = (module ? name_number(m, module) : 0) + 1;
	}
	return m->module_of[place] - 1;
}

static struct lt_profile_key key_of(struct maker *m, const struct lt_obj *o)
{
	const struct lt_task *task = lt_lifetimes_task(m->lf, o->task);
	const struct lt_report_options *opts = &m->p->opts.report;
	struct lt_profile_key key = { .cgroup = 0 };

	for (unsigned int i = 0; i < m->p->opts.n_levels; i++) {
		switch (m->p->opts.levels[i]) {
		case LT_LEVEL_TASK:
			key.context = o->context;
			if (task && o->context == LT_CTX_TASK)
				key.task = name_number(m, lt_task_comm_at(task, o->time));
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

static uint32_t hash_of(const struct maker *m, const struct lt_profile_key *key)
{
	uint64_t h = lt_hash64(key->cgroup, m->seed);

	h = lt_hash64(h ^ key->cache, m->seed);
	h = lt_hash64(h ^ ((uint64_t)key->task << 32 | key->module), m->seed);
	return (uint32_t)lt_hash64(h ^ ((uint64_t)key->stack << 32 | key->context), m->seed);
}

static uint32_t row_of(struct maker *m, const struct lt_obj *o)
{
	const struct lt_profile_key key = key_of(m, o);
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

static struct lt_profile_row *row_at(struct maker *m, uint32_t row)
{
	return row == LT_PROFILE_OTHER ? &m->p->other : &m->p->rows[row];
}

/* How many births this one stands for in the rows. */
static unsigned int weight_of(const struct maker *m, const struct lt_obj *o)
{
	return m->p->stacks_one_in ? lt_weight(&m->weights, o) : 1;
}

/* ------------------------------------------------------------------------
 * Which objects
 */

static const struct lt_cache *find_cache(void *arg, uint32_t id)
{
	const struct maker *m = arg;
	const struct lt_cache *cache = lt_trace_cache(m->t, id);

	return cache ? cache : lt_trace_cache(m->p->report->trace, id);
}

/* NULL: not known. */
static const char *cache_name(struct maker *m, const struct lt_obj *o, char *buf, size_t size)
{
	return lt_cache_name(m->t, lt_obj_cache_key(&m->kmalloc, o), find_cache(m, o->cache), buf,
			     size);
}

static bool is_wanted(struct maker *m, const struct lt_obj *o)
{
	struct lt_filter *filter = m->p->opts.report.filter;
	const struct lt_task *task = lt_lifetimes_task(m->lf, o->task);
	struct lt_moment birth;
	char buf[128];

	if (lt_own_obj(m->out, m->lf, o))
		return false;
	if (!filter)
		return true;
	birth = (struct lt_moment){
		.known = true, .context = o->context, .cpu = o->cpu, .time = o->time,
		.call_site = lt_lifetimes_site(m->lf, o->site), .task = task,
	};
	return lt_filter_birth(filter, m->t, &birth, o->bytes_req,
			       cache_name(m, o, buf, sizeof(buf)));
}

/* ------------------------------------------------------------------------
 * What is alive
 */

static struct alive *find_alive(struct maker *m, uint64_t ptr, uint32_t *number)
{
	uint32_t hash = (uint32_t)lt_hash64(ptr, m->seed);

	lt_map_for_each(*number, at, &m->by_ptr, hash) {
		struct alive *a = lt_pool_at(&m->pool, *number);

		if (a->ptr == ptr)
			return a;
	}
	return NULL;
}

static void add_alive(struct maker *m, const struct alive *a)
{
	uint32_t number;
	struct alive *old = find_alive(m, a->ptr, &number);

	if (old) {
		*old = *a;
		return;
	}
	number = lt_pool_get(&m->pool);
	*(struct alive *)lt_pool_at(&m->pool, number) = *a;
	lt_map_add(&m->by_ptr, (uint32_t)lt_hash64(a->ptr, m->seed), number);
}

static void count_now(struct maker *m, const struct alive *a, bool born)
{
	uint64_t n = born ? 1 : UINT64_MAX;	/* modulo 2^64 that is -1 */

	lt_profile_row_count(&m->p->all, n, n * a->bytes);
	if (a->weight)
		lt_profile_row_count(row_at(m, a->row), n * a->weight, n * a->weight * a->bytes);
}

static void take(struct maker *m, uint64_t time)
{
	lt_profile_take_now(m->p, time);
	m->taken = true;
}

/* Before a step at @time. */
static void take_before(struct maker *m, uint64_t time)
{
	if (m->p->opts.at == LT_AT_TIME && !m->taken && time > m->p->opts.time)
		take(m, m->p->opts.time);
}

/*
 * After a step. As in reports, where the call site of the object that made the peak was
 * corrected the rows are those after that.
 */
static void take_peak(struct maker *m, uint64_t time)
{
	struct lt_profile *p = m->p;

	if (!p->opts.peak || p->all.now_bytes != p->report->peak_bytes)
		return;
	if (m->peak_taken && (!m->reborn || m->peak_step + 2 != m->step))
		return;
	lt_profile_take_peak(p, m->peak_taken ? p->peak : time);
	m->peak_taken = true;
	m->peak_step = m->step;
}

/* At the end of the trace, what is alive at the instant if that is not the end. */
static void take_last(struct maker *m, uint64_t end)
{
	struct lt_profile *p = m->p;

	if (p->opts.peak && !m->peak_taken)
		p->peak = end;
	if (p->opts.at == LT_AT_END)
		p->instant = end;
	else if (p->opts.at == LT_AT_PEAK)
		lt_profile_use_peak(p);
	else if (!m->taken)
		take(m, end);
}

static struct lt_profile_step step_of(const struct alive *a, uint64_t time, bool born)
{
	return (struct lt_profile_step){
		.time = time, .ptr = a->ptr, .bytes = a->bytes, .cache = a->cache, .row = a->row,
		.n = a->weight, .objects = 1, .born = born,
	};
}

static void add_step(struct maker *m, const struct alive *a, uint64_t time, bool born)
{
	const struct lt_profile_step step = step_of(a, time, born);

	lt_steps_add(&m->steps, &step);
}

/* It is not sure to be alive at the end: for the steps it is not. */
static void end_step(struct maker *m, const struct lt_lifetime *l)
{
	const struct alive *a;
	uint32_t number;

	if (l->certainty == LT_OPEN || l->ending != LT_END_ALIVE)
		return;
	a = find_alive(m, l->ptr, &number);
	if (a)
		add_step(m, a, l->death.time, false);
}

static void born(void *arg, enum lt_space space, const struct lt_obj *o)
{
	struct maker *m = arg;
	uint64_t time = lt_birth_seen(o, m->t);
	struct lt_profile_step *step;
	struct alive a;

	step = space == LT_SPACE_SLAB && m->corrected == o->ptr ?
		lt_steps_undo(&m->steps, o->ptr) : NULL;
	m->corrected = 0;
	if (space != m->space)
		return;
	take_before(m, time);
	if (!is_wanted(m, o))
		return;
	a = (struct alive){
		.ptr = o->ptr, .bytes = o->bytes_alloc ? o->bytes_alloc : o->bytes_req,
		.cache = lt_obj_cache_key(&m->kmalloc, o), .weight = weight_of(m, o),
	};
	a.row = a.weight ? row_of(m, o) : ROW_NONE;
	add_alive(m, &a);
	m->step++;
	count_now(m, &a, true);
	if (step)
		*step = step_of(&a, step->time, true);
	else
		add_step(m, &a, time, true);
	take_peak(m, time);
	m->reborn = false;
}

static void gone(void *arg, enum lt_space space, const struct lt_obj *o, enum lt_ending ending,
		 uint64_t time)
{
	struct maker *m = arg;
	struct alive *a;
	uint32_t number;

	/* If no release follows, the next birth is a second event of one allocation. */
	m->corrected = space == LT_SPACE_SLAB && ending == LT_END_REBORN ? o->ptr : 0;
	if (space != m->space || o->kind == LT_CLASS_NONE)
		return;
	take_before(m, time);
	a = find_alive(m, o->ptr, &number);
	if (!a)
		return;
	m->step++;
	m->reborn = ending == LT_END_REBORN;
	count_now(m, a, false);
	add_step(m, a, time, false);
	lt_map_remove(&m->by_ptr, (uint32_t)lt_hash64(o->ptr, m->seed), number);
	lt_pool_put(&m->pool, number);
	take_peak(m, time);
}

static void released(void *arg, enum lt_space space, const struct lt_obj *o,
		     enum lt_ending ending, uint64_t time, bool rcu)
{
	struct maker *m = arg;

	(void)space;
	(void)o;
	(void)ending;
	(void)time;
	(void)rcu;
	m->corrected = 0;
}

/* One page block is two now; of both together ended() would count one birth too many. */
static void halved(void *arg, const struct lt_obj *o)
{
	struct maker *m = arg;
	struct lt_profile_row *row;
	struct alive *a, half;
	uint32_t number;
	/* The allocation of an older block is none of this trace. */
	bool older = o->time < lt_trace_cut(m->t);

	a = m->space == LT_SPACE_PAGE ? find_alive(m, o->ptr, &number) : NULL;
	if (!a)
		return;
	add_step(m, a, m->now, false);
	a->bytes /= 2;
	half = *a;
	half.ptr += 1ULL << (o->order - 1);
	add_step(m, a, m->now, true);
	add_step(m, &half, m->now, true);
	add_alive(m, &half);
	m->p->all.now++;
	m->p->all.births -= !older;
	if (!half.weight)
		return;
	row = row_at(m, half.row);
	row->now += half.weight;
	row->births -= older ? 0 : half.weight;
}

/* ------------------------------------------------------------------------
 * What has ended
 */

static void ended(void *arg, const struct lt_lifetime *l)
{
	struct maker *m = arg;
	struct lt_filter *filter = m->p->opts.report.filter;
	bool at_end = m->p->opts.at == LT_AT_END;
	struct lt_obj o = lt_lifetime_obj(l);
	unsigned int weight;
	char buf[128];

	if (l->space != m->space || !l->birth.known ||
	    lt_own_lifetime(m->out, l))
		return;
	if (filter && !lt_filter_lifetime(filter, m->t, l, cache_name(m, &o, buf, sizeof(buf))))
		return;
	lt_profile_row_add(&m->p->all, l, 1, at_end);
	end_step(m, l);
	if (m->p->opts.lifetime)
		m->p->opts.lifetime(m->p->opts.arg, m->p, l, lt_obj_cache_key(&m->kmalloc, &o));
	weight = weight_of(m, &o);
	if (weight)
		lt_profile_row_add(row_at(m, row_of(m, &o)), l, weight, at_end);
}

/* ------------------------------------------------------------------------
 * The pass
 */

static void begin(void *arg, struct lt_lifetimes *lf)
{
	((struct maker *)arg)->lf = lf;
}

static int event(void *arg, const struct lt_event *ev)
{
	struct maker *m = arg;

	m->now = ev->time;
	if (ev->id == LT_EV_MARKER)
		lt_steps_marker(&m->steps, ev);
	return 0;
}

/* Neither a marker nor pages: @now is for these. */
static void plain(void *arg, const struct lt_plain_event *evs, size_t n)
{
	(void)arg;
	(void)evs;
	(void)n;
}

static void end(void *arg)
{
	struct maker *m = arg;

	take_last(m, lt_trace_end(m->t));
	lt_steps_finish(&m->steps);
}

static void fill(struct lt_profile *p)
{
	struct maker m = { .p = p, .t = p->trace, .space = p->report->opts.space };
	const struct lt_lifetime_pass pass = {
		.ops = {
			.ended = ended, .born = born, .gone = gone, .cache = find_cache,
			.halved = halved, .released = released, .arg = &m,
		},
		.begin = begin, .event = event, .plain = plain, .end = end,
	};

	m.out = p->opts.report.no_recorder ? lt_own_new(m.t) : NULL;
	m.seed = lt_hash_seed();
	lt_map_init(&m.rows);
	lt_map_init(&m.by_ptr);
	lt_pool_init(&m.pool, sizeof(struct alive));
	lt_kmalloc_init(&m.kmalloc, m.t);
	lt_weights_init(&m.weights, m.t);
	if (has_level(p, LT_LEVEL_STACK) && m.space == LT_SPACE_SLAB)
		p->stacks_one_in = m.weights.one_in;
	lt_steps_init(&m.steps, p);
	lt_lifetimes_pass(m.t, &pass);
	lt_weights_destroy(&m.weights);
	lt_pool_destroy(&m.pool);
	lt_map_destroy(&m.by_ptr);
	lt_map_destroy(&m.rows);
	free(m.module_of);
	lt_own_free(m.out);
}

struct lt_profile *lt_profile_make(const char *path, const struct lt_profile_options *opts)
{
	struct lt_profile *p;

	if ((opts->at != LT_AT_END || opts->peak) && lt_filter_needs_end(opts->report.filter)) {
		lt_error("%s: what was alive then is not known of objects that a filter chooses "
			 "by their end (--older, --certainty, --why)", lt_file_name(path));
		return NULL;
	}
	p = lt_alloc(sizeof(*p));
	p->opts = *opts;
	p->opts.peak |= opts->at == LT_AT_PEAK;
	p->opts.report.by = has_level(p, LT_LEVEL_STACK) ? LT_BY_STACK : LT_BY_CACHE;
	if (!p->opts.max_rows)
		p->opts.max_rows = LT_PROFILE_ROWS;
	lt_names_init(&p->names);
	p->stacks = lt_row_stacks_new(p->opts.report.depth, p->opts.report.skip_wrappers);
	p->report = opts->made ? opts->made : lt_report_make(path, &p->opts.report);
	if (p->report)
		p->trace = lt_trace_open(path);
	if (!p->trace) {
		lt_profile_free(p);
		return NULL;
	}
	fill(p);
	lt_profile_sort(p);
	return p;
}

void lt_profile_free(struct lt_profile *p)
{
	if (!p)
		return;
	free(p->rows);
	lt_names_destroy(&p->names);
	lt_row_stacks_free(p->stacks);
	if (p->report != p->opts.made)
		lt_report_free(p->report);
	lt_trace_close(p->trace);
	free(p);
}
