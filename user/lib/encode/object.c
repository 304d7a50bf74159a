// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of objects and pages, in the smallest form that holds their values.
 */
#include <string.h>

#include "base/byteorder.h"
#include "encode/fast.h"

#define SIZES	1U	/* the event has sizes of its own */
#define REQUEST	2U	/* flags and node of a request */
#define CACHE	4U
#define PAGES	8U	/* the number of a page, which 40 bits hold on every machine */

/**
 * struct forms - the forms of an event
 * @tight, @brief, @narrow, @wide: enum lt_event_id; @tight, @brief 0: the class has none
 * @has: what its records hold
 * @sizes, @how: bits of a place that it has
 */
struct forms {
	unsigned int tight;
	unsigned int brief;
	unsigned int narrow;
	unsigned int wide;
	unsigned int has;
	uint64_t sizes;
	uint64_t how;
};

#define HOW_REQUEST	0x0000ffffffffffffULL
#define HOW_CACHE	0xffff000000000000ULL

#define FORMS(NAME, HAS)	TIGHT_FORMS(NAME, LT_EV_##NAME##_TIGHT, HAS)
#define PAGE_FORMS(NAME)	TIGHT_FORMS(NAME, 0, REQUEST | PAGES)

#define TIGHT_FORMS(NAME, TIGHT, HAS)							\
	[LT_CLASS_INDEX(LT_CLASS_##NAME)] = {						\
		TIGHT, LT_EV_##NAME##_SHORT, LT_EV_##NAME, LT_EV_##NAME##_WIDE, HAS,		\
		(HAS) & SIZES ? UINT64_MAX : 0,						\
		((HAS) & REQUEST ? HOW_REQUEST : 0) | ((HAS) & CACHE ? HOW_CACHE : 0) }

static const struct forms all_forms[LT_N_CLASSES] = {
	FORMS(KMALLOC, SIZES | REQUEST),
	FORMS(CACHE_ALLOC, REQUEST | CACHE),
	FORMS(BULK_ALLOC, REQUEST | CACHE),
	FORMS(KFREE, 0),
	FORMS(RCU_FREE, 0),
	FORMS(CACHE_FREE, CACHE),
	FORMS(BULK_FREE, CACHE),
	PAGE_FORMS(PAGE_ALLOC),
	PAGE_FORMS(PAGE_BULK),
	[LT_CLASS_INDEX(LT_CLASS_PAGE_FREE)] = {
		0, 0, LT_EV_PAGE_FREE, LT_EV_PAGE_FREE, PAGES, 0, 0 },
	[LT_CLASS_INDEX(LT_CLASS_PAGE_BATCHED)] = {
		0, 0, LT_EV_PAGE_BATCHED, LT_EV_PAGE_BATCHED, PAGES, 0, 0 },
};

static struct lt_encode_place place_of(const struct forms *f, const struct lt_encode_object *o)
{
	return (struct lt_encode_place){
		.call_site = o->call_site,
		.sizes = ((uint32_t)o->bytes_req | o->bytes_alloc << 32) & f->sizes,
		.how = (o->gfp | (uint64_t)(uint16_t)o->node << 32 | (uint64_t)o->cache << 48) &
		       f->how,
	};
}

/* ------------------------------------------------------------------------
 * The short form, and the tight one, which holds the same
 */

/* Do the values fit a site and the short form? With a stack its first frame is the caller. */
static bool can_be_brief(const struct lt_encoder *e, const struct forms *f,
			 const struct lt_encode_object *o)
{
	uint64_t low = f->has & PAGES ? o->ptr : o->ptr - e->machine.ptr_base;

	if (!f->brief || e->plain || low >> 40)
		return false;
	if (f->has & SIZES && (o->bytes_req | o->bytes_alloc) >> 32)
		return false;
	if (f->has & REQUEST && o->node != (int16_t)o->node)
		return false;
	return lt_encode_narrow_code(e, o->call_site) ||
	       (o->stack && o->stack->n && o->stack->frames[0] == o->call_site);
}

static void put_tight(struct lt_encoder *e, uint64_t time, unsigned int context,
		      const struct forms *f, uint64_t low, uint16_t site)
{
	struct lt_rec_KMALLOC_TIGHT rec;

	lt_put_uint(rec.site, sizeof(rec.site), low << LT_TIGHT_SHIFT | site, LT_BIG_ENDIAN);
	lt_encode_put(e, time, context, f->tight, &rec);
}

static void put_brief(struct lt_encoder *e, uint64_t time, unsigned int context,
		      const struct forms *f, const struct lt_encode_object *o, uint16_t site)
{
	struct lt_rec_PAGE_ALLOC_SHORT rec = {
		.site = site, .order = o->order, .migratetype = o->last,
	};

	if (f->tight && e->has_tight && lt_encode_is_tight(o->ptr - e->machine.ptr_base, site)) {
		put_tight(e, time, context, f, o->ptr - e->machine.ptr_base, site);
		return;
	}
	/* Both short forms begin with site and address. */
	lt_encode_put_u40(rec.pfn, f->has & PAGES ? o->ptr : o->ptr - e->machine.ptr_base);
	lt_encode_put(e, time, context, f->brief, &rec);
}

/* Return: false: the packet has no entry for the site. */
static bool write_brief(struct lt_encoder *e, uint64_t time, unsigned int context,
			const struct forms *f, const struct lt_encode_object *o)
{
	struct lt_encode_place place = place_of(f, o);
	uint16_t stack = 0, site;

	if (o->stack && o->stack->n)
		stack = lt_encode_stack(e, time, context, o->stack);
	if (!lt_encode_narrow_code(e, place.call_site))
		place.call_site = 0;
	if (!lt_encode_site(e, time, context, &place, stack, &site))
		return false;
	put_brief(e, time, context, f, o, site);
	return true;
}

/* All that must be 0, in one test: what does not fit, and what takes the other path. */
static inline __attribute__((always_inline)) bool
write_fast(struct lt_encoder *e, uint64_t time, unsigned int context, const struct forms *f,
	   const struct lt_encode_object *o)
{
	const struct lt_encode_place place = place_of(f, o);

	if (((o->bytes_req | o->bytes_alloc) >> 32 & f->sizes) |
	    (f->has & (REQUEST | PAGES) && o->node != (int16_t)o->node) | (uintptr_t)o->stack |
	    (f->has & PAGES))
		return false;
	return lt_encode_fast(e, time, context, f->tight, o->ptr, &place);
}

/* ------------------------------------------------------------------------
 * The full forms
 */

static void write_pages(struct lt_encoder *e, uint64_t time, unsigned int context,
			const struct forms *f, const struct lt_encode_object *o)
{
	/* A record of a bulk allocation is as that of another one. */
	const struct lt_rec_PAGE_ALLOC_WIDE wide = {
		.pfn = o->ptr, .call_site = o->call_site, .gfp_flags = o->gfp, .order = o->order,
		.migratetype = o->last,
	};
	struct lt_rec_PAGE_ALLOC narrow = {
		.gfp_flags = o->gfp, .order = o->order, .migratetype = o->last,
	};
	struct lt_rec_PAGE_FREE freed = { .order = o->order };

	lt_encode_put_u40(narrow.pfn, o->ptr);
	lt_encode_put_u40(freed.pfn, o->ptr);
	/* The narrow form has no caller. */
	if (!f->brief)
		lt_encode_put(e, time, context, f->narrow, &freed);
	else if (o->ptr >> 40 || o->call_site || f->narrow == LT_EV_PAGE_BULK)
		lt_encode_put(e, time, context, f->wide, &wide);
	else
		lt_encode_put(e, time, context, f->narrow, &narrow);
}

static bool is_wide(const struct lt_encoder *e, const struct forms *f,
		    const struct lt_encode_object *o)
{
	return (o->ptr - e->machine.ptr_base) >> 40 || !lt_encode_narrow_code(e, o->call_site) ||
	       (f->has & REQUEST && o->node != (int8_t)o->node) ||
	       (f->has & SIZES && (o->bytes_req | o->bytes_alloc) >> 16);
}

#define PUT(NAME, ...) do {							\
	const struct lt_rec_##NAME rec = { __VA_ARGS__ };			\
										\
	lt_encode_put(e, time, context, event, &rec);				\
} while (0)

static void write_wide(struct lt_encoder *e, uint64_t time, unsigned int context,
		       const struct forms *f, const struct lt_encode_object *o)
{
	unsigned int event = f->wide;

	if (f->has & SIZES)
		PUT(KMALLOC_WIDE, .ptr = o->ptr, .call_site = o->call_site, .gfp_flags = o->gfp,
		    .bytes_req = o->bytes_req, .bytes_alloc = o->bytes_alloc, .node = o->node);
	else if (f->has & REQUEST)
		PUT(CACHE_ALLOC_WIDE, .ptr = o->ptr, .call_site = o->call_site,
		    .gfp_flags = o->gfp, .cache = o->cache, .node = o->node);
	else if (f->has & CACHE)
		PUT(CACHE_FREE_WIDE, .ptr = o->ptr, .call_site = o->call_site, .cache = o->cache);
	else
		PUT(KFREE_WIDE, .ptr = o->ptr, .call_site = o->call_site);
}

static void write_narrow(struct lt_encoder *e, uint64_t time, unsigned int context,
			 const struct forms *f, const struct lt_encode_object *o)
{
	uint32_t code = lt_encode_code(e, o->call_site);
	union {		/* all begin with object and caller */
		struct lt_rec_KFREE kfree;
		struct lt_rec_CACHE_FREE cache_free;
		struct lt_rec_CACHE_ALLOC cache_alloc;
		struct lt_rec_KMALLOC kmalloc;
	} rec;

	if (f->has & SIZES)
		rec.kmalloc = (struct lt_rec_KMALLOC){
			.call_site = code, .gfp_flags = o->gfp, .node = (int8_t)o->node,
			.bytes_req = (uint16_t)o->bytes_req,
			.bytes_alloc = (uint16_t)o->bytes_alloc,
		};
	else if (f->has & REQUEST)
		rec.cache_alloc = (struct lt_rec_CACHE_ALLOC){
			.call_site = code, .gfp_flags = o->gfp, .cache = o->cache,
			.node = (int8_t)o->node,
		};
	else if (f->has & CACHE)
		rec.cache_free = (struct lt_rec_CACHE_FREE){ .call_site = code, .cache = o->cache };
	else
		rec.kfree = (struct lt_rec_KFREE){ .call_site = code };
	lt_encode_put_u40(rec.kfree.ptr, o->ptr - e->machine.ptr_base);
	lt_encode_put(e, time, context, f->narrow, &rec);
}

/* The most that an event takes with its stack and site. */
static size_t room(const struct lt_encoder *e, const struct lt_encode_object *o, bool brief)
{
	size_t size = lt_encode_room(e, 1, sizeof(struct lt_rec_KMALLOC_WIDE));

	if (brief)
		size += lt_encode_room(e, 1, sizeof(struct lt_rec_SITE));
	if (brief && o->stack)
		size += lt_encode_room(e, 1, sizeof(struct lt_rec_STACK_WIDE));
	return size;
}

/* Out of line: its variables would take the registers of the other path. */
static __attribute__((noinline)) void
write_slow(struct lt_encoder *e, uint64_t time, unsigned int context, const struct forms *f,
	   const struct lt_encode_object *o)
{
	/* A page without a caller has all it needs in the narrow form. */
	bool brief = can_be_brief(e, f, o) &&
		     (f->narrow != LT_EV_PAGE_ALLOC || o->call_site || o->stack);

	if (!lt_encode_has_numbers(e))
		lt_encode_end(e, time);
	time = lt_encode_ready(e, time, context, room(e, o, brief));
	if (brief && write_brief(e, time, context, f, o))
		return;
	if (f->has & PAGES)
		write_pages(e, time, context, f, o);
	else if (is_wide(e, f, o))
		write_wide(e, time, context, f, o);
	else
		write_narrow(e, time, context, f, o);
}

/* write_fast() for each class: what differs between these is known to the compiler. */
static bool write_fast_of(struct lt_encoder *e, uint64_t time, unsigned int context,
			  const struct lt_encode_object *o)
{
#define FAST(NAME) \
	write_fast(e, time, context, &all_forms[LT_CLASS_INDEX(LT_CLASS_##NAME)], o)

	switch (o->class) {
	case LT_CLASS_KMALLOC:
		return FAST(KMALLOC);
	case LT_CLASS_CACHE_ALLOC:
		return FAST(CACHE_ALLOC);
	case LT_CLASS_KFREE:
		return FAST(KFREE);
	case LT_CLASS_CACHE_FREE:
		return FAST(CACHE_FREE);
	case LT_CLASS_BULK_ALLOC:
		return FAST(BULK_ALLOC);
	case LT_CLASS_BULK_FREE:
		return FAST(BULK_FREE);
	case LT_CLASS_RCU_FREE:
		return FAST(RCU_FREE);
	default:
		return false;
	}
#undef FAST
}

void lt_encode_object(struct lt_encoder *e, uint64_t time, unsigned int context,
		      const struct lt_encode_object *o)
{
	const struct forms *f = &all_forms[LT_CLASS_INDEX(o->class)];

	if (!write_fast_of(e, time, context, o)) {
		if (!f->narrow || LT_CLASS_CHANNEL(o->class) != LT_CHANNEL_KMEM)
			return;
		write_slow(e, time, context, f, o);
	}
	lt_encode_count(e, o->class);
}
