/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows of traces, or of parts of one that is being recorded; the row is a struct lt_trace_row.
 */
#ifndef LT_ROWS_TRACE_H
#define LT_ROWS_TRACE_H

#include "base/out.h"
#include "rows/column.h"
#include "sums/loss.h"
#include "trace/trace.h"

/**
 * struct lt_trace_row - a trace, or a part of one
 * @trace: the trace
 * @begin, @end: of the part, ns
 * @loss: what was recorded and lost in the part
 * @gaps: intervals of a CPU in which something was lost
 */
struct lt_trace_row {
	const struct lt_trace *trace;
	uint64_t begin;
	uint64_t end;
	struct lt_loss loss;
	uint64_t gaps;
};

/* @text: of the latest value; starts as LT_OUT_INIT(-1), its buffer is to be freed. */
struct lt_trace_ctx {
	struct lt_row_ctx common;
	struct lt_out text;
};

extern const struct lt_row_kind lt_rows_of_trace;

/* A number of INFO, or @otherwise. */
uint64_t lt_trace_option(const struct lt_trace *t, const char *key, uint64_t otherwise);

#endif /* LT_ROWS_TRACE_H */
