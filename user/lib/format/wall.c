// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Readings of the kernel's clocks: their text, and wall-clock time by them. Where the wall
 * clock was set between two readings, or the machine slept, all between them has the time by
 * the one before; so there is one step, at the one after.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format/clock.h"
#include "base/search.h"
#include "base/text.h"

bool lt_clock_left(const char *stats, uint64_t *units, char why[32])
{
	char text[128];

	while (lt_line_text(&stats, text, sizeof(text))) {
		if (sscanf(text, "left_counter %" SCNu64 " %31s", units, why) == 2)
			return true;
	}
	return false;
}

bool lt_clock_parse(const char *text, struct lt_clock_reading *r)
{
	const char *line;
	uint64_t kept;
	size_t len;

	memset(r, 0, sizeof(*r));
	if (!lt_line(&text, &line, &len))
		return false;
	/* Older modules do not have these. */
	if (!lt_pair(line, len, "took", &r->took))
		r->took = 0;
	if (!lt_pair(line, len, "gap", &r->gap))
		r->gap = 0;
	r->kept = lt_pair(line, len, "kept", &kept) && kept;
	return lt_pair(line, len, "clock", &r->clock) &&
	       lt_pair(line, len, "realtime", &r->realtime) &&
	       lt_pair(line, len, "boottime", &r->boottime) &&
	       lt_pair(line, len, "monotonic", &r->monotonic) &&
	       lt_pair(line, len, "raw", &r->raw);
}

void lt_clock_text(const struct lt_clock_reading *r, char text[LT_CLOCK_TEXT])
{
	snprintf(text, LT_CLOCK_TEXT, "clock=%" PRIu64 " realtime=%" PRIu64 " boottime=%" PRIu64
		 " monotonic=%" PRIu64 " raw=%" PRIu64 " took=%" PRIu64 " gap=%" PRIu64
		 " kept=%d\n", r->clock, r->realtime, r->boottime, r->monotonic, r->raw, r->took,
		 r->gap, r->kept);
}

const char *lt_clock_refusal(enum lt_clock_taken taken)
{
	switch (taken) {
	case LT_CLOCK_BACKWARDS:
		return "a clock has gone back since the reading before it";
	case LT_CLOCK_IMPLAUSIBLE:
		return "by it the counter has another frequency than clock_freq";
	default:
		return NULL;
	}
}

/* The reading before a time, or the first one; there is one. */
static size_t point_before(const struct lt_clock *c, uint64_t ns)
{
	size_t behind = lt_first_not(c->n_points, i, c->points[i].ns <= ns);

	return behind ? behind - 1 : 0;
}

/* How far two clocks may drift apart: that without NTP's corrections, and all others. */
static uint64_t drift_of(const struct lt_clock *c, uint64_t ns)
{
	return LT_CLOCK_STEP_NS + (c->raw ? ns / 1000 : 0);
}

/*
 * A clock of the kernel, @at in a reading, at a time of the trace. Between two readings its
 * time passes evenly, unless it has made a step.
 */
static uint64_t clock_at(const struct lt_clock *c, uint64_t ns, size_t at)
{
#define VALUE(point)	(*(const uint64_t *)(const void *)((const char *)&(point)->r + at))
	const struct lt_clock_point *p;
	uint64_t diff, passed, value;

	if (!c->n_points)
		return 0;
	p = &c->points[point_before(c, ns)];
	value = VALUE(p);
	if (ns < p->ns) {
		diff = p->ns - ns;
		return diff > value ? 0 : value - diff;
	}
	diff = ns - p->ns;
	if (p + 1 < c->points + c->n_points) {
		uint64_t whole = p[1].ns - p->ns;

		passed = VALUE(p + 1) - value;
		if (whole && passed <= INT64_MAX &&
		    lt_clock_near(passed, whole, drift_of(c, whole)))
			diff = lt_mul_div(diff, passed, whole);
	}
	return diff > UINT64_MAX - value ? UINT64_MAX : value + diff;
#undef VALUE
}

uint64_t lt_clock_realtime(const struct lt_clock *c, uint64_t ns)
{
	return clock_at(c, ns, offsetof(struct lt_clock_reading, realtime));
}

uint64_t lt_clock_boottime(const struct lt_clock *c, uint64_t ns)
{
	return clock_at(c, ns, offsetof(struct lt_clock_reading, boottime));
}

bool lt_clock_next_change(const struct lt_clock *c, struct lt_clock_change *change)
{
	for (size_t i = change->point + 1; i < c->n_points; i++) {
		const struct lt_clock_reading *a = &c->points[i - 1].r, *b = &c->points[i].r;
		uint64_t set = (b->realtime - b->boottime) - (a->realtime - a->boottime);
		uint64_t slept = (b->boottime - b->monotonic) - (a->boottime - a->monotonic);

		if (lt_clock_near(set, 0, LT_CLOCK_STEP_NS) &&
		    lt_clock_near(slept, 0, LT_CLOCK_STEP_NS))
			continue;
		change->point = i;
		change->set = lt_clock_near(set, 0, LT_CLOCK_STEP_NS) ? 0 : (int64_t)set;
		change->slept = slept > INT64_MAX || slept <= LT_CLOCK_STEP_NS ? 0 : slept;
		return true;
	}
	return false;
}
