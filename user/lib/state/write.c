// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is alive, as blocks STATE. What must be carried is listed, sorted by stream and time, and
 * encoded; the object itself is looked up only then.
 */
#include <stdlib.h>
#include <string.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/sort.h"
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

/*
 * What is carried, sorted by channel, CPU, flags, and time: @stream holds all of these but the
 * time, and in its low bits enum lt_space and what it is.
 */
struct item {
	uint64_t time;
	uint64_t ptr;
	uint64_t stream;
};

#define OF_STREAM	16	/* bits below those by which streams differ */
#define SPLIT_SHIFT	16
#define WHY_SHIFT	24
#define CPU_SHIFT	32
#define CHANNEL_SHIFT	56

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

static void put(struct list *list, uint64_t time, uint64_t ptr, unsigned int space,
		unsigned int what, uint64_t flags)
{
	uint64_t channel = space == LT_SPACE_SLAB || space == LT_SPACE_PAGE ? LT_CHANNEL_KMEM :
									      LT_CHANNEL_AREA;

	list->items = lt_grow(list->items, &list->cap, list->n, sizeof(*list->items));
	list->items[list->n++] = (struct item){
		time, ptr, channel << CHANNEL_SHIFT | flags | space << 8 | what,
	};
}

static void add(void *arg, const struct lt_carry *carry)
{
	struct list *list = arg;

	put(list, carry->time, carry->ptr, carry->space, carry->what,
	    (uint64_t)carry->cpu << CPU_SHIFT | (uint64_t)carry->why << WHY_SHIFT |
	    (uint64_t)carry->split << SPLIT_SHIFT);
	lt_intern_number(&list->tasks, (uintptr_t)carry->task);
	stay_busy(list, BUSY_LIST);
}

static void add_exits(struct list *list, uint64_t end)
{
	for (uint32_t i = 1; i < list->tasks.n; i++) {
		uint64_t value = lt_intern_value(&list->tasks, i);
		const struct lt_task *task = (const struct lt_task *)(uintptr_t)value;

		if (task->exit < end && task->tid)
			put(list, task->exit, value, LT_SPACE_SLAB, EXIT, 0);
	}
}

static unsigned int space_of(const struct item *item)
{
	return (uint8_t)(item->stream >> 8);
}

static unsigned int what_of(const struct item *item)
{
	return (uint8_t)item->stream;
}

static uint32_t cpu_of(const struct item *item)
{
	return (uint32_t)(item->stream >> CPU_SHIFT) & ((1U << (CHANNEL_SHIFT - CPU_SHIFT)) - 1);
}

static struct lt_carry carry_of(const struct item *item)
{
	return (struct lt_carry){
		.time = item->time, .ptr = item->ptr, .cpu = cpu_of(item),
		.space = (uint8_t)space_of(item), .what = (uint8_t)what_of(item),
	};
}

static bool comes_before(const void *a, const void *b, const void *arg)
{
	const struct item *x = a, *y = b;
	uint64_t sx = x->stream >> OF_STREAM, sy = y->stream >> OF_STREAM;

	/* Sorting has no other place from which to call. */
	stay_busy((struct list *)(uintptr_t)arg, BUSY_SORT);
	if (sx != sy)
		return sx < sy;
	if (x->time != y->time)
		return x->time < y->time;
	if (what_of(x) != what_of(y))
		return what_of(x) < what_of(y);
	return x->ptr < y->ptr;
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
		const struct lt_carry carry = carry_of(item);

		if (carry.what == EXIT || carry.space != LT_SPACE_SLAB)
			continue;
		lt_lifetimes_carried(lf, &carry, &carried);
		if (carried.ev.cache < n)
			used[carried.ev.cache] = true;
	}
	return used;
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
			put(list, 0, number, LT_SPACE_SLAB, CACHE, 0);
			continue;
		}
		if (begin >= end || (gone < end && !used[number]))
			continue;
		put(list, begin, number, LT_SPACE_SLAB, CACHE, 0);
		if (gone < end)
			put(list, gone, number, LT_SPACE_SLAB, CACHE_GONE, 0);
	}
}

static void sort(struct list *list)
{
	struct item *items = lt_realloc_array(list->items, 2 * list->n + 1, sizeof(*items));
	const struct item *sorted = lt_sort(items, list->n, sizeof(*items), comes_before, list);

	if (sorted != items)
		memcpy(items, sorted, list->n * sizeof(*items));
	list->items = items;
}

static void encode_item(struct lt_state_encoder *e, const struct lt_lifetimes *lf,
			const struct item *item, uint64_t units)
{
	const struct lt_carry carry = carry_of(item);
	struct lt_carried carried;

	switch (carry.what) {
	case CACHE:
		lt_state_cache(e, lt_trace_cache(e->t, (uint32_t)item->ptr), units);
		break;
	case CACHE_GONE:
		lt_state_cache_gone(e, (uint32_t)item->ptr, units);
		break;
	case EXIT:
		lt_state_exit(e, (const struct lt_task *)(uintptr_t)item->ptr, units);
		break;
	default:
		lt_lifetimes_carried(lf, &carry, &carried);
		lt_state_carried(e, &carried, units);
	}
}

static void encode_items(struct lt_state_encoder *e, const struct lt_lifetimes *lf,
			 struct list *list)
{
	uint64_t units = 0;

	for (size_t i = 0; i < list->n && !e->ret; i++) {
		const struct item *item = &list->items[i];
		unsigned int why = (uint8_t)(item->stream >> WHY_SHIFT);

		stay_busy(list, BUSY_ENCODE);
		lt_state_stream(e, (unsigned int)(item->stream >> CHANNEL_SHIFT), cpu_of(item),
				LT_PACKET_STATE | LT_PACKET_WITH_WHY(why) |
				(item->stream >> SPLIT_SHIFT & 1 ? LT_PACKET_SPLIT : 0));
		units = item->time ? lt_trace_units(e->t, item->time, units) : 0;
		encode_item(e, lf, item, units);
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
	sort(&list);
	lt_state_encoder_init(&e, t, t0);
	e.emit = out->emit;
	e.arg = out->arg;
	encode_items(&e, lf, &list);
	lt_state_encoder_destroy(&e);
	lt_intern_destroy(&list.tasks);
	free(list.items);
	return e.ret;
}
