// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Live page blocks, found by any of their pages.
 *
 * Blocks up to 64 pages are found by the bits of pagemap.h; the few larger ones by
 * trying all places where one can begin.
 */
#include "lifetimes/internal.h"

#define SMALL_ORDER	LT_PAGEMAP_SHIFT	/* fits a chunk of the map */

static uint64_t chunk_bits(uint64_t pfn, unsigned int order)
{
	uint64_t bits = order >= SMALL_ORDER ? UINT64_MAX : (1ULL << (1U << order)) - 1;

	return bits << (pfn & 63);
}

void lt_block_enter(struct lt_lifetimes *lf, const struct lt_obj *obj)
{
	lf->n_order[obj->order]++;
	if (obj->order <= SMALL_ORDER)
		lt_pagemap_change(&lf->pages, obj->ptr >> LT_PAGEMAP_SHIFT, 0,
				  chunk_bits(obj->ptr, obj->order));
}

void lt_block_leave(struct lt_lifetimes *lf, const struct lt_obj *obj)
{
	lf->n_order[obj->order]--;
	if (obj->order <= SMALL_ORDER)
		lt_pagemap_change(&lf->pages, obj->ptr >> LT_PAGEMAP_SHIFT,
				  chunk_bits(obj->ptr, obj->order), 0);
}

/* The live block that a page belongs to, of order @from or larger. False: none. */
static bool block_of(const struct lt_lifetimes *lf, uint64_t pfn, unsigned int from,
		     struct lt_obj *obj)
{
	for (unsigned int order = from; order <= LT_MAX_ORDER; order++) {
		uint64_t base = pfn & ~((1ULL << order) - 1);

		if (!lf->n_order[order])
			continue;
		if (lt_objtable_find(&lf->live[LT_SPACE_PAGE], base, obj) &&
		    pfn - base < 1ULL << obj->order)
			return true;
	}
	return false;
}

bool lt_block_overlap(const struct lt_lifetimes *lf, uint64_t pfn, unsigned int order,
		      uint64_t *from, struct lt_obj *obj)
{
	uint64_t end = pfn + (1ULL << order);
	bool large_within = false;

	for (unsigned int i = SMALL_ORDER + 1; i < order; i++)
		large_within |= lf->n_order[i] != 0;

	for (; *from < end; *from = (*from | 63) + 1) {
		uint64_t bits = lt_pagemap_get(&lf->pages, *from >> LT_PAGEMAP_SHIFT);

		if (order < SMALL_ORDER)
			bits &= chunk_bits(pfn, order);
		if (bits)
			return block_of(lf, (*from & ~63ULL) +
					(unsigned int)__builtin_ctzll(bits), 0, obj);
		if (large_within && block_of(lf, *from, SMALL_ORDER + 1, obj))
			return true;
	}
	return block_of(lf, pfn, SMALL_ORDER + 1, obj);
}
