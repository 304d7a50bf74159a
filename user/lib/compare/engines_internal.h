/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Engines side by side, inside of this room.
 */
#ifndef LT_COMPARE_ENGINES_INTERNAL_H
#define LT_COMPARE_ENGINES_INTERNAL_H

#include "compare/engines.h"

/* engine_lives.c: finds the lives of all sides, whose traces are read and whose roots are known. */
void lt_engines_find_lives(struct lt_engines *e);

/* engine_differences.c: what follows from the lives. */
void lt_engines_differ(struct lt_engines *e);

/* Adds a difference, of which the cause is known; it counts @n times. */
void lt_engines_add(struct lt_engines *e, const struct lt_engine_difference *d, uint64_t n);

/*
 * Engines stamp one event at different times: ptrace when this process has run, which may take
 * long on a machine that has much to do.
 */
#define LT_ENGINES_NEAR_NS	20000000U

/*
 * engine_memory.c: reads the objects of all sides, and compares them. Return: -1 after lt_error()
 */
int lt_engines_compare_objects(struct lt_engines *e);

/* engine_causes.c */

/* What a loss is to a side. @nested: some were lost while another program ran */
enum lt_engine_cause lt_engines_loss(const struct lt_engine_side *s, bool nested);
enum lt_engine_cause lt_engines_cause(const struct lt_engines *e,
				      const struct lt_engine_difference *d);

/* What a side says of a life; NULL: nothing, or it takes it for the one before of the number. */
static inline const struct lt_task_inst *lt_engines_inst(const struct lt_engines *e,
							 unsigned int side,
							 const struct lt_engine_life *life)
{
	const struct lt_engine_side *s = &e->sides[side];
	uint32_t inst = life->inst[side];

	if (!inst || s->life_of[inst] != (uint32_t)(life - e->lives) + 1)
		return NULL;
	return lt_tasks_get(s->tasks, inst);
}

#endif /* LT_COMPARE_ENGINES_INTERNAL_H */
