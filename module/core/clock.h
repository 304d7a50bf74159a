/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_CLOCK_H
#define LT_CLOCK_H

#include <linux/ktime.h>
#include <linux/timekeeping.h>

#include "uapi/lifetrace.h"
#include "core/compat.h"

/* The clock of the session; changed by lt_clock_select() alone. */
extern enum lt_clock_id lt_clock_used;

/**
 * lt_clock() - the time of an event, in units of the session's clock
 *
 * All four are safe in every context, NMI included. The fast clocks may step
 * back by some ns when the timekeeper is updated: the caller keeps each
 * stream's time from decreasing.
 */
static __always_inline u64 lt_clock(void)
{
	switch (lt_clock_used) {
	case LT_CLOCK_COUNTER:
		return lt_counter();
	case LT_CLOCK_RAW:
		return ktime_get_raw_fast_ns();
	case LT_CLOCK_BOOT:
		return ktime_get_boot_fast_ns();
	case LT_CLOCK_MONO:
	default:
		return ktime_get_mono_fast_ns();
	}
}

/**
 * struct lt_clock_reading - all clocks at one moment
 * @clock: the session's clock, in its own units
 * @real: ns since 1970
 * @boot: ns since boot, suspended time included
 * @mono: CLOCK_MONOTONIC, ns
 * @raw: CLOCK_MONOTONIC_RAW, ns
 */
struct lt_clock_reading {
	u64 clock;
	u64 real;
	u64 boot;
	u64 mono;
	u64 raw;
};

int lt_clock_select(const char *name);
const char *lt_clock_name(void);
u64 lt_clock_freq(void);
void lt_clock_read(struct lt_clock_reading *r);

#endif /* LT_CLOCK_H */
