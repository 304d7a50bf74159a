// SPDX-License-Identifier: GPL-2.0
/*
 * --budget: what the recording costs is measured, and the sample changed so that it stays within.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/now.h"
#include "record/internal.h"

#define PERIOD_NS	(100 * NSEC_PER_MSEC)

/*
 * By tests/bench/event-cost on x86-64: an event that the sample leaves out takes some 60
 * instructions, one that is written some 110 more, and its packet as much time of the recorder
 * before that is measured. ns of a slow machine.
 */
static const struct lt_allowance_costs costs = { .seen = 20, .written = 60, .drained = 100 };

void lt_spending_plan(struct lt_allowance *b, double limit)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	lt_allowance_init(b, limit, cpus > 0 ? (unsigned int)cpus : 1, &costs);
}

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The events of the sampled channel so far, by the latest packet of each CPU. */
static void count(const struct lt_drain *d, uint64_t *seen, uint64_t *written)
{
	*seen = *written = 0;
	for (size_t i = 0; i < d->n; i++) {
		const struct lt_drain_cpu *c = &d->cpus[i];

		for (unsigned int k = 0; c->channel == LT_CHANNEL_KMEM && k < LT_N_CLASSES; k++) {
			const struct lt_class_counts *n = &c->counts[k];

			*seen += n->seen;
			*written += n->seen - n->filtered - n->lost_full - n->lost_nmi -
				    n->lost_nested - n->lost_nobuf;
		}
	}
}

/* What has passed since the last call. */
static struct lt_allowance_period measure(struct lt_spending *s, const struct lt_drain *d,
					  uint64_t now)
{
	struct lt_allowance_period p = { .ns = now - s->since_ns };
	uint64_t seen, written, cpu = cpu_now();

	count(d, &seen, &written);
	p.seen = seen - s->seen;
	p.written = written - s->written;
	p.cpu_ns = cpu - s->cpu_ns;
	s->since_ns = now;
	s->seen = seen;
	s->written = written;
	s->cpu_ns = cpu;
	return p;
}

void lt_spending_begin(struct lt_recording *r)
{
	if (!(r->opts->budget > 0))
		return;
	lt_spending_plan(&r->spending.b, r->opts->budget);
	r->spending.in_use = r->spending.least = r->spending.most = r->spending.b.sample;
	r->spending.begin_ns = lt_now_ns();
	measure(&r->spending, &r->drain, r->spending.begin_ns);
}

static void change(struct lt_recording *r)
{
	struct lt_spending *s = &r->spending;
	char word[32];
	int err;

	snprintf(word, sizeof(word), "sample=%u", s->b.sample);
	err = lt_engine_command(r->session.engine, word);
	if (err) {
		/* The buffer is full: this drain makes room, the next period tries again. */
		s->b.sample = s->in_use;
		return;
	}
	s->in_use = s->b.sample;
	s->changes++;
	s->least = s->in_use < s->least ? s->in_use : s->least;
	s->most = s->in_use > s->most ? s->in_use : s->most;
}

void lt_spending_step(struct lt_recording *r, uint64_t now)
{
	struct lt_spending *s = &r->spending;
	struct lt_allowance_period p;

	if (!s->since_ns || now < s->since_ns + PERIOD_NS)
		return;
	p = measure(s, &r->drain, now);
	s->spent += lt_allowance_cost(&s->b, &p) * (double)p.ns;
	if (lt_allowance_step(&s->b, &p))
		change(r);
	if (lt_allowance_exceeded(&s->b) && !r->stop)
		r->stop = LT_STOP_BUDGET;
}

void lt_spending_say(const struct lt_recording *r)
{
	const struct lt_spending *s = &r->spending;
	double ns = (double)(s->since_ns - s->begin_ns);

	if (!s->since_ns)
		return;
	fprintf(stderr, "\n  budget %.4g %%: it cost %.2g %% of %.0f CPUs; one address in ",
		100 * s->b.limit, ns > 0 ? 100 * s->spent / ns : 0, s->b.cpus);
	if (s->least == s->most)
		fprintf(stderr, "%u", s->most);
	else
		fprintf(stderr, "%u to %u", s->least, s->most);
	fprintf(stderr, ", changed %u time%s\n", s->changes, s->changes == 1 ? "" : "s");
}
