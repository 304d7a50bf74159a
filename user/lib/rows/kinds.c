// SPDX-License-Identifier: GPL-2.0
/*
 * The kinds of rows that tables have.
 */
#include "rows/kinds.h"

const struct lt_row_entry lt_row_kinds[LT_N_ROW_KINDS] = {
#define ENTRY(name, kind, order)	{ &lt_rows_of_##kind, order },
	LT_ROW_KINDS(ENTRY)
};
