// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of page blocks.
 *
 * A block is 2^order pages, aligned to its size. Mostly it is freed as it was
 * allocated. But split_page(), alloc_pages_exact() and others give back the pages of
 * one block in smaller blocks, and some paths free (or allocate anew) as one block what
 * was allocated as several. So:
 *
 * - When a part of a live block is freed, the block is cut in halves, and the half with
 *   the part again, until the part stands alone. Each piece is a lifetime of its own
 *   from then on, born with the block, marked as split. One allocation then gives
 *   several lifetimes, whose sizes add up to its own.
 * - When a free covers several live blocks, each of them ends. If it covers pages of
 *   which nothing is known too, these make one lifetime of the kind "before", marked as
 *   split, of their size.
 * - When an allocation covers live blocks, or lies within one, then for these pages,
 *   and only these, a free was not seen.
 */
#include "lifetimes/internal.h"

/* The next holder of pages of @ev, as a block within them; false: there is none. */
static bool next_within(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end,
			uint64_t *from, struct lt_known *k)
{
	lt_known_init(k, LT_SPACE_PAGE, gap_end);
	k->held = lt_block_overlap(lf, ev->ptr, ev->order, from, &k->holder);
	if (!k->held)
		return false;
	if (k->holder.flags & LT_OBJ_SPECIAL)
		lt_book_details(lf, k);
	lt_book_apply(lf, k, ev, lt_rule_overlap(&lf->config, k, ev));
	return true;
}

/* Pages of which nothing is known are a part of the block that is freed, or all of it. */
static struct lt_obj unknown_part(const struct lt_lifetimes *lf, const struct lt_event *ev,
				  uint64_t pages)
{
	uint64_t bytes = pages << lf->config.page_shift;

	return (struct lt_obj){
		.ptr = ev->ptr, .order = ev->order, .kind = LT_CLASS_NONE, .node = -1,
		.bytes_req = bytes, .bytes_alloc = bytes,
		.flags = LT_OBJ_UNBORN | (pages == 1ULL << ev->order ? 0 : LT_OBJ_SPLIT),
	};
}

/* A free that is not of a block as it stands in the table. */
static void free_other_size(struct lt_lifetimes *lf, const struct lt_event *ev,
			    uint64_t gap_end)
{
	uint64_t unknown = 1ULL << ev->order;
	uint64_t from = ev->ptr;
	struct lt_known k;

	while (unknown && next_within(lf, ev, gap_end, &from, &k)) {
		unknown -= 1ULL << k.holder.order;
		lt_book_apply(lf, &k, ev, lt_rule_free(&lf->config, &k, ev));
	}
	if (!unknown)
		return;
	k.holder = unknown_part(lf, ev, unknown);
	lt_book_apply(lf, &k, ev, lt_rule_free(&lf->config, &k, ev));
}

static void page_free(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	struct lt_known k;

	if (!lt_book_find(lf, LT_SPACE_PAGE, ev->ptr, gap_end, &k) ||
	    k.holder.order != ev->order) {
		free_other_size(lf, ev, gap_end);
		return;
	}
	if (k.holder.flags & LT_OBJ_SPECIAL)
		lt_book_details(lf, &k);
	lt_book_apply(lf, &k, ev, lt_rule_free(&lf->config, &k, ev));
}

/* Ends all blocks, or parts of one, in whose place a new one is born. */
static void end_overlapped(struct lt_lifetimes *lf, const struct lt_event *ev,
			   uint64_t gap_end)
{
	uint64_t from = ev->ptr;
	struct lt_known k;

	while (next_within(lf, ev, gap_end, &from, &k))
		lt_book_apply(lf, &k, ev, lt_rule_replaced(&k));
}

static void page_birth(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	struct lt_known k;

	if (lt_book_find(lf, LT_SPACE_PAGE, ev->ptr, gap_end, &k) &&
	    k.holder.order == ev->order) {
		lt_book_details(lf, &k);
	} else {
		end_overlapped(lf, ev, gap_end);
		lt_known_init(&k, LT_SPACE_PAGE, gap_end);
		k.holder.ptr = ev->ptr;
	}
	lt_book_apply(lf, &k, ev, lt_rule_birth(&lf->config, &k, ev));
}

void lt_page_event(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	if (ev->order > LT_MAX_ORDER || ev->ptr & ((1ULL << ev->order) - 1) ||
	    ev->ptr >> (64 - LT_MAX_ORDER)) {
		lf->stats.bad++;
		return;
	}
	if (ev->class == LT_CLASS_PAGE_ALLOC || ev->class == LT_CLASS_PAGE_BULK)
		page_birth(lf, ev, gap_end);
	else
		page_free(lf, ev, gap_end);
}
