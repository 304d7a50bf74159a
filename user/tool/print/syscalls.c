// SPDX-License-Identifier: GPL-2.0
/*
 * System calls, one on each line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/units.h"
#include "print/syscalls.h"
#include "syscalls/args.h"
#include "syscalls/numbers.h"
#include "syscalls/remarks.h"
#include "syscalls/texts.h"

static void out_error(struct lt_out *o, unsigned int error)
{
	const char *name = lt_error_name(error), *text = lt_error_text(error);

	lt_out_str(o, "-1 ");
	if (!name) {
		lt_out_str(o, "error ");
		lt_out_u64(o, error);
		return;
	}
	lt_out_str(o, name);
	lt_out_str(o, " (");
	lt_out_str(o, text);
	lt_out_char(o, ')');
}

static void out_result(struct lt_out *o, const struct lt_syscall *call)
{
	unsigned int error = lt_syscall_error(call);
	char path[LT_SYSCALL_TEXT];

	if (call->how == LT_SYSCALL_INTERRUPTED) {
		lt_out_str(o, "? ");
		lt_out_str(o, lt_error_name((unsigned int)-call->result));
	} else if (call->how != LT_SYSCALL_RETURNED) {
		lt_out_char(o, '?');
	} else if (error) {
		out_error(o, error);
	} else if (lt_syscall_returns_address(call)) {
		lt_out_hex(o, call->compat ? (uint32_t)call->result : (uint64_t)call->result);
	} else {
		lt_out_s64(o, call->result);
		if (call->made) {
			lt_syscall_put_path(call->made, path, sizeof(path));
			lt_out_str(o, path);
		}
		if (call->ns && lt_syscall_made_number(call)) {
			lt_syscall_put_number(call, call->made_outside, path, sizeof(path));
			lt_out_str(o, path);
		}
	}
}

static const char *args_text(const struct lt_syscalls_view *v, const struct lt_syscall *call,
			     char *buf)
{
	return lt_syscall_args_text(call, v->raw ? LT_SYSCALL_ARGS_RAW : LT_SYSCALL_ARGS_NAMED,
				    buf);
}

/* "    0.012345678 sh-1234 read(0, 0x7ffc…, 1) = 1 <0.000012345>", at the time of the begin. */
static void print_text(struct lt_syscalls_view *v, const struct lt_syscall *call)
{
	uint64_t time = call->has_begin ? call->begin : call->end;
	const char *comm = lt_syscall_comm(call);
	char buf[LT_SYSCALL_TEXT];
	struct lt_out *o = v->out;

	lt_times_column(&v->times, o, time);
	lt_out_char(o, ' ');
	if (comm) {
		lt_out_text(o, comm, strlen(comm));
		lt_out_char(o, '-');
	}
	lt_out_u64(o, call->tid);
	lt_out_char(o, ' ');
	lt_out_str(o, lt_syscall_label(call->abi, call->nr, buf));
	lt_out_char(o, '(');
	lt_out_str(o, args_text(v, call, buf));
	lt_out_str(o, ") = ");
	out_result(o, call);
	if (call->has_begin)
		lt_times_took(o, lt_syscall_duration(call));
	if (lt_syscall_remarks(call, buf, sizeof(buf))[0]) {
		lt_out_str(o, " [");
		lt_out_str(o, buf);
		lt_out_char(o, ']');
	}
	lt_out_char(o, '\n');
}

void lt_syscalls_begin(struct lt_syscalls_view *v)
{
	v->ctx.common.addresses = true;
	v->ctx.raw = v->raw;
	v->resolver = (struct lt_resolver){ .times = &v->times };
	v->table = (struct lt_table){
		.out = v->out, .format = v->format, .ctx = &v->ctx, .streaming = true,
		.resolve = lt_resolve, .resolve_arg = &v->resolver,
	};
	v->lines = v->format == LT_FORMAT_TEXT && !v->columns;
	if (v->lines)
		return;
	lt_table_columns(&v->table, &lt_rows_of_syscall, 0, v->columns);
	lt_table_begin(&v->table);
}

void lt_syscalls_print(struct lt_syscalls_view *v, const struct lt_syscall *call)
{
	if (v->lines)
		print_text(v, call);
	else
		lt_table_row(&v->table, call);
}

void lt_syscalls_end(struct lt_syscalls_view *v)
{
	/* Otherwise it was not begun. */
	if (v->table.n_columns)
		lt_table_end(&v->table);
}
