// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sites: what events of one place in the code have in common, announced once in a packet.
 */
#include <string.h>

#include "encode/internal.h"

void lt_encode_sites_begin(struct lt_encoder *e)
{
	uint32_t most = LT_ENCODE_N_SITES / LT_ENCODE_SIZES_SHARE;
	size_t share = e->limit >> LT_ENCODE_SIZES_SHIFT;

	e->n_sites = 0;
	e->n_stacks = 0;
	e->more_sizes = share < most ? (uint32_t)share : most;
	if (e->sites)
		memset(e->sites->sizes, 0, sizeof(e->sites->sizes));
	/* 32 bits may wrap: an old entry must not have the new stamp. */
	if (++e->stamp)
		return;
	if (e->sites)
		memset(e->sites->table, 0, sizeof(e->sites->table));
	if (e->stacks)
		memset(e->stacks, 0, sizeof(*e->stacks));
	if (e->tasks)
		memset(e->tasks, 0, LT_ENCODE_TASKS * sizeof(*e->tasks));
	e->stamp = 1;
}

/* May sizes that a call site asks for get an entry in this packet? Counts them if so. */
static bool admit(struct lt_encoder *e, uint64_t call_site)
{
	uint8_t *n = &e->sites->sizes[(call_site * 0x9e3779b97f4a7c15ULL) >>
				      (64 - LT_ENCODE_SIZES_BITS)];

	if (*n < LT_ENCODE_SIZES_EACH)
		(*n)++;
	else if (e->more_sizes)
		e->more_sizes--;
	else
		return false;
	return true;
}

/*
 * The entry of a place: its own one, or one that is free in this packet. With a stack there is
 * always one: the number of its place is announced again.
 */
static struct lt_encode_site *find(struct lt_encoder *e, const struct lt_encode_place *place,
				   uint16_t stack)
{
	struct lt_encode_site *at = &e->sites->table[lt_encode_site_slot(place)];

	for (unsigned int i = 0; i < LT_ENCODE_TRIES; i++) {
		if (at[i].stamp != e->stamp || (lt_encode_is_place(&at[i].place, place) &&
						at[i].stack == stack))
			return &at[i];
	}
	return stack ? at : NULL;
}

static void announce(struct lt_encoder *e, uint64_t time, unsigned int context,
		     const struct lt_encode_site *s)
{
	const struct lt_encode_place *p = &s->place;
	const struct lt_rec_SITE rec = {
		.site = s->number, .call_site = lt_encode_code(e, p->call_site),
		.gfp_flags = (uint32_t)p->how, .bytes_req = (uint32_t)p->sizes,
		.bytes_alloc = (uint32_t)(p->sizes >> 32), .cache = (uint16_t)(p->how >> 48),
		.node = (int16_t)(p->how >> 32), .stack = s->stack,
	};
	const struct lt_rec_SITE_NARROW narrow = {
		.site = rec.site, .call_site = rec.call_site, .gfp_flags = rec.gfp_flags,
		.bytes_req = (uint16_t)rec.bytes_req, .bytes_alloc = (uint16_t)rec.bytes_alloc,
		.cache = rec.cache, .node = (int8_t)rec.node,
	};
	const struct lt_rec_SITE_FREE freed = {
		.site = rec.site, .call_site = rec.call_site, .cache = rec.cache,
	};

	if (!rec.stack && !(rec.gfp_flags | rec.bytes_req | rec.bytes_alloc) && !rec.node &&
	    lt_encode_has(e, LT_EV_SITE_FREE))
		lt_encode_put(e, time, context, LT_EV_SITE_FREE, &freed);
	else if (!rec.stack && !((rec.bytes_req | rec.bytes_alloc) >> 16) &&
		 rec.node == narrow.node && lt_encode_has(e, LT_EV_SITE_NARROW))
		lt_encode_put(e, time, context, LT_EV_SITE_NARROW, &narrow);
	else
		lt_encode_put(e, time, context, LT_EV_SITE, &rec);
}

bool lt_encode_site(struct lt_encoder *e, uint64_t time, unsigned int context,
		    const struct lt_encode_place *place, uint16_t stack, uint16_t *number)
{
	struct lt_encode_site *s;

	s = find(e, place, stack);
	if (!s)
		return false;
	if (s->stamp == e->stamp && lt_encode_is_place(&s->place, place) && s->stack == stack) {
		*number = s->number;
		return true;
	}
	if (!stack && ((place->sizes && !admit(e, place->call_site)) ||
		       !lt_encode_has_numbers(e)))
		return false;
	*s = (struct lt_encode_site){
		.place = *place, .stamp = e->stamp, .number = (uint16_t)e->n_sites++,
		.stack = stack,
	};
	announce(e, time, context, s);
	*number = s->number;
	return true;
}
