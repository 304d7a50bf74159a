// SPDX-License-Identifier: GPL-2.0
/*
 * The channel area: per-CPU memory, and areas of vmalloc; see module/area/area.c. What these take
 * is not filtered. Their functions take locks and may sleep, so what an event costs does not
 * matter.
 */
#include "shared.h"

#define FUNCTION_EVENTS	(1 << LT_BPF_VMALLOC | 1 << LT_BPF_VFREE)

#include "prog/ring.h"

/* All but the kinds of births leave out what they do not know. */
struct area {
	u64 ptr;
	u64 site;
	u64 bytes_req;
	u64 bytes_alloc;
	u32 gfp;
	s32 node;
	u32 kind;
};

AI void on_area(const struct area *a, u32 event, u32 copy)
{
	struct lt_raw_area *w;
	u64 pos, time;
	struct run r;

	if (!a->ptr || !run_begin(&r) || !mine(&r, event, a->ptr, copy))
		return;
	w = reserve(&r, sizeof(*w), true, event, &r.s->full[event], &pos, &time);
	if (!w)
		return;
	w->time = time;
	w->ptr = a->ptr;
	w->site = a->site;
	w->bytes_req = a->bytes_req;
	w->bytes_alloc = a->bytes_alloc;
	commit(&r, w, a->kind, copy, a->node, a->gfp);
}

/*
 * percpu_alloc_percpu(call_site, reserved, is_atomic, size, align, base_addr, off, ptr,
 * bytes_alloc, gfp). The size is that of one CPU.
 */
AI void on_percpu_alloc(u64 *ctx, u32 copy)
{
	struct area a = { .ptr = ctx[7], .site = ctx[0], .gfp = ctx[9],
			  .bytes_req = ctx[3] * config.possible,
			  .bytes_alloc = ctx[3] * config.possible, .kind = LT_RAW_PERCPU_ALLOC };

	on_area(&a, LT_BPF_PERCPU_ALLOC, copy);
}

/* percpu_free_percpu(base_addr, off, ptr) */
AI void on_percpu_free(u64 *ctx, u32 copy)
{
	struct area a = { .ptr = ctx[2], .kind = LT_RAW_PERCPU_FREE };

	on_area(&a, LT_BPF_PERCPU_FREE, copy);
}

COPIES("raw_tp/percpu_free_percpu", percpu_free, on_percpu_free)
COPIES("raw_tp/percpu_alloc_percpu", percpu_alloc, on_percpu_alloc)

/*
 * __vmalloc_node_range(size, align, start, end, gfp, prot, vm_flags, node, caller). One that failed
 * makes no area.
 */
AI void on_vmalloc(u64 *ctx, u32 copy)
{
	u64 page = 1ULL << config.page_shift;
	struct area a = { .site = arg(ctx, 8), .gfp = arg(ctx, 4), .node = arg(ctx, 7),
			  .ptr = result(ctx), .bytes_req = arg(ctx, 0), .kind = LT_RAW_VMALLOC };

	a.bytes_alloc = (a.bytes_req + page - 1) & ~(page - 1);
	on_area(&a, LT_BPF_VMALLOC, copy);
}

/* remove_vm_area(addr), which vfree() and vunmap() call; also of areas of others */
AI void on_vfree(u64 *ctx, u32 copy)
{
	struct area a = { .ptr = arg(ctx, 0), .kind = LT_RAW_VFREE };

	on_area(&a, LT_BPF_VFREE, copy);
}

COPIES("fentry", vfree, on_vfree)
COPIES("fexit", vmalloc, on_vmalloc)
