/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks as text for people, CSV and JSON.
 *
 * Names may have any bytes. In all formats a backslash of a name is written as two, and a byte
 * that is not part of UTF-8 as \xHH (in CSV and text a control character, too), so that a
 * reader can restore the bytes. In text for people a name with other than plain characters
 * stands in quotes.
 */
#ifndef LT_PRINT_TASKS_H
#define LT_PRINT_TASKS_H

#include "base/out.h"
#include "forms/columns.h"
#include "rows/task.h"
#include "print/task_pick.h"
#include "tasks/words.h"
#include "print/times.h"
#include "tasks/cgroups.h"
#include "tasks/tasks.h"

/**
 * struct lt_tasks_view - what to print of tasks, and how
 * @wspy: CSV in the form of wspy's processtree2.csv, version 20
 * @no_threads: leaders of thread groups only
 * @why: bit n: tasks of which birth or end is not exact for the reason n; 0: all
 * @cgroups: with a chosen one: only tasks whose latest cgroup it is; NULL: all
 * @pick: the tasks that are wanted
 * @columns: of --columns: text is a table of them, too; NULL: those of the format
 * @sort: the column that tasks are sorted by; NULL: by birth
 * @names: paths of cgroups; NULL: none are printed
 * @times: of the trace
 */
struct lt_tasks_view {
	struct lt_out *out;
	const struct lt_tasks *tb;
	enum lt_format format;
	bool wspy;
	bool no_threads;
	unsigned int why;
	const struct lt_cgroups *cgroups;
	struct lt_task_pick pick;
	const struct lt_column *sort;
	const char *columns;
	const struct lt_cgroups *names;
	struct lt_times times;
};


/* All tasks. */
void lt_tasks_print(const struct lt_tasks_view *p);

/* Of tasks_lines.c: @n of them, struct lt_task_inst, as lines for people below a summary. */
void lt_tasks_lines(const struct lt_tasks_view *p, const void *const *rows, size_t n);

/* The number of tasks, of the certainties of their births and ends, and of the reasons. */
void lt_tasks_summary(struct lt_out *o, const struct lt_tasks *tb);

#endif /* LT_PRINT_TASKS_H */
