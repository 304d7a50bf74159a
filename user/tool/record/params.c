// SPDX-License-Identifier: GPL-2.0
/*
 * The parameters of the module. They stay as they are written, and every later session takes
 * them over: so a recording writes all of them that decide what is recorded, and restores what
 * was there as soon as its session has begun. If it is killed before that, the next recording
 * does it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"
#include "record/internal.h"

/*
 * Without an option these get their default, whatever the module was loaded with. The sizes
 * of buffers (@keep) do not change what is recorded: those that the administrator has set
 * fit the machine, and stay.
 */
static const struct parameter {
	const char *name;
	const char *standard;
	bool keep;
} parameters[LT_N_PARAMETERS] = {
	{ "events", "slab,tasks", false },
	{ "clock", "auto", false },
	{ "mode", "stream", false },
	{ "freeze", "N", false },
	{ "min_size", "0", false },
	{ "sample", "1", false },
	{ "sample_changes", "N", false },
	{ "stacks", "0", false },
	{ "stack_min", "0", false },
	{ "stack_depth", "16", false },
	{ "stacks_free", "N", false },
	{ "stacks_pages", "N", false },
	{ "max_size", "0", false },
	{ "only_caches", "", false },
	{ "only_code", "", false },
	{ "only_pid", "0", false },
	{ "only_cgroup", "", false },
	{ "calls", "", false },
	{ "calls32", "", false },
	{ "call_errors", "N", false },
	{ "call_min", "0", false },
	{ "call_texts", "", false },
	{ "call_texts32", "", false },
	{ "subbuf_size", NULL, true },
	{ "n_subbufs", NULL, true },
	{ "pid_subbuf_size", NULL, true },
	{ "pid_n_subbufs", NULL, true },
};

static const char *option(const struct lt_record_session *s, const struct lt_record_options *o,
			  size_t i)
{
	const char *const values[LT_N_PARAMETERS] = {
		o->events, o->clock, o->overwrite ? "flight" : NULL, o->freeze ? "Y" : NULL,
		o->min_size, o->sample, o->budget > 0 ? "Y" : NULL,
		o->stacks ? o->stacks : s->default_stacks, o->stack_min, o->stack_depth,
		o->stacks_free, o->stacks_pages, o->max_alloc, o->only_caches, s->only_code,
		o->only_command ? s->only_pid : o->only_pid, o->only_cgroup, o->calls, o->calls32,
		o->call_errors, o->call_min, o->call_texts, o->call_texts32, o->subbuf_size,
		o->n_subbufs, o->pid_subbuf_size, o->pid_n_subbufs,
	};

	return values[i];
}

/*
 * What a recorder has changed and not yet restored stands in a file, since it may be killed:
 * lines "NAME<tab>VALUE<tab>VALUE BEFORE".
 */
static void keep(const struct lt_engine *e, const char *name, const char *value,
		 const char *before)
{
	char *path, *line;
	int fd;

	if (!e->ops->kept)
		return;
	path = e->ops->kept(e);
	line = lt_format("%s\t%s\t%s\n", name, value, before);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* Without it a recording is possible, too. */
	if (fd >= 0 && write(fd, line, strlen(line)) < 0)
		lt_warn("%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	free(line);
	free(path);
}

static void forget(const struct lt_engine *e)
{
	char *path;

	if (!e->ops->kept)
		return;
	path = e->ops->kept(e);
	unlink(path);
	free(path);
}

/* Restores a parameter that has the value of the recorder. Return: whether it had. */
static bool restore_kept(const struct lt_engine *e, char *line)
{
	char *name = strsep(&line, "\t"), *value = strsep(&line, "\t"), *now, *text;
	bool is = false;

	for (size_t i = 0; line && i < LT_N_PARAMETERS; i++)
		is |= !strcmp(parameters[i].name, name);
	if (!is)
		return false;
	now = lt_engine_get(e, name);
	is = now && !strcmp(now, value);
	text = lt_format("%s\n", line);
	if (is)
		lt_engine_set(e, name, text);
	free(text);
	free(now);
	return is;
}

/*
 * Restores what a recorder that was killed has left. A parameter that was changed since then
 * stays, as do those of a module that was loaded again.
 */
static void restore_all_kept(const struct lt_engine *e)
{
	char *path, *text, *rest, *line;
	bool any = false;

	if (!e->ops->kept)
		return;
	path = e->ops->kept(e);
	text = lt_read_text_file(path, 65536, NULL);
	rest = text;
	while (rest && (line = strsep(&rest, "\n")))
		any |= restore_kept(e, line);
	if (any)
		lt_warn("a recorder was killed and had left parameters of the module set: they are "
			"restored");
	if (text)
		forget(e);
	free(text);
	free(path);
}

/* Was a value asked for? That of the stacks may be this program's own choice. */
static bool is_asked(const struct lt_record_session *s, const struct lt_record_options *o, size_t i)
{
	const char *value = option(s, o, i);

	return value && value != s->default_stacks;
}

/*
 * @fixed: gets the parameters that nobody asked for, and that this user may not set: they stay as
 *	the
 * module was loaded
 */
static int set(struct lt_record_session *s, const struct lt_record_options *o, size_t i,
	       struct lt_str *fixed)
{
	const char *wanted = option(s, o, i), *name = parameters[i].name;
	char *before = lt_engine_get(s->engine, name);

	if (!wanted && (parameters[i].keep || !before)) {
		free(before);
		return 0;
	}
	if (!wanted)
		wanted = parameters[i].standard;
	if (before && !strcmp(before, wanted)) {
		free(before);
		return 0;
	}
	if (before && !is_asked(s, o, i) && !lt_engine_may_set(s->engine, name)) {
		lt_str_add(fixed, "%s%s=%s", fixed->s ? ", " : "", name, before);
		free(before);
		return 0;
	}
	if (before)
		keep(s->engine, name, wanted, before);
	/* A write of no bytes would not reach the module. */
	if (lt_engine_set(s->engine, name, *wanted ? wanted : "\n")) {
		free(before);
		return -1;
	}
	s->parameters[i] = before;
	return 0;
}

/* Whether a list of events has slab objects, of whose births stacks are recorded. */
static bool watches_objects(const char *events)
{
	static const char *const words[] = { "all", "slab", "kmalloc", "kmem_cache_alloc" };
	size_t len;

	for (; events && *events; events += len + (events[len] == ',')) {
		len = strcspn(events, ",");
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			if (len == strlen(words[i]) && !strncmp(events, words[i], len))
				return true;
		}
	}
	return !events;
}

/*
 * The stacks of a recording that asks for none and does not refuse them: of a sample, where the
 * module learns the steps of the kernel's unwinder and a stack costs little.
 */
static const char *default_stacks(const struct lt_record_session *s,
				  const struct lt_record_options *o)
{
	const char *stacks = NULL;
	char *info, *now;

	if (o->stacks || o->no_stacks || o->stack_min || o->stacks_pages || s->attached ||
	    !watches_objects(o->events))
		return NULL;
	info = lt_engine_text(s->engine, LT_FILE_INFO);
	now = lt_engine_get(s->engine, "stacks");
	/* Of a module by its files alone (--module-dir) the parameters may be out of reach. */
	if (info && now && strstr(info, "\nstack_steps=1\n"))
		stacks = LT_DEFAULT_STACKS;
	free(now);
	free(info);
	return stacks;
}

static int set_all(struct lt_record_session *s, const struct lt_record_options *o)
{
	struct lt_str fixed = { 0 };
	int ret = 0;

	for (size_t i = 0; i < LT_N_PARAMETERS && !ret; i++)
		ret = set(s, o, i, &fixed);
	if (fixed.s && !ret)
		lt_warn("recorded with %s, as the module was loaded: root alone can set its parameters",
			fixed.s);
	free(fixed.s);
	return ret;
}

int lt_record_set_parameters(struct lt_record_session *s, const struct lt_record_options *o,
			     pid_t pid)
{
	s->default_stacks = default_stacks(s, o);
	if (o->only_command)
		s->only_pid = lt_format("%d", (int)pid);
	if (o->only_code) {
		s->only_code = lt_record_code_ranges(o->only_code);
		if (!s->only_code)
			return -1;
	}
	for (size_t i = 0; i < LT_N_PARAMETERS; i++) {
		if (s->attached && option(s, o, i)) {
			lt_error("a session is already recording (lifetrace.enable=1): its %s cannot be "
				 "changed; leave the option out", parameters[i].name);
			return -1;
		}
	}
	if (!s->attached)
		restore_all_kept(s->engine);
	if (!s->attached && set_all(s, o))
		return -1;
	s->used_events = lt_engine_get(s->engine, "events");
	return 0;
}

void lt_record_restore_parameters(struct lt_record_session *s)
{
	bool any = false;

	for (size_t i = 0; i < LT_N_PARAMETERS; i++) {
		char *text;

		if (!s->parameters[i])
			continue;
		/* A write of no bytes would not reach the module. */
		text = lt_format("%s\n", s->parameters[i]);
		lt_engine_set(s->engine, parameters[i].name, text);
		free(text);
		free(s->parameters[i]);
		s->parameters[i] = NULL;
		any = true;
	}
	if (any)
		forget(s->engine);
}

/* The number of a line KEY=NUMBER of INFO. */
unsigned long long lt_record_info_number(const char *info, const char *key)
{
	const char *line;
	uint64_t value;
	size_t len;

	while (lt_line(&info, &line, &len)) {
		if (lt_pair(line, len, key, &value))
			return value;
	}
	return 0;
}

static void print_stacks(const char *info)
{
	unsigned long long one_in = lt_record_info_number(info, "stacks"),
		min = lt_record_info_number(info, "stack_min");
	bool pages = lt_record_info_number(info, "page_stacks");
	const char *and = "";

	if (!one_in && !min && !pages)
		return;
	fprintf(stderr, ", stacks of");
	if (one_in == 1)
		fprintf(stderr, " all allocations");
	else if (one_in)
		fprintf(stderr, " one address in %llu", one_in);
	if (one_in)
		and = " and of";
	if (min && one_in != 1) {
		fprintf(stderr, "%s sizes of %llu bytes and more", and, min);
		and = " and of";
	}
	if (pages && one_in != 1)
		fprintf(stderr, "%s pages", and);
	fprintf(stderr, " (%llu frames%s)", lt_record_info_number(info, "stack_depth"),
		lt_record_info_number(info, "stacks_free") ? ", frees too" : "");
}

static void print_births(const char *info)
{
	static const char *const lines[][2] = {
		{ "max_size", "sizes up to bytes" }, { "only_caches", "caches" },
		{ "only_code", "callers at" }, { "only_pid", "the tree of process" },
		{ "only_cgroup", "cgroup" },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char *key = lt_format("\n%s=", lines[i][0]);
		const char *at = strstr(info, key);

		if (at)
			fprintf(stderr, ", only %s %.*s", lines[i][1],
				(int)strcspn(at + strlen(key), "\n"), at + strlen(key));
		free(key);
	}
}

/* Which system calls the session records, if not all. */
static void print_calls(const char *info)
{
	const char *list = strstr(info, "\ncalls=");
	const char *list32 = strstr(info, "\ncalls32=");
	unsigned long long min = lt_record_info_number(info, "call_min");

	if (list) {
		list += strlen("\ncalls=");
		fprintf(stderr, ", only system calls %.*s", (int)strcspn(list, "\n"), list);
	}
	if (list32) {
		list32 += strlen("\ncalls32=");
		if (*list32 && *list32 != '\n')
			fprintf(stderr, " (of 32 bits: %.*s)", (int)strcspn(list32, "\n"), list32);
	}
	/* Filters of births do not hold for them; INFO has this line if they are recorded. */
	if (strstr(info, "\nonly_pid=") && strstr(info, "\ncall_errors="))
		fprintf(stderr, ", system calls of all threads (syscalls --root=PID chooses)");
	if (lt_record_info_number(info, "call_errors"))
		fprintf(stderr, ", only system calls that fail");
	if (min)
		fprintf(stderr, ", only system calls of %llu ns and more", min);
	if (lt_record_info_number(info, "call_texts"))
		fprintf(stderr, ", with paths and addresses of sockets");
}

/* As the module says it, so that a session is described that another one has started, too. */
void lt_record_print_parameters(const char *info, const char *events, size_t n_functions)
{
	const char *clock = strstr(info, "\nclock=");
	unsigned long long min_size = lt_record_info_number(info, "min_size"),
		sample = lt_record_info_number(info, "sample");

	clock = clock ? clock + strlen("\nclock=") : "?";
	fprintf(stderr, "parameters: events %s, clock %.*s",
		events ? events : "?", (int)strcspn(clock, "\n"), clock);
	if (min_size > 0)
		fprintf(stderr, ", only sizes of %llu bytes and more", min_size);
	if (sample > 1)
		fprintf(stderr, ", one address in %llu", sample);
	print_births(info);
	print_stacks(info);
	print_calls(info);
	if (n_functions)
		fprintf(stderr, ", calls of %zu function%s", n_functions, n_functions == 1 ? "" : "s");
	fprintf(stderr, ";\n  buffers of a CPU: %llu x %llu bytes",
		lt_record_info_number(info, "n_subbufs"),
		lt_record_info_number(info, "subbuf_size"));
	if (lt_record_info_number(info, "pid_n_subbufs"))
		fprintf(stderr, ", tasks: %llu x %llu bytes",
			lt_record_info_number(info, "pid_n_subbufs"),
			lt_record_info_number(info, "pid_subbuf_size"));
	fprintf(stderr, "\n");
}
