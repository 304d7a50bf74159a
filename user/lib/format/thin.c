// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which of many readings of the clocks a file needs: so many that the straight lines between
 * those that are written pass near all others, and no fewer than one a minute.
 */
#include "format/clock.h"

#define FIRST_WAIT_NS	1000000000ULL
#define MOST_WAIT_NS	(60 * FIRST_WAIT_NS)

/* Whether a clock of the kernel was set, or the module changed its own, between the two. */
static bool is_step(const struct lt_clock_reading *a, const struct lt_clock_reading *b)
{
	return a->kept != b->kept ||
	       !lt_clock_near(a->realtime - a->monotonic, b->realtime - b->monotonic,
			      LT_CLOCK_STEP_NS) ||
	       !lt_clock_near(a->boottime - a->monotonic, b->boottime - b->monotonic,
			      LT_CLOCK_STEP_NS);
}

static void keep(struct lt_clock_thin *t, const struct lt_clock_reading *r)
{
	/* @r may be @pending. */
	t->kept = *r;
	t->n_kept++;
	t->has_pending = false;
	t->lo = -1e300;
	t->hi = 1e300;
}

/* Makes the lines from @kept those that also pass near @r. Return: whether there are any. */
static bool narrow(struct lt_clock_thin *t, const struct lt_clock_reading *r)
{
	double units = (double)(r->clock - t->kept.clock);
	double ns = (double)(r->monotonic - t->kept.monotonic);
	double near = LT_CLOCK_THIN_NS + (double)r->took / 4;
	double lo = (ns - near) / units, hi = (ns + near) / units, is = ns / units;

	/* The line to the last reading is the one that is drawn if it is written. */
	if (is < t->lo || is > t->hi)
		return false;
	t->lo = lo > t->lo ? lo : t->lo;
	t->hi = hi < t->hi ? hi : t->hi;
	return true;
}

void lt_clock_thin_written(struct lt_clock_thin *t)
{
	if (t->has_pending)
		keep(t, &t->pending);
}

unsigned int lt_clock_thin_add(struct lt_clock_thin *t, struct lt_clock_reading *r,
			       struct lt_clock_reading out[2])
{
	const struct lt_clock_reading *last = t->has_pending ? &t->pending : &t->kept;
	unsigned int n = 0;
	bool step;

	if (!t->n_kept) {
		t->wait_ns = FIRST_WAIT_NS;
		keep(t, r);
		out[n++] = *r;
		return n;
	}
	if (r->clock < last->clock || r->monotonic < last->monotonic) {
		/* A reader refuses it, and says so; the one before stands. */
		out[0] = *r;
		n = !t->backwards;
		t->backwards = true;
		return n;
	}
	if (r->clock == last->clock)
		return 0;
	t->backwards = false;
	r->gap = r->monotonic - last->monotonic;
	step = is_step(last, r);
	if (t->has_pending && (step || !narrow(t, r))) {
		out[n++] = t->pending;
		keep(t, &t->pending);
		narrow(t, r);
	} else if (!t->has_pending) {
		narrow(t, r);
	}
	if (step || r->monotonic - t->kept.monotonic >= t->wait_ns) {
		if (!step && t->wait_ns < MOST_WAIT_NS)
			t->wait_ns = t->wait_ns * 2 < MOST_WAIT_NS ? t->wait_ns * 2 : MOST_WAIT_NS;
		out[n++] = *r;
		keep(t, r);
	} else {
		t->pending = *r;
		t->has_pending = true;
	}
	return n;
}
