/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a recording may cost (--budget), and the sample of addresses that keeps it.
 *
 * The cost is the time of CPUs that probes and recorder take, as a part of the time of all CPUs. An
 * event that the sample leaves out costs something, too: that cannot be saved. An event that is
 * written costs more, and its packet is read and stored later. The sample halves what is written with
 * each step.
 */
#ifndef LT_RECORD_ALLOWANCE_H
#define LT_RECORD_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

#define LT_ALLOWANCE_PERIODS 10	/* the last ones decide: events come in packets, late and together */
#define LT_ALLOWANCE_MOST	65536	/* of one address in so many at the least something is recorded */

/**
 * struct lt_allowance_costs - of an event, in ns of a CPU
 * @seen: each one that reaches a probe
 * @written: one that is written, besides
 * @drained: of the recorder, for each that is written, as far as it was not measured yet
 */
struct lt_allowance_costs {
	double seen;
	double written;
	double drained;
};

/**
 * struct lt_allowance_period - what was measured in a period
 * @ns: its length
 * @seen: events that reached a probe
 * @written: of these, those that were written
 * @cpu_ns: time of CPUs that the recorder took
 */
struct lt_allowance_period {
	uint64_t ns;
	uint64_t seen;
	uint64_t written;
	uint64_t cpu_ns;
};

/**
 * struct lt_allowance - what is kept
 * @limit: part of the time of all CPUs
 * @cpus: their number
 * @costs: of an event
 * @sample: one address in so many is recorded
 * @fixed: part of one CPU that the recorder takes whatever is written: the least that was seen lately
 * @last: the last periods since the sample changed, @n of them; the next one is put at @at
 * @calm_ns: for so long a larger sample would have kept the limit with room
 * @over_ns: for so long the limit is exceeded, and a smaller sample would not help
 */
struct lt_allowance {
	double limit;
	double cpus;
	struct lt_allowance_costs costs;
	unsigned int sample;
	double fixed;
	bool learned;		/* @fixed is set */
	struct lt_allowance_period last[LT_ALLOWANCE_PERIODS];
	unsigned int n;
	unsigned int at;
	uint64_t calm_ns;
	uint64_t over_ns;
};

/* @limit: as 0.02 */
void lt_allowance_init(struct lt_allowance *b, double limit, unsigned int cpus,
		    const struct lt_allowance_costs *costs);

/* What a period has cost. */
double lt_allowance_cost(const struct lt_allowance *b, const struct lt_allowance_period *p);

/**
 * lt_allowance_step() - a period has ended
 *
 * A sample becomes smaller as soon as the last second costs too much, by as many steps as are needed,
 * and larger by one step after some time of calm. Return: whether @sample has changed.
 */
bool lt_allowance_step(struct lt_allowance *b, const struct lt_allowance_period *p);

/* Whether the budget cannot be kept: what the sample does not change costs more, for longer than a burst. */
bool lt_allowance_exceeded(const struct lt_allowance *b);

/* spend.c: the budget of this machine, before the first period. */
void lt_spending_plan(struct lt_allowance *b, double limit);

#endif /* LT_RECORD_ALLOWANCE_H */
