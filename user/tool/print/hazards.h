/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where identifying a task by its number would have been wrong.
 */
#ifndef LT_PRINT_HAZARDS_H
#define LT_PRINT_HAZARDS_H

#include "base/out.h"
#include "print/times.h"
#include "tasks/hazard.h"

/**
 * struct lt_hazards_view - what is printed
 * @order: the kinds of hazard in their order, each a struct lt_hazard_kind
 * @limit: at most so many pid namespaces whose reuses are not all known
 */
struct lt_hazards_view {
	const struct lt_hazards *hazards;
	const void *const *order;
	size_t limit;
	const struct lt_times *times;
};

/* The number of a row of lt_hazard_kinds. */
static inline enum lt_hazard_id lt_hazard_id(const struct lt_hazard_kind *kind)
{
	return (enum lt_hazard_id)(kind - lt_hazard_kinds);
}

void lt_hazards_text(struct lt_out *o, const struct lt_tasks *tb, const struct lt_trace *t,
		     const struct lt_hazards_view *p);
void lt_hazards_json(struct lt_out *o, const struct lt_tasks *tb, const struct lt_trace *t,
		     const struct lt_hazards_view *p);

#endif /* LT_PRINT_HAZARDS_H */
