// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Coverage: the sums over all caches, and whether they say anything.
 */
#include <stdbool.h>
#include <string.h>

#include "format/channel.h"
#include "format/packet.h"
#include "sums/coverage.h"
#include "sums/coverage_sum.h"

uint64_t lt_coverage_distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* Takes from @pool what explains of a difference. Return: what is left of that. */
static uint64_t explain(uint64_t apart, uint64_t *pool)
{
	uint64_t explained = apart < *pool ? apart : *pool;

	*pool -= explained;
	return apart - explained;
}

/* Caches of which one event may be, that does not say of which. */
struct family {
	uint64_t unknown;	/* frees that explain no difference yet */
	uint64_t slack;		/* errors that no difference uses up */
};

/* Their caches are not known, only the family: the family has one error. */
static void add_family(struct lt_coverage_sum *sum, const struct family *f)
{
	sum->apart += f->unknown;
	sum->judged.apart += f->unknown;
	if (f->unknown > f->slack)
		sum->beyond += f->unknown - f->slack;
}

/* A row adds to the sums what is left unexplained of it, @apart. */
static void add_row(struct lt_coverage_sum *sum, const struct lt_coverage_row *row, uint64_t apart)
{
	uint64_t real = lt_coverage_distance(row->real, 0);
	uint64_t traced = lt_coverage_distance(row->traced, 0);

	sum->caches += real || row->events;
	sum->change += real;
	sum->error += row->error;
	sum->apart += apart;
	if (apart > row->error)
		sum->beyond += apart - row->error;
	if ((real > traced ? real : traced) <= row->error)
		return;
	sum->judged.caches++;
	sum->judged.change += real;
	sum->judged.error += row->error;
	sum->judged.apart += apart;
}

/*
 * Where the kernel has fewer objects in kmalloc caches than the trace has, frees by kfree of
 * unknown caches explain the difference, up to their number. The remaining ones explain
 * nothing: then the kernel has more objects than the trace, which is a difference, too.
 * Where kmem_cache_free does not name its cache, its frees explain what the other caches lack.
 * Requests to kfree_rcu of unknown caches may be of any cache, or of none.
 */
static void sum_rows(const struct lt_coverage_row *rows, size_t n, struct lt_coverage_sum *sum)
{
	struct family kmalloc = { .unknown = sum->unknown_frees };
	struct family others = { .unknown = sum->unknown_cache_frees };
	uint64_t requests = sum->unknown_requests;

	for (size_t i = 0; i < n; i++) {
		const struct lt_coverage_row *row = &rows[i];
		struct family *f = row->kmalloc ? &kmalloc : &others;
		uint64_t apart = lt_coverage_distance(row->real, row->traced);

		if (row->traced > row->real)
			apart = explain(apart, &f->unknown);
		if (apart > row->error && row->traced > row->real)
			apart = row->error + explain(apart - row->error, &requests);
		add_row(sum, row, apart);
		if (row->error > apart)
			f->slack += row->error - apart;
	}
	add_family(sum, &kmalloc);
	add_family(sum, &others);
}

/* Events of slab objects that are not in the trace, and may have been births or releases. */
static uint64_t count_lost(const struct lt_trace *t)
{
	const struct lt_gap *gaps;
	size_t n = lt_trace_gaps(t, &gaps);
	uint64_t lost = 0;

	for (unsigned int class = 0; class < LT_MAX_CLASSES; class++) {
		struct lt_class_counts x = lt_trace_counts(t, class);

		if (LT_CLASS_CHANNEL(class) != LT_CHANNEL_KMEM ||
		    lt_class_space(class) != LT_SPACE_SLAB)
			continue;
		lost += lt_lost(&x) + lt_trace_class_missing(t, class);
		for (size_t i = 0; i < n; i++)
			lost += gaps[i].cpu == LT_ANY_CPU && gaps[i].channel == LT_CHANNEL_KMEM ?
				gaps[i].lost[LT_CLASS_INDEX(class)] : 0;
	}
	return lost;
}

/* Whether the trace has not all births, on purpose. */
static bool is_filtered(const struct lt_trace *t)
{
	struct lt_lifetime_config config;

	lt_lifetime_config_init(&config, t);
	return config.min_size || config.sampled;
}

static enum lt_coverage_verdict verdict_of(const struct lt_trace *t,
					   const struct lt_coverage_sum *sum)
{
	if (sum->lost || lt_trace_gap_end(t, LT_SPACE_SLAB))
		return LT_COVERAGE_LOST;
	if (is_filtered(t))
		return LT_COVERAGE_FILTERED;
	return sum->judged.change > sum->judged.error && sum->change >= sum->beyond ?
	       LT_COVERAGE_JUDGED : LT_COVERAGE_ERROR;
}

void lt_coverage_sum_up(const struct lt_trace *t, const struct lt_coverage_row *rows, size_t n,
			struct lt_coverage_sum *sum)
{
	sum_rows(rows, n, sum);
	sum->lost = count_lost(t);
	sum->verdict = verdict_of(t, sum);
}

static double percent(uint64_t change, uint64_t missing)
{
	if (!change)
		return missing ? 0 : 100;
	return missing >= change ? 0 : 100.0 * (double)(change - missing) / (double)change;
}

double lt_coverage_percent(const struct lt_coverage_sum *sum)
{
	return percent(sum->judged.change, sum->judged.apart);
}

double lt_coverage_percent_error(const struct lt_coverage_sum *sum)
{
	const struct lt_coverage_part *p = &sum->judged;

	return p->change ? 100.0 * (double)p->error / (double)p->change : 0;
}

double lt_coverage_beyond_percent(const struct lt_coverage_sum *sum)
{
	return percent(sum->change, sum->beyond);
}

const char *lt_coverage_silence(const struct lt_coverage_sum *sum)
{
	static const char *const words[] = {
		[LT_COVERAGE_LOST] = "lost", [LT_COVERAGE_FILTERED] = "filtered",
		[LT_COVERAGE_ERROR] = "error", [LT_COVERAGE_JUDGED] = NULL,
	};

	return words[sum->verdict];
}
