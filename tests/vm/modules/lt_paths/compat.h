/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between kernels, for lt_paths. */
#ifndef LT_PATHS_COMPAT_H
#define LT_PATHS_COMPAT_H

#include <linux/gfp.h>
#include <linux/mmzone.h>
#include <linux/version.h>

/* fill_alone(): kernels take pages that a memory cgroup accounts one by one. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define fill_array(n, array)	alloc_pages_bulk(GFP_KERNEL, n, array)
#define fill_alone(n, array)	alloc_pages_bulk(GFP_KERNEL_ACCOUNT, n, array)
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 13, 0)
#define fill_array(n, array)	alloc_pages_bulk_array(GFP_KERNEL, n, array)
#define fill_alone(n, array)	alloc_pages_bulk_array(GFP_KERNEL_ACCOUNT, n, array)
#define HAVE_LIST
#endif

#ifdef CONFIG_CONTIG_ALLOC
static inline int make_range(unsigned long start, unsigned long end)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
	return alloc_contig_range(start, end, ACR_FLAGS_NONE, GFP_KERNEL);
#else
	return alloc_contig_range(start, end, MIGRATE_MOVABLE, GFP_KERNEL);
#endif
}
#endif

#endif /* LT_PATHS_COMPAT_H */
