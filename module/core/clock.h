/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_CLOCK_H
#define LT_CLOCK_H

#include <linux/ktime.h>
#include <linux/timekeeping.h>

#include "uapi/lifetrace.h"
#include "core/compat.h"

/* In place of LT_CLOCK_COUNTER after lt_clock_keep(); the session's clock keeps that name. */
#define LT_CLOCK_KEPT	(LT_CLOCK_COUNTER + 1)

/* The clock of the session, enum lt_clock_id; changed by lt_clock_select() and lt_clock_keep(). */
extern unsigned int lt_clock_used;

u64 lt_clock_other(void);

/**
 * lt_clock() - the time of an event, in units of the session's clock
 *
 * All are safe in every context, NMI included. The fast clocks may step
 * back by some ns when the timekeeper is updated: the caller keeps each
 * stream's time from decreasing.
 */
static __always_inline u64 lt_clock(void)
{
	if (lt_clock_used == LT_CLOCK_COUNTER)
		return lt_counter();
	if (lt_clock_used == LT_CLOCK_MONO)
		return ktime_get_mono_fast_ns();
	return lt_clock_other();
}

/**
 * struct lt_clock_reading - all clocks at one moment
 * @clock: the session's clock, in its own units
 * @real: ns since 1970
 * @boot: ns since boot, suspended time included
 * @mono: CLOCK_MONOTONIC, ns
 * @raw: CLOCK_MONOTONIC_RAW, ns
 * @took: ns from before @clock was read until after @mono was
 */
struct lt_clock_reading {
	u64 clock;
	u64 real;
	u64 boot;
	u64 mono;
	u64 raw;
	u64 took;
};

u64 lt_mul_div(u64 a, u64 b, u64 d);
int lt_clock_select(const char *name, bool counter);
void lt_clock_keep(void);
const char *lt_clock_name(void);
u64 lt_clock_freq(void);
void lt_clock_read(struct lt_clock_reading *r);

#endif /* LT_CLOCK_H */
