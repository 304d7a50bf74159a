// SPDX-License-Identifier: GPL-2.0
/*
 * Conversion of clock units to nanoseconds, and of those to wall-clock time.
 */
#include <string.h>

#include "format/clock.h"
#include "base/text.h"

#define NSEC_PER_SEC	1000000000ULL
#define MAX_NS_PER_UNIT	(1ULL << 30)	/* a slower clock is not plausible */
#define MIN_SPAN_NS	1000000ULL	/* readings closer to each other are too inexact */

bool lt_clock_parse(const char *text, struct lt_clock_reading *r)
{
	const char *line;
	size_t len;

	if (!lt_line(&text, &line, &len))
		return false;
	return lt_pair(line, len, "clock", &r->clock) &&
	       lt_pair(line, len, "realtime", &r->realtime) &&
	       lt_pair(line, len, "boottime", &r->boottime) &&
	       lt_pair(line, len, "monotonic", &r->monotonic) &&
	       lt_pair(line, len, "raw", &r->raw);
}

/* ns/units as a fixed-point number, 64 bits behind the point. */
static struct lt_wide ratio(uint64_t ns, uint64_t units)
{
	struct lt_wide rest = { .hi = ns % units };

	return (struct lt_wide){ .hi = ns / units, .lo = lt_div(rest, units) };
}

/* The most significant bits, enough to compare two ratios. */
static uint64_t coarse(struct lt_wide mult)
{
	return mult.hi << 24 | mult.lo >> 40;
}

uint64_t lt_clock_slow_ns(const struct lt_clock *c, uint64_t units)
{
	bool before = units < c->unit0;
	uint64_t diff = before ? c->unit0 - units : units - c->unit0;
	struct lt_wide whole = lt_mul(c->mult.hi, diff), part = lt_mul(c->mult.lo, diff);
	uint64_t rounded = part.hi + (part.lo >> 63), ns = whole.lo + rounded;
	bool over = whole.hi || ns < rounded;

	if (units == UINT64_MAX)
		return UINT64_MAX;
	if (before)
		return over || ns >= c->ns0 ? 0 : c->ns0 - ns;
	if (over || ns >= UINT64_MAX - c->ns0)
		return UINT64_MAX - 1;
	return c->ns0 + ns;
}

/* Whether b lies within one part in @parts of a. */
static bool near(uint64_t a, uint64_t b, uint64_t parts)
{
	uint64_t diff = a > b ? a - b : b - a;

	return diff <= a / parts;
}

static bool counter_scale(struct lt_clock *c, uint64_t freq,
			  const struct lt_clock_reading *start,
			  const struct lt_clock_reading *end)
{
	if (start) {
		c->unit0 = start->clock;
		c->ns0 = start->raw;
	}
	if (freq && freq <= NSEC_PER_SEC * 1000)
		c->mult = ratio(NSEC_PER_SEC, freq);
	if (start && end && end->clock > start->clock && end->raw > start->raw &&
	    end->raw - start->raw >= MIN_SPAN_NS) {
		struct lt_wide fine = ratio(end->raw - start->raw, end->clock - start->clock);

		/* Readings that differ much from the calibration are not used. */
		if (!coarse(c->mult) || near(coarse(c->mult), coarse(fine), 100))
			c->mult = fine;
	}
	return (c->mult.hi || c->mult.lo) && c->mult.hi < MAX_NS_PER_UNIT;
}

bool lt_clock_init(struct lt_clock *c, bool counter, uint64_t freq,
		   const struct lt_clock_reading *start, const struct lt_clock_reading *end)
{
	bool ok = true;

	memset(c, 0, sizeof(*c));
	c->identity = true;
	if (counter) {
		ok = counter_scale(c, freq, start, end);
		c->identity = !ok;
	}
	if (!start)
		return ok;
	c->has_wall = true;
	c->wall_ns[0] = lt_clock_ns(c, start->clock);
	c->wall_real[0] = start->realtime;
	c->boot_ns = start->boottime;
	/*
	 * Between the readings wall-clock time is interpolated, unless it was set
	 * meanwhile: then only the first reading is used.
	 */
	if (end && end->realtime > start->realtime) {
		uint64_t ns = lt_clock_ns(c, end->clock);

		if (ns > c->wall_ns[0] &&
		    near(ns - c->wall_ns[0], end->realtime - start->realtime, 1000)) {
			c->wall_ns[1] = ns;
			c->wall_real[1] = end->realtime;
		}
	}
	return ok;
}

uint64_t lt_clock_realtime(const struct lt_clock *c, uint64_t ns)
{
	uint64_t diff, real;

	if (!c->has_wall)
		return 0;
	if (ns < c->wall_ns[0]) {
		diff = c->wall_ns[0] - ns;
		return diff > c->wall_real[0] ? 0 : c->wall_real[0] - diff;
	}
	diff = ns - c->wall_ns[0];
	real = diff;
	if (c->wall_ns[1])
		real = lt_mul_div(diff, c->wall_real[1] - c->wall_real[0],
				  c->wall_ns[1] - c->wall_ns[0]);
	return real > UINT64_MAX - c->wall_real[0] ? UINT64_MAX : real + c->wall_real[0];
}
