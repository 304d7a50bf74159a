// SPDX-License-Identifier: GPL-2.0
/*
 * The clock that events are stamped with, and how it relates to the others.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "core/clock.h"

#define READINGS	8
#define KEPT_SHIFT	30

unsigned int lt_clock_used __read_mostly;

static u64 counter_freq;

/* From where kept_clock() goes on; set before lt_clock_used says so. */
static struct {
	u64 units;
	u64 ns;
	u64 mult;	/* units per ns, so many bits behind the point: KEPT_SHIFT */
} kept;

static const char * const names[] = {
	[LT_CLOCK_MONO] = "mono",
	[LT_CLOCK_RAW] = "raw",
	[LT_CLOCK_BOOT] = "boot",
	[LT_CLOCK_COUNTER] = "counter",
	[LT_CLOCK_KEPT] = "counter",
};

/**
 * lt_mul_div() - a * b / d, rounded down, whatever they are
 * @a: any
 * @b: any
 * @d: not 0
 *
 * For times and frequencies, whose product may need more than 64 bits. It takes some 64 steps.
 *
 * Context: any.
 * Return: the result; U64_MAX where it is more than that.
 */
u64 lt_mul_div(u64 a, u64 b, u64 d)
{
	u64 rest, whole = div64_u64_rem(a, d, &rest), part = 0, of_part = 0;
	unsigned int bit;

	if (whole && b > div64_u64(U64_MAX, whole))
		return U64_MAX;
	/* rest * b / d, a bit of b after the other: what is over stays below d. */
	for (bit = 64; bit--;) {
		part *= 2;
		if (of_part >= d - of_part) {
			of_part -= d - of_part;
			part++;
		} else {
			of_part *= 2;
		}
		if (!(b >> bit & 1))
			continue;
		if (of_part >= d - rest) {
			of_part -= d - rest;
			part++;
		} else {
			of_part += rest;
		}
	}
	return whole * b > U64_MAX - part ? U64_MAX : whole * b + part;
}

/* Counter and raw clock at one moment: of some tries the one that took least. */
static void read_counter(u64 *counter, u64 *ns)
{
	u64 least = U64_MAX;
	unsigned int i;

	for (i = 0; i < READINGS; i++) {
		unsigned long flags;
		u64 before, now, took;

		local_irq_save(flags);
		before = lt_counter();
		now = ktime_get_raw_fast_ns();
		took = lt_counter() - before;
		local_irq_restore(flags);
		if (took < least) {
			least = took;
			*counter = before + took / 2;
			*ns = now;
		}
	}
}

/*
 * Counter units a second, measured against the raw clock for 20 ms, or as long as the machine is
 * stopped meanwhile. 0: it stands still.
 */
static u64 measure_counter(void)
{
	u64 c0, c1, t0, t1;

	read_counter(&c0, &t0);
	msleep(20);
	read_counter(&c1, &t1);
	if (c1 <= c0 || t1 <= t0)
		return 0;
	return lt_mul_div(c1 - c0, NSEC_PER_SEC, t1 - t0);
}

/*
 * Can a session have the counter? Not in a kernel that is still starting: until an initcall has
 * chosen the clocksource, the raw clock goes by ticks of 1 to 10 ms, and a frequency that is
 * measured against it may be wrong by half. It is not measured again later, since by then it
 * is in use (lt_syscall_filter_set(), lt_clock_keep()), and may have been shown.
 *
 * Return: 0, -EAGAIN: not yet, -ENODEV: there is none, or each CPU has its own.
 */
static int prepare_counter(void)
{
	if (system_state < SYSTEM_RUNNING)
		return -EAGAIN;
	if (!counter_freq && lt_counter_usable())
		counter_freq = measure_counter();
	/* The kernel may declare the counter unstable at any time. */
	return counter_freq && lt_counter_usable() ? 0 : -ENODEV;
}

/**
 * lt_clock_select() - choose the clock of the next session
 * @name: mono, raw, boot or counter; or auto, which is counter where there is one, else mono
 * @counter: auto may be the counter: somebody reads the clocks again and again, so that its times
 *	can be converted, and the session could go on without it; else auto is mono
 *
 * Context: process, may sleep, no session running.
 * Return: 0, -EINVAL for another name, -ENODEV when the CPU has no counter, or
 * each CPU its own, -EAGAIN for the counter while the kernel starts; neither for auto.
 */
int lt_clock_select(const char *name, bool counter)
{
	int id = match_string(names, LT_CLOCK_KEPT, name);
	bool chosen = !strcmp(name, "auto");
	int err = 0;

	if (chosen)
		id = counter ? LT_CLOCK_COUNTER : LT_CLOCK_MONO;
	if (id < 0)
		return -EINVAL;
	if (id == LT_CLOCK_COUNTER)
		err = prepare_counter();
	if (err && !chosen)
		return err;
	lt_clock_used = err ? LT_CLOCK_MONO : id;
	return 0;
}

const char *lt_clock_name(void)
{
	return names[lt_clock_used];
}

/* Units a second. Readings at start and end of a session give it exactly. */
u64 lt_clock_freq(void)
{
	return lt_clock_used >= LT_CLOCK_COUNTER ? counter_freq : NSEC_PER_SEC;
}

/*
 * The time of the counter, had it gone on as it was at lt_clock_keep(): counter units, by
 * CLOCK_MONOTONIC.
 */
static u64 kept_clock(void)
{
	/* The fast clock may step back by some ns, also to before @kept.ns. */
	s64 passed = max_t(s64, ktime_get_mono_fast_ns() - kept.ns, 0);

	return kept.units + mul_u64_u64_shr(passed, kept.mult, KEPT_SHIFT);
}

/**
 * lt_clock_other() - lt_clock() with a clock that few sessions have
 *
 * Calls of it are not seen, where it is a part of the kernel: it is called where calls are
 * recorded.
 *
 * Context: any, NMI included.
 * Return: the time, in units of the session's clock.
 */
u64 notrace lt_clock_other(void)
{
	switch (lt_clock_used) {
	case LT_CLOCK_RAW:
		return ktime_get_raw_fast_ns();
	case LT_CLOCK_BOOT:
		return ktime_get_boot_fast_ns();
	default:
		return kept_clock();
	}
}

static void do_nothing(void *unused)
{
}

/**
 * lt_clock_keep() - read the counter no more, and let its time go on by CLOCK_MONOTONIC
 *
 * For a session with the counter, when it may begin anew or is not to be trusted any more.
 * The callers see that no probe reads the counter itself from then on.
 *
 * Context: process, may sleep; under the session's lock.
 */
void lt_clock_keep(void)
{
	struct lt_clock_reading r;

	lt_clock_read(&r);
	kept.units = r.clock;
	kept.ns = r.mono;
	kept.mult = lt_mul_div(counter_freq, BIT_ULL(KEPT_SHIFT), NSEC_PER_SEC);
	/* An interrupt orders what a CPU has read before and after: none has an old value. */
	on_each_cpu(do_nothing, NULL, 1);
	WRITE_ONCE(lt_clock_used, LT_CLOCK_KEPT);
}

/* Units of the session's clock in ns. */
static u64 to_ns(u64 units)
{
	return lt_clock_used >= LT_CLOCK_COUNTER ?
		lt_mul_div(units, NSEC_PER_SEC, counter_freq) : units;
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
		u64 before, all;

		local_irq_save(flags);
		before = lt_clock();
		now.mono = ktime_get_mono_fast_ns();
		now.took = lt_clock() - before;
		now.real = ktime_get_real_fast_ns();
		now.boot = ktime_get_boot_fast_ns();
		now.raw = ktime_get_raw_fast_ns();
		all = lt_clock() - before;
		local_irq_restore(flags);
		now.clock = before + now.took / 2;
		if (all < least) {
			least = all;
			*r = now;
		}
	}
	r->took = to_ns(r->took);
}
