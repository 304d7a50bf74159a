// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Profiles: one pass over a trace, after that of a report, or that of a report.
 *
 * The report says how sure the lifetimes are. Once it is made, its trace has all caches: callers
 * that take births and ends one by one need these.
 *
 * An object keeps the row that it got at its birth until it is gone, whatever its task is
 * called by then.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "lifetimes/carry.h"
#include "sums/profile_maker.h"

/* Numbers of rows that are not in the array. */
#define ROW_NONE	UINT32_MAX

/* ------------------------------------------------------------------------
 * Rows
 */

static uint32_t row_of(struct lt_profile_maker *m, const struct lt_obj *o)
{
	const struct lt_task *task = NULL;

	if (o->context == LT_CTX_TASK && lt_profile_has_level(m->p, LT_LEVEL_TASK))
		task = lt_lifetimes_task(m->lf, o->task);
	return lt_profile_row(m, o, task ? lt_profile_name(m, lt_task_comm_at(task, o->time)) : 0);
}

/* ------------------------------------------------------------------------
 * Which objects
 */

static const struct lt_cache *find_cache(void *arg, uint32_t id)
{
	const struct lt_profile_maker *m = arg;
	const struct lt_cache *cache = lt_trace_cache(m->t, id);

	return cache || !m->p->report ? cache : lt_trace_cache(m->p->report->trace, id);
}

/* NULL: not known. */
static const char *cache_name(struct lt_profile_maker *m, const struct lt_obj *o, char *buf,
			      size_t size)
{
	return lt_cache_name(m->t, lt_obj_cache_key(&m->kmalloc, o), find_cache(m, o->cache), buf,
			     size);
}

static bool is_wanted(struct lt_profile_maker *m, const struct lt_obj *o)
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

static void count_now(struct lt_profile_maker *m, const struct lt_profile_alive *a, bool born)
{
	uint64_t n = born ? 1 : UINT64_MAX;	/* modulo 2^64 that is -1 */

	lt_profile_row_count(m->p, &m->p->all, n, n * a->bytes);
	if (a->weight)
		lt_profile_row_count(m->p, lt_profile_row_at(m, a->row), n * a->weight,
				     n * a->weight * a->bytes);
}

static void take(struct lt_profile_maker *m, uint64_t time)
{
	lt_profile_settle(m);
	lt_profile_take_now(m->p, time);
	m->taken = true;
}

/* Before a step at @time. */
static void take_before(struct lt_profile_maker *m, uint64_t time)
{
	if (m->p->opts.at == LT_AT_TIME && !m->taken && time > m->p->opts.time)
		take(m, m->p->opts.time);
}

/* At the end of the trace, what is alive at the instant if that is not the end. */
static void take_last(struct lt_profile_maker *m, uint64_t end)
{
	struct lt_profile *p = m->p;

	lt_profile_settle(m);
	if (p->opts.line)
		lt_timeline_settle(p->opts.line);
	lt_profile_keep_peaks(p);
	if (p->opts.peak && !m->peak_taken)
		p->peak = end;
	if (p->opts.at == LT_AT_END)
		p->instant = end;
	else if (p->opts.at == LT_AT_PEAK)
		lt_profile_use_peak(p);
	else if (!m->taken)
		take(m, end);
}

static struct lt_profile_step step_of(const struct lt_profile_alive *a, uint64_t time, bool born)
{
	return (struct lt_profile_step){
		.time = time, .ptr = a->ptr, .bytes = a->bytes, .cache = a->cache, .row = a->row,
		.n = a->weight, .objects = 1, .born = born,
	};
}

static void add_step(struct lt_profile_maker *m, const struct lt_profile_alive *a, uint64_t time,
		     bool born)
{
	const struct lt_profile_step step = step_of(a, time, born);

	lt_steps_add(&m->steps, &step);
}

/* It is not sure to be alive at the end: for the steps it is not. */
static void end_step(struct lt_profile_maker *m, const struct lt_lifetime *l)
{
	const struct lt_profile_alive *a;
	uint32_t number;

	if (!m->p->opts.step || l->certainty == LT_OPEN || l->ending != LT_END_ALIVE)
		return;
	a = lt_profile_find(m, l->ptr, &number);
	if (a)
		add_step(m, a, l->death.time, false);
}

static void born(void *arg, enum lt_space space, const struct lt_obj *o)
{
	struct lt_profile_maker *m = arg;
	uint64_t time = lt_birth_seen(o, m->t);
	struct lt_profile_step *step;
	struct lt_profile_alive a;

	step = space == LT_SPACE_SLAB && m->corrected == o->ptr ?
		lt_steps_undo(&m->steps, o->ptr) : NULL;
	m->corrected = 0;
	if (space != m->space)
		return;
	lt_profile_begin_line(m, time);
	take_before(m, time);
	if (!is_wanted(m, o))
		return;
	a = (struct lt_profile_alive){
		.ptr = o->ptr, .bytes = o->bytes_alloc ? o->bytes_alloc : o->bytes_req,
		.cache = lt_obj_cache_key(&m->kmalloc, o), .weight = lt_profile_weight(m, o),
	};
	a.row = a.weight ? row_of(m, o) : ROW_NONE;
	lt_profile_keep(m, &a);
	m->step++;
	count_now(m, &a, true);
	if (step)
		*step = step_of(&a, step->time, true);
	else
		add_step(m, &a, time, true);
	lt_profile_peak(m, time);
	m->reborn = false;
}

static void gone(void *arg, enum lt_space space, const struct lt_obj *o, enum lt_ending ending,
		 uint64_t time)
{
	struct lt_profile_maker *m = arg;
	struct lt_profile_alive *a, of_step;
	uint32_t number;

	/* If no release follows, the next birth is a second event of one allocation. */
	m->corrected = space == LT_SPACE_SLAB && ending == LT_END_REBORN ? o->ptr : 0;
	if (space != m->space || o->kind == LT_CLASS_NONE)
		return;
	take_before(m, time);
	a = lt_profile_find(m, o->ptr, &number);
	if (!a && !lt_profile_born_by_step(m, o, &of_step))
		return;
	m->step++;
	m->reborn = ending == LT_END_REBORN;
	count_now(m, a ? a : &of_step, false);
	if (a) {
		add_step(m, a, time, false);
		lt_profile_drop(m, o->ptr, number);
	}
	lt_profile_peak(m, time);
}

static void released(void *arg, enum lt_space space, const struct lt_obj *o,
		     enum lt_ending ending, uint64_t time, bool rcu)
{
	struct lt_profile_maker *m = arg;

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
	struct lt_profile_maker *m = arg;
	struct lt_profile_row *row;
	struct lt_profile_alive *a, half;
	uint32_t number;
	/* The allocation of an older block is none of this trace. */
	bool older = o->time < lt_trace_cut(m->t);

	a = m->space == LT_SPACE_PAGE ? lt_profile_find(m, o->ptr, &number) : NULL;
	if (!a)
		return;
	add_step(m, a, m->now, false);
	a->bytes /= 2;
	half = *a;
	half.ptr += 1ULL << (o->order - 1);
	add_step(m, a, m->now, true);
	add_step(m, &half, m->now, true);
	lt_profile_keep(m, &half);
	m->p->all.now++;
	m->p->all.births -= !older;
	if (!half.weight)
		return;
	row = lt_profile_row_at(m, half.row);
	lt_profile_keep_peak(m->p, row);
	row->now += half.weight;
	row->births -= older ? 0 : half.weight;
}

/* ------------------------------------------------------------------------
 * What has ended
 */

static void ended(void *arg, const struct lt_lifetime *l)
{
	struct lt_profile_maker *m = arg;
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
	if (m->p->opts.line)
		lt_timeline_add(m->p->opts.line, l, lt_obj_cache_key(&m->kmalloc, &o));
	if (m->p->opts.lifetime)
		m->p->opts.lifetime(m->p->opts.arg, m->p, l, lt_obj_cache_key(&m->kmalloc, &o));
	weight = lt_profile_weight(m, &o);
	if (weight)
		lt_profile_row_add(lt_profile_row_at(m, row_of(m, &o)), l, weight, at_end);
}

/* ------------------------------------------------------------------------
 * The pass
 */

static void begin(void *arg, struct lt_lifetimes *lf)
{
	((struct lt_profile_maker *)arg)->lf = lf;
}

static int event(void *arg, const struct lt_event *ev)
{
	struct lt_profile_maker *m = arg;

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
	struct lt_profile_maker *m = arg;

	take_last(m, lt_trace_end(m->t));
	lt_steps_finish(&m->steps);
}

static void init(struct lt_profile *p, const struct lt_profile_options *opts)
{
	p->opts = *opts;
	p->opts.peak |= opts->at == LT_AT_PEAK;
	p->opts.report.by = lt_profile_has_level(p, LT_LEVEL_STACK) ? LT_BY_STACK : LT_BY_CACHE;
	if (!p->opts.max_rows)
		p->opts.max_rows = LT_PROFILE_ROWS;
	lt_names_init(&p->names);
	p->stacks = lt_row_stacks_new(p->opts.report.depth, p->opts.report.skip_wrappers);
}

/* @p has its options and its trace. */
static struct lt_profile_maker *begin_pass(struct lt_profile *p, struct lt_lifetime_pass *pass)
{
	struct lt_profile_maker *m = lt_alloc(sizeof(*m));

	m->p = p;
	m->t = p->trace;
	m->space = lt_space_chosen(p->opts.report.space);
	m->out = p->opts.report.no_recorder ? lt_own_new(m->t) : NULL;
	m->seed = lt_hash_seed();
	lt_map_init(&m->rows);
	lt_map_init(&m->by_ptr);
	lt_pool_init(&m->pool, sizeof(struct lt_profile_alive));
	lt_kmalloc_init(&m->kmalloc, m->t);
	lt_weights_init(&m->weights, m->t);
	if (lt_profile_has_level(p, LT_LEVEL_STACK) && m->space == LT_SPACE_SLAB)
		p->stacks_one_in = m->weights.one_in;
	lt_steps_init(&m->steps, p);
	m->plain = lt_profile_plain_new(m);
	*pass = (struct lt_lifetime_pass){
		.ops = {
			.ended = ended, .born = born, .gone = gone, .cache = find_cache,
			.halved = halved, .released = released, .arg = m,
		},
		.begin = begin, .event = event, .plain = plain, .end = end,
	};
	lt_profile_plain_ops(m, &pass->ops);
	return m;
}

static void end_pass(struct lt_profile_maker *m)
{
	lt_profile_plain_free(m->plain);
	lt_weights_destroy(&m->weights);
	lt_pool_destroy(&m->pool);
	lt_map_destroy(&m->by_ptr);
	lt_map_destroy(&m->rows);
	free(m->module_of);
	lt_own_free(m->out);
	free(m);
}

struct lt_profile *lt_profile_make(const char *path, const struct lt_profile_options *opts)
{
	struct lt_lifetime_pass pass;
	struct lt_profile_maker *m;
	struct lt_profile *p;

	if ((opts->at != LT_AT_END || opts->peak) && lt_filter_needs_end(opts->report.filter)) {
		lt_error("%s: what was alive then is not known of objects that a filter chooses "
			 "by their end (--older, --certainty, --why)", lt_file_name(path));
		return NULL;
	}
	p = lt_alloc(sizeof(*p));
	init(p, opts);
	p->report = opts->made ? opts->made : lt_report_make(path, &p->opts.report);
	if (p->report)
		p->trace = lt_trace_open(path);
	if (!p->trace) {
		lt_profile_free(p);
		return NULL;
	}
	m = begin_pass(p, &pass);
	lt_lifetimes_pass(p->trace, &pass);
	end_pass(m);
	lt_profile_sort(p);
	return p;
}

struct lt_profile_maker *lt_profile_begin(struct lt_trace *t, const struct lt_profile_options *opts,
					  struct lt_lifetime_pass *pass)
{
	struct lt_profile *p = lt_alloc(sizeof(*p));

	init(p, opts);
	p->trace = t;
	p->borrows_trace = true;
	return begin_pass(p, pass);
}

struct lt_profile *lt_profile_end(struct lt_profile_maker *m, struct lt_report *made)
{
	struct lt_profile *p = m->p;

	p->report = p->opts.made = made;
	end_pass(m);
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
	if (!p->borrows_trace)
		lt_trace_close(p->trace);
	free(p);
}
