/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside the tasks as text (task_script.h): a run of one of them. task_script.c gives events to the
 * engine and compares attributes, totals and proofs; task_inst.c compares what else is known of a
 * task; task_trace.c takes the way of a trace.
 */
#ifndef TASK_RUN_H
#define TASK_RUN_H

#include "script.h"
#include "tasktest.h"
#include "verify/tasks.h"

/* @c is NULL where nothing is proven, or all was. */
struct task_run {
	struct parser p;
	struct lt_tasks *tb;
	struct lt_task_checker *c;
	const char *unwatched;
	bool proven;
	struct lt_task_proofs v;
	char expected[8192];
	char found[8192];
};

struct task_name {
	uint32_t tid;
	uint64_t start;
};

#define BOTH(r, ...)								\
	do {									\
		text_add((r)->expected, sizeof((r)->expected), __VA_ARGS__);	\
		text_add((r)->found, sizeof((r)->found), __VA_ARGS__);		\
	} while (0)

/* task_script.c */
struct task_name task_next(struct parser *p);
/* All results that stand behind "->". */
void task_compare(struct task_run *r);
/* The value that is expected, as it stands there. */
void task_expect(struct task_run *r);
/* The next number is expected, and @n found. */
void task_compare_number(struct task_run *r, uint64_t n);
void task_add_name(const struct task_run *r, char *text, size_t size, uint32_t name);
/* The lines that differ; both texts have as many. */
void task_differ(struct script *s, const char *expected, const char *found);

/* task_inst.c */
/* MEMBER VALUE of a task. */
void task_compare_inst(struct task_run *r, const struct lt_task_inst *t);
/* Return: false: it is none of the totals there. */
bool task_compare_total(struct task_run *r);
/* The text between backquotes is the whole of @found. */
void task_compare_whole(struct task_run *r, const char *found);

#endif /* TASK_RUN_H */
