// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on the page allocator's tracepoints.
 *
 * Each may be called in any context, see kmem.c. These tracepoints have no caller: where a
 * stack is wanted, it begins behind the probe, in the page allocator; its functions are left
 * out by the reader, which has their names.
 */
#include <linux/mm.h>

#include <trace/events/kmem.h>

#include "kmem/kmem.h"

static const struct lt_forms page_alloc_forms = {
	.layout = LT_LAYOUT_PAGE,
	.class = LT_CLASS_PAGE_ALLOC,
	.brief = LT_EV_PAGE_ALLOC_SHORT,
	.narrow = LT_EV_PAGE_ALLOC,
	.wide = LT_EV_PAGE_ALLOC,
};

static void probe_page_alloc(void *data, struct page *page, unsigned int order,
			     gfp_t gfp, int migratetype)
{
	struct lt_rec_PAGE_ALLOC *rec;
	struct lt_channel_cpu *c;
	unsigned long flags, pfn;

	if (unlikely(!page)) {
		lt_alloc_failed(LT_CLASS_PAGE_ALLOC, 0, PAGE_SIZE << order, gfp,
				NUMA_NO_NODE, NULL);
		return;
	}
	pfn = page_to_pfn(page);
	if (lt_sampled_out((u64)pfn << PAGE_SHIFT)) {
		lt_filtered(&lt_channel_kmem, LT_CLASS_PAGE_ALLOC);
		return;
	}
	c = lt_enter(&lt_channel_kmem, LT_CLASS_PAGE_ALLOC, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_channel_kmem, c, LT_CLASS_PAGE_ALLOC, LT_EV_PAGE_ALLOC, sizeof(*rec));
	if (rec) {
		lt_put_u40(rec->pfn, pfn);
		rec->gfp_flags = (__force u32)gfp;
		rec->order = order;
		rec->migratetype = migratetype;
	}
	lt_leave(c, LT_CLASS_PAGE_ALLOC, flags);
}

/* Is this birth left out, and counted? */
static bool page_left_out(struct page *page, unsigned int order)
{
	if (!page || likely(!lt_births_on) || !lt_pages_left_out(order))
		return false;
	lt_filtered(&lt_channel_kmem, LT_CLASS_PAGE_ALLOC);
	return true;
}

/* As probe_page_alloc(), of what filter.c keeps. */
static void probe_page_alloc_filtered(void *data, struct page *page, unsigned int order,
				      gfp_t gfp, int migratetype)
{
	if (!page_left_out(page, order))
		probe_page_alloc(data, page, order, gfp, migratetype);
}

/* As probe_page_alloc(), with the stacks of those that the session wants. */
static void probe_page_alloc_stacked(void *data, struct page *page, unsigned int order,
				     gfp_t gfp, int migratetype)
{
	unsigned long caller = (unsigned long)__builtin_return_address(0);

	if (page_left_out(page, order))
		return;
	if (!page || lt_sampled_out((u64)page_to_pfn(page) << PAGE_SHIFT) ||
	    !lt_page_stack_wanted(order)) {
		probe_page_alloc(data, page, order, gfp, migratetype);
		return;
	}
	/*
	 * The tracepoint is in the page allocator, which calls this function itself or, where
	 * there are several probes, by way of another one: of either the first frame is this
	 * function's caller.
	 */
	lt_object_stacked(&page_alloc_forms, (void *)page_to_pfn(page), NULL, (struct lt_place) {
		caller, lt_what_pages(order, migratetype), lt_how(gfp, NUMA_NO_NODE),
	}, NULL);
}

void * const lt_page_alloc_probes[LT_N_VARIANTS] = {
	[LT_ANY] = probe_page_alloc,
	[LT_COUNTER] = probe_page_alloc,
	[LT_MONO] = probe_page_alloc,
	[LT_STACKED] = probe_page_alloc_stacked,
	[LT_FILTERED] = probe_page_alloc_filtered,
};

void lt_probe_page_free(void *data, struct page *page, unsigned int order)
{
	unsigned long flags, pfn = page_to_pfn(page);
	struct lt_rec_PAGE_FREE *rec;
	struct lt_channel_cpu *c;

	if (lt_sampled_out((u64)pfn << PAGE_SHIFT)) {
		lt_filtered(&lt_channel_kmem, LT_CLASS_PAGE_FREE);
		return;
	}
	c = lt_enter(&lt_channel_kmem, LT_CLASS_PAGE_FREE, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_channel_kmem, c, LT_CLASS_PAGE_FREE, LT_EV_PAGE_FREE, sizeof(*rec));
	if (rec) {
		lt_put_u40(rec->pfn, pfn);
		rec->order = order;
	}
	lt_leave(c, LT_CLASS_PAGE_FREE, flags);
}

void lt_probe_page_free_batched(void *data, struct page *page)
{
	unsigned long flags, pfn = page_to_pfn(page);
	struct lt_rec_PAGE_BATCHED *rec;
	struct lt_channel_cpu *c;

	if (lt_sampled_out((u64)pfn << PAGE_SHIFT)) {
		lt_filtered(&lt_channel_kmem, LT_CLASS_PAGE_BATCHED);
		return;
	}
	c = lt_enter(&lt_channel_kmem, LT_CLASS_PAGE_BATCHED, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_channel_kmem, c, LT_CLASS_PAGE_BATCHED, LT_EV_PAGE_BATCHED,
			 sizeof(*rec));
	if (rec)
		lt_put_u40(rec->pfn, pfn);
	lt_leave(c, LT_CLASS_PAGE_BATCHED, flags);
}

LT_CHECK_TRACEPOINT(mm_page_alloc, probe_page_alloc);
LT_CHECK_TRACEPOINT(mm_page_alloc, probe_page_alloc_stacked);
LT_CHECK_TRACEPOINT(mm_page_alloc, probe_page_alloc_filtered);
LT_CHECK_TRACEPOINT(mm_page_free, lt_probe_page_free);
LT_CHECK_TRACEPOINT(mm_page_free_batched, lt_probe_page_free_batched);
