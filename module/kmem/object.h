/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of objects. Most are in the brief form: an address, and the number of a site, which
 * holds the fields that events from one place have in common. On machines of 64 bits that is the
 * tight form, of ten bytes, for objects are aligned to 8 there; on others the short one, of eleven.
 */
#ifndef LT_OBJECT_H
#define LT_OBJECT_H

#include "core/site.h"
#include "core/write.h"

struct kmem_cache;
struct lt_stack;

enum lt_layout {
	LT_LAYOUT_KMALLOC,
	LT_LAYOUT_CACHE_ALLOC,
	LT_LAYOUT_FREE,
	LT_LAYOUT_CACHE_FREE,
	LT_LAYOUT_PAGE,
};

/**
 * struct lt_forms - the forms of an event
 * @layout: of the narrow and the wide one
 * @class: enum lt_class
 * @brief, @narrow, @wide: enum lt_event_id
 */
struct lt_forms {
	enum lt_layout layout;
	unsigned int class;
	unsigned int brief;
	unsigned int narrow;
	unsigned int wide;
};

#define LT_TIGHT	IS_ENABLED(CONFIG_64BIT)

/* LT_EV_BRIEF(KMALLOC) and so on: the id of the brief form. */
#define LT_EV_BRIEF(NAME)	(LT_TIGHT ? LT_EV_##NAME##_TIGHT : LT_EV_##NAME##_SHORT)

#define LT_FORMS(LAYOUT, NAME) {			\
	.layout = LT_LAYOUT_##LAYOUT,			\
	.class = LT_CLASS_##NAME,			\
	.brief = LT_EV_BRIEF(NAME),			\
	.narrow = LT_EV_##NAME,				\
	.wide = LT_EV_##NAME##_WIDE,			\
}

/* Are these the forms of a free? */
static inline bool lt_forms_free(const struct lt_forms *forms)
{
	return forms->layout == LT_LAYOUT_FREE || forms->layout == LT_LAYOUT_CACHE_FREE;
}

void lt_object_slow(const struct lt_forms *forms, const void *ptr,
		    const struct kmem_cache *s, unsigned long call_site, u64 what, u64 how);
void lt_object_stacked(const struct lt_forms *forms, const void *ptr,
		       const struct kmem_cache *s, struct lt_place place,
		       const struct lt_stack *stack);

/*
 * kmalloc: bytes requested, and bytes allocated, above 0 and below 4 GiB, in the upper
 * half. An address of a cache has more there, or, on 32-bit machines,
 * nothing; where the kernel's memory is at 0 (s390), less than a TiB, it would
 * have to be at a multiple of 4 GiB and a few bytes, where no cache is.
 */
static __always_inline u64 lt_what_sizes(size_t bytes_req, size_t bytes_alloc)
{
	return (u32)bytes_req | (u64)bytes_alloc << 32;
}

/* From a cache, or back to it: a cache's address is even. */
static __always_inline u64 lt_what_cache(const struct kmem_cache *s, bool freed)
{
	return (unsigned long)s | freed;
}

/* A free without a cache, or with one that is not known. */
#define LT_WHAT_FREED	1ULL

/*
 * Pages: no sizes have zeroes in the upper half, and these low bits neither the address of
 * a cache, which is a multiple of its alignment, nor that with the bit of a free.
 */
static __always_inline u64 lt_what_pages(unsigned int order, unsigned int migratetype)
{
	return 3 | (u64)order << 8 | (u64)migratetype << 16;
}

static inline unsigned int lt_what_order(u64 what)
{
	return what >> 8 & 0xff;
}

static inline unsigned int lt_what_migratetype(u64 what)
{
	return what >> 16 & 0xff;
}

static __always_inline u64 lt_how(gfp_t gfp, int node)
{
	return (__force u32)gfp | (u64)(u32)node << 32;
}

/*
 * lt_place_with_stack() - what the entry of a site with a stack holds
 *
 * Another place for each number of a stack, and for none the same. No two places become one:
 * a node of 16 bits, which all places of the short form have, repeats its sign in the bits
 * above. lt_object_fast() does not look at @how of frees; caches differ in more than these
 * bits of their address.
 */
static inline struct lt_place lt_place_with_stack(const struct lt_forms *forms,
						  struct lt_place p, u16 stack)
{
	if (forms->layout == LT_LAYOUT_KMALLOC || forms->layout == LT_LAYOUT_CACHE_ALLOC ||
	    forms->layout == LT_LAYOUT_PAGE)
		p.how ^= (u64)stack << 48;
	else
		p.what ^= (u64)stack << 48;
	return p;
}

/* Does an address fit the 40 bits above ptr_base? */
static __always_inline bool lt_ptr_narrow(const void *ptr)
{
	return !(((u64)(unsigned long)ptr - lt_ptr_base()) >> 40);
}

/* Does an address fit the brief form? */
static __always_inline bool lt_ptr_brief(const void *ptr)
{
	if (!LT_TIGHT)
		return lt_ptr_narrow(ptr);
	return !(((u64)(unsigned long)ptr - lt_ptr_base()) & ~LT_TIGHT_ADDRESS);
}

/* Does a code address fit the 32 bits above text_base? */
static __always_inline bool lt_code_narrow(unsigned long addr)
{
	return !((u64)(addr - lt_text_base()) >> 32);
}

/* Store an address that lt_ptr_narrow() accepts. */
static __always_inline void lt_put_ptr(u8 *field, const void *ptr)
{
	lt_put_u40(field, (u64)(unsigned long)ptr - lt_ptr_base());
}

/* An unknown address (0) is stored as 0, in either form. */
static __always_inline u32 lt_code(unsigned long addr)
{
	return addr ? addr - lt_text_base() : 0;
}

#define LT_BRIEF_PAYLOAD	(LT_TIGHT ? sizeof(struct lt_rec_KMALLOC_TIGHT) :	\
					    sizeof(struct lt_rec_KMALLOC_SHORT))
#define LT_BRIEF	(LT_REC_WORD + LT_BRIEF_PAYLOAD)

/* Bytes that lt_put_brief() writes: its second store reaches over the end. */
#define LT_BRIEF_STORED	(LT_REC_WORD + sizeof(u64))

/* The payload of a tight form. */
static __always_inline u64 lt_tight(unsigned int site, const void *ptr)
{
	return ((u64)(unsigned long)ptr - lt_ptr_base()) << LT_TIGHT_SHIFT | site;
}

/*
 * lt_put_brief() - fill in a brief form, all of it
 *
 * By two stores, the second of which reaches over the end; the caller has checked that there
 * is room for LT_BRIEF_STORED bytes.
 */
static __always_inline void lt_put_brief(void *rec, u32 word, unsigned int site,
					 const void *ptr)
{
	u64 low = (u64)(unsigned long)ptr - lt_ptr_base();
#ifdef __LITTLE_ENDIAN
	u64 payload = LT_TIGHT ? lt_tight(site, ptr) : low << 16 | site;
#else
	u64 payload = LT_TIGHT ? lt_tight(site, ptr) << 16 : (u64)site << 48 | low << 8;
#endif

	put_unaligned(word, (u32 *)rec);
	put_unaligned(payload, (u64 *)(rec + LT_REC_WORD));
}

/* lt_put_brief() of the payload alone, and of no byte more. */
static inline void lt_put_brief_payload(void *payload, unsigned int site, const void *ptr)
{
	struct lt_rec_KMALLOC_SHORT *r = payload;

	if (LT_TIGHT) {
		lt_put_u48(payload, lt_tight(site, ptr));
	} else {
		r->site = site;
		lt_put_ptr(r->ptr, ptr);
	}
}

/* lt_put_brief_payload() undone; for tests. */
static inline u64 lt_brief_payload(const void *payload)
{
	return lt_get_first(payload, LT_BRIEF_PAYLOAD);
}

static inline unsigned int lt_brief_site(const void *payload)
{
	if (!LT_TIGHT)
		return ((const struct lt_rec_KMALLOC_SHORT *)payload)->site;
	return lt_brief_payload(payload) & (LT_TIGHT_SITES - 1);
}

static inline u64 lt_brief_ptr(const void *payload)
{
	u64 v = lt_brief_payload(payload);

	if (LT_TIGHT)
		return lt_ptr_base() + (v >> LT_TIGHT_SHIFT & LT_TIGHT_ADDRESS);
#ifdef __LITTLE_ENDIAN
	return lt_ptr_base() + (v >> 16);
#else
	return lt_ptr_base() + (v & GENMASK_ULL(39, 0));
#endif
}

/* What the record of a site says, in any form; for tests. Return: false: it is none. */
static inline bool lt_site_said(unsigned int id, const void *payload, struct lt_rec_SITE *site)
{
	const struct lt_rec_SITE_NARROW *narrow = payload;
	const struct lt_rec_SITE_FREE *freed = payload;

	memset(site, 0, sizeof(*site));
	switch (id) {
	case LT_EV_SITE:
		memcpy(site, payload, sizeof(*site));
		return true;
	case LT_EV_SITE_NARROW:
		site->site = narrow->site;
		site->call_site = narrow->call_site;
		site->gfp_flags = narrow->gfp_flags;
		site->bytes_req = narrow->bytes_req;
		site->bytes_alloc = narrow->bytes_alloc;
		site->cache = narrow->cache;
		site->node = narrow->node;
		return true;
	case LT_EV_SITE_FREE:
		site->site = freed->site;
		site->call_site = freed->call_site;
		site->cache = freed->cache;
		return true;
	}
	return false;
}

static inline bool lt_is_brief(unsigned int id)
{
	BUILD_BUG_ON(LT_EV_RCU_FREE_SHORT - LT_EV_KMALLOC_SHORT != 6);
	BUILD_BUG_ON(LT_EV_RCU_FREE_TIGHT - LT_EV_KMALLOC_TIGHT != 6);
	return id >= LT_EV_BRIEF(KMALLOC) && id <= LT_EV_BRIEF(RCU_FREE);
}

/*
 * The versions of a probe; the session chooses one. The frequent versions neither choose
 * a clock nor filter, only LT_STACKED records stacks, and LT_ANY filters by size and address only.
 */
enum lt_variant {
	LT_ANY,
	LT_COUNTER,
	LT_MONO,
	LT_STACKED,
	LT_FILTERED,
	LT_N_VARIANTS,
};

/* Does this version of a probe filter? */
static __always_inline bool lt_filters(enum lt_variant v)
{
	return v == LT_ANY || v == LT_STACKED || v == LT_FILTERED;
}

/* Also by what filter.c looks at? */
static __always_inline bool lt_filters_more(enum lt_variant v)
{
	return v == LT_STACKED || v == LT_FILTERED;
}

static __always_inline u64 lt_clock_of(enum lt_variant v)
{
	switch (v) {
	case LT_COUNTER:
		return lt_counter();
	case LT_MONO:
		return ktime_get_mono_fast_ns();
	default:
		return lt_clock();
	}
}

/**
 * lt_object_fast() - write an event by a few stores, if that is possible
 * @c: state of this CPU
 * @forms: of the event
 * @now: the time
 * @context: enum lt_context, not LT_CTX_NMI
 * @ptr: the object
 * @place: the fields that it has in common with others
 *
 * Possible where place and task are announced in this packet, which has room, and the
 * clock has not gone too far or back: for all events but one in some hundred.
 *
 * Calls no function, so the tracer cannot cause an event in between; probes that use
 * this are closed to kprobes. An event that comes while another is written on this CPU
 * finds c->limit 0.
 *
 * Context: interrupts off.
 * Return: false: nothing was written, lt_object_slow() must.
 */
static __always_inline bool
lt_object_fast(struct lt_channel_cpu *c, const struct lt_forms *forms, u64 now,
	       unsigned int context, const void *ptr, const struct lt_place *place)
{
	unsigned int slot = lt_site_slot(place);
	const struct lt_site *e = &c->sites[slot];
	const struct task_struct *task = current;
	struct rchan_buf *buf = c->buf;
	bool alloc = forms->layout == LT_LAYOUT_KMALLOC ||
		     forms->layout == LT_LAYOUT_CACHE_ALLOC;
	void *rec;

	/* If the place is announced, there is a buffer: the announcement stands in it. */
	if (unlikely(e->place.call_site != place->call_site || e->place.what != place->what ||
		     (alloc && e->place.how != place->how) ||
		     e->stamp != atomic_long_read(&c->stamp) ||
		     task != c->task || task->start_boottime != c->task_start ||
		     task->pid != c->task_tid || !lt_ptr_brief(ptr) ||
		     (now - c->last) >> LT_TIME_BITS ||
		     buf->offset + LT_BRIEF_STORED > c->limit))
		return false;
	/* As relay_reserve() does it where there is room. */
	rec = buf->data + buf->offset;
	lt_put_brief(rec, LT_WORD(LT_EV_ID(forms->brief), context, now), slot, ptr);
	/* A CPU that an NMI stops here, in a panic, leaves no half record: see lt_packet_save(). */
	barrier();
	buf->offset += LT_BRIEF;
	c->last = now;
	c->tried[LT_CLASS_INDEX(forms->class)]++;
	return true;
}

/**
 * lt_object_event() - write an event of an object
 * @ch: channel; constant
 * @forms: of the event; constant
 * @v: version of the probe; constant
 * @ptr: the object
 * @s: its cache, or NULL
 * @place: the fields that it has in common with others
 *
 * Context: any, NMI included.
 */
static __always_inline void
lt_object_event(struct lt_channel *ch, const struct lt_forms *forms, enum lt_variant v,
		const void *ptr, const struct kmem_cache *s, struct lt_place place)
{
	unsigned int context = lt_context_or_nmi();
	unsigned long flags;
	u64 now;

	if (likely(context != LT_CTX_NMI)) {
		local_irq_save(flags);
		/* Before any state is read: the clock's functions may cause an event. */
		now = lt_clock_of(v);
		if (likely(lt_object_fast(this_cpu_ptr(ch->cpu), forms, now, context, ptr,
					  &place))) {
			local_irq_restore(flags);
			return;
		}
		local_irq_restore(flags);
	}
	lt_object_slow(forms, ptr, s, place.call_site, place.what, place.how);
}

#endif /* LT_OBJECT_H */
