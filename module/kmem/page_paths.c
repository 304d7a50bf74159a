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
 *
 * It takes whole free blocks out of the allocator, by isolate_freepages_range(), and gives back
 * what lies around the range, page by page: these frees are traced as all others. So its pages
 * are born as that function returns, with those around the range. Where that one cannot be
 * watched, only the range is recorded, as alloc_contig_range() returns.
 */

/**
 * struct contig_call - a call of alloc_contig_range() that is under way
 * @task: that makes it; NULL: this place is free
 * @start: first page frame of the range
 * @end: behind the last one
 * @gfp: flags of the request
 * @call_site: the caller
 * @written: its pages are recorded
 *
 * No lock: but for @task a place is used by its task alone, and no such call is made within
 * another.
 */
struct contig_call {
	struct task_struct *task;
	unsigned long start;
	unsigned long end;
	gfp_t gfp;
	unsigned long call_site;
	bool written;
};

/* As many as kretprobes of alloc_contig_range() have instances. */
#define CONTIG_CALLS	64

static struct contig_call contig_calls[CONTIG_CALLS];

/* What calls left behind that were under way when the probes were detached. Context: none runs. */
void lt_contig_calls_clear(void)
{
	memset(contig_calls, 0, sizeof(contig_calls));
}

/* Only @task, which is current, makes a place its own or gives it back: none is overlooked. */
static struct contig_call *contig_call_of(struct task_struct *task)
{
	unsigned int i;

	for (i = 0; i < CONTIG_CALLS; i++)
		if (READ_ONCE(contig_calls[i].task) == task)
			return &contig_calls[i];
	return NULL;
}

/* NULL: all places are taken. */
static struct contig_call *contig_call_new(void)
{
	unsigned int i;

	for (i = 0; i < CONTIG_CALLS; i++)
		if (!cmpxchg(&contig_calls[i].task, NULL, current))
			return &contig_calls[i];
	return NULL;
}

/* In as few blocks as there are; their pages may be freed one by one. */
static void write_range(unsigned long pfn, unsigned long end, unsigned long call_site, gfp_t gfp)
{
	unsigned int order;

	while (pfn < end) {
		order = min_t(unsigned int, ilog2(end - pfn), LARGEST_ORDER);
		if (pfn)
			order = min_t(unsigned int, order, __ffs(pfn));
		write_pages(pfn, order, 0, call_site, gfp);
		pfn += 1UL << order;
	}
}

/* int alloc_contig_range(start, end, migrate type or flags, gfp): page frames [start, end) */
static int page_contig_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct contig_call *c = contig_call_new();

	if (!c) {
		lt_rp_page_contig.nmissed++;
		return 1;
	}
	c->start = lt_arg(regs, 0);
	c->end = lt_arg(regs, 1);
	c->gfp = (__force gfp_t)lt_arg(regs, 3);
	c->call_site = lt_return_address(regs);
	c->written = false;
	*(struct contig_call **)ri->data = c;
	return 0;
}

NOKPROBE_SYMBOL(page_contig_entry);

static int page_contig_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct contig_call *c = *(struct contig_call **)ri->data;
	unsigned long flags;

	if (!c->written && !(int)regs_return_value(regs)) {
		/* With interrupts off: see page_isolate_return(). */
		local_irq_save(flags);
		write_range(c->start, c->end, c->call_site, c->gfp);
		local_irq_restore(flags);
	}
	/* The place may be another task's from here on: that one's stores come after this. */
	smp_store_release(&c->task, NULL);
	return 0;
}

NOKPROBE_SYMBOL(page_contig_return);

struct kretprobe lt_rp_page_contig = {
	.entry_handler = page_contig_entry,
	.handler = page_contig_return,
	.data_size = sizeof(struct contig_call *),
	.maxactive = CONTIG_CALLS,
};

/**
 * struct page_isolate - a call of isolate_freepages_range()
 * @call: within which it is made
 * @start: first page frame
 * @call_site: in alloc_contig_range(): what lies around the range was taken by nobody else
 */
struct page_isolate {
	struct contig_call *call;
	unsigned long start;
	unsigned long call_site;
};

/* unsigned long isolate_freepages_range(control, start, end): end of what it took, or 0 */
static int page_isolate_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct page_isolate *p = (void *)ri->data;

	p->call = contig_call_of(current);
	p->start = lt_arg(regs, 1);
	p->call_site = lt_return_address(regs);
	return !p->call;
}

NOKPROBE_SYMBOL(page_isolate_entry);

/* The range for itself, so that its blocks are the same whatever lies around it. */
static int page_isolate_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct page_isolate *p = (void *)ri->data;
	unsigned long end = regs_return_value(regs);
	struct contig_call *c = p->call;
	unsigned long flags;

	if (!end)
		return 0;
	/*
	 * With interrupts off, as in bulk_alloc_return() in paths.c: what an interrupt allocates
	 * in bulk meanwhile would be missed. A record a block of up to 2^LARGEST_ORDER pages: some
	 * 300 for a GiB, which is far less than the call itself takes.
	 */
	local_irq_save(flags);
	write_range(p->start, min(end, c->start), p->call_site, c->gfp);
	write_range(max(p->start, c->start), min(end, c->end), c->call_site, c->gfp);
	write_range(max(p->start, c->end), end, p->call_site, c->gfp);
	local_irq_restore(flags);
	c->written = true;
	return 0;
}

NOKPROBE_SYMBOL(page_isolate_return);

struct kretprobe lt_rp_page_isolate = {
	.entry_handler = page_isolate_entry,
	.handler = page_isolate_return,
	.data_size = sizeof(struct page_isolate),
	.maxactive = CONTIG_CALLS,
};
