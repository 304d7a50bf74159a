/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a trace to a table of its tasks.
 */
#ifndef LT_LIB_TASK_READ_H
#define LT_LIB_TASK_READ_H

#include "tasks/tasks.h"
#include "trace/trace.h"

/*
 * A table for a trace of which no event was taken yet. NULL after printing that the
 * trace does not hold the channel pid.
 */
struct lt_tasks *lt_tasks_for(struct lt_trace *t, bool history);

/**
 * lt_tasks_read() - take in all events of a trace, and finish the table
 * Return: 0; -1 after printing why it cannot be read to its end.
 */
int lt_tasks_read(struct lt_trace *t, struct lt_tasks *tb);

/*
 * Why births and deaths are not in the trace, into buf, which is returned; NULL: they
 * are.
 */
const char *lt_tasks_unwatched(const struct lt_trace *t, char *buf, size_t size);

#endif /* LT_LIB_TASK_READ_H */
