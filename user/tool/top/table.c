// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace top: the present table, for the screen and for scripts.
 */
#include <stdlib.h>
#include <time.h>

#include "top/internal.h"

bool lt_top_has(const struct lt_top *top, enum lt_report_by by)
{
	bool pages = top->o->space == LT_SPACE_PAGE;
	bool stacks = pages ? lt_trace_has_page_stacks(top->t) : lt_trace_has_stacks(top->t);

	switch (by) {
	case LT_BY_SITE:
		return !pages || stacks;
	case LT_BY_TASK:
	case LT_BY_PROCESS:
		return true;
	case LT_BY_CACHE:
		return top->o->space <= LT_SPACE_SLAB;
	case LT_BY_CGROUP:
		return top->cgroups;
	case LT_BY_STACK:
		return stacks && top->o->space <= LT_SPACE_PAGE;
	default:
		return false;
	}
}

struct lt_top_shot lt_top_shot(const struct lt_top *top)
{
	return (struct lt_top_shot){
		.c = { .l = top->l, .t = top->table, .trace = top->t, .people = true,
		       .frames = LT_OUT_INIT(-1) },
		.view = &top->view, .o = top->o, .final = top->final,
		.cost = top->whole ? NULL : &top->cost,
	};
}

void lt_top_make_table(struct lt_top *top)
{
	struct lt_top_shot shot;

	if (!top->whole)
		lt_top_cost_read(&top->cost);
	top->table = lt_live_table(top->l, top->by);
	shot = lt_top_shot(top);
	lt_top_view_fill(&top->view, &shot.c);
	free(shot.c.frames.buf);
}
