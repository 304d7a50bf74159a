/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests of the task engine: events by their fields, and a small world to start from.
 *
 *	ev(tb, EXIT, 500, .tid = 17, .start = 100, .group_dead = 1);
 *
 * All starts and times below are small, so that each can be read at a glance: a task
 * that is born at time T has the start T.
 */
#ifndef TASKTEST_H
#define TASKTEST_H

#include "base/out.h"
#include "tasks/tasks.h"
#include "testlib.h"

#define ev(tb, NAME, at, ...)						\
	lt_tasks_event(tb, &(struct lt_task_event){		\
		.id = LT_EV_##NAME, .time = (at), __VA_ARGS__ })

#define T(text)	{ text, sizeof(text) - 1 }

#define INIT	.parent = 1, .parent_start = 1

/* init 1, kthreadd 2 with kworker 3, shell 100, in a complete initial snapshot 10 to 20. */
struct lt_tasks *world(const struct lt_tasks_config *config);
void world_events(struct lt_tasks *tb);

/* A process, made by its parent, which is one; a thread, made by its leader. */
void born(struct lt_tasks *tb, uint64_t at, uint32_t tid, uint32_t parent,
	  uint64_t parent_start);
void thread_born(struct lt_tasks *tb, uint64_t at, uint32_t tid, uint32_t tgid,
		 uint64_t leader_start);
void died(struct lt_tasks *tb, uint64_t at, uint32_t tid, uint64_t start);

/* The instance; it must be there. */
struct lt_task_inst *inst_of(const struct lt_tasks *tb, uint32_t tid, uint64_t start);

/* A final snapshot of world()'s tasks, from @at to @at + 10, with room for more. */
void final_begin(struct lt_tasks *tb, uint64_t at);
void final_state(struct lt_tasks *tb, uint64_t at, uint32_t tid, uint64_t start);
void final_end(struct lt_tasks *tb, uint64_t at);

/* All links of all instances lead to older ones. */
void check_acyclic(const struct lt_tasks *tb);

/* Between the two calls an output goes to a file; the text, to be freed. */
struct lt_out captured_begin(void);
char *captured_end(struct lt_out *o);

bool name_is(const struct lt_tasks *tb, uint32_t name, const char *text);

#endif /* TASKTEST_H */
