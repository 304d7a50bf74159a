/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The option --counters.
 */
#ifndef LT_CMD_COUNTER_ARGS_H
#define LT_CMD_COUNTER_ARGS_H

#include <argp.h>

#include "record/recorder.h"

#define LT_COUNTERS_HELP	"by names of perf: instructions, cycles, cache-references, cache-misses, "	\
	"branches, branch-misses, task-clock, page-faults, context-switches, cpu-migrations; NAME:u in user mode alone"

/* Takes a list of counters, which stays as it is. */
void lt_args_counters(struct argp_state *state, const char *arg, struct lt_record_options *r);

#endif /* LT_CMD_COUNTER_ARGS_H */
