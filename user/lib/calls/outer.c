// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * System calls around calls of functions.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "calls/outer.h"
#include "syscalls/args.h"
#include "syscalls/syscall.h"

struct lt_call_outer {
	struct lt_syscalls *calls;
	lt_call_outer_fn *fn;
	void *arg;
	struct lt_str text;
};

static void end_text(struct lt_str *text)
{
	lt_str_bytes(text, "", 1);
}

static void put_result(struct lt_str *text, const struct lt_syscall *call)
{
	const char *error = lt_syscall_error(call) ? lt_error_name(lt_syscall_error(call)) : NULL;

	if (call->how != LT_SYSCALL_RETURNED)
		lt_str_put(text, "?");
	else if (error)
		lt_str_add(text, "-%s", error);
	else if (lt_syscall_returns_address(call))
		lt_str_add(text, "0x%" PRIx64, call->compat ? (uint32_t)call->result :
			   (uint64_t)call->result);
	else
		lt_str_add(text, "%" PRId64, call->result);
}

/* "sys_openat", its arguments, its result. */
static void put_texts(struct lt_call_outer *o, const struct lt_syscall *call)
{
	char buf[LT_SYSCALL_TEXT];

	o->text.n = 0;
	lt_str_put(&o->text, "sys_");
	lt_str_put(&o->text, lt_syscall_label(call->abi, call->nr, buf));
	end_text(&o->text);
	lt_str_put(&o->text, lt_syscall_args_text(call, LT_SYSCALL_ARGS_NAMED, buf));
	end_text(&o->text);
	put_result(&o->text, call);
	end_text(&o->text);
}

static void take(void *arg, const struct lt_syscall *call)
{
	struct lt_call_outer *o = arg;
	struct lt_call outer = {
		.begin = call->begin, .end = call->end, .has_begin = true, .task = call->task,
		.tid = call->tid, .tgid = call->tgid, .start = call->start, .cpu = call->cpu,
		.context = LT_CTX_TASK, .system = true,
	};

	/* The return of a new thread is the call of another one. */
	if (!call->has_begin || call->flags & LT_SYS_FIRST)
		return;
	if (call->how > LT_SYSCALL_INTERRUPTED)
		outer.why = call->how == LT_SYSCALL_DIED ? LT_CALL_DIED : LT_CALL_AT_END;
	put_texts(o, call);
	outer.values = (const uint8_t *)o->text.s;
	outer.size = (uint16_t)o->text.n;
	o->fn(o->arg, &outer);
}

struct lt_call_outer *lt_call_outer_new(const struct lt_trace *t, lt_call_outer_fn *fn, void *arg)
{
	struct lt_call_outer *o;

	if (!lt_trace_has_channel(t, LT_CHANNEL_SYSCALL))
		return NULL;
	o = lt_alloc(sizeof(*o));
	o->fn = fn;
	o->arg = arg;
	o->calls = lt_syscalls_new(t, true, take, o);
	return o;
}

void lt_call_outer_free(struct lt_call_outer *o)
{
	if (!o)
		return;
	lt_syscalls_free(o->calls);
	free(o->text.s);
	free(o);
}

void lt_call_outer_event(struct lt_call_outer *o, const struct lt_event *ev)
{
	lt_syscalls_event(o->calls, ev);
}

void lt_call_outer_finish(struct lt_call_outer *o)
{
	lt_syscalls_finish(o->calls);
}
