// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The kinds of rows that tables have.
 */
#include "rows/kinds.h"

const struct lt_row_entry lt_row_kinds[LT_N_ROW_KINDS] = {
#define ENTRY(name, kind, ...)	{ &lt_rows_of_##kind, __VA_ARGS__ },
	LT_ROW_KINDS(ENTRY)
};

bool lt_row_kind_recorded(const struct lt_row_entry *k, const struct lt_trace *t)
{
	return !k->channel || lt_trace_has_channel(t, k->channel);
}
