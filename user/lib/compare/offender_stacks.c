// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The stacks of the rows that count most for rules that are not met.
 *
 * Rules choose by cache, site and task, and stacks belong to neither of these: a second report, by
 * stack, has for each site those that lead to it.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "compare/budget.h"

static char *frames_of(const struct lt_report *r, const struct lt_stack *stack)
{
	struct lt_str text = { .s = NULL };
	char buf[256];

	for (unsigned int i = 0; i < stack->n; i++)
		lt_str_add(&text, "%s%s", i ? "\n" : "",
			   lt_trace_symbol(r->trace, stack->frames[i], true, buf, sizeof(buf)));
	if (stack->flags & LT_STACK_CUT)
		lt_str_add(&text, "\n...");
	return text.s;
}

/* Keeps the stack that counts most for the rule, of those that lead to the row's call site. */
static void find(const struct lt_verdict *v, struct lt_offender *o, const struct lt_side *s)
{
	bool rest = lt_rule_wants_more(v->rule);
	const struct lt_report_row *most = NULL;
	double greatest = 0;

	for (size_t i = 0; i < s->report->n_rows; i++) {
		const struct lt_report_row *row = &s->report->rows[i];
		unsigned int why = 0;
		double value;

		if (row->site != o->at || !lt_report_row_counts(row) ||
		    lt_report_stack(s->report, row).flags & LT_STACK_UNKNOWN)
			continue;
		/* A percentage counts by its part, as the row did. */
		value = v->rule->measure == LT_IN_PERCENT ?
			lt_part_weight(s, row, v->rule, rest) :
			lt_range_of(s, row, v->rule, &why).low;
		if (most && value <= greatest)
			continue;
		most = row;
		greatest = value;
	}
	if (most) {
		struct lt_stack stack = lt_report_stack(s->report, most);

		o->stack = frames_of(s->report, &stack);
	}
}

int lt_checked_stacks(struct lt_checked *c, const struct lt_side *side, const char *path)
{
	struct lt_report_options o = side->report->opts;
	struct lt_side by_stack = *side;

	if (c->count[LT_MET] == c->n)
		return 0;
	o.by = LT_BY_STACK;
	o.comms = false;
	by_stack.report = lt_report_make(path, &o);
	if (!by_stack.report)
		return -1;
	for (size_t i = 0; i < c->n; i++) {
		for (unsigned int k = 0; k < c->verdicts[i].n_offenders; k++)
			find(&c->verdicts[i], &c->verdicts[i].offenders[k], &by_stack);
	}
	lt_report_free(by_stack.report);
	return 0;
}
