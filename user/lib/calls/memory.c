// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What tasks allocated within calls. An event of memory comes before the record of the calls that
 * it lies in: so of each thread the allocations are kept that no call has taken. A call makes one
 * of all since its begin, for a call around it takes them all or none.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "calls/memory.h"

/*
 * Of a thread: beyond that the older half become one,
 * which only a call around them all takes whole.
 */
#define MOST_KEPT	(1U << 16)

/* Allocations from a time on. */
struct kept {
	uint64_t time;
	struct lt_call_allocated sum;
};

/* @joined: time of the last allocation that became one with @kept[0]; 0: none has */
struct thread {
	uint32_t tid;
	uint32_t cpu;		/* of the idle threads, which have one number; else 0 */
	uint64_t start;
	uint64_t joined;
	struct kept *kept;
	size_t n;
	size_t cap;
};

struct lt_call_memory {
	const struct lt_trace *t;
	struct lt_map map;
	uint64_t seed;
	struct thread *threads;		/* number N is at N - 1 */
	size_t n;
	size_t cap;
	uint64_t lacking;	/* see lt_call_memory_lacking() */
};

struct lt_call_memory *lt_call_memory_new(const struct lt_trace *t)
{
	struct lt_call_memory *m;

	if (!lt_trace_has_channel(t, LT_CHANNEL_KMEM))
		return NULL;
	m = lt_alloc(sizeof(*m));
	m->t = t;
	lt_map_init(&m->map);
	m->seed = lt_hash_seed();
	return m;
}

void lt_call_memory_free(struct lt_call_memory *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++)
		free(m->threads[i].kept);
	free(m->threads);
	lt_map_destroy(&m->map);
	free(m);
}

static struct thread *thread_of(struct lt_call_memory *m, uint32_t tid, uint64_t start,
				uint32_t cpu, bool add)
{
	uint32_t of = tid ? 0 : cpu, number;
	uint32_t hash = (uint32_t)lt_hash64(tid ^ start << 22 ^ (uint64_t)of << 40, m->seed);

	lt_map_for_each(number, at, &m->map, hash) {
		struct thread *th = &m->threads[number - 1];

		if (th->tid == tid && th->start == start && th->cpu == of)
			return th;
	}
	if (!add)
		return NULL;
	m->threads = lt_grow(m->threads, &m->cap, m->n, sizeof(*m->threads));
	m->threads[m->n++] = (struct thread){ .tid = tid, .start = start, .cpu = of };
	lt_map_add(&m->map, hash, (uint32_t)m->n);
	return &m->threads[m->n - 1];
}

static void add(struct lt_call_allocated *to, const struct lt_call_allocated *what)
{
	to->objects += what->objects;
	to->bytes += what->bytes;
}

/* The older half become one, with the time of the first. */
static void shorten(struct thread *th)
{
	size_t half = th->n / 2;

	th->joined = th->kept[half - 1].time;
	for (size_t i = 1; i < half; i++)
		add(&th->kept[0].sum, &th->kept[i].sum);
	memmove(&th->kept[1], &th->kept[half], (th->n - half) * sizeof(*th->kept));
	th->n -= half - 1;
}

/* Bytes given for an object; 0: not known. */
static uint64_t bytes_of(const struct lt_call_memory *m, const struct lt_event *ev)
{
	const struct lt_cache *cache;

	if (ev->class == LT_CLASS_KMALLOC)
		return ev->bytes_alloc;
	cache = ev->cache ? lt_trace_cache(m->t, ev->cache) : NULL;
	return !cache ? 0 : cache->size ? cache->size : cache->object_size;
}

void lt_call_memory_event(struct lt_call_memory *m, const struct lt_event *ev)
{
	struct thread *th;

	if (ev->channel != LT_CHANNEL_KMEM || ev->context != LT_CTX_TASK || !ev->task)
		return;
	if (ev->class != LT_CLASS_KMALLOC && ev->class != LT_CLASS_CACHE_ALLOC &&
	    ev->class != LT_CLASS_BULK_ALLOC)
		return;
	th = thread_of(m, ev->task->tid, ev->task->start, ev->cpu, true);
	if (th->n == MOST_KEPT)
		shorten(th);
	th->kept = lt_grow(th->kept, &th->cap, th->n, sizeof(*th->kept));
	th->kept[th->n++] = (struct kept){ ev->time, { 1, bytes_of(m, ev) } };
}

void lt_call_memory_take(struct lt_call_memory *m, struct lt_call *call)
{
	struct lt_call_allocated *sum = &call->allocated;
	struct thread *th;

	if (call->context != LT_CTX_TASK || !call->has_begin || call->why)
		return;
	call->has_memory = true;
	th = thread_of(m, call->tid, call->start, call->cpu, false);
	if (!th)
		return;
	while (th->n && th->kept[th->n - 1].time >= call->begin)
		add(sum, &th->kept[--th->n].sum);
	if (!th->n)
		th->joined = 0;
	m->lacking += th->joined >= call->begin;
	/* The room is that of one that was there. */
	if (sum->objects)
		th->kept[th->n++] = (struct kept){ call->begin, *sum };
}

uint64_t lt_call_memory_lacking(const struct lt_call_memory *m)
{
	return m->lacking;
}
