// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace complete: what could follow on a command line; for the completions of the shells
 * (scripts/completion.*), not listed in the help.
 *
 * The words behind `lifetrace` come as arguments, the last being the one under the cursor,
 * perhaps empty. Printed are words that it could become, one a line, or what else it could be:
 *
 *	:files SUFFIX	a file with that suffix, or a directory
 *	:dirs		a directory
 *	:command N	a word of a command that begins with the word N, counted from 1
 *
 * The options are those that the command hands to its parser; their values come from that parser
 * (forms/words.h), or from the trace.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/names.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "forms/words.h"
#include "lifetimes/kmalloc.h"
#include "out/log.h"
#include "trace/pass.h"
#include "trace/trace.h"

/* A long trace is read in part: an answer that takes seconds is none. */
#define MAX_EVENTS	300000

/**
 * struct completion - a command line
 * @words: behind the name of the program; the first one is the command
 * @n: their number, at least 1
 * @before: what stands in the last word before its value: "--cache=", or "exact,"
 * @value: the part of the last word, or all of it, that is to be completed
 * @printed: the words that were printed
 */
struct completion {
	char **words;
	int n;
	char before[256];
	const char *value;
	struct lt_names printed;
};

static void offer(struct completion *c, const char *text)
{
	uint32_t n = c->printed.n;
	size_t len = strlen(text);

	if (strncmp(text, c->value, strlen(c->value)) || text[strcspn(text, " \t\n\\'\"")])
		return;
	if (lt_names_add(&c->printed, text, len) == n)
		printf("%s%s\n", c->before, text);
}

/* ------------------------------------------------------------------------
 * The options of a command
 */

/* Whether a table of options goes on. */
static bool is_option(const struct argp_option *o)
{
	return o && (o->key || o->name || o->doc || o->group);
}

static bool is_shown(const struct argp_option *o)
{
	return o->name && !(o->flags & (OPTION_HIDDEN | OPTION_DOC));
}

static bool needs_value(const struct argp_option *o)
{
	return o->arg && !(o->flags & OPTION_ARG_OPTIONAL);
}

/* The option that a word is: "--cache", "--cache=x" or "-c"; NULL: there is none. */
static const struct argp_option *find_option(const struct argp *argp, const char *word)
{
	size_t len = strcspn(word, "=");
	const struct argp_option *found = NULL;

	for (const struct argp_option *o = argp->options; is_option(o); o++) {
		if (word[1] != '-' ? len == 2 && o->key == word[1] :
				     o->name && strlen(o->name) == len - 2 &&
				     !strncmp(o->name, word + 2, len - 2))
			return o;
	}
	for (const struct argp_child *child = argp->children; child && child->argp && !found;
	     child++)
		found = find_option(child->argp, word);
	return found;
}

static void offer_options(struct completion *c, const struct argp *argp)
{
	for (const struct argp_option *o = argp->options; is_option(o); o++) {
		char *text;

		if (!is_shown(o))
			continue;
		text = lt_format("--%s%s", o->name, needs_value(o) ? "=" : "");
		offer(c, text);
		free(text);
	}
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		offer_options(c, child->argp);
}

static void offer_commands(struct completion *c)
{
#define OFFER(name, help)	offer(c, #name);
	LT_COMMANDS(LT_COMMAND_NO_GROUP, OFFER)
	offer(c, "help");
}

/* ------------------------------------------------------------------------
 * Values from the trace
 */

/* The file that the other words name. */
static const char *file_of(const struct completion *c, const struct argp *argp)
{
	const char *file = NULL;

	for (int i = 1; i < c->n - 1; i++) {
		const struct argp_option *o;

		if (c->words[i][0] != '-') {
			file = c->words[i];	/* of report: lists come before it */
			continue;
		}
		o = strchr(c->words[i], '=') ? NULL : find_option(argp, c->words[i]);
		if (o && needs_value(o))
			i++;
	}
	return file && !access(file, R_OK) ? file : LT_DEFAULT_FILE;
}

enum what { CACHES, SITES, TASKS, CPUS, EVENTS, MARKERS };

/* @left: events that are still looked at */
struct offering {
	struct completion *c;
	enum what what;
	const struct lt_trace *t;
	struct lt_kmalloc kmalloc;
	struct lt_intern seen;
	unsigned int left;
};

static int offer_event(void *arg, const struct lt_event *ev)
{
	struct offering *o = arg;
	uint32_t n = o->seen.n;
	char buf[256];
	uint64_t key;

	switch (o->what) {
	case CACHES:
		key = lt_event_cache_key(&o->kmalloc, ev);
		if (key && lt_intern_number(&o->seen, key) == n)
			offer(o->c, lt_cache_key_name(o->t, key, buf, sizeof(buf)));
		break;
	case SITES:
		if (ev->call_site && lt_intern_number(&o->seen, ev->call_site) == n) {
			lt_trace_symbol(o->t, ev->call_site, false, buf, sizeof(buf));
			buf[strcspn(buf, " ")] = 0;
			offer(o->c, buf);
		}
		break;
	case TASKS:
		if (ev->task && ev->context == LT_CTX_TASK)
			offer(o->c, ev->task->comm);
		break;
	case MARKERS:
		if (ev->id == LT_EV_MARKER && ev->raw) {
			snprintf(buf, sizeof(buf), "marker:%.*s", (int)ev->raw_size,
				 (const char *)ev->raw);
			offer(o->c, buf);
		}
		break;
	default:
		break;
	}
	return !--o->left;
}

static void offer_cpus(struct completion *c, const struct lt_trace *t)
{
	const struct lt_dir *dir = lt_trace_dir(t);
	char number[16];

	for (size_t i = 0; i < dir->n_streams; i++) {
		if (!dir->streams[i])
			continue;
		snprintf(number, sizeof(number), "%u", dir->streams[i]->cpu);
		offer(c, number);
	}
}

static void offer_of_events(struct completion *c, enum what what, struct lt_trace *t)
{
	struct offering o = { .c = c, .what = what, .t = t, .left = MAX_EVENTS };

	lt_kmalloc_init(&o.kmalloc, t);
	lt_intern_init(&o.seen);
	lt_trace_pass(t, &(struct lt_pass){ .event = offer_event, .arg = &o });
	lt_intern_destroy(&o.seen);
}

static void offer_of_trace(struct completion *c, enum what what, const char *file)
{
	struct lt_trace *t = lt_trace_open(file);

	if (!t)
		return;
	if (what == CPUS)
		offer_cpus(c, t);
	for (unsigned int id = 0; what == EVENTS && id < LT_SCHEMA_IDS; id++) {
		if (lt_trace_event_name(t, id))
			offer(c, lt_trace_event_name(t, id));
	}
	if (what != CPUS && what != EVENTS)
		offer_of_events(c, what, t);
	lt_trace_close(t);
}

/* ------------------------------------------------------------------------
 * Values
 */

/* Completes the last of words that are separated by commas. */
static void in_list(struct completion *c)
{
	const char *comma = strrchr(c->value, ',');
	size_t used = strlen(c->before);

	if (!comma)
		return;
	snprintf(c->before + used, sizeof(c->before) - used, "%.*s",
		 (int)(comma + 1 - c->value), c->value);
	c->value = comma + 1;
}

/* One of the words that the parser of the option knows. */
static void offer_word(void *arg, const char *word, bool list)
{
	struct completion *c = arg;

	if (list)
		in_list(c);
	offer(c, word);
}

/* Offers what is not a word of the parser. Return: whether the option has such a value. */
static bool offer_value(struct completion *c, const struct argp *argp, const struct argp_option *o)
{
	static const struct {
		const char *option;
		enum what what;
		bool list;
	} of_trace[] = {
		{ "cache", CACHES, false }, { "site", SITES, false }, { "task", TASKS, false },
		{ "root", TASKS, false }, { "cpu", CPUS, true }, { "event", EVENTS, false },
	};

	if (o->arg && !strcmp(o->arg, "WHEN")) {
		offer_of_trace(c, MARKERS, file_of(c, argp));
		return true;
	}
	for (size_t i = 0; i < sizeof(of_trace) / sizeof(of_trace[0]); i++) {
		if (strcmp(o->name, of_trace[i].option))
			continue;
		if (of_trace[i].list)
			in_list(c);
		offer_of_trace(c, of_trace[i].what, file_of(c, argp));
		return true;
	}
	if (!strcmp(o->name, "ctf") || !strcmp(o->name, "totals"))
		return puts(":dirs") >= 0;
	if (!strcmp(o->name, "output") || !strcmp(o->name, "lifetimes"))
		return puts(":files") >= 0;
	return false;
}

/* Return: what the parser is to answer. */
static char *offer_values(struct completion *c, const struct argp *argp,
			  const struct argp_option *o)
{
	return offer_value(c, argp, o) ? NULL : lt_format("--%s=", o->name);
}

/* ------------------------------------------------------------------------
 * The command line
 */

/* The number of the first word of a command to be recorded, if the last word is in it; 0: no. */
static int child_of(const struct completion *c)
{
	bool live = false;

	for (int i = 1; i < c->n - 1; i++) {
		live |= !strcmp(c->words[i], "--live");
		if (strcmp(c->words[i], "--"))
			continue;
		return !strcmp(c->words[0], "record") || live ? i + 2 : 0;
	}
	return 0;
}

/* Whether a word before the last one is an argument of the command. */
static bool has_argument(const struct completion *c, const struct argp *argp)
{
	for (int i = 1; i < c->n - 1; i++) {
		const char *before = c->words[i - 1];
		const struct argp_option *o = NULL;

		if (before[0] == '-' && !strchr(before, '='))
			o = find_option(argp, before);
		if (c->words[i][0] != '-' && !(o && needs_value(o)))
			return true;
	}
	return false;
}

/* The callback of lt_help_ask(): offers what the options say. */
static char *complete_options(void *arg, const struct argp *argp)
{
	struct completion *c = arg;
	const char *last = c->words[c->n - 1], *previous = c->words[c->n - 2];
	const struct argp_option *o = NULL;

	if (!strncmp(last, "--", 2) && strchr(last, '=')) {
		size_t len = strcspn(last, "=") + 1;

		snprintf(c->before, sizeof(c->before), "%.*s", (int)len, last);
		c->value = last + len;
		o = find_option(argp, last);
		return o ? offer_values(c, argp, o) : NULL;
	}
	if (previous[0] == '-' && !strchr(previous, '='))
		o = find_option(argp, previous);
	if (o && needs_value(o))
		return offer_values(c, argp, o);
	if (last[0] == '-') {
		offer_options(c, argp);
		return NULL;
	}
	if (!argp->args_doc)
		return NULL;
	if (strstr(argp->args_doc, "[FILE...]"))
		puts(":files .lt");
	/* The words of report and boot that come first. */
	return has_argument(c, argp) ? NULL : lt_strdup("");
}

static void complete(struct completion *c)
{
	static const struct {
		const char *name;
		lt_cmd_fn *fn;
	} commands[] = {
#define ROW(name, help)	{ #name, lt_cmd_##name },
		LT_COMMANDS(LT_COMMAND_NO_GROUP, ROW)
	};
	int child = child_of(c);

	if (child) {
		printf(":command %d\n", child);
		return;
	}
	lt_help_ask(complete_options, c);
	lt_words_ask(offer_word, c);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		char *argv[] = { c->words[0], NULL };

		if (!strcmp(c->words[0], commands[i].name))
			commands[i].fn(1, argv);
	}
	if (!strcmp(c->words[0], "help"))
		offer_commands(c);
}

int lt_cmd_complete(int argc, char **argv)
{
	struct completion c = { .words = argv + 1, .n = argc - 1 };

	if (c.n < 1)
		return LT_EXIT_BAD;
	/* A message would stand in the middle of what the user types. */
	lt_set_log(NULL, NULL);
	if (!freopen("/dev/null", "w", stderr))
		return LT_EXIT_BAD;
	lt_names_init(&c.printed);
	c.value = c.words[c.n - 1];
	if (c.n == 1)
		offer_commands(&c);
	else
		complete(&c);
	lt_names_destroy(&c.printed);
	return LT_EXIT_OK;
}
