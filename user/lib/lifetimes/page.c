// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetimes of page blocks.
 *
 * A block is 2^order pages, aligned to its size. Mostly it is freed as it was
 * allocated. But split_page(), alloc_pages_exact() and others give back the
 * pages of one block in smaller blocks, and some paths free (or allocate
 * anew) as one block what was allocated as several. So:
 *
 * - When a part of a live block is freed, the block is cut in halves, and the
 *   right half again, until the part stands alone. Each piece is a lifetime of
 *   its own from then on, born with the block, marked as split. One allocation
 *   then gives several lifetimes, whose sizes add up to its own.
 * - When a free covers several live blocks, each of them ends. If it covers
 *   pages of which nothing is known too, these make one lifetime of the kind
 *   "before", marked as split, of their size.
 * - When an allocation covers live blocks, or lies within one, then for these
 *   pages, and only these, a free was not seen.
 *
 * Blocks up to 64 pages are found by the bits of pagemap.h; the few larger ones
 * by trying all places where one can begin.
 */
#include "lifetimes/internal.h"

#define SMALL_ORDER	LT_PAGEMAP_SHIFT	/* fits a chunk of the map */

static uint64_t chunk_bits(uint64_t pfn, unsigned int order)
{
	uint64_t bits = order >= SMALL_ORDER ? UINT64_MAX : (1ULL << (1U << order)) - 1;

	return bits << (pfn & 63);
}

/* Bookkeeping of a block that has come to stand in the table, or left it. */
static void mark(struct lt_lifetimes *lf, const struct lt_obj *obj, bool live)
{
	uint64_t chunk = obj->ptr >> LT_PAGEMAP_SHIFT;
	uint64_t bits;

	lf->n_order[obj->order] += live ? 1 : UINT64_MAX;
	if (obj->order > SMALL_ORDER)
		return;
	bits = lt_pagemap_get(&lf->pages, chunk);
	if (live)
		bits |= chunk_bits(obj->ptr, obj->order);
	else
		bits &= ~chunk_bits(obj->ptr, obj->order);
	lt_pagemap_set(&lf->pages, chunk, bits);
}

void lt_page_forget(struct lt_lifetimes *lf, const struct lt_obj *obj)
{
	mark(lf, obj, false);
}

/* The live block that a page belongs to, of order @from or larger. False: none. */
static bool block_of(const struct lt_lifetimes *lf, uint64_t pfn, unsigned int from,
		     struct lt_obj *obj)
{
	for (unsigned int order = from; order <= MAX_ORDER; order++) {
		uint64_t base = pfn & ~((1ULL << order) - 1);

		if (!lf->n_order[order])
			continue;
		if (lt_objtable_find(&lf->live[LT_SPACE_PAGE], base, obj) &&
		    pfn - base < 1ULL << obj->order)
			return true;
	}
	return false;
}

/*
 * A live block that shares a page with [pfn, pfn + 2^order), at or behind *from.
 * False: none. Blocks do not overlap each other, so one either lies within the
 * range, or holds all of it.
 */
static bool first_overlap(const struct lt_lifetimes *lf, uint64_t pfn, unsigned int order,
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

/* A part of a block, as a block of its own. */
static void add_block(struct lt_lifetimes *lf, struct lt_obj *obj, uint64_t pfn,
		      unsigned int order)
{
	obj->ptr = pfn;
	obj->order = (uint8_t)order;
	obj->bytes_req = obj->bytes_alloc = 1ULL << (lf->config.page_shift + order);
	obj->flags |= OBJ_SPLIT;
	lt_objtable_add(&lf->live[LT_SPACE_PAGE], obj);
	mark(lf, obj, true);
}

/* Cuts a block until [pfn, pfn + 2^order) stands alone, which @obj is then. */
static void cut(struct lt_lifetimes *lf, struct lt_obj *obj, uint64_t pfn, unsigned int order)
{
	struct lt_obj block, half;

	/* What is in doubt is the whole block: the parts cannot share it. */
	if (obj->flags & OBJ_DOUBT)
		lt_doubt_reborn(lf, obj);
	block = *obj;
	if (!(block.flags & OBJ_SPLIT))
		lf->stats.page_splits++;
	lt_forget(lf, LT_SPACE_PAGE, obj);
	while (block.order > order) {
		uint64_t upper = block.ptr + (1ULL << (block.order - 1));

		if (lf->ops.halved)
			lf->ops.halved(lf->ops.arg, &block);
		block.order--;
		block.bytes_req = block.bytes_alloc =
			1ULL << (lf->config.page_shift + block.order);
		half = block;
		if (pfn < upper) {
			add_block(lf, &half, upper, block.order);
		} else {
			add_block(lf, &half, block.ptr, block.order);
			block.ptr = upper;
		}
	}
	*obj = block;
	add_block(lf, obj, pfn, order);
}

/* A free that is not of a block as it stands in the table. */
static void free_other_size(struct lt_lifetimes *lf, const struct lt_event *ev,
			    uint64_t gap_end)
{
	uint64_t unknown = 1ULL << ev->order;
	uint64_t from = ev->ptr;
	struct lt_obj obj;
	struct lt_obj unborn = {
		.ptr = ev->ptr, .kind = LT_CLASS_NONE, .flags = OBJ_UNBORN, .node = -1,
		.order = ev->order,
	};

	while (first_overlap(lf, ev->ptr, ev->order, &from, &obj)) {
		if (obj.order > ev->order) {
			cut(lf, &obj, ev->ptr, ev->order);
			lt_free_live(lf, LT_SPACE_PAGE, &obj, ev, LT_END_PAGE, gap_end);
			return;
		}
		/* A late free of the block before this one does not look like this. */
		if (obj.flags & OBJ_DOUBT)
			lt_doubt_reborn(lf, &obj);
		obj.flags |= OBJ_SPLIT;
		unknown -= 1ULL << obj.order;
		lt_free_live(lf, LT_SPACE_PAGE, &obj, ev, LT_END_PAGE, gap_end);
	}
	if (!unknown)
		return;
	unborn.bytes_req = unborn.bytes_alloc = unknown << lf->config.page_shift;
	if (unknown != 1ULL << ev->order)
		unborn.flags |= OBJ_SPLIT;
	lt_free_unborn(lf, LT_SPACE_PAGE, &unborn, ev, LT_END_PAGE, gap_end);
}

static void page_free(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	struct lt_obj obj;

	if (lt_objtable_find(&lf->live[LT_SPACE_PAGE], ev->ptr, &obj) && obj.order == ev->order)
		lt_free_live(lf, LT_SPACE_PAGE, &obj, ev, LT_END_PAGE, gap_end);
	else
		free_other_size(lf, ev, gap_end);
}

/* Ends all blocks, or parts of one, in whose place a new one is born. */
static void end_overlapped(struct lt_lifetimes *lf, const struct lt_event *ev,
			   uint64_t gap_end)
{
	uint64_t from = ev->ptr;
	struct lt_obj obj;

	while (first_overlap(lf, ev->ptr, ev->order, &from, &obj)) {
		struct moment death = {
			.time = ev->time,
			.count = (uint32_t)lf->stats.births[LT_SPACE_PAGE],
			.ending = LT_END_REBORN,
		};

		if (obj.order > ev->order)
			cut(lf, &obj, ev->ptr, ev->order);
		else if (obj.flags & OBJ_DOUBT)
			lt_doubt_reborn(lf, &obj);
		death.lossy = lt_lossy(&obj, gap_end);
		lt_gone(lf, LT_SPACE_PAGE, &obj, LT_END_REBORN, ev->time);
		lt_released(lf, LT_SPACE_PAGE, &obj, LT_END_REBORN, ev->time, false);
		lt_emit(lf, LT_SPACE_PAGE, &obj, &death, false, 0);
		lt_forget(lf, LT_SPACE_PAGE, &obj);
	}
}

static void page_birth(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	struct lt_obj obj;

	if (lt_objtable_find(&lf->live[LT_SPACE_PAGE], ev->ptr, &obj) && obj.order == ev->order) {
		lt_birth_again(lf, LT_SPACE_PAGE, &obj, ev, gap_end);
		return;
	}
	end_overlapped(lf, ev, gap_end);
	obj.ptr = ev->ptr;
	lt_be_born(lf, &obj, LT_SPACE_PAGE, ev);
	lt_objtable_add(&lf->live[LT_SPACE_PAGE], &obj);
	mark(lf, &obj, true);
}

void lt_page_event(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	if (ev->order > MAX_ORDER || ev->ptr & ((1ULL << ev->order) - 1) ||
	    ev->ptr >> (64 - MAX_ORDER)) {
		lf->stats.bad++;
		return;
	}
	if (ev->class == LT_CLASS_PAGE_ALLOC)
		page_birth(lf, ev, gap_end);
	else
		page_free(lf, ev, gap_end);
}
