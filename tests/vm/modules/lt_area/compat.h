/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between kernels, for lt_area. */
#ifndef LT_AREA_COMPAT_H
#define LT_AREA_COMPAT_H

#include <linux/slab.h>
#include <linux/version.h>

/* kvrealloc() of an area is vrealloc(), which some kernels do not export. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define resize_area(area, bytes)	kvrealloc(area, bytes, GFP_KERNEL)
#endif

#endif /* LT_AREA_COMPAT_H */
