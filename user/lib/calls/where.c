// SPDX-License-Identifier: GPL-2.0
/*
 * Which function a task was in. The record of a call comes behind the events that it has caused. So
 * the time of the latest event of each thread is kept. A call that begins no later than this time
 * is kept, too, and replaces the calls that were made in it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "calls/call.h"
#include "calls/where.h"
#include "trace/pass.h"

/* An outermost call with events, of one thread. */
struct place {
	uint64_t begin;
	uint64_t end;
	uint16_t depth;
	uint16_t function;
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

struct lt_call_places {
	struct lt_trace *t;	/* open as long as its functions are named */
	struct lt_calls *calls;
	struct lt_map map;
	uint64_t seed;
	struct thread *threads;		/* number N is at N - 1 */
	size_t n;
	size_t cap;
};

static uint32_t hash_of(const struct lt_call_places *c, uint32_t tid, uint64_t start)
{
	return (uint32_t)lt_hash64(tid ^ start << 22, c->seed);
}

static struct thread *find(const struct lt_call_places *c, uint32_t tid, uint64_t start)
{
	uint32_t number;

	lt_map_for_each(number, at, &c->map, hash_of(c, tid, start)) {
		struct thread *th = &c->threads[number - 1];

		if (th->tid == tid && th->start == start)
			return th;
	}
	return NULL;
}

static struct thread *thread_of(struct lt_call_places *c, uint32_t tid, uint64_t start)
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

/* As trees are made: see tree.c. */
static bool is_in(const struct place *p, const struct lt_call *call)
{
	int16_t deeper = (int16_t)(uint16_t)(p->depth - call->depth);

	return p->begin >= call->begin && (deeper > 0 || p->end > call->begin);
}

static void take(struct lt_call_places *c, const struct lt_call *call)
{
	struct thread *th;
	bool has;

	/* The idle threads of all CPUs have one number. */
	if (!call->has_begin || call->context != LT_CTX_TASK || !call->tid)
		return;
	th = thread_of(c, call->tid, call->start);
	has = th->has && th->latest >= call->begin;
	while (th->n && is_in(&th->places[th->n - 1], call)) {
		th->n--;
		has = true;
	}
	if (!has)
		return;
	th->has = false;
	th->places = lt_grow(th->places, &th->cap, th->n, sizeof(*th->places));
	th->places[th->n++] = (struct place){
		call->begin, call->why == LT_CALL_DIED ? UINT64_MAX : call->end, call->depth,
		call->number,
	};
}

static void on_event(struct lt_call_places *c, const struct lt_event *ev)
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

static int pass_event(void *arg, const struct lt_event *ev)
{
	struct lt_call_places *c = arg;
	struct lt_call call;

	on_event(c, ev);
	if (lt_calls_event(c->calls, ev, &call))
		take(c, &call);
	return 0;
}

struct lt_call_places *lt_call_places_read(const char *path)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_call_places *c;

	if (!t)
		return NULL;
	if (!lt_trace_has_channel(t, LT_CHANNEL_CALL)) {
		lt_error("%s: function calls were not recorded: record -e slab --call=NAME records those "
			 "of NAME", path);
		lt_trace_close(t);
		return NULL;
	}
	c = lt_alloc(sizeof(*c));
	c->t = t;
	lt_map_init(&c->map);
	c->seed = lt_hash_seed();
	c->calls = lt_calls_new(t);
	if (c->calls && !lt_trace_pass(t, &(const struct lt_pass){ .event = pass_event, .arg = c }))
		return c;
	lt_call_places_free(c);
	return NULL;
}

void lt_call_places_free(struct lt_call_places *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		free(c->threads[i].places);
	free(c->threads);
	lt_map_destroy(&c->map);
	lt_calls_free(c->calls);
	lt_trace_close(c->t);
	free(c);
}

uint64_t lt_call_places_at(const struct lt_call_places *c, const struct lt_task *task,
			   uint64_t time)
{
	const struct thread *th = find(c, task->tid, task->start);
	size_t low = 0, high = th ? th->n : 0;

	/*
	 * Outermost calls of a thread do not overlap: the first one that ends at the time or later.
	 */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (th->places[mid].end < time)
			low = mid + 1;
		else
			high = mid;
	}
	return th && low < th->n && th->places[low].begin <= time ?
	       th->places[low].function + 1U : 0;
}

const char *lt_call_places_name(const struct lt_call_places *c, uint64_t number, char *buf,
				size_t size)
{
	const struct lt_function *fn;

	fn = lt_function_get(lt_calls_functions(c->calls), (uint16_t)(number - 1));
	if (!fn)
		snprintf(buf, size, "function_%u", (unsigned int)number - 1);
	else if (fn->module)
		snprintf(buf, size, "%s [%s]", fn->name, fn->module);
	else
		snprintf(buf, size, "%s", fn->name);
	return buf;
}
