// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What events of a form mean: looked at once, and again when caches are described or traits have
 * got other numbers.
 */
#include "lifetimes/plain_forms.h"

/* No callback takes objects: steps are made, and not handed out. */
static bool is_quiet(const struct lt_lifetime_ops *ops)
{
	return !ops->plain && !ops->born && !ops->gone && !ops->released && !ops->ended;
}

/* Whether the callback for steps takes objects with these traits. */
static enum way ask_steps(const struct lt_lifetimes *lf, const struct lt_traits *traits)
{
	const struct lt_lifetime_ops *ops = &lf->ops;
	bool unsure, quiet = is_quiet(ops);
	const char *which;

	/* Some tasks: how many allocations came during a life is not known. */
	if (!quiet && (!ops->plain || lf->config.some_tasks ||
		       (ops->plain_takes && !ops->plain_takes(ops->arg, traits))))
		return OTHERS;
	unsure = lt_certainty_is_of_two(&lf->config, traits->kind, LT_END_KFREE, &which);
	if (unsure && !quiet && !ops->plain_unsure)
		return OTHERS;
	return unsure ? UNSURE_STEPS : STEPS;
}

enum way lt_plain_ask(struct lt_lifetimes *lf, uint32_t number)
{
	const struct lt_objtable *t = &lf->live[LT_SPACE_SLAB];
	const struct lt_traits *traits = &t->traits[number];
	enum way way = traits->bytes_alloc ? ask_steps(lf, traits) : UNSIZED;

	if (number >= lf->n_plain_ways)
		lf->plain_ways = lt_extend(lf->plain_ways, &lf->n_plain_ways, t->n_traits,
					   sizeof(*lf->plain_ways));
	lf->plain_ways[number] = (uint8_t)way;
	return way;
}

/* A birth of known sizes, which fit into traits. */
static void look_at_birth(struct lt_lifetimes *lf, const struct lt_event *ev,
			  struct lt_form_meaning *m)
{
	struct lt_objtable *t = &lf->live[LT_SPACE_SLAB];
	uint64_t req = ev->bytes_req, alloc = ev->bytes_alloc;
	struct lt_traits traits;

	/* They are to be renewed before: by the birth, with care. */
	if (t->n_traits >= t->renew_traits_at) {
		m->stamp = 0;
		return;
	}
	if (ev->class != LT_CLASS_KMALLOC)
		lt_life_cache_sizes(lf, ev->cache, &req, &alloc);
	if (!alloc || (req | alloc) >> 32 || ev->cache >> 16)
		return;
	traits = (struct lt_traits){
		.site = lt_origin_number(lf, ev), .bytes_req = (uint32_t)req,
		.bytes_alloc = (uint32_t)alloc, .gfp = ev->gfp, .node = ev->node,
		.cache = (uint16_t)ev->cache, .kind = ev->class, .order = ev->order,
	};
	m->traits = lt_objtable_traits(t, &traits);
	if (!m->traits)
		return;
	m->act = BIRTH;
	m->way = (uint8_t)way_of(lf, m->traits);
}

void lt_plain_look(struct lt_lifetimes *lf, const struct lt_plain_event *plain,
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
		break;
	case LT_CLASS_PAGE_BATCHED:
		m->act = NOTHING;	/* there is another event of its free */
		break;
	}
}
