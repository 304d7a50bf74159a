// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Engines side by side: reading the traces, and which task the command is.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "compare/engines_internal.h"
#include "sums/loss.h"
#include "tasks/read.h"

/* A number of INFO; 0: there is none. */
static uint32_t number_of(const struct lt_trace *t, const char *key)
{
	const char *tid = lt_trace_info(t, key);

	return tid ? (uint32_t)strtoul(tid, NULL, 10) : 0;
}

/* The number of the command, from the trace of the recorder that has made it; 0: there was none. */
static uint32_t command_of(const struct lt_trace *t)
{
	return number_of(t, "command_tid");
}

/* Whether the command of a trace is the recorder of another one. */
static bool is_around(const struct lt_engines *e, const struct lt_trace *t)
{
	bool around = false;

	for (unsigned int i = 0; i < e->n_sides; i++)
		around |= command_of(t) == number_of(e->sides[i].trace, "recorder_tgid");
	return around;
}

/*
 * Engines that run at once each record a command, which is the next recorder, or has it as a child;
 * but for the innermost one. Its trace begins last, if the first events of another one are not
 * lost.
 */
static const struct lt_trace *innermost(const struct lt_engines *e)
{
	const struct lt_trace *last = NULL;

	for (unsigned int i = 0; i < e->n_sides; i++) {
		const struct lt_trace *t = e->sides[i].trace;

		if (command_of(t) && !is_around(e, t) &&
		    (!last || lt_trace_begin(t) > lt_trace_begin(last)))
			last = t;
	}
	return last;
}

/* The instance that had a number at a time, or soon after; 0: none. */
static uint32_t holder_at(const struct lt_tasks *tb, uint32_t tid, uint64_t time)
{
	uint32_t found = 0;

	for (uint32_t i = 1; i <= lt_tasks_count(tb); i++) {
		const struct lt_task_inst *t = lt_tasks_get(tb, i);

		if (t->tid != tid || t->end < time || t->marks & LT_TASK_MARK_TAKEN_OVER)
			continue;
		if (!found || t->birth < lt_tasks_get(tb, found)->birth)
			found = i;
	}
	return found;
}

static const char *const clocks[] = { "mono", "counter" };

/* Times of different clocks are not compared. */
static bool has_clock(const struct lt_trace *t)
{
	const char *clock = lt_trace_info(t, "clock");

	/* The counter's times are those of the monotonic clock. */
	for (size_t i = 0; clock && i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (!strcmp(clock, clocks[i]))
			return true;
	}
	lt_error("%s: its clock is %s; engines are compared by the monotonic one: record --clock=mono",
		 lt_trace_path(t), clock ? clock : "not known");
	return false;
}

/* Whether both traces have one value of a key, or one of them has none. */
static bool has_same(const struct lt_trace *a, const struct lt_trace *b, const char *key)
{
	const char *value = lt_trace_info(a, key);
	char *first = lt_strdup(value ? value : "");
	bool same;

	value = lt_trace_info(b, key);
	same = !*first || !value || !*value || !strcmp(first, value);
	free(first);
	return same;
}

/* The monotonic clock begins with each boot; files of other tools name the kernel alone. */
static bool same_boot(const struct lt_trace *a, const struct lt_trace *b)
{
	static const struct {
		const char *key;
		const char *word;
	} keys[] = {
		{ "machine", "machine" }, { "kernel_release", "kernel" }, { "boot_id", "boot" },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (has_same(a, b, keys[i].key))
			continue;
		lt_error("%s: is of another %s than %s; engines are compared by what they saw of one command",
			 lt_trace_path(b), keys[i].word, lt_trace_path(a));
		return false;
	}
	return true;
}

static bool read_side(struct lt_engine_side *s, const char *path)
{
	const char *engine;
	struct lt_loss loss;

	s->trace = lt_trace_open(path);
	if (!s->trace || !has_clock(s->trace))
		return false;
	s->tasks = lt_tasks_for(s->trace, false);
	if (!s->tasks || lt_tasks_read(s->trace, s->tasks))
		return false;
	/* The module does not say that it is one. */
	engine = lt_trace_info(s->trace, "engine");
	s->name = lt_strdup(engine ? engine : "module");
	loss = lt_trace_loss(s->trace);
	s->events = loss.records;
	s->lost = loss.lost + loss.missed;
	s->bytes = lt_trace_size(s->trace);
	s->life_of = lt_alloc_array((size_t)lt_tasks_count(s->tasks) + 1, sizeof(*s->life_of));
	return true;
}

static bool find_roots(struct lt_engines *e)
{
	const struct lt_trace *last = innermost(e);
	bool any = false;

	if (!last) {
		lt_error("%s: no command was recorded; engines are compared by what they saw of one: record -- COMMAND",
			 lt_trace_path(e->sides[0].trace));
		return false;
	}
	for (unsigned int i = 0; i < e->n_sides; i++) {
		struct lt_engine_side *s = &e->sides[i];

		s->root = holder_at(s->tasks, command_of(last), lt_trace_begin(last));
		any |= s->root;
	}
	if (!any)
		lt_error("%s: the command, process %u, is in none of the traces",
			 lt_trace_path(last), command_of(last));
	return any;
}

/* What performance counters have of the command and all that it created. */
static void sum_counters(struct lt_engine_side *s)
{
	for (uint32_t inst = 1; inst <= lt_tasks_count(s->tasks); inst++) {
		const struct lt_task_counts *c = NULL;

		if (s->life_of[inst])
			c = lt_tasks_counts(s->tasks, lt_tasks_get(s->tasks, inst));
		if (!c)
			continue;
		s->counted++;
		s->counters_known |= c->known;
		for (unsigned int i = 1; i < LT_N_COUNTERS; i++) {
			if (lt_task_counted(c, i))
				s->counters[i] += lt_task_count(c, i);
		}
	}
}

struct lt_engines *lt_engines_read(const char *const *paths, unsigned int n)
{
	struct lt_engines *e = lt_alloc(sizeof(*e));
	bool good = n <= LT_ENGINES_MAX;

	for (unsigned int i = 0; good && i < n; i++) {
		e->n_sides++;
		good = read_side(&e->sides[i], paths[i]) &&
		       same_boot(e->sides[0].trace, e->sides[i].trace);
	}
	if (!good || !find_roots(e)) {
		lt_engines_free(e);
		return NULL;
	}
	lt_engines_find_lives(e);
	lt_engines_differ(e);
	if (lt_engines_compare_objects(e)) {
		lt_engines_free(e);
		return NULL;
	}
	for (unsigned int i = 0; i < n; i++)
		sum_counters(&e->sides[i]);
	return e;
}

void lt_engines_free(struct lt_engines *e)
{
	if (!e)
		return;
	for (unsigned int i = 0; i < e->n_sides; i++) {
		lt_tasks_free(e->sides[i].tasks);
		if (e->sides[i].trace)
			lt_trace_close(e->sides[i].trace);
		if (e->sides[i].memory)
			lt_trace_close(e->sides[i].memory);
		free(e->sides[i].life_of);
		free(e->sides[i].name);
	}
	free(e->lives);
	free(e->differences);
	free(e->all.name);
	free(e);
}

void lt_engines_sum(const struct lt_engines *e, struct lt_engines_sums *sums)
{
	*sums = (struct lt_engines_sums){ .n = { { { 0 } } } };
	for (size_t i = 0; i < e->n_differences; i++) {
		const struct lt_engine_difference *d = &e->differences[i];

		sums->n[d->side][d->what][d->cause]++;
	}
}
