/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hazards: every place in a trace where a tool that goes by the number of a task,
 * and not by its identity, would have been wrong.
 */
#ifndef LT_LIB_TASK_HAZARD_H
#define LT_LIB_TASK_HAZARD_H

#include "tasks/tasks.h"

enum lt_hazard_id {
	LT_HAZARD_LATE_RELEASE,
	LT_HAZARD_EXIT_BEFORE_EXEC,
	LT_HAZARD_THREAD_EXEC,
	LT_HAZARD_QUICK_REUSE,
	LT_HAZARD_REUSED_PARENT,
	LT_HAZARD_NO_WRAP,
	LT_HAZARD_LEADER_FIRST,
	LT_HAZARD_BURNED,
	LT_HAZARD_NOT_PARENT,
	LT_HAZARD_NO_FORK,
	LT_N_HAZARDS,
};

/**
 * struct lt_hazard_example - one place
 * @time: on the trace's clock, 0: all the time
 * @inst: the task, 0: none; @other: a second one
 * @value: see struct lt_hazard_kind
 */
struct lt_hazard_example {
	uint64_t time;
	uint32_t inst;
	uint32_t other;
	uint64_t value;
};

/**
 * struct lt_hazard_kind - what a hazard is
 * @name: for machines; @text: for people; @wrong: what such a tool does
 * @inst, @other: what the tasks of an example are
 * @value: what its value is, NULL: it has none; @is_time: how many ns that is after
 *	what it says
 */
struct lt_hazard_kind {
	const char *name;
	const char *text;
	const char *wrong;
	const char *inst;
	const char *other;
	const char *value;
	bool is_time;
};

extern const struct lt_hazard_kind lt_hazard_kinds[LT_N_HAZARDS];

struct lt_hazard {
	uint64_t count;
	struct lt_hazard_example *examples;
	size_t n;
	size_t cap;
};

/**
 * lt_hazards_new() - watch a table that is about to be filled
 * @limit: examples kept of each
 * @grace: ns from an exit; a number given again before that was reused quickly
 */
struct lt_hazards *lt_hazards_new(struct lt_tasks *tb, size_t limit, uint64_t grace);
void lt_hazards_free(struct lt_hazards *h);

/* After lt_tasks_finish(). */
void lt_hazards_finish(struct lt_hazards *h);
const struct lt_hazard *lt_hazards_get(const struct lt_hazards *h, enum lt_hazard_id id);

#endif /* LT_LIB_TASK_HAZARD_H */
