// SPDX-License-Identifier: GPL-2.0
/*
 * From clock units to nanoseconds, and from those to wall-clock time.
 */
#include <string.h>

#include "clock.h"
#include "text.h"

#define NSEC_PER_SEC	1000000000ULL
#define MIN_SPAN_NS	1000000ULL	/* two readings nearer than this refine nothing */

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
static lt_u128 ratio(uint64_t ns, uint64_t units)
{
	lt_u128 whole = ns / units;
	uint64_t rest = ns % units;

	return whole << 64 | ((lt_u128)rest << 64) / units;
}

uint64_t lt_clock_slow_ns(const struct lt_clock *c, uint64_t units)
{
	bool before = units < c->unit0;
	uint64_t diff = before ? c->unit0 - units : units - c->unit0;
	lt_u128 ns;

	if (units == UINT64_MAX)
		return UINT64_MAX;
	/* mult < 2^94, diff < 2^64: both products fit after the split. Rounded. */
	ns = (c->mult >> 64) * diff +
	     (((c->mult & UINT64_MAX) * diff + ((lt_u128)1 << 63)) >> 64);
	if (before)
		return ns >= c->ns0 ? 0 : c->ns0 - (uint64_t)ns;
	if (ns >= UINT64_MAX - c->ns0)
		return UINT64_MAX - 1;
	return c->ns0 + (uint64_t)ns;
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
		lt_u128 fine = ratio(end->raw - start->raw, end->clock - start->clock);

		/* A reading that is far from the calibration is not a refinement. */
		if (!c->mult || near((uint64_t)(c->mult >> 40), (uint64_t)(fine >> 40), 100))
			c->mult = fine;
	}
	return c->mult && c->mult >> 94 == 0;
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
	 * Between two readings wall-clock time runs evenly, unless somebody set
	 * the clock; then only the first reading counts.
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
	lt_u128 real;
	uint64_t diff;

	if (!c->has_wall)
		return 0;
	if (ns < c->wall_ns[0]) {
		diff = c->wall_ns[0] - ns;
		return diff > c->wall_real[0] ? 0 : c->wall_real[0] - diff;
	}
	diff = ns - c->wall_ns[0];
	real = diff;
	if (c->wall_ns[1])
		real = (lt_u128)diff * (c->wall_real[1] - c->wall_real[0]) /
		       (c->wall_ns[1] - c->wall_ns[0]);
	real += c->wall_real[0];
	return real > UINT64_MAX ? UINT64_MAX : (uint64_t)real;
}
