// SPDX-License-Identifier: GPL-2.0
/*
 * The sample of addresses that keeps a budget: a function of what was measured.
 */
#include <math.h>

#include "record/allowance.h"

#define NS		1000000000ULL
#define FULL		0.8	/* of the limit: what a new sample may use */
#define ROOM		0.5	/* of the limit: below it a larger sample would be, for some time */
#define CALM_NS		(10 * NS)
#define OVER_NS		(5 * NS)
#define HELP		0.01	/* of the limit: a step that saves less is none */
#define FORGET		0.1
#define LEAST_FIXED	0.001

/*
 * Before a period shows what a burst makes, it has been paid for. With the smallest reaction time of
 * BURST_NS, BURST events a second may add SLACK of ten seconds at the most.
 */
#define BURST		5e6
#define BURST_S		0.2
#define SLACK		0.004
#define SLACK_S		10.0

/* Of all CPUs, at a rate of events a second, with a sample. */
static double cost_at(const struct lt_allowance *b, double rate, double sample)
{
	return rate * (b->costs.seen + (b->costs.written + b->costs.drained) / sample) / 1e9 /
	       b->cpus;
}

/* The largest sample with which a burst from calm to the greatest rate stays within the slack. */
static unsigned int least_sample(const struct lt_allowance *b)
{
	unsigned int sample = 1;

	while (sample < LT_ALLOWANCE_MOST && cost_at(b, BURST, sample) * BURST_S / SLACK_S > SLACK)
		sample *= 2;
	return sample;
}

void lt_allowance_init(struct lt_allowance *b, double limit, unsigned int cpus,
		    const struct lt_allowance_costs *costs)
{
	*b = (struct lt_allowance){ .limit = limit, .cpus = cpus ? cpus : 1, .costs = *costs };
	b->sample = least_sample(b);
}

/* What the period would have cost with another sample. */
static double cost_with(const struct lt_allowance *b, const struct lt_allowance_period *p,
			unsigned int sample)
{
	double written = (double)p->written * b->sample / sample;
	double fixed = fmin(b->fixed * (double)p->ns, (double)p->cpu_ns);
	double drained = ((double)p->cpu_ns - fixed) * b->sample / sample;

	return ((double)p->seen * b->costs.seen + written * b->costs.written + fixed +
		fmax(drained, written * b->costs.drained)) / ((double)p->ns * b->cpus);
}

double lt_allowance_cost(const struct lt_allowance *b, const struct lt_allowance_period *p)
{
	return p->ns ? cost_with(b, p, b->sample) : 0;
}

/* The least of what was seen, which is forgotten slowly: FORGET of it in a second. */
static void learn(struct lt_allowance *b, const struct lt_allowance_period *p)
{
	double rest = ((double)p->cpu_ns - (double)p->written * b->costs.drained) / (double)p->ns;
	double forget = (double)p->ns / 1e9 * FORGET;

	rest = fmax(rest, 0);
	b->fixed = b->learned ? fmin(rest, b->fixed * (1 + forget) + forget * LEAST_FIXED) : rest;
	b->learned = true;
}

/* The largest sample that keeps the limit, as far as smaller ones help. */
static unsigned int enough(const struct lt_allowance *b, const struct lt_allowance_period *p)
{
	unsigned int sample = b->sample;
	double cost = cost_with(b, p, sample);

	while (sample < LT_ALLOWANCE_MOST && cost > b->limit * FULL) {
		double next = cost_with(b, p, 2 * sample);

		if (cost - next < b->limit * HELP)
			break;
		cost = next;
		sample *= 2;
	}
	return sample;
}

/* The last periods as one, which lasts a second at the least: what is not known yet cost nothing. */
static struct lt_allowance_period last_second(struct lt_allowance *b,
					      const struct lt_allowance_period *p)
{
	struct lt_allowance_period sum = { 0 };

	b->last[b->at] = *p;
	b->at = (b->at + 1) % LT_ALLOWANCE_PERIODS;
	b->n += b->n < LT_ALLOWANCE_PERIODS;
	for (unsigned int i = 0; i < b->n; i++) {
		sum.ns += b->last[i].ns;
		sum.seen += b->last[i].seen;
		sum.written += b->last[i].written;
		sum.cpu_ns += b->last[i].cpu_ns;
	}
	sum.ns = sum.ns < NS ? NS : sum.ns;
	return sum;
}

bool lt_allowance_step(struct lt_allowance *b, const struct lt_allowance_period *p)
{
	unsigned int sample = b->sample, least = least_sample(b);
	struct lt_allowance_period sum;
	double cost;

	if (!p->ns)
		return false;
	learn(b, p);
	sum = last_second(b, p);
	cost = lt_allowance_cost(b, &sum);
	if (cost > b->limit * FULL) {
		sample = enough(b, &sum);
		b->calm_ns = 0;
	} else if (sample > least && cost_with(b, &sum, sample / 2) < b->limit * ROOM) {
		b->calm_ns += p->ns;
	} else {
		b->calm_ns = 0;
	}
	b->over_ns = cost > b->limit && sample == b->sample ? b->over_ns + p->ns : 0;
	if (b->calm_ns >= CALM_NS)
		sample /= 2;
	if (sample == b->sample)
		return false;
	b->calm_ns = 0;
	b->sample = sample;
	b->n = b->at = 0;
	return true;
}

bool lt_allowance_exceeded(const struct lt_allowance *b)
{
	return b->over_ns >= OVER_NS;
}
