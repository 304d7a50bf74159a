/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows of function calls; the row is a struct lt_call.
 */
#ifndef LT_ROWS_CALL_H
#define LT_ROWS_CALL_H

#include "base/str.h"
#include "calls/call.h"
#include "rows/column.h"

/**
 * struct lt_call_ctx - what the getters need
 * @trace: the trace
 * @text: of the latest value; starts as zero, to be freed
 */
struct lt_call_ctx {
	struct lt_row_ctx common;
	const struct lt_trace *trace;
	struct lt_str text;
};

extern const struct lt_row_kind lt_rows_of_call;

#endif /* LT_ROWS_CALL_H */
