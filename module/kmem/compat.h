/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernels in the paths of the allocators that have no tracepoint. The
 * rest of the channel is written against the newest kernel; see core/compat.h.
 */
#ifndef LT_KMEM_COMPAT_H
#define LT_KMEM_COMPAT_H

#include <linux/gfp.h>
#include <linux/slab.h>

#include "core/compat.h"

/*
 * kmem_cache_alloc_bulk() returns the number of objects, or bool in later kernels, as
 * declared by the headers.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
/* Renamed when allocation profiling came. */
#define LT_BULK_ALLOC_FN	kmem_cache_alloc_bulk_noprof
#else
#define LT_BULK_ALLOC_FN	kmem_cache_alloc_bulk
#endif

LT_CHECK(__builtin_types_compatible_p(typeof(LT_BULK_ALLOC_FN),
				      int (struct kmem_cache *, gfp_t, size_t, void **)) ||
	 __builtin_types_compatible_p(typeof(LT_BULK_ALLOC_FN),
				      bool (struct kmem_cache *, gfp_t, size_t, void **)),
	 "function kmem_cache_alloc_bulk()");

static inline size_t lt_bulk_alloc_count(unsigned long retval, size_t requested)
{
	if (__same_type(LT_BULK_ALLOC_FN(NULL, 0, 0, NULL), bool))
		return (bool)(u8)retval ? requested : 0;
	return (int)retval > 0 && (int)retval <= requested ? (int)retval : 0;
}

/*
 * kvfree_call_rcu(): the second argument was a callback with the offset of the
 * head in the object, or, without a head, the object, until it became the
 * object in 6.3. 7.3 gave the head a type of its own.
 */
struct kvfree_rcu_head;

#define LT_KVFREE_RCU_IS(type)	__builtin_types_compatible_p(typeof(kvfree_call_rcu), type)
LT_CHECK(LT_KVFREE_RCU_IS(void (struct rcu_head *, rcu_callback_t)) ||
	 LT_KVFREE_RCU_IS(void (struct rcu_head *, void *)) ||
	 LT_KVFREE_RCU_IS(void (struct kvfree_rcu_head *, void *)), "function kvfree_call_rcu()");

static inline const void *lt_kvfree_rcu_object(unsigned long head, unsigned long second)
{
	if (LT_KVFREE_RCU_IS(void (struct rcu_head *, rcu_callback_t)))
		return (const void *)(head ? head - second : second);
	return (const void *)second;
}

/*
 * unsigned long __alloc_pages_bulk(gfp, node, nodes, n, list, array)
 *
 * New in 5.13; renamed when allocation profiling came. The list was dropped in 6.14. Either
 * the list or the array is given.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define LT_PAGE_BULK_FN		alloc_pages_bulk_noprof
#else
#define LT_PAGE_BULK_FN		__alloc_pages_bulk
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 13, 0)
#define LT_PAGE_BULK_LIST_TYPE	unsigned long (gfp_t, int, nodemask_t *, int, struct list_head *, \
					       struct page **)
#define LT_PAGE_BULK_HAS_LIST						\
	__builtin_types_compatible_p(typeof(LT_PAGE_BULK_FN), LT_PAGE_BULK_LIST_TYPE)

LT_CHECK(LT_PAGE_BULK_HAS_LIST ||
	 __builtin_types_compatible_p(typeof(LT_PAGE_BULK_FN),
				      unsigned long (gfp_t, int, nodemask_t *, int,
						     struct page **)),
	 "function alloc_pages_bulk()");
#define LT_PAGE_BULK_ROW(...)	__VA_ARGS__,
#else
#define LT_PAGE_BULK_HAS_LIST	0
#define LT_PAGE_BULK_ROW(...)
#endif

static inline struct list_head *lt_page_bulk_list(struct pt_regs *regs)
{
	return LT_PAGE_BULK_HAS_LIST ? (void *)lt_arg(regs, 4) : NULL;
}

static inline struct page **lt_page_bulk_array(struct pt_regs *regs)
{
	return (void *)lt_arg(regs, LT_PAGE_BULK_HAS_LIST ? 5 : 4);
}

/* alloc_contig_range() is an option of the kernel. */
#ifdef CONFIG_CONTIG_ALLOC
#define LT_PAGE_CONTIG_ROW(...)	__VA_ARGS__,
#else
#define LT_PAGE_CONTIG_ROW(...)
#endif

/*
 * void *kmalloc_nolock(size, gfp, node), new in 6.18. Kernels that keep objects apart by
 * their types pass one behind the size.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
LT_CHECK_FUNCTION(kfree_nolock, void (const void *));
#define LT_NOLOCK_ROW(...)	__VA_ARGS__,
#else
#define LT_NOLOCK_ROW(...)
#endif

static inline gfp_t lt_nolock_gfp(struct pt_regs *regs)
{
	return (__force gfp_t)lt_arg(regs, IS_ENABLED(CONFIG_KMALLOC_PARTITION_CACHES) ? 2 : 1);
}

static inline int lt_nolock_node(struct pt_regs *regs)
{
	return lt_arg(regs, IS_ENABLED(CONFIG_KMALLOC_PARTITION_CACHES) ? 3 : 2);
}

#endif /* LT_KMEM_COMPAT_H */
