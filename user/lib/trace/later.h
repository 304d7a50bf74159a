/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sites of code that came later to addresses that other code had: numbers that are no address. One
 * thread asks what a site is while another makes sites.
 */
#ifndef LT_LIB_LATER_H
#define LT_LIB_LATER_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

#define LT_LATER_CHUNKS	32	/* more sites than there are bytes of memory */

/* The code is that of range number @range, or of none that is known (0). */
struct lt_later_site {
	uint64_t addr;
	uint32_t range;
};

/**
 * struct lt_later - all of them
 * @chunks: by the low bits of the site; each is twice as large as the one before, and none moves
 * @n: written under @making, read by any thread
 * @by_place: their indexes plus 1, by address and range; under @making
 * @making: held by who makes a site
 */
struct lt_later {
	struct lt_later_site *chunks[LT_LATER_CHUNKS];
	size_t n;
	struct lt_map by_place;
	uint64_t seed;
	pthread_mutex_t making;
};

void lt_later_init(struct lt_later *l);
void lt_later_destroy(struct lt_later *l);

/* The site of an address in a range; made when there is none. Any thread may call it. */
uint64_t lt_later_site(struct lt_later *l, uint64_t addr, uint32_t range);

/* What a site is; NULL: an address. Any thread that was given the site may call it. */
const struct lt_later_site *lt_later_of(const struct lt_later *l, uint64_t site);

#endif /* LT_LIB_LATER_H */
