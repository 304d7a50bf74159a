// SPDX-License-Identifier: GPL-2.0
/*
 * The options of filters, which several commands take.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/args.h"
#include "format/whose.h"
#include "out/log.h"
#include "out/next.h"
#include "print/task_below.h"
#include "tasks/cgroups.h"

enum {
	KEY_CACHE = 0x2000, KEY_SITE, KEY_TASK, KEY_SIZE, KEY_CERTAINTY, KEY_WHY, KEY_OLDER,
	KEY_FROM, KEY_TO, KEY_CGROUP, KEY_ROOT,
};

static const struct argp_option options[] = {
	{ "cache", KEY_CACHE, "NAME", 0, "Of this slab cache", 0 },
	{ "site", KEY_SITE, "TEXT", 0, "Allocated by a function whose name contains TEXT", 0 },
	{ "task", KEY_TASK, "NAME|TID[@START]", 0,
	  "By this task, or by tasks with this name at that time; not in an interrupt", 0 },
	{ "cgroup", KEY_CGROUP, "PATH", 0,
	  "By a task that was then in this cgroup (version 2) or below it; id:N: a cgroup "
	  "without a path",
	  0 },
	{ "root", KEY_ROOT, "NAME|PID", 0,
	  "By tasks with this name, program or number, and by all below them, as tree has them",
	  0 },
	{ "cpu", 'c', "LIST", 0, "On one of these CPUs, such as 0,2-3", 0 },
	{ "size", KEY_SIZE, "A..B", 0, "Of A to B bytes, as requested; A or B may be left out", 0 },
	{ "certainty", KEY_CERTAINTY, "LIST", 0,
	  "Only exact, open, before, bounded or uncertain ones; separated by commas", 0 },
	{ "why", KEY_WHY, "LIST", 0,
	  "Not exact for one of these reasons: lost, not_watched, sampled, late, undecided, guess, "
	  "no_birth, no_free, alive; separated by commas", 0 },
	{ "older", KEY_OLDER, "TIME", 0, "That lived, or live, at least TIME: 10s, 500us, 1m", 0 },
	{ "from", KEY_FROM, "WHEN", 0,
	  "From then on: 2.5 or 500ms after the beginning, -5s before the end, @TIME on the "
	  "trace's clock, 10:03:21 by the wall clock, marker:TEXT", 0 },
	{ "to", KEY_TO, "WHEN", 0, "Before then", 0 },
	{ 0 }
};

/* What any event has, also one that is not of memory. */
static const struct argp_option event_options[] = {
	{ "task", KEY_TASK, "NAME|TID[@START]", 0, "Of this task, as it was called then", 0 },
	{ "cgroup", KEY_CGROUP, "PATH", 0,
	  "Of a task that was then in this cgroup (version 2) or below it; id:N: in that without a path",
	  0 },
	{ "root", KEY_ROOT, "NAME|PID", 0,
	  "Of tasks with this name, program or number, and of all below them, as tree has them",
	  0 },
	{ "cpu", 'c', "LIST", 0, "On one of these CPUs, such as 0,2-3", 0 },
	{ "from", KEY_FROM, "WHEN", 0,
	  "From then on: 2.5 or 500ms after the beginning, -5s before the end, @TIME on the "
	  "trace's clock, 10:03:21 by the wall clock, marker:TEXT", 0 },
	{ "to", KEY_TO, "WHEN", 0, "Before then", 0 },
	{ 0 }
};

static const char *certainty(unsigned int i)
{
	return lt_certainty_name((enum lt_certainty)i);
}

static const char *cause(unsigned int i)
{
	return lt_cause_name((enum lt_cause)i);
}

/* The name of an option; NULL: it is none of these. */
static const char *option_name(int key)
{
	for (size_t i = 0; options[i].name; i++) {
		if (options[i].key == key)
			return options[i].name;
	}
	return NULL;
}

void lt_args_option(char *words, size_t size, const char *name, const char *arg)
{
	char *word = arg ? lt_shell_word(arg) : NULL;
	size_t n = strlen(words);

	n += (size_t)snprintf(words + n, size - n, " --%s%s%s", name, word ? "=" : "",
			      word ? word : "");
	/* Half of the options would be another question. */
	if (n >= size)
		snprintf(words, size, " OPTIONS");
	free(word);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct lt_filter_spec *s = state->input;

	if (option_name(key))
		lt_args_option(s->words, sizeof(s->words), option_name(key), arg);
	switch (key) {
	case KEY_CACHE:
		s->cache = arg;
		return 0;
	case KEY_SITE:
		s->site = arg;
		return 0;
	case KEY_TASK:
		s->task = arg;
		return 0;
	case KEY_CGROUP:
		s->cgroup = arg;
		return 0;
	case KEY_ROOT:
		s->root = arg;
		return 0;
	case 'c':
		s->cpus = arg;
		return 0;
	case KEY_SIZE:
		s->size = arg;
		return 0;
	case KEY_CERTAINTY:
		s->certainty = lt_args_words(state, "certainty", arg, certainty, 0,
					     LT_N_CERTAINTIES);
		return 0;
	case KEY_WHY:
		s->why = lt_args_words(state, "why", arg, cause, 1, LT_N_WHYS);
		return 0;
	case KEY_OLDER:
		s->older_ns = lt_args_duration(state, "older", arg, 0);
		return 0;
	case KEY_FROM:
		s->from = arg;
		return 0;
	case KEY_TO:
		s->to = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp filter = { .options = options, .parser = parse };
static const struct argp event_filter = { .options = event_options, .parser = parse };

#define FILTER	{ &filter, 0, "Only some of them:", 8 }
#define TIMES	{ .argp = &lt_argp_times }
#define LINES	{ &lt_argp_lines, 0, "Source lines:", 7 }

const struct argp_child lt_args_file_filter[] = {
	{ .argp = &lt_argp_file }, FILTER, { 0 }
};
const struct argp_child lt_args_file_json_filter[] = {
	{ .argp = &lt_argp_file_json }, FILTER, LINES, TIMES, { 0 }
};
const struct argp_child lt_args_file_table_filter[] = {
	{ .argp = &lt_argp_file_table }, FILTER, LINES, { 0 }
};
const struct argp_child lt_args_file_table_filter_times[] = {
	{ .argp = &lt_argp_file_table }, FILTER, LINES, TIMES, { 0 }
};
const struct argp_child lt_args_table_event[] = {
	{ .argp = &lt_argp_table }, { &event_filter, 0, "Only some of them:", 8 }, TIMES, { 0 }
};
const struct argp_child lt_args_table_filter[] = {
	{ .argp = &lt_argp_table }, FILTER, LINES, TIMES, { 0 }
};

#define MOST_ROOTS	8	/* of the file, and of --root */

/*
 * Which tasks are wanted: those that each of these has; none: all. @whose: what the file is about
 */
struct members {
	struct lt_cgroups *cgroups;
	struct lt_task_below *below[MOST_ROOTS];
	size_t n_below;
	char *whose;
};

static bool is_member(void *arg, const struct lt_task *task, uint64_t time)
{
	const struct members *m = arg;

	for (size_t i = 0; i < m->n_below; i++) {
		if (!lt_task_below_has(m->below[i], task))
			return false;
	}
	return !m->cgroups || lt_cgroups_chosen(m->cgroups, lt_cgroups_at(m->cgroups, task, time));
}

static void free_members(void *arg)
{
	struct members *m = arg;

	lt_cgroups_free(m->cgroups);
	for (size_t i = 0; i < m->n_below; i++)
		lt_task_below_free(m->below[i]);
	free(m->whose);
	free(m);
}

static int add_root(struct members *m, const char *file, const char *root)
{
	if (m->n_below == MOST_ROOTS) {
		lt_error("%s: --root: the file is about %d of them already", file, MOST_ROOTS);
		return -1;
	}
	m->below[m->n_below] = lt_task_below_read(file, "root", root);
	return m->below[m->n_below++] ? 0 : -1;
}

/* What the file is about, if it was cut out of a trace so. */
static int read_whose(struct members *m, const char *file)
{
	struct lt_file *f = lt_file_open(file);
	const char *pos, *line;
	size_t len;
	int err = 0;

	if (!f)
		return -1;
	m->whose = lt_part_whose(f);
	lt_file_close(f);
	for (pos = m->whose; pos && !err && lt_line(&pos, &line, &len);) {
		char *root = lt_strndup(line, len);

		if (!strncmp(root, "root=", 5))
			err = add_root(m, file, root + 5);
		free(root);
	}
	return err;
}

static int read_members(const struct lt_filter_spec *spec, const char *file, struct members *m)
{
	if (spec->cgroup) {
		m->cgroups = lt_cgroups_read(file);
		if (!m->cgroups || lt_cgroups_choose(m->cgroups, spec->cgroup))
			return -1;
	}
	return read_whose(m, file) || (spec->root && add_root(m, file, spec->root)) ? -1 : 0;
}

int lt_args_filter(const struct lt_filter_spec *spec, const char *file, struct lt_filter **f)
{
	struct lt_filter_spec s = *spec;
	struct members *m;

	*f = NULL;
	if (!file && (s.cgroup || s.root)) {
		lt_error("--%s: is for a trace file, not for what is being recorded",
			 s.cgroup ? "cgroup" : "root");
		return -1;
	}
	m = lt_alloc(sizeof(*m));
	if (file && read_members(&s, file, m)) {
		free_members(m);
		return -1;
	}
	s.within = m->whose;
	s.arg = m;
	s.free_arg = free_members;
	if (m->cgroups || m->n_below)
		s.member = is_member;
	if (lt_filter_is_empty(&s)) {
		free_members(m);
		return 0;
	}
	*f = lt_filter_new(&s, file);
	return *f ? 0 : -1;
}
