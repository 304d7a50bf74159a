/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What performance counters have of tasks. Few traces have any, so a struct lt_task_inst has no
 * room for them.
 */
#ifndef LT_TASKS_COUNTERS_H
#define LT_TASKS_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "uapi/lifetrace.h"

/* As perf calls it; NULL: there is none of this number. */
const char *lt_counter_name(unsigned int counter);

/**
 * struct lt_task_counts - the counters of a task
 * @value: by enum lt_counter, as counted
 * @enabled, @running: ns in which it was to be counted, and was
 * @known: bit N: counter N was counted, at least for a while; @user: in user mode alone
 */
struct lt_task_counts {
	uint64_t value[LT_N_COUNTERS];
	uint64_t enabled[LT_N_COUNTERS];
	uint64_t running[LT_N_COUNTERS];
	uint16_t known;
	uint16_t user;
};

static inline bool lt_task_counted(const struct lt_task_counts *c, unsigned int counter)
{
	return c && c->known & 1U << counter;
}

/*
 * The value of a counter that is known. Where counters took turns, it is scaled to the time in
 * which it was to be counted: an estimate.
 */
uint64_t lt_task_count(const struct lt_task_counts *c, unsigned int counter);

/* The part of the time in which all of them were counted, of 100; of none: 0. */
double lt_task_counted_percent(const struct lt_task_counts *c);

#endif /* LT_TASKS_COUNTERS_H */
