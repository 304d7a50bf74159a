// SPDX-License-Identifier: GPL-2.0
/*
 * The sites of a packet.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/site.h"

void lt_sites_begin(struct lt_sites *s)
{
	s->n = 0;
	if (s->n_slots)
		memset(s->slots, 0, s->n_slots * sizeof(*s->slots));
}

void lt_sites_free(struct lt_sites *s)
{
	free(s->sites);
	free(s->slots);
	memset(s, 0, sizeof(*s));
}

static void fill_slot(struct lt_sites *s, uint16_t number, uint32_t site)
{
	size_t i = number;

	while (s->slots[i & (s->n_slots - 1)].used)
		i++;
	s->slots[i & (s->n_slots - 1)] = (struct lt_site_slot){ number, 1, site };
}

/* At most half full, so that a search ends soon. */
static void grow_slots(struct lt_sites *s)
{
	struct lt_site_slot *old = s->slots;
	size_t n = s->n_slots;

	s->n_slots = n ? 2 * n : 64;
	s->slots = lt_alloc_array(s->n_slots, sizeof(*s->slots));
	for (size_t i = 0; i < n; i++) {
		if (old[i].used)
			fill_slot(s, old[i].number, old[i].site);
	}
	free(old);
}

struct lt_site *lt_sites_tell(struct lt_sites *s, uint16_t number)
{
	struct lt_site *site = lt_sites_find(s, number);

	if (site)
		return site;
	if (2 * (s->n + 1) > s->n_slots)
		grow_slots(s);
	s->sites = lt_grow(s->sites, &s->cap, s->n, sizeof(*s->sites));
	fill_slot(s, number, (uint32_t)s->n);
	return &s->sites[s->n++];
}
