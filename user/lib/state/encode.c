// SPDX-License-Identifier: GPL-2.0
/*
 * Encoding packets. The layouts are those of uapi/, field by field.
 */
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "format/schema.h"
#include "state/encode.h"
#include "trace/part.h"

/* Larger packets repeat less; LT_BLOCK_MAX is far. */
#define PACKET_SIZE	(1U << 20)
/* The largest record with all that is announced before it. */
#define RECORD_ROOM	1024U
#define MAX_NUMBERS	65000U

/* The fields of the records that are encoded. */
struct values {
	uint64_t ptr, pfn, call_site, gfp_flags, bytes_req, bytes_alloc, node, cache, order;
	uint64_t migratetype, single, site, stack, n_frames, flags, tid, tgid, start, object_size;
	uint64_t size, group_dead;
	const char *comm, *name, *device;
	const uint64_t *frames;
};

static uint8_t *put(const struct lt_encoder *e, uint8_t *p, unsigned int size, uint64_t v)
{
	lt_put_uint(p, size, v, e->machine->big);
	return p + size;
}

static uint8_t *put_text(uint8_t *p, size_t size, const char *text)
{
	size_t n = text ? strnlen(text, size) : 0;

	memset(p, 0, size);
	memcpy(p, text ? text : "", n);
	return p + size;
}

static uint64_t from_text(const struct lt_encoder *e, uint64_t addr)
{
	return addr ? addr - e->machine->text_base : 0;
}

static uint8_t *put_frames(const struct lt_encoder *e, uint8_t *p, unsigned int size,
			   unsigned int count, const struct values *v)
{
	for (unsigned int i = 0; i < count; i++) {
		uint64_t frame = i < v->n_frames ? v->frames[i] : 0;

		p = put(e, p, size, size == 8 ? frame : from_text(e, frame));
	}
	return p;
}

/* How a field of each type and kind is put. */
#define PUT_u8(x, kind)		put(e, p, 1, x)
#define PUT_s8(x, kind)		put(e, p, 1, x)
#define PUT_u16(x, kind)	put(e, p, 2, x)
#define PUT_s16(x, kind)	put(e, p, 2, x)
#define PUT_s32(x, kind)	put(e, p, 4, x)
#define PUT_u32(x, kind)	put(e, p, 4, U32_##kind(x))
#define PUT_u40(x, kind)	put(e, p, 5, U40_##kind(x))
#define PUT_u64(x, kind)	put(e, p, 8, x)
#define PUT_char16(x, kind)	put_text(p, 16, x)
#define PUT_char64(x, kind)	put_text(p, 64, x)
#define PUT_u32x8(x, kind)	put_frames(e, p, 4, 8, v)
#define PUT_u32x16(x, kind)	put_frames(e, p, 4, 16, v)
#define PUT_u32x32(x, kind)	put_frames(e, p, 4, 32, v)
#define PUT_u64x32(x, kind)	put_frames(e, p, 8, 32, v)
#define U32_code(x)		from_text(e, x)
#define U32_gfp(x)		(x)
#define U32_bytes(x)		(x)
#define U32_tid(x)		(x)
#define U32_tgid(x)		(x)
#define U40_addr(x)		((x) - e->machine->ptr_base)
#define U40_pfn(x)		(x)

#define PUT_FIELD(type, name, kind, text)	p = PUT_##type(v->name, kind);

#define PUTTER(NAME)									\
	static uint8_t *put_##NAME(const struct lt_encoder *e, uint8_t *p,		\
				   const struct values *v)				\
	{										\
		LT_FIELDS_##NAME(PUT_FIELD)						\
		(void)e;								\
		return p;								\
	}

#define FORMS(F)									\
	F(TASK) F(AREA_TASK) F(TASK_EXIT) F(CACHE) F(CACHE_GONE) F(SITE) F(STACK)		\
	F(STACK_16) F(STACK_32) F(STACK_WIDE) F(KMALLOC_SHORT) F(KMALLOC_WIDE)		\
	F(CACHE_ALLOC_SHORT)								\
	F(CACHE_ALLOC_WIDE) F(BULK_ALLOC_SHORT) F(BULK_ALLOC_WIDE) F(KFREE_SHORT)	\
	F(KFREE_WIDE) F(CACHE_FREE_SHORT) F(CACHE_FREE_WIDE) F(BULK_FREE_SHORT)		\
	F(BULK_FREE_WIDE) F(RCU_FREE_SHORT) F(RCU_FREE_WIDE) F(PAGE_ALLOC)		\
	F(PAGE_ALLOC_SHORT) F(PAGE_ALLOC_WIDE) F(PAGE_BULK_SHORT) F(PAGE_BULK_WIDE)	\
	F(PAGE_FREE) F(RESIZE) F(VMALLOC) F(VFREE) F(VRESIZE) F(PERCPU_ALLOC)		\
	F(PERCPU_FREE) F(DMA_ALLOC) F(DMA_FREE)

FORMS(PUTTER)

struct form {
	unsigned int event;
	uint8_t *(*put)(const struct lt_encoder *e, uint8_t *p, const struct values *v);
	uint32_t size;
	const char *name;
};

#define FORM_NUMBER(NAME)	FORM_##NAME,
#define FORM_ROW(NAME)	{ LT_EV_##NAME, put_##NAME, sizeof(struct lt_rec_##NAME), #NAME },

enum {
	FORMS(FORM_NUMBER)
	FORM_NONE,
};

static const struct form forms[] = { FORMS(FORM_ROW) };

/* ------------------------------------------------------------------------
 * Packets
 */

void lt_encoder_init(struct lt_encoder *e, const struct lt_trace *t, uint64_t end)
{
	memset(e, 0, sizeof(*e));
	e->t = t;
	e->machine = lt_trace_machine(t);
	e->end = end;
	e->seed = lt_hash_seed();
	e->buf = lt_alloc(PACKET_SIZE);
	lt_map_init(&e->by_site);
	lt_map_init(&e->by_stack);
}

static void put_header(struct lt_encoder *e)
{
	const struct lt_packet *m = e->machine;
	uint8_t *p = e->buf;

	memset(p, 0, m->header_size);
	p = put(e, p, 4, LT_PACKET_MAGIC);
	p = put(e, p, 1, e->channel);
	p = put(e, p, 1, LT_VERSION_MAJOR);
	p = put(e, p, 1, m->version_minor);
	p = put(e, p, 1, m->page_shift);
	p = put(e, p, 2, m->header_size);
	p = put(e, p, 2, e->flags);
	p = put(e, p, 1, m->size_long);
	p = put(e, p, 1, m->size_ptr);
	p = put(e, p, 1, m->size_pid);
	p = put(e, p, 1, m->size_gfp);
	p = put(e, p, 4, e->cpu);
	p = put(e, p, 4, m->n_counts);
	p = put(e, p, 8, e->seq);
	p = put(e, p, 8, e->begin);
	p = put(e, p, 8, e->end);
	p = put(e, p, 8, (uint64_t)e->len * 8);
	p = put(e, p, 8, (uint64_t)e->len * 8);
	p = put(e, p, 8, 0);
	p = put(e, p, 8, m->text_base);
	p = put(e, p, 8, m->ptr_base);
	put(e, p, 8, m->session);
}

static void end_packet(struct lt_encoder *e)
{
	if (!e->len)
		return;
	put_header(e);
	if (!e->ret)
		e->ret = e->emit(e->arg, e->buf, e->len);
	e->seq++;
	e->len = 0;
}

static void begin_packet(struct lt_encoder *e, uint64_t units)
{
	e->len = e->machine->header_size;
	e->begin = units;
	e->last = units;
	e->task = NULL;
	e->comm = NULL;
	e->n_sites = 0;
	e->n_stacks = 0;
	lt_map_clear(&e->by_site);
	lt_map_clear(&e->by_stack);
}

/* Makes room for a record. */
static void reserve(struct lt_encoder *e, uint64_t units)
{
	if (e->len + RECORD_ROOM > PACKET_SIZE || e->n_sites >= MAX_NUMBERS ||
	    e->n_stacks >= MAX_NUMBERS)
		end_packet(e);
	if (!e->len)
		begin_packet(e, units);
}

void lt_encoder_stream(struct lt_encoder *e, unsigned int channel, uint32_t cpu,
		       unsigned int flags)
{
	if (e->channel == channel && e->cpu == cpu && e->flags == flags)
		return;
	end_packet(e);
	e->channel = channel;
	e->cpu = cpu;
	e->flags = flags;
	e->seq = 0;
}

void lt_encoder_destroy(struct lt_encoder *e)
{
	end_packet(e);
	free(e->buf);
	free(e->sites);
	free(e->stacks);
	lt_map_destroy(&e->by_site);
	lt_map_destroy(&e->by_stack);
}

/* ------------------------------------------------------------------------
 * Records
 */

static uint8_t *put_word(const struct lt_encoder *e, uint8_t *p, unsigned int id,
			 unsigned int context, uint64_t units)
{
	uint32_t low = (uint32_t)units & LT_TIME_MASK;

	if (e->machine->big)
		return put(e, p, 4, id << 26 | low << 2 | context);
	return put(e, p, 4, id | (uint64_t)low << LT_ID_BITS | (uint64_t)context << 30);
}

static uint8_t *put_long(const struct lt_encoder *e, uint8_t *p, unsigned int id,
			 unsigned int context, uint64_t units)
{
	bool big = e->machine->big;

	p = put(e, p, 1, big ? LT_EV_LONG << 2 : LT_EV_LONG);
	p = put(e, p, 2, id);
	p = put(e, p, 8, units);
	return put(e, p, 1, big ? context << 6 : context);
}

/* The module may have fields behind those of this version. */
static void record(struct lt_encoder *e, unsigned int number, unsigned int context, uint64_t units,
		   const struct values *v)
{
	const struct form *form = &forms[number];
	const struct lt_event_desc *d = lt_schema_event(lt_trace_schema(e->t), form->event);
	uint8_t *p = e->buf + e->len;

	if (!d || d->size < form->size || d->size > form->size + 64) {
		if (!e->ret)
			lt_error("%s: schema: the event %s has a layout that this version cannot "
				 "write: what is alive cannot be written down",
				 lt_trace_path(e->t), form->name);
		e->ret = -1;
		return;
	}
	/* Nothing goes back in time, whatever the caller does. */
	if (units < e->last)
		units = e->last;
	if (units - e->last >= 1U << LT_TIME_BITS)
		p = put_long(e, p, LT_EV_ID(form->event), context, units);
	else
		p = put_word(e, p, LT_EV_ID(form->event), context, units);
	memset(p, 0, d->size);
	form->put(e, p, v);
	e->len = (size_t)(p - e->buf) + d->size;
	e->last = units;
}

/* Announces the task that runs, if it is not the last one. */
static void announce_task(struct lt_encoder *e, const struct lt_task *task, uint64_t time,
			  uint64_t units)
{
	const char *comm = task ? lt_task_comm_at(task, time) : NULL;
	struct values v;

	/* Another place of the name: the task had another one meanwhile, perhaps on another CPU. */
	if (task == e->task && comm == e->comm)
		return;
	/* No record says that the task is not known, but the begin of a packet does. */
	if (!task) {
		end_packet(e);
		begin_packet(e, units);
		return;
	}
	v = (struct values){
		.tid = task->tid, .tgid = task->tgid, .start = task->start, .flags = task->flags,
		.comm = comm,
	};
	record(e, e->channel == LT_CHANNEL_AREA ? FORM_AREA_TASK : FORM_TASK, LT_CTX_TASK, units,
	       &v);
	e->task = task;
	e->comm = comm;
}

static bool fits_code(const struct lt_encoder *e, uint64_t addr)
{
	return !addr || (addr > e->machine->text_base &&
			 addr - e->machine->text_base <= UINT32_MAX);
}

static unsigned int stack_form(const struct lt_encoder *e, const struct lt_stack *stack)
{
	for (unsigned int i = 0; i < stack->n; i++) {
		if (!fits_code(e, stack->frames[i]))
			return FORM_STACK_WIDE;
	}
	return stack->n <= 8 ? FORM_STACK : stack->n <= 16 ? FORM_STACK_16 : FORM_STACK_32;
}

/* A stack with the addresses of its frames. */
static struct lt_stack stack_of(const struct lt_encoder *e, uint32_t number,
				uint64_t frames[LT_STACK_MAX])
{
	struct lt_stack stack = lt_trace_whole_stack(e->t, number);

	for (unsigned int i = 0; i < stack.n; i++)
		frames[i] = lt_trace_code_address(e->t, stack.frames[i]);
	stack.frames = frames;
	return stack;
}

/* The number of a stack in the packet; 0: it has none. */
static uint64_t announce_stack(struct lt_encoder *e, uint32_t number, uint64_t units)
{
	uint64_t frames[LT_STACK_MAX];
	struct lt_stack stack = stack_of(e, number, frames);
	struct values v = { .n_frames = stack.n };
	uint32_t place;

	if (!stack.n)
		return 0;
	lt_map_for_each(place, at, &e->by_stack, number) {
		if (e->stacks[place - 1] == number)
			return place;
	}
	e->stacks = lt_grow(e->stacks, &e->cap_stacks, e->n_stacks, sizeof(*e->stacks));
	e->stacks[e->n_stacks++] = number;
	lt_map_add(&e->by_stack, number, (uint32_t)e->n_stacks);
	v.stack = e->n_stacks;
	v.n_frames = stack.n < LT_STACK_FRAMES ? stack.n : LT_STACK_FRAMES;
	v.flags = stack.flags;
	v.frames = stack.frames;
	record(e, stack_form(e, &stack), LT_CTX_TASK, units, &v);
	return e->n_stacks;
}

static uint64_t announce_site(struct lt_encoder *e, const struct lt_encoded_site *site,
			      uint64_t units)
{
	uint32_t hash = (uint32_t)lt_hash64(lt_hash64(site->call_site ^ site->req << 40, e->seed) ^
					    site->alloc << 32 ^ site->gfp ^
					    (uint64_t)site->cache << 48 ^ site->stack, e->seed);
	uint32_t place;
	struct values v;

	lt_map_for_each(place, at, &e->by_site, hash) {
		if (!memcmp(&e->sites[place - 1], site, sizeof(*site)))
			return place;
	}
	v = (struct values){
		.stack = announce_stack(e, site->stack, units), .call_site = site->call_site,
		.gfp_flags = site->gfp, .bytes_req = site->req, .bytes_alloc = site->alloc,
		.cache = site->cache, .node = (uint64_t)site->node,
	};
	e->sites = lt_grow(e->sites, &e->cap_sites, e->n_sites, sizeof(*e->sites));
	e->sites[e->n_sites++] = *site;
	lt_map_add(&e->by_site, hash, (uint32_t)e->n_sites);
	v.site = e->n_sites;
	record(e, FORM_SITE, LT_CTX_TASK, units, &v);
	return e->n_sites;
}

/* ------------------------------------------------------------------------
 * Events of objects
 */

struct choice {
	unsigned int brief;	/* FORM_NONE: it has no short form */
	unsigned int full;
	bool sizes;		/* requested and given are of the event, not of its cache */
};

static struct choice choice_of(unsigned int class)
{
	switch (class) {
	case LT_CLASS_KMALLOC:
		return (struct choice){ FORM_KMALLOC_SHORT, FORM_KMALLOC_WIDE, true };
	case LT_CLASS_CACHE_ALLOC:
		return (struct choice){ FORM_CACHE_ALLOC_SHORT, FORM_CACHE_ALLOC_WIDE, false };
	case LT_CLASS_BULK_ALLOC:
		return (struct choice){ FORM_BULK_ALLOC_SHORT, FORM_BULK_ALLOC_WIDE, false };
	case LT_CLASS_KFREE:
		return (struct choice){ FORM_KFREE_SHORT, FORM_KFREE_WIDE, false };
	case LT_CLASS_CACHE_FREE:
		return (struct choice){ FORM_CACHE_FREE_SHORT, FORM_CACHE_FREE_WIDE, false };
	case LT_CLASS_BULK_FREE:
		return (struct choice){ FORM_BULK_FREE_SHORT, FORM_BULK_FREE_WIDE, false };
	case LT_CLASS_RCU_FREE:
		return (struct choice){ FORM_RCU_FREE_SHORT, FORM_RCU_FREE_WIDE, false };
	case LT_CLASS_PAGE_ALLOC:
		return (struct choice){ FORM_PAGE_ALLOC_SHORT, FORM_PAGE_ALLOC_WIDE, false };
	case LT_CLASS_PAGE_BULK:
		return (struct choice){ FORM_PAGE_BULK_SHORT, FORM_PAGE_BULK_WIDE, false };
	case LT_CLASS_PAGE_FREE:
		return (struct choice){ FORM_NONE, FORM_PAGE_FREE, false };
	case LT_CLASS_VMALLOC:
		return (struct choice){ FORM_NONE, FORM_VMALLOC, true };
	case LT_CLASS_VFREE:
		return (struct choice){ FORM_NONE, FORM_VFREE, false };
	case LT_CLASS_PERCPU_ALLOC:
		return (struct choice){ FORM_NONE, FORM_PERCPU_ALLOC, true };
	case LT_CLASS_PERCPU_FREE:
		return (struct choice){ FORM_NONE, FORM_PERCPU_FREE, false };
	case LT_CLASS_DMA_ALLOC:
		return (struct choice){ FORM_NONE, FORM_DMA_ALLOC, true };
	case LT_CLASS_DMA_FREE:
		return (struct choice){ FORM_NONE, FORM_DMA_FREE, false };
	default:
		return (struct choice){ FORM_NONE, FORM_NONE, false };
	}
}

static bool is_of_pages(unsigned int class)
{
	return class == LT_CLASS_PAGE_ALLOC || class == LT_CLASS_PAGE_BULK ||
	       class == LT_CLASS_PAGE_FREE;
}

/* What the event shares with others of its place; false: the record "site" has no room for it. */
static bool make_site(const struct lt_encoder *e, const struct lt_event *ev, bool sizes,
		      struct lt_encoded_site *site)
{
	uint64_t frames[LT_STACK_MAX], base = e->machine->ptr_base;
	struct lt_stack stack = stack_of(e, ev->stack, frames);

	memset(site, 0, sizeof(*site));
	site->call_site = lt_trace_code_address(e->t, ev->call_site);
	site->stack = stack.n ? ev->stack : 0;
	site->gfp = ev->gfp;
	site->node = ev->node;
	site->cache = (uint16_t)lt_trace_cache_id(e->t, ev->cache);
	site->req = sizes ? ev->bytes_req : 0;
	site->alloc = sizes ? ev->bytes_alloc : 0;
	/* The first frame stands for a caller that is too far away. */
	if (!fits_code(e, site->call_site) && stack.n && stack.frames[0] == site->call_site)
		site->call_site = 0;
	if (!fits_code(e, site->call_site) || site->req > UINT32_MAX || site->alloc > UINT32_MAX ||
	    site->node < INT16_MIN || site->node > INT16_MAX)
		return false;
	if (is_of_pages(ev->class))
		return ev->ptr >> 40 == 0;
	return ev->ptr >= base && (ev->ptr - base) >> 40 == 0;
}

static void encode_event(struct lt_encoder *e, const struct lt_event *ev, uint64_t units)
{
	struct choice c = choice_of(ev->class);
	const struct lt_cache *device = ev->class == LT_CLASS_DMA_ALLOC ?
					lt_trace_cache(e->t, ev->cache) : NULL;
	struct values v = {
		.ptr = ev->ptr, .pfn = ev->ptr,
		.call_site = lt_trace_code_address(e->t, ev->call_site), .gfp_flags = ev->gfp,
		.bytes_req = c.sizes ? ev->bytes_req : 0, .order = ev->order,
		.bytes_alloc = c.sizes ? ev->bytes_alloc : 0, .node = (uint64_t)ev->node,
		.cache = lt_trace_cache_id(e->t, ev->cache),
		.device = device ? device->name : "",
	};
	struct lt_encoded_site site;

	if (c.full == FORM_NONE)
		return;
	/* Without a caller and a stack a page needs no site. */
	if (ev->class == LT_CLASS_PAGE_ALLOC && !ev->stack && !ev->call_site && !(ev->ptr >> 40)) {
		record(e, FORM_PAGE_ALLOC, ev->context, units, &v);
		return;
	}
	if (c.brief != FORM_NONE && make_site(e, ev, c.sizes, &site)) {
		v.site = announce_site(e, &site, units);
		record(e, c.brief, ev->context, units, &v);
		return;
	}
	record(e, c.full, ev->context, units, &v);
}

void lt_encode_carried(struct lt_encoder *e, const struct lt_carried *carried, uint64_t units)
{
	const struct values resize = {
		.ptr = carried->ev.ptr,
		.call_site = lt_trace_code_address(e->t, carried->ev.call_site),
		.bytes_req = carried->req, .bytes_alloc = carried->alloc,
	};

	reserve(e, units);
	announce_task(e, carried->ev.task, carried->ev.time, units);
	encode_event(e, &carried->ev, units);
	if (carried->resized)
		record(e, e->channel == LT_CHANNEL_AREA ? FORM_VRESIZE : FORM_RESIZE,
		       carried->ev.context, units, &resize);
}

void lt_encode_cache(struct lt_encoder *e, const struct lt_cache *cache, uint64_t units)
{
	const struct values v = {
		.cache = lt_trace_cache_id(e->t, cache->id), .ptr = cache->ptr,
		.object_size = cache->object_size, .size = cache->size, .name = cache->name,
	};

	reserve(e, units);
	record(e, FORM_CACHE, LT_CTX_TASK, units, &v);
}

void lt_encode_cache_gone(struct lt_encoder *e, uint32_t number, uint64_t units)
{
	const struct values v = { .cache = lt_trace_cache_id(e->t, number) };

	reserve(e, units);
	record(e, FORM_CACHE_GONE, LT_CTX_TASK, units, &v);
}

void lt_encode_exit(struct lt_encoder *e, const struct lt_task *task, uint64_t units)
{
	const struct values v = { .tid = task->tid, .tgid = task->tgid, .start = task->start };

	reserve(e, units);
	record(e, FORM_TASK_EXIT, LT_CTX_TASK, units, &v);
}
