// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Columns of system calls, and of results of requests of io_uring. The addresses of a program, in
 * its arguments, results and user_data, are secrets.
 */
#include <inttypes.h>
#include <stdio.h>

#include "rows/internal.h"
#include "rows/syscall.h"
#include "syscalls/numbers.h"
#include "syscalls/remarks.h"
#include "syscalls/texts.h"

const char *lt_syscall_row_args(struct lt_syscall_ctx *c, const struct lt_syscall *call)
{
	return lt_syscall_args_text(call, c->raw ? LT_SYSCALL_ARGS_RAW :
				    c->common.addresses ? LT_SYSCALL_ARGS_NAMED :
				    LT_SYSCALL_ARGS_HIDDEN, c->text);
}

bool lt_syscall_row_has_result(const struct lt_syscall_ctx *c, const struct lt_syscall *call)
{
	return call->how <= LT_SYSCALL_INTERRUPTED &&
	       (c->common.addresses || !lt_syscall_result_is_secret(call));
}

const char *lt_syscall_row_user_data(struct lt_syscall_ctx *c, const struct lt_syscall *call)
{
	if (!c->common.addresses && lt_syscall_user_data_is_secret(call))
		return NULL;
	snprintf(c->text, sizeof(c->text), "0x%" PRIx64, call->args[0]);
	return c->text;
}

/* In text, and in args unless they are raw, the mark of a late string stands behind the string. */
static const char *all_remarks(struct lt_syscall_ctx *c, const struct lt_syscall *call)
{
	size_t n = strlen(lt_syscall_remarks(call, c->text, sizeof(c->text)));

	if (lt_syscall_has_late_text(call))
		snprintf(c->text + n, sizeof(c->text) - n, "%sstrings read at the return",
			 n ? ", " : "");
	return c->text[0] ? c->text : NULL;
}

#define GETTER(id, name, TYPE, marks, known, value, meaning)			\
	LT_ROW_GETTER(id, struct lt_syscall, s, struct lt_syscall_ctx, c, TYPE, known, value)

#define WHEN_AND_WHO(C)	\
	C(begin, "begin_ns", INSTANT, L | F | Q | N, s->has_begin, s->begin, "when it began")	\
	C(end, "end_ns", INSTANT, L | F | Q, true, s->end, "when it returned, or was seen last")	\
	C(duration, "duration_ns", NS, L | F | Q | N, s->has_begin, lt_syscall_duration(s), "how long it took")	\
	C(cpu, "cpu", COUNT, L | F | Q, true, s->cpu, "CPU of the end")	\
	C(tid, "tid", COUNT, L | F | Q, true, s->tid, "thread, in the first namespace of pids")	\
	C(task, "task", TASK, Q | N, s->task, LT_ROW_BOTH(s->task, lt_syscall_named(s)), "the thread")	\
	C(tgid, "tgid", COUNT, L | F | N, s->tgid, s->tgid, "its process")	\
	C(start, "task_start_ns", TIME, L | F | N, s->start, s->start, "when the thread was born, since boot")	\
	C(comm, "comm", NAME, L | F | N, true, lt_syscall_comm(s), "its name then")

#define ARG(C, i)	\
	C(arg##i, "arg" #i, HEX, L | N | LT_COLUMN_SECRET, i < s->n_args, s->args[i], "argument, as it was in the register")

#define SYSCALL(C)	\
	WHEN_AND_WHO(C)	\
	C(abi, "abi", TEXT, L | F | Q | N, s->abi, lt_abi_name(s->abi), "whose numbers of calls these are")	\
	C(nr, "nr", SIGNED, L | F | Q, true, s->nr, "number of the call")	\
	C(name, "name", TEXT, L | F | Q | N, true, lt_syscall_name(s->abi, s->nr), "its name")	\
	C(args, "args", TEXT, L | F | Q | V, true, lt_syscall_row_args(c, s), "its arguments, as in C")	\
	C(result, "result", SIGNED, L | F | Q | N, lt_syscall_row_has_result(c, s), s->result, "what it returned")	\
	C(error, "error", TEXT, L | F | Q | N, true, lt_error_name(lt_syscall_error(s)), "name of its error")	\
	C(ended, "ended", TEXT, L | F | Q, true, lt_syscall_end_name(s->how), "how it ended")	\
	C(flags, "flags", COUNT, L | F | Q, true, s->flags, "flags of the record")	\
	C(parts, "parts", COUNT, L | F | Q, true, s->parts, "calls that the kernel made of it")	\
	ARG(C, 0) ARG(C, 1) ARG(C, 2) ARG(C, 3) ARG(C, 4) ARG(C, 5)	\
	C(remarks, "remarks", TEXT, L | N, true, all_remarks(c, s), "what is unusual about it")	\
	C(ns, "pid_namespace", COUNT, L | N, s->ns, s->ns, "namespace of the pid that it takes or returns")	\
	C(made, "result_tid", COUNT, L | N, s->made_outside, s->made_outside, "that pid in the first namespace")

#define REQUEST(C)	\
	C(opcode, "opcode", SIGNED, F | Q | N, s->nr >= 0, s->nr, "what was asked for")	\
	C(request, "name", TEXT, F | Q | N, true, lt_syscall_name(s->abi, s->nr), "its name")	\
	C(user_data, "user_data", TEXT, F | Q | N | V, true, lt_syscall_row_user_data(c, s), "the program's name for it")	\
	C(request_result, "result", SIGNED, F | Q | N, lt_syscall_row_has_result(c, s), s->result, "what came out")	\
	C(request_error, "error", TEXT, F | Q | N, true, lt_error_name(lt_syscall_error(s)), "name of its error")	\
	C(request_ended, "ended", TEXT, F | Q, true, lt_syscall_end_name(s->how), "how it ended")	\
	C(worker, "by_worker", COUNT, F | Q, true, s->queued, "a worker of the kernel did it")	\
	C(goes_on, "goes_on", COUNT, F | Q, true, s->goes_on, "more results follow")	\
	C(uncertain, "uncertain", COUNT, F | Q, true, s->uncertain, "perhaps the result of another one")

SYSCALL(GETTER)
REQUEST(GETTER)

static const struct lt_column syscall_columns[] = { SYSCALL(LT_ROW_COLUMN) };
static const struct lt_column request_columns[] = {
	WHEN_AND_WHO(LT_ROW_COLUMN) REQUEST(LT_ROW_COLUMN)
};

LT_ROW_KIND(syscall, "syscall", "a system call");
LT_ROW_KIND(request, "request", "a result of a request of io_uring");
