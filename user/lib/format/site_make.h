/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What follows from the announcement of a site and its stack. For the files that decode records.
 */
#ifndef LT_FORMAT_SITE_MAKE_H
#define LT_FORMAT_SITE_MAKE_H

#include "format/packet.h"
#include "format/site.h"

/* The number of a recorded stack among all of the trace, which are kept. */
uint32_t lt_stack_number(const struct lt_packet *p, struct lt_stacks *all,
			 const struct lt_announced *stack);

/* Decodes the fields that all events of a site share, for a short form. */
void lt_site_make(const struct lt_packet *p, const struct lt_sites *sites, struct lt_site *site,
		  const struct lt_event_desc *brief);

/* Whether what all events of a site share was decoded for that form. */
static inline bool lt_site_is_made(const struct lt_site *site, const struct lt_event_desc *full)
{
	return site->full == full;
}

#endif /* LT_FORMAT_SITE_MAKE_H */
