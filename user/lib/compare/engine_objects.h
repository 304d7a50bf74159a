/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Slab objects of the command, as engines side by side have them: for the files of this room.
 */
#ifndef LT_COMPARE_ENGINE_OBJECTS_H
#define LT_COMPARE_ENGINE_OBJECTS_H

#include "compare/engines_internal.h"

/**
 * struct lt_engine_object - as a side has it
 * @birth, @death: ns; @death is that of struct lt_lifetime
 * @bytes: requested; 0: not known
 * @site: call site of its birth; 0: not known
 * @life: the task that allocated it
 * @kind: enum lt_class
 * @ending: enum lt_ending
 * @certainty: enum lt_certainty
 * @why: enum lt_cause
 * @inside: the task lived at its birth, by the times of @life
 */
struct lt_engine_object {
	uint64_t ptr;
	uint64_t birth;
	uint64_t death;
	uint64_t bytes;
	uint64_t site;
	uint32_t life;
	uint8_t kind;
	uint8_t ending;
	uint8_t certainty;
	uint8_t why;
	bool inside;
};

/* Of a side, by address and birth. */
struct lt_engine_objects {
	struct lt_engine_object *all;
	size_t n;
	size_t cap;
};

/**
 * struct lt_engine_joint - an object
 * @ptr, @birth, @death: as the first side that has it says
 * @at: by side: its number there plus 1; 0: it is not there
 */
struct lt_engine_joint {
	uint64_t ptr;
	uint64_t birth;
	uint64_t death;
	uint32_t at[LT_ENGINES_MAX];
};

/* By address and birth. @sides: LT_ENGINES_MAX of them */
struct lt_engine_joints {
	const struct lt_engine_objects *sides;
	struct lt_engine_joint *all;
	size_t n;
	size_t cap;
};

/* engine_objects.c */

/* Opens the trace once more, as @s->memory. Return: -1 after lt_error() */
int lt_engine_objects_read(const struct lt_engines *e, struct lt_engine_side *s,
			   struct lt_engine_objects *to);

/* Joins the objects of a side to those of the sides before. */
void lt_engine_objects_join(struct lt_engine_joints *j, unsigned int side);

#endif /* LT_COMPARE_ENGINE_OBJECTS_H */
