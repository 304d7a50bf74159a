/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Traces that several engines have recorded of one run, side by side: what each saw of the command
 * and all that it created, and where they differ.
 *
 * A task is a life of a number: from its birth to its end. Two lives of one number do not overlap,
 * so that records of two engines are of one task if their times do. So it is with slab objects,
 * which the command's tasks allocated, and their addresses. Nobody knows how many tasks
 * there were; what any engine saw was there. What the engines say of a task is compared with the
 * word of the first one that knows it, in the order in which they are given: that of trust.
 */
#ifndef LT_COMPARE_ENGINES_H
#define LT_COMPARE_ENGINES_H

#include "tasks/tasks.h"
#include "trace/trace.h"

#define LT_ENGINES_MAX	8U

enum lt_engine_what {
	LT_ENGINE_NO_PROCESS,
	LT_ENGINE_NO_THREAD,
	LT_ENGINE_NO_EXEC,
	LT_ENGINE_NO_EXIT,
	LT_ENGINE_ORPHAN,
	LT_ENGINE_PARENT,
	LT_ENGINE_CODE,
	LT_ENGINE_USAGE,
	LT_ENGINE_NO_ALLOC,
	LT_ENGINE_NO_FREE,
	LT_ENGINE_OBJECT,
	LT_ENGINE_END,
	LT_N_ENGINE_WHATS,
};

enum lt_engine_cause {
	LT_ENGINE_LOST,
	LT_ENGINE_SKIPPED,
	LT_ENGINE_NOT_WATCHED,
	LT_ENGINE_LEFT_OUT,
	LT_ENGINE_OUTSIDE,
	LT_ENGINE_NUMBER_AGAIN,
	LT_ENGINE_THREAD_EXEC,
	LT_ENGINE_REPARENTED,
	LT_ENGINE_NAME,
	LT_ENGINE_NOT_DELIVERED,
	LT_ENGINE_UNKNOWN,
	LT_N_ENGINE_CAUSES,
};

/* "missed process"; "lost event". */
const char *lt_engine_what_name(enum lt_engine_what what);
const char *lt_engine_cause_name(enum lt_engine_cause cause);

/**
 * struct lt_engine_life - a task
 * @tid: its number
 * @begin, @end: ns, as the first engine that has it says
 * @inst: by engine: its instance there; 0: none
 */
struct lt_engine_life {
	uint32_t tid;
	uint64_t begin;
	uint64_t end;
	uint32_t inst[LT_ENGINES_MAX];
};

/**
 * struct lt_engine_side - what an engine has
 * @name: of the engine
 * @root: the instance of the command; 0: it is not there
 * @life_of: by instance: the number of the life plus 1; 0: it is none of the command's
 * @processes, @threads, @execs, @exits: that it saw
 * @usages: tasks of which it knows what they used
 * @memory: the trace once more, at its end, if it has objects and they are compared; else NULL
 * @allocations: that it saw; @frees: of these, their ends; @lifetimes: of these, exact ones
 * @counted: tasks whose performance counters were read; @counters: their sums
 * @counters_known: bit N: @counters has the counter N
 * @what: differences, by enum lt_engine_what
 * @cycles: parents that lead in a circle
 * @events: records of tasks; @lost: … that it says are lost, of all kinds
 * @bytes: of the file
 */
struct lt_engine_side {
	char *name;
	struct lt_trace *trace;
	struct lt_tasks *tasks;
	uint32_t root;
	uint32_t *life_of;
	uint64_t processes;
	uint64_t threads;
	uint64_t execs;
	uint64_t exits;
	uint64_t usages;
	struct lt_trace *memory;
	uint64_t allocations;
	uint64_t frees;
	uint64_t lifetimes;
	uint64_t counted;
	uint64_t counters[LT_N_COUNTERS];
	unsigned int counters_known;
	uint64_t what[LT_N_ENGINE_WHATS];
	uint64_t cycles;
	uint64_t events;
	uint64_t lost;
	uint64_t bytes;
};

/**
 * struct lt_engine_difference - one of them
 * @side: whose word differs; @by: from whose
 * @life: of which task, or of the one that allocated the object
 * @expected, @found: a number of a parent, of execs, an exit code as wait() has it, what a task
 *	used: bytes, faults, or ns; bytes of an object, or ns that it lived; -1: none
 * @ptr, @birth, @site: of an object its address, when it was allocated, and from where; else 0
 */
struct lt_engine_difference {
	unsigned int side;
	unsigned int by;
	enum lt_engine_what what;
	enum lt_engine_cause cause;
	size_t life;
	int64_t expected;
	int64_t found;
	uint64_t ptr;
	uint64_t birth;
	uint64_t site;
};

/**
 * struct lt_engines - all of it
 * @lives: by number and begin
 * @memory: objects are compared: two engines or more have watched some
 * @all: sums over what any of them saw
 */
struct lt_engines {
	struct lt_engine_side sides[LT_ENGINES_MAX];
	unsigned int n_sides;
	struct lt_engine_life *lives;
	size_t n_lives;
	size_t cap_lives;
	bool memory;
	struct lt_engine_difference *differences;
	size_t n_differences;
	size_t cap_differences;
	struct lt_engine_side all;
};

/**
 * lt_engines_read() - read and compare traces of one run
 * @paths: @n of them, at most LT_ENGINES_MAX; the first one is believed most
 * Return: NULL after lt_error().
 */
struct lt_engines *lt_engines_read(const char *const *paths, unsigned int n);
void lt_engines_free(struct lt_engines *e);

/* How many differences there are of each engine, kind and cause. */
struct lt_engines_sums {
	uint64_t n[LT_ENGINES_MAX][LT_N_ENGINE_WHATS][LT_N_ENGINE_CAUSES];
};

void lt_engines_sum(const struct lt_engines *e, struct lt_engines_sums *sums);

/* The name of a task, as the first engine that knows one has it, to be freed; "" if none does. */
char *lt_engines_name(const struct lt_engines *e, const struct lt_engine_life *life);

#endif /* LT_COMPARE_ENGINES_H */
