// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Whether there is anything in a trace that a condition of a selector can choose.
 *
 * Each condition is asked alone: that a cache and a task have no object together is an answer, that
 * there is no cache of the name is none. Objects without a cache, call site or task have the empty
 * name there, which every trace has.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/quantity.h"
#include "base/str.h"
#include "compare/budget.h"
#include "tasks/read.h"
#include "trace/pass.h"

/**
 * struct search - of a name that a condition chooses
 * @m: the condition
 * @found: there is one
 * @nearest: to its text, of those that it does not choose
 * @glob: a name that its text would match as a pattern of a shell
 */
struct search {
	const struct lt_matcher *m;
	bool found;
	bool glob;
	struct lt_nearest nearest;
};

static void try_name(struct search *s, const char *name)
{
	s->found = s->found || lt_matches(s->m, name);
	s->glob = s->glob || (name[0] && lt_matches_as_glob(s->m, name));
	if (!s->found)
		lt_nearest_try(&s->nearest, name);
}

static void try_rows(struct search *s, const struct lt_side *side)
{
	for (size_t i = 0; i < side->report->n_rows && !s->found; i++) {
		const struct lt_side_names *names = &side->names[i];

		if (lt_report_row_counts(&side->report->rows[i]))
			try_name(s, s->m->label == LT_LABEL_CACHE ? names->cache :
				 s->m->label == LT_LABEL_SITE ? names->function : names->comm);
	}
}

/* Caches of which no object was allocated meanwhile. */
static void try_caches(struct search *s, const struct lt_trace *t)
{
	size_t n = lt_trace_n_caches(t);

	for (uint32_t id = 0; id < n && !s->found; id++) {
		const struct lt_cache *c = lt_trace_cache(t, id);

		if (c && c->name[0])
			try_name(s, c->name);
	}
}

/* The tasks that the events are of, where that is all that is known of tasks. */
static int try_running(void *arg, const struct lt_event *ev)
{
	struct search *s = arg;

	if (ev->task)
		try_name(s, lt_task_comm_at(ev->task, ev->time));
	return s->found;
}

static void try_inst(struct search *s, const struct lt_tasks *tb, const struct lt_task_inst *task)
{
	const uint32_t names[2] = { task->comm, task->birth_comm };

	for (unsigned int k = 0; k < 2; k++) {
		char name[64];
		size_t len;
		const char *text = lt_tasks_name(tb, names[k], &len);

		snprintf(name, sizeof(name), "%.*s", (int)len, text);
		try_name(s, name);
	}
}

/* Tasks that allocated nothing, or nothing of this memory. */
static void try_tasks(struct search *s, const char *path)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_tasks *tb = NULL;

	if (!t)
		return;
	if (lt_trace_has_channel(t, LT_CHANNEL_PID))
		tb = lt_tasks_for(t, false);
	if (tb)
		lt_tasks_read(t, tb);
	else
		lt_trace_pass(t, &(struct lt_pass){ .event = try_running, .arg = s });
	for (uint32_t i = 1; tb && i <= lt_tasks_count(tb) && !s->found; i++)
		try_inst(s, tb, lt_tasks_get(tb, i));
	if (tb)
		lt_tasks_free(tb);
	lt_trace_close(t);
}

static char *describe(const struct search *s, bool base)
{
	static const char *const whats[LT_N_LABELS] = { "cache", "call site", "task", "cgroup" };
	struct lt_str text = { .s = NULL };
	char buf[2 * LT_NEAREST_SIZE];

	lt_str_add(&text, "%s %s of the %s %s \"%s\"", s->m->negated ? "every" : "no",
		   whats[s->m->label], base ? "base" : "trace", s->m->regex ? "matches" : "is",
		   s->m->text);
	if (s->m->negated)
		return text.s;
	if (s->glob) {
		char *regex = lt_glob_as_regex(s->m->text);

		lt_str_add(&text, "; as a regular expression that is \"%s\"", regex);
		free(regex);
	} else {
		lt_str_add(&text, "%s", lt_nearest_hint(&s->nearest, "", buf, sizeof(buf)));
	}
	return text.s;
}

char *lt_side_lacks(const struct lt_side *side, const struct lt_rule *rule, bool base)
{
	for (unsigned int i = 0; i < rule->n_matchers; i++) {
		struct search s = { .m = &rule->matchers[i] };

		lt_nearest_init(&s.nearest, s.m->text);
		try_name(&s, "");
		if (!s.found)
			try_rows(&s, side);
		if (!s.found && s.m->label == LT_LABEL_CACHE &&
		    side->report->opts.space <= LT_SPACE_SLAB)
			try_caches(&s, side->report->trace);
		if (!s.found && s.m->label == LT_LABEL_COMM)
			try_tasks(&s, side->path);
		if (!s.found)
			return describe(&s, base);
	}
	return NULL;
}
