// SPDX-License-Identifier: GPL-2.0
/*
 * The sample of addresses that keeps a budget: a function of what was measured.
 */
#include <math.h>
#include <stdlib.h>

#include "record/allowance.h"

#define NS		1000000000ULL
#define FULL		0.8	/* of the limit: what a new sample may use */
#define ROOM		0.5	/* of the limit: below it a larger sample would be, for some time */
#define CALM_NS		(10 * NS)
#define OVER_NS		(5 * NS)
/* of the limit: if the sample can save no more, a smaller one is not taken */
#define HELP		0.05
#define MEAN_NS		(10 * NS)	/* over which the recorder's own time is averaged */
/* periods in which packets may come that are older than the sample */
#define LATE		2
#define PAIRS		60	/* of periods: fewer do not show what an event costs the recorder */
#define SOME		10	/* periods show what is usual */
#define GROWN		1.5
/* of the most that was written: so far the periods of a pair are apart */
#define APART		0.4
/* a ns: below it other work of the recorder hides what an event costs */
#define LEAST_WRITTEN	1e-5
#define MOST_DRAINED	100	/* times what was assumed: more is an error of measurement */

/*
 * Before a period shows what a burst makes, it has been paid for. With the smallest reaction time
 * of BURST_NS, BURST events a second may add SLACK of ten seconds at the most.
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
	*b = (struct lt_allowance){ .limit = limit, .cpus = cpus ? cpus : 1, .costs = *costs,
				    .drained = costs->drained };
	b->sample = least_sample(b);
}

double lt_allowance_cost(const struct lt_allowance *b, const struct lt_allowance_period *p)
{
	return p->ns ? ((double)p->seen * b->costs.seen + (double)p->written * b->costs.written +
			(double)p->cpu_ns) / ((double)p->ns * b->cpus) : 0;
}

/* ------------------------------------------------------------------------
 * The recorder's time
 *
 * It has a part that grows with what is written, which the sample changes, and one that does
 * not. Single periods show nothing: the recorder also writes files, reads clocks and symbols, and
 * waits for the kernel, at any time and much longer than it takes for the events of a period.
 */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The value that one of @part of the values is below. */
static double one_in(unsigned int part, double *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_value);
	return values[n / part];
}

/*
 * What an event that is written costs the recorder: what pairs of periods say, of which one has
 * many more than the other. By the median (Theil and Sen), a few periods that took long for another
 * cause would not change it. But if few periods have events, these are half of the pairs soon;
 * therefore it is a value that two thirds of the pairs exceed. Return: whether there were enough
 * pairs.
 */
static bool learn_drained(struct lt_allowance *b)
{
	double slopes[LT_ALLOWANCE_LEARN * (LT_ALLOWANCE_LEARN - 1) / 2], most = 0;
	size_t n = 0;

	for (unsigned int i = 0; i < b->n_rates; i++)
		most = fmax(most, b->rates[i].written);
	if (most < LEAST_WRITTEN)
		return true;
	for (unsigned int i = 1; i < b->n_rates; i++) {
		for (unsigned int j = 0; j < i; j++) {
			double apart = b->rates[i].written - b->rates[j].written;

			if (fabs(apart) >= APART * most)
				slopes[n++] = (b->rates[i].cpu - b->rates[j].cpu) / apart;
		}
	}
	if (n < PAIRS)
		return false;
	b->drained = fmin(fmax(one_in(3, slopes, n), b->costs.drained),
			  b->costs.drained * MOST_DRAINED);
	return true;
}

/* The recorder's time, as usual: half of the periods have less. */
static double usual(const struct lt_allowance *b)
{
	double cpu[LT_ALLOWANCE_LEARN];

	for (unsigned int i = 0; i < b->n_rates; i++)
		cpu[i] = b->rates[i].cpu;
	return one_in(2, cpu, b->n_rates);
}

static void learn(struct lt_allowance *b, const struct lt_allowance_period *p)
{
	double cpu = (double)p->cpu_ns / (double)p->ns,
		written = (double)p->written / (double)p->ns;
	double part;

	b->rates[b->rate_at] = (struct lt_allowance_rate){ .written = written, .cpu = cpu };
	b->rate_at = (b->rate_at + 1) % LT_ALLOWANCE_LEARN;
	b->n_rates += b->n_rates < LT_ALLOWANCE_LEARN;

	b->mean_ns = b->mean_ns + p->ns < MEAN_NS ? b->mean_ns + p->ns : MEAN_NS;
	part = fmin((double)p->ns / (double)b->mean_ns, 1);
	b->mean.cpu += (cpu - b->mean.cpu) * part;
	b->mean.written += (written - b->mean.written) * part;
	if (learn_drained(b))
		b->tried = usual(b);
}

/* ------------------------------------------------------------------------
 * The sample
 */

/* What a period would cost with another sample: of it, what the sample changes. */
static double by_sample(const struct lt_allowance *b, const struct lt_allowance_period *p,
			unsigned int sample)
{
	double written = (double)p->written * b->sample / sample;

	return written * (b->costs.written + b->drained) / ((double)p->ns * b->cpus);
}

/*
 * And all of it. The recorder's part that the sample does not change is that of the last seconds.
 */
static double cost_with(const struct lt_allowance *b, const struct lt_allowance_period *p,
			unsigned int sample)
{
	double own = fmax(b->mean.cpu - b->mean.written * b->drained, 0) / b->cpus;

	return (double)p->seen * b->costs.seen / ((double)p->ns * b->cpus) + own +
	       by_sample(b, p, sample);
}

/* What the events alone would cost, by the table. */
static double by_table(const struct lt_allowance *b, const struct lt_allowance_period *p,
		       unsigned int sample)
{
	double written = (double)p->written * b->sample / sample;

	return ((double)p->seen * b->costs.seen + written * (b->costs.written + b->costs.drained)) /
	       ((double)p->ns * b->cpus);
}

/* What a new sample has to keep: the limit with some room, if any sample can do that. */
static double goal(const struct lt_allowance *b, const struct lt_allowance_period *p)
{
	double rest = cost_with(b, p, b->sample) - by_sample(b, p, b->sample);

	return rest < b->limit * FULL ? b->limit * FULL : b->limit;
}

/* The largest sample that keeps the limit, as far as smaller ones help. */
static unsigned int enough(struct lt_allowance *b, const struct lt_allowance_period *p)
{
	unsigned int sample = b->sample;

	while (sample < LT_ALLOWANCE_MOST && cost_with(b, p, sample) > goal(b, p) &&
	       by_sample(b, p, sample) > b->limit * HELP) {
		sample *= 2;
		/*
		 * What was learned may be wrong: by it one step is taken, which shows whether it
		 * helps.
		 */
		if (by_table(b, p, sample) < goal(b, p))
			break;
	}
	/*
	 * If each period has as many events, nothing shows which part of the recorder's time is
	 * theirs. One step shows it, and no other one is taken for that before the time has grown.
	 */
	if (sample == b->sample && b->n_rates >= SOME && sample < LT_ALLOWANCE_MOST &&
	    usual(b) / b->cpus > b->limit * FULL && usual(b) > GROWN * b->tried) {
		b->tried = usual(b);
		sample *= 2;
	}
	return sample;
}

/*
 * The last periods as one, which lasts a second at the least: what is not known yet cost nothing.
 */
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
	bool over;

	if (!p->ns)
		return false;
	learn(b, p);
	if (b->late) {
		b->late--;
		return false;
	}
	sum = last_second(b, p);
	over = cost_with(b, &sum, sample) > goal(b, &sum);
	if (over)
		sample = enough(b, &sum);
	if (!over && sample > least && cost_with(b, &sum, sample / 2) < b->limit * ROOM)
		b->calm_ns += p->ns;
	else
		b->calm_ns = 0;
	/* A long period of the recorder's own is not yet a cost that lasts. */
	b->over_ns = cost_with(b, &sum, sample) > b->limit &&
		lt_allowance_cost(b, &sum) > b->limit &&
			     sample == b->sample ? b->over_ns + p->ns : 0;
	if (b->calm_ns >= CALM_NS)
		sample /= 2;
	if (sample == b->sample)
		return false;
	b->calm_ns = 0;
	b->sample = sample;
	b->n = b->at = 0;
	b->late = LATE;
	return true;
}

bool lt_allowance_exceeded(const struct lt_allowance *b)
{
	return b->over_ns >= OVER_NS;
}
