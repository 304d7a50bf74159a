/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Function calls for people: a line each, trees, sums, collapsed stacks; and as tables.
 */
#ifndef LT_PRINT_CALLS_H
#define LT_PRINT_CALLS_H

#include "base/out.h"
#include "calls/losses.h"
#include "calls/tree.h"
#include "forms/columns.h"
#include "print/resolve.h"
#include "print/times.h"
#include "rows/call.h"

/**
 * struct lt_calls_view - what to print of calls, and how
 * @columns: of --columns; NULL: all, and in text a line as C has it
 * @times: of the trace
 * @choice: which calls
 * The rest is private and starts as zero.
 */
struct lt_calls_view {
	struct lt_out *out;
	enum lt_format format;
	const char *columns;
	const struct lt_trace *t;
	struct lt_times times;
	struct lt_call_choice choice;
	bool lines;
	struct lt_table table;
	struct lt_resolver resolver;
	struct lt_call_ctx ctx;
	struct lt_str text;
};

/* calls.c */

/* The head of CSV. */
void lt_calls_begin(struct lt_calls_view *v);
/* One call, one line. */
void lt_calls_print(struct lt_calls_view *v, const struct lt_call *call);
/* Frees what the first one allocated. */
void lt_calls_end(struct lt_calls_view *v);

/* "NAME-TID" of a call's task. */
void lt_calls_put_task(struct lt_out *o, const struct lt_task *task, uint32_t tid, uint64_t time);

/* calls_graph.c */

/*
 * Trees as ftrace's function_graph has them, by thread: those calls that are wanted, with all in
 * them.
 * @c: of all calls, with nodes kept
 */
void lt_calls_graph(struct lt_calls_view *v, const struct lt_call_trees *c,
		    const struct lt_call_losses *l);

/* calls_flame.c */

struct lt_calls_flame;

/* Collapsed stacks: a line a path, with the ns that its last call took by itself. */
struct lt_calls_flame *lt_calls_flame_new(void);
void lt_calls_flame_free(struct lt_calls_flame *f);
void lt_calls_flame_add(struct lt_calls_flame *f, const struct lt_call_trees *c,
			const struct lt_call_choice *choice);
void lt_calls_flame_print(const struct lt_calls_flame *f, struct lt_out *out);

/* calls_sums.c */

struct lt_calls_sums;

/* Sums by function. @f: of the trace, must stay */
struct lt_calls_sums *lt_calls_sums_new(const struct lt_functions *f);
void lt_calls_sums_free(struct lt_calls_sums *s);
/* @self: ns that the call took by itself */
void lt_calls_sums_add(struct lt_calls_sums *s, const struct lt_call *call, uint64_t self);

extern const struct lt_row_kind lt_rows_of_call_sum;

/*
 * @sort: NULL: the functions that took the longest come first. @whole: all calls were added, so
 * that what the module has counted is beside them
 */
void lt_calls_sums_print(struct lt_calls_sums *s, const struct lt_column *sort,
			 const char *columns, bool whole, struct lt_out *out,
			 enum lt_format format);

#endif /* LT_PRINT_CALLS_H */
