// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of slab objects that leave no doubt: births at a free address, and frees of objects that
 * were made since, without anything undecided, lost or left out. Nearly all events are such. What
 * they mean follows from their form, which is looked at once; the rules, and the structs of whole
 * events, objects and lifetimes, are for all others.
 */
#include "base/mem.h"
#include "lifetimes/internal.h"
#include "lifetimes/objtable_internal.h"
#include "lifetimes/read.h"
#include "trace/pass.h"

_Static_assert(LT_PLAIN_MAX >= LT_PASS_MAX, "one number for each event of a pass");

#define ZERO_SIZE_PTR	16	/* and below there is no object */

enum act { CAREFUL, BIRTH, FREE };

/**
 * struct lt_form_meaning - what an event of a form means
 * @stamp: as long as stamp_now() is this; 0: nothing is known
 * @traits: of a birth: the number of its traits
 * @site: of a free: the number of its call site
 * @act: enum act
 * @ending: of a free
 */
struct lt_form_meaning {
	uint64_t stamp;
	uint32_t traits;
	uint32_t site;
	uint8_t act;
	uint8_t ending;
};

/* Caches may be described anew, and traits get other numbers. */
static uint64_t stamp_now(const struct lt_lifetimes *lf)
{
	return (uint64_t)lf->live[LT_SPACE_SLAB].renewals << 32 |
	       (uint32_t)(lt_trace_cache_changes(lf->trace) + 1);
}

/* A birth of known sizes, which fit into traits. */
static void look_at_birth(struct lt_lifetimes *lf, const struct lt_event *ev,
			  struct lt_form_meaning *m)
{
	uint64_t req = ev->bytes_req, alloc = ev->bytes_alloc;
	struct lt_traits traits;

	if (ev->class != LT_CLASS_KMALLOC)
		lt_life_cache_sizes(lf, ev->cache, &req, &alloc);
	if (!alloc || (req | alloc) >> 32 || ev->cache >> 16)
		return;
	traits = (struct lt_traits){
		.site = lt_origin_number(lf, ev), .bytes_req = (uint32_t)req,
		.bytes_alloc = (uint32_t)alloc, .gfp = ev->gfp, .node = ev->node,
		.cache = (uint16_t)ev->cache, .kind = ev->class, .order = ev->order,
	};
	m->traits = lt_objtable_traits(&lf->live[LT_SPACE_SLAB], &traits);
	m->act = m->traits ? BIRTH : CAREFUL;
}

static void look_at(struct lt_lifetimes *lf, const struct lt_plain_event *plain,
		    struct lt_form_meaning *m)
{
	struct lt_event ev;

	*m = (struct lt_form_meaning){ .stamp = stamp_now(lf) };
	if (!lt_trace_form(lf->trace, plain->form, plain->time, &ev))
		return;
	switch (ev.class) {
	case LT_CLASS_KMALLOC:
	case LT_CLASS_CACHE_ALLOC:
	case LT_CLASS_BULK_ALLOC:
		look_at_birth(lf, &ev, m);
		break;
	case LT_CLASS_KFREE:
	case LT_CLASS_CACHE_FREE:
	case LT_CLASS_BULK_FREE:
		m->act = FREE;
		m->ending = (uint8_t)lt_life_ending(ev.class);
		m->site = lt_origin_number(lf, &ev);
		break;
	}
}

static inline const struct lt_form_meaning *meaning_of(struct lt_lifetimes *lf, uint64_t stamp,
						       const struct lt_plain_event *ev)
{
	struct lt_form_meaning *m;

	if (ev->form >= lf->n_forms)
		lf->forms = lt_extend(lf->forms, &lf->n_forms, (size_t)ev->form + 1,
				      sizeof(*lf->forms));
	m = &lf->forms[ev->form];
	if (m->stamp != stamp)
		look_at(lf, ev, m);
	return m;
}

/* Whether nothing is undecided, and an object that is made and freed has an exact lifetime. */
static bool is_clear(const struct lt_lifetimes *lf, uint64_t gap_end)
{
	const struct lt_lifetime_config *c = &lf->config;

	if (lf->doubt_queue.n || lf->late_queue.n || lf->missing || lf->sampled || lf->resizes.n ||
	    lf->restoring || !lf->trace)
		return false;
	if (c->sampled || c->some_tasks || c->unordered_until || c->unwatched_free[LT_SPACE_SLAB])
		return false;
	return !c->late_free || !(lf->late.n || lf->unseen || lf->gapped || c->min_size || gap_end);
}

/* The life of an object of the table. */
static inline void set_life(const struct lt_objtable *t, const struct packed *p,
			    const struct lt_plain_event *ev, struct lt_plain_life *l)
{
	uint64_t actor = lt_intern_value(&t->actors, p->actor);

	l->ev = ev;
	l->traits = &t->traits[p->traits];
	l->number = p->traits;
	l->renewals = t->renewals;
	l->task = (uint32_t)(actor >> 32);
	l->cpu = (uint32_t)actor >> 8;
	l->context = (uint8_t)actor;
	l->born = t->base + p->time_flags;
}

static inline bool birth(struct lt_lifetimes *lf, const struct lt_plain_event *ev, uint64_t mixed,
			 const struct lt_form_meaning *m, uint32_t task)
{
	struct lt_objtable *t = &lf->live[LT_SPACE_SLAB];
	struct lt_objtable_at at;
	struct lt_plain_life l;
	struct packed *p;
	uint32_t id;

	if (ev->cpu >> 24 || ev->time - t->base > TIME_MASK || seek_packed(t, mixed, &at))
		return false;
	p = lt_objtable_new_at(t, &at, &id);
	p->time_flags = ev->time - t->base;
	p->actor = lt_intern_number(&t->actors, (uint64_t)task << 32 | ev->cpu << 8 | ev->context);
	p->traits = m->traits;
	p->count = (uint32_t)++lf->stats.births[LT_SPACE_SLAB];
	if (lf->ops.plain_born) {
		set_life(t, p, ev, &l);
		if (lf->ops.plain_born(lf->ops.arg, &l))
			return true;
	}
	if (lf->ops.born) {
		struct lt_obj obj;

		unpack(t, p, ev->ptr, id, &obj);
		lf->ops.born(lf->ops.arg, LT_SPACE_SLAB, &obj);
	}
	return true;
}

/* What no callback has taken as it is. */
static void end(struct lt_lifetimes *lf, const struct lt_plain_event *ev, const struct packed *p,
		uint32_t task, const struct lt_form_meaning *m)
{
	const struct lt_objtable *t = &lf->live[LT_SPACE_SLAB];
	struct lt_death death = {
		.time = ev->time, .site = m->site, .task = task, .cpu = ev->cpu,
		.context = ev->context,
		.count = (uint32_t)lf->stats.births[LT_SPACE_SLAB], .ending = m->ending,
	};
	struct lt_obj obj;

	unpack(t, p, ev->ptr, 0, &obj);
	lt_life_gone(lf, LT_SPACE_SLAB, &obj, death.ending, death.time);
	lt_life_released(lf, LT_SPACE_SLAB, &obj, death.ending, death.time, false);
	lt_life_ended(lf, LT_SPACE_SLAB, &obj, &death, 0);
}

static inline bool take_free(struct lt_lifetimes *lf, const struct lt_plain_event *ev,
			     uint64_t mixed, const struct lt_form_meaning *m, uint32_t task,
			     uint64_t from)
{
	struct lt_objtable *t = &lf->live[LT_SPACE_SLAB];
	struct lt_objtable_at at;
	struct lt_plain_life l;
	struct packed *p = seek_packed(t, mixed, &at);

	if (!p || p->time_flags & ~TIME_MASK)
		return false;
	set_life(t, p, ev, &l);
	if (l.born < from || !l.traits->bytes_alloc)
		return false;
	l.further = (uint32_t)lf->stats.births[LT_SPACE_SLAB] - p->count;
	l.ending = m->ending;
	if (lf->ops.plain_ended && lf->ops.plain_ended(lf->ops.arg, &l)) {
		lf->stats.certainty[LT_SPACE_SLAB][LT_EXACT]++;
		lf->stats.ending[m->ending]++;
		lf->stats.why[LT_SPACE_SLAB][LT_WHY_NONE]++;
	} else {
		end(lf, ev, p, task, m);
	}
	lt_objtable_drop_at(t, &at, (uint32_t)at.part->slots[at.slot]);
	return true;
}

static inline uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Objects that are older were alive in a gap, or before the trace. */
static uint64_t sure_from(const struct lt_lifetimes *lf, uint64_t gap_end)
{
	return latest(gap_end, latest(lf->begin, lf->healed_to));
}

size_t lt_lifetimes_plain(struct lt_lifetimes *lf, const struct lt_plain_event *evs,
			  const uint64_t *mixed, size_t n, uint64_t gap_end)
{
	const struct lt_objtable *t = &lf->live[LT_SPACE_SLAB];
	const uint64_t from = sure_from(lf, gap_end);
	const struct lt_task *of = NULL;
	uint64_t stamp;
	uint32_t task = 0;
	size_t i;

	if (!is_clear(lf, gap_end) || !t->have_base)
		return 0;
	stamp = stamp_now(lf);
	for (i = 0; i < n; i++) {
		const struct lt_plain_event *ev = &evs[i];
		const struct lt_form_meaning *m;
		bool taken;

		if (!ev->form && ev->class == LT_CLASS_NONE)
			continue;	/* it announces a site */
		if (ev->ptr <= ZERO_SIZE_PTR || t->actors.n >= t->renew_at ||
		    t->n_traits >= t->renew_traits_at)
			break;
		m = meaning_of(lf, stamp, ev);
		if (m->act == CAREFUL)
			break;
		if (ev->task != of)
			task = lt_intern_number(&lf->tasks, (uintptr_t)ev->task);
		of = ev->task;
		taken = m->act == BIRTH ? birth(lf, ev, mixed[i], m, task) :
					  take_free(lf, ev, mixed[i], m, task, from);
		if (!taken)
			break;
		lf->gapped |= gap_end != 0;
	}
	return i;
}

static bool is_birth(unsigned int class)
{
	return class == LT_CLASS_KMALLOC || class == LT_CLASS_CACHE_ALLOC ||
	       class == LT_CLASS_BULK_ALLOC;
}

void lt_lifetimes_prepare(const struct lt_lifetimes *lf, const struct lt_plain_event *evs, size_t n,
			  uint64_t *mixed)
{
	const struct lt_objtable *t = &lf->live[LT_SPACE_SLAB];

	for (size_t i = 0; i < n; i++)
		mixed[i] = lt_objtable_mix(t, evs[i].ptr);
	if (t->n < LT_PREFETCH_FROM)
		return;
	for (size_t i = 0; i < n; i++)
		lt_objtable_prefetch_slot(t, mixed[i]);
	for (size_t i = 0; i < n; i++) {
		if (!is_birth(evs[i].class))
			lt_objtable_prefetch_object(t, mixed[i]);
	}
}
