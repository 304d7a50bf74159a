// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is alive, as blocks STATE. What must be carried is listed, sorted by stream and time, and
 * encoded; the object itself is looked up only then.
 */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "state/encode.h"
#include "state/write.h"
#include "trace/part.h"

/*
 * In @what: the exit of a task, whose address is @ptr; begin and end of a cache, with its number.
 */
#define EXIT		0xff
#define CACHE		0xfe
#define CACHE_GONE	0xfd

#define FEW_CACHES	8192	/* so many are carried whether they have objects or not */

#define BUSY_LIST	4096	/* objects; some 100 us, as is the next one */
#define BUSY_SORT	16384	/* comparisons */
#define BUSY_ENCODE	1024	/* objects: each is looked up */

/* What is carried, sorted by channel, CPU, flags, and time. */
struct item {
	uint64_t time;
	uint64_t ptr;
	uint32_t cpu;
	uint8_t space;
	uint8_t what;
	uint8_t why;
	uint8_t split;
};

struct list {
	struct item *items;
	size_t n;
	size_t cap;
	struct lt_intern tasks;
	const struct lt_state_out *out;
	uint64_t steps;
};

static void stay_busy(struct list *list, uint64_t every)
{
	if (++list->steps % every == 0 && list->out->busy)
		list->out->busy(list->out->busy_arg);
}

static void add(void *arg, const struct lt_carry *carry)
{
	struct list *list = arg;

	list->items = lt_grow(list->items, &list->cap, list->n, sizeof(*list->items));
	list->items[list->n++] = (struct item){
		.time = carry->time, .ptr = carry->ptr, .cpu = carry->cpu,
		.space = carry->space, .what = carry->what, .why = carry->why,
		.split = carry->split,
	};
	lt_intern_number(&list->tasks, (uintptr_t)carry->task);
	stay_busy(list, BUSY_LIST);
}

static void add_exits(struct list *list, uint64_t end)
{
	for (uint32_t i = 1; i < list->tasks.n; i++) {
		uint64_t value = lt_intern_value(&list->tasks, i);
		const struct lt_task *task = (const struct lt_task *)(uintptr_t)value;

		if (task->exit >= end || !task->tid)
			continue;
		list->items = lt_grow(list->items, &list->cap, list->n, sizeof(*list->items));
		list->items[list->n++] = (struct item){
			.time = task->exit, .ptr = value, .space = LT_SPACE_SLAB, .what = EXIT,
		};
	}
}

static unsigned int channel_of(const struct item *item)
{
	return item->space == LT_SPACE_SLAB || item->space == LT_SPACE_PAGE ? LT_CHANNEL_KMEM :
									       LT_CHANNEL_AREA;
}

static uint64_t stream_of(const struct item *item)
{
	return (uint64_t)channel_of(item) << 48 | (uint64_t)item->cpu << 16 |
	       (uint64_t)item->why << 8 | item->split;
}

static int by_stream_and_time(const void *a, const void *b, void *arg)
{
	const struct item *x = a, *y = b;
	uint64_t sx = stream_of(x), sy = stream_of(y);

	/* Sorting is most of the work, and has no other place from which to call. */
	stay_busy(arg, BUSY_SORT);
	if (sx != sy)
		return sx < sy ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return x->ptr < y->ptr ? -1 : x->ptr > y->ptr;
}

/* Which caches have objects, by number; NULL: there are few. */
static bool *find_used(const struct lt_trace *t, const struct lt_lifetimes *lf,
		       const struct list *list)
{
	size_t n = lt_trace_n_caches(t);
	struct lt_carried carried;
	bool *used;

	if (n <= FEW_CACHES)
		return NULL;
	used = lt_alloc_array(n, sizeof(*used));
	for (size_t i = 0; i < list->n; i++) {
		const struct item *item = &list->items[i];
		const struct lt_carry carry = {
			.time = item->time, .ptr = item->ptr, .cpu = item->cpu,
			.space = item->space, .what = item->what,
		};

		if (item->what == EXIT || item->space != LT_SPACE_SLAB)
			continue;
		lt_lifetimes_carried(lf, &carry, &carried);
		if (carried.ev.cache < n)
			used[carried.ev.cache] = true;
	}
	return used;
}

static void add_cache(struct list *list, uint32_t number, uint8_t what, uint64_t time)
{
	list->items = lt_grow(list->items, &list->cap, list->n, sizeof(*list->items));
	list->items[list->n++] = (struct item){
		.time = time, .ptr = number, .space = LT_SPACE_SLAB, .what = what,
	};
}

/*
 * All that later events, and objects that are alive, may use: the cache that each id means now,
 * and an earlier one that has objects yet, with the time at which it went.
 */
static void add_caches(struct list *list, const struct lt_trace *t, const bool *used, uint64_t end)
{
	size_t n = lt_trace_n_caches(t);

	for (uint32_t number = 1; number < n; number++) {
		const struct lt_cache *cache = lt_trace_cache(t, number);
		uint64_t gone, begin = lt_trace_cache_begin(t, number, &gone);

		if (!cache)
			continue;
		/* Few caches: no id has meant two. */
		if (!used || (!begin && gone == UINT64_MAX)) {
			add_cache(list, number, CACHE, 0);
			continue;
		}
		if (begin >= end || (gone < end && !used[number]))
			continue;
		add_cache(list, number, CACHE, begin);
		if (gone < end)
			add_cache(list, number, CACHE_GONE, gone);
	}
}

static void encode_cache(struct lt_state_encoder *e, const struct item *item, uint64_t units)
{
	if (item->what == CACHE)
		lt_state_cache(e, lt_trace_cache(e->t, (uint32_t)item->ptr), units);
	else
		lt_state_cache_gone(e, (uint32_t)item->ptr, units);
}

static void encode_items(struct lt_state_encoder *e, const struct lt_lifetimes *lf,
			 struct list *list)
{
	uint64_t units = 0;

	for (size_t i = 0; i < list->n && !e->ret; i++) {
		const struct item *item = &list->items[i];
		const struct lt_carry carry = {
			.time = item->time, .ptr = item->ptr, .cpu = item->cpu,
			.space = item->space, .what = item->what,
		};
		struct lt_carried carried;

		stay_busy(list, BUSY_ENCODE);
		lt_state_stream(e, channel_of(item), item->cpu,
				LT_PACKET_STATE | LT_PACKET_WITH_WHY((unsigned int)item->why) |
				(item->split ? LT_PACKET_SPLIT : 0));
		units = item->time ? lt_trace_units(e->t, item->time, units) : 0;
		if (item->space == LT_SPACE_SLAB &&
		    (item->what == CACHE || item->what == CACHE_GONE)) {
			encode_cache(e, item, units);
			continue;
		}
		if (item->what == EXIT) {
			lt_state_exit(e, (const struct lt_task *)(uintptr_t)item->ptr, units);
			continue;
		}
		lt_lifetimes_carried(lf, &carry, &carried);
		lt_state_carried(e, &carried, units);
	}
}

int lt_state_write(const struct lt_trace *t, const struct lt_lifetimes *lf, uint64_t t0,
		   const struct lt_state_out *out)
{
	uint64_t gap_end[LT_N_MEMORY];
	struct list list = { .out = out };
	uint64_t end = lt_clock_ns(lt_trace_clock(t), t0);
	struct lt_state_encoder e;
	bool *used;

	/* Without a packet there was no event. */
	if (!lt_trace_machine(t))
		return 0;
	lt_trace_gap_ends(t, gap_end);
	lt_intern_init(&list.tasks);
	lt_lifetimes_carry(lf, gap_end, add, &list);
	add_exits(&list, end);
	used = find_used(t, lf, &list);
	add_caches(&list, t, used, end);
	free(used);
	if (list.n)
		qsort_r(list.items, list.n, sizeof(*list.items), by_stream_and_time, &list);
	lt_state_encoder_init(&e, t, t0);
	e.emit = out->emit;
	e.arg = out->arg;
	encode_items(&e, lf, &list);
	lt_state_encoder_destroy(&e);
	lt_intern_destroy(&list.tasks);
	free(list.items);
	return e.ret;
}
