// SPDX-License-Identifier: GPL-2.0
/*
 * System calls, one on each line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "out/units.h"
#include "print/syscalls.h"
#include "syscalls/args.h"
#include "syscalls/numbers.h"
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

/* A tracer has put -1 in place of its number, so that the kernel skips it. */
static bool is_cancelled(const struct lt_syscall *call)
{
	const unsigned int other = LT_SYS_BEFORE | LT_SYS_FIRST | LT_SYS_SKIPPED | LT_SYS_NO_SLOT;

	return call->nr == -1 && call->how == LT_SYSCALL_RETURNED && !(call->flags & other) &&
	       call->abi != lt_abi_of_requests();
}

/* Of a text that is printed: see lt_syscall_text_is_late(). */
static bool has_late_text(const struct lt_syscall *call)
{
	for (unsigned int i = 0; i < call->n_args; i++) {
		if (lt_syscall_has_text(call, i) && lt_syscall_text_is_late(call, i))
			return true;
	}
	return false;
}

/* What is unusual about a call, not about an argument of it: words, separated by commas. */
static const char *remarks(const struct lt_syscall *call, char *buf, size_t size)
{
	static const struct {
		uint8_t flag;
		const char *text;
	} flags[] = {
		{ LT_SYS_BEFORE, "began before the trace" }, { LT_SYS_FIRST, "in the new thread" },
		{ LT_SYS_SKIPPED, "not executed" }, { LT_SYS_NO_SLOT, "begin not known" },
		{ LT_SYS_NO_ARGS, "arguments not known" },
	};
	static const char *const ends[] = {
		[LT_SYSCALL_INTERRUPTED] = "interrupted", [LT_SYSCALL_DIED] = "the thread ended",
		[LT_SYSCALL_AT_END] = "open at the end", [LT_SYSCALL_OVERTAKEN] = "end not seen",
	};
	size_t n = 0;

	buf[0] = 0;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (!(call->flags & flags[i].flag))
			continue;
		n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "",
				      call->abi == lt_abi_of_requests() ? "submission not seen" :
				      flags[i].text);
	}
	if (is_cancelled(call))
		n += (size_t)snprintf(buf + n, size - n, "%snot executed", n ? ", " : "");
	if (call->how != LT_SYSCALL_RETURNED)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "", ends[call->how]);
	if (call->compat)
		n += (size_t)snprintf(buf + n, size - n, "%s32 bits", n ? ", " : "");
	if (lt_abi_is_x32(call->abi))
		n += (size_t)snprintf(buf + n, size - n, "%sx32", n ? ", " : "");
	if (call->queued)
		n += (size_t)snprintf(buf + n, size - n, "%sby a worker", n ? ", " : "");
	if (call->goes_on)
		n += (size_t)snprintf(buf + n, size - n, "%sgoes on", n ? ", " : "");
	if (call->uncertain)
		n += (size_t)snprintf(buf + n, size - n, "%sperhaps the end of another one",
				      n ? ", " : "");
	if (call->no_texts)
		n += (size_t)snprintf(buf + n, size - n, "%sstrings not known", n ? ", " : "");
	if (call->parts > 1)
		snprintf(buf + n, size - n, "%s%" PRIu32 " parts", n ? ", " : "", call->parts);
	return buf;
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

	lt_times_text(&v->times, time, 9, buf);
	for (size_t n = strlen(buf); n < 15; n++)
		lt_out_char(o, ' ');
	lt_out_str(o, buf);
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
	if (call->has_begin) {
		snprintf(buf, sizeof(buf), " <%" PRIu64 ".%09" PRIu64 ">",
			 lt_syscall_duration(call) / 1000000000,
			 lt_syscall_duration(call) % 1000000000);
		lt_out_str(o, buf);
	}
	if (remarks(call, buf, sizeof(buf))[0]) {
		lt_out_str(o, " [");
		lt_out_str(o, buf);
		lt_out_char(o, ']');
	}
	lt_out_char(o, '\n');
}

/* ------------------------------------------------------------------------
 * Columns of CSV and JSON
 */

static void set_text(struct lt_value *value, const char *text)
{
	if (text)
		lt_value_text(value, text, strlen(text));
}

#define COLUMN(column)	static void get_##column(const void *row, void *ctx, struct lt_value *value)
#define CALL	const struct lt_syscall *call = row; (void)ctx

COLUMN(begin)
{
	const struct lt_syscalls_view *v = ctx;
	const struct lt_syscall *call = row;

	if (call->has_begin)
		lt_times_value(&v->times, call->begin, value);
}

COLUMN(end)
{
	const struct lt_syscalls_view *v = ctx;
	const struct lt_syscall *call = row;

	lt_times_value(&v->times, call->end, value);
}

COLUMN(duration)
{
	CALL;
	if (call->has_begin)
		lt_value_u(value, LT_VALUE_NS, lt_syscall_duration(call));
}

COLUMN(cpu)
{
	CALL;
	lt_value_u(value, LT_VALUE_COUNT, call->cpu);
}

COLUMN(tid)
{
	CALL;
	lt_value_u(value, LT_VALUE_COUNT, call->tid);
}

COLUMN(tgid)
{
	CALL;
	if (call->tgid)
		lt_value_u(value, LT_VALUE_COUNT, call->tgid);
}

COLUMN(start)
{
	CALL;
	if (call->start)
		lt_value_u(value, LT_VALUE_TIME, call->start);
}

COLUMN(comm)
{
	CALL;
	set_text(value, lt_syscall_comm(call));
}

COLUMN(abi)
{
	CALL;
	set_text(value, call->abi ? lt_abi_name(call->abi) : NULL);
}

COLUMN(nr)
{
	CALL;
	value->type = LT_VALUE_SIGNED;
	value->i = call->nr;
}

COLUMN(name)
{
	CALL;
	set_text(value, lt_syscall_name(call->abi, call->nr));
}

COLUMN(args)
{
	const struct lt_syscalls_view *v = ctx;
	static char buf[LT_SYSCALL_TEXT];

	set_text(value, args_text(v, row, buf));
}

COLUMN(result)
{
	CALL;
	if (call->how > LT_SYSCALL_INTERRUPTED)
		return;
	value->type = LT_VALUE_SIGNED;
	value->i = call->result;
}

COLUMN(error)
{
	const struct lt_syscall *call = row;

	(void)ctx;
	set_text(value, lt_error_name(lt_syscall_error(call)));
}

COLUMN(ended)
{
	CALL;
	set_text(value, lt_syscall_end_name(call->how));
}

COLUMN(flags)
{
	CALL;
	lt_value_u(value, LT_VALUE_COUNT, call->flags);
}

COLUMN(remarks)
{
	static char buf[LT_SYSCALL_TEXT];
	size_t n;
	CALL;

	n = strlen(remarks(call, buf, sizeof(buf)));
	/* In text, and in the column of arguments unless they are raw, it stands behind the string. */
	if (has_late_text(call))
		snprintf(buf + n, sizeof(buf) - n, "%sstrings read at the return", n ? ", " : "");
	if (buf[0])
		set_text(value, buf);
}

COLUMN(parts)
{
	CALL;
	lt_value_u(value, LT_VALUE_COUNT, call->parts);
}

COLUMN(ns)
{
	CALL;
	if (call->ns)
		lt_value_u(value, LT_VALUE_COUNT, call->ns);
}

COLUMN(made_outside)
{
	CALL;
	if (call->made_outside)
		lt_value_u(value, LT_VALUE_COUNT, call->made_outside);
}

static void get_arg(const struct lt_syscall *call, unsigned int i, struct lt_value *value)
{
	if (i < call->n_args)
		lt_value_u(value, LT_VALUE_HEX, call->args[i]);
}

#define ARG(i)	COLUMN(arg##i) { (void)ctx; get_arg(row, i, value); }
ARG(0)
ARG(1)
ARG(2)
ARG(3)
ARG(4)
ARG(5)

#define C(id, key)	{ .name = key, .header = key, .get = get_##id }

static const struct lt_table_column columns[] = {
	C(begin, "begin_ns"), C(end, "end_ns"), C(duration, "duration_ns"), C(cpu, "cpu"),
	C(tid, "tid"), C(tgid, "tgid"), C(start, "task_start_ns"), C(comm, "comm"),
	C(abi, "abi"), C(nr, "nr"), C(name, "name"), C(args, "args"), C(result, "result"),
	C(error, "error"), C(ended, "ended"), C(flags, "flags"), C(parts, "parts"),
	C(arg0, "arg0"), C(arg1, "arg1"), C(arg2, "arg2"), C(arg3, "arg3"), C(arg4, "arg4"),
	C(arg5, "arg5"), C(remarks, "remarks"), C(ns, "pid_namespace"),
	C(made_outside, "result_tid"),
};

#define N_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

static const struct lt_table_column *pointers[N_COLUMNS];

void lt_syscalls_begin(struct lt_syscalls_view *v)
{
	for (size_t i = 0; i < N_COLUMNS; i++)
		pointers[i] = &columns[i];
	v->table = (struct lt_table){
		.out = v->out, .format = v->format, .columns = pointers, .n_columns = N_COLUMNS,
		.ctx = v, .streaming = true,
	};
	if (v->format != LT_FORMAT_TEXT)
		lt_table_begin(&v->table);
}

void lt_syscalls_print(struct lt_syscalls_view *v, const struct lt_syscall *call)
{
	if (v->format == LT_FORMAT_TEXT)
		print_text(v, call);
	else
		lt_table_row(&v->table, call);
}
