/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The channel area: vmalloc areas, per-CPU memory, and coherent memory of devices.
 */
#ifndef LT_AREA_H
#define LT_AREA_H

#include "core/channel.h"
#include "core/probe.h"

/* channel.c */
extern struct lt_channel lt_channel_area;

/* area.c */
extern const struct lt_probes lt_area_probes;
extern struct lt_function lt_on_vfree;

/* dma.c */
extern struct kretprobe lt_rp_dma_alloc;
extern struct lt_function lt_on_dma_free;

#endif /* LT_AREA_H */
