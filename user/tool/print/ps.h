/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The running tasks, and whether the list is proven.
 */
#ifndef LT_PRINT_PS_H
#define LT_PRINT_PS_H

#include "forms/columns.h"
#include "ps/ps.h"

extern const struct lt_row_kind lt_rows_of_ps;

/* @rows: the rows of @ps in their order, each a struct lt_ps_row. @columns: of --columns */
void lt_ps_print(struct lt_out *o, const struct lt_ps *ps, const void *const *rows,
		 enum lt_format format, const char *columns);

#endif /* LT_PRINT_PS_H */
