/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks for CSV, JSON and people.
 */
#ifndef LT_PRINT_STACK_H
#define LT_PRINT_STACK_H

#include "forms/table.h"
#include "lines/lines.h"
#include "trace/trace.h"

/**
 * lt_stack_frames() - a stack as a list of texts, the allocator's caller first
 * @t: the trace, for symbols
 * @lines: source lines of the frames, as lt_site_chain() has them; NULL: none
 * @stack: the stack
 * @room: gets the texts
 * @v: gets the list, which is valid as long as @room; unchanged if there are no frames
 *
 * The last text of a stack that was cut short is "...".
 */
void lt_stack_frames(const struct lt_trace *t, struct lt_lines *lines,
		     const struct lt_stack *stack, struct lt_out *room, struct lt_value *v);

#endif /* LT_PRINT_STACK_H */
