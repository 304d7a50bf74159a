// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of the page allocator that have no tracepoint: alloc_pages_bulk() and
 * alloc_contig_range(). Their pages are freed as all others.
 *
 * The results of functions take kretprobes; see paths.c.
 */
#include <linux/bitmap.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/mm.h>

#include "kmem/compat.h"
#include "kmem/kmem.h"

static const struct lt_forms page_bulk_forms = {
	.layout = LT_LAYOUT_PAGE,
	.class = LT_CLASS_PAGE_BULK,
	.brief = LT_EV_PAGE_BULK_SHORT,
	.narrow = LT_EV_PAGE_BULK,
	.wide = LT_EV_PAGE_BULK_WIDE,
};

/* Larger blocks than the page allocator has anywhere say nothing more. */
#define LARGEST_ORDER	10

/* In the place of the migrate type. */
#define ONLY_PAGE	1

static void write_pages(unsigned long pfn, unsigned int order, unsigned int flags,
			unsigned long call_site, gfp_t gfp)
{
	if (lt_sampled_out((u64)pfn << PAGE_SHIFT) || (lt_births_on && lt_pages_left_out(order))) {
		lt_filtered(&lt_channel_kmem, LT_CLASS_PAGE_BULK);
		return;
	}
	lt_object_slow(&page_bulk_forms, (void *)pfn, NULL, call_site,
		       lt_what_pages(order, flags), lt_how(gfp, NUMA_NO_NODE));
}

/* ------------------------------------------------------------------------
 * alloc_pages_bulk
 */

#define MAX_HELD	2048

/**
 * struct page_bulk - a call of alloc_pages_bulk()
 * @list: gets the pages, at its head; or
 * @array: gets the pages, where it has none
 * @n: length of @array
 * @gfp: flags of the request
 * @call_site: the caller
 * @beyond: @array had a page beyond @had
 * @had: where @array had a page before
 */
struct page_bulk {
	struct list_head *list;
	struct page **array;
	unsigned int n;
	gfp_t gfp;
	unsigned long call_site;
	bool beyond;
	DECLARE_BITMAP(had, MAX_HELD);
};

static int page_bulk_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct page_bulk *b = (void *)ri->data;
	int n = lt_arg(regs, 3);
	unsigned int i;

	b->gfp = (__force gfp_t)lt_arg(regs, 0);
	b->list = lt_page_bulk_list(regs);
	b->array = lt_page_bulk_array(regs);
	b->n = n > 0 ? n : 0;
	b->call_site = lt_return_address(regs);
	b->beyond = false;
	if (!b->array)
		return 0;
	bitmap_zero(b->had, MAX_HELD);
	for (i = 0; i < b->n; i++) {
		if (!b->array[i])
			continue;
		if (i < MAX_HELD)
			__set_bit(i, b->had);
		else
			b->beyond = true;
	}
	return 0;
}

NOKPROBE_SYMBOL(page_bulk_entry);

static bool is_new(const struct page_bulk *b, unsigned int i)
{
	return b->array[i] && (i >= MAX_HELD || !test_bit(i, b->had));
}

/*
 * Where it cannot take several pages at once it takes one from the allocator's usual path,
 * which is traced. So one page alone may have an event already: the flag says so, and the
 * reader looks whether that page has just been born.
 */
static void write_array(const struct page_bulk *b, unsigned int filled)
{
	unsigned int i, made = 0;

	for (i = 0; i < filled; i++)
		made += is_new(b, i);
	for (i = 0; i < filled; i++)
		if (is_new(b, i))
			write_pages(page_to_pfn(b->array[i]), 0, made == 1 ? ONLY_PAGE : 0,
				    b->call_site, b->gfp);
}

static void write_list(const struct page_bulk *b, unsigned long made)
{
	unsigned int flags = made == 1 ? ONLY_PAGE : 0;
	struct page *page;

	list_for_each_entry(page, b->list, lru) {
		if (!made--)
			break;
		write_pages(page_to_pfn(page), 0, flags, b->call_site, b->gfp);
	}
}

static int page_bulk_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct page_bulk *b = (void *)ri->data;
	unsigned long filled = min_t(unsigned long, regs_return_value(regs), b->n);
	unsigned long flags;

	/* With interrupts off: see bulk_alloc_return() in paths.c. */
	local_irq_save(flags);
	if (b->list) {
		write_list(b, filled);
	} else if (b->array) {
		/* Which of the pages beyond are new is not known: a miss, as the kernel's. */
		if (b->beyond)
			lt_rp_page_bulk.nmissed++;
		else
			write_array(b, filled);
	}
	local_irq_restore(flags);
	return 0;
}

NOKPROBE_SYMBOL(page_bulk_return);

struct kretprobe lt_rp_page_bulk = {
	.entry_handler = page_bulk_entry,
	.handler = page_bulk_return,
	.data_size = sizeof(struct page_bulk),
	/* It sleeps in the allocator's usual path only: few calls are under way at once. */
	.maxactive = 64,
};

/* ------------------------------------------------------------------------
 * alloc_contig_range
 */

/* int alloc_contig_range(start, end, migrate type or flags, gfp): page frames [start, end) */
struct page_contig {
	unsigned long start;
	unsigned long end;
	gfp_t gfp;
	unsigned long call_site;
};

static int page_contig_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct page_contig *p = (void *)ri->data;

	p->start = lt_arg(regs, 0);
	p->end = lt_arg(regs, 1);
	p->gfp = (__force gfp_t)lt_arg(regs, 3);
	p->call_site = lt_return_address(regs);
	return 0;
}

NOKPROBE_SYMBOL(page_contig_entry);

/* In as few blocks as there are; their pages may be freed one by one. */
static int page_contig_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct page_contig *p = (void *)ri->data;
	unsigned long pfn = p->start;
	unsigned int order;

	if ((int)regs_return_value(regs))
		return 0;
	while (pfn < p->end) {
		order = min_t(unsigned int, ilog2(p->end - pfn), LARGEST_ORDER);
		if (pfn)
			order = min_t(unsigned int, order, __ffs(pfn));
		write_pages(pfn, order, 0, p->call_site, p->gfp);
		pfn += 1UL << order;
	}
	return 0;
}

NOKPROBE_SYMBOL(page_contig_return);

struct kretprobe lt_rp_page_contig = {
	.entry_handler = page_contig_entry,
	.handler = page_contig_return,
	.data_size = sizeof(struct page_contig),
	.maxactive = 64,
};
