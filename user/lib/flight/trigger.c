// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Triggers of a flight recorder: their text, and when they fire.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "base/text.h"
#include "flight/trigger.h"

enum unit {
	UNIT_NONE,	/* the trigger is a word */
	UNIT_PER_S,
	UNIT_BYTES,
	UNIT_PERCENT,
};

static const struct {
	const char *name;
	enum lt_trigger_kind kind;
	char relation;
	enum unit unit;
} words[] = {
	{ "alloc_failed", LT_ON_FAILED, 0, UNIT_NONE },
	{ "events", LT_ON_EVENTS, '>', UNIT_PER_S },
	{ "loss", LT_ON_LOSS, '>', UNIT_PER_S },
	{ "mem_available", LT_ON_AVAILABLE, '<', UNIT_BYTES },
	{ "slab", LT_ON_SLAB, '>', UNIT_BYTES },
	{ "pressure", LT_ON_PRESSURE, '>', UNIT_PERCENT },
	{ "oom", LT_ON_OOM, 0, UNIT_NONE },
	{ "hung_task", LT_ON_HUNG, 0, UNIT_NONE },
	{ "oops", LT_ON_OOPS, 0, UNIT_NONE },
};

#define N_WORDS	(sizeof(words) / sizeof(words[0]))
#define MARKER	"marker:"

/* A number with one of the units; false: it is none. */
static bool take_limit(const char *text, enum unit unit, double *limit)
{
	uint64_t n;
	char *end;

	text += strspn(text, " ");
	if (unit == UNIT_BYTES) {
		*limit = lt_parse_size(text, &n) ? (double)n : -1;
		return *limit >= 0;
	}
	if (!isdigit((unsigned char)*text))
		return false;
	*limit = strtod(text, &end);
	end += strspn(end, " ");
	if (unit == UNIT_PERCENT)
		return !strcmp(end, "%") && *limit > 0 && *limit < 100;
	return !*end || !strcmp(end, "/s") || !strcmp(end, "/ s");
}

static int bad_limit(const char *text, const char *name, char relation, enum unit unit)
{
	static const char *const examples[] = {
		[UNIT_PER_S] = "100000/s", [UNIT_BYTES] = "200M", [UNIT_PERCENT] = "15%",
	};

	if (unit == UNIT_NONE)
		lt_error("trigger '%s': expected '%s' alone", text, name);
	else
		lt_error("trigger '%s': expected a limit, as in '%s%c%s'", text, name, relation,
			 examples[unit]);
	return -1;
}

static int add_word(struct lt_trigger *t, const char *text, size_t i)
{
	const char *rest = text + strlen(words[i].name);

	t->kind = words[i].kind;
	rest += strspn(rest, " ");
	if (words[i].unit == UNIT_NONE)
		return *rest ? bad_limit(text, words[i].name, 0, UNIT_NONE) : 0;
	if (*rest != words[i].relation || !take_limit(rest + 1, words[i].unit, &t->limit))
		return bad_limit(text, words[i].name, words[i].relation, words[i].unit);
	return 0;
}

/* What a budget would be broken by is not asked here: a trigger names the condition itself. */
static int add_rule(struct lt_trigger *t, const char *text)
{
	const struct lt_rule *r;

	t->rule.cgroups = true;
	if (lt_budget_add(&t->rule, "trigger", text))
		return -1;
	r = t->rule.rules;
	if (t->rule.n != 1 ||
	    (r->metric != LT_METRIC_ALIVE && r->metric != LT_METRIC_ALIVE_BYTES) ||
	    (r->relation != LT_ABOVE && r->relation != LT_AT_LEAST) || r->base > 0 ||
	    r->per_second || r->measure == LT_IN_PERCENT) {
		lt_error("trigger '%s': of rules, only live_bytes and live are triggers, as in "
			 "'live_bytes{cache=\"dentry\"}>2MiB'", text);
		return -1;
	}
	t->kind = LT_ON_LIVE;
	t->limit = r->limit;
	return 0;
}

/* The word of the table with which the text begins; N_WORDS: none. */
static size_t find_word(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789"), i = 0;

	while (i < N_WORDS && (strlen(words[i].name) != len || strncmp(text, words[i].name, len)))
		i++;
	return i;
}

static bool is_rule(const char *text)
{
	return !strncmp(text, "live", 4) || !strncmp(text, "alive", 5);
}

static int unknown(const char *text)
{
	char word[LT_NEAREST_SIZE], hint[2 * LT_NEAREST_SIZE];
	size_t len = strcspn(text, "<>={: ");
	struct lt_nearest nearest;
	char *copy = lt_strndup(text, len);

	strncpy(word, copy, sizeof(word) - 1);
	word[sizeof(word) - 1] = 0;
	free(copy);
	lt_nearest_init(&nearest, word);
	for (size_t i = 0; i < N_WORDS; i++)
		lt_nearest_try(&nearest, words[i].name);
	lt_nearest_try(&nearest, "marker");
	lt_nearest_try(&nearest, "live_bytes");
	lt_error("there is no trigger '%s'%s", text,
		 lt_nearest_hint(&nearest, "; the manual page lifetrace-record(1) lists them", hint,
				 sizeof(hint)));
	return -1;
}

int lt_trigger_add(struct lt_triggers *all, const char *text)
{
	struct lt_trigger *t = &all->list[all->n];
	size_t word = find_word(text);
	int err;

	if (all->n == LT_TRIGGERS) {
		lt_error("there are more than %d triggers", LT_TRIGGERS);
		return -1;
	}
	memset(t, 0, sizeof(*t));
	t->text = lt_strdup(text);
	if (!strncmp(text, MARKER, strlen(MARKER))) {
		t->kind = LT_ON_MARKER;
		t->pattern = t->text + strlen(MARKER);
		err = *t->pattern ? 0 : -1;
		if (err)
			lt_error("trigger '%s': expected the text of the marker, or *", text);
	} else if (word < N_WORDS) {
		err = add_word(t, text, word);
	} else {
		err = is_rule(text) ? add_rule(t, text) : unknown(text);
	}
	if (err) {
		free(t->text);
		lt_budget_free(&t->rule);
		return -1;
	}
	all->n++;
	return 0;
}

void lt_triggers_free(struct lt_triggers *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->list[i].text);
		lt_budget_free(&all->list[i].rule);
	}
	all->n = 0;
}

bool lt_triggers_have(const struct lt_triggers *all, enum lt_trigger_kind kind)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i].kind == kind)
			return true;
	}
	return false;
}

bool lt_trigger_begins(struct lt_trigger *t, bool holds, bool ready, uint64_t *missed)
{
	bool begins = holds && !t->holds;

	if (!holds)
		t->holds = t->waits = false;
	if (begins && !ready) {
		*missed += !t->waits;
		t->waits = true;
		return false;
	}
	if (begins) {
		t->holds = true;
		t->waits = false;
	}
	return begins;
}

bool lt_trigger_exceeds(const struct lt_trigger *t, double value)
{
	if (t->kind == LT_ON_AVAILABLE)
		return value < t->limit;
	if (t->kind == LT_ON_LIVE && t->rule.rules[0].relation == LT_AT_LEAST)
		return value >= t->limit;
	return value > t->limit;
}

#define LEVEL_NOTICE	5	/* include/linux/kern_levels.h */
#define NAME_MAX_BYTES	15	/* of a task */

/*
 * What the kernel says of a fault of a program begins with the name that the program has given
 * itself, and its number in brackets; that it is obsolete is said as information.
 */
static bool is_of_program(const char *text, unsigned long level)
{
	const char *bracket = text;

	while ((bracket = strchr(bracket, '['))) {
		size_t digits = strspn(bracket + 1, "0123456789");

		if (digits && bracket[1 + digits] == ']')
			break;
		bracket++;
	}
	return level > LEVEL_NOTICE || (bracket && bracket - text <= NAME_MAX_BYTES);
}

enum lt_trigger_kind lt_trigger_of_log(const char *record)
{
	static const struct {
		const char *text;
		enum lt_trigger_kind kind;
		bool first;	/* the line begins with it */
	} lines[] = {
		{ "Out of memory: Killed process ", LT_ON_OOM, true },
		{ "Memory cgroup out of memory: Killed process ", LT_ON_OOM, true },
		{ "Out of memory (", LT_ON_OOM, true },
		{ " blocked for more than ", LT_ON_HUNG, false },
		{ "BUG: unable to handle", LT_ON_OOPS, true },
		{ "BUG: kernel NULL pointer dereference", LT_ON_OOPS, true },
		{ "kernel BUG at ", LT_ON_OOPS, true },
		{ "Oops: ", LT_ON_OOPS, true },
		{ "Internal error: ", LT_ON_OOPS, true },
		{ "Unable to handle kernel ", LT_ON_OOPS, true },
		{ "general protection fault", LT_ON_OOPS, true },
		{ "Kernel panic - not syncing", LT_ON_OOPS, true },
	};
	const char *text = strchr(record, ';');
	char *end;
	unsigned long priority = strtoul(record, &end, 10);

	/* The facility 0 is the kernel's; what programs write to /dev/kmsg has another one. */
	if (!text || end == record || *end != ',' || priority >> 3)
		return LT_N_ON;
	text++;
	if (is_of_program(text, priority))
		return LT_N_ON;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const char *at = strstr(text, lines[i].text);

		if (!at || (lines[i].first && at != text))
			continue;
		if (lines[i].kind == LT_ON_HUNG && strncmp(text, "INFO: task ", 11))
			continue;
		return lines[i].kind;
	}
	return LT_N_ON;
}

bool lt_meminfo_bytes(const char *text, const char *name, uint64_t *bytes)
{
	size_t n = strlen(name), len;
	const char *line;

	while (lt_line(&text, &line, &len)) {
		if (len <= n || strncmp(line, name, n) || line[n] != ':')
			continue;
		*bytes = strtoull(line + n + 1, NULL, 10) * 1024;
		return true;
	}
	return false;
}
