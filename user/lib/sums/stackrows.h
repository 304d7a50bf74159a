/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rows of a report by stack: which stacks are one row.
 */
#ifndef LT_SUMS_STACKROWS_H
#define LT_SUMS_STACKROWS_H

#include "format/stack.h"
#include "trace/trace.h"

/* In struct lt_stack.flags: only the call site is known, the stack was not recorded. */
#define LT_STACK_UNKNOWN	(1U << 31)

/**
 * struct lt_row_stacks - the stacks that are rows
 * @depth: so many frames distinguish rows; 0: all
 * @skip_wrappers: rows begin behind the functions that allocate for others, see wrappers.h; only
 *	what has no other frame begins with one
 * @stacks: of the rows
 * @of: by number in the trace: the number in @stacks; 0: not looked up yet
 * @n_of: length of @of
 */
struct lt_row_stacks {
	unsigned int depth;
	bool skip_wrappers;
	struct lt_stacks stacks;
	uint32_t *of;
	size_t n_of;
};

struct lt_row_stacks *lt_row_stacks_new(unsigned int depth, bool skip_wrappers);
/* @s may be NULL. */
void lt_row_stacks_free(struct lt_row_stacks *s);

/**
 * lt_row_stacks_number() - the row of an allocation
 * @s: the rows
 * @t: the trace, always the same
 * @site: the call site, 0: not known
 * @stack: number of its stack in @t, 0: not recorded
 * Return: the number in s->stacks; 0: nothing is known.
 */
uint32_t lt_row_stacks_number(struct lt_row_stacks *s, const struct lt_trace *t, uint64_t site,
			      uint32_t stack);

#endif /* LT_SUMS_STACKROWS_H */
