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
 * The options are those of the help of the command; their values come from the trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/names.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/formats.h"
#include "format/channel.h"
#include "lifetimes/kmalloc.h"
#include "out/log.h"
#include "trace/trace.h"

/* A long trace is read in part: an answer that takes seconds is none. */
#define MAX_EVENTS	300000

/**
 * struct completion - a command line
 * @words: behind the name of the program; the first one is the command
 * @n: their number, at least 1
 * @help: text of `lifetrace COMMAND --help`
 * @before: what stands in the last word before its value: "--cache=", or "exact,"
 * @value: the part of the last word, or all of it, that is to be completed
 * @printed: the words that were printed
 */
struct completion {
	char **words;
	int n;
	char *help;
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

static void offer_all(struct completion *c, const char *words)
{
	char *copy = lt_strdup(words), *rest = copy, *word;

	while ((word = strsep(&rest, " ")))
		offer(c, word);
	free(copy);
}

/* ------------------------------------------------------------------------
 * The help of a command
 */

/* What `lifetrace ARGUMENT...` prints; to be freed. */
static char *output_of(const char *first, const char *second)
{
	char *text, buf[4096];
	int fds[2], status;
	size_t size;
	ssize_t n;
	FILE *out = open_memstream(&text, &size);
	pid_t pid;

	if (!out || pipe(fds))
		lt_die("out of memory");
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		close(STDERR_FILENO);
		execl("/proc/self/exe", "lifetrace", first, second, NULL);
		_exit(1);
	}
	close(fds[1]);
	while (pid > 0 && (n = read(fds[0], buf, sizeof(buf))) > 0)
		fwrite(buf, 1, (size_t)n, out);
	close(fds[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	fclose(out);
	return text;
}

/* One option in a line of the help, as "  -c, --cpu=LIST   On one of …". */
struct help_option {
	char letter;		/* 0: none */
	char name[32];
	char values[64];	/* empty: it takes none */
};

static bool parse_option(const char *line, struct help_option *o)
{
	size_t blanks = strspn(line, " "), n;

	memset(o, 0, sizeof(*o));
	line += blanks;
	if (blanks < 2 || *line != '-')
		return false;
	if (line[1] != '-') {
		o->letter = line[1];
		line = strstr(line, "--");
		if (!line)
			return false;
	}
	line += 2;
	n = strcspn(line, "= [\n");
	snprintf(o->name, sizeof(o->name), "%.*s", (int)n, line);
	line += n;
	if (*line == '=')
		snprintf(o->values, sizeof(o->values), "%.*s", (int)strcspn(line + 1, " \n"),
			 line + 1);
	return n;
}

static const char *next_line(const char *line)
{
	line = strchr(line, '\n');
	return line ? line + 1 : NULL;
}

/* Finds the option that a word is: "--cache", "--cache=x" or "-c". */
static bool find_option(const struct completion *c, const char *word, struct help_option *o)
{
	size_t len = strcspn(word, "=");

	for (const char *line = c->help; line; line = next_line(line)) {
		if (!parse_option(line, o))
			continue;
		if (word[1] != '-' && len == 2 && o->letter == word[1])
			return true;
		if (word[1] == '-' && strlen(o->name) == len - 2 &&
		    !strncmp(o->name, word + 2, len - 2))
			return true;
	}
	return false;
}

static void offer_options(struct completion *c)
{
	for (const char *line = c->help; line; line = next_line(line)) {
		struct help_option o;
		char *text;

		if (!parse_option(line, &o))
			continue;
		text = lt_format("--%s%s", o.name, o.values[0] ? "=" : "");
		offer(c, text);
		free(text);
	}
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
static const char *file_of(const struct completion *c)
{
	const char *file = NULL;

	for (int i = 1; i < c->n - 1; i++) {
		struct help_option o;

		if (c->words[i][0] != '-') {
			file = c->words[i];	/* of report: lists come before it */
			continue;
		}
		if (!strchr(c->words[i], '=') && find_option(c, c->words[i], &o) && o.values[0])
			i++;
	}
	return file && !access(file, R_OK) ? file : LT_DEFAULT_FILE;
}

enum what { CACHES, SITES, TASKS, CPUS, EVENTS, MARKERS };

static void offer_event(struct completion *c, enum what what, const struct lt_trace *t,
			const struct lt_kmalloc *kmalloc, struct lt_intern *sites,
			const struct lt_event *ev)
{
	uint32_t n = sites->n;
	char buf[256];
	uint64_t key;

	switch (what) {
	case CACHES:
		key = lt_cache_key(kmalloc, ev->class, ev->cache, ev->bytes_req, ev->bytes_alloc,
				   ev->gfp);
		if (key && lt_intern_number(sites, key) == n)
			offer(c, lt_cache_key_name(t, key, buf, sizeof(buf)));
		break;
	case SITES:
		if (ev->call_site && lt_intern_number(sites, ev->call_site) == n) {
			lt_trace_symbol(t, ev->call_site, false, buf, sizeof(buf));
			buf[strcspn(buf, " ")] = 0;
			offer(c, buf);
		}
		break;
	case TASKS:
		if (ev->task && ev->context == LT_CTX_TASK)
			offer(c, ev->task->comm);
		break;
	case MARKERS:
		if (ev->id == LT_EV_MARKER && ev->raw) {
			snprintf(buf, sizeof(buf), "marker:%.*s", (int)ev->raw_size,
				 (const char *)ev->raw);
			offer(c, buf);
		}
		break;
	default:
		break;
	}
}

static void offer_of_trace(struct completion *c, enum what what)
{
	struct lt_trace *t = lt_trace_open(file_of(c));
	struct lt_kmalloc kmalloc;
	struct lt_intern seen;
	struct lt_event ev;
	char number[16];

	if (!t)
		return;
	if (what == CPUS) {
		for (size_t i = 0; i < lt_trace_dir(t)->n_streams; i++) {
			if (!lt_trace_dir(t)->streams[i])
				continue;
			snprintf(number, sizeof(number), "%u", lt_trace_dir(t)->streams[i]->cpu);
			offer(c, number);
		}
	}
	for (unsigned int id = 0; what == EVENTS && id < LT_SCHEMA_IDS; id++) {
		if (lt_trace_event_name(t, id))
			offer(c, lt_trace_event_name(t, id));
	}
	lt_kmalloc_init(&kmalloc, t);
	lt_intern_init(&seen);
	for (int i = 0; what != CPUS && what != EVENTS && i < MAX_EVENTS; i++) {
		if (lt_trace_next(t, &ev) <= 0)
			break;
		offer_event(c, what, t, &kmalloc, &seen, &ev);
	}
	lt_intern_destroy(&seen);
	lt_trace_close(t);
}

/* ------------------------------------------------------------------------
 * Values
 */

/* The words behind @title in the help, up to a full stop. */
static void offer_words_of_help(struct completion *c, const char *title)
{
	char *at = strstr(c->help, title), word[64];
	int n;

	if (!at)
		return;
	for (at += strlen(title); sscanf(at, " %63s%n", word, &n) == 1; at += n) {
		char *stop = strpbrk(word, ".,");

		if (stop)
			*stop = 0;
		offer(c, word);
		if (stop && at[n - 1] == '.')
			break;
	}
}

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

static void offer_values(struct completion *c, const struct help_option *o)
{
	static const struct {
		const char *option;
		int what;
		bool list;
		const char *words;
	} rows[] = {
		{ "cache", CACHES, false, NULL }, { "site", SITES, false, NULL },
		{ "task", TASKS, false, NULL }, { "root", TASKS, false, NULL },
		{ "cpu", CPUS, true, NULL }, { "event", EVENTS, false, NULL },
		{ "from", MARKERS, false, NULL }, { "to", MARKERS, false, NULL },
		{ "certainty", -1, true, "exact open before bounded uncertain" },
		{ "clock", -1, false, "auto mono raw boot counter" },
		{ "channel", -1, false, "kmem pid area syscall" },
		{ "ctf-version", -1, false, "1.8 2" },
		{ "totals-format", -1, false, "parquet clickhouse" },
		{ "levels", -1, true, "task cgroup module cache site stack" },
		{ "at", MARKERS, false, NULL },
		{ "metric", -1, false, "alive alive-objects peak churn bytes slack lifetime" },
		{ "events", -1, true, "slab tasks pages percpu vmalloc dma syscall uring triggers all kmalloc kfree kmem_cache_alloc "
				      "kmem_cache_free bulk_alloc bulk_free rcu_free resize vresize page_alloc "
				      "page_free" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(o->name, rows[i].option))
			continue;
		if (rows[i].list)
			in_list(c);
		if (rows[i].words)
			offer_all(c, rows[i].words);
		else
			offer_of_trace(c, (enum what)rows[i].what);
		return;
	}
	if (!strcmp(o->name, "why")) {
		in_list(c);
		offer_all(c, !strcmp(c->words[0], "tasks") ?
			     "lost not_watched no_birth named no_exit before alive" :
			     "lost not_watched sampled late undecided guess no_birth no_free alive");
	} else if (!strcmp(o->name, "sort")) {
		offer_words_of_help(c, "Columns for --sort:");
	} else if (!strcmp(o->name, "by")) {
		offer_all(c, !strcmp(c->words[0], "tree") ? "parent creator" :
							    "site stack cache task process size cgroup");
	} else if (!strcmp(o->name, "space")) {
		offer_all(c, "slab pages percpu vmalloc dma");
	} else if (!strcmp(o->name, "format")) {
		for (size_t i = 0; lt_exporters[i]; i++)
			offer(c, lt_exporters[i]->name);
	} else if (!strcmp(o->name, "ctf") || !strcmp(o->name, "totals")) {
		puts(":dirs");
	} else if (!strcmp(o->name, "output") || !strcmp(o->name, "lifetimes")) {
		puts(":files");
	}
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

static void complete(struct completion *c)
{
	const char *last = c->words[c->n - 1], *previous = c->words[c->n - 2];
	struct help_option o;
	int child = child_of(c);

	if (child) {
		printf(":command %d\n", child);
		return;
	}
	c->help = output_of(c->words[0], "--help=all");
	if (!strncmp(last, "--", 2) && strchr(last, '=')) {
		size_t len = strcspn(last, "=") + 1;

		snprintf(c->before, sizeof(c->before), "%.*s", (int)len, last);
		c->value = last + len;
		if (find_option(c, last, &o))
			offer_values(c, &o);
	} else if (previous[0] == '-' && !strchr(previous, '=') && find_option(c, previous, &o) &&
		   o.values[0]) {
		offer_values(c, &o);
	} else if (last[0] == '-') {
		offer_options(c);
	} else if (!strcmp(c->words[0], "help")) {
		offer_commands(c);
	} else if (strstr(c->help, "[FILE...]")) {
		if (!strcmp(c->words[0], "report"))
			offer_all(c, "alive peak churn slack short long remote outlives advice memory");
		puts(":files .lt");
	}
	free(c->help);
}

int lt_cmd_complete(int argc, char **argv)
{
	struct completion c = { .words = argv + 1, .n = argc - 1 };

	if (c.n < 1)
		return LT_EXIT_BAD;
	/* A message would stand in the middle of what the user types. */
	lt_set_log(NULL, NULL);
	lt_names_init(&c.printed);
	c.value = c.words[c.n - 1];
	if (c.n == 1)
		offer_commands(&c);
	else
		complete(&c);
	lt_names_destroy(&c.printed);
	return LT_EXIT_OK;
}
