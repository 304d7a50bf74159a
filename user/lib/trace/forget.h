/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forgetting tasks of a live trace that goes on for days.
 */
#ifndef LT_TRACE_FORGET_H
#define LT_TRACE_FORGET_H

#include "trace/trace.h"

/**
 * lt_trace_forget_tasks() - forget tasks, and earlier names of others
 * @t: live; between two calls of lt_trace_next(), whose event stays valid
 * @before: not those that were seen at this time or later, ns: their packets may still come
 * @used_from: since when somebody uses the task, ns; UINT64_MAX: nobody does. Pointers to those
 *	that are forgotten may become those of other tasks.
 * @arg: passed to @used_from
 */
void lt_trace_forget_tasks(struct lt_trace *t, uint64_t before,
			   uint64_t (*used_from)(const void *arg, const struct lt_task *task),
			   const void *arg);

/* How many tasks the trace has. */
size_t lt_trace_n_tasks(const struct lt_trace *t);

/* Whether the trace has a task, which is not an idle one. */
bool lt_trace_has_task(const struct lt_trace *t, uint32_t tid, uint64_t start);

#endif /* LT_TRACE_FORGET_H */
