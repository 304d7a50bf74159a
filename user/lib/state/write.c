// SPDX-License-Identifier: GPL-2.0
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

#define EXIT	0xff	/* in @what: the exit of a task, whose address is @ptr */
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

/* All that later events may use. They come first: nothing is older than 0. */
static void encode_caches(struct lt_encoder *e, const struct lt_trace *t)
{
	lt_encoder_stream(e, LT_CHANNEL_KMEM, 0, LT_PACKET_STATE);
	for (uint32_t id = 1; id < lt_trace_n_caches(t); id++) {
		const struct lt_cache *cache = lt_trace_cache(t, id);

		if (cache)
			lt_encode_cache(e, cache, 0);
	}
}

static void encode_items(struct lt_encoder *e, const struct lt_lifetimes *lf, struct list *list)
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
		lt_encoder_stream(e, channel_of(item), item->cpu,
				  LT_PACKET_STATE | LT_PACKET_WITH_WHY((unsigned int)item->why) |
				  (item->split ? LT_PACKET_SPLIT : 0));
		units = lt_trace_units(e->t, item->time, units);
		if (item->what == EXIT) {
			lt_encode_exit(e, (const struct lt_task *)(uintptr_t)item->ptr, units);
			continue;
		}
		lt_lifetimes_carried(lf, &carry, &carried);
		lt_encode_carried(e, &carried, units);
	}
}

int lt_state_write(const struct lt_trace *t, const struct lt_lifetimes *lf, uint64_t t0,
		   const struct lt_state_out *out)
{
	uint64_t gap_end[LT_N_MEMORY] = { 0 };
	struct list list = { .out = out };
	struct lt_encoder e;

	/* Without a packet there was no event. */
	if (!lt_trace_machine(t))
		return 0;
	for (int i = LT_SPACE_SLAB; i < LT_N_MEMORY; i++)
		gap_end[i] = lt_trace_gap_end(t, (enum lt_space)i);
	lt_intern_init(&list.tasks);
	lt_lifetimes_carry(lf, gap_end, add, &list);
	add_exits(&list, lt_clock_ns(lt_trace_clock(t), t0));
	if (list.n)
		qsort_r(list.items, list.n, sizeof(*list.items), by_stream_and_time, &list);
	lt_encoder_init(&e, t, t0);
	e.emit = out->emit;
	e.arg = out->arg;
	encode_caches(&e, t);
	encode_items(&e, lf, &list);
	lt_encoder_destroy(&e);
	lt_intern_destroy(&list.tasks);
	free(list.items);
	return e.ret;
}
