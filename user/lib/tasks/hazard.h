/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hazards: all places in a trace where a tool that identifies a task by its number would
 * have been wrong.
 */
#ifndef LT_TASKS_HAZARD_H
#define LT_TASKS_HAZARD_H

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
 * @time: trace time, 0: no particular one
 * @inst: the task, 0: none
 * @other: a second task, 0: none; of LT_HAZARD_BURNED the id of a pid namespace
 * @value: see struct lt_hazard_kind
 */
struct lt_hazard_example {
	uint64_t time;
	uint32_t inst;
	uint32_t other;
	uint64_t value;
};

/**
 * struct lt_hazard_kind - a kind of hazard, for output
 * @name: in machine-readable output
 * @text: in text
 * @wrong: what a tool does that identifies tasks by numbers
 * @inst, @other: roles of the tasks of an example, NULL: there is none
 * @value: what the value of an example is, NULL: it has none
 * @is_time: the value is a number of ns
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
 * lt_hazards_new() - observe all events for hazards
 * @tb: has taken in no event yet
 * @limit: examples kept of each kind
 * @grace: ns; a number that is given again earlier than this after an exit is a hazard
 */
struct lt_hazards *lt_hazards_new(struct lt_tasks *tb, size_t limit, uint64_t grace);
void lt_hazards_free(struct lt_hazards *h);

/* Adds the hazards that only the finished tasks show; after lt_tasks_finish(). */
void lt_hazards_finish(struct lt_hazards *h);
const struct lt_hazard *lt_hazards_get(const struct lt_hazards *h, enum lt_hazard_id id);

#endif /* LT_TASKS_HAZARD_H */
