// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks for CSV, JSON and people.
 */
#include <string.h>

#include "uapi/lifetrace.h"
#include "print/site.h"
#include "print/stack.h"

void lt_stack_frames(const struct lt_trace *t, struct lt_lines *lines,
		     const struct lt_stack *stack, struct lt_out *room, struct lt_value *v)
{
	const struct lt_place *place;
	char buf[LT_SITE_TEXT];

	room->used = 0;
	for (unsigned int i = 0; i < stack->n; i++) {
		place = lines ? lt_lines_find(lines, stack->frames[i]) : NULL;
		if (i)
			lt_out_char(room, '\n');
		lt_out_str(room, lt_site_chain(t, stack->frames[i], place, buf, sizeof(buf)));
	}
	if (!stack->n)
		return;
	if (stack->flags & LT_STACK_CUT)
		lt_out_str(room, "\n...");
	v->type = LT_VALUE_LIST;
	v->text = room->buf;
	v->len = room->used;
}
