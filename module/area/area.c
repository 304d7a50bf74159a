// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on vmalloc and on the allocator of per-CPU memory, and the table of the channel's probes.
 *
 * Both are slow paths that take locks and may sleep; an event here is rare, and all its
 * fields stand in its record.
 */
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/stringify.h>

#include <trace/events/percpu.h>

#include "area/area.h"
#include "area/compat.h"
#include "core/write.h"

/* ------------------------------------------------------------------------
 * vmalloc
 */

static int vmalloc_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	lt_vmalloc_read(regs, (void *)ri->data);
	return 0;
}

NOKPROBE_SYMBOL(vmalloc_entry);

static int vmalloc_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct lt_vmalloc *v = (void *)ri->data;
	unsigned long ptr = regs_return_value(regs), flags;
	struct lt_rec_VMALLOC *rec;
	struct lt_channel_cpu *c;

	/* A request that fails makes no object, and no event. */
	if (!ptr)
		return 0;
	c = lt_enter(&lt_channel_area, LT_CLASS_VMALLOC, &flags);
	if (!c)
		return 0;
	rec = lt_reserve(&lt_channel_area, c, LT_CLASS_VMALLOC, LT_EV_VMALLOC, sizeof(*rec));
	if (rec) {
		rec->ptr = ptr;
		rec->call_site = v->call_site;
		rec->gfp_flags = (__force u32)v->gfp;
		rec->bytes_req = v->bytes_req;
		rec->bytes_alloc = v->bytes_alloc;
		rec->node = v->node;
	}
	lt_leave(c, LT_CLASS_VMALLOC, flags);
	return 0;
}

NOKPROBE_SYMBOL(vmalloc_return);

static struct kretprobe rp_vmalloc = {
	.entry_handler = vmalloc_entry,
	.handler = vmalloc_return,
	.data_size = sizeof(struct lt_vmalloc),
	/* The function sleeps, so more calls than CPUs can be under way. */
	.maxactive = 256,
};

/*
 * struct vm_struct *remove_vm_area(const void *addr)
 *
 * vfree() and vunmap() come to it, in all versions. It also ends areas that vmalloc has not
 * made (vmap, ioremap): the reader takes an address that it does not know for one of those.
 * Its caller is within vfree(), and says nothing.
 */
static __always_inline void vfree_entry(struct lt_entry *entry, unsigned long caller)
{
	unsigned long ptr = lt_entry_arg(entry, 0), flags;
	struct lt_rec_VFREE *rec;
	struct lt_channel_cpu *c;

	c = lt_enter(&lt_channel_area, LT_CLASS_VFREE, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_channel_area, c, LT_CLASS_VFREE, LT_EV_VFREE, sizeof(*rec));
	if (rec)
		rec->ptr = ptr;
	lt_leave(c, LT_CLASS_VFREE, flags);
}

LT_CHECK_FUNCTION(remove_vm_area, struct vm_struct *(const void *));
LT_FUNCTION_PROBE(lt_on_vfree, vfree_entry);

/* void *vrealloc(area, size, ...) */
struct resize {
	unsigned long ptr;
	unsigned long bytes;
	unsigned long call_site;
};

static int resize_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct resize *r = (void *)ri->data;

	r->ptr = lt_arg(regs, 0);
	r->bytes = lt_arg(regs, 1);
	r->call_site = lt_return_address(regs);
	return 0;
}

NOKPROBE_SYMBOL(resize_entry);

/*
 * What the area takes from here on: whole pages, if it ends behind them, where an unmapped page
 * follows each area; else 0. Kernels that free pages when an area shrinks do not say so.
 */
static u64 bytes_left(const struct resize *r)
{
	unsigned long bytes = PAGE_ALIGN(r->bytes);

	return vmalloc_to_page((void *)(r->ptr + bytes)) ? 0 : bytes;
}

NOKPROBE_SYMBOL(bytes_left);

/* An area that is moved has a birth and a death; one that stays has no other event. */
static int resize_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct resize *r = (void *)ri->data;
	struct lt_rec_VRESIZE *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;
	u64 bytes_alloc;

	if (!r->ptr || regs_return_value(regs) != r->ptr)
		return 0;
	bytes_alloc = bytes_left(r);
	c = lt_enter(&lt_channel_area, LT_CLASS_VRESIZE, &flags);
	if (!c)
		return 0;
	rec = lt_reserve(&lt_channel_area, c, LT_CLASS_VRESIZE, LT_EV_VRESIZE, sizeof(*rec));
	if (rec) {
		rec->ptr = r->ptr;
		rec->call_site = r->call_site;
		rec->bytes_req = r->bytes;
		rec->bytes_alloc = bytes_alloc;
	}
	lt_leave(c, LT_CLASS_VRESIZE, flags);
	return 0;
}

NOKPROBE_SYMBOL(resize_return);

static struct kretprobe __maybe_unused rp_resize = {
	.entry_handler = resize_entry,
	.handler = resize_return,
	.data_size = sizeof(struct resize),
	.maxactive = 256,	/* as vmalloc, which it may call */
};

/* ------------------------------------------------------------------------
 * Per-CPU memory
 */

static void on_percpu_alloc(unsigned long call_site, size_t size, const void __percpu *ptr,
			    gfp_t gfp)
{
	struct lt_rec_PERCPU_ALLOC *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_channel_area, LT_CLASS_PERCPU_ALLOC, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_channel_area, c, LT_CLASS_PERCPU_ALLOC, LT_EV_PERCPU_ALLOC,
			 sizeof(*rec));
	if (rec) {
		rec->ptr = (__force unsigned long)ptr;
		rec->call_site = call_site;
		rec->gfp_flags = (__force u32)gfp;
		rec->bytes_req = (u64)size * num_possible_cpus();
		rec->bytes_alloc = rec->bytes_req;
	}
	lt_leave(c, LT_CLASS_PERCPU_ALLOC, flags);
}

LT_PROBE_PERCPU_ALLOC(probe_percpu_alloc, on_percpu_alloc)

static void probe_percpu_free(void *data, void *base_addr, int off, void __percpu *ptr)
{
	struct lt_rec_PERCPU_FREE *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_channel_area, LT_CLASS_PERCPU_FREE, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_channel_area, c, LT_CLASS_PERCPU_FREE, LT_EV_PERCPU_FREE,
			 sizeof(*rec));
	if (rec)
		rec->ptr = (__force unsigned long)ptr;
	lt_leave(c, LT_CLASS_PERCPU_FREE, flags);
}

LT_CHECK_TRACEPOINT(percpu_alloc_percpu, LT_PERCPU_ALLOC_PROBE(probe_percpu_alloc));
LT_CHECK_TRACEPOINT(percpu_free_percpu, probe_percpu_free);

/*
 * Frees first, see kmem.c. A word that chooses a kretprobe also chooses a function probe
 * before it, which shows whether ftrace is on: see attach() in probe.c.
 */
static struct lt_probe probes[] = {
	{ .name = "percpu_free", .kind = LT_TRACEPOINT, .group = "percpu",
	  .symbols = { "percpu_free_percpu" }, .fn = probe_percpu_free },
	{ .name = "vfree", .kind = LT_FUNCTION, .group = "vmalloc", .aliases = { "vresize" },
	  .symbols = { "remove_vm_area" }, .function = &lt_on_vfree },
	{ .name = "dma_free", .kind = LT_FUNCTION, .group = "dma", .aliases = { "dma_alloc" },
	  .symbols = { "dma_free_attrs" }, .function = &lt_on_dma_free },
	{ .name = "percpu_alloc", .kind = LT_TRACEPOINT, .group = "percpu",
	  .symbols = { "percpu_alloc_percpu" }, .fn = LT_PERCPU_ALLOC_PROBE(probe_percpu_alloc) },
	{ .name = "vmalloc", .kind = LT_KRETPROBE, .group = "vmalloc",
	  .symbols = { __stringify(LT_VMALLOC_FN) }, .rp = &rp_vmalloc },
	LT_VREALLOC_ROW({ .name = "vresize", .kind = LT_KRETPROBE, .group = "vmalloc",
			.symbols = { "vrealloc_node_align_noprof", "vrealloc_noprof" },
			.rp = &rp_resize })
	{ .name = "dma_alloc", .kind = LT_KRETPROBE, .group = "dma",
	  .symbols = { "dma_alloc_attrs" }, .rp = &lt_rp_dma_alloc },
};

const struct lt_probes lt_area_probes = { probes, ARRAY_SIZE(probes) };
