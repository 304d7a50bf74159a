/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks, and all that are below them in the forest of a trace.
 */
#ifndef LT_PRINT_TASK_BELOW_H
#define LT_PRINT_TASK_BELOW_H

#include <stdbool.h>

#include "trace/trace.h"

struct lt_task_below;

/**
 * lt_task_below_read() - choose tasks, by a pass over a trace
 * @path: the file
 * @option: the name of the option, for messages
 * @name: a name, a program (also without its directory), or a tid of tasks; what they were parents
 *	of, and these of, is chosen too
 * Return: NULL after reporting that there is no such task, or why the file cannot be read.
 */
struct lt_task_below *lt_task_below_read(const char *path, const char *option, const char *name);
/* @b may be NULL. */
void lt_task_below_free(struct lt_task_below *b);

/* Whether a task was chosen. */
bool lt_task_below_has(const struct lt_task_below *b, const struct lt_task *task);

#endif /* LT_PRINT_TASK_BELOW_H */
