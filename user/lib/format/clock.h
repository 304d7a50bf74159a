/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conversion of clock units to nanoseconds, and of those to wall-clock time, by readings of
 * all clocks.
 */
#ifndef LT_LIB_CLOCK_H
#define LT_LIB_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/wide.h"

/* A recorder leaves out readings that are so near to the straight line between others, ns. */
#define LT_CLOCK_THIN_NS	100
/* The kernel's clocks are read one after the other: less is no step of one of them, ns. */
#define LT_CLOCK_STEP_NS	100000

/**
 * struct lt_clock_reading - all clocks at one moment, as a line of the module's file "clock"
 * @clock: that of the trace, in its units
 * @realtime, @boottime, @monotonic, @raw: the kernel's clocks of these names, ns
 * @took: ns that reading @clock and @monotonic took, by which they may be apart; 0: not known
 * @gap: ns since the clocks were read before, whether or not that reading was written; 0: not known
 * @kept: the module no longer reads the counter, whose time goes on by the monotonic clock
 */
struct lt_clock_reading {
	uint64_t clock;
	uint64_t realtime;
	uint64_t boottime;
	uint64_t monotonic;
	uint64_t raw;
	uint64_t took;
	uint64_t gap;
	bool kept;
};

/* A reading, and its time on the scale of the trace. */
struct lt_clock_point {
	struct lt_clock_reading r;
	uint64_t ns;
};

/* Where two straight parts of the scale meet; @mult: ns per unit behind it. */
struct lt_clock_knot {
	uint64_t units;
	uint64_t ns;
	struct lt_wide mult;
};

/**
 * struct lt_clock_part - a straight part of the scale
 * @from, @span: units from @from on, so many
 * @unit0: a point of the part, in units …
 * @ns0: … and in ns
 * @mult: ns per unit, a fixed-point number with 64 bits behind the point
 */
struct lt_clock_part {
	uint64_t from;
	uint64_t span;
	uint64_t unit0;
	uint64_t ns0;
	struct lt_wide mult;
};

/**
 * struct lt_clock - from clock units to ns: straight between knots
 * @identity: units are nanoseconds
 * @counter: the clock of the trace is a counter
 * @live: readings come between conversions: units up to @used keep the ns that they had
 * @raw: ns of the trace pass as those of CLOCK_MONOTONIC_RAW
 * @nominal: ns per unit, by the frequency; 0: not known
 * @part: the one that was used last
 * @knots: in the order of their units
 * @head: ns per unit before the first knot
 * @used, @used_ns: the greatest units that were converted, and their ns, if @live
 * @points: readings that were accepted
 */
struct lt_clock {
	bool identity;
	bool counter;
	bool live;
	bool raw;
	struct lt_wide nominal;
	struct lt_clock_part part;
	struct lt_clock_knot *knots;
	size_t n_knots;
	size_t cap_knots;
	struct lt_wide head;
	uint64_t used;
	uint64_t used_ns;
	struct lt_clock_point *points;
	size_t n_points;
	size_t cap_points;
};

/* Whether two numbers of 64 bits, which may have gone round, differ by at most @ns. */
static inline bool lt_clock_near(uint64_t a, uint64_t b, uint64_t ns)
{
	return a - b <= ns || b - a <= ns;
}

/* What became of a reading. */
enum lt_clock_taken {
	LT_CLOCK_TAKEN,		/* or left out, because it says nothing new */
	LT_CLOCK_BACKWARDS,	/* a clock has gone back since the reading before */
	LT_CLOCK_IMPLAUSIBLE,	/* the counter is more than twice as fast or slow as clock_freq */
};

/* Why a reading was refused; NULL: it was not. */
const char *lt_clock_refusal(enum lt_clock_taken taken);

/**
 * struct lt_clock_change - between two readings the wall clock was set, or the machine slept
 * @point: number of the reading after it
 * @set: ns that the wall clock was set forward; below 0: back
 * @slept: ns that the machine slept
 */
struct lt_clock_change {
	size_t point;
	int64_t set;
	uint64_t slept;
};

/* clock.c */
/**
 * lt_clock_init() - a scale without readings
 * @c: the scale
 * @name: the clock of the trace, as INFO has it; NULL: not known
 * @freq: units per second, 0: not known
 * @live: readings will come between conversions
 */
void lt_clock_init(struct lt_clock *c, const char *name, uint64_t freq, bool live);
void lt_clock_destroy(struct lt_clock *c);

/**
 * lt_clock_add() - take a reading
 * @c: the scale
 * @r: the reading, later than those before
 *
 * If @live, times behind @used change. Else lt_clock_settle() must be called before units are
 * converted.
 */
enum lt_clock_taken lt_clock_add(struct lt_clock *c, const struct lt_clock_reading *r);

/**
 * lt_clock_settle() - the readings, if any, are complete
 * @c: the scale
 * Return: false if the units of a counter cannot be converted; they are used as ns then.
 */
bool lt_clock_settle(struct lt_clock *c);

void lt_clock_seek(struct lt_clock *c, uint64_t units);
uint64_t lt_clock_part_ns(const struct lt_clock_part *p, uint64_t units);

/*
 * Converts units to ns. Monotonic; UINT64_MAX stays UINT64_MAX. The part that was used last
 * is kept for the next call, so a trace is converted by one thread at a time.
 */
static inline uint64_t lt_clock_ns(const struct lt_clock *c, uint64_t units)
{
	if (c->identity)
		return units;
	if (units - c->part.from >= c->part.span)
		lt_clock_seek((struct lt_clock *)(uintptr_t)c, units);
	return lt_clock_part_ns(&c->part, units);
}

/**
 * struct lt_clock_line - a straight line: ns0 + (units - unit0) * mult
 */
struct lt_clock_line {
	uint64_t unit0;
	uint64_t ns0;
	struct lt_wide mult;
};

/*
 * A line on which all units from @first to @last are. Return: false: there is no such line, or more
 * readings come, or units are ns.
 */
bool lt_clock_straight(const struct lt_clock *c, uint64_t first, uint64_t last,
		       struct lt_clock_line *line);

/* lt_clock_ns() of units on the line. */
static inline uint64_t lt_clock_line_ns(const struct lt_clock_line *line, uint64_t units)
{
	const uint64_t diff = units - line->unit0;
	const struct lt_wide part = lt_mul(line->mult.lo, diff);

	return line->ns0 + line->mult.hi * diff + part.hi + (part.lo >> 63);
}

/* lt_clock_ns() that does not count as a conversion: for a search among times that may come. */
uint64_t lt_clock_peek(const struct lt_clock *c, uint64_t units);

/* wall.c */
/* Whether there is a reading. */
static inline bool lt_clock_has_wall(const struct lt_clock *c)
{
	return c->n_points;
}

/* The wall-clock time of a trace time, ns since 1970; 0: not known. */
uint64_t lt_clock_realtime(const struct lt_clock *c, uint64_t ns);
/* The time since boot, suspended time included, of a trace time; 0: not known. */
uint64_t lt_clock_boottime(const struct lt_clock *c, uint64_t ns);

/**
 * lt_clock_next_change() - find where the wall clock was set, or the machine slept
 * @c: the scale
 * @change: result; @point: from which reading on it is looked for, 0 at first, and then the
 *	result of the call before
 * Return: false: there is no more.
 */
bool lt_clock_next_change(const struct lt_clock *c, struct lt_clock_change *change);

/**
 * lt_clock_deviation() - how far times may be from the monotonic clock
 * @c: the scale
 *
 * Of a counter: what a reading took, and what the scale can bend between two readings, by the
 * parts before and after.
 *
 * Return: ns; UINT64_MAX: not known, there are fewer than two readings.
 */
uint64_t lt_clock_deviation(const struct lt_clock *c);

bool lt_clock_parse(const char *text, struct lt_clock_reading *r);

/*
 * What the text "stats" says of a session that went on without the CPU's counter, or was stopped:
 * when, in units of the clock, and why. Return: false: nothing.
 */
bool lt_clock_left(const char *stats, uint64_t *units, char why[32]);

#define LT_CLOCK_TEXT	256
/* The line of a reading, for lt_clock_parse(). */
void lt_clock_text(const struct lt_clock_reading *r, char text[LT_CLOCK_TEXT]);

/* thin.c */
/**
 * struct lt_clock_thin - which of many readings a file needs
 * @kept: the last one that was written, if @n_kept
 * @n_kept: how many
 * @pending: the one after it, if @has_pending
 * @backwards: a clock has gone back since, and the reading that shows it was written
 * @lo, @hi: a straight line of so many ns per unit from @kept passes near all readings since
 * @wait_ns: another one is written so long after @kept
 */
struct lt_clock_thin {
	struct lt_clock_reading kept;
	struct lt_clock_reading pending;
	uint64_t n_kept;
	bool has_pending;
	bool backwards;
	double lo;
	double hi;
	uint64_t wait_ns;
};

/**
 * lt_clock_thin_add() - look at a reading
 * @t: all zero at first
 * @r: the reading; gets its @gap
 * @out: those to be written, in order
 * Return: how many, up to 2.
 */
unsigned int lt_clock_thin_add(struct lt_clock_thin *t, struct lt_clock_reading *r,
			       struct lt_clock_reading out[2]);
/* The reading that was looked at last was written, though it was not needed. */
void lt_clock_thin_written(struct lt_clock_thin *t);

#endif /* LT_LIB_CLOCK_H */
