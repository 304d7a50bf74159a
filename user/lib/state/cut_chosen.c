// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cutting out what some tasks did: which records that takes.
 *
 * Of an object of slab memory, of vmalloc and the like, these are the events at its address from
 * its birth to its end. Where births and frees at an address do not alternate (one was lost, or was
 * recorded late), the order of all events there decides, so all are taken. Of pages all events that
 * overlap a block of the tasks are taken, since blocks are split and merged.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/search.h"
#include "lifetimes/lifetime.h"
#include "state/cut_chosen.h"
#include "sums/filter_fields.h"
#include "trace/pass.h"

#define LEAST_COMPACT	65536	/* spans of pages, from which on those that overlap are merged */

enum {
	HELD = 1,	/* an object is alive there */
	WANTED = 2,	/* and one of the tasks had to do with it */
	TOUCHED = 4,	/* one of the tasks had to do with an object there */
	DOUBTED = 8,	/* births and frees did not alternate */
};

/* @from: birth of the object that is alive; @last: end of the last one that was wanted, ns. */
struct address {
	uint64_t ptr;
	uint64_t from;
	uint64_t last;
	uint32_t flags;
};

/* From a birth to an end, ns, at @key; of pages from the first one to the last one, with @key 0. */
struct span {
	uint64_t key;
	uint64_t from;
	uint64_t to;
};

struct spans {
	struct span *list;
	size_t n;
	size_t cap;
	size_t compact;
};

struct addresses {
	struct lt_map map;
	struct lt_pool pool;
	struct spans spans;
	bool any;		/* there was a birth */
};

struct who {
	uint64_t start;
	uint32_t tid;
	bool chosen;
	bool renamed;
	char comm[17];
};

struct lt_chosen {
	struct lt_trace *t;
	struct lt_filter *f;
	uint64_t seed;
	struct addresses spaces[LT_N_MEMORY];
	struct lt_map tasks;
	struct who *who;	/* by number, from 1 on */
	size_t n_who;
	size_t cap_who;
};

/* ------------------------------------------------------------------------
 * Addresses
 */

static uint32_t hash(const struct lt_chosen *c, uint64_t key)
{
	return (uint32_t)lt_hash64(key, c->seed);
}

static struct address *find(const struct lt_chosen *c, const struct addresses *a, uint64_t ptr,
			    uint32_t *number)
{
	lt_map_for_each(*number, at, &a->map, hash(c, ptr)) {
		struct address *x = lt_pool_at(&a->pool, *number);

		if (x->ptr == ptr)
			return x;
	}
	return NULL;
}

static struct address *get(struct lt_chosen *c, struct addresses *a, uint64_t ptr, uint32_t *number)
{
	struct address *x = find(c, a, ptr, number);

	if (x)
		return x;
	*number = lt_pool_get(&a->pool);
	x = lt_pool_at(&a->pool, *number);
	*x = (struct address){ .ptr = ptr };
	lt_map_add(&a->map, hash(c, ptr), *number);
	return x;
}

static void add_span(struct spans *s, uint64_t key, uint64_t from, uint64_t to)
{
	s->list = lt_grow(s->list, &s->cap, s->n, sizeof(*s->list));
	s->list[s->n++] = (struct span){ key, from, to };
}

static void birth(struct addresses *a, struct address *x, uint64_t now, bool wanted)
{
	/* One that ended at this very time may be the later one. */
	if ((x->flags & HELD) || ((x->flags & TOUCHED) && x->last == now) || !a->any)
		x->flags |= DOUBTED;
	/* With the first one the time begins of which rates are. */
	if (!a->any)
		x->flags |= TOUCHED;
	a->any = true;
	x->flags = (x->flags & ~WANTED) | HELD | (wanted ? WANTED | TOUCHED : 0);
	x->from = now;
}

static void end(struct lt_chosen *c, struct addresses *a, struct address *x, uint32_t number,
		uint64_t now)
{
	if (!(x->flags & HELD)) {
		x->flags |= DOUBTED;
		return;
	}
	if (x->flags & WANTED) {
		add_span(&a->spans, x->ptr, x->from, now);
		x->last = now;
	}
	x->flags &= ~(HELD | WANTED);
	if (x->flags)
		return;
	lt_map_remove(&a->map, hash(c, x->ptr), number);
	lt_pool_put(&a->pool, number);
}

static void at_address(struct lt_chosen *c, enum lt_space space, const struct lt_event *ev,
		       bool wanted)
{
	struct addresses *a = &c->spaces[space];
	struct address *x;
	uint32_t number;

	if (!lt_chosen_is_object(ev))
		return;
	x = get(c, a, ev->ptr, &number);
	if (wanted)
		x->flags |= TOUCHED | ((x->flags & HELD) ? WANTED : 0);
	switch (ev->class) {
	case LT_CLASS_KMALLOC:
	case LT_CLASS_CACHE_ALLOC:
	case LT_CLASS_BULK_ALLOC:
	case LT_CLASS_PERCPU_ALLOC:
	case LT_CLASS_VMALLOC:
	case LT_CLASS_DMA_ALLOC:
		birth(a, x, ev->time, wanted);
		break;
	case LT_CLASS_RCU_FREE:
	case LT_CLASS_RESIZE:
	case LT_CLASS_VRESIZE:
		if (!(x->flags & HELD))
			x->flags |= DOUBTED;
		break;
	default:
		end(c, a, x, number, ev->time);
	}
}

/* ------------------------------------------------------------------------
 * Pages
 */

static bool is_of_pages(const struct lt_event *ev)
{
	return ev->class == LT_CLASS_PAGE_ALLOC || ev->class == LT_CLASS_PAGE_BULK ||
	       ev->class == LT_CLASS_PAGE_FREE || ev->class == LT_CLASS_PAGE_BATCHED;
}

static uint64_t last_page(const struct lt_event *ev)
{
	return ev->ptr + (ev->order < 32 ? (1ULL << ev->order) - 1 : 0);
}

static int by_key(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Spans that overlap become one. */
static void merge(struct spans *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->list, s->n, sizeof(*s->list), by_key);
	for (size_t i = 1; i < s->n; i++) {
		if (s->list[i].from > s->list[n].to)
			s->list[++n] = s->list[i];
		else if (s->list[i].to > s->list[n].to)
			s->list[n].to = s->list[i].to;
	}
	s->n = s->n ? n + 1 : 0;
	s->compact = 2 * s->n + LEAST_COMPACT;
}

static void at_pages(struct lt_chosen *c, const struct lt_event *ev, bool wanted)
{
	struct addresses *a = &c->spaces[LT_SPACE_PAGE];
	bool is_first = !a->any && ev->class == LT_CLASS_PAGE_ALLOC;

	a->any |= is_first;
	if (!wanted && !is_first)
		return;
	add_span(&a->spans, 0, ev->ptr, last_page(ev));
	if (a->spans.n > a->spans.compact)
		merge(&a->spans);
}

/* ------------------------------------------------------------------------
 * Tasks
 */

static uint32_t hash_task(const struct lt_chosen *c, uint32_t tid, uint64_t start)
{
	return hash(c, start ^ (uint64_t)tid << 40);
}

static struct who *find_task(const struct lt_chosen *c, uint32_t tid, uint64_t start)
{
	uint32_t number;

	lt_map_for_each(number, at, &c->tasks, hash_task(c, tid, start)) {
		struct who *w = &c->who[number];

		if (w->tid == tid && w->start == start)
			return w;
	}
	return NULL;
}

static struct who *get_task(struct lt_chosen *c, uint32_t tid, uint64_t start)
{
	struct who *w = find_task(c, tid, start);

	if (w)
		return w;
	c->who = lt_grow(c->who, &c->cap_who, c->n_who, sizeof(*c->who));
	w = &c->who[c->n_who];
	*w = (struct who){ .start = start, .tid = tid };
	lt_map_add(&c->tasks, hash_task(c, tid, start), (uint32_t)c->n_who++);
	return w;
}

static void name_task(struct lt_chosen *c, const struct lt_event *ev)
{
	struct lt_task task;
	struct who *w;

	if (!lt_event_task(c->t, ev, &task))
		return;
	w = get_task(c, task.tid, task.start);
	w->renamed |= w->comm[0] && strcmp(w->comm, task.comm);
	memcpy(w->comm, task.comm, sizeof(w->comm));
}

static void choose_task(struct lt_chosen *c, const struct lt_event *ev)
{
	struct lt_task task;

	if (ev->task)
		get_task(c, ev->task->tid, ev->task->start)->chosen = true;
	if ((ev->channel == LT_CHANNEL_SYSCALL || ev->channel == LT_CHANNEL_CALL) &&
	    lt_event_task(c->t, ev, &task))
		get_task(c, task.tid, task.start)->chosen = true;
}

/* ------------------------------------------------------------------------
 * The pass
 */

static void at_memory(struct lt_chosen *c, const struct lt_event *ev, bool wanted)
{
	enum lt_space space = lt_event_space(ev);

	if (is_of_pages(ev))
		at_pages(c, ev, wanted);
	else if (space && space < LT_N_MEMORY)
		at_address(c, space, ev, wanted);
}

static int take(void *arg, const struct lt_event *ev)
{
	struct lt_chosen *c = arg;
	bool wanted = lt_filter_event(c->f, c->t, ev);

	if (lt_event_announces_task(ev->id))
		name_task(c, ev);
	else if (wanted && ev->channel != LT_CHANNEL_PID)
		choose_task(c, ev);
	at_memory(c, ev, wanted);
	return 0;
}

/* What is alive at the end, and the order of the spans. */
static void finish(struct lt_chosen *c)
{
	for (int space = LT_SPACE_SLAB; space < LT_N_MEMORY; space++) {
		struct addresses *a = &c->spaces[space];

		for (size_t i = 0; a->map.n && i <= a->map.mask; i++) {
			const struct address *x;

			if (!a->map.slots[i])
				continue;
			x = lt_pool_at(&a->pool, (uint32_t)a->map.slots[i]);
			if (x->flags & WANTED)
				add_span(&a->spans, x->ptr, x->from, UINT64_MAX);
		}
		if (space == LT_SPACE_PAGE)
			merge(&a->spans);
		else if (a->spans.n)
			qsort(a->spans.list, a->spans.n, sizeof(*a->spans.list), by_key);
	}
}

struct lt_chosen *lt_chosen_read(const char *path, struct lt_filter *f)
{
	struct lt_chosen *c = lt_alloc(sizeof(*c));
	const struct lt_pass events = { .event = take, .arg = c };
	struct lt_trace_carried carried;
	struct lt_event ev;

	c->f = f;
	c->seed = lt_hash_seed();
	c->n_who = 1;
	lt_map_init(&c->tasks);
	for (int space = 0; space < LT_N_MEMORY; space++) {
		lt_map_init(&c->spaces[space].map);
		lt_pool_init(&c->spaces[space].pool, sizeof(struct address));
		c->spaces[space].spans.compact = LEAST_COMPACT;
	}
	c->t = lt_trace_open(path);
	if (!c->t)
		goto bad;
	while (lt_trace_carried(c->t, &ev, &carried) > 0) {
		/* One without a task names none. */
		at_memory(c, &ev, ev.task && lt_filter_event(c->f, c->t, &ev));
	}
	if (lt_trace_pass(c->t, &events) || lt_filter_finish(f, c->t))
		goto bad;
	lt_trace_close(c->t);
	c->t = NULL;
	finish(c);
	return c;
bad:
	lt_chosen_free(c);
	return NULL;
}

void lt_chosen_free(struct lt_chosen *c)
{
	if (!c)
		return;
	for (int space = 0; space < LT_N_MEMORY; space++) {
		lt_map_destroy(&c->spaces[space].map);
		lt_pool_destroy(&c->spaces[space].pool);
		free(c->spaces[space].spans.list);
	}
	lt_map_destroy(&c->tasks);
	free(c->who);
	if (c->t)
		lt_trace_close(c->t);
	free(c);
}

/* ------------------------------------------------------------------------
 * Questions
 */

static bool has_pages(const struct spans *s, uint64_t first, uint64_t last)
{
	size_t i = lt_first_not(s->n, at, s->list[at].to < first);

	return i < s->n && s->list[i].from <= last;
}

static bool has_time(const struct spans *s, uint64_t ptr, uint64_t ns)
{
	size_t i = lt_first_not(s->n, at, s->list[at].key < ptr ||
				(s->list[at].key == ptr && s->list[at].from <= ns));

	/* Spans of an address do not overlap, so the span that began last decides. */
	return i && s->list[i - 1].key == ptr && ns <= s->list[i - 1].to;
}

bool lt_chosen_object(const struct lt_chosen *c, const struct lt_event *ev, uint64_t ns)
{
	enum lt_space space = lt_event_space(ev);
	const struct addresses *a = &c->spaces[space < LT_N_MEMORY ? space : LT_SPACE_NONE];
	const struct address *x;
	uint32_t number;

	if (is_of_pages(ev))
		return has_pages(&c->spaces[LT_SPACE_PAGE].spans, ev->ptr, last_page(ev));
	/* What is about no memory is kept. */
	if (!space || space >= LT_N_MEMORY)
		return true;
	x = lt_chosen_is_object(ev) ? find(c, a, ev->ptr, &number) : NULL;
	if (!x || !(x->flags & TOUCHED))
		return false;
	return (x->flags & DOUBTED) || has_time(&a->spans, ev->ptr, ns);
}

bool lt_chosen_task(const struct lt_chosen *c, uint32_t tid, uint64_t start)
{
	const struct who *w = find_task(c, tid, start);

	return w && w->chosen;
}

bool lt_chosen_names(const struct lt_chosen *c, uint32_t tid, uint64_t start)
{
	const struct who *w = find_task(c, tid, start);

	return w && (w->chosen || w->renamed);
}
