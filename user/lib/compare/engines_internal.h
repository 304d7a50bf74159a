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

/* engine_causes.c */
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
