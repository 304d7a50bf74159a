// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Whether readings of the clocks can be true. Each reading has five clocks at one moment, of which
 * each two bound each other:
 *
 * - CLOCK_REALTIME, BOOTTIME and MONOTONIC are one clock with offsets, which change when the wall
 *   clock is set and when the machine sleeps, and in no other way.
 * - a trace in ns has one of the kernel's clocks as its own.
 * - a counter passes as it passes between the other readings. CLOCK_MONOTONIC may be slewed, and
 *   CLOCK_MONOTONIC_RAW may be read late, so one of them must agree.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "verify/internal.h"

/* A hypervisor may take the CPU away between two clocks of a reading. */
#define READ_NS		5000000ULL
/* Two oscillators, one of them slewed by NTP, are less apart than one in so many … */
#define DRIFT		1000
/* … and clock_freq, which is measured for 20 ms, is within one in so many. */
#define FREQ_DRIFT	100
#define LONG_NS		100000000ULL	/* shorter spans say too little about the rate */

/* The readings that were accepted, and the block of each. */
struct readings {
	struct lt_checker *c;
	const struct lt_clock *clock;
	const uint64_t *offsets;
	const char *own;	/* the kernel's clock that is that of the trace; NULL: a counter */
	double mono;		/* ns per unit of a counter, by this clock; 0: not known */
	double raw;
	uint64_t drift;		/* one in so many */
};

static void bad(const struct readings *x, size_t i, const char *what, uint64_t expected,
		uint64_t found)
{
	lt_check_fail(x->c, LT_CHECK_CLOCKS);
	lt_check_note(x->c, x->offsets[i], "the reading of the clocks at %" PRIu64 ": %s: expected %"
		      PRIu64 " by the reading before, found %" PRIu64, x->clock->points[i].r.clock,
		      what, expected, found);
}

/* How far two clocks of two readings may be apart because they were not read at one moment. */
static uint64_t noise(const struct lt_clock_reading *a, const struct lt_clock_reading *b)
{
	return READ_NS + a->took + b->took;
}

/* ------------------------------------------------------------------------
 * The kernel's clocks
 */

/* A step that is none of the wall clock's, and no sleep. */
static void check_offsets(const struct readings *x, size_t i)
{
	const struct lt_clock_reading *a = &x->clock->points[i - 1].r, *b = &x->clock->points[i].r;
	uint64_t near = noise(a, b), mono = b->monotonic - a->monotonic;
	uint64_t boot = b->boottime - a->boottime, real = b->realtime - a->realtime;
	int64_t slept = (int64_t)(boot - mono), set = (int64_t)(real - mono);

	if (lt_clock_near(boot, mono, near))
		return;
	if (slept < 0)
		bad(x, i, "CLOCK_BOOTTIME has lost time against CLOCK_MONOTONIC",
		    a->boottime + mono, b->boottime);
	else if (x->clock->counter && !b->kept)
		bad(x, i, "the machine cannot have slept, since the counter was not given up; "
		    "CLOCK_BOOTTIME", a->boottime + mono, b->boottime);
	else if (lt_clock_near((uint64_t)set, 0, near))
		bad(x, i, "CLOCK_REALTIME was not advanced by the sleep that CLOCK_BOOTTIME shows",
		    a->realtime + boot, b->realtime);
}

/* The wall clock is set, and set back to the same 100 us a reading later: it was read wrong. */
static void check_wall(const struct readings *x, size_t i)
{
	const struct lt_clock_point *p = &x->clock->points[i];
	uint64_t before = p[-1].r.realtime - p[-1].r.boottime;
	uint64_t is = p[0].r.realtime - p[0].r.boottime;
	uint64_t behind = p[1].r.realtime - p[1].r.boottime;

	if (lt_clock_near(before, behind, LT_CLOCK_STEP_NS) &&
	    !lt_clock_near(before, is, noise(&p[-1].r, &p[0].r)))
		bad(x, i, "CLOCK_REALTIME differs from the reading before and from that behind, which "
		    "agree", p->r.boottime + before, p->r.realtime);
}

static uint64_t own_clock(const struct readings *x, const struct lt_clock_reading *r)
{
	if (!strcmp(x->own, "raw"))
		return r->raw;
	return !strcmp(x->own, "boot") ? r->boottime : r->monotonic;
}

static void check_own(const struct readings *x, size_t i)
{
	const struct lt_clock_reading *r = &x->clock->points[i].r;

	if (lt_clock_near(r->clock, own_clock(x, r), noise(r, r)))
		return;
	lt_check_fail(x->c, LT_CHECK_CLOCKS);
	lt_check_note(x->c, x->offsets[i], "the reading of the clocks at %" PRIu64 ": expected the time "
		      "of the trace's clock, %s, found %" PRIu64, r->clock, x->own,
		      own_clock(x, r));
}

/* ------------------------------------------------------------------------
 * The counter
 */

struct span {
	double rate;
	double ns;
};

static int by_rate(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->rate < y->rate ? -1 : x->rate > y->rate;
}

/* The rate that half of the time has passed at, or less. */
static double median(struct span *spans, size_t n)
{
	double sum = 0, half = 0;
	size_t i = 0;

	for (size_t k = 0; k < n; k++)
		half += spans[k].ns / 2;
	qsort(spans, n, sizeof(*spans), by_rate);
	while (i + 1 < n && (sum += spans[i].ns) < half)
		i++;
	return spans[i].rate;
}

static uint64_t passed(const struct lt_clock_point *p, bool raw)
{
	return raw ? p[0].r.raw - p[-1].r.raw : p[0].r.monotonic - p[-1].r.monotonic;
}

/* ns of a clock per unit: that of most of the time; 0: there are too few readings. */
static double rate_of(const struct lt_clock *clock, bool raw)
{
	struct span *spans = lt_alloc_array(clock->n_points + 1, sizeof(*spans));
	double rate = 0;
	size_t n = 0;

	for (size_t i = 1; i < clock->n_points; i++) {
		const struct lt_clock_point *p = &clock->points[i];
		double units = (double)(p->r.clock - p[-1].r.clock);

		if (p->ns - p[-1].ns >= LONG_NS && !p->r.kept)
			spans[n++] = (struct span){ (double)passed(p, raw) / units,
						    (double)(p->ns - p[-1].ns) };
	}
	if (n > 1)
		rate = median(spans, n);
	free(spans);
	return rate;
}

static void find_rates(struct readings *x)
{
	const struct lt_clock *clock = x->clock;

	x->mono = rate_of(clock, false);
	x->raw = rate_of(clock, true);
	x->drift = DRIFT;
	if (x->mono > 0)
		return;
	x->drift = FREQ_DRIFT;
	x->mono = (double)clock->nominal.hi + (double)clock->nominal.lo / 0x1p64;
	x->raw = x->mono;
}

static bool agrees(double expected, uint64_t found, double may)
{
	double differ = expected - (double)found;

	return differ <= may && -differ <= may;
}

static void check_rate(const struct readings *x, size_t i)
{
	const struct lt_clock_point *p = &x->clock->points[i];
	double units = (double)(p->r.clock - p[-1].r.clock), ns = units * x->mono;
	double may = ns / (double)(p->r.kept ? FREQ_DRIFT : x->drift) +
		     (double)noise(&p[-1].r, &p->r);

	if (!(x->mono > 0) || agrees(ns, passed(p, false), may) ||
	    agrees(units * x->raw, passed(p, true), may))
		return;
	bad(x, i, "the counter has not passed as between the other readings; CLOCK_MONOTONIC",
	    p[-1].r.monotonic + (uint64_t)ns, p->r.monotonic);
}

void lt_check_readings(struct lt_checker *c, const struct lt_clock *clock, const char *name,
		       const uint64_t *offsets)
{
	struct readings x = {
		.c = c, .clock = clock, .offsets = offsets, .own = clock->counter ? NULL : name,
	};

	if (clock->counter)
		find_rates(&x);
	for (size_t i = 0; i < clock->n_points; i++) {
		if (x.own)
			check_own(&x, i);
		if (i)
			check_offsets(&x, i);
		if (i && i + 1 < clock->n_points)
			check_wall(&x, i);
		if (i && clock->counter)
			check_rate(&x, i);
	}
}
