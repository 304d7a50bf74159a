/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where identifying a task by its number would have been wrong.
 */
#ifndef LT_PRINT_HAZARDS_H
#define LT_PRINT_HAZARDS_H

#include "forms/columns.h"
#include "print/times.h"
#include "tasks/hazard.h"

/**
 * struct lt_hazards_view - what is printed
 * @order: the kinds of hazard in their order, each a struct lt_hazard_kind
 * @columns: of --columns: text is a table of them, too; NULL: those of the format
 * @limit: at most so many pid namespaces whose reuses are not all known
 */
struct lt_hazards_view {
	const struct lt_hazards *hazards;
	const void *const *order;
	size_t limit;
	const struct lt_times *times;
	enum lt_format format;
	const char *columns;
	char text[64];		/* private */
};

/* The number of a row of lt_hazard_kinds. */
static inline enum lt_hazard_id lt_hazard_id(const struct lt_hazard_kind *kind)
{
	return (enum lt_hazard_id)(kind - lt_hazard_kinds);
}

extern const struct lt_row_kind lt_rows_of_hazard;	/* a row is a struct lt_hazard_kind */

void lt_hazards_print(struct lt_out *o, const struct lt_tasks *tb, const struct lt_trace *t,
		      struct lt_hazards_view *p);

#endif /* LT_PRINT_HAZARDS_H */
