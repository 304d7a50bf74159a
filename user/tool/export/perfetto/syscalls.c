// SPDX-License-Identifier: GPL-2.0
/*
 * Perfetto: system calls, as slices on a track below that of their thread. Calls of a thread lie
 * one behind the other, but for those of a signal's handler, which lie within the call that the
 * signal has interrupted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "export/perfetto/perfetto.h"
#include "rows/syscall.h"
#include "syscalls/syscall.h"

/**
 * struct lt_pf_syscalls - the calls of a trace
 * @begun: by instance: it has a track
 * @n: length of @begun
 */
struct lt_pf_syscalls {
	struct lt_syscall_ctx row;
	struct lt_pf_out *o;
	const struct lt_tasks *tb;
	struct lt_syscalls *calls;
	uint64_t trace_begin;
	bool *begun;
	size_t n;
};

static void put_notes(struct lt_pf_syscalls *c, const struct lt_syscall *call)
{
	struct lt_pf_out *o = c->o;
	char buf[32];

	lt_pf_note_printable(o, "args", lt_syscall_row_args(&c->row, call));
	if (call->how == LT_SYSCALL_RETURNED && !lt_syscall_row_has_result(&c->row, call)) {
		lt_pf_note(o, "result", "address");
	} else if (call->how == LT_SYSCALL_RETURNED) {
		snprintf(buf, sizeof(buf), lt_syscall_returns_address(call) && call->result >= 0 ?
			 "0x%" PRIx64 : "%" PRId64, call->result);
		lt_pf_note(o, "result", buf);
	} else {
		lt_pf_note(o, "ended", lt_syscall_end_name(call->how));
	}
	lt_pf_note(o, "error", lt_error_name(lt_syscall_error(call)));
	if (!call->has_begin)
		lt_pf_note(o, "begin", "before the trace, or not known");
	if (call->compat)
		lt_pf_note(o, "abi", "32 bits");
}

static uint64_t track_of(struct lt_pf_syscalls *c, uint32_t inst)
{
	struct lt_pf_track track = {
		.id = LT_PF_TRACK(LT_PF_SYSCALLS, inst), .parent = LT_PF_TRACK(LT_PF_THREAD, inst),
		.name = "System calls",
	};

	if (inst >= c->n)
		c->begun = lt_extend(c->begun, &c->n, inst + 1, sizeof(*c->begun));
	if (!c->begun[inst])
		lt_pf_track(c->o, &track);
	c->begun[inst] = true;
	return track.id;
}

/* A slice lies within the life of its task, as far as that is known. */
static void put_call(void *arg, const struct lt_syscall *call)
{
	struct lt_pf_syscalls *c = arg;
	uint32_t inst = lt_tasks_find(c->tb, call->tid, call->start);
	const struct lt_task_inst *t = inst ? lt_tasks_get(c->tb, inst) : NULL;
	uint64_t begin = call->begin, end = call->end, track;
	char buf[LT_SYSCALL_LABEL];

	/* The first return of a thread is the call of the one that made it. */
	if (!t || !t->tid || call->flags & LT_SYS_FIRST)
		return;
	if (!call->has_begin)
		begin = call->flags & LT_SYS_BEFORE ? c->trace_begin : end;
	if (begin < t->birth)
		begin = t->birth;
	if (lt_task_ended(t) && end > t->end)
		end = t->end;
	if (end < begin)
		return;
	track = track_of(c, inst);
	put_notes(c, call);
	lt_pf_event(c->o, LT_PF_BEGIN, track, begin, lt_syscall_label(call->abi, call->nr, buf));
	/* Without an end the slice is drawn up to the end of the trace. */
	if (call->how != LT_SYSCALL_AT_END)
		lt_pf_event(c->o, LT_PF_END, track, end, NULL);
}

struct lt_pf_syscalls *lt_pf_syscalls_new(struct lt_pf_out *o, const struct lt_export *e)
{
	struct lt_pf_syscalls *c = lt_alloc(sizeof(*c));

	c->row.common.addresses = e->opts->addresses;
	c->o = o;
	c->tb = e->tasks;
	c->trace_begin = lt_trace_begin(e->trace);
	c->calls = lt_syscalls_new(e->trace, false, put_call, c);
	return c;
}

void lt_pf_syscalls_event(struct lt_pf_syscalls *c, const struct lt_event *ev)
{
	lt_syscalls_event(c->calls, ev);
}

void lt_pf_syscalls_finish(struct lt_pf_syscalls *c)
{
	if (!c)
		return;
	lt_syscalls_finish(c->calls);
	lt_syscalls_free(c->calls);
	free(c->begun);
	free(c);
}
