// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of the allocators' paths that have no tracepoint. Reading debugfs/lt_paths makes them,
 * once, and prints a line for each object:
 *
 *	KIND ADDRESS FIRST LAST STATE FROM TO
 *
 * KIND: resize (an object of kmalloc that krealloc gave another size), moved (what krealloc
 * allocated for one that it had to move), array and list (a page of alloc_pages_bulk), range (of
 * alloc_contig_range), nolock (kmalloc_nolock), reserve (an object that a mempool gave out of
 * its reserve twice; the call is the one that filled it). ADDRESS: of the object, or the number
 * of a page. FIRST, LAST: bytes requested at first and last, of pages their number. STATE: freed
 * or alive. FROM, TO: the call that made it, in ns of the monotonic clock.
 */
#include <linux/debugfs.h>
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/mempool.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "compat.h"

#define OBJECTS		90
#define PAGES		40	/* of one call */
#define CALLS		20
#define RANGE		64	/* pages */
#define RANGES		4
#define RESERVE		8	/* objects of a mempool */

static struct dentry *file;
static void *objects[OBJECTS];
static void *others[OBJECTS];
#ifdef fill_array
static struct page *kept[CALLS][PAGES];
#endif
static mempool_t *pools[2];
static bool no_memory;
static bool done;

static void line(struct seq_file *m, const char *kind, unsigned long address, size_t first,
		 size_t last, bool freed, u64 from, u64 to)
{
	seq_printf(m, "%s %#lx %zu %zu %s %llu %llu\n", kind, address, first, last,
		   freed ? "freed" : "alive", from, to);
}

/* Within the slot of the object, which is 64 or 128 or ... bytes. */
static void make_resized(struct seq_file *m, unsigned int i)
{
	size_t first = (32 << (i % 5)) + 1, last = (32 << (i % 5)) * 2 - i % 7;
	u64 from = ktime_get_ns(), to;
	void *object = kmalloc(first, GFP_KERNEL), *again;

	to = ktime_get_ns();
	if (!object)
		return;
	/* Twice: the last one counts. Smaller is in its place, too. */
	again = krealloc(object, last / 2 + 1, GFP_KERNEL);
	if (again == object)
		again = krealloc(object, last, GFP_KERNEL);
	if (again != object) {
		kfree(again ?: object);
		return;
	}
	objects[i] = again;
	if (i % 3)
		kfree(again);
	line(m, "resize", (unsigned long)again, first, last, i % 3, from, to);
	if (i % 3)
		objects[i] = NULL;
}

static void make_moved(struct seq_file *m, unsigned int i)
{
	size_t bytes = 1000 + 13 * i;
	void *object = kmalloc(16, GFP_KERNEL), *moved;
	u64 from = ktime_get_ns(), to;

	if (!object)
		return;
	moved = krealloc(object, bytes, GFP_KERNEL);
	to = ktime_get_ns();
	if (moved)
		line(m, "moved", (unsigned long)moved, bytes, bytes, true, from, to);
	kfree(moved ?: object);
}

#ifdef fill_array
static void print_pages(struct seq_file *m, const char *kind, struct page **pages,
			const unsigned long *had, bool freed, u64 from, u64 to)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++) {
		if (!pages[i] || test_bit(i, had))
			continue;
		line(m, kind, page_to_pfn(pages[i]), 1, 1, freed, from, to);
	}
}

static void free_kept(struct page **pages)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++) {
		if (pages[i])
			__free_page(pages[i]);
		pages[i] = NULL;
	}
}

/* All at once; with pages that are there before; one alone, by the usual path. */
static void make_array(struct seq_file *m, unsigned int call)
{
	DECLARE_BITMAP(had, PAGES) = { 0 };
	struct page **pages = kept[call];
	bool freed = call & 1;
	unsigned int i;
	u64 from, to;

	for (i = call % 4; call % 5 == 1 && i < PAGES; i += 3) {
		pages[i] = alloc_page(GFP_KERNEL);
		if (pages[i])
			__set_bit(i, had);
	}
	from = ktime_get_ns();
	if (call % 5 == 2)
		fill_array(1, pages);
	else if (call % 5 == 3)
		fill_alone(PAGES, pages);
	else
		fill_array(PAGES, pages);
	to = ktime_get_ns();
	print_pages(m, "array", pages, had, freed, from, to);
	if (freed)
		free_kept(pages);
}
#endif

#ifdef HAVE_LIST
static void make_list(struct seq_file *m, unsigned int n)
{
	struct page *page, *next;
	LIST_HEAD(list);
	u64 from, to;

	/* One that is not of the call. */
	page = alloc_page(GFP_KERNEL);
	if (page)
		list_add(&page->lru, &list);
	from = ktime_get_ns();
	alloc_pages_bulk_list(GFP_KERNEL, n, &list);
	to = ktime_get_ns();
	list_for_each_entry_safe(page, next, &list, lru) {
		list_del(&page->lru);
		if (!list_empty(&list))
			line(m, "list", page_to_pfn(page), 1, 1, true, from, to);
		__free_page(page);
	}
}
#endif

#ifdef CONFIG_CONTIG_ALLOC
/* A range of page frames that are free or can be moved, from the end of memory on. */
static void make_ranges(struct seq_file *m)
{
	struct pglist_data *node = NODE_DATA(first_online_node);
	unsigned long pfn = node->node_start_pfn + node->node_spanned_pages - RANGE;
	unsigned int made = 0;
	u64 from, to;
	int err;

	pfn -= pfn % RANGE;
	for (; made < RANGES && pfn > node->node_start_pfn + RANGE; pfn -= 16 * RANGE) {
		if (!pfn_valid(pfn) || !pfn_valid(pfn + RANGE - 1))
			continue;
		from = ktime_get_ns();
		err = make_range(pfn, pfn + RANGE);
		to = ktime_get_ns();
		if (err)
			continue;
		made++;
		free_contig_range(pfn, RANGE);
		line(m, "range", pfn, RANGE, RANGE, true, from, to);
	}
}
#endif

#ifdef kmalloc_nolock
static void make_nolock(struct seq_file *m, unsigned int i)
{
	size_t bytes = 8 + 29 * i;
	u64 from = ktime_get_ns(), to;
	bool freed = i % 3;

	others[i] = kmalloc_nolock(bytes, 0, NUMA_NO_NODE);
	to = ktime_get_ns();
	if (!others[i])
		return;
	line(m, "nolock", (unsigned long)others[i], bytes, bytes, freed, from, to);
	if (freed) {
		kfree_nolock(others[i]);
		others[i] = NULL;
	}
}
#endif

/* What a mempool allocates from. It fails while no_memory is set. */
static void *pool_get(gfp_t gfp, void *bytes)
{
	void *object = no_memory ? NULL : kmalloc((size_t)bytes, gfp);

	barrier();	/* kmalloc is called, not jumped to: the caller is this function */
	return object;
}

static void pool_put(void *object, void *bytes)
{
	kfree(object);
}

/* All of the reserve is taken, given back, and taken again, in another order. */
static void use_reserve(mempool_t *pool, void *taken[RESERVE])
{
	unsigned int turn, i;

	no_memory = true;
	for (turn = 0; turn < 2; turn++) {
		for (i = 0; i < RESERVE; i++)
			taken[i] = mempool_alloc(pool, GFP_NOWAIT);
		for (i = 0; i < RESERVE; i++)
			if (taken[i])
				mempool_free(taken[i], pool);
	}
	no_memory = false;
}

static void make_reserve(struct seq_file *m, unsigned int n)
{
	size_t bytes = 200 + 100 * n;
	void *taken[RESERVE];
	u64 from = ktime_get_ns(), to;
	unsigned int i;

	pools[n] = mempool_create(RESERVE, pool_get, pool_put, (void *)bytes);
	to = ktime_get_ns();
	if (!pools[n])
		return;
	use_reserve(pools[n], taken);
	for (i = 0; i < RESERVE; i++)
		if (taken[i])
			line(m, "reserve", (unsigned long)taken[i], bytes, bytes, n, from, to);
	if (!n)
		return;
	mempool_destroy(pools[n]);
	pools[n] = NULL;
}

static void make(struct seq_file *m)
{
	unsigned int i;

	for (i = 0; i < OBJECTS; i++)
		make_resized(m, i);
	for (i = 0; i < ARRAY_SIZE(pools); i++)
		make_reserve(m, i);
	for (i = 0; i < OBJECTS; i++)
		make_moved(m, i);
#ifdef fill_array
	for (i = 0; i < CALLS; i++)
		make_array(m, i);
#endif
#ifdef HAVE_LIST
	for (i = 0; i < CALLS; i++)
		make_list(m, i % 4 ? PAGES : 1);
#endif
#ifdef CONFIG_CONTIG_ALLOC
	make_ranges(m);
#endif
#ifdef kmalloc_nolock
	for (i = 0; i < OBJECTS; i++)
		make_nolock(m, i);
#endif
}

static int truth_show(struct seq_file *m, void *unused)
{
	/* Not again with a larger buffer: what did not fit the first one shows. */
	if (!done)
		make(m);
	done = true;
	return 0;
}

static int truth_open(struct inode *inode, struct file *f)
{
	return single_open_size(f, truth_show, NULL, 1 << 19);
}

static const struct file_operations truth_fops = {
	.owner = THIS_MODULE,
	.open = truth_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init lt_paths_init(void)
{
	file = debugfs_create_file("lt_paths", 0400, NULL, NULL, &truth_fops);
	return 0;
}

static void __exit lt_paths_exit(void)
{
	unsigned int i;

	debugfs_remove(file);
	mempool_destroy(pools[0]);
	for (i = 0; i < OBJECTS; i++) {
		kfree(objects[i]);
		kfree(others[i]);
	}
#ifdef fill_array
	for (i = 0; i < CALLS; i++)
		free_kept(kept[i]);
#endif
}

module_init(lt_paths_init);
module_exit(lt_paths_exit);
MODULE_DESCRIPTION("calls of the allocators' paths that have no tracepoint");
MODULE_LICENSE("GPL");
