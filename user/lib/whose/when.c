// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Times by a clock of the kernel, as times of a trace.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/wide.h"
#include "whose/when.h"

/* How far the scheduler's clock may be from those that it runs as. */
#define LOCAL_NS	1000000000ULL
/* A counter of which there are too few readings. */
#define UNKNOWN_NS	100000000ULL
/* The kernel corrects its clock between two readings, against one that it does not correct. */
#define SLEW_NS		1000000ULL

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t value(const struct lt_clock_reading *r, enum lt_log_clock clock)
{
	switch (clock) {
	case LT_LOG_REAL:
		return r->realtime;
	case LT_LOG_BOOT:
		return r->boottime;
	case LT_LOG_MONO:
		return r->monotonic;
	default:
		return r->raw;
	}
}

static void add(struct lt_when *w, uint64_t v0, uint64_t v1, uint64_t t0, uint64_t t1)
{
	w->pieces = lt_grow(w->pieces, &w->cap, w->n, sizeof(*w->pieces));
	w->pieces[w->n++] = (struct lt_when_piece){ v0, v1, t0, t1 };
}

/* Between two readings; @drift: how far the clocks may drift apart. */
static void add_between(struct lt_when *w, uint64_t v0, uint64_t v1, uint64_t t0, uint64_t t1,
			uint64_t drift)
{
	uint64_t whole = t1 - t0;

	if (v1 >= v0 && lt_clock_near(v1 - v0, whole, drift)) {
		add(w, v0, v1, t0, t1);
		return;
	}
	/* A step, somewhere: up to there as before, from there on as after. */
	w->even = false;
	add(w, v0, plus(v0, whole), t0, t1);
	add(w, minus(v1, whole), v1, t0 + (whole > v1 ? whole - v1 : 0), t1);
}

/* Before the first reading and behind the last one the clock runs as the trace's does. */
static void add_ends(struct lt_when *w, const struct lt_clock_point *p, uint64_t v, bool first)
{
	uint64_t back = v < p->ns ? v : p->ns, on = UINT64_MAX - (v > p->ns ? v : p->ns);

	if (first)
		add(w, v - back, v, p->ns - back, p->ns);
	else
		add(w, v, v + on, p->ns, p->ns + on);
}

static uint64_t known_uncertainty(const struct lt_clock *c, enum lt_log_clock clock)
{
	uint64_t u = lt_clock_deviation(c);

	if (u == UINT64_MAX)
		u = UNKNOWN_NS;
	if (c->raw && clock != LT_LOG_LOCAL)
		u += SLEW_NS;
	return u + LT_CLOCK_STEP_NS + (clock == LT_LOG_LOCAL ? LOCAL_NS : 0);
}

/* Whether a trace's clock is this one, so that no reading is needed. */
static bool is_same(const struct lt_clock *c, const char *name, enum lt_log_clock clock)
{
	switch (clock) {
	case LT_LOG_BOOT:
		return name && !strcmp(name, "boot");
	case LT_LOG_MONO:
		return c->counter || (name && !strcmp(name, "mono"));
	case LT_LOG_LOCAL:
		return c->raw;
	default:
		return false;
	}
}

int lt_when_init(struct lt_when *w, const struct lt_clock *c, const char *trace_clock,
		 enum lt_log_clock clock, uint64_t uncertain)
{
	const struct lt_clock_point *p = c->points;

	*w = (struct lt_when){ .even = true, .same = is_same(c, trace_clock, clock) };
	w->uncertain = uncertain == UINT64_MAX ? known_uncertainty(c, clock) : uncertain;
	if (w->same)
		return 0;
	if (!c->n_points)
		return -1;
	add_ends(w, p, value(&p->r, clock), true);
	for (size_t i = 0; i + 1 < c->n_points; i++) {
		uint64_t whole = p[i + 1].ns - p[i].ns;

		add_between(w, value(&p[i].r, clock), value(&p[i + 1].r, clock), p[i].ns,
			    p[i + 1].ns, LT_CLOCK_STEP_NS + whole / 1000);
	}
	p += c->n_points - 1;
	add_ends(w, p, value(&p->r, clock), false);
	return 0;
}

void lt_when_destroy(struct lt_when *w)
{
	free(w->pieces);
	memset(w, 0, sizeof(*w));
}

/* The time of the trace at a time of the clock in a piece. */
static uint64_t in_piece(const struct lt_when_piece *p, uint64_t v)
{
	uint64_t v_span = p->v1 - p->v0, t_span = p->t1 - p->t0, diff;

	if (v <= p->v0)
		return p->t0;
	if (v >= p->v1)
		return p->t1;
	diff = v - p->v0;
	return p->t0 + (v_span == t_span ? diff : lt_mul_div(diff, t_span, v_span));
}

/* The first piece that may have a time not before @from. */
static size_t first_piece(const struct lt_when *w, uint64_t from)
{
	size_t low = 0, high = w->even ? w->n : 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (w->pieces[mid].v1 < from)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * A time at which the clock had not begun, as seen from the trace, or that is beyond all numbers:
 * it is before, or after, all of the trace.
 */
static bool is_outside(const struct lt_when *w, uint64_t from, uint64_t to, struct lt_span *span)
{
	bool before = to < w->pieces[0].v0;

	if (!before && from <= w->pieces[w->n - 1].v1)
		return false;
	span->from = span->to = before ? 0 : UINT64_MAX;
	return true;
}

unsigned int lt_when_spans(const struct lt_when *w, uint64_t from, uint64_t to,
			   struct lt_span spans[LT_SPANS])
{
	unsigned int n = 0;

	from = minus(from, w->uncertain);
	to = plus(to, w->uncertain);
	if (w->same) {
		spans[0] = (struct lt_span){ from, to };
		return 1;
	}
	for (size_t i = first_piece(w, from); i < w->n; i++) {
		const struct lt_when_piece *p = &w->pieces[i];
		struct lt_span s;

		if (p->v0 > to && w->even)
			break;
		if (p->v0 > to || p->v1 < from)
			continue;
		s = (struct lt_span){ in_piece(p, from), in_piece(p, to) };
		/* Pieces come in the order of the trace, but for the two of a step. */
		if (n && s.from <= spans[n - 1].to && spans[n - 1].from <= s.to) {
			if (s.from < spans[n - 1].from)
				spans[n - 1].from = s.from;
			if (s.to > spans[n - 1].to)
				spans[n - 1].to = s.to;
			continue;
		}
		if (n == LT_SPANS)
			return LT_SPANS + 1;
		spans[n++] = s;
	}
	return n ? n : is_outside(w, from, to, spans);
}
