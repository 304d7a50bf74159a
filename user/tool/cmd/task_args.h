/* SPDX-License-Identifier: GPL-2.0 */
/* The options that say which tasks are printed, as a child of an argp. */
#ifndef LT_CMD_TASK_ARGS_H
#define LT_CMD_TASK_ARGS_H

#include <argp.h>

#include "print/task_pick.h"

/**
 * struct lt_task_args - what the child parses
 * @pick: the tasks, once lt_task_args_times() has understood the times
 * @from, @to: as they were written; NULL: no limit
 */
struct lt_task_args {
	struct lt_task_pick pick;
	const char *from;
	const char *to;
};

/* Its input is a struct lt_task_args. */
extern const struct argp lt_argp_tasks;

/* Return: 0, or -1 after reporting what is wrong with a time. */
int lt_task_args_times(struct lt_task_args *a, const char *file);

#endif /* LT_CMD_TASK_ARGS_H */
