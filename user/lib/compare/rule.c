// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The text of budgets.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "base/text.h"
#include "compare/rule.h"

#define MAX_RULES	10000
#define MAX_WORD	256

static const struct {
	const char *name;
	const char *also;	/* another name of it, NULL: none */
	enum lt_measure measure;
} metrics[LT_N_METRICS] = {
	[LT_METRIC_ALLOCATIONS] = { "allocations", "count", LT_IN_COUNT },
	[LT_METRIC_BYTES] = { "bytes", NULL, LT_IN_BYTES },
	[LT_METRIC_SLACK_BYTES] = { "slack_bytes", "slack", LT_IN_BYTES },
	[LT_METRIC_ALIVE] = { "alive", "live", LT_IN_COUNT },
	[LT_METRIC_ALIVE_BYTES] = { "alive_bytes", "live_bytes", LT_IN_BYTES },
	[LT_METRIC_MAYBE_ALIVE] = { "maybe_alive", NULL, LT_IN_COUNT },
	[LT_METRIC_MAYBE_ALIVE_BYTES] = { "maybe_alive_bytes", NULL, LT_IN_BYTES },
	[LT_METRIC_PEAK_ALIVE] = { "peak_alive", NULL, LT_IN_COUNT },
	[LT_METRIC_PEAK_BYTES] = { "peak_bytes", NULL, LT_IN_BYTES },
	[LT_METRIC_SHORT_LIVED] = { "short_lived", NULL, LT_IN_COUNT },
	[LT_METRIC_FREED_AT_ONCE] = { "freed_at_once", NULL, LT_IN_COUNT },
	[LT_METRIC_LONG_LIVED] = { "long_lived", NULL, LT_IN_COUNT },
	[LT_METRIC_OTHER_CPU] = { "other_cpu", NULL, LT_IN_COUNT },
	[LT_METRIC_OTHER_CONTEXT] = { "other_context", NULL, LT_IN_COUNT },
	[LT_METRIC_OUTLIVES] = { "outlives", NULL, LT_IN_COUNT },
	[LT_METRIC_EXACT] = { "exact", NULL, LT_IN_COUNT },
	[LT_METRIC_CENSORED] = { "censored", NULL, LT_IN_COUNT },
	[LT_METRIC_P50] = { "p50_ns", "p50", LT_IN_NS },
	[LT_METRIC_P90] = { "p90_ns", "p90", LT_IN_NS },
	[LT_METRIC_P99] = { "p99_ns", "p99", LT_IN_NS },
	[LT_METRIC_LONGEST] = { "longest_ns", "longest", LT_IN_NS },
	[LT_METRIC_LOST] = { "lost", NULL, LT_IN_COUNT },
};

static const char *const labels[LT_N_LABELS] = { "cache", "site", "comm", "cgroup" };

const char *lt_metric_name(enum lt_metric m)
{
	return metrics[m].name;
}

/**
 * struct parser - a line being read
 * @rule: the rule that is being made
 * @n_labels: labels that it may have
 * @line: the line, zero-terminated
 * @at: where it is read
 * @word: the last name, text or number
 */
struct parser {
	struct lt_rule *rule;
	unsigned int n_labels;
	const char *line;
	const char *at;
	char word[MAX_WORD];
};

static void blanks(struct parser *p)
{
	p->at += strspn(p->at, " \t\r");
}

/* Return: false, always. */
static bool expected(const struct parser *p, const char *what)
{
	size_t len = strcspn(p->at, " \t\r;");

	if (!*p->at || *p->at == ';')
		lt_error("%s:%u:%td: expected %s, found the end of the rule", p->rule->source,
			 p->rule->line, p->at - p->line + 1, what);
	else
		lt_error("%s:%u:%td: expected %s, found '%.*s'", p->rule->source, p->rule->line,
			 p->at - p->line + 1, what, (int)(len && len < 64 ? len : 1), p->at);
	return false;
}

static bool take(struct parser *p, const char *token)
{
	size_t len = strlen(token);

	blanks(p);
	if (strncmp(p->at, token, len))
		return false;
	p->at += len;
	return true;
}

/* Takes a name into p->word. */
static bool take_name(struct parser *p)
{
	size_t len = 0;

	blanks(p);
	while (isalnum((unsigned char)p->at[len]) || p->at[len] == '_')
		len++;
	if (!len || len >= sizeof(p->word) || isdigit((unsigned char)*p->at))
		return false;
	snprintf(p->word, sizeof(p->word), "%.*s", (int)len, p->at);
	p->at += len;
	return true;
}

/* ------------------------------------------------------------------------
 * The left side
 */

/* Reports a name that is none of @n names, with what may have been meant. */
static bool unknown(struct parser *p, const char *what, const struct lt_nearest *nearest)
{
	char hint[2 * LT_NEAREST_SIZE];

	p->at -= strlen(p->word);
	lt_error("%s:%u:%td: expected %s, found '%s'%s", p->rule->source, p->rule->line,
		 p->at - p->line + 1, what, p->word,
		 lt_nearest_hint(nearest, "", hint, sizeof(hint)));
	return false;
}

static bool parse_metric(struct parser *p)
{
	struct lt_nearest nearest;

	if (!take_name(p))
		return expected(p, "a metric such as live_bytes, count or p99");
	if (!strcmp(p->word, "rate_per_s")) {
		p->rule->metric = LT_METRIC_ALLOCATIONS;
		p->rule->per_second = true;
		return true;
	}
	lt_nearest_init(&nearest, p->word);
	for (unsigned int i = 0; i < LT_N_METRICS; i++) {
		if (!strcmp(p->word, metrics[i].name) ||
		    (metrics[i].also && !strcmp(p->word, metrics[i].also))) {
			p->rule->metric = (enum lt_metric)i;
			p->rule->measure = metrics[i].measure;
			return true;
		}
		lt_nearest_try(&nearest, metrics[i].name);
		if (metrics[i].also)
			lt_nearest_try(&nearest, metrics[i].also);
	}
	return unknown(p, "a metric", &nearest);
}

/* Compiles the text of a matcher, which stands at @begin. */
static bool compile(const struct parser *p, const char *begin, struct lt_matcher *m)
{
	char why[128], *hint;
	bool ok = lt_matcher_compile(m, why, sizeof(why), &hint);

	if (!ok)
		lt_error("%s:%u:%td: expected a regular expression, found \"%s\": %s%s%s",
			 p->rule->source, p->rule->line, begin - p->line + 1, m->text, why,
			 hint ? "; " : "", hint ? hint : "");
	else if (hint)
		lt_warn("%s:%u:%td: \"%s\" is taken as a regular expression, in which '*' and "
			"'?' repeat what is before them; %s", p->rule->source, p->rule->line,
			begin - p->line + 1, m->text, hint);
	free(hint);
	return ok;
}

static bool parse_text(struct parser *p, struct lt_matcher *m, bool regex)
{
	const char *begin;
	size_t n = 0;

	if (!take(p, "\""))
		return expected(p, "a name in double quotes");
	begin = p->at - 1;
	while (*p->at && *p->at != '"') {
		/* In a regular expression a backslash is an escape, too; it stays for it. */
		if (*p->at == '\\' && p->at[1] && (p->at[1] == '"' || !regex))
			p->at++;
		if (n == sizeof(p->word) - 1)
			return expected(p, "a name of less than 256 bytes");
		p->word[n++] = *p->at++;
	}
	p->word[n] = 0;
	if (!take(p, "\""))
		return expected(p, "a closing double quote");
	m->text = lt_strdup(p->word);
	return !regex || compile(p, begin, m);
}

static bool parse_matcher(struct parser *p)
{
	struct lt_matcher *m = &p->rule->matchers[p->rule->n_matchers];
	struct lt_nearest nearest;
	unsigned int label;
	bool regex = false;

	if (p->rule->n_matchers == LT_MATCHERS)
		return expected(p, "at most 8 conditions");
	if (!take_name(p))
		return expected(p, "cache, site or comm");
	lt_nearest_init(&nearest, p->word);
	for (label = 0; label < p->n_labels && strcmp(p->word, labels[label]); label++)
		lt_nearest_try(&nearest, labels[label]);
	if (label == p->n_labels)
		return unknown(p, "cache, site or comm", &nearest);
	m->label = (enum lt_label)label;
	if (take(p, "=~"))
		regex = true;
	else if (take(p, "!~"))
		regex = m->negated = true;
	else if (take(p, "!="))
		m->negated = true;
	else if (!take(p, "="))
		return expected(p, "=, !=, =~ or !~");
	if (!parse_text(p, m, regex))
		return false;
	p->rule->n_matchers++;
	return true;
}

static bool parse_selector(struct parser *p)
{
	if (!take(p, "{"))
		return true;
	if (p->rule->metric == LT_METRIC_LOST) {
		p->at--;
		return expected(p, "no selector, since lost events have no cache, site or task");
	}
	while (!take(p, "}")) {
		if (!parse_matcher(p))
			return false;
		if (take(p, "}"))
			return true;
		if (!take(p, ","))
			return expected(p, "a comma or }");
	}
	return true;
}

static bool parse_rate(struct parser *p)
{
	const char *begin;

	if (!take(p, "/"))
		return true;
	begin = p->at - 1;
	if (p->rule->measure == LT_IN_NS || p->rule->per_second) {
		p->at = begin;
		return expected(p, "a relation such as <=, since this is not added up over time");
	}
	blanks(p);
	begin = p->at;
	if (!take_name(p) || strcmp(p->word, "s")) {
		p->at = begin;
		return expected(p, "s, for a second");
	}
	p->rule->per_second = true;
	return true;
}

static bool parse_relation(struct parser *p)
{
	static const struct {
		const char *token;
		enum lt_relation relation;
	} tokens[] = {
		{ "<=", LT_AT_MOST }, { "<", LT_BELOW }, { ">=", LT_AT_LEAST }, { ">", LT_ABOVE },
		{ "==", LT_EQUAL }, { "!=", LT_UNEQUAL },
	};

	for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
		if (!take(p, tokens[i].token))
			continue;
		p->rule->relation = tokens[i].relation;
		return true;
	}
	return expected(p, "<=, <, >=, >, == or !=");
}

/* ------------------------------------------------------------------------
 * The right side
 */

/* Whether a metric can be a part of something: of the allocations, their bytes, the ended. */
static bool has_whole(const struct lt_rule *r)
{
	return r->measure != LT_IN_NS && !r->per_second && r->metric != LT_METRIC_LOST &&
	       r->metric != LT_METRIC_ALLOCATIONS && r->metric != LT_METRIC_BYTES;
}

/* A plain number, in @value; @unit: what stands behind it. */
static bool take_number(struct parser *p, double *value, char *unit, size_t size)
{
	size_t len, letters = 0;

	blanks(p);
	len = strspn(p->at, "0123456789.");
	if (!len || len >= 64 || *p->at == '.')
		return false;
	*value = strtod(p->at, NULL);
	while (isalpha((unsigned char)p->at[len + letters]) || p->at[len + letters] == '%')
		letters++;
	if (letters >= size)
		return false;
	snprintf(unit, size, "%.*s", (int)letters, p->at + len);
	snprintf(p->word, sizeof(p->word), "%.*s", (int)(len + letters), p->at);
	p->at += len + letters;
	return !strchr(strchr(p->word, '.') ? strchr(p->word, '.') + 1 : "", '.');
}

/* A value in what the metric is counted in. */
static bool parse_value(struct parser *p, double *value)
{
	static const char *const what[][2] = {
		[LT_IN_COUNT] = { "a number, or base", "a number, base, or a percentage" },
		[LT_IN_BYTES] = { "bytes such as 4096 or 2MiB, or base",
				  "bytes such as 4096 or 2MiB, base, or a percentage" },
		[LT_IN_NS] = { "a time with its unit such as 5ms, or base", NULL },
		[LT_IN_PERCENT] = { "a percentage such as 99%", "a percentage such as 99%" },
	};
	const char *begin;
	char unit[8];
	uint64_t n;

	blanks(p);
	begin = p->at;
	if (!take_number(p, value, unit, sizeof(unit)))
		goto bad;
	if (!strcmp(unit, "%")) {
		if (p->rule->base || (p->rule->measure != LT_IN_PERCENT && !has_whole(p->rule)))
			goto bad;
		p->rule->measure = LT_IN_PERCENT;
		return true;
	}
	switch (p->rule->measure) {
	case LT_IN_COUNT:
		if (unit[0])
			goto bad;
		return true;
	case LT_IN_BYTES:
		if (!lt_parse_size(p->word, &n))
			goto bad;
		*value = unit[0] ? (double)n : *value;
		return true;
	case LT_IN_NS:
		if (!unit[0] || !lt_parse_duration(p->word, &n))
			goto bad;
		*value = (double)n;
		return true;
	case LT_IN_PERCENT:
		break;
	}
bad:
	p->at = begin;
	return expected(p, what[p->rule->measure][has_whole(p->rule)]);
}

static bool parse_limit(struct parser *p)
{
	struct lt_rule *r = p->rule;
	double value, sign = 0;
	char unit[8];

	blanks(p);
	if (strncmp(p->at, "base", 4) || isalnum((unsigned char)p->at[4]) || p->at[4] == '_')
		return parse_value(p, &r->limit);
	p->at += 4;
	r->base = 1;
	if (take(p, "*")) {
		if (!take_number(p, &r->base, unit, sizeof(unit)) || unit[0] || !(r->base > 0))
			return expected(p, "a factor such as 1.05");
	}
	if (take(p, "+"))
		sign = 1;
	else if (take(p, "-"))
		sign = -1;
	if (!sign)
		return true;
	if (!parse_value(p, &value))
		return false;
	r->limit = sign * value;
	return true;
}

/* ------------------------------------------------------------------------
 * Lines
 */

static void free_rule(struct lt_rule *r)
{
	for (unsigned int i = 0; i < LT_MATCHERS; i++)
		lt_matcher_free(&r->matchers[i]);
	free(r->text);
}

/* Reads one rule. The parser stands at what follows. */
static bool parse_rule(struct parser *p)
{
	const char *begin = p->at;
	size_t len;

	if (!parse_metric(p) || !parse_selector(p) || !parse_rate(p) || !parse_relation(p) ||
	    !parse_limit(p))
		return false;
	len = (size_t)(p->at - begin);
	p->rule->text = lt_strndup(begin, len);
	blanks(p);
	if (*p->at && *p->at != ';' && *p->at != '#')
		return expected(p, "the end of the rule, or a semicolon");
	return true;
}

static int add_line(struct lt_budget *b, const char *source, unsigned int number, const char *line)
{
	struct parser p = {
		.n_labels = b->cgroups ? LT_N_LABELS : LT_LABEL_CGROUP, .line = line, .at = line,
	};

	for (;;) {
		struct lt_rule rule = { .source = source, .line = number };

		p.at += strspn(p.at, " \t\r;");
		if (!*p.at || *p.at == '#')
			return 0;
		p.rule = &rule;
		if (b->n == MAX_RULES || !parse_rule(&p)) {
			if (b->n == MAX_RULES)
				expected(&p, "at most 10000 rules");
			free_rule(&rule);
			return -1;
		}
		b->rules = lt_grow(b->rules, &b->cap, b->n, sizeof(*b->rules));
		b->rules[b->n++] = rule;
	}
}

int lt_budget_add(struct lt_budget *b, const char *source, const char *text)
{
	unsigned int number = 1;
	const char *line;
	size_t len;

	for (; lt_line(&text, &line, &len); number++) {
		char *copy = lt_strndup(line, len);
		int err = add_line(b, source, number, copy);

		free(copy);
		if (err)
			return -1;
	}
	return 0;
}

void lt_budget_free(struct lt_budget *b)
{
	for (size_t i = 0; i < b->n; i++)
		free_rule(&b->rules[i]);
	free(b->rules);
	*b = (struct lt_budget){ .cgroups = b->cgroups, .allow_empty = b->allow_empty };
}

bool lt_budget_has_label(const struct lt_budget *b, enum lt_label label)
{
	for (size_t i = 0; i < b->n; i++) {
		for (unsigned int k = 0; k < b->rules[i].n_matchers; k++) {
			if (b->rules[i].matchers[k].label == label)
				return true;
		}
	}
	return false;
}

bool lt_budget_has_base(const struct lt_budget *b)
{
	for (size_t i = 0; i < b->n; i++) {
		if (b->rules[i].base > 0)
			return true;
	}
	return false;
}
