/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of strace -f -ttt as events of tasks: births, programs, ends.
 *
 * A task may execute a program, or exit, in a line before the one in which the call of its creator
 * returns. So events wait until it is known whether their task is being born: no longer than
 * some call that makes tasks has not returned.
 */
#ifndef LT_IMPORT_STRACE_H
#define LT_IMPORT_STRACE_H

#include "base/map.h"
#include "import/import.h"
#include "logs/logs.h"

typedef void lt_import_strace_fn(void *arg, const struct lt_import_event *ev);

struct lt_import_strace_task;
struct lt_import_strace_wait;

/* @others: calls that were not taken in. The other members are private. */
struct lt_import_strace {
	uint64_t others;
	struct lt_log_parser parser;
	lt_import_strace_fn *fn;
	void *arg;
	struct lt_import_strace_task *tasks;
	size_t n_tasks;
	size_t cap_tasks;
	uint32_t *free;
	size_t n_free;
	size_t cap_free;
	struct lt_map map;
	uint64_t seed;
	size_t n_pending;		/* calls that make tasks, and have not returned */
	struct lt_import_strace_wait *waiting;
	size_t n_waiting;
	size_t cap_waiting;
};

void lt_import_strace_init(struct lt_import_strace *s, lt_import_strace_fn *fn, void *arg);

/* Return: false: the line cannot be read, and @why says why. */
bool lt_import_strace_line(struct lt_import_strace *s, const char *line, size_t len,
			   struct lt_why *why);

/* Hands out what waits. */
void lt_import_strace_end(struct lt_import_strace *s);
void lt_import_strace_destroy(struct lt_import_strace *s);

#endif /* LT_IMPORT_STRACE_H */
