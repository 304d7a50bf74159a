// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The call sites that a packet has announced.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/site.h"

void lt_sites_begin(struct lt_sites *s)
{
	s->n = 0;
	lt_map_clear(&s->numbers);
	s->n_stacks = 0;
	lt_map_clear(&s->stack_numbers);
	if (s->n_ready)
		memset(s->ready, 0, s->n_ready * sizeof(*s->ready));
}

void lt_sites_free(struct lt_sites *s)
{
	lt_map_destroy(&s->numbers);
	for (size_t i = 0; i < s->cap; i++)
		free(s->sites[i].fields);
	free(s->sites);
	lt_map_destroy(&s->stack_numbers);
	free(s->stacks);
	free(s->ready);
	memset(s, 0, sizeof(*s));
}

/* So many at once that each is moved seldom. */
static size_t room_for(size_t place)
{
	return place + place / 2 + 64;
}

struct lt_site *lt_sites_announce(struct lt_sites *s, uint16_t number)
{
	struct lt_site *site = lt_sites_find(s, number);

	if (number < s->n_ready)
		s->ready[number].id = 0;
	if (site)
		return site;
	if (s->n == s->cap)
		s->sites = lt_extend(s->sites, &s->cap, room_for(s->n), sizeof(*s->sites));
	site = &s->sites[s->n++];
	lt_map_add(&s->numbers, number, (uint32_t)s->n);
	return site;
}

const struct lt_ready *lt_sites_ready(struct lt_sites *s, uint16_t number,
				      const struct lt_site *site, uint16_t id, uint32_t form)
{
	if (number >= s->n_ready)
		s->ready = lt_extend(s->ready, &s->n_ready, room_for(number), sizeof(*s->ready));
	s->ready[number] = (struct lt_ready){
		.form = form, .id = id + 1, .place = (uint16_t)(site - s->sites),
	};
	return &s->ready[number];
}

static uint32_t stack_place(const struct lt_sites *s, uint16_t number)
{
	size_t at = number;

	return lt_map_match(&s->stack_numbers, number, &at);
}

void lt_sites_announce_stack(struct lt_sites *s, uint16_t number, struct lt_announced stack)
{
	uint32_t place = stack_place(s, number);

	if (!place) {
		s->stacks = lt_grow(s->stacks, &s->cap_stacks, s->n_stacks, sizeof(*s->stacks));
		place = (uint32_t)(++s->n_stacks);
		lt_map_add(&s->stack_numbers, number, place);
	}
	s->stacks[place - 1] = stack;
}

bool lt_sites_find_stack(const struct lt_sites *s, uint16_t number, struct lt_announced *stack)
{
	uint32_t place = stack_place(s, number);

	if (place)
		*stack = s->stacks[place - 1];
	return place;
}
