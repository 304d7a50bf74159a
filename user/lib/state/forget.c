// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Forgetting the tasks of a live trace.
 */
#include <stdlib.h>

#include "state/forget.h"
#include "trace/forget.h"

#define TASKS_MIN	16384	/* that may be there for nothing: 9 MB */
#define TASKS_SHARE	16	/* and by so many objects one more */
#define LOOK_NS		1000000000ULL
#define STAY_NS		10000000000ULL	/* records about a task come late, after its end, too */

struct table {
	const struct lt_lifetimes *lf;
	uint64_t *uses;
};

struct tables {
	struct table of[2];
	size_t n;
};

static uint64_t used_from(const void *arg, const struct lt_task *task)
{
	const struct tables *tables = arg;
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < tables->n; i++) {
		uint64_t from = lt_lifetimes_used_from(tables->of[i].lf, tables->of[i].uses, task);

		first = from < first ? from : first;
	}
	return first;
}

static void add(struct tables *tables, const struct lt_lifetimes *lf)
{
	if (lf)
		tables->of[tables->n++] = (struct table){ lf, lt_lifetimes_uses(lf) };
}

/* Tasks, their names and changes: one task may have had as many as it liked. */
static size_t n_in(const struct lt_cgroups *cgroups)
{
	return cgroups ? lt_cgroups_n_tasks(cgroups) + lt_cgroups_n_kept(cgroups) : 0;
}

static bool is_due(const struct lt_forget *f, const struct lt_trace *t,
		   const struct lt_lifetimes *lf, const struct lt_cgroups *cgroups)
{
	size_t more = TASKS_MIN + lt_lifetimes_size(lf) / TASKS_SHARE;

	return lt_trace_n_tasks(t) > 2 * f->tasks + more ||
	       n_in(cgroups) > 2 * f->in_cgroups + more;
}

void lt_forget_look(struct lt_forget *f, struct lt_trace *t, const struct lt_lifetimes *lf,
		    const struct lt_lifetimes *also, struct lt_cgroups *cgroups, uint64_t now)
{
	uint64_t before = now > STAY_NS ? now - STAY_NS : 0;
	struct tables tables = { .n = 0 };

	f->look = now + LOOK_NS;
	if (!is_due(f, t, lf, cgroups))
		return;
	add(&tables, lf);
	add(&tables, also);
	lt_trace_forget_tasks(t, before, used_from, &tables);
	for (size_t i = 0; i < tables.n; i++)
		free(tables.of[i].uses);
	if (cgroups)
		lt_cgroups_forget(cgroups, t, before);
	f->tasks = lt_trace_n_tasks(t);
	f->in_cgroups = n_in(cgroups);
}
