/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The columns of performance counters, for each kind of row that has them: of a task, and sums.
 */
#ifndef LT_ROWS_COUNTERS_H
#define LT_ROWS_COUNTERS_H

/* X(arg, id, name, which, TYPE, meaning) */
#define LT_COUNTER_COLUMNS(X, arg)	\
	X(arg, instructions, "instructions", INSTRUCTIONS, COUNT, "instructions, by record --counters")	\
	X(arg, cycles, "cycles", CYCLES, COUNT, "cycles of its CPUs")	\
	X(arg, cache_refs, "cache_references", CACHE_REFERENCES, COUNT, "accesses to caches")	\
	X(arg, cache_misses, "cache_misses", CACHE_MISSES, COUNT, "those that no cache could answer") \
	X(arg, branches, "branches", BRANCHES, COUNT, "branches")	\
	X(arg, branch_misses, "branch_misses", BRANCH_MISSES, COUNT, "those that were predicted wrongly") \
	X(arg, task_clock, "task_clock_ns", TASK_CLOCK, NS, "time on CPUs, as its counter has it")	\
	X(arg, page_faults, "page_faults", PAGE_FAULTS, COUNT, "page faults, as their counter has them") \
	X(arg, switches, "context_switches", CONTEXT_SWITCHES, COUNT,	\
	  "context switches, as their counter has them")	\
	X(arg, migrations, "cpu_migrations", CPU_MIGRATIONS, COUNT, "times that it came to another CPU")

#endif /* LT_ROWS_COUNTERS_H */
