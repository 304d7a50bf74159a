// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The rows of a report by stack: which stacks are one row.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "sums/stackrows.h"
#include "sums/wrappers.h"

struct lt_row_stacks *lt_row_stacks_new(unsigned int depth, bool skip_wrappers)
{
	struct lt_row_stacks *s = lt_alloc(sizeof(*s));

	s->depth = depth;
	s->skip_wrappers = skip_wrappers;
	lt_stacks_init(&s->stacks);
	return s;
}

void lt_row_stacks_free(struct lt_row_stacks *s)
{
	if (!s)
		return;
	lt_stacks_destroy(&s->stacks);
	free(s->of);
	free(s);
}

/*
 * If only the first frames count, the end of the stack is not looked at. Whether something
 * was left out behind the entry of an interrupt does not show in the frames, and is no
 * difference: that the interrupt came from user space is none of the path.
 */
static uint32_t number_of(struct lt_row_stacks *s, struct lt_stack stack)
{
	stack.flags &= ~(unsigned int)LT_STACK_IRQ;
	if (s->depth && stack.n >= s->depth) {
		stack.n = s->depth;
		stack.flags = 0;
	}
	return lt_stacks_number(&s->stacks, &stack);
}

static struct lt_stack begin_of(const struct lt_row_stacks *s, const struct lt_trace *t,
				struct lt_stack stack)
{
	while (s->skip_wrappers && stack.n > 1 && lt_in_wrapper(t, stack.frames[0])) {
		stack.frames++;
		stack.n--;
	}
	return stack;
}

uint32_t lt_row_stacks_number(struct lt_row_stacks *s, const struct lt_trace *t, uint64_t site,
			      uint32_t stack)
{
	const struct lt_stack alone = { .frames = &site, .n = 1, .flags = LT_STACK_UNKNOWN };

	if (!stack)
		return site ? number_of(s, alone) : 0;
	if (stack >= s->n_of)
		s->of = lt_extend(s->of, &s->n_of, stack + 1, sizeof(*s->of));
	if (!s->of[stack])
		s->of[stack] = number_of(s, begin_of(s, t, lt_trace_stack(t, stack)));
	return s->of[stack];
}
