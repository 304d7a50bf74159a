/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From clock units to nanoseconds, and from those to wall-clock time.
 */
#ifndef LT_LIB_CLOCK_H
#define LT_LIB_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/wide.h"

/* One line of the module's file "clock". */
struct lt_clock_reading {
	uint64_t clock;
	uint64_t realtime;
	uint64_t boottime;
	uint64_t monotonic;
	uint64_t raw;
};

/**
 * struct lt_clock - a linear scale
 * @identity: units are nanoseconds
 * @unit0, @ns0: one point of it
 * @mult: ns per unit: what is before the point, and 64 bits behind it
 */
struct lt_clock {
	bool identity;
	uint64_t unit0;
	uint64_t ns0;
	struct lt_wide mult;
	bool has_wall;
	uint64_t wall_ns[2];		/* trace time, ns … */
	uint64_t wall_real[2];		/* … and wall-clock time then */
	uint64_t boot_ns;		/* boot time at wall_ns[0] */
};

/**
 * lt_clock_init() - set the scale up
 * @counter: the trace's clock is a counter, not a clock in ns
 * @freq: units a second, 0: not known
 * @start, @end: readings, NULL: there is none
 * Return: false when a counter's units cannot be converted; they are then
 * taken for ns.
 */
bool lt_clock_init(struct lt_clock *c, bool counter, uint64_t freq,
		   const struct lt_clock_reading *start, const struct lt_clock_reading *end);

uint64_t lt_clock_slow_ns(const struct lt_clock *c, uint64_t units);

/* Never decreases when units increase; UINT64_MAX stays what it is. */
static inline uint64_t lt_clock_ns(const struct lt_clock *c, uint64_t units)
{
	return c->identity ? units : lt_clock_slow_ns(c, units);
}

/* Wall-clock time, ns since 1970; 0: not known. */
uint64_t lt_clock_realtime(const struct lt_clock *c, uint64_t ns);

bool lt_clock_parse(const char *text, struct lt_clock_reading *r);

#endif /* LT_LIB_CLOCK_H */
