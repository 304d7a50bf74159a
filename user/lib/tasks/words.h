/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names, times and states of a task in words.
 */
#ifndef LT_TASKS_WORDS_H
#define LT_TASKS_WORDS_H

#include "base/out.h"
#include "tasks/tasks.h"

/* A name in text for people. */
void lt_task_out_name(struct lt_out *o, const char *s, size_t len);

/* Seconds since the begin of the trace, with six decimals; may be negative. */
const char *lt_task_time(int64_t ns, char *buf, size_t size);

/* The signal that ended a task; 0: none, or it has not exited. */
unsigned int lt_task_signal(const struct lt_task_inst *t);

/* Whether the exit record of a task, which has its usage, was seen. */
bool lt_task_has_usage(const struct lt_task_inst *t);

/* Whether it has exited, and it is known with which code. */
bool lt_task_has_code(const struct lt_task_inst *t);

/* That of the process of a leader, also where the leader exited first; "alive", "exited". */
const char *lt_task_process_status(const struct lt_tasks *tb, const struct lt_task_inst *t,
				   char *buf, size_t size);

/* What is unusual about a task, in words separated by commas; "": nothing. */
const char *lt_task_remarks(const struct lt_task_inst *t, char *buf, size_t size);

#endif /* LT_TASKS_WORDS_H */
