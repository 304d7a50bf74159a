// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on the allocators' tracepoints.
 *
 * Each may be called in task, softirq, hardirq or NMI context, on 7.x with
 * preemption on. What that takes is in lt_enter(); until it returns, a probe
 * uses its arguments only.
 */
#include <linux/slab.h>	/* kmem.h does not declare struct kmem_cache */

#include <trace/events/kmem.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#include <linux/stringify.h>

#include "context.h"
#include "kmem.h"
#include "probe.h"

struct lt_channel lt_kmem;

size_t lt_min_size __read_mostly;
u32 lt_sample __read_mostly;

/**
 * lt_set_sample() - keep the events of one address in @one_in
 * @one_in: 0 or 1: keep all
 */
void lt_set_sample(unsigned int one_in)
{
	lt_sample = one_in > 1 ? U32_MAX / one_in : 0;
}

/* An allocation that returned nothing. Context: any. */
void lt_alloc_failed(unsigned int what, unsigned long call_site, size_t bytes_req,
		     gfp_t gfp, int node, const struct kmem_cache *s)
{
	struct lt_rec_ALLOC_FAILED *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;
	u16 id = LT_CACHE_UNKNOWN;

	c = lt_enter(&lt_kmem, LT_CLASS_ALLOC_FAILED, &flags);
	if (!c)
		return;
	if (s)
		id = lt_cache_id(&lt_kmem, c, s);
	rec = lt_reserve(&lt_kmem, c, LT_CLASS_ALLOC_FAILED, LT_EV_ALLOC_FAILED, sizeof(*rec));
	if (rec) {
		rec->call_site = call_site;
		rec->bytes_req = bytes_req;
		rec->gfp_flags = (__force u32)gfp;
		rec->node = node;
		rec->cache = id == LT_CACHE_LOST ? LT_CACHE_UNKNOWN : id;
		rec->what = what;
	}
	lt_leave(c, LT_CLASS_ALLOC_FAILED, flags);
}

static const struct lt_forms kmalloc_forms = LT_FORMS(KMALLOC, KMALLOC);
static const struct lt_forms cache_alloc_forms = LT_FORMS(CACHE_ALLOC, CACHE_ALLOC);
static const struct lt_forms kfree_forms = LT_FORMS(FREE, KFREE);
static const struct lt_forms cache_free_forms = LT_FORMS(CACHE_FREE, CACHE_FREE);

static __always_inline void
on_kmalloc(unsigned long call_site, const void *ptr, size_t bytes_req,
	   size_t bytes_alloc, gfp_t gfp, int node)
{
	if (unlikely(!ptr)) {
		lt_alloc_failed(LT_CLASS_KMALLOC, call_site, bytes_req, gfp, node, NULL);
		return;
	}
	if (unlikely(bytes_req < lt_min_size) || lt_sampled_out((unsigned long)ptr)) {
		lt_filtered(&lt_kmem, LT_CLASS_KMALLOC);
		return;
	}
	lt_write_object(&kmalloc_forms, ptr, NULL, (struct lt_place) {
		call_site, (u32)bytes_req | (u64)bytes_alloc << 32,
		lt_how(gfp, node, LT_LAYOUT_KMALLOC),
	});
}

static __always_inline void
on_cache_alloc(unsigned long call_site, const void *ptr, const struct kmem_cache *s,
	       gfp_t gfp, int node)
{
	if (unlikely(!ptr)) {
		lt_alloc_failed(LT_CLASS_CACHE_ALLOC, call_site,
				s ? kmem_cache_size((struct kmem_cache *)s) : 0, gfp, node, s);
		return;
	}
	lt_write_cache_alloc(&cache_alloc_forms, call_site, ptr, s, gfp, node);
}

static __always_inline void
on_cache_free(unsigned long call_site, const void *ptr, const struct kmem_cache *s)
{
	lt_write_cache_free(&cache_free_forms, call_site, ptr, s);
}

LT_PROBE_KMALLOC(probe_kmalloc, on_kmalloc)
LT_PROBE_KMALLOC_NODE(probe_kmalloc_node, on_kmalloc)
LT_PROBE_CACHE_ALLOC(probe_cache_alloc, on_cache_alloc)
LT_PROBE_CACHE_ALLOC_NODE(probe_cache_alloc_node, on_cache_alloc)
LT_PROBE_CACHE_FREE(probe_cache_free, on_cache_free)

static void probe_kfree(void *data, unsigned long call_site, const void *ptr)
{
	lt_write_free(&kfree_forms, call_site, ptr);
}

/* ------------------------------------------------------------------------
 * Pages
 */

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
		lt_filtered(&lt_kmem, LT_CLASS_PAGE_ALLOC);
		return;
	}
	c = lt_enter(&lt_kmem, LT_CLASS_PAGE_ALLOC, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_kmem, c, LT_CLASS_PAGE_ALLOC, LT_EV_PAGE_ALLOC, sizeof(*rec));
	if (rec) {
		lt_put_u40(rec->pfn, pfn);
		rec->gfp_flags = (__force u32)gfp;
		rec->order = order;
		rec->migratetype = migratetype;
	}
	lt_leave(c, LT_CLASS_PAGE_ALLOC, flags);
}

static void probe_page_free(void *data, struct page *page, unsigned int order)
{
	unsigned long flags, pfn = page_to_pfn(page);
	struct lt_rec_PAGE_FREE *rec;
	struct lt_channel_cpu *c;

	if (lt_sampled_out((u64)pfn << PAGE_SHIFT)) {
		lt_filtered(&lt_kmem, LT_CLASS_PAGE_FREE);
		return;
	}
	c = lt_enter(&lt_kmem, LT_CLASS_PAGE_FREE, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_kmem, c, LT_CLASS_PAGE_FREE, LT_EV_PAGE_FREE, sizeof(*rec));
	if (rec) {
		lt_put_u40(rec->pfn, pfn);
		rec->order = order;
	}
	lt_leave(c, LT_CLASS_PAGE_FREE, flags);
}

static void probe_page_free_batched(void *data, struct page *page)
{
	unsigned long flags, pfn = page_to_pfn(page);
	struct lt_rec_PAGE_BATCHED *rec;
	struct lt_channel_cpu *c;

	if (lt_sampled_out((u64)pfn << PAGE_SHIFT)) {
		lt_filtered(&lt_kmem, LT_CLASS_PAGE_BATCHED);
		return;
	}
	c = lt_enter(&lt_kmem, LT_CLASS_PAGE_BATCHED, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_kmem, c, LT_CLASS_PAGE_BATCHED, LT_EV_PAGE_BATCHED, sizeof(*rec));
	if (rec)
		lt_put_u40(rec->pfn, pfn);
	lt_leave(c, LT_CLASS_PAGE_BATCHED, flags);
}

/* ------------------------------------------------------------------------
 * Tasks, as far as lifetimes of allocations need them
 */

static void on_task_exit(struct task_struct *p, bool group_dead)
{
	struct lt_rec_TASK_EXIT *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_kmem, LT_CLASS_TASK_EXIT, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_kmem, c, LT_CLASS_TASK_EXIT, LT_EV_TASK_EXIT, sizeof(*rec));
	if (rec) {
		rec->tid = p->pid;
		rec->tgid = p->tgid;
		rec->start = p->start_boottime;
		rec->group_dead = group_dead;
	}
	lt_leave(c, LT_CLASS_TASK_EXIT, flags);
}

LT_PROBE_TASK_EXIT(probe_task_exit, on_task_exit)

static void probe_task_rename(void *data, struct task_struct *task, const char *comm)
{
	lt_context_renamed(&lt_kmem, task);
}

/*
 * Never called. A tracepoint that changed its prototype breaks the build here
 * instead of the kernel.
 */
static void __maybe_unused check_prototypes(void)
{
	check_trace_callback_type_kmalloc(probe_kmalloc);
	LT_IF_NODE_EVENTS(check_trace_callback_type_kmalloc_node(probe_kmalloc_node);)
	check_trace_callback_type_kmem_cache_alloc(probe_cache_alloc);
	LT_IF_NODE_EVENTS(check_trace_callback_type_kmem_cache_alloc_node(probe_cache_alloc_node);)
	check_trace_callback_type_kfree(probe_kfree);
	check_trace_callback_type_kmem_cache_free(probe_cache_free);
	check_trace_callback_type_mm_page_alloc(probe_page_alloc);
	check_trace_callback_type_mm_page_free(probe_page_free);
	check_trace_callback_type_mm_page_free_batched(probe_page_free_batched);
	check_trace_callback_type_sched_process_exit(probe_task_exit);
	check_trace_callback_type_task_rename(probe_task_rename);
}

#define TRACEPOINT(event, grp, tracepoint, probe) \
	{ .name = event, .kind = LT_TRACEPOINT, .group = LT_GROUP_##grp, \
	  .symbols = { tracepoint }, .fn = probe }

/*
 * Frees first: as soon as a birth can be recorded, so can its death. A death
 * recorded before births are is that of an object born before tracing.
 */
struct lt_probe lt_kmem_probes[] = {
	TRACEPOINT("task_rename", ALWAYS, "task_rename", probe_task_rename),
	TRACEPOINT("task_exit", ALWAYS, "sched_process_exit", probe_task_exit),
	{ .name = "cache_gone", .kind = LT_FUNCTION, .group = LT_GROUP_ALWAYS,
	  .symbols = { "kmem_cache_destroy" }, .function = &lt_on_cache_destroy },

	TRACEPOINT("kfree", SLAB, "kfree", probe_kfree),
	TRACEPOINT("kmem_cache_free", SLAB, "kmem_cache_free", probe_cache_free),
	{ .name = "bulk_free", .kind = LT_FUNCTION, .group = LT_GROUP_SLAB,
	  .symbols = { "kmem_cache_free_bulk" }, .function = &lt_on_bulk_free },
	{ .name = "rcu_free", .kind = LT_FUNCTION, .group = LT_GROUP_SLAB,
	  .symbols = { "kvfree_call_rcu" }, .function = &lt_on_rcu_free },
	TRACEPOINT("page_free", PAGES, "mm_page_free", probe_page_free),
	TRACEPOINT("page_free_batched", PAGES, "mm_page_free_batched", probe_page_free_batched),

	TRACEPOINT("page_alloc", PAGES, "mm_page_alloc", probe_page_alloc),
	{ .name = "bulk_alloc", .kind = LT_KRETPROBE, .group = LT_GROUP_SLAB,
	  .symbols = { __stringify(LT_BULK_ALLOC_FN) }, .rp = &lt_rp_bulk_alloc },
	TRACEPOINT("kmem_cache_alloc", SLAB, "kmem_cache_alloc", probe_cache_alloc),
	LT_NODE_ROW(TRACEPOINT("kmem_cache_alloc_node", SLAB, "kmem_cache_alloc_node",
			       probe_cache_alloc_node))
	TRACEPOINT("kmalloc", SLAB, "kmalloc", probe_kmalloc),
	LT_NODE_ROW(TRACEPOINT("kmalloc_node", SLAB, "kmalloc_node", probe_kmalloc_node))
};

const unsigned int lt_n_kmem_probes = ARRAY_SIZE(lt_kmem_probes);
