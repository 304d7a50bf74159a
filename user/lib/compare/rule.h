/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Budgets: rules about what a trace may come to, as text. One line is a rule, or several
 * that semicolons separate; # begins a comment:
 *
 *	live_bytes{cache="dentry"} <= 2MiB
 *	count{site=~"getname.*"} / s < 2000
 *	peak_bytes <= base * 1.05
 *	lost == 0; exact >= 99%
 */
#ifndef LT_COMPARE_RULE_H
#define LT_COMPARE_RULE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* What a metric is counted in. */
enum lt_measure {
	LT_IN_COUNT,
	LT_IN_BYTES,
	LT_IN_NS,
	LT_IN_PERCENT,
};

/* The columns of a report, and what was lost. */
enum lt_metric {
	LT_METRIC_ALLOCATIONS,
	LT_METRIC_BYTES,
	LT_METRIC_SLACK_BYTES,
	LT_METRIC_ALIVE,
	LT_METRIC_ALIVE_BYTES,
	LT_METRIC_MAYBE_ALIVE,
	LT_METRIC_MAYBE_ALIVE_BYTES,
	LT_METRIC_PEAK_ALIVE,
	LT_METRIC_PEAK_BYTES,
	LT_METRIC_SHORT_LIVED,
	LT_METRIC_FREED_AT_ONCE,
	LT_METRIC_LONG_LIVED,
	LT_METRIC_OTHER_CPU,
	LT_METRIC_OTHER_CONTEXT,
	LT_METRIC_OUTLIVES,
	LT_METRIC_EXACT,
	LT_METRIC_CENSORED,
	LT_METRIC_P50,
	LT_METRIC_P90,
	LT_METRIC_P99,
	LT_METRIC_LONGEST,
	LT_METRIC_LOST,
	LT_N_METRICS,
};

enum lt_label {
	LT_LABEL_CACHE,
	LT_LABEL_SITE,		/* the function, without its offset */
	LT_LABEL_COMM,		/* the name of the task that allocated; empty in an interrupt */
	LT_LABEL_CGROUP,	/* the path of its cgroup; only with struct lt_budget's @cgroups */
	LT_N_LABELS,
};

/**
 * struct lt_matcher - one condition of a selector
 * @label: of what
 * @regex: @text, compiled: an extended regular expression, which must match the whole name; NULL:
 *	@text is the name itself
 * @negated: names that do not match are chosen
 * @text: what it was made of
 */
struct lt_matcher {
	enum lt_label label;
	regex_t *regex;
	bool negated;
	char *text;
};

#define LT_MATCHERS	8

enum lt_relation {
	LT_AT_MOST,
	LT_BELOW,
	LT_AT_LEAST,
	LT_ABOVE,
	LT_EQUAL,
	LT_UNEQUAL,
};

/**
 * struct lt_rule - one rule: metric{matchers} [/ s] relation limit
 * @source: the name of the file, or "-e"; as given to lt_budget_add()
 * @line: in it, from 1
 * @text: the rule as it was written; to be freed
 * @metric: of what
 * @measure: what both sides are in
 * @matchers: all must hold
 * @n_matchers: their number
 * @per_second: the metric is divided by the seconds in which allocations were watched
 * @relation: how both sides must be
 * @base: the limit contains the metric of the base, times this; 0: it does not
 * @limit: what is added to that
 */
struct lt_rule {
	const char *source;
	unsigned int line;
	char *text;
	enum lt_metric metric;
	enum lt_measure measure;
	struct lt_matcher matchers[LT_MATCHERS];
	unsigned int n_matchers;
	bool per_second;
	enum lt_relation relation;
	double base;
	double limit;
};

/*
 * Rules in the order in which they were added; starts as zero. @cgroups: they may select
 * cgroups. @allow_empty: conditions that no name in a trace fulfils choose nothing, without more
 * ado.
 */
struct lt_budget {
	bool cgroups;
	bool allow_empty;
	struct lt_rule *rules;
	size_t n;
	size_t cap;
};

/**
 * lt_budget_add() - add the rules of a text
 * @source: its name for messages; must stay
 * Return: 0, or -1 after reporting the first mistake: where it is, what was expected there and
 * what was found.
 */
int lt_budget_add(struct lt_budget *b, const char *source, const char *text);
void lt_budget_free(struct lt_budget *b);

/* Whether a rule has a matcher of a label, or contains the base. */
bool lt_budget_has_label(const struct lt_budget *b, enum lt_label label);
bool lt_budget_has_base(const struct lt_budget *b);

/* The name of a metric in rules. */
const char *lt_metric_name(enum lt_metric m);

/* matcher.c */

/**
 * lt_matcher_compile() - make the regular expression of a matcher
 * @m: its @text
 * @why: in @size bytes, why there is none
 * @hint: what was meant, if @text looks like a pattern of a shell, to be freed; or NULL
 * Return: false: @text is no expression.
 */
bool lt_matcher_compile(struct lt_matcher *m, char *why, size_t size, char **hint);
void lt_matcher_free(struct lt_matcher *m);

/* Whether a name is chosen. */
bool lt_matches(const struct lt_matcher *m, const char *name);

/* Whether a name would match the text of a regular expression as a pattern of a shell. */
bool lt_matches_as_glob(const struct lt_matcher *m, const char *name);

/* The regular expression that is equal to a pattern of a shell; to be freed. */
char *lt_glob_as_regex(const char *glob);

/* Whether a rule is broken by too little, not by too much. */
static inline bool lt_rule_wants_more(const struct lt_rule *r)
{
	return r->relation == LT_AT_LEAST || r->relation == LT_ABOVE;
}

#endif /* LT_COMPARE_RULE_H */
