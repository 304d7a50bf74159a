// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Conversion of clock units to nanoseconds: a scale that is straight between knots.
 *
 * Of a file all readings are known before the first conversion: each is a knot. Where the
 * parts on both sides of one part show that its rate has changed once within it, there is
 * another knot where these two meet.
 *
 * Of a live trace times that were given stay what they are: the scale is continued from there
 * to the new reading.
 */
#include <stdlib.h>
#include <string.h>

#include "format/clock.h"
#include "base/mem.h"
#include "base/search.h"

#define NSEC_PER_SEC	1000000000ULL
#define MAX_NS_PER_UNIT	(1ULL << 30)	/* a slower clock is not plausible */
#define MIN_SPAN_NS	1000000ULL	/* readings closer to each other are too inexact */
#define RATE_SPAN_NS	NSEC_PER_SEC	/* readings so far apart give the rate that goes on */
#define CLOSE_NS	(NSEC_PER_SEC / 10)	/* less gives it worse than the frequency does */
#define NEAR_NS		100		/* live: as near a reading says nothing new … */
#define LONG_NS		(60 * NSEC_PER_SEC)	/* … for so long */
#define BEND_NS		200		/* a bend that is less is not looked for */

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

static bool is_zero(struct lt_wide mult)
{
	return !mult.hi && !mult.lo;
}

static bool is_scale(struct lt_wide mult)
{
	return !is_zero(mult) && mult.hi < MAX_NS_PER_UNIT;
}

uint64_t lt_clock_part_ns(const struct lt_clock_part *p, uint64_t units)
{
	bool before = units < p->unit0;
	uint64_t diff = before ? p->unit0 - units : units - p->unit0;
	struct lt_wide whole = lt_mul(p->mult.hi, diff), part = lt_mul(p->mult.lo, diff);
	uint64_t rounded = part.hi + (part.lo >> 63), ns = whole.lo + rounded;
	bool over = whole.hi || ns < rounded;

	if (units == UINT64_MAX)
		return UINT64_MAX;
	if (before)
		return over || ns >= p->ns0 ? 0 : p->ns0 - ns;
	if (over || ns >= UINT64_MAX - p->ns0)
		return UINT64_MAX - 1;
	return p->ns0 + ns;
}

/* How many knots are not behind these units. */
static size_t knots_until(const struct lt_clock *c, uint64_t units)
{
	return lt_first_not(c->n_knots, i, c->knots[i].units <= units);
}

/* The part of these units. */
static struct lt_clock_part part_of(const struct lt_clock *c, uint64_t units)
{
	size_t n = knots_until(c, units);
	const struct lt_clock_knot *k = c->knots;

	if (!c->n_knots)
		return (struct lt_clock_part){ .span = UINT64_MAX, .mult = c->nominal };
	if (!n)
		return (struct lt_clock_part){ .span = k->units, .unit0 = k->units,
					       .ns0 = k->ns, .mult = c->head };
	k += n - 1;
	return (struct lt_clock_part){
		.from = k->units,
		.span = (n < c->n_knots ? k[1].units : UINT64_MAX) - k->units,
		.unit0 = k->units, .ns0 = k->ns, .mult = k->mult,
	};
}

bool lt_clock_straight(const struct lt_clock *c, uint64_t first, uint64_t last,
		       struct lt_clock_line *line)
{
	const struct lt_clock_part *part = &c->part;

	if (c->identity || c->live || first > last)
		return false;
	if (first - part->from >= part->span)
		lt_clock_seek((struct lt_clock *)(uintptr_t)c, first);
	*line = (struct lt_clock_line){ part->unit0, part->ns0, part->mult };
	/* Of times that have no place in 64 bits others do not follow in a straight line. */
	return last - part->from < part->span && first >= part->unit0 &&
	       lt_clock_part_ns(part, last) < UINT64_MAX - 1;
}

uint64_t lt_clock_peek(const struct lt_clock *c, uint64_t units)
{
	struct lt_clock_part p;

	if (c->identity)
		return units;
	p = part_of(c, units);
	return lt_clock_part_ns(&p, units);
}

/**
 * lt_clock_seek() - find the part for lt_clock_ns()
 * @c: the scale
 * @units: to be converted
 */
void lt_clock_seek(struct lt_clock *c, uint64_t units)
{
	c->part = part_of(c, units);
	if (!c->live)
		return;
	/* No part is kept beyond what was used: the next call comes here. */
	if (units == UINT64_MAX) {
		c->part.span = 0;
		return;
	}
	if (units > c->used) {
		c->used = units;
		c->used_ns = lt_clock_part_ns(&c->part, units);
	}
	if (c->part.span > c->used - c->part.from)
		c->part.span = c->used + 1 - c->part.from;
}

static void add_knot(struct lt_clock *c, uint64_t units, uint64_t ns)
{
	struct lt_clock_knot *last = c->n_knots ? &c->knots[c->n_knots - 1] : NULL;

	if (last && units <= last->units)
		return;
	if (last && ns < last->ns)
		ns = last->ns;
	if (last)
		last->mult = ratio(ns - last->ns, units - last->units);
	c->knots = lt_grow(c->knots, &c->cap_knots, c->n_knots, sizeof(*c->knots));
	c->knots[c->n_knots++] = (struct lt_clock_knot){ .units = units, .ns = ns };
}

/* Live: a knot behind the times that were given, the way to which stays what it is. */
static void add_knot_at_used(struct lt_clock *c)
{
	struct lt_wide mult = c->knots[c->n_knots - 1].mult;
	size_t n = c->n_knots;

	add_knot(c, c->used, c->used_ns);
	c->knots[n - 1].mult = mult;
}

/* ns per unit between two readings; by the frequency where they are too close to give it. */
static struct lt_wide rate_between(const struct lt_clock *c, const struct lt_clock_point *p,
				   const struct lt_clock_point *q)
{
	bool close = q->ns - p->ns < CLOSE_NS;

	return p == q || (close && is_scale(c->nominal)) ? c->nominal :
		ratio(q->ns - p->ns, q->r.clock - p->r.clock);
}

/* ns per unit behind the last reading. */
static struct lt_wide rate_at_last(const struct lt_clock *c)
{
	const struct lt_clock_point *last = &c->points[c->n_points - 1], *p = last;

	while (p > c->points && last->ns - p->ns < RATE_SPAN_NS)
		p--;
	return rate_between(c, p, last);
}

/* ns per unit before the first reading. */
static struct lt_wide rate_at_first(const struct lt_clock *c)
{
	const struct lt_clock_point *last = &c->points[c->n_points - 1], *p = c->points;

	while (p < last && p->ns - c->points->ns < RATE_SPAN_NS)
		p++;
	return rate_between(c, c->points, p);
}

static double slope(const struct lt_clock_point *p)
{
	return (double)(p[1].ns - p[0].ns) / (double)(p[1].r.clock - p[0].r.clock);
}

/* Whether nobody has read the clocks between reading @i and the one after it. */
static bool is_unseen(const struct lt_clock *c, size_t i)
{
	const struct lt_clock_point *p = &c->points[i];

	return p[1].r.gap >= p[1].ns - p[0].ns;
}

/*
 * Where the line through the part before reading @i meets that through the part after reading
 * @i + 1, if that is between these readings. Return: how much the scale would bend there, ns.
 */
static double bend(const struct lt_clock *c, size_t i, double *units)
{
	const struct lt_clock_point *p = &c->points[i];
	double span, before, within, after;

	if (!i || i + 2 >= c->n_points)
		return 0;
	span = (double)(p[1].r.clock - p[0].r.clock);
	/* Short parts say too little about their rate. */
	if ((double)(p[0].r.clock - p[-1].r.clock) * 2 < span ||
	    (double)(p[2].r.clock - p[1].r.clock) * 2 < span)
		return 0;
	before = slope(p - 1);
	within = slope(p);
	after = slope(p + 1);
	if (!((before < within && within < after) || (before > within && within > after)))
		return 0;
	*units = span * (after - within) / (after - before);
	return (before < within ? within - before : before - within) * *units;
}

static void add_bend(struct lt_clock *c, size_t i)
{
	const struct lt_clock_point *p = &c->points[i];
	double units, ns;

	if (i + 2 >= c->n_points || !is_unseen(c, i) || bend(c, i, &units) < BEND_NS)
		return;
	ns = slope(p - 1) * units;
	if (!(units >= 1 && units < (double)(p[1].r.clock - p[0].r.clock) && ns >= 0 &&
	      ns < (double)(p[1].ns - p[0].ns)))
		return;
	add_knot(c, p->r.clock + (uint64_t)units, p->ns + (uint64_t)ns);
}

/* Continues the scale of a live trace through the reading that was added. */
static void extend(struct lt_clock *c)
{
	const struct lt_clock_point *p = &c->points[c->n_points - 1];
	uint64_t until = c->n_points > 1 ? p[-1].r.clock : 0, used = c->used;
	struct lt_wide rate = rate_at_last(c);

	/* Units that were converted without a reading began at 0. */
	if (!c->n_knots && used) {
		add_knot(c, 0, 0);
		c->knots[0].mult = c->nominal;
	}
	if (!c->n_knots)
		c->head = rate;
	until = until > used ? until : used;
	/* What leads from the times used before to a reading is made anew. */
	while (c->n_knots > 1 && c->knots[c->n_knots - 1].units > until)
		c->n_knots--;
	if (c->n_knots)
		add_knot_at_used(c);
	if (p->r.clock > used) {
		add_knot(c, p->r.clock, p->ns);
	} else {
		/* Within a second the scale comes back to the line through the reading. */
		struct lt_clock_part line = { .unit0 = p->r.clock, .ns0 = p->ns, .mult = rate };
		double second = 1e9 / ((double)rate.hi + (double)rate.lo / 0x1p64);

		if (second < 0x1p62 && used < 1ULL << 63)
			used += (uint64_t)second + 1;
		add_knot(c, used, lt_clock_part_ns(&line, used));
	}
	c->knots[c->n_knots - 1].mult = rate;
	c->part.span = 0;
}

/* Whether a reading of a live trace is where the scale expects it. */
static bool says_nothing_new(const struct lt_clock *c, const struct lt_clock_reading *r,
			     uint64_t ns)
{
	const struct lt_clock_point *last = &c->points[c->n_points - 1];

	return ns - last->ns < LONG_NS &&
	       lt_clock_near(lt_clock_peek(c, r->clock), ns, NEAR_NS + r->took / 2) &&
	       r->kept == last->r.kept &&
	       lt_clock_near(r->realtime - ns, last->r.realtime - last->ns, LT_CLOCK_STEP_NS) &&
	       lt_clock_near(r->boottime - ns, last->r.boottime - last->ns, LT_CLOCK_STEP_NS);
}

/* Whether the counter runs about as its frequency says. */
static bool is_plausible(const struct lt_clock *c, const struct lt_clock_point *last,
			 const struct lt_clock_reading *r)
{
	struct lt_wide rate = ratio(r->monotonic - last->ns, r->clock - last->r.clock);
	uint64_t found = coarse(rate), expected = coarse(c->nominal);

	return is_scale(rate) && (!expected || (found >= expected / 2 && found / 2 <= expected));
}

enum lt_clock_taken lt_clock_add(struct lt_clock *c, const struct lt_clock_reading *r)
{
	const struct lt_clock_point *last = c->n_points ? &c->points[c->n_points - 1] : NULL;
	uint64_t ns = c->counter ? r->monotonic : r->clock;

	if (last) {
		if (r->clock < last->r.clock || ns < last->ns)
			return LT_CLOCK_BACKWARDS;
		if (r->clock == last->r.clock || (c->counter && ns - last->ns < MIN_SPAN_NS))
			return LT_CLOCK_TAKEN;
		if (c->counter && !is_plausible(c, last, r))
			return LT_CLOCK_IMPLAUSIBLE;
		if (c->live && says_nothing_new(c, r, ns))
			return LT_CLOCK_TAKEN;
	}
	c->points = lt_grow(c->points, &c->cap_points, c->n_points, sizeof(*c->points));
	c->points[c->n_points++] = (struct lt_clock_point){ *r, ns };
	if (c->live && !c->identity)
		extend(c);
	return LT_CLOCK_TAKEN;
}

bool lt_clock_settle(struct lt_clock *c)
{
	if (!c->counter || c->live)
		return !c->counter || !c->identity;
	c->n_knots = 0;
	for (size_t i = 0; i < c->n_points; i++) {
		add_knot(c, c->points[i].r.clock, c->points[i].ns);
		add_bend(c, i);
	}
	c->part.span = 0;
	c->head = c->nominal;
	if (c->n_points) {
		c->head = rate_at_first(c);
		c->knots[c->n_knots - 1].mult = rate_at_last(c);
	}
	c->identity = !is_scale(c->head) ||
		      (c->n_points && !is_scale(c->knots[c->n_knots - 1].mult));
	return !c->identity;
}

void lt_clock_init(struct lt_clock *c, const char *name, uint64_t freq, bool live)
{
	memset(c, 0, sizeof(*c));
	c->counter = name && !strcmp(name, "counter");
	c->raw = name && !strcmp(name, "raw");
	c->live = live;
	if (freq && freq <= NSEC_PER_SEC * 1000)
		c->nominal = ratio(NSEC_PER_SEC, freq);
	c->identity = !c->counter || !is_scale(c->nominal);
}

void lt_clock_destroy(struct lt_clock *c)
{
	free(c->knots);
	free(c->points);
	memset(c, 0, sizeof(*c));
	c->identity = true;
}

/* How far the scale may bend away from the straight part behind reading @i, ns. */
static double may_bend(const struct lt_clock *c, size_t i)
{
	const struct lt_clock_point *p = &c->points[i];
	double units, within = slope(p), before, after, most, one;

	/* The readings within it were near the straight part. */
	if (p[1].r.gap && !is_unseen(c, i))
		return 0;
	one = p[1].r.gap ? bend(c, i, &units) : 0;
	/* One change of the rate is where the knot is. */
	if (one > 0)
		return one < BEND_NS ? one : 0;
	before = i ? within - slope(p - 1) : 0;
	after = i + 2 < c->n_points ? within - slope(p + 1) : 0;
	before = before < 0 ? -before : before;
	after = after < 0 ? -after : after;
	most = before > after ? before : after;
	return most * (double)(p[1].r.clock - p[0].r.clock) / 4;
}

uint64_t lt_clock_deviation(const struct lt_clock *c)
{
	uint64_t took = 0;
	double most = 0;

	if (!c->counter || c->n_points < 3)
		return c->counter ? UINT64_MAX : 0;
	for (size_t i = 0; i < c->n_points; i++) {
		double is = i + 1 < c->n_points ? may_bend(c, i) : 0;

		most = is > most ? is : most;
		took = c->points[i].r.took > took ? c->points[i].r.took : took;
	}
	if (!(most < 1e18) || took > NSEC_PER_SEC)
		return UINT64_MAX;
	return (uint64_t)most + took + LT_CLOCK_THIN_NS;
}
