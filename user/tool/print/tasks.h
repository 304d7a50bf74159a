/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks as text for people, CSV and JSON.
 *
 * Names may hold any bytes. In JSON and CSV a backslash of a name comes out as two,
 * and a byte that is not part of UTF-8 as \xHH (in CSV a control character, too), so
 * that what was there can be told from what is read. In text for people likewise, and
 * a name with anything but plain characters stands in quotes.
 */
#ifndef LT_LIB_TASK_OUT_H
#define LT_LIB_TASK_OUT_H

#include "base/out.h"
#include "print/table.h"
#include "tasks/tasks.h"

/* A name for people. */
void lt_task_out_name(struct lt_out *o, const char *s, size_t len);

/* Seconds since the trace's begin, with six digits; may be negative. */
const char *lt_task_time(int64_t ns, char *buf, size_t size);
void lt_task_out_time(struct lt_out *o, int64_t ns);

/* "exit 3", "signal 9 core"; nothing of what has not exited. */
const char *lt_task_status(const struct lt_task_inst *t, char *buf, size_t size);

/* What is odd about a task, in words separated by commas; "" if nothing is. */
const char *lt_task_remarks(const struct lt_task_inst *t, char *buf, size_t size);

/**
 * struct lt_tasks_view - what to print of tasks, and how
 * @wspy: CSV in the form of wspy's processtree2.csv, version 20
 * @no_threads: leaders of thread groups only
 * @begin: of the trace, ns
 */
struct lt_tasks_view {
	struct lt_out *out;
	const struct lt_tasks *tb;
	enum lt_format format;
	bool wspy;
	bool no_threads;
	uint64_t begin;
};

/* All tasks, in the order of their births. */
void lt_tasks_print(const struct lt_tasks_view *p);

/* How many there are, and how sure what is said of them is. */
void lt_tasks_summary(struct lt_out *o, const struct lt_tasks *tb);

#endif /* LT_LIB_TASK_OUT_H */
