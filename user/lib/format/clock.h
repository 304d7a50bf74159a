/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conversion of clock units to nanoseconds, and of those to wall-clock time.
 */
#ifndef LT_LIB_CLOCK_H
#define LT_LIB_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/wide.h"

/* A line of the file "clock" of the module: its clocks, read at one moment. */
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
 * @unit0: a point of the scale, in units …
 * @ns0: … and in ns
 * @mult: ns per unit, a fixed-point number with 64 bits behind the point
 */
struct lt_clock {
	bool identity;
	uint64_t unit0;
	uint64_t ns0;
	struct lt_wide mult;
	bool has_wall;
	uint64_t wall_ns[2];		/* readings: trace time, ns … */
	uint64_t wall_real[2];		/* … and wall-clock time */
	uint64_t boot_ns;		/* boot time at wall_ns[0] */
};

/**
 * lt_clock_init() - set the scale up
 * @c: the scale
 * @counter: the clock of the trace is a counter, not a clock in ns
 * @freq: units per second, 0: not known
 * @start: reading at the start, NULL: there is none
 * @end: reading at the end, NULL: there is none
 * Return: false if the units of a counter cannot be converted; they are used as ns then.
 */
bool lt_clock_init(struct lt_clock *c, bool counter, uint64_t freq,
		   const struct lt_clock_reading *start, const struct lt_clock_reading *end);

uint64_t lt_clock_slow_ns(const struct lt_clock *c, uint64_t units);

/* Converts units to ns. Monotonic; UINT64_MAX stays UINT64_MAX. */
static inline uint64_t lt_clock_ns(const struct lt_clock *c, uint64_t units)
{
	return c->identity ? units : lt_clock_slow_ns(c, units);
}

/* The wall-clock time of a trace time, ns since 1970; 0: not known. */
uint64_t lt_clock_realtime(const struct lt_clock *c, uint64_t ns);

bool lt_clock_parse(const char *text, struct lt_clock_reading *r);

#endif /* LT_LIB_CLOCK_H */
