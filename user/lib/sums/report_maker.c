// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What each event adds to the sums of reports.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "lifetimes/carry.h"
#include "sums/report_maker.h"

/* In keys by task: not a task, but the context of an interrupt. */
#define KEY_CONTEXT	(1ULL << 40)
#define KEY_NO_GROUP	(1ULL << 63)	/* above all numbers of groups */

/* ------------------------------------------------------------------------
 * Rows
 */

static uint64_t size_class(uint64_t bytes)
{
	uint64_t size = 8;

	while (size < bytes && size < 1ULL << 62)
		size *= 2;
	return size;
}

/* The cgroup or call of the task that made an object, when it did, or the context. */
static uint64_t group_of(const struct lt_maker *m, const struct lt_obj *o)
{
	const struct lt_report_options *opts = &m->r->opts;
	const struct lt_task *task;

	if (o->context != LT_CTX_TASK)
		return KEY_NO_GROUP | o->context;
	task = lt_lifetimes_task(m->lf, o->task);
	return task ? opts->group(opts->groups, task, o->time) & ~KEY_NO_GROUP : 0;
}

/* The name of the task that made an object, as it was called then; "" in an interrupt. */
static const char *comm_of(const struct lt_maker *m, const struct lt_obj *o)
{
	const struct lt_task *task = lt_lifetimes_task(m->lf, o->task);

	return task && o->context == LT_CTX_TASK ? lt_task_comm_at(task, o->time) : "";
}

/* The key of the row of an object, 0: not known. */
static uint64_t key_of(const struct lt_maker *m, const struct lt_obj *o)
{
	switch (m->r->opts.by) {
	case LT_BY_SITE:
		return lt_lifetimes_place(m->lf, o->site);
	case LT_BY_CACHE:
		return lt_obj_cache_key(&m->r->kmalloc, o);
	case LT_BY_TASK:
	case LT_BY_PROCESS:
		return o->context == LT_CTX_TASK ? o->task : KEY_CONTEXT | o->context;
	case LT_BY_SIZE:
		return o->bytes_req ? size_class(o->bytes_req) : 0;
	case LT_BY_CGROUP:
	case LT_BY_SYSCALL:
	case LT_BY_CALL:
		return group_of(m, o);
	case LT_BY_STACK:
		return lt_row_stacks_number(m->r->stacks, m->r->trace,
					    lt_lifetimes_site(m->lf, o->site),
					    lt_lifetimes_stack(m->lf, o->site));
	case LT_BY_PIECE:
		return lt_pieces_number(m->r->pieces,
					lt_obj_cache_key(&m->r->kmalloc, o),
					lt_lifetimes_site(m->lf, o->site),
					m->r->opts.comms ? comm_of(m, o) : NULL);
	}
	return 0;
}

/* How many objects alive now this object stands for: of its space, and in the rows. */
static uint64_t weight_of(const struct lt_maker *m, const struct lt_obj *o)
{
	return m->weights.by_birth ? lt_lifetimes_weight(m->lf, o->time) : m->sample;
}

/* For how many births one at a time stands. */
static uint64_t birth_weight(const struct lt_maker *m, uint64_t time)
{
	const struct lt_trace *t = m->weights.by_birth;
	size_t period = t ? lt_trace_sample_period(t, time) : 0;

	return t ? lt_trace_sample_over(t, period, period) : m->sample;
}

/* Where the end decides whether an object is wanted, its birth counts only if the end was seen. */
static struct lt_stands stands_for(const struct lt_maker *m, const struct lt_lifetime *l)
{
	struct lt_stands s = { 1, 1 };

	if (m->sample > 1)
		s = lt_weights_stand(&m->weights, l);
	if (lt_filter_needs_end(m->r->opts.filter))
		s.births = s.lives;
	return s;
}

static uint64_t in_rows(const struct lt_maker *m, uint64_t sample, const struct lt_obj *o)
{
	return lt_weight_in_rows(&m->weights, sample, m->r->opts.by == LT_BY_STACK, o);
}

static uint32_t add_row(struct lt_maker *m, uint64_t key)
{
	uint32_t number = lt_intern_number(&m->keys, key);
	struct lt_report *r = m->r;

	while (r->n_rows <= number) {
		r->rows = lt_grow(r->rows, &m->cap_rows, r->n_rows, sizeof(*r->rows));
		lt_report_row_init(&r->rows[r->n_rows++]);
	}
	return number;
}

/* By site the key is a small number: an array has the number of its row. */
static inline uint32_t row_of_place(struct lt_maker *m, const struct lt_obj *o)
{
	uint32_t place = o->site & LT_ORIGIN ? lt_lifetimes_place(m->lf, o->site) : o->site;

	if (place >= m->n_places)
		m->places = lt_extend(m->places, &m->n_places, (size_t)place + 1,
				      sizeof(*m->places));
	if (!m->places[place])
		m->places[place] = add_row(m, place) + 1;
	return m->places[place] - 1;
}

/* What a row is about that has nothing, or has nothing more. */
static void begin_row(const struct lt_maker *m, struct lt_report_row *row, const struct lt_obj *o)
{
	uint64_t key = key_of(m, o);

	row->key = key;
	row->site = lt_lifetimes_site(m->lf, o->site);
	row->cache = lt_obj_cache_key(&m->r->kmalloc, o);
	row->context = o->context;
	row->task = o->context == LT_CTX_TASK ? lt_lifetimes_task(m->lf, o->task) : NULL;
	row->group = m->r->opts.group && !(key & KEY_NO_GROUP) ? key : 0;
	row->stack = m->r->opts.by == LT_BY_STACK ? (uint32_t)key : 0;
	row->size = o->bytes_req ? size_class(o->bytes_req) : 0;
}

struct lt_report_row *lt_maker_row(struct lt_maker *m, const struct lt_obj *o)
{
	uint32_t number = m->r->opts.by == LT_BY_SITE ? row_of_place(m, o) :
							add_row(m, key_of(m, o));
	struct lt_report_row *row = &m->r->rows[number];

	if (!lt_report_row_may_be_empty(row))
		return row;
	/* Others with other traits may be in that row. */
	if (row->listed)
		lt_maker_settle(m);
	if (lt_report_row_is_empty(row))
		begin_row(m, row, o);
	return row;
}

/* As many objects more are alive at this moment, or less modulo 2^64. */
static void count_now(struct lt_maker *m, const struct lt_obj *o, uint64_t n, uint64_t bytes)
{
	uint64_t weight = in_rows(m, n, o);
	struct lt_report_row *all = &m->r->all, *row = weight ? lt_maker_row(m, o) : NULL;

	m->live_bytes += n * bytes;
	all->now += n;
	all->now_bytes += n * bytes;
	if (!row)
		return;
	lt_maker_keep_peak(m, row);
	row->now += weight;
	row->now_bytes += weight * bytes;
}

/*
 * An object is gone, and its lifetime comes out later. If no other one is alive, the next one of
 * the row that is born or ends is what the row is about.
 */
static void note_hollow(struct lt_maker *m, const struct lt_obj *o)
{
	struct lt_report_row *row = m->sums_rows ? lt_maker_row(m, o) : NULL;

	if (!row || row->births || row->lifetimes || row->hollow)
		return;
	lt_maker_settle(m);
	row->hollow = !row->births && !row->lifetimes;
	m->hollow += row->hollow;
}

/* Adds a lifetime where each counts once. */
static void add_one(struct lt_maker *m, const struct lt_lifetime *l, const struct lt_obj *o)
{
	struct lt_report_row *row = lt_maker_row(m, o);

	lt_report_row_add(row, l, &m->r->opts, (struct lt_stands){ 1, 1 });
	m->hollow -= row->hollow;
	row->hollow = false;
}

static uint64_t bytes_of(const struct lt_maker *m, const struct lt_obj *o)
{
	(void)m;
	return o->bytes_alloc ? o->bytes_alloc : o->bytes_req;
}

/* ------------------------------------------------------------------------
 * The filter
 */

static const struct lt_cache *find_cache(const struct lt_maker *m, uint32_t id);

/* The cache may be announced later. */
static void note_unknown(struct lt_maker *m, uint32_t cache)
{
	if (cache / 64 >= m->n_unknown)
		m->unknown = lt_extend(m->unknown, &m->n_unknown, cache / 64 + 64,
				       sizeof(*m->unknown));
	m->unknown[cache / 64] |= 1ULL << cache % 64;
}

/* NULL: not known. */
static const char *cache_name(struct lt_maker *m, const struct lt_obj *o, char *buf, size_t size)
{
	uint64_t key = lt_obj_cache_key(&m->r->kmalloc, o);
	const struct lt_cache *cache = find_cache(m, o->cache);

	if (!cache && o->cache && o->cache < LT_FIRST_DEVICE)
		note_unknown(m, o->cache);
	return lt_cache_name(m->r->trace, key, cache, buf, size);
}

/* Whether the object is one that the report is about, as far as its birth decides. */
static bool pick(struct lt_maker *m, const struct lt_obj *o)
{
	struct lt_filter *filter = m->r->opts.filter;
	struct lt_moment birth;
	char buf[128];

	if (!filter)
		return true;
	if (m->of_time)
		return lt_maker_has_time(m, o->time);
	birth = (struct lt_moment){
		.known = true, .context = o->context, .cpu = o->cpu, .time = o->time,
		.call_site = lt_lifetimes_site(m->lf, o->site),
		.task = lt_lifetimes_task(m->lf, o->task),
	};
	if (!lt_filter_birth(filter, m->r->trace, &birth, o->bytes_req,
			     cache_name(m, o, buf, sizeof(buf))))
		return false;
	lt_picked_add(&m->picked, o->ptr);
	return true;
}

static bool passes(struct lt_maker *m, const struct lt_lifetime *l, const struct lt_obj *o)
{
	char buf[128];

	if (m->of_time)
		return l->birth.known && lt_maker_has_time(m, l->birth.time);
	return !m->r->opts.filter || lt_filter_lifetime(m->r->opts.filter, m->r->trace, l,
							cache_name(m, o, buf, sizeof(buf)));
}

/* Counts a lifetime that the filter wants. */
static bool wanted(struct lt_maker *m, const struct lt_lifetime *l, const struct lt_obj *o)
{
	if (!passes(m, l, o))
		return false;
	if (m->r->opts.filter)
		lt_lifetime_stats_add(&m->counted, l);
	return true;
}

/* ------------------------------------------------------------------------
 * What an event adds to one report
 */

void lt_maker_take_peak(struct lt_maker *m, uint64_t time)
{
	struct lt_report *r = m->r;

	if (m->live_bytes > r->peak_bytes) {
		r->peak_bytes = m->live_bytes;
		r->peak_time = time;
	} else if (!m->reborn || m->live_bytes != r->peak_bytes || m->peak_step + 2 != m->step) {
		return;
	}
	/*
	 * Or an object was born in place of another one of its size: perhaps the
	 * call site was corrected. The rows at the peak are those after that.
	 */
	m->peak_step = m->step;
	m->peaks++;
	r->all.peak = r->all.now;
	r->all.peak_bytes = r->all.now_bytes;
}

static void maker_born(struct lt_maker *m, enum lt_space space, const struct lt_obj *o)
{
	uint64_t time = lt_birth_seen(o, m->r->trace);

	if (m->r->coverage && space == LT_SPACE_SLAB && m->corrected != o->ptr)
		lt_coverage_born(m->r->coverage, o);
	m->corrected = 0;
	if (space == m->space && time < m->r->watched)
		m->r->watched = time;
	if (space != m->space || lt_own_obj(m->out, m->lf, o) || !pick(m, o))
		return;
	if (!bytes_of(m, o) && o->cache < LT_FIRST_DEVICE)
		note_unknown(m, o->cache);
	m->step++;
	count_now(m, o, weight_of(m, o), bytes_of(m, o));
	lt_maker_take_peak(m, time);
	m->reborn = false;
}

static void maker_gone(struct lt_maker *m, enum lt_space space, const struct lt_obj *o,
		       enum lt_ending ending, uint64_t time)
{
	if (m->r->coverage && space == LT_SPACE_SLAB && ending == LT_END_RCU)
		lt_coverage_requested(m->r->coverage, o, time);
	/* If no release follows, the next birth is a second event of one allocation. */
	m->corrected = space == LT_SPACE_SLAB && ending == LT_END_REBORN ? o->ptr : 0;
	if (space != m->space || o->kind == LT_CLASS_NONE || lt_own_obj(m->out, m->lf, o) ||
	    !lt_maker_was_picked(m, o))
		return;
	m->step++;
	m->reborn = ending == LT_END_REBORN;
	count_now(m, o, -weight_of(m, o), bytes_of(m, o));
	lt_maker_take_peak(m, time);
	if (ending == LT_END_RCU)
		note_hollow(m, o);
}

static void maker_released(struct lt_maker *m, enum lt_space space, const struct lt_obj *o,
			   enum lt_ending ending, uint64_t time, bool rcu)
{
	m->corrected = 0;
	if (m->r->coverage && space == LT_SPACE_SLAB)
		lt_coverage_released(m->r->coverage, o, time, ending, rcu);
	if (ending == LT_END_REBORN && space == m->space && o->kind != LT_CLASS_NONE &&
	    !lt_own_obj(m->out, m->lf, o))
		note_hollow(m, o);
}

/*
 * Two lifetimes will end where one was born: the allocations that add() will count for
 * them are subtracted in advance, and the allocation of the whole block is counted.
 */
static void count_halved(struct lt_report_row *whole, struct lt_report_row *halves,
			 uint64_t weight, uint64_t bytes)
{
	whole->births += weight;
	whole->bytes += weight * bytes;
	halves->births -= 2 * weight;
	halves->bytes -= weight * bytes;
}

/* One page block is two now: no more bytes, but in reports by size of other rows. */
static void maker_halved(struct lt_maker *m, const struct lt_obj *o)
{
	struct lt_report_row *whole, *halves;
	struct lt_obj half = *o;
	uint64_t n = weight_of(m, o);

	if (m->space != LT_SPACE_PAGE)
		return;
	if (o->time >= lt_trace_cut(m->r->trace))
		lt_counted_take(&m->all, birth_weight(m, o->time));
	if (lt_own_obj(m->out, m->lf, o))
		return;
	if (!lt_maker_is_picked(m, o))
		return;
	if (m->r->opts.filter && !m->of_time)
		lt_picked_add(&m->picked, o->ptr + (1ULL << (o->order - 1)));
	half.bytes_req /= 2;
	half.bytes_alloc /= 2;
	/* In this order: a new row may move the others, and that of the whole is not new. */
	halves = lt_maker_row(m, &half);
	whole = lt_maker_row(m, o);
	lt_maker_keep_peak(m, whole);
	lt_maker_keep_peak(m, halves);
	whole->now -= n;
	whole->now_bytes -= bytes_of(m, o) * n;
	halves->now += 2 * n;
	halves->now_bytes += bytes_of(m, o) * n;
	m->r->all.now += n;
	/* The allocation of an older block is none of this trace. */
	if (o->time < lt_trace_cut(m->r->trace))
		return;
	n = birth_weight(m, o->time);
	count_halved(whole, halves, n, bytes_of(m, o));
	if (!m->sums_rows)
		count_halved(&m->r->all, &m->r->all, n, bytes_of(m, o));
}

/* An object of the tracer itself: it is counted, if the filter wants it, and left out. */
static void count_own(struct lt_maker *m, const struct lt_lifetime *l, const struct lt_obj *o,
		      struct lt_stands stands)
{
	uint64_t bytes = lt_lifetime_bytes(l);
	struct lt_report *r = m->r;

	if (l->space != m->space || !l->birth.known || !passes(m, l, o))
		return;
	r->own_births += l->older ? 0 : stands.births;
	r->own_bytes += l->older ? 0 : stands.births * bytes;
	if (l->ending == LT_END_ALIVE)
		r->own_live_bytes += stands.lives * bytes;
}

static void add_lifetime(struct lt_maker *m, const struct lt_lifetime *l, const struct lt_obj *o,
			 struct lt_stands stands)
{
	struct lt_report_row *row;

	lt_report_row_add(&m->r->all, l, &m->r->opts, stands);
	lt_report_row_vary(&m->r->all, LT_WEIGHTS_ALL, l, &m->weights, stands);
	stands.births = in_rows(m, stands.births, o);
	stands.lives = in_rows(m, stands.lives, o);
	if (!stands.births)
		return;
	row = lt_maker_row(m, o);
	lt_report_row_add(row, l, &m->r->opts, stands);
	lt_report_row_vary(row, (uint32_t)(row - m->r->rows), l, &m->weights, stands);
}

/* Counts a birth, also one that a filter leaves out. */
static void count_birth(struct lt_maker *m, const struct lt_lifetime *l)
{
	if (l->space == m->space && l->birth.known && !l->older)
		lt_counted_add(&m->all, birth_weight(m, l->birth.time));
}

static void maker_ended(struct lt_maker *m, const struct lt_lifetime *l)
{
	struct lt_obj o = lt_lifetime_obj(l);

	count_birth(m, l);
	if (lt_own_lifetime(m->out, l)) {
		lt_lifetime_stats_add(&m->own, l);
		count_own(m, l, &o, stands_for(m, l));
		return;
	}
	if (l->space != m->space || !wanted(m, l, &o) || !l->birth.known)
		return;
	/* It may add to a row that has values to be counted. */
	lt_hist_settle(&m->later);
	if (m->sums_rows)
		add_one(m, l, &o);
	else
		add_lifetime(m, l, &o, stands_for(m, l));
}

/* Of an object whose end will not be seen there is the birth. */
static void maker_left(struct lt_maker *m, const struct lt_obj *o, const struct lt_lifetime *l)
{
	struct lt_stands stands = { birth_weight(m, l->birth.time), 0 };

	if (l->space != m->space)
		return;
	count_birth(m, l);
	if (lt_own_lifetime(m->out, l)) {
		count_own(m, l, o, stands);
		return;
	}
	if (!lt_maker_was_picked(m, o))
		return;
	m->step++;
	m->reborn = false;
	count_now(m, o, -weight_of(m, o), bytes_of(m, o));
	if (!lt_filter_needs_end(m->r->opts.filter) && passes(m, l, o))
		add_lifetime(m, l, o, stands);
}

static void maker_weighs(struct lt_maker *m, enum lt_space space, const struct lt_obj *o,
			 uint64_t more)
{
	if (space != m->space || lt_own_obj(m->out, m->lf, o) || !lt_maker_is_picked(m, o))
		return;
	m->step++;
	m->reborn = false;
	count_now(m, o, more, bytes_of(m, o));
}

static const struct lt_cache *find_cache(const struct lt_maker *m, uint32_t id)
{
	const struct lt_cache *cache = lt_trace_cache(m->r->trace, id);

	return cache || id >= m->n_caches ? cache : &m->caches[id];
}

/* ------------------------------------------------------------------------
 * The callbacks of the pairing
 */

static void born(void *arg, enum lt_space space, const struct lt_obj *o)
{
	const struct lt_makers *makers = arg;

	for (size_t i = 0; i < makers->n; i++)
		maker_born(&makers->all[i], space, o);
}

static void gone(void *arg, enum lt_space space, const struct lt_obj *o, enum lt_ending ending,
		 uint64_t time)
{
	const struct lt_makers *makers = arg;

	for (size_t i = 0; i < makers->n; i++)
		maker_gone(&makers->all[i], space, o, ending, time);
}

static void released(void *arg, enum lt_space space, const struct lt_obj *o,
		     enum lt_ending ending, uint64_t time, bool rcu)
{
	const struct lt_makers *makers = arg;

	for (size_t i = 0; i < makers->n; i++)
		maker_released(&makers->all[i], space, o, ending, time, rcu);
}

static void halved(void *arg, const struct lt_obj *o)
{
	const struct lt_makers *makers = arg;

	for (size_t i = 0; i < makers->n; i++)
		maker_halved(&makers->all[i], o);
}

static void ended(void *arg, const struct lt_lifetime *l)
{
	const struct lt_makers *makers = arg;

	for (size_t i = 0; i < makers->n; i++)
		maker_ended(&makers->all[i], l);
}

static void left(void *arg, const struct lt_obj *o, const struct lt_lifetime *l)
{
	const struct lt_makers *makers = arg;

	for (size_t i = 0; i < makers->n; i++)
		maker_left(&makers->all[i], o, l);
}

static void weighs(void *arg, enum lt_space space, const struct lt_obj *o, unsigned int from,
		   unsigned int to)
{
	const struct lt_makers *makers = arg;

	for (size_t i = 0; i < makers->n; i++)
		maker_weighs(&makers->all[i], space, o, to - from);
}

static const struct lt_cache *cache(void *arg, uint32_t id)
{
	const struct lt_makers *makers = arg;

	return find_cache(&makers->all[0], id);
}

void lt_makers_ops(struct lt_makers *makers, struct lt_lifetime_ops *ops)
{
	*ops = (struct lt_lifetime_ops){
		.ended = ended, .born = born, .gone = gone, .released = released, .cache = cache,
		.halved = halved, .unordered = true, .arg = makers,
	};
	/* Sums of fractions depend on the order. */
	for (size_t i = 0; i < makers->n; i++) {
		ops->unordered &= makers->all[i].r->opts.by != LT_BY_STACK &&
				  !makers->all[i].r->sample;
		if (!makers->all[i].weights.by_birth)
			continue;
		ops->left = left;
		ops->weighs = weighs;
	}
}

int lt_makers_event(void *arg, const struct lt_event *ev)
{
	const struct lt_makers *makers = arg;

	/* A marker may begin or end what is counted for the coverage, which the others have not. */
	if (ev->id == LT_EV_MARKER)
		lt_maker_settle(&makers->all[0]);
	lt_coverage_event(makers->all[0].r->coverage, ev);
	return 0;
}
