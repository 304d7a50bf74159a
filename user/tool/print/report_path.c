// SPDX-License-Identifier: GPL-2.0
/*
 * The path to a call site: how the function that allocates was called, by the stacks that the
 * trace has of its births. A site has many paths; the one with most of a column is shown, with its
 * share of the site where there are others. The figures beside it are counted of all births, the
 * share is of those with a stack.
 */
#include <stdio.h>
#include <string.h>

#include "print/report_columns.h"

#define FRAMES	6	/* of a path, without the call site */

/* A row by stack whose first frame is the call site; false: its stack is not known. */
static bool is_of(const struct lt_report *stacks, const struct lt_report_row *row, uint64_t site)
{
	struct lt_stack stack;

	if (!row->stack)
		return false;
	stack = lt_report_stack(stacks, row);
	return stack.n > 1 && stack.frames[0] == site && !(stack.flags & LT_STACK_UNKNOWN);
}

static double number(struct lt_report *r, const struct lt_report_row *row, const char *column)
{
	struct lt_value v;

	lt_report_value(r, row, column, &v);
	return v.type == LT_VALUE_NONE ? 0 : v.type == LT_VALUE_RATE ? v.d : (double)v.u;
}

/* " ← iget_locked ← kernfs_get_inode": functions alone, since the line has little room. */
static void add_frames(struct lt_para *t, const struct lt_trace *trace,
		       const struct lt_stack *stack)
{
	for (unsigned int i = 1; i < stack->n && i <= FRAMES; i++) {
		const char *module, *name;
		uint64_t offset;

		name = lt_trace_function(trace, stack->frames[i], &offset, &module);
		if (name)
			lt_para_add(t, "%s← %s", i > 1 ? " " : "", name);
		else
			lt_para_add(t, "%s← 0x%llx", i > 1 ? " " : "",
				    (unsigned long long)stack->frames[i]);
	}
}

/* Paths cannot be compared by what is not a sum: then that with most allocations is taken. */
static const char *sum_column(const char *column)
{
	static const char *const others[] = {
		"p50_ns", "p90_ns", "p99_ns", "longest_ns", "exact", "censored",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!strcmp(column, others[i]))
			return "allocations";
	}
	return column;
}

bool lt_report_path(struct lt_report *stacks, uint64_t site, const char *column,
		    struct lt_para *t)
{
	const struct lt_report_row *best = NULL;
	double most = 0, sum = 0;
	const char *of = sum_column(column);
	struct lt_stack stack;

	for (size_t i = 0; stacks && site && i < stacks->n_rows; i++) {
		const struct lt_report_row *row = &stacks->rows[i];
		double n;

		if (!is_of(stacks, row, site))
			continue;
		n = number(stacks, row, of);
		sum += n;
		if (n > most) {
			most = n;
			best = row;
		}
	}
	if (!best)
		return false;
	stack = lt_report_stack(stacks, best);
	if (most < sum)
		lt_para_add(t, "%s%.0f %%: ", lt_report_estimates(stacks) ? "~" : "",
			    100 * most / sum);
	add_frames(t, stacks->trace, &stack);
	return true;
}
