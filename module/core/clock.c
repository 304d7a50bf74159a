// SPDX-License-Identifier: GPL-2.0
/*
 * The clock that events are stamped with, and how it relates to the others.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "core/clock.h"

#define READINGS	8

enum lt_clock_id lt_clock_used __read_mostly;

static u64 counter_freq;

static const char * const names[] = {
	[LT_CLOCK_MONO] = "mono",
	[LT_CLOCK_RAW] = "raw",
	[LT_CLOCK_BOOT] = "boot",
	[LT_CLOCK_COUNTER] = "counter",
};

/* Counter units a second, measured against the raw clock for 20 ms. 0: it stands still. */
static u64 measure_counter(void)
{
	u64 c0, c1, t0, t1;
	unsigned long flags;

	local_irq_save(flags);
	c0 = lt_counter();
	t0 = ktime_get_raw_fast_ns();
	local_irq_restore(flags);

	msleep(20);

	local_irq_save(flags);
	c1 = lt_counter();
	t1 = ktime_get_raw_fast_ns();
	local_irq_restore(flags);

	if (c1 <= c0 || t1 <= t0)
		return 0;
	return div64_u64((c1 - c0) * NSEC_PER_SEC, t1 - t0);
}

/**
 * lt_clock_select() - choose the clock of the next session
 * @name: mono, raw, boot or counter
 *
 * Context: process, may sleep, no session running.
 * Return: 0, -EINVAL for another name, -ENODEV when the CPU has no counter, or
 * each CPU its own.
 */
int lt_clock_select(const char *name)
{
	int id = match_string(names, ARRAY_SIZE(names), name);

	if (id < 0)
		return -EINVAL;
	if (id == LT_CLOCK_COUNTER && !counter_freq)
		counter_freq = measure_counter();
	/* The kernel may declare the counter unstable at any time. */
	if (id == LT_CLOCK_COUNTER && (!counter_freq || !lt_counter_usable()))
		return -ENODEV;
	lt_clock_used = id;
	return 0;
}

const char *lt_clock_name(void)
{
	return names[lt_clock_used];
}

/* Units a second. Readings at start and end of a session give it exactly. */
u64 lt_clock_freq(void)
{
	return lt_clock_used == LT_CLOCK_COUNTER ? counter_freq : NSEC_PER_SEC;
}

/**
 * lt_clock_read() - read all clocks at one moment
 * @r: filled in
 *
 * Interrupts are off meanwhile, but a hypervisor or an NMI may still take the CPU away,
 * for milliseconds. So it reads several times, and keeps the reading that took least.
 *
 * Context: any.
 */
void lt_clock_read(struct lt_clock_reading *r)
{
	u64 least = U64_MAX;
	unsigned int i;

	for (i = 0; i < READINGS; i++) {
		struct lt_clock_reading now;
		unsigned long flags;
		u64 took;

		local_irq_save(flags);
		now.clock = lt_clock();
		now.real = ktime_get_real_fast_ns();
		now.boot = ktime_get_boot_fast_ns();
		now.mono = ktime_get_mono_fast_ns();
		now.raw = ktime_get_raw_fast_ns();
		took = lt_clock() - now.clock;
		local_irq_restore(flags);
		if (took < least) {
			least = took;
			*r = now;
		}
	}
}
