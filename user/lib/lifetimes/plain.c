// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of slab objects that leave no doubt: births at a free address, or in place of an object
 * whose free will not come any more, and frees of objects that were made since, without anything
 * undecided about these, lost or left out. Nearly all events are such.
 * What they mean follows from their form, which is looked at once; rules and whole events, objects
 * and lifetimes are for all others.
 */
#include <string.h>

#include "lifetimes/plain_forms.h"
#include "lifetimes/read.h"
#include "trace/pass.h"

_Static_assert(LT_PLAIN_MAX >= LT_PASS_MAX, "one number for each event of a pass");

#define MANY_FORMS	1024	/* with fewer, what they mean is in the processor's cache */
#define ZERO_SIZE_PTR	16	/* and below there is no object */

/*
 * Whether what an event means depends on its own address alone: what is in doubt, late, or has been
 * resized concerns others.
 */
static bool is_clear(const struct lt_lifetimes *lf)
{
	return lf->trace && !lf->missing && !lf->sampled && !lf->restoring;
}

/**
 * struct plain - events that leave no doubt, on their way to the callbacks
 * @all: steps that were not handed out yet, @n of them
 * @places: what was found of the events ahead; @n_evs of them
 * @from: objects that are older were alive in a gap, or before the trace, or when times were apart
 * @until: at a later time something else is decided
 * @stamp: stamp_now()
 * @flags: of what is born: LT_OBJ_LATE or 0
 * @marked: what is born at some addresses gets LT_OBJ_LATE
 * @only_kfree: steps that are not unsure are those of kmalloc and kfree
 * @odd: whether the way of an object depends on more than its traits: odd_birth(), odd_end()
 * @resized: some object was
 * @reborn: ends that were not seen may be steps
 * @unseen: so many of the steps are such ends
 * @ended: the indices of the steps that are ends, @n_ended of them
 * @unsure: so many of these that were seen are unsure ones
 */
struct plain {
	struct lt_lifetimes *lf;
	struct lt_objtable *t;
	const struct lt_plain_event *evs;
	struct lt_objtable_place *places;
	size_t n_evs;
	struct lt_plain_step all[LT_PLAIN_MAX];
	size_t n;
	uint64_t from;
	uint64_t until;
	uint64_t stamp;
	uint32_t flags;
	bool marked;
	bool only_kfree;
	bool odd;
	bool resized;
	bool reborn;
	uint32_t unseen;
	uint8_t ended[LT_PLAIN_MAX];
	size_t n_ended;
	uint32_t unsure;
};

/* Counts the steps that are ends. */
static void count_ends(struct plain *p)
{
	struct lt_lifetime_stats *stats = &p->lf->stats;
	const size_t exact = p->n_ended - p->unseen - p->unsure;

	stats->certainty[LT_SPACE_SLAB][LT_EXACT] += exact;
	stats->why[LT_SPACE_SLAB][LT_WHY_NONE] += exact;
	stats->certainty[LT_SPACE_SLAB][LT_UNCERTAIN] += p->unsure;
	stats->why[LT_SPACE_SLAB][LT_WHY_NOT_WATCHED] += p->unsure;
	stats->ambiguous += p->unsure;
}

/* No guess of the processor depends on which are births. */
static void sum_bytes(struct lt_plain_steps *steps)
{
	int64_t bytes = 0, most = 0;

	for (const struct lt_plain_step *s = steps->all; s < steps->all + steps->n; s++) {
		const int64_t minus = (int64_t)s->birth - 1;	/* all bits, if it is an end */

		bytes += ((int64_t)steps->traits[s->traits].bytes_alloc ^ minus) - minus;
		most = bytes > most ? bytes : most;
	}
	steps->bytes = bytes;
	steps->most = most;
}

static inline void start(struct plain *p)
{
	p->n = p->n_ended = 0;
	p->unseen = p->unsure = 0;
}

static void hand_out(struct plain *p)
{
	struct lt_plain_steps steps = {
		.all = p->all, .n = p->n, .ends = p->ended, .n_ends = p->n_ended,
		.evs = p->evs, .traits = p->t->traits,
		.n_traits = p->t->n_traits, .n_actors = p->t->actors.n,
		.renewals = p->t->renewals, .reborn = p->unseen,
	};

	if (!steps.n)
		return;
	count_ends(p);
	if (p->lf->ops.plain_bytes)
		sum_bytes(&steps);
	if (p->lf->ops.plain)
		p->lf->ops.plain(p->lf->ops.arg, &steps);
	start(p);
}

/* What is seldom called must not take registers of what is called for each event. */
#define SELDOM	__attribute__((noinline))

/* Return: NULL: they are to be renewed before, or the CPU does not fit. */
static SELDOM const struct lt_plain_actor *find_actor(const struct plain *p,
						      const struct lt_plain_event *ev,
						      struct lt_plain_actor *a)
{
	uint32_t task, number;

	if (p->t->actors.n >= p->t->renew_at || ev->cpu >> 24 || ev->context >> 2)
		return NULL;
	task = lt_intern_number(&p->lf->tasks, (uintptr_t)ev->task);
	number = lt_intern_number(&p->t->actors,
				  (uint64_t)task << 32 | ev->cpu << 8 | ev->context);
	if (number >> ACTOR_BITS)
		return NULL;
	*a = (struct lt_plain_actor){
		.task = ev->task, .who = (ev->cpu << 2 | ev->context) + 1, .number = number,
		.low = actor_low(number), .high = actor_high(number),
	};
	return a;
}

/* Who makes an object. */
static inline const struct lt_plain_actor *actor_of(const struct plain *p,
						    const struct lt_plain_event *ev)
{
	uint32_t who = ev->cpu << 2 | ev->context;
	struct lt_plain_actor *a = &p->lf->plain_actors[who % LT_PLAIN_ACTORS];

	if (a->task == ev->task && a->who == who + 1)
		return a;
	return find_actor(p, ev, a);
}

/* Whether no callback for steps takes an object, because of its address. */
static inline bool is_apart(const struct plain *p, uint64_t ptr)
{
	return LT_STACK_HASH(ptr) < p->lf->ops.plain_apart;
}

/* The way of a birth, if not that of its traits, @way; NOT_ASKED: it is looked at with care. */
static SELDOM enum way odd_birth(const struct plain *p, const struct lt_plain_event *ev,
				 enum way way)
{
	if (p->marked && lt_late_is_expected(p->lf, ev->ptr))
		return NOT_ASKED;
	return is_apart(p, ev->ptr) ? OTHERS : way;
}

/* The way of an object that ends, other than that of its traits, @way. */
static SELDOM enum way odd_end(const struct plain *p, const struct lt_plain_event *ev, enum way way,
			       unsigned int ending)
{
	const struct lt_task **latest = &p->lf->plain_enders[ev->cpu % LT_PLAIN_ENDERS];

	if (p->lf->ops.plain_in_order && *latest != ev->task) {
		*latest = ev->task;
		lt_intern_number(&p->lf->tasks, (uintptr_t)ev->task);
	}
	if (is_apart(p, ev->ptr) || (way == STEPS && p->only_kfree && ending != LT_END_KFREE))
		return OTHERS;
	return way;
}

/*
 * Call sites and tasks get numbers when they first begin or end a life, by whose order equal rows
 * are printed.
 */
static SELDOM void number_site(const struct plain *p, const struct lt_plain_event *plain,
			       struct lt_form_meaning *m)
{
	struct lt_event ev;

	m->numbered = true;
	if (lt_trace_form(p->lf->trace, plain->form, plain->time, &ev))
		m->site = lt_origin_number(p->lf, &ev);
}

/* The table has grown: what was found of the events from one on is elsewhere. */
static SELDOM void find_anew(const struct plain *p, size_t from)
{
	lt_lifetimes_prepare(p->lf, p->evs + from, p->n_evs - from, p->places + from);
}

/* What no callback for steps takes. */
static SELDOM void pass_birth(struct plain *p, const struct lt_packed *obj, uint64_t ptr)
{
	const struct lt_lifetime_ops *ops = &p->lf->ops;
	struct lt_obj o;

	hand_out(p);
	if (!ops->born)
		return;
	unpack(p->t, obj, ptr, 0, &o);
	ops->born(ops->arg, LT_SPACE_SLAB, &o);
}

static inline void add_birth(struct plain *p, size_t i, const struct lt_plain_event *ev,
			     const struct lt_plain_actor *actor, uint32_t traits, enum way way)
{
	struct lt_plain_step *s = &p->all[p->n++];

	s->ns = 0;
	s->maker = ev->task;
	s->traits = traits;
	s->actor = actor->number;
	s->event = (uint8_t)i;
	s->cpu = ev->cpu;
	s->context = ev->context;
	s->birth = true;
	s->ending = LT_END_ALIVE;
	s->unsure = way == UNSURE_STEPS;
}

/* Whether nothing happens at an event's address while a free of a former holder may come. */
static bool is_last(const struct plain *p, size_t i)
{
	const struct lt_plain_event *const evs = p->evs, *const end = evs + p->n_evs;
	const struct lt_plain_event *ev = &evs[i];

	while (++ev < end && ev->ptr != evs[i].ptr) {
		if (ev->time - evs[i].time > LT_DOUBT_NS)
			return true;
	}
	return false;
}

/* Whether the free of an object in whose place another is born was not seen and will not be. */
static bool is_over(const struct plain *p, size_t i, const struct lt_packed *obj,
		    const struct lt_traits *born)
{
	const struct lt_lifetime_ops *ops = &p->lf->ops;
	const uint64_t time = time_of_packed(p->t, obj);
	const enum way way = way_of(p->lf, traits_of_packed(obj));
	struct lt_size size;
	struct lt_obj o;

	if (time < p->from || (way != STEPS && way != UNSURE_STEPS) || !is_last(p, i))
		return false;
	/* Some kernels trace it twice. */
	if (born->kind == LT_CLASS_KMALLOC && born->bytes_alloc > 2U << p->lf->config.page_shift)
		return false;
	if (p->resized) {
		unpack(p->t, obj, p->evs[i].ptr, 0, &o);
		if (lt_resize_get(&p->lf->resizes, &o, &size))
			return false;
	}
	return !ops->plain ||
		ops->plain_reborn(ops->arg, traits_of_packed(obj), p->t->renewals, time);
}

/* The end of an object in whose place another one is born. */
static void add_unseen_end(struct plain *p, size_t i, const struct lt_packed *obj)
{
	const uint32_t number = actor_of_packed(obj);
	const uint64_t actor = lt_intern_value(&p->t->actors, number);
	struct lt_lifetime_stats *stats = &p->lf->stats;

	p->unseen++;
	p->ended[p->n_ended++] = (uint8_t)p->n;
	p->all[p->n++] = (struct lt_plain_step){
		.ns = p->evs[i].time - time_of_packed(p->t, obj),
		.maker = lt_life_task(p->lf, (uint32_t)(actor >> 32)),
		.traits = traits_of_packed(obj),
		.further = (uint32_t)stats->births[LT_SPACE_SLAB] - obj->count, .actor = number,
		.cpu = (uint32_t)actor >> 8, .event = (uint8_t)i, .context = (uint8_t)actor,
		.ending = LT_END_REBORN,
		.unsure = way_of(p->lf, traits_of_packed(obj)) == UNSURE_STEPS,
	};
	stats->certainty[LT_SPACE_SLAB][LT_BOUNDED]++;
	stats->why[LT_SPACE_SLAB][LT_WHY_NO_FREE]++;
	stats->ending[LT_END_REBORN]++;
}

/* A birth at an address that has an object. Return: false: it must be looked at with care. */
static SELDOM bool replace(struct plain *p, size_t i, const struct lt_plain_actor *actor,
			   uint32_t traits, const struct lt_objtable_place *place)
{
	const struct lt_plain_event *ev = &p->evs[i];
	enum way way = way_of(p->lf, traits);
	struct lt_packed *obj;

	if (!p->reborn || way > UNSURE_STEPS || (p->odd && is_apart(p, ev->ptr)))
		return false;
	obj = lt_objtable_seek_anew(p->t, place->mixed);
	if (is_whole(obj) || flags_of_packed(obj) || !is_over(p, i, obj, &p->t->traits[traits]))
		return false;
	p->lf->stats.births[LT_SPACE_SLAB]++;
	add_unseen_end(p, i, obj);
	set_packed(obj, ev->time - p->t->base, actor->low, actor->high, traits,
		   (uint32_t)p->lf->stats.births[LT_SPACE_SLAB]);
	add_birth(p, i, ev, actor, traits, way);
	/* This event took two places. Room for all that may follow, at least one, is kept. */
	if (p->n + p->n_evs - i > LT_PLAIN_MAX)
		hand_out(p);
	return true;
}

static inline bool birth(struct plain *p, size_t i, const struct lt_plain_event *ev,
			 const struct lt_objtable_place *place, const struct lt_form_meaning *m)
{
	struct lt_objtable *t = p->t;
	const struct lt_plain_actor *actor = actor_of(p, ev);
	enum way way = (enum way)m->way;
	struct lt_packed *obj;
	uint64_t count;

	if (!actor || (ev->time - t->base) >> TIME_BITS)
		return false;
	if (p->odd) {
		way = odd_birth(p, ev, way);
		if (way == NOT_ASKED)
			return false;
	}
	obj = new_at_place(t, place);
	if (!obj)
		return replace(p, i, actor, m->traits, place);
	obj->key |= p->flags;
	count = ++p->lf->stats.births[LT_SPACE_SLAB];
	set_packed(obj, ev->time - t->base, actor->low, actor->high, m->traits, (uint32_t)count);
	if (way <= UNSURE_STEPS)
		add_birth(p, i, ev, actor, m->traits, way);
	else
		pass_birth(p, obj, ev->ptr);
	if (t->growths != p->lf->prepared)
		find_anew(p, i + 1);
	return true;
}

/* As pass_birth(). */
static SELDOM void pass_end(struct plain *p, const struct lt_plain_event *ev,
			    const struct lt_packed *packed,
			    const struct lt_form_meaning *m)
{
	struct lt_lifetimes *lf = p->lf;
	struct lt_death death = {
		.time = ev->time, .site = m->site,
		.task = lt_intern_number(&lf->tasks, (uintptr_t)ev->task), .cpu = ev->cpu,
		.context = ev->context,
		.count = (uint32_t)lf->stats.births[LT_SPACE_SLAB], .ending = m->ending,
	};
	struct lt_obj obj;

	hand_out(p);
	unpack(p->t, packed, ev->ptr, 0, &obj);
	lt_life_gone(lf, LT_SPACE_SLAB, &obj, death.ending, death.time);
	lt_life_released(lf, LT_SPACE_SLAB, &obj, death.ending, death.time, false);
	lt_life_ended(lf, LT_SPACE_SLAB, &obj, &death, 0);
}

static inline void add_end(struct plain *p, size_t i, const struct lt_plain_event *ev,
			   const struct lt_packed *obj, uint64_t born,
			   const struct lt_form_meaning *m, bool unsure)
{
	const uint32_t number = actor_of_packed(obj);
	const uint64_t actor = lt_intern_value(&p->t->actors, number);
	struct lt_lifetimes *lf = p->lf;
	struct lt_plain_step *s = &p->all[p->n];

	p->ended[p->n_ended++] = (uint8_t)p->n++;
	p->unsure += unsure;
	lf->stats.ending[m->ending]++;
	s->ns = ev->time - born;
	s->maker = lt_life_task(lf, (uint32_t)(actor >> 32));
	s->traits = traits_of_packed(obj);
	s->actor = number;
	s->further = (uint32_t)lf->stats.births[LT_SPACE_SLAB] - obj->count;
	s->event = (uint8_t)i;
	s->cpu = (uint32_t)actor >> 8;
	s->context = (uint8_t)actor;
	s->ending = m->ending;
	s->birth = false;
	s->other_cpu = ev->cpu != (uint32_t)actor >> 8;
	s->other_context = ev->context != (uint8_t)actor;
	s->unsure = unsure;
}

/* Whether an object is gone by its free, although it is flagged or something was resized. */
static SELDOM bool ends(const struct plain *p, const struct lt_plain_event *ev,
			const struct lt_packed *obj, const struct lt_form_meaning *m)
{
	const struct lt_event free = {
		.time = ev->time, .task = ev->task, .cpu = ev->cpu, .context = ev->context,
		.class = ev->class,
	};
	struct lt_size size;
	struct lt_obj o;

	if (is_whole(obj))
		return false;
	unpack(p->t, obj, ev->ptr, 0, &o);
	if (lt_resize_get(&p->lf->resizes, &o, &size) || o.flags & ~LT_OBJ_LATE)
		return false;
	return !(o.flags & LT_OBJ_LATE) || m->ending != LT_END_CACHE_FREE ||
	       !lt_rule_may_be_former(&p->lf->config, &o, lt_life_task(p->lf, o.task), &free);
}

static inline bool take_free(struct plain *p, size_t i, const struct lt_plain_event *ev,
			     struct lt_objtable_place *place, struct lt_form_meaning *m)
{
	struct lt_objtable *t = p->t;
	struct lt_packed *obj = seek_place(t, place);
	enum way way;
	uint64_t born;

	if (!obj)
		return false;
	if ((flags_of_packed(obj) || p->resized) && !ends(p, ev, obj, m))
		return false;
	born = time_of_packed(t, obj);
	/* Whole objects have traits of no size. */
	way = way_of(p->lf, traits_of_packed(obj));
	if (born < p->from || way == UNSIZED)
		return false;
	if (!m->numbered)
		number_site(p, ev, m);
	if (p->odd)
		way = odd_end(p, ev, way, m->ending);
	if (way == OTHERS)
		pass_end(p, ev, obj, m);
	else
		add_end(p, i, ev, obj, born, m, way == UNSURE_STEPS);
	drop_packed_at(t, part_of(t, place->mixed), place->at, obj);
	return true;
}

static inline uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Numbers that were renewed mean others. */
static void forget_numbers(struct lt_lifetimes *lf)
{
	const struct lt_objtable *t = &lf->live[LT_SPACE_SLAB];

	if (lf->plain_renewals == t->renewals)
		return;
	lf->plain_renewals = t->renewals;
	memset(lf->plain_actors, 0, sizeof(lf->plain_actors));
	if (lf->n_plain_ways)
		memset(lf->plain_ways, 0, lf->n_plain_ways * sizeof(*lf->plain_ways));
}

/* Return: whether the event was taken. */
static inline bool take(struct plain *p, size_t i, const struct lt_plain_event *ev,
			struct lt_objtable_place *place)
{
	struct lt_form_meaning *m;

	if (!ev->form)
		return ev->class == LT_CLASS_NONE;	/* it announces a site */
	if (ev->ptr <= ZERO_SIZE_PTR)
		return false;
	m = meaning_of(p->lf, p->stamp, ev);
	if (m->act == BIRTH)
		return birth(p, i, ev, place, m);
	return m->act == FREE ? take_free(p, i, ev, place, m) : m->act == NOTHING;
}

#define BIT(class)	(1ULL << (class) % 64)

static inline bool is_birth(unsigned int class)
{
	const uint64_t births = BIT(LT_CLASS_KMALLOC) | BIT(LT_CLASS_CACHE_ALLOC) |
				BIT(LT_CLASS_BULK_ALLOC);

	return births >> class % 64 & 1;
}

void lt_lifetimes_prepare(struct lt_lifetimes *lf, const struct lt_plain_event *evs, size_t n,
			  struct lt_objtable_place *places)
{
	const struct lt_objtable *t = &lf->live[LT_SPACE_SLAB];

	lf->prepared = t->growths;
	for (size_t i = 0; i < n; i++) {
		places[i].mixed = lt_objtable_mix(t, evs[i].ptr);
		find_groups(t, &places[i]);
	}
	if (lf->n_forms > MANY_FORMS) {
		for (size_t i = 0; i < n; i++)
			__builtin_prefetch(&lf->forms[evs[i].form < lf->n_forms ? evs[i].form : 0]);
	}
	for (size_t i = 0; i < n; i++)
		find_ahead(t, &places[i], is_birth(evs[i].class));
}

/* Prepares for events up to the next decision that waits for its time. */
static void begin(struct plain *p, struct lt_lifetimes *lf, uint64_t gap_end)
{
	const struct lt_lifetime_config *c = &lf->config;

	forget_numbers(lf);
	p->stamp = stamp_now(lf);
	p->from = latest(latest(gap_end, lf->begin), latest(lf->healed_to, c->unordered_until));
	p->until = lt_lifetimes_waits_until(lf);
	p->flags = c->late_free && (lf->unseen || gap_end || lt_late_is_usual(lf)) ?
		   LT_OBJ_LATE : 0;
	p->marked = c->late_free && !p->flags && lf->late.n;
	p->only_kfree = c->unwatched_free[LT_SPACE_SLAB] && c->unwatched_cache &&
		!c->unwatched_kmalloc;
	p->odd = p->marked || p->only_kfree || lf->ops.plain_apart || lf->ops.plain_in_order;
	p->resized = lf->resizes.n;
	p->reborn = !c->late_free && (!lf->ops.plain || lf->ops.plain_reborn);
}

/* Of @n events in order, how many come up to and with a time. */
static size_t count_until(const struct lt_plain_event *evs, size_t n, uint64_t time)
{
	if (evs[n - 1].time > time) {
		for (n = 0; evs[n].time <= time; n++)
			;
	}
	return n;
}

/* Return: how many events were taken. */
static size_t take_some(struct plain *p, uint64_t gap_end)
{
	const struct lt_plain_event *const evs = p->evs;
	struct lt_objtable_place *const places = p->places;
	const size_t n = count_until(evs, p->n_evs, p->until);
	size_t i = 0;

	if (p->lf->prepared != p->t->growths)
		find_anew(p, 0);
	while (i < n && take(p, i, &evs[i], &places[i]))
		i++;
	hand_out(p);
	p->lf->gapped |= i && gap_end;
	return i;
}

size_t lt_lifetimes_plain(struct lt_lifetimes *lf, const struct lt_plain_event *evs,
			  struct lt_objtable_place *places, size_t n, uint64_t gap_end)
{
	struct plain p;
	size_t i = 0;

	p.lf = lf;
	p.t = &lf->live[LT_SPACE_SLAB];
	start(&p);
	if (!is_clear(lf) || !p.t->have_base)
		return 0;
	do {
		lt_lifetimes_pass_time(lf, evs[i].time);
		if (lf->ops.plain_ready && !lf->ops.plain_ready(lf->ops.arg))
			break;
		begin(&p, lf, gap_end);
		p.evs = evs + i;
		p.places = places + i;
		p.n_evs = n - i;
		i += take_some(&p, gap_end);
	} while (i < n && evs[i].time > p.until);
	return i;
}

const char *lt_lifetimes_unwatched(const struct lt_lifetimes *lf)
{
	const char *which = NULL;

	lt_certainty_is_of_two(&lf->config, LT_CLASS_CACHE_ALLOC, LT_END_CACHE_FREE, &which);
	return which;
}

uint32_t lt_lifetimes_maker(const struct lt_lifetimes *lf, const struct lt_plain_step *step)
{
	return (uint32_t)(lt_intern_value(&lf->live[LT_SPACE_SLAB].actors, step->actor) >> 32);
}

uint64_t lt_lifetimes_end_site(const struct lt_lifetimes *lf, const struct lt_plain_event *ev)
{
	return lt_lifetimes_site(lf, lf->forms[ev->form].site);
}
