/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Budgets: whether a trace keeps them.
 *
 * Where events were lost, left out or not watched, or lifetimes are not certain, a metric is not
 * a number but an interval. A rule is met if it holds for all of it, broken if for none of it;
 * otherwise it is undecided.
 */
#ifndef LT_COMPARE_BUDGET_H
#define LT_COMPARE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/rule.h"
#include "sums/report.h"

enum lt_verdict_kind {
	LT_MET,
	LT_BROKEN,
	LT_UNDECIDED,
	LT_N_VERDICTS,
};

/* Why a rule is undecided; also of a rule that holds nevertheless. Bits. */
enum lt_verdict_why {
	LT_UNSURE_LOST = 1,		/* births may have been lost */
	LT_UNSURE_LEFT_OUT = 2,		/* births were left out on purpose */
	LT_UNSURE_NOT_WATCHED = 4,	/* a way to allocate was not watched */
	LT_UNSURE_LIVES = 8,		/* lifetimes are bounded or uncertain */
	LT_UNSURE_NO_LIFE = 16,		/* nothing was chosen that has a lifetime, or a whole */
	LT_UNSURE_ALIVE = 32,		/* too many are alive: only the least possible is known */
	LT_UNSURE_BASE = 64,		/* the base is an interval, too */
	/* a condition of the selector chooses no name of the trace */
	LT_UNSURE_NO_NAME = 128,
};

/* What a metric can be; @high: INFINITY: anything */
struct lt_range {
	double low;
	double high;
};

#define LT_OFFENDERS	5

/**
 * struct lt_offender - a row that counts most for a rule
 * @value: its metric, the lower end
 * @weight: how much it counts: of a percentage, what it adds to the part, or to the rest
 * @cache, @site, @comm: what it is; to be freed; @comm "" if tasks are not distinguished
 * @at: the call site's address; 0: not known
 * @stack: by lt_checked_stacks(): the frames that count most, the call site first, a line each; the
 *	last is "..." if it was cut short; to be freed. NULL: not known
 */
struct lt_offender {
	double value;
	double weight;
	char *cache;
	char *site;
	char *comm;
	uint64_t at;
	char *stack;
};

/**
 * struct lt_verdict - of one rule
 * @rule: the rule
 * @kind: enum lt_verdict_kind
 * @why: enum lt_verdict_why
 * @is: the metric
 * @limit: what it was compared with
 * @objects: allocations that the rule chooses
 * @open: of their lifetimes, those that are open
 * @ended: of their lifetimes, those that are exact
 * @of: what the metric is a part of, as far as it is certain: lt_whole()
 * @lacks: with LT_UNSURE_NO_NAME, which condition it is, and what may have been meant; to be freed
 * @offenders: of a rule that is not met, the rows that count most
 * @n_offenders: their number
 */
struct lt_verdict {
	const struct lt_rule *rule;
	enum lt_verdict_kind kind;
	unsigned int why;
	struct lt_range is;
	struct lt_range limit;
	uint64_t objects;
	uint64_t open;
	uint64_t ended;
	double of;
	char *lacks;
	struct lt_offender offenders[LT_OFFENDERS];
	unsigned int n_offenders;
};

/**
 * struct lt_checked - the result
 * @verdicts: one for each rule, in their order
 * @n: their number
 * @count: verdicts by kind
 */
struct lt_checked {
	struct lt_verdict *verdicts;
	size_t n;
	size_t count[LT_N_VERDICTS];
};

/* side.c */

/**
 * struct lt_side - a trace on one side of a comparison
 * @path: the file
 * @report: by piece
 * @names: by row: cache and function, to be freed; and the name of the task, of the report
 * @seconds: in which allocations were watched
 * @lost: events lost of all classes, at least and at most; INFINITY: not known
 * @lost_births: allocations that may be missing in this space; INFINITY: not known
 * @silent: nobody knows whether events were lost, so that all that follows from frees may be wrong
 * @why: enum lt_verdict_why of these
 */
struct lt_side {
	const char *path;
	struct lt_report *report;
	struct lt_side_names {
		char *cache;
		char *function;
		char *site;
		char *comm;
	} *names;
	double seconds;
	struct lt_range lost;
	double lost_births;
	bool silent;
	unsigned int why;
};

/**
 * lt_side_make() - read a trace
 * @path: must stay
 * @opts: @by is set here
 * Return: 0, or -1 after reporting the error.
 */
int lt_side_make(struct lt_side *s, const char *path, const struct lt_report_options *opts);
void lt_side_free(struct lt_side *s);

/* metric.c */

/**
 * lt_range_of() - a metric of the sum of rows
 * @row: the sum
 * @rule: which metric, and in what
 * @why: bits of enum lt_verdict_why are added
 */
struct lt_range lt_range_of(const struct lt_side *s, const struct lt_report_row *row,
			    const struct lt_rule *rule, unsigned int *why);

/*
 * What a metric is a part of: of slack and of bytes alive the bytes allocated, of exact the
 * lifetimes that are not open, otherwise the allocations. INFINITY: it is a part of nothing.
 */
double lt_whole(const struct lt_side *s, const struct lt_report_row *row, enum lt_metric metric);

/* Of a percentage: how much of a row is the part, or, with @rest, is the rest. */
double lt_part_weight(const struct lt_side *s, const struct lt_report_row *row,
		      const struct lt_rule *rule, bool rest);

/* budget.c */

/**
 * lt_budget_check() - judge a trace
 * @bases: traces that rules compare with; if there are several, their median counts
 */
void lt_budget_check(const struct lt_budget *b, const struct lt_side *side,
		     const struct lt_side *bases, size_t n_bases, struct lt_checked *result);
void lt_checked_free(struct lt_checked *c);

/* selection.c */

/**
 * lt_side_lacks() - look for names that the conditions of a rule choose
 * @base: for the text: the trace is a base
 * Return: NULL: each condition chooses a name that the trace has. Otherwise the first that does
 * not, and what may have been meant, to be freed.
 */
char *lt_side_lacks(const struct lt_side *side, const struct lt_rule *rule, bool base);

/* offender_stacks.c */

/**
 * lt_checked_stacks() - find the stacks of all rows of rules that are not met, by reading the trace
 * @side: of lt_budget_check(); @path: its trace, which was recorded with stacks
 * Return: 0, or -1 after reporting the error.
 */
int lt_checked_stacks(struct lt_checked *c, const struct lt_side *side, const char *path);

/* "met", "broken", "unknown". */
const char *lt_verdict_name(enum lt_verdict_kind k);

#endif /* LT_COMPARE_BUDGET_H */
