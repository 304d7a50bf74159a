// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The call sites that a packet has announced.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/site.h"

void lt_sites_forget_ready(struct lt_sites *s)
{
	if (s->n_ready)
		memset(s->ready, 0, s->n_ready * sizeof(*s->ready));
	memset(s->page_forms, 0, sizeof(s->page_forms));
}

void lt_sites_begin(struct lt_sites *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const uint16_t number = s->sites[i].local;

		s->places.all[number] = 0;
		if (number < s->n_ready)
			s->ready[number].id = 0;
	}
	for (size_t i = 0; i < s->n_stacks; i++)
		s->stack_places.all[s->stacks[i].local] = 0;
	s->n = s->n_stacks = 0;
	s->base = 0;
	memset(s->tasks, 0, sizeof(s->tasks));
	memset(s->page_forms, 0, sizeof(s->page_forms));
}

void lt_sites_free(struct lt_sites *s)
{
	for (size_t i = 0; i < s->cap; i++)
		free(s->sites[i].fields);
	free(s->sites);
	free(s->places.all);
	free(s->stacks);
	free(s->stack_places.all);
	free(s->ready);
	memset(s, 0, sizeof(*s));
}

/* So many at once that each is moved seldom. */
static size_t room_for(size_t place)
{
	return place + place / 2 + 64;
}

static void set_place(struct lt_locals *p, uint16_t number, size_t place)
{
	if (number >= p->n)
		p->all = lt_extend(p->all, &p->n, room_for(number), sizeof(*p->all));
	p->all[number] = (uint32_t)place + 1;
}

struct lt_site *lt_sites_add(struct lt_sites *s, uint16_t number)
{
	struct lt_site *site;

	if (s->n == s->cap)
		s->sites = lt_extend(s->sites, &s->cap, room_for(s->n), sizeof(*s->sites));
	set_place(&s->places, number, s->n);
	site = &s->sites[s->n++];
	site->local = number;
	return site;
}

const struct lt_ready *lt_sites_ready(struct lt_sites *s, uint16_t number, struct lt_ready ready)
{
	if (number >= s->n_ready)
		s->ready = lt_extend(s->ready, &s->n_ready, room_for(number), sizeof(*s->ready));
	s->ready[number] = ready;
	return &s->ready[number];
}

struct lt_announced *lt_sites_add_stack(struct lt_sites *s, uint16_t number)
{
	s->stacks = lt_grow(s->stacks, &s->cap_stacks, s->n_stacks, sizeof(*s->stacks));
	set_place(&s->stack_places, number, s->n_stacks);
	return &s->stacks[s->n_stacks++];
}
