// SPDX-License-Identifier: GPL-2.0
/*
 * Which system call a task was in. A call is written when it ends, behind the events that it has
 * caused: so of each thread the time of its latest event is kept, and a call that does not begin
 * later than that is remembered.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "syscalls/syscall.h"
#include "syscalls/where.h"
#include "trace/pass.h"

/* A call with events, of one thread. @number: see number_of(). */
struct place {
	uint64_t begin;
	uint64_t end;
	uint64_t number;
};

/* @latest: time of its latest event of memory, if it @has one */
struct thread {
	uint32_t tid;
	uint64_t start;
	uint64_t latest;
	bool has;
	struct place *places;
	size_t n;
	size_t cap;
};

struct lt_syscall_places {
	const struct lt_abi *abi;
	const struct lt_abi *abi32;
	struct lt_map map;
	uint64_t seed;
	struct thread *threads;		/* number N is at N - 1 */
	size_t n;
	size_t cap;
};

static uint32_t hash_of(const struct lt_syscall_places *c, uint32_t tid, uint64_t start)
{
	return (uint32_t)lt_hash64(tid ^ start << 22, c->seed);
}

static struct thread *find(const struct lt_syscall_places *c, uint32_t tid, uint64_t start)
{
	uint32_t number;

	lt_map_for_each(number, at, &c->map, hash_of(c, tid, start)) {
		struct thread *th = &c->threads[number - 1];

		if (th->tid == tid && th->start == start)
			return th;
	}
	return NULL;
}

static struct thread *thread_of(struct lt_syscall_places *c, uint32_t tid, uint64_t start)
{
	struct thread *th = find(c, tid, start);

	if (th)
		return th;
	c->threads = lt_grow(c->threads, &c->cap, c->n, sizeof(*c->threads));
	th = &c->threads[c->n++];
	*th = (struct thread){ .tid = tid, .start = start };
	lt_map_add(&c->map, hash_of(c, tid, start), (uint32_t)c->n);
	return th;
}

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
	struct thread *th = thread_of(arg, call->tid, call->start);
	uint64_t begin = call->has_begin ? call->begin : 0;
	bool known = call->has_begin || call->flags & (LT_SYS_BEFORE | LT_SYS_FIRST);
	bool died = call->how == LT_SYSCALL_DIED;

	if (!known || (!died && (!th->has || th->latest < begin)))
		return;
	th->has = false;
	th->places = lt_grow(th->places, &th->cap, th->n, sizeof(*th->places));
	th->places[th->n++] = (struct place){
		begin, died ? UINT64_MAX : call->end, number_of(call),
	};
}

static void on_event(struct lt_syscall_places *c, const struct lt_event *ev)
{
	struct thread *th;

	if (ev->channel != LT_CHANNEL_KMEM && ev->channel != LT_CHANNEL_AREA)
		return;
	if (!ev->task || ev->context != LT_CTX_TASK || ev->class == LT_CLASS_NONE)
		return;
	th = thread_of(c, ev->task->tid, ev->task->start);
	th->latest = ev->time;
	th->has = true;
}

struct reader {
	struct lt_syscall_places *c;
	struct lt_syscalls *calls;
};

static int take_event(void *arg, const struct lt_event *ev)
{
	const struct reader *r = arg;

	on_event(r->c, ev);
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
	lt_map_init(&c->map);
	c->seed = lt_hash_seed();
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
	for (size_t i = 0; i < c->n; i++)
		free(c->threads[i].places);
	free(c->threads);
	lt_map_destroy(&c->map);
	free(c);
}

uint64_t lt_syscall_places_at(const struct lt_syscall_places *c, const struct lt_task *task,
			      uint64_t time)
{
	const struct thread *th = find(c, task->tid, task->start);
	size_t low = 0, high = th ? th->n : 0;

	/* The calls of a thread do not overlap: the first one that ends at the time or later. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (th->places[mid].end < time)
			low = mid + 1;
		else
			high = mid;
	}
	return th && low < th->n && th->places[low].begin <= time ? th->places[low].number : 0;
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
