/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which tasks are to be printed.
 */
#ifndef LT_PRINT_TASK_PICK_H
#define LT_PRINT_TASK_PICK_H

#include "tasks/tasks.h"

/**
 * struct lt_task_pick - the tasks that are wanted
 * @name: a name, a program (also without its directory), or a tid; NULL: any
 * @from: ns on the trace's clock: tasks that ended before it are not wanted
 * @to: tasks that began at it or later are not wanted; 0: no limit
 */
struct lt_task_pick {
	const char *name;
	uint64_t from;
	uint64_t to;
};

/* Whether all tasks are wanted. */
bool lt_task_pick_is_empty(const struct lt_task_pick *p);

/* Whether a task has this name, program or tid. */
bool lt_task_is_called(const struct lt_tasks *tb, const struct lt_task_inst *t, const char *name);

bool lt_task_is_picked(const struct lt_tasks *tb, const struct lt_task_inst *t,
		       const struct lt_task_pick *p);

/*
 * A name that no task has is an error: nothing would look like an answer. Return: 0, or -1 after
 * reporting it, with the nearest name; @option is that of the command line.
 */
int lt_task_check_name(const struct lt_tasks *tb, const char *file, const char *option,
		       const char *name);

#endif /* LT_PRINT_TASK_PICK_H */
