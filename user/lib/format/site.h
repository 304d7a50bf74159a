/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call sites that a packet has announced.
 */
#ifndef LT_FORMAT_SITE_H
#define LT_FORMAT_SITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "format/schema.h"

/**
 * struct lt_site - what the events of one place have in common
 * @payload: of its record, in the packet
 * @full: the form that the rest was made for, NULL: none yet
 * @common: a payload of that form, in the packet's byte order
 * Then the members of struct lt_event of that name.
 */
struct lt_site {
	const uint8_t *payload;
	const struct lt_event_desc *full;
	uint64_t call_site;
	uint64_t bytes_req;
	uint64_t bytes_alloc;
	uint32_t gfp;
	int32_t node;
	uint16_t cache;
	uint8_t common[LT_FULL_MAX + LT_SLACK];
};

/* A site's number, and where it is among those that were told. */
struct lt_site_slot {
	uint16_t number;
	uint16_t used;
	uint32_t site;
};

/**
 * struct lt_sites - the sites that a packet has told so far
 * @slots: by number, open addressing; a power of two
 *
 * All zero at first; lt_sites_free() when done. There are no more than the packets
 * that were read have records.
 */
struct lt_sites {
	struct lt_site *sites;
	size_t n;
	size_t cap;
	struct lt_site_slot *slots;
	size_t n_slots;
};

void lt_sites_begin(struct lt_sites *s);
void lt_sites_free(struct lt_sites *s);

/* The site with that number; a new one, if it was not told yet. */
struct lt_site *lt_sites_tell(struct lt_sites *s, uint16_t number);

/* The site with that number, NULL: it was not told. */
static inline struct lt_site *lt_sites_find(const struct lt_sites *s, uint16_t number)
{
	const struct lt_site_slot *slot;

	for (size_t i = number; s->n; i++) {
		slot = &s->slots[i & (s->n_slots - 1)];
		if (!slot->used)
			break;
		if (slot->number == number)
			return &s->sites[slot->site];
	}
	return NULL;
}

#endif /* LT_FORMAT_SITE_H */
