// SPDX-License-Identifier: GPL-2.0
/*
 * Raw records of the channels kmem and area.
 */
#include <string.h>

#include "bpf/transcode_internal.h"
#include "encode/fast.h"

/* The class of an event by its kind; LT_CLASS_NONE: it is no event of an object or of pages. */
static unsigned int class_of(unsigned int kind)
{
	static const uint8_t classes[LT_RAW_PAGE_BULK + 1] = {
		[LT_RAW_NONE] = LT_CLASS_NONE, [LT_RAW_TASK] = LT_CLASS_NONE,
		[LT_RAW_KMALLOC] = LT_CLASS_KMALLOC,
		[LT_RAW_CACHE_ALLOC] = LT_CLASS_CACHE_ALLOC,
		[LT_RAW_KFREE] = LT_CLASS_KFREE, [LT_RAW_CACHE_FREE] = LT_CLASS_CACHE_FREE,
		[LT_RAW_PAGE_ALLOC] = LT_CLASS_PAGE_ALLOC,
		[LT_RAW_PAGE_FREE] = LT_CLASS_PAGE_FREE,
		[LT_RAW_PAGE_BATCHED] = LT_CLASS_PAGE_BATCHED,
		[LT_RAW_BULK_ALLOC] = LT_CLASS_BULK_ALLOC,
		[LT_RAW_BULK_FREE] = LT_CLASS_BULK_FREE,
		[LT_RAW_RCU_FREE] = LT_CLASS_RCU_FREE, [LT_RAW_FAILED] = LT_CLASS_NONE,
		[LT_RAW_RESIZE] = LT_CLASS_NONE, [LT_RAW_TASK_EXIT] = LT_CLASS_NONE,
		[LT_RAW_CACHE_GONE] = LT_CLASS_NONE, [LT_RAW_PAGE_BULK] = LT_CLASS_PAGE_BULK,
	};

	return kind < sizeof(classes) ? classes[kind] : LT_CLASS_NONE;
}

/* ------------------------------------------------------------------------
 * Stacks: a record before that of its event
 */

static void take_stack(struct lt_transcode_ring *r, const struct lt_raw_stack *raw)
{
	r->stack.n = raw->n < LT_RAW_STACK_FRAMES ? raw->n : LT_RAW_STACK_FRAMES;
	r->stack.flags = raw->flags & (LT_STACK_CUT | LT_STACK_IRQ);
	memcpy(r->frames, raw->frames, r->stack.n * sizeof(raw->frames[0]));
	r->stack.frames = r->frames;
}

/*
 * The stack of an event from its caller on, who is known but for pages. The frames before are of
 * the tracing and the allocator. Return: NULL: there is none, or the caller is not in it.
 */
static const struct lt_encode_stack *use_stack(struct lt_transcode_ring *r, uint64_t *call_site)
{
	struct lt_encode_stack *s = &r->stack;
	unsigned int skip = 0;

	if (!s->n)
		return NULL;
	if (!*call_site)
		*call_site = s->frames[0];
	while (skip < s->n && s->frames[skip] != *call_site)
		skip++;
	if (skip == s->n) {
		r->t->odd.stacks++;
		s->n = 0;
		return NULL;
	}
	s->frames += skip;
	s->n -= skip;
	return s;
}

/* ------------------------------------------------------------------------
 * Objects and pages
 */

static void write_object(struct lt_transcode_ring *r, const struct lt_raw *raw,
			 struct lt_encode_object *o)
{
	if (r->stack.n)
		o->stack = use_stack(r, &o->call_site);
	lt_encode_object(&r->e, raw->time, lt_transcode_context(raw), o);
	r->stack.n = 0;
}

static void take_object(struct lt_transcode_ring *r, const struct lt_raw *raw)
{
	const struct lt_raw_object *from = (const struct lt_raw_object *)raw;
	struct lt_encode_object o = {
		.class = class_of(raw->kind), .ptr = from->ptr, .call_site = from->site,
		.gfp = from->gfp, .node = from->node,
	};

	if (o.class == LT_CLASS_KMALLOC) {
		o.bytes_req = from->bytes_req;
		o.bytes_alloc = from->bytes_alloc;
	} else {
		o.cache = lt_transcode_cache_id(r, from->cache, from->time);
	}
	write_object(r, raw, &o);
}

static void take_free(struct lt_transcode_ring *r, const struct lt_raw *raw)
{
	const struct lt_raw_free *from = (const struct lt_raw_free *)raw;
	struct lt_encode_object o = {
		.class = class_of(raw->kind), .ptr = from->ptr, .call_site = from->site,
	};

	write_object(r, raw, &o);
}

/* What follows from the class is known to the compiler in each call. @event: the tight form */
static inline __attribute__((always_inline)) bool
take_fast(struct lt_transcode_ring *r, const struct lt_raw *raw, unsigned int class,
	  unsigned int event)
{
	/* Records of objects begin alike; of frees these are 0, and a kfree has no more. */
	const struct lt_raw_object *from = (const struct lt_raw_object *)raw;
	struct lt_encode_place place = { .call_site = from->site };

	if (class != LT_CLASS_KFREE)
		place.how = from->gfp | (uint64_t)(uint16_t)from->node << 32;
	if (class == LT_CLASS_KMALLOC) {
		place.sizes = from->bytes_req | (uint64_t)from->bytes_alloc << 32;
	} else if (class != LT_CLASS_KFREE) {
		const struct lt_transcode_cache *c = lt_transcode_cache_recent(r, from->cache,
									       from->time);

		if (!c)
			return false;
		place.how |= (uint64_t)c->id << 48;
	}
	if (!lt_encode_fast(&r->e, from->time, from->context & LT_RAW_CONTEXT, event, from->ptr,
			    &place))
		return false;
	lt_encode_count(&r->e, class);
	return true;
}

#define FAST(NAME)	take_fast(r, raw, LT_CLASS_##NAME, LT_EV_##NAME##_TIGHT)

/* Calls no function, so that it needs no more registers than there are. */
bool lt_transcode_fast(struct lt_transcode_ring *r, const struct lt_raw *raw)
{
	if (r->stack.n)
		return false;
	switch (raw->kind) {
	case LT_RAW_KMALLOC:
		return FAST(KMALLOC);
	case LT_RAW_CACHE_ALLOC:
		return FAST(CACHE_ALLOC);
	case LT_RAW_KFREE:
		return FAST(KFREE);
	case LT_RAW_CACHE_FREE:
		return FAST(CACHE_FREE);
	default:
		return false;
	}
}

/* Without the number of the page its event has no place in the trace. */
static void write_pages(struct lt_transcode_ring *r, const struct lt_raw *raw, uint64_t page,
			struct lt_encode_object *o)
{
	const struct lt_transcode_config *config = &r->t->config;

	if (config->pfn && config->pfn(config->source, page, &o->ptr)) {
		write_object(r, raw, o);
		return;
	}
	r->t->odd.pages++;
	r->stack.n = 0;
	lt_encode_lost(&r->e, o->class, LT_ENCODE_NESTED, 1);
}

static void take_page(struct lt_transcode_ring *r, const struct lt_raw_page *raw)
{
	struct lt_encode_object o = {
		.class = class_of(raw->kind), .gfp = raw->gfp, .order = raw->order, .node = -1,
		.last = raw->migratetype,
	};

	write_pages(r, (const struct lt_raw *)raw, raw->page, &o);
}

static void take_page_bulk(struct lt_transcode_ring *r, const struct lt_raw_page_bulk *raw)
{
	struct lt_encode_object o = {
		.class = LT_CLASS_PAGE_BULK, .gfp = raw->gfp, .order = raw->order, .node = -1,
		.last = raw->single, .call_site = raw->site,
	};

	write_pages(r, (const struct lt_raw *)raw, raw->page, &o);
}

/* ------------------------------------------------------------------------
 * Rare events
 */

static void take_failed(struct lt_transcode_ring *r, const struct lt_raw_failed *raw)
{
	unsigned int what = class_of(raw->what);

	LT_ENCODE(&r->e, raw->time, raw->context & LT_RAW_CONTEXT, ALLOC_FAILED,
		  .call_site = raw->site, .bytes_req = raw->bytes_req, .gfp_flags = raw->gfp,
		  .node = raw->node, .cache = lt_transcode_cache_id(r, raw->cache, raw->time),
		  .what = (uint8_t)what);
}

static void take_resize(struct lt_transcode_ring *r, const struct lt_raw_resize *raw)
{
	LT_ENCODE(&r->e, raw->time, raw->context & LT_RAW_CONTEXT, RESIZE, .ptr = raw->ptr,
		  .call_site = raw->site, .bytes_req = raw->bytes_req);
}

static void take_exit(struct lt_transcode_ring *r, const struct lt_raw_gone *raw)
{
	LT_ENCODE(&r->e, raw->time, raw->context & LT_RAW_CONTEXT, TASK_EXIT, .tid = raw->tid,
		  .tgid = raw->tgid, .start = raw->start, .group_dead = raw->group_dead == 1);
}

static bool take_rare(struct lt_transcode_ring *r, const struct lt_raw *raw)
{
	switch (raw->kind) {
	case LT_RAW_FAILED:
		take_failed(r, (const struct lt_raw_failed *)raw);
		return true;
	case LT_RAW_RESIZE:
		take_resize(r, (const struct lt_raw_resize *)raw);
		return true;
	case LT_RAW_TASK_EXIT:
		take_exit(r, (const struct lt_raw_gone *)raw);
		return true;
	case LT_RAW_CACHE:
		lt_transcode_cache_seen(r, (const struct lt_raw_cache *)raw);
		return true;
	case LT_RAW_CACHE_GONE:
		lt_transcode_cache_gone(r, (const struct lt_raw_cache *)raw);
		return true;
	default:
		return false;
	}
}

bool lt_transcode_kmem(struct lt_transcode_ring *r, const struct lt_raw *raw)
{
	switch (raw->kind) {
	case LT_RAW_KMALLOC:
	case LT_RAW_CACHE_ALLOC:
	case LT_RAW_CACHE_FREE:
	case LT_RAW_BULK_ALLOC:
	case LT_RAW_BULK_FREE:
		take_object(r, raw);
		return true;
	case LT_RAW_KFREE:
	case LT_RAW_RCU_FREE:
		take_free(r, raw);
		return true;
	case LT_RAW_PAGE_ALLOC:
	case LT_RAW_PAGE_FREE:
	case LT_RAW_PAGE_BATCHED:
		take_page(r, (const struct lt_raw_page *)raw);
		return true;
	case LT_RAW_PAGE_BULK:
		take_page_bulk(r, (const struct lt_raw_page_bulk *)raw);
		return true;
	case LT_RAW_STACK:
		take_stack(r, (const struct lt_raw_stack *)raw);
		return true;
	default:
		return take_rare(r, raw);
	}
}

/* ------------------------------------------------------------------------
 * The channel area
 */

bool lt_transcode_area(struct lt_transcode_ring *r, const struct lt_raw *raw)
{
	const struct lt_raw_area *a = (const struct lt_raw_area *)raw;
	unsigned int context = lt_transcode_context(raw);

#define PUT(NAME, ...)	LT_ENCODE(&r->e, raw->time, context, NAME, .ptr = a->ptr, __VA_ARGS__)
	switch (raw->kind) {
	case LT_RAW_VMALLOC:
		PUT(VMALLOC, .call_site = a->site, .gfp_flags = a->gfp,
		    .bytes_req = a->bytes_req, .bytes_alloc = a->bytes_alloc, .node = a->node);
		return true;
	case LT_RAW_VFREE:
		PUT(VFREE);
		return true;
	case LT_RAW_PERCPU_ALLOC:
		PUT(PERCPU_ALLOC, .call_site = a->site, .gfp_flags = a->gfp,
		    .bytes_req = a->bytes_req, .bytes_alloc = a->bytes_alloc);
		return true;
	case LT_RAW_PERCPU_FREE:
		PUT(PERCPU_FREE);
		return true;
	default:
		return false;
	}
#undef PUT
}
