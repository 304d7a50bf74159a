// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * In which call a thread was, see places.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"
#include "trace/places.h"
#include "uapi/lifetrace.h"

void lt_places_init(struct lt_places *p)
{
	memset(p, 0, sizeof(*p));
	lt_map_init(&p->map);
	p->seed = lt_hash_seed();
}

void lt_places_destroy(struct lt_places *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->threads[i].places);
	free(p->threads);
	lt_map_destroy(&p->map);
}

static uint32_t hash_of(const struct lt_places *p, uint32_t tid, uint64_t start)
{
	return (uint32_t)lt_hash64(tid ^ start << 22, p->seed);
}

static struct lt_place_thread *find(const struct lt_places *p, uint32_t tid, uint64_t start)
{
	uint32_t number;

	lt_map_for_each(number, at, &p->map, hash_of(p, tid, start)) {
		struct lt_place_thread *th = &p->threads[number - 1];

		if (th->tid == tid && th->start == start)
			return th;
	}
	return NULL;
}

struct lt_place_thread *lt_places_thread(struct lt_places *p, uint32_t tid, uint64_t start)
{
	struct lt_place_thread *th = find(p, tid, start);

	if (th)
		return th;
	p->threads = lt_grow(p->threads, &p->cap, p->n, sizeof(*p->threads));
	th = &p->threads[p->n++];
	*th = (struct lt_place_thread){ .tid = tid, .start = start };
	lt_map_add(&p->map, hash_of(p, tid, start), (uint32_t)p->n);
	return th;
}

void lt_places_event(struct lt_places *p, const struct lt_event *ev)
{
	struct lt_place_thread *th;

	if (ev->channel != LT_CHANNEL_KMEM && ev->channel != LT_CHANNEL_AREA)
		return;
	if (!ev->task || ev->context != LT_CTX_TASK || ev->class == LT_CLASS_NONE)
		return;
	th = lt_places_thread(p, ev->task->tid, ev->task->start);
	th->latest = ev->time;
	th->has = true;
}

void lt_place_add(struct lt_place_thread *th, const struct lt_place *place)
{
	th->has = false;
	th->places = lt_grow(th->places, &th->cap, th->n, sizeof(*th->places));
	th->places[th->n++] = *place;
}

uint64_t lt_places_at(const struct lt_places *p, const struct lt_task *task, uint64_t time)
{
	const struct lt_place_thread *th = find(p, task->tid, task->start);
	size_t first;

	if (!th)
		return 0;
	first = lt_first_not(th->n, i, th->places[i].end < time);
	return first < th->n && th->places[first].begin <= time ? th->places[first].number : 0;
}
