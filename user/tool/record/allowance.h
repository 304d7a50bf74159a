/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a recording may cost (--budget), and the sample of addresses that keeps it.
 *
 * The cost is the time of CPUs that probes and recorder take, as a part of the time of all CPUs. An
 * event that the sample leaves out costs something, too: that cannot be saved. An event that is
 * written costs more, and its packet is read and stored later. The sample halves what is written
 * with each step.
 */
#ifndef LT_RECORD_ALLOWANCE_H
#define LT_RECORD_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

/* the last ones decide: events come in packets, late and together */
#define LT_ALLOWANCE_PERIODS 10
#define LT_ALLOWANCE_LEARN	24	/* of them show what an event costs the recorder */
/* of one address in so many at the least something is recorded */
#define LT_ALLOWANCE_MOST	65536

/**
 * struct lt_allowance_costs - of an event, in ns of a CPU
 * @seen: each one that reaches a probe
 * @written: one that is written, besides
 * @drained: of the recorder, for each that is written, until it was measured, and at the least
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

/* What was measured in a period, a ns. */
struct lt_allowance_rate {
	double written;
	double cpu;
};

/**
 * struct lt_allowance - what is kept
 * @limit: part of the time of all CPUs
 * @cpus: their number
 * @costs: of an event
 * @sample: one address in so many is recorded
 * @rates: of the last periods, @n_rates of them; the next one is put at @rate_at
 * @mean: of the last seconds, @mean_ns of them
 * @drained: what an event that is written costs the recorder, in ns, by @rates
 * @tried: the usual time of the recorder, as part of a CPU, when @drained was last measured
 * @last: the last periods since the sample changed, @n of them; the next one is put at @at
 * @late: so many periods may have packets from before that
 * @calm_ns: for so long a larger sample would have kept the limit with room
 * @over_ns: for so long the limit is exceeded, and a smaller sample would not help
 */
struct lt_allowance {
	double limit;
	double cpus;
	struct lt_allowance_costs costs;
	unsigned int sample;
	struct lt_allowance_rate rates[LT_ALLOWANCE_LEARN];
	unsigned int n_rates;
	unsigned int rate_at;
	struct lt_allowance_rate mean;
	uint64_t mean_ns;
	double drained;
	double tried;
	struct lt_allowance_period last[LT_ALLOWANCE_PERIODS];
	unsigned int n;
	unsigned int at;
	unsigned int late;
	uint64_t calm_ns;
	uint64_t over_ns;
};

/* @limit: as 0.02 */
void lt_allowance_init(struct lt_allowance *b, double limit, unsigned int cpus,
		       const struct lt_allowance_costs *costs);

/* What a period has cost: of events by the table, of the recorder as it was measured. */
double lt_allowance_cost(const struct lt_allowance *b, const struct lt_allowance_period *p);

/**
 * lt_allowance_step() - a period has ended
 *
 * A sample becomes smaller as soon as the events of the last second cost too much, by as many steps
 * as their number needs, and larger by one step after some time of calm. Return: whether @sample
 * has changed.
 */
bool lt_allowance_step(struct lt_allowance *b, const struct lt_allowance_period *p);

/*
 * Whether the budget cannot be kept: what the sample does not change costs more, for longer than a
 * burst.
 */
bool lt_allowance_exceeded(const struct lt_allowance *b);

/* spend.c: the budget of this machine, before the first period. */
void lt_spending_plan(struct lt_allowance *b, double limit);

#endif /* LT_RECORD_ALLOWANCE_H */
