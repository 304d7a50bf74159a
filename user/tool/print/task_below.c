// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks, and all that are below them in the forest of a trace.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "print/task_below.h"
#include "print/task_pick.h"
#include "tasks/read.h"
#include "tasks/tree.h"

/**
 * struct lt_task_below - the tasks that were chosen
 * @tb: all tasks
 * @chosen: by instance
 */
struct lt_task_below {
	struct lt_tasks *tb;
	bool *chosen;
};

static void choose(struct lt_task_below *b, const char *name)
{
	struct lt_task_tree tree;
	uint32_t at = 0;

	lt_task_tree_make(&tree, b->tb, LT_BY_PARENT);
	b->chosen = lt_alloc_array((size_t)lt_tasks_count(b->tb) + 1, sizeof(*b->chosen));
	/* A walk is at a parent before it is at what is below. */
	while ((at = lt_task_tree_next(&tree, 0, at, true)) != 0)
		b->chosen[at] = b->chosen[tree.nodes[at].up] ||
				lt_task_is_called(b->tb, lt_tasks_get(b->tb, at), name);
	lt_task_tree_free(&tree);
}

struct lt_task_below *lt_task_below_read(const char *path, const char *option, const char *name)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_tasks *tb = t ? lt_tasks_for(t, false) : NULL;
	struct lt_task_below *b = NULL;

	if (tb && !lt_tasks_read(t, tb) &&
	    !lt_task_check_name(tb, lt_file_name(path), option, name)) {
		b = lt_alloc(sizeof(*b));
		b->tb = tb;
		choose(b, name);
	} else {
		lt_tasks_free(tb);
	}
	lt_trace_close(t);
	return b;
}

void lt_task_below_free(struct lt_task_below *b)
{
	if (!b)
		return;
	lt_tasks_free(b->tb);
	free(b->chosen);
	free(b);
}

bool lt_task_below_has(const struct lt_task_below *b, const struct lt_task *task)
{
	return b->chosen[lt_tasks_find(b->tb, task->tid, task->start)];
}
