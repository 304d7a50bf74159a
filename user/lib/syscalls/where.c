// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which system call a task was in.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "syscalls/syscall.h"
#include "syscalls/where.h"
#include "trace/pass.h"
#include "trace/places.h"

struct lt_syscall_places {
	const struct lt_abi *abi;
	const struct lt_abi *abi32;
	struct lt_places places;
};

/* Above 0. */
static uint64_t number_of(const struct lt_syscall *call)
{
	return (uint64_t)(uint32_t)call->nr + 1 + ((uint64_t)call->compat << 33);
}

/*
 * Of a call that began before the trace, and of the first return of a thread, all that the thread
 * did until then belongs to it. Where the begin is not known for another reason, nothing does. To
 * the call in which a thread ends belongs all that it does until it is gone, which is after its
 * exit.
 */
static void take(void *arg, const struct lt_syscall *call)
{
	struct lt_syscall_places *c = arg;
	struct lt_place_thread *th = lt_places_thread(&c->places, call->tid, call->start);
	uint64_t begin = call->has_begin ? call->begin : 0;
	bool known = call->has_begin || call->flags & (LT_SYS_BEFORE | LT_SYS_FIRST);
	bool died = call->how == LT_SYSCALL_DIED;

	if (!known || (!died && (!th->has || th->latest < begin)))
		return;
	lt_place_add(th, &(struct lt_place){
		.begin = begin, .end = died ? UINT64_MAX : call->end, .number = number_of(call),
	});
}

struct reader {
	struct lt_syscall_places *c;
	struct lt_syscalls *calls;
};

static int take_event(void *arg, const struct lt_event *ev)
{
	const struct reader *r = arg;

	lt_places_event(&r->c->places, ev);
	lt_syscalls_event(r->calls, ev);
	return 0;
}

static void read_places(struct lt_syscall_places *c, struct lt_trace *t)
{
	struct reader r = { .c = c, .calls = lt_syscalls_new(t, true, take, c) };

	lt_trace_pass(t, &(struct lt_pass){ .event = take_event, .arg = &r });
	lt_syscalls_finish(r.calls);
	lt_syscalls_free(r.calls);
}

struct lt_syscall_places *lt_syscall_places_read(const char *path)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_syscall_places *c;

	if (!t)
		return NULL;
	if (!lt_trace_has_channel(t, LT_CHANNEL_SYSCALL)) {
		lt_error("%s: system calls were not recorded: record -e slab,syscall records them",
			 path);
		lt_trace_close(t);
		return NULL;
	}
	c = lt_alloc(sizeof(*c));
	lt_places_init(&c->places);
	c->abi = lt_abi_of(lt_trace_info(t, "machine"), false);
	c->abi32 = lt_abi_of(lt_trace_info(t, "machine"), true);
	read_places(c, t);
	lt_trace_close(t);
	return c;
}

void lt_syscall_places_free(struct lt_syscall_places *c)
{
	if (!c)
		return;
	lt_places_destroy(&c->places);
	free(c);
}

uint64_t lt_syscall_places_at(const struct lt_syscall_places *c, const struct lt_task *task,
			      uint64_t time)
{
	return lt_places_at(&c->places, task, time);
}

const char *lt_syscall_places_name(const struct lt_syscall_places *c, uint64_t number, char *buf,
				   size_t size)
{
	bool compat = number >> 33;
	int32_t nr = (int32_t)(uint32_t)(number - 1);
	const struct lt_abi *abi = compat ? c->abi32 : lt_abi_of_syscall(c->abi, nr);
	const char *name = lt_syscall_name(abi, nr);
	char label[LT_SYSCALL_LABEL];

	if (name && !compat && !lt_abi_is_x32(abi))
		return name;
	/* On some machines the first return of a thread has none. */
	snprintf(buf, size, "%s%s", nr < 0 ? "no number" : lt_syscall_label(abi, nr, label),
		 compat ? " [32 bits]" : lt_abi_is_x32(abi) ? " [x32]" : "");
	return buf;
}
