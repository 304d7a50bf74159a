// SPDX-License-Identifier: GPL-2.0
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
}

void lt_sites_free(struct lt_sites *s)
{
	lt_map_destroy(&s->numbers);
	free(s->sites);
	memset(s, 0, sizeof(*s));
}

struct lt_site *lt_sites_announce(struct lt_sites *s, uint16_t number)
{
	struct lt_site *site = lt_sites_find(s, number);

	if (site)
		return site;
	s->sites = lt_grow(s->sites, &s->cap, s->n, sizeof(*s->sites));
	site = &s->sites[s->n++];
	lt_map_add(&s->numbers, number, (uint32_t)s->n);
	return site;
}
