/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance counters of tasks, by perf_event_open(): an engine that stops each task at its birth
 * begins them there, and reads them when the task is gone.
 *
 * The counters are not inherited by the kernel: it adds what children do to what their parents did.
 * Each task has its own, so that its row has what it did alone.
 */
#ifndef LT_WATCH_COUNTERS_H
#define LT_WATCH_COUNTERS_H

#include "base/str.h"
#include "import/import.h"
#include "record/recorder.h"

struct lt_watch_counter;
struct lt_watch_counted;

/**
 * struct lt_watch_counters - the counters of all tasks
 * @which: @n that this machine has
 * @events: lines of EVENTS about all that were asked for
 * @tasks: by number from 1 on; @free: numbers that are in use no more
 * @limit: of descriptors of this process
 * @counted, @uncounted: tasks of which all, and not all, were begun
 * @error: of the first one that could not be begun
 */
struct lt_watch_counters {
	struct lt_watch_counter *which;
	unsigned int n;
	struct lt_str events;
	struct lt_watch_counted *tasks;
	size_t n_tasks;
	size_t cap_tasks;
	uint32_t *free;
	size_t n_free;
	size_t cap_free;
	uint64_t limit;
	uint64_t counted;
	uint64_t uncounted;
	int error;
};

/* Looks which of @o this machine has, and says which it has not. */
void lt_watch_counters_init(struct lt_watch_counters *c, const struct lt_record_options *o);
void lt_watch_counters_destroy(struct lt_watch_counters *c);

/*
 * Counts a task from now on, or from the program on that it will execute.
 * Return: its number; 0: none.
 */
uint32_t lt_watch_counters_begin(struct lt_watch_counters *c, pid_t tid, bool from_exec);

/* A thread took the place of its leader. Return: the number of both. */
uint32_t lt_watch_counters_join(struct lt_watch_counters *c, uint32_t leader, uint32_t thread);

/* The exit of a task comes: its identity may be forgotten at its end. */
void lt_watch_counters_exit(struct lt_watch_counters *c, uint32_t number, pid_t tid,
			    struct lt_import *im);

/* A task is gone, or is watched no more: writes what was counted. */
void lt_watch_counters_end(struct lt_watch_counters *c, uint32_t number, pid_t tid,
			   struct lt_import *im);

/* A line of STATS, and one for people where something was not counted. */
void lt_watch_counters_stats(const struct lt_watch_counters *c, struct lt_str *text);
void lt_watch_counters_say(const struct lt_watch_counters *c);

#endif /* LT_WATCH_COUNTERS_H */
