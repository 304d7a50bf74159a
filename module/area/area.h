/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The channel area: vmalloc areas and per-CPU memory.
 */
#ifndef LT_AREA_H
#define LT_AREA_H

#include "core/channel.h"
#include "core/probe.h"

extern struct lt_channel lt_channel_area;
extern const struct lt_probes lt_area_probes;
extern struct lt_function lt_on_vfree;

#endif /* LT_AREA_H */
