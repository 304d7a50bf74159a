// SPDX-License-Identifier: GPL-2.0
/*
 * Function calls, one on each line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/text.h"
#include "lifetimes/lifetime.h"
#include "print/calls.h"

void lt_calls_put_task(struct lt_out *o, const struct lt_task *task, uint32_t tid, uint64_t time)
{
	if (task) {
		const char *comm = lt_task_comm_at(task, time);

		lt_out_text(o, comm, strlen(comm));
		lt_out_char(o, '-');
	}
	lt_out_u64(o, tid);
}

static void put_remarks(struct lt_out *o, const struct lt_call *call)
{
	if (call->why == LT_CALL_DIED)
		lt_out_str(o, " [its thread ended inside]");
	else if (call->why)
		lt_out_str(o, " [open at the end]");
	if (!call->has_begin)
		lt_out_str(o, " [begin not known]");
	if (!call->function)
		lt_out_str(o, " [not described]");
}

/*
 * "    0.012345678 cat-17 [003] vfs_read(.count=64) = 10 <0.000012345>", at the time of the begin.
 */
static void print_text(struct lt_calls_view *v, const struct lt_call *call)
{
	const struct lt_call_style style = { .t = v->t };
	char label[LT_CALL_LABEL];
	struct lt_out *o = v->out;

	lt_times_column(&v->times, o, call->begin);
	lt_out_char(o, ' ');
	lt_calls_put_task(o, call->task, call->tid, call->begin);
	lt_out_str(o, " [");
	lt_out_pad(o, call->cpu, 3);
	if (call->context != LT_CTX_TASK) {
		lt_out_char(o, ' ');
		lt_out_str(o, lt_context_name(call->context));
	}
	lt_out_str(o, "] ");
	v->text.n = 0;
	lt_str_put(&v->text, lt_call_label(call, label));
	lt_str_put(&v->text, "(");
	lt_call_put_args(&v->text, call, &style);
	lt_str_put(&v->text, ") = ");
	if (!lt_call_put_result(&v->text, call, &style))
		v->text.s[v->text.n -= 3] = 0;
	lt_out_text(o, v->text.s, v->text.n);
	if (call->has_begin)
		lt_times_took(o, lt_call_duration(call));
	put_remarks(o, call);
	lt_out_char(o, '\n');
}

void lt_calls_begin(struct lt_calls_view *v)
{
	v->ctx.common.addresses = true;
	v->ctx.trace = v->t;
	v->resolver = (struct lt_resolver){ .times = &v->times, .trace = v->t };
	v->table = (struct lt_table){
		.out = v->out, .format = v->format, .ctx = &v->ctx, .streaming = true,
		.resolve = lt_resolve, .resolve_arg = &v->resolver,
	};
	v->lines = v->format == LT_FORMAT_TEXT && !v->columns;
	if (v->lines)
		return;
	lt_table_columns(&v->table, &lt_rows_of_call, 0, v->columns);
	lt_table_begin(&v->table);
}

void lt_calls_print(struct lt_calls_view *v, const struct lt_call *call)
{
	if (v->lines)
		print_text(v, call);
	else
		lt_table_row(&v->table, call);
}

void lt_calls_end(struct lt_calls_view *v)
{
	/* Otherwise it was not begun. */
	if (v->table.n_columns)
		lt_table_end(&v->table);
	free(v->text.s);
	free(v->ctx.text.s);
}
