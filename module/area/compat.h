/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernels in vmalloc and in the allocator of per-CPU memory. The rest of
 * the channel is written against the newest kernel; see core/compat.h.
 */
#ifndef LT_AREA_COMPAT_H
#define LT_AREA_COMPAT_H

#include <linux/vmalloc.h>

#include "core/compat.h"

/**
 * struct lt_vmalloc - a call of vmalloc
 * @call_site: the caller of vmalloc, which its variants pass on; 0: not known
 * @bytes_req: bytes requested
 * @bytes_alloc: bytes allocated
 * @gfp: flags of the request
 * @node: node of the request
 */
struct lt_vmalloc {
	unsigned long call_site;
	unsigned long bytes_req;
	unsigned long bytes_alloc;
	gfp_t gfp;
	int node;
};

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 13, 0)

/*
 * Every vmalloc comes to one function, renamed when allocation profiling came:
 *
 *	size, align, start, end, gfp, prot, vm_flags, node, caller
 *
 * On 32-bit machines the place of the last ones is not known here, and they are not recorded.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define LT_VMALLOC_FN		__vmalloc_node_range_noprof
#else
#define LT_VMALLOC_FN		__vmalloc_node_range
#endif

LT_CHECK_FUNCTION(LT_VMALLOC_FN, void *(unsigned long, unsigned long, unsigned long,
					unsigned long, gfp_t, pgprot_t, unsigned long, int,
					const void *));

static inline void lt_vmalloc_read(struct pt_regs *regs, struct lt_vmalloc *v)
{
	v->bytes_req = lt_arg(regs, 0);
	v->bytes_alloc = PAGE_ALIGN(v->bytes_req);
	/* Where a word is smaller, protection bits may be more than one. */
	v->gfp = IS_ENABLED(CONFIG_64BIT) ? (__force gfp_t)lt_arg(regs, 4) : (__force gfp_t)0;
	v->node = IS_ENABLED(CONFIG_64BIT) ? (int)lt_arg(regs, 7) : NUMA_NO_NODE;
	v->call_site = IS_ENABLED(CONFIG_64BIT) ? lt_arg(regs, 8) : 0;
}

#else /* before 5.13 */

/*
 * That function was small, and compilers put a copy of it into each caller. What all copies
 * call, with area, gfp, prot and node, has the area, whose size is in whole pages.
 */
#define LT_VMALLOC_FN		__vmalloc_area_node

static inline void lt_vmalloc_read(struct pt_regs *regs, struct lt_vmalloc *v)
{
	const struct vm_struct *area = (void *)lt_arg(regs, 0);

	v->bytes_req = get_vm_area_size(area);
	v->bytes_alloc = v->bytes_req;
	v->gfp = (__force gfp_t)lt_arg(regs, 1);
	/* i386 passes three arguments in registers. */
	v->node = IS_ENABLED(CONFIG_X86_32) ? NUMA_NO_NODE : (int)lt_arg(regs, 3);
	v->call_site = (unsigned long)area->caller;
}

#endif /* 5.13 */

/* vrealloc() is new in 6.12. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define LT_VREALLOC_ROW(...)	__VA_ARGS__,
#else
#define LT_VREALLOC_ROW(...)
#endif

/* percpu_alloc_percpu: caller and flags were added in 5.19. The headers choose the probe. */
#define LT_PROBE_PERCPU_ALLOC(name, handler)				\
	static void __maybe_unused name##_caller(void *data, unsigned long call_site, \
		bool reserved, bool is_atomic, size_t size, size_t align, void *base_addr, \
		int off, void __percpu *ptr, size_t bytes_alloc, gfp_t gfp) \
	{ handler(call_site, size, ptr, gfp); }				\
	static void __maybe_unused name##_plain(void *data, bool reserved, bool is_atomic, \
		size_t size, size_t align, void *base_addr, int off, void __percpu *ptr) \
	{ handler(0, size, ptr, (__force gfp_t)0); }
#define LT_PERCPU_ALLOC_PROBE(name)					\
	__builtin_choose_expr(__builtin_types_compatible_p(		\
		typeof(check_trace_callback_type_percpu_alloc_percpu) *, \
		void (*)(void (*)(void *, bool, bool, size_t, size_t, void *, int, \
				  void __percpu *))),			\
		name##_plain, name##_caller)

#endif /* LT_AREA_COMPAT_H */
