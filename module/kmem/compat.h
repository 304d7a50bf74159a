/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernels in the allocators: their tracepoints, and the paths that have none.
 * The rest of the channel is written against the newest kernel; see core/compat.h.
 */
#ifndef LT_KMEM_COMPAT_H
#define LT_KMEM_COMPAT_H

#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/numa.h>
#include <linux/slab.h>
#include <linux/version.h>

#include "core/compat.h"

/*
 * Is the unwinder that of ORC tables, which modules may step? The other ones follow frame
 * pointers or the like, and are not slow.
 */
#if LT_HAVE_STACKS && defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC)
#include <asm/unwind.h>
#define LT_HAVE_ORC		1
#else
#define LT_HAVE_ORC		0
#endif

/*
 * Allocator tracepoints. The handlers have the form of 6.1 and later:
 *
 *   on_kmalloc(call_site, ptr, bytes_req, bytes_alloc, gfp, node)
 *   on_cache_alloc(call_site, ptr, cache, gfp, node)
 *   on_kfree(call_site, ptr)
 *   on_cache_free(call_site, ptr, cache)
 *
 * each with @v, the version of the probe, before them. The probes are closed to kprobes:
 * see lt_object_fast().
 *
 * Each LT_PROBE_* defines a probe with this kernel's prototype; for events
 * that a kernel does not have it defines nothing, and LT_IF_* and LT_*_ROW
 * drop their statements and their rows of tables. Of the kernels before 6.1, only 6.0
 * passes the cache to all four allocation events.
 *
 * lt_object_cache() finds the cache from the object's page where the tracepoint does not
 * pass it. Before 5.17 struct page holds it, and an object that was just allocated keeps
 * its page. 5.17 to 5.19 hide struct slab: the cache is then unknown.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)

#define LT_PROBE_KMALLOC(name, v, handler)				\
	static void __kprobes name(void *data, unsigned long call_site, const void *ptr, \
			 size_t bytes_req, size_t bytes_alloc, gfp_t gfp, int node) \
	{ handler(v, call_site, ptr, bytes_req, bytes_alloc, gfp, node); }
#define LT_PROBE_KMALLOC_NODE(name, v, handler)
#define LT_PROBE_CACHE_ALLOC(name, v, handler)				\
	static void __kprobes name(void *data, unsigned long call_site, const void *ptr, \
			 struct kmem_cache *s, gfp_t gfp, int node)	\
	{ handler(v, call_site, ptr, s, gfp, node); }
#define LT_PROBE_CACHE_ALLOC_NODE(name, v, handler)
#define LT_PROBE_CACHE_FREE(name, v, handler)				\
	static void __kprobes name(void *data, unsigned long call_site, const void *ptr, \
			 const struct kmem_cache *s)			\
	{ handler(v, call_site, ptr, s); }
#define LT_IF_NODE_EVENTS(...)
#define LT_NODE_ROW(...)
#define LT_HAVE_OBJECT_CACHE	1

#else /* before 6.1 */

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
#define LT_OLD_CACHE_ARG	struct kmem_cache *s,
#define lt_object_cache(ptr)	s
#define LT_HAVE_OBJECT_CACHE	1
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
#define LT_OLD_CACHE_ARG
#define lt_object_cache(ptr)	NULL
#define LT_HAVE_OBJECT_CACHE	0
#else
#define LT_OLD_CACHE_ARG
#define lt_object_cache(ptr)	((ptr) ? virt_to_head_page(ptr)->slab_cache : NULL)
#define LT_HAVE_OBJECT_CACHE	1
#endif

#define LT_OLD_ALLOC_ARGS						\
	void *data, unsigned long call_site, const void *ptr, LT_OLD_CACHE_ARG \
	size_t bytes_req, size_t bytes_alloc, gfp_t gfp
#define LT_PROBE_KMALLOC(name, v, handler)				\
	static void __kprobes name(LT_OLD_ALLOC_ARGS)				\
	{ handler(v, call_site, ptr, bytes_req, bytes_alloc, gfp, NUMA_NO_NODE); }
#define LT_PROBE_KMALLOC_NODE(name, v, handler)				\
	static void __kprobes name(LT_OLD_ALLOC_ARGS, int node)			\
	{ handler(v, call_site, ptr, bytes_req, bytes_alloc, gfp, node); }
#define LT_PROBE_CACHE_ALLOC(name, v, handler)				\
	static void __kprobes name(LT_OLD_ALLOC_ARGS)				\
	{ handler(v, call_site, ptr, lt_object_cache(ptr), gfp, NUMA_NO_NODE); }
#define LT_PROBE_CACHE_ALLOC_NODE(name, v, handler)			\
	static void __kprobes name(LT_OLD_ALLOC_ARGS, int node)			\
	{ handler(v, call_site, ptr, lt_object_cache(ptr), gfp, node); }

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
#define LT_PROBE_CACHE_FREE(name, v, handler)				\
	static void __kprobes name(void *data, unsigned long call_site, const void *ptr, \
			 const char *cache_name)			\
	{ handler(v, call_site, ptr, NULL); }
#else
#define LT_PROBE_CACHE_FREE(name, v, handler)				\
	static void __kprobes name(void *data, unsigned long call_site, const void *ptr) \
	{ handler(v, call_site, ptr, NULL); }
#endif

#define LT_IF_NODE_EVENTS(...)	__VA_ARGS__
#define LT_NODE_ROW(...)	__VA_ARGS__,

#endif /* 6.1 */

/* May a kmalloc that is too large for a slab have two events? Since allocation profiling came. */
#define LT_LARGE_TWICE	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0))

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

/* A kernel that loads no modules does not declare what one is made of. */
#ifdef CONFIG_MODULES
#define LT_MODULE_ROW(...)	__VA_ARGS__,

/* A range of addresses with code. */
struct lt_module_range {
	unsigned long begin;
	unsigned long size;	/* bytes; 0: there is none */
};

/* Where a module's code is: what stays, and what only its initialisation uses. */
static inline void lt_module_code(const struct module *mod, struct lt_module_range *core,
				  struct lt_module_range *init)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	const struct module_memory *c = &mod->mem[MOD_TEXT], *i = &mod->mem[MOD_INIT_TEXT];

	*core = (struct lt_module_range){ (unsigned long)c->base, c->size };
	*init = (struct lt_module_range){ (unsigned long)i->base, i->size };
#else
	const struct module_layout *c = &mod->core_layout, *i = &mod->init_layout;

	*core = (struct lt_module_range){ (unsigned long)c->base, c->text_size };
	*init = (struct lt_module_range){ (unsigned long)i->base, i->text_size };
#endif
}

/*
 * The list of modules, which /sys/module shows; NULL: there is none. The kernel exports it to no
 * module, but each module has a link to it.
 */
static inline struct kset *lt_module_set(void)
{
#if !defined(CONFIG_SYSFS)
	return NULL;
#elif defined(MODULE)
	return THIS_MODULE->mkobj.kobj.kset;
#else
	return module_kset;
#endif
}

/* Write a module's build id, two hexadecimal digits a byte, where the kernel keeps it. */
static inline void lt_module_build(const struct module *mod, char *to, size_t size)
{
#if defined(CONFIG_STACKTRACE_BUILD_ID) && LINUX_VERSION_CODE >= KERNEL_VERSION(5, 15, 0)
	char text[2 * sizeof(mod->build_id) + 1];

	*bin2hex(text, mod->build_id, sizeof(mod->build_id)) = 0;
	/* A module without one has zeroes. */
	if (strspn(text, "0") < sizeof(text) - 1)
		memcpy(to, text, min(size, sizeof(text)));
#endif
}
#else
#define LT_MODULE_ROW(...)
#endif

#endif /* LT_KMEM_COMPAT_H */
