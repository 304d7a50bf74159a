// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where the rows of the API come from: a pass over the trace that stops when there are enough, and
 * goes on behind the last event that was taken.
 */
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "base/digits.h"
#include "base/mem.h"
#include "calls/call.h"
#include "calls/memory.h"
#include "lifetimes/carry.h"
#include "lifetimes/read.h"
#include "rows/call.h"
#include "rows/lifetime.h"
#include "rows/lost.h"
#include "rows/syscall.h"
#include "rows/task.h"
#include "sums/own.h"
#include "syscalls/uring.h"
#include "tasks/read.h"
#include "trace/pass.h"

/**
 * struct api_kind - how rows of a kind are made
 * @begin: before the first event. Return: 0, or -1 after lt_error()
 * @some: takes the next events. NULL: there is no pass, and @finish takes all.
 * @finish: no event follows: takes the rows that this decides. Return: 0; 1: it is to be called
 *	again; -1 after lt_error()
 */
struct api_kind {
	const char *name;
	int (*begin)(struct api_source *s);
	int (*some)(struct api_source *s, const struct lt_event *evs, size_t n);
	int (*event)(struct api_source *s, const struct lt_event *ev);
	int (*finish)(struct api_source *s);
};

struct api_source {
	struct api_source_options o;
	const struct api_kind *kind;
	size_t want;
	bool finishing;
	uint64_t end;
	struct lt_own *own;
	struct lt_kmalloc kmalloc;
	struct lt_lifetimes *lifetimes;
	struct lt_syscalls *syscalls;
	struct lt_requests *requests;
	struct lt_calls *calls;
	struct lt_call_memory *memory;
	struct lt_tasks *tasks;
	struct lt_cgroups *cgroups;
	bool tasks_failed;
	uint32_t next_task;
	struct lt_gap lost_in;		/* @lost is about it */
	char lost[96];
	struct lt_lifetime_ctx of_lifetime;
	struct lt_syscall_ctx of_syscall;
	struct lt_call_ctx of_call;
	struct lt_task_ctx of_task;
};

/* ------------------------------------------------------------------------
 * Lifetimes
 */

static void ended(void *source, const struct lt_lifetime *l)
{
	struct api_source *s = source;

	lt_api_store_row(s->o.store, l, &s->of_lifetime);
}

/* As the command has it, where times count from the begin of the trace or from the clock's zero. */
static const char *lost(void *source, const struct lt_lifetime *l)
{
	struct api_source *s = source;
	const struct lt_gap *gap = lt_trace_gap_over(s->o.trace, l->space, l->birth.time,
						     l->death.time);
	char time[64], *p = time;
	int64_t ns;

	if (!gap)
		return NULL;
	/* Mostly the same gap as for the lifetime before. */
	if (s->lost[0] && gap->cpu == s->lost_in.cpu && gap->begin == s->lost_in.begin &&
	    gap->end == s->lost_in.end)
		return s->lost;
	s->lost_in = *gap;
	ns = (int64_t)(lt_lost_at(gap) - s->o.base);
	if (ns < 0)
		*p++ = '-';
	p = lt_put_time(p, ns < 0 ? -(uint64_t)ns : (uint64_t)ns);
	strcpy(p, " s");
	return lt_lost_text(gap, time, s->lost, sizeof(s->lost));
}

static int begin_lifetimes(struct api_source *s)
{
	const struct lt_lifetime_ops ops = { .ended = ended, .arg = s };

	lt_kmalloc_init(&s->kmalloc, s->o.trace);
	s->own = lt_own_new(s->o.trace);
	s->of_lifetime = (struct lt_lifetime_ctx){
		.common.addresses = s->o.flags & LIFETRACE_ADDRESSES, .trace = s->o.trace,
		.kmalloc = &s->kmalloc, .own = s->own, .lost = lost, .arg = s,
	};
	s->end = lt_trace_end(s->o.trace);
	s->lifetimes = lt_lifetimes_of(s->o.trace, &ops);
	lt_lifetimes_restore(s->lifetimes, s->o.trace);
	return 0;
}

static int some_for_lifetimes(struct api_source *s, const struct lt_event *evs, size_t n)
{
	lt_lifetimes_prefetch(s->lifetimes, evs, n);
	for (size_t i = 0; i < n; i++) {
		if (evs[i].time <= s->end)
			lt_lifetimes_take(s->lifetimes, s->o.trace, &evs[i]);
	}
	return 0;
}

static int finish_lifetimes(struct api_source *s)
{
	lt_lifetimes_end(s->lifetimes, s->o.trace);
	return 0;
}

/* ------------------------------------------------------------------------
 * Tasks
 */

static int begin_tasks(struct api_source *s)
{
	s->tasks = lt_tasks_for(s->o.trace, false);
	if (!s->tasks)
		return -1;
	s->of_task = (struct lt_task_ctx){
		.common.addresses = s->o.flags & LIFETRACE_ADDRESSES, .tb = s->tasks,
	};
	return 0;
}

/* What could be read is given also if the rest could not. */
static int finish_tasks(struct api_source *s)
{
	const uint32_t *order;
	uint32_t n;

	if (!s->cgroups) {
		s->tasks_failed = lt_tasks_read(s->o.trace, s->tasks);
		lt_tasks_count_from(s->tasks, s->o.base);
		s->of_task.cgroups = s->cgroups = lt_cgroups_named(s->o.trace);
	}
	n = lt_tasks_count(s->tasks);
	order = lt_tasks_order(s->tasks);
	while (s->next_task < n && s->o.store->n < s->want)
		lt_api_store_row(s->o.store, lt_tasks_get(s->tasks, order[s->next_task++]),
				 &s->of_task);
	if (s->next_task < n)
		return 1;
	return s->tasks_failed ? -1 : 0;
}

/* ------------------------------------------------------------------------
 * System calls, and requests of io_uring
 */

static void take_syscall(void *source, const struct lt_syscall *call)
{
	struct api_source *s = source;

	lt_api_store_row(s->o.store, call, &s->of_syscall);
}

static int begin_syscalls(struct api_source *s)
{
	s->of_syscall.common.addresses = s->o.flags & LIFETRACE_ADDRESSES;
	s->syscalls = lt_syscalls_new(s->o.trace, false, take_syscall, s);
	if (s->o.flags & LIFETRACE_REQUESTS)
		s->requests = lt_requests_new(s->o.trace, take_syscall, s);
	return 0;
}

static int begin_requests(struct api_source *s)
{
	s->of_syscall.common.addresses = s->o.flags & LIFETRACE_ADDRESSES;
	s->requests = lt_requests_new(s->o.trace, take_syscall, s);
	return 0;
}

static int event_of_syscalls(struct api_source *s, const struct lt_event *ev)
{
	if (s->syscalls)
		lt_syscalls_event(s->syscalls, ev);
	if (s->requests)
		lt_requests_event(s->requests, ev);
	return 0;
}

static int finish_syscalls(struct api_source *s)
{
	if (s->syscalls)
		lt_syscalls_finish(s->syscalls);
	if (s->requests)
		lt_requests_finish(s->requests);
	return 0;
}

/* ------------------------------------------------------------------------
 * Function calls
 */

static int begin_calls(struct api_source *s)
{
	s->of_call.common.addresses = s->o.flags & LIFETRACE_ADDRESSES;
	s->of_call.trace = s->o.trace;
	s->calls = lt_calls_new(s->o.trace);
	s->memory = lt_call_memory_new(s->o.trace);
	return s->calls ? 0 : -1;
}

static int event_of_calls(struct api_source *s, const struct lt_event *ev)
{
	struct lt_call call;

	if (s->memory)
		lt_call_memory_event(s->memory, ev);
	if (!lt_calls_event(s->calls, ev, &call))
		return 0;
	if (s->memory)
		lt_call_memory_take(s->memory, &call);
	lt_api_store_row(s->o.store, &call, &s->of_call);
	return 0;
}

/* ------------------------------------------------------------------------
 * The pass
 */

static const struct api_kind kinds[] = {
	{ "lifetime", begin_lifetimes, some_for_lifetimes, NULL, finish_lifetimes },
	{ "task", begin_tasks, NULL, NULL, finish_tasks },
	{ "syscall", begin_syscalls, NULL, event_of_syscalls, finish_syscalls },
	{ "request", begin_requests, NULL, event_of_syscalls, finish_syscalls },
	{ "call", begin_calls, NULL, event_of_calls, NULL },
};

static int take_some(void *source, const struct lt_event *evs, size_t n)
{
	struct api_source *s = source;
	int err = s->kind->some(s, evs, n);

	return err ? err : s->o.store->n >= s->want;
}

static int take_event(void *source, const struct lt_event *ev)
{
	struct api_source *s = source;
	int err = s->kind->event(s, ev);

	return err ? err : s->o.store->n >= s->want;
}

int lt_api_source_fill(struct api_source *s, size_t want)
{
	const struct lt_pass pass = {
		.event = take_event, .some = s->kind->some ? take_some : NULL, .arg = s,
	};
	int ret;

	s->want = want;
	if (!s->finishing && (s->kind->some || s->kind->event)) {
		ret = lt_trace_pass(s->o.trace, &pass);
		if (ret)
			return ret;
	}
	s->finishing = true;
	return s->kind->finish ? s->kind->finish(s) : 0;
}

struct api_source *lt_api_source_new(const struct api_source_options *o)
{
	struct api_source *s = lt_alloc(sizeof(*s));

	s->o = *o;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(kinds[i].name, o->entry->kind->name))
			s->kind = &kinds[i];
	}
	if (s->kind->begin(s)) {
		lt_api_source_free(s);
		return NULL;
	}
	return s;
}

void lt_api_source_free(struct api_source *s)
{
	if (!s)
		return;
	lt_lifetimes_free(s->lifetimes);
	lt_own_free(s->own);
	lt_syscalls_free(s->syscalls);
	lt_requests_free(s->requests);
	lt_calls_free(s->calls);
	lt_call_memory_free(s->memory);
	lt_tasks_free(s->tasks);
	lt_cgroups_free(s->cgroups);
	free(s->of_call.text.s);
	free(s);
}
