// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a metric can be, given what is missing in a trace.
 *
 * Births that are missing may be of any row and size. A lifetime that is neither exact nor open
 * may have been of any length, and has ended or not.
 */
#include <math.h>

#include "compare/budget.h"

static struct lt_range exactly(double value)
{
	return (struct lt_range){ value, value };
}

/* A sum of lifetimes, to which @more may have to be added. */
static struct lt_range at_least(double value, double more)
{
	return (struct lt_range){ value, value + more };
}

/* Lifetimes of which only the birth is certain. */
static double unsure(const struct lt_report_row *row)
{
	return (double)(row->lifetimes - row->life.n - row->ages.n);
}

/*
 * A percentile: at least as if all that is unsure had ended at once, and at most as if it were
 * alive for longer than anything that was seen.
 */
static struct lt_range percentile(const struct lt_side *s, const struct lt_report_row *row,
				  double percent, unsigned int *why)
{
	struct lt_range range = { 0, INFINITY };
	uint64_t more = (uint64_t)unsure(row), ns;
	struct lt_hist life, ages;

	if (!row->life.n && !row->ages.n) {
		*why |= LT_UNSURE_NO_LIFE;
		return range;
	}
	if (s->lost_births > 1e18)
		return range;
	more += (uint64_t)s->lost_births;
	if (!more) {
		bool known = lt_hist_survival(&row->life, &row->ages, percent, &ns);

		*why |= known ? 0 : LT_UNSURE_ALIVE;
		range.low = (double)ns;
		range.high = known ? (double)ns : INFINITY;
		return range;
	}
	lt_hist_init(&life);
	lt_hist_init(&ages);
	lt_hist_merge(&life, &row->life);
	lt_hist_add_many(&life, 0, more);
	lt_hist_survival(&life, &row->ages, percent, &ns);
	range.low = (double)ns;
	lt_hist_merge(&ages, &row->ages);
	lt_hist_add_many(&ages, row->life.max > row->ages.max ? row->life.max : row->ages.max,
			 more);
	if (lt_hist_survival(&row->life, &ages, percent, &ns))
		range.high = (double)ns;
	lt_hist_destroy(&life);
	lt_hist_destroy(&ages);
	return range;
}

static struct lt_range longest(const struct lt_side *s, const struct lt_report_row *row,
			       unsigned int *why)
{
	uint64_t max = row->life.max > row->ages.max ? row->life.max : row->ages.max;

	if (!row->life.n && !row->ages.n) {
		*why |= LT_UNSURE_NO_LIFE;
		return (struct lt_range){ 0, INFINITY };
	}
	return at_least((double)max, unsure(row) + s->lost_births > 0 ? INFINITY : 0);
}

/* The peak counts what may have been freed as alive. */
static struct lt_range peak(double value, double perhaps, double more)
{
	return (struct lt_range){ value > perhaps ? value - perhaps : 0, value + more };
}

/* A metric in its own unit. */
static struct lt_range number(const struct lt_side *s, const struct lt_report_row *row,
			      enum lt_metric metric, unsigned int *why)
{
	double births = s->lost_births, bytes = births > 0 ? INFINITY : 0;
	double lives = births + unsure(row);

	switch (metric) {
	case LT_METRIC_ALLOCATIONS:
		return at_least((double)row->births, births);
	case LT_METRIC_BYTES:
		return at_least((double)row->bytes, bytes);
	case LT_METRIC_SLACK_BYTES:
		return at_least((double)row->waste, bytes);
	case LT_METRIC_ALIVE:
		return at_least((double)row->live, (double)row->maybe + births);
	case LT_METRIC_ALIVE_BYTES:
		return at_least((double)row->live_bytes, (double)row->maybe_bytes + bytes);
	case LT_METRIC_MAYBE_ALIVE:
		return exactly((double)row->maybe);
	case LT_METRIC_MAYBE_ALIVE_BYTES:
		return exactly((double)row->maybe_bytes);
	case LT_METRIC_PEAK_ALIVE:
		return peak((double)row->peak, unsure(row), births);
	case LT_METRIC_PEAK_BYTES:
		return peak((double)row->peak_bytes, (double)row->unsure_bytes, bytes);
	case LT_METRIC_SHORT_LIVED:
		return at_least((double)row->shorts, lives);
	case LT_METRIC_FREED_AT_ONCE:
		return at_least((double)row->within, lives);
	case LT_METRIC_LONG_LIVED:
		return at_least((double)row->longs, lives);
	case LT_METRIC_OTHER_CPU:
		return at_least((double)row->other_cpu, lives);
	case LT_METRIC_OTHER_CONTEXT:
		return at_least((double)row->other_context, lives);
	case LT_METRIC_OUTLIVES:
		return at_least((double)row->outlived, lives);
	case LT_METRIC_EXACT:
		return exactly((double)row->life.n);
	case LT_METRIC_CENSORED:
		return exactly((double)row->ages.n);
	case LT_METRIC_P50:
		return percentile(s, row, 50, why);
	case LT_METRIC_P90:
		return percentile(s, row, 90, why);
	case LT_METRIC_P99:
		return percentile(s, row, 99, why);
	case LT_METRIC_LONGEST:
		return longest(s, row, why);
	case LT_METRIC_LOST:
		return s->lost;
	case LT_N_METRICS:
		break;
	}
	return exactly(0);
}

/* What a metric is a part of. Exact are lifetimes of those that ended. */
static struct lt_range whole_of(const struct lt_side *s, const struct lt_report_row *row,
				enum lt_metric metric)
{
	switch (metric) {
	case LT_METRIC_SLACK_BYTES:
	case LT_METRIC_ALIVE_BYTES:
	case LT_METRIC_MAYBE_ALIVE_BYTES:
	case LT_METRIC_PEAK_BYTES:
		return at_least((double)row->bytes, s->lost_births > 0 ? INFINITY : 0);
	case LT_METRIC_EXACT:
		return exactly((double)(row->lifetimes - row->ages.n));
	default:
		return at_least((double)row->births, s->lost_births);
	}
}

double lt_whole(const struct lt_side *s, const struct lt_report_row *row, enum lt_metric metric)
{
	if (metric == LT_METRIC_ALLOCATIONS || metric == LT_METRIC_BYTES || metric >= LT_METRIC_P50)
		return INFINITY;
	return whole_of(s, row, metric).low;
}

static struct lt_range part(const struct lt_side *s, const struct lt_report_row *row,
			    enum lt_metric metric, unsigned int *why)
{
	struct lt_range n = number(s, row, metric, why), of = whole_of(s, row, metric), share;

	if (!(of.low > 0)) {
		*why |= LT_UNSURE_NO_LIFE;
		return (struct lt_range){ 0, 100 };
	}
	/* Births that are missing count on both sides, or on that of the whole alone. */
	share.low = 100 * n.low / of.high;
	share.high = isinf(of.high) ? 100 : 100 * n.high / of.high;
	if (share.high > 100)
		share.high = 100;
	return share;
}

double lt_part_weight(const struct lt_side *s, const struct lt_report_row *row,
		      const struct lt_rule *rule, bool rest)
{
	unsigned int why = 0;
	double n = number(s, row, rule->metric, &why).low;

	return rest ? whole_of(s, row, rule->metric).low - n : n;
}

/* Whether a metric rests on the ends of lifetimes. */
static bool needs_ends(enum lt_metric m)
{
	return m >= LT_METRIC_ALIVE && m != LT_METRIC_MAYBE_ALIVE &&
	       m != LT_METRIC_MAYBE_ALIVE_BYTES && m != LT_METRIC_EXACT &&
	       m != LT_METRIC_CENSORED && m != LT_METRIC_LOST;
}

struct lt_range lt_range_of(const struct lt_side *s, const struct lt_report_row *row,
			    const struct lt_rule *rule, unsigned int *why)
{
	struct lt_range range = rule->measure == LT_IN_PERCENT ? part(s, row, rule->metric, why) :
								  number(s, row, rule->metric, why);

	if (needs_ends(rule->metric) && unsure(row) > 0)
		*why |= LT_UNSURE_LIVES;
	if (s->silent && rule->metric >= LT_METRIC_ALIVE && rule->metric != LT_METRIC_LOST)
		range = (struct lt_range){ 0, rule->measure == LT_IN_PERCENT ? 100 : INFINITY };
	if (rule->metric != LT_METRIC_LOST)
		*why |= s->why;
	else if (s->lost.low < s->lost.high)
		*why |= LT_UNSURE_LOST;
	if (!rule->per_second)
		return range;
	if (!(s->seconds > 0)) {
		*why |= LT_UNSURE_NO_LIFE;
		return (struct lt_range){ 0, INFINITY };
	}
	range.low /= s->seconds;
	range.high /= s->seconds;
	return range;
}
