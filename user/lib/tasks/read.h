/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a trace to its tasks.
 */
#ifndef LT_TASKS_READ_H
#define LT_TASKS_READ_H

#include "tasks/tasks.h"
#include "trace/trace.h"

/**
 * lt_tasks_for() - an empty store for the tasks of a trace
 * @t: no event of it has been read yet
 * @history: keep all changes of attributes
 * Return: NULL: the trace does not contain the channel pid, which was reported.
 */
struct lt_tasks *lt_tasks_for(struct lt_trace *t, bool history);

/**
 * lt_tasks_read() - take in all events of a trace, and finish
 * Return: 0; -1: the trace cannot be read to its end, which was reported. @tb is finished in
 * any case.
 */
int lt_tasks_read(struct lt_trace *t, struct lt_tasks *tb);

/**
 * lt_tasks_unwatched() - why births and deaths are not in a trace
 * @buf: where the reason is written to
 * Return: @buf; NULL: births and deaths were recorded.
 */
const char *lt_tasks_unwatched(const struct lt_trace *t, char *buf, size_t size);

#endif /* LT_TASKS_READ_H */
