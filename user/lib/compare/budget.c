// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Verdicts on the rules of a budget.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "compare/budget.h"

static bool is_chosen(const struct lt_side *s, size_t row, const struct lt_rule *rule)
{
	const struct lt_side_names *names = &s->names[row];

	for (unsigned int i = 0; i < rule->n_matchers; i++) {
		const struct lt_matcher *m = &rule->matchers[i];
		const char *const by_label[LT_N_LABELS] = {
			[LT_LABEL_CACHE] = names->cache, [LT_LABEL_SITE] = names->function,
			[LT_LABEL_COMM] = names->comm,
		};

		if (!lt_matches(m, by_label[m->label]))
			return false;
	}
	return true;
}

/* The metric of all rows that a rule chooses; @v: of which their number is noted, or NULL. */
static struct lt_range metric_of(const struct lt_side *s, const struct lt_rule *rule,
				 struct lt_verdict *v, unsigned int *why)
{
	struct lt_report_row sum;
	struct lt_range range;

	lt_report_row_init(&sum);
	for (size_t i = 0; i < s->report->n_rows; i++) {
		if (is_chosen(s, i, rule))
			lt_report_row_merge(&sum, &s->report->rows[i]);
	}
	if (v) {
		v->objects = sum.births;
		v->open = sum.ages.n;
		v->ended = sum.life.n;
		v->of = lt_whole(s, &sum, rule->metric);
	}
	range = lt_range_of(s, &sum, rule, why);
	lt_report_row_destroy(&sum);
	return range;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_value);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* The right side of a rule. */
static struct lt_range limit_of(const struct lt_rule *rule, const struct lt_side *bases, size_t n,
				unsigned int *why)
{
	struct lt_range range = { rule->limit, rule->limit };
	double *low, *high, base[2];
	unsigned int unsure = 0;

	if (!(rule->base > 0) || !n)
		return range;
	low = lt_alloc_array(n, sizeof(*low));
	high = lt_alloc_array(n, sizeof(*high));
	for (size_t i = 0; i < n; i++) {
		struct lt_range m = metric_of(&bases[i], rule, NULL, &unsure);

		low[i] = m.low;
		high[i] = m.high;
	}
	base[0] = median(low, n);
	base[1] = median(high, n);
	free(low);
	free(high);
	*why |= base[0] < base[1] ? LT_UNSURE_BASE : 0;
	range.low = rule->base * base[0] + rule->limit;
	range.high = rule->base * base[1] + rule->limit;
	return range;
}

static enum lt_verdict_kind three(bool met, bool broken)
{
	return met ? LT_MET : broken ? LT_BROKEN : LT_UNDECIDED;
}

/* Whether a relation holds for all of both intervals, or for none. */
static enum lt_verdict_kind judge(enum lt_relation relation, struct lt_range is,
				  struct lt_range limit)
{
	bool apart = is.high < limit.low || is.low > limit.high;
	bool same = is.low >= is.high && limit.low >= limit.high && !apart;

	switch (relation) {
	case LT_AT_MOST:
		return three(is.high <= limit.low, is.low > limit.high);
	case LT_BELOW:
		return three(is.high < limit.low, is.low >= limit.high);
	case LT_AT_LEAST:
		return three(is.low >= limit.high, is.high < limit.low);
	case LT_ABOVE:
		return three(is.low > limit.high, is.high <= limit.low);
	case LT_EQUAL:
		return three(same, apart);
	case LT_UNEQUAL:
		return three(apart, same);
	}
	return LT_UNDECIDED;
}

static void free_offender(struct lt_offender *o)
{
	free(o->cache);
	free(o->site);
	free(o->comm);
	free(o->stack);
}

/* Inserts a row where it belongs among those that count most so far. */
static void offer(struct lt_verdict *v, const struct lt_side *s, size_t row, double value,
		  double weight)
{
	unsigned int at = v->n_offenders;

	while (at && weight > v->offenders[at - 1].weight)
		at--;
	if (at == LT_OFFENDERS)
		return;
	if (v->n_offenders == LT_OFFENDERS)
		free_offender(&v->offenders[--v->n_offenders]);
	for (unsigned int i = v->n_offenders; i > at; i--)
		v->offenders[i] = v->offenders[i - 1];
	v->offenders[at] = (struct lt_offender){
		.value = value, .weight = weight, .cache = lt_strdup(s->names[row].cache),
		.site = lt_strdup(s->names[row].site), .comm = lt_strdup(s->names[row].comm),
		.at = s->report->pieces->list[s->report->rows[row].key].site,
	};
	v->n_offenders++;
}

static void find_offenders(struct lt_verdict *v, const struct lt_side *s)
{
	bool least = lt_rule_wants_more(v->rule);

	if (v->rule->metric == LT_METRIC_LOST)
		return;
	for (size_t i = 0; i < s->report->n_rows; i++) {
		const struct lt_report_row *row = &s->report->rows[i];
		struct lt_range range;
		unsigned int why = 0;
		double weight;

		if (!lt_report_row_counts(row) || !is_chosen(s, i, v->rule))
			continue;
		range = lt_range_of(s, row, v->rule, &why);
		if (why & LT_UNSURE_NO_LIFE)
			continue;
		if (v->rule->measure == LT_IN_PERCENT)
			weight = lt_part_weight(s, row, v->rule, least);
		else
			weight = least ? -range.low : range.low;
		if (weight > 0 || (least && v->rule->measure != LT_IN_PERCENT))
			offer(v, s, i, range.low, weight);
	}
}

/* What a rule looks for in vain: in the trace, or in all bases. To be freed; NULL: in none. */
static char *lacks(const struct lt_rule *rule, const struct lt_side *side,
		   const struct lt_side *bases, size_t n)
{
	char *text = lt_side_lacks(side, rule, false);

	for (size_t i = 0; !text && rule->base > 0 && i < n; i++) {
		text = lt_side_lacks(&bases[i], rule, true);
		if (!text)
			return NULL;
		if (i + 1 < n) {
			free(text);
			text = NULL;
		}
	}
	return text;
}

void lt_budget_check(const struct lt_budget *b, const struct lt_side *side,
		     const struct lt_side *bases, size_t n_bases, struct lt_checked *result)
{
	*result = (struct lt_checked){ .n = b->n };
	result->verdicts = lt_alloc_array(b->n + 1, sizeof(*result->verdicts));
	for (size_t i = 0; i < b->n; i++) {
		struct lt_verdict *v = &result->verdicts[i];

		v->rule = &b->rules[i];
		v->is = metric_of(side, v->rule, v, &v->why);
		v->limit = limit_of(v->rule, bases, n_bases, &v->why);
		v->kind = judge(v->rule->relation, v->is, v->limit);
		v->lacks = b->allow_empty ? NULL : lacks(v->rule, side, bases, n_bases);
		if (v->lacks) {
			v->why |= LT_UNSURE_NO_NAME;
			v->kind = LT_UNDECIDED;
		}
		result->count[v->kind]++;
		if (v->kind != LT_MET)
			find_offenders(v, side);
	}
}

void lt_checked_free(struct lt_checked *c)
{
	for (size_t i = 0; i < c->n; i++) {
		for (unsigned int k = 0; k < c->verdicts[i].n_offenders; k++)
			free_offender(&c->verdicts[i].offenders[k]);
		free(c->verdicts[i].lacks);
	}
	free(c->verdicts);
	*c = (struct lt_checked){ .n = 0 };
}

const char *lt_verdict_name(enum lt_verdict_kind k)
{
	static const char *const names[LT_N_VERDICTS] = { "met", "broken", "unknown" };

	return names[k];
}
