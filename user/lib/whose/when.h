/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Times by a clock of the kernel, as times of a trace.
 *
 * Between two readings of the clocks both run evenly. Where the wall clock was set, or the machine
 * slept, it is not known when between the readings: a time by that clock may then be at several
 * times of the trace, or at none.
 */
#ifndef LT_WHOSE_WHEN_H
#define LT_WHOSE_WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/clock.h"
#include "logs/logs.h"

/* A span of the trace's clock, both ends included. */
struct lt_span {
	uint64_t from;
	uint64_t to;
};

#define LT_SPANS	8

/* A clock of which two readings, or the endless begin or end, are straight parts. */
struct lt_when_piece {
	uint64_t v0, v1;	/* by the clock */
	uint64_t t0, t1;	/* of the trace */
};

/**
 * struct lt_when - a clock
 * @same: it is the trace's own, but for a constant
 * @uncertain: ns by which times of the trace may be wrong
 * @pieces: @n of them, in the order of the trace
 * @even: by the clock they are in that order, too
 */
struct lt_when {
	bool same;
	bool even;
	uint64_t uncertain;
	struct lt_when_piece *pieces;
	size_t n;
	size_t cap;
};

/**
 * lt_when_init() - prepare conversions
 * @trace_clock: the name of the trace's clock
 * @uncertain: ns; UINT64_MAX: what is known of the clock
 * Return: 0; -1: the trace has no reading of that clock.
 */
int lt_when_init(struct lt_when *w, const struct lt_clock *c, const char *trace_clock,
		 enum lt_log_clock clock, uint64_t uncertain);
void lt_when_destroy(struct lt_when *w);

/**
 * lt_when_spans() - where in a trace a span of a clock is
 * @from, @to: by the clock, both included; without what is uncertain
 * @spans: in the order of the trace
 * Return: how many there are. 0: the clock never showed this time; LT_SPANS + 1: too many.
 */
unsigned int lt_when_spans(const struct lt_when *w, uint64_t from, uint64_t to,
			   struct lt_span spans[LT_SPANS]);

#endif /* LT_WHOSE_WHEN_H */
