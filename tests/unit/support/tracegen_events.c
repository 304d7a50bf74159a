// SPDX-License-Identifier: GPL-2.0
/*
 * tracegen: events of made-up traces.
 */
#include <stdlib.h>
#include <string.h>

#include "encode/internal.h"
#include "tracegen.h"
#include "tracegen_private.h"

static void put_object(struct tg *g, uint32_t cpu, uint64_t time, const struct lt_encode_object *o)
{
	struct lt_encoder *e = tg_encoder(g, cpu, time);

	lt_encode_object(e, time, tg_get_cpu(g, cpu)->context, o);
}

/* An event without flags and node. */
#define OBJECT(NAME, ...)							\
	put_object(g, cpu, time, &(const struct lt_encode_object){		\
		   .class = LT_CLASS_##NAME, __VA_ARGS__ })

static void put_birth(struct tg *g, uint32_t cpu, uint64_t time, unsigned int class,
		      const struct tg_birth *b)
{
	const struct lt_encode_object o = {
		.class = class, .ptr = b->ptr, .call_site = b->call_site,
		.bytes_req = b->bytes_req, .bytes_alloc = b->bytes_alloc, .gfp = b->gfp,
		.cache = b->cache, .node = b->node, .stack = b->stack,
	};

	put_object(g, cpu, time, &o);
}

void tg_kmalloc(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_birth *b)
{
	put_birth(g, cpu, time, LT_CLASS_KMALLOC, b);
}

void tg_cache_alloc(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_birth *b)
{
	put_birth(g, cpu, time, LT_CLASS_CACHE_ALLOC, b);
}

void tg_bulk_alloc(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_birth *b)
{
	put_birth(g, cpu, time, LT_CLASS_BULK_ALLOC, b);
}

void tg_kfree(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site)
{
	OBJECT(KFREE, .ptr = ptr, .call_site = site);
}

void tg_rcu_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site)
{
	OBJECT(RCU_FREE, .ptr = ptr, .call_site = site);
}

void tg_cache_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site,
		   uint16_t cache)
{
	OBJECT(CACHE_FREE, .ptr = ptr, .call_site = site, .cache = cache);
}

void tg_bulk_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site,
		  uint16_t cache)
{
	OBJECT(BULK_FREE, .ptr = ptr, .call_site = site, .cache = cache);
}

void tg_page_alloc(struct tg *g, uint32_t cpu, uint64_t time, uint64_t pfn, uint32_t gfp,
		   uint8_t order, uint8_t migratetype)
{
	OBJECT(PAGE_ALLOC, .ptr = pfn, .gfp = gfp, .order = order, .last = migratetype);
}

void tg_page_alloc_by(struct tg *g, uint32_t cpu, uint64_t time, uint64_t pfn, uint8_t order,
		      const struct lt_encode_stack *stack)
{
	OBJECT(PAGE_ALLOC, .ptr = pfn, .gfp = 0xcc0, .order = order, .stack = stack);
}

void tg_page_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t pfn, uint8_t order)
{
	OBJECT(PAGE_FREE, .ptr = pfn, .order = order);
}

void tg_page_batched(struct tg *g, uint32_t cpu, uint64_t time, uint64_t pfn)
{
	OBJECT(PAGE_BATCHED, .ptr = pfn);
}

void tg_put(struct tg *g, uint32_t cpu, uint64_t time, unsigned int event, const void *rec)
{
	struct lt_encoder *e = tg_encoder(g, cpu, time);

	lt_encode_record(e, time, tg_get_cpu(g, cpu)->context, event, rec);
}

/* As the module does it: a task that the packet has announced is named by its number alone. */
static void put_numbered(struct tg *g, uint32_t cpu, uint64_t time)
{
	struct lt_encoder *e = tg_encoder(g, cpu, time);
	struct tg_cpu *c = tg_get_cpu(g, cpu);
	uint8_t number = c->task.tid % TG_TASKS;
	struct lt_rec_TASK_AGAIN again = { .number = number };
	/* It may go into the next packet. */
	bool near_end = e->len + 2 * (LT_REC_LONG + sizeof(c->task)) > e->limit;

	c->task.number = number;
	if (!near_end && c->seen_stamp[number] == e->stamp &&
	    !memcmp(&c->seen[number], &c->task, sizeof(c->task))) {
		tg_put(g, cpu, time, LT_EV_TASK_AGAIN, &again);
		return;
	}
	c->seen[number] = c->task;
	c->seen_stamp[number] = near_end ? 0 : e->stamp;
	tg_put(g, cpu, time, LT_EV_TASK, &c->task);
}

void tg_task(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_running *t)
{
	struct tg_cpu *c = tg_get_cpu(g, cpu);

	c->task = (struct lt_rec_TASK){
		.tid = t->tid, .tgid = t->tgid, .start = t->start, .flags = t->flags,
	};
	memcpy(c->task.comm, t->comm, strnlen(t->comm, sizeof(c->task.comm)));
	c->has_task = true;
	if (g->auto_task) {
		tg_encoder(g, cpu, time);
		tg_repeat_task(c, time);
	} else if (g->o.brief) {
		put_numbered(g, cpu, time);
	} else {
		tg_put(g, cpu, time, LT_EV_TASK, &c->task);
	}
}

void tg_cache(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_slab_cache *cache)
{
	struct lt_rec_CACHE rec = {
		.cache = cache->id, .ptr = cache->ptr, .object_size = cache->object_size,
		.size = cache->size,
	};

	memcpy(rec.name, cache->name, strnlen(cache->name, sizeof(rec.name)));
	tg_put(g, cpu, time, LT_EV_CACHE, &rec);
}

void tg_cache_gone(struct tg *g, uint32_t cpu, uint64_t time, uint16_t id)
{
	TG_PUT(g, cpu, time, CACHE_GONE, .cache = id);
}

void tg_task_exit(struct tg *g, uint32_t cpu, uint64_t time, uint32_t tid, uint32_t tgid,
		  uint64_t start, uint8_t group_dead)
{
	TG_PUT(g, cpu, time, TASK_EXIT, .tid = tid, .tgid = tgid, .start = start,
	       .group_dead = group_dead);
}

void tg_marker(struct tg *g, uint32_t cpu, uint64_t time, const char *text)
{
	struct lt_rec_MARKER rec = { .text = "" };

	memcpy(rec.text, text, strnlen(text, sizeof(rec.text)));
	tg_put(g, cpu, time, LT_EV_MARKER, &rec);
}

#define SHORT_VALUES	7

/* The bytes that a value takes in a short record, whose sign is that of @size bytes. */
static uint64_t needed(uint64_t v, unsigned int size, unsigned int *bytes)
{
	int64_t value = (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);

	for (*bytes = 1; *bytes < 8; ++*bytes)
		if (value >> (8 * *bytes - 1) == 0 || value >> (8 * *bytes - 1) == -1)
			break;
	return (uint64_t)value;
}

/* In the short form, if it can be: see LT_FIELDS_CALL_SHORT_0. Return: false: it cannot. */
static bool short_call(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_call *call)
{
	uint8_t rec[sizeof(struct lt_rec_CALL_SHORT_60)] = { 0 }, *p = rec, *packed;
	unsigned int n = 0, sizes = 0, head, bytes;

	while (call->values[n].size && !call->values[n].bytes)
		n++;
	if (call->whole || call->values[n].size || n > SHORT_VALUES || call->unread || call->cut ||
	    call->duration > UINT16_MAX)
		return false;
	p = tg_put_uint(g, p, 2, call->function);
	p = tg_put_uint(g, p, 2, call->depth);
	p = tg_put_uint(g, p, 2, call->duration);
	packed = p;
	head = (3 * n + 7) / 8;
	p += head;
	for (unsigned int i = 0; i < n; i++) {
		uint64_t value = needed(call->values[i].v, call->values[i].size, &bytes);

		p = tg_put_uint(g, p, bytes, value);
		sizes = sizes << 3 | (bytes - 1);
	}
	if (head)
		tg_put_uint(g, packed, head, sizes);
	bytes = (unsigned int)(p - packed + 1) / 2 * 2;
	tg_raw(g, cpu, time, LT_EV_CALL_SHORT_0 + bytes / 2, LT_CLASS_CALL, rec,
	       (size_t)(packed - rec) + bytes);
	return true;
}

void tg_call(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_call *call)
{
	uint8_t bytes[sizeof(struct lt_rec_CALL_WIDE_256)], *p = bytes;
	struct lt_encoder *e;

	if (short_call(g, cpu, time, call))
		return;
	e = tg_encoder(g, cpu, time);
	for (const struct tg_value *v = call->values; v->size; v++) {
		if (v->bytes) {
			memcpy(p, v->bytes, v->size);
			p += v->size;
		} else {
			p = tg_put_uint(g, p, v->size, v->v);
		}
	}
	lt_encode_call(e, time, tg_get_cpu(g, cpu)->context, &(const struct lt_encode_call){
		       .function = call->function, .depth = call->depth,
		       .duration = call->duration, .unread = call->unread, .cut = call->cut,
		       .bytes = bytes, .size = (size_t)(p - bytes) });
}
