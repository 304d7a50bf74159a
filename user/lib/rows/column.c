// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which columns of a kind of row an output has.
 */
#include "base/mem.h"
#include "rows/column.h"

#define IF	(LT_COLUMN_IF_LINES | LT_COLUMN_IF_STACKS | LT_COLUMN_IF_ESTIMATES)
#define OUTPUTS	(LT_COLUMN_LINES | LT_COLUMN_FLEET | LT_COLUMN_SQL)

size_t lt_row_columns(const struct lt_row_kind *kind, unsigned int marks,
		      const struct lt_column ***columns)
{
	/* What is not in every trace comes last, so that the others have the same places in all. */
	static const unsigned int conditions[] = {
		0, LT_COLUMN_IF_LINES, LT_COLUMN_IF_STACKS, LT_COLUMN_IF_ESTIMATES,
	};
	size_t n = 0, passes = kind->in_place ? 1 : sizeof(conditions) / sizeof(conditions[0]);

	*columns = lt_alloc_array(kind->n + 1, sizeof(**columns));
	for (size_t k = 0; k < passes; k++) {
		for (size_t i = 0; i < kind->n; i++) {
			const struct lt_column *c = &kind->columns[i];
			unsigned int condition = marks & LT_COLUMN_LINES ? c->marks & IF : 0;

			if (c->marks & marks & OUTPUTS && !(condition & ~marks) &&
			    (kind->in_place || condition == conditions[k]))
				(*columns)[n++] = c;
		}
	}
	return n;
}
