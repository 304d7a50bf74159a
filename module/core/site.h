/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sites: the fields that events from one place in the code have in common. A packet
 * announces a site once, with a number; its events hold the number.
 */
#ifndef LT_SITE_H
#define LT_SITE_H

#include <linux/bitops.h>
#include <linux/hash.h>

#include "core/channel.h"

/**
 * struct lt_place - the fields that events from one place in the code have in common
 * @call_site: the caller
 * @what: sizes or cache, see lt_what_sizes() and lt_what_cache(): no two layouts have a
 *	value in common
 * @how: of allocations gfp flags, and the node in the upper half; of frees 0
 */
struct lt_place {
	unsigned long call_site;
	u64 what;
	u64 how;
};

/**
 * struct lt_site - an entry of a CPU's table of sites
 * @place: the place
 * @stamp: the entry is announced in the open packet if this is the CPU's stamp
 *
 * Read and written by its CPU alone.
 */
struct lt_site {
	struct lt_place place;
	unsigned long stamp;
};

/*
 * The number of a site is the index of its entry. If the entry of a place is taken in
 * this packet, the place may have the neighbouring entry; if that is taken, too, its
 * events are written in full. Of some hundred places in use that happens to few.
 */
#define LT_SITE_BITS	11
#define LT_SITES	BIT(LT_SITE_BITS)

/*
 * Sizes may be chosen by a user, and each makes another place. A packet gives so many
 * entries to the sizes of a call site, and to all more of them together one for so many of
 * its bytes, but not more than this share of the table.
 */
#define LT_SIZES_EACH	8
#define LT_SIZES_SHIFT	9
#define LT_SIZES_SHARE	4

/* The entry at which a place is looked for. */
static __always_inline unsigned int lt_site_slot(const struct lt_place *p)
{
	return hash_64(p->call_site ^ rol64(p->what, 20) ^ p->how, LT_SITE_BITS);
}

int lt_sites_alloc(struct lt_channel *ch);
void lt_sites_free(struct lt_channel *ch);
void lt_sites_new_packet(struct lt_channel_cpu *c);
void lt_sites_forget(struct lt_channel *ch);
bool lt_sites_admit(struct lt_channel_cpu *c, unsigned long call_site);

#endif /* LT_SITE_H */
