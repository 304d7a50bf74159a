/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who had a number when: the holders of each number of the initial pid namespace, one after the
 * other.
 *
 * A number is held from some moment of fork on, which is after the start of the task and before its
 * birth is recorded, until some moment after its exit and before its release is recorded. So a
 * holder has two spans: one in which it may have held the number, and in it one in which it
 * certainly did. The former are what is searched; two of them that follow each other may overlap.
 */
#ifndef LT_TASKS_HOLDERS_H
#define LT_TASKS_HOLDERS_H

#include "tasks/tasks.h"

/**
 * struct lt_holder - a task that had a number
 * @from, @until: when it may have had it, in ns on the trace's clock
 * @sure_from, @sure_until: when it certainly had it; empty if @sure_from is greater
 * @start: of the task
 * @inst: the task
 * @tid: the number
 */
struct lt_holder {
	uint64_t start;
	uint64_t from;
	uint64_t until;
	uint64_t sure_from;
	uint64_t sure_until;
	uint32_t inst;
	uint32_t tid;
};

struct lt_holders;

/**
 * lt_holders_new() - the holders of all numbers
 * @tb: finished; must stay
 * @begin, @end: of the trace
 * @time_of: the time of the trace at which it was so many ns since boot, not later; NULL: it is not
 *	known
 */
struct lt_holders *lt_holders_new(const struct lt_tasks *tb, uint64_t begin, uint64_t end,
				  uint64_t (*time_of)(void *arg, uint64_t boot), void *arg);
void lt_holders_free(struct lt_holders *h);

/* Why it cannot be said who had a number. */
enum lt_holder_doubt {
	LT_HOLDER_KNOWN,
	LT_HOLDER_SEVERAL,	/* two tasks may have had it */
	LT_HOLDER_NONE,		/* no task of the trace may */
	LT_HOLDER_LOST,		/* one may have had it of which all records are lost */
	LT_HOLDER_BEFORE,	/* one may have had it that ended before the trace */
	LT_HOLDER_AFTER,	/* one may have had it that was born after the trace */
};

/**
 * lt_holders_find() - who had a number
 * @tid: the number
 * @from, @to: at some time in this span
 * @found: set to the first holder that may have had it; the others follow
 * @n: set to how many there are
 * Return: LT_HOLDER_KNOWN: it is the one that was found.
 */
enum lt_holder_doubt lt_holders_find(struct lt_holders *h, uint32_t tid, uint64_t from, uint64_t to,
				     const struct lt_holder **found, size_t *n);

#endif /* LT_TASKS_HOLDERS_H */
