// SPDX-License-Identifier: GPL-2.0
/*
 * Events of objects that lt_object_fast() cannot write: their place is not announced in
 * this packet, or they are written in full.
 */
#include <linux/slab.h>

#include "kmem/caller.h"
#include "kmem/kmem.h"

/**
 * struct object - an event of an object, to be written
 * @forms: of the event
 * @ptr: the object; of a page block the number of its first page
 * @s: its cache, or NULL
 * @place: the fields that it has in common with others; see lt_place_with_stack()
 * @stack: number of its stack in the open packet, 0: none
 */
struct object {
	const struct lt_forms *forms;
	const void *ptr;
	const struct kmem_cache *s;
	struct lt_place place;
	u16 stack;
};

static int how_node(u64 how)
{
	return how >> 32;
}

/* Is this place announced in the open packet, by this entry? */
static bool site_is(const struct lt_site *e, const struct lt_place *p, unsigned long stamp)
{
	return e->place.call_site == p->call_site && e->place.what == p->what &&
	       e->place.how == p->how && e->stamp == stamp;
}

static void put_full(const struct object *o, bool wide, void *payload, u16 cache)
{
	const struct lt_place *p = &o->place;
	u32 req = p->what, alloc = p->what >> 32, gfp = p->how;
	int node = how_node(p->how);

	/* All layouts begin with object and caller, like that of kfree. */
	if (wide) {
		struct lt_rec_KFREE_WIDE *r = payload;

		r->ptr = (unsigned long)o->ptr;
		r->call_site = p->call_site;
	} else {
		struct lt_rec_KFREE *r = payload;

		lt_put_ptr(r->ptr, o->ptr);
		r->call_site = lt_code(p->call_site);
	}
#define PUT(NAME, ...) do {						\
	if (wide) {							\
		struct lt_rec_##NAME##_WIDE *r = payload;		\
		__VA_ARGS__						\
	} else {							\
		struct lt_rec_##NAME *r = payload;			\
		__VA_ARGS__						\
	}								\
} while (0)
	switch (o->forms->layout) {
	case LT_LAYOUT_KMALLOC:
		PUT(KMALLOC, r->gfp_flags = gfp; r->bytes_req = req; r->bytes_alloc = alloc;
		    r->node = node;);
		break;
	case LT_LAYOUT_CACHE_ALLOC:
		PUT(CACHE_ALLOC, r->gfp_flags = gfp; r->cache = cache; r->node = node;);
		break;
	case LT_LAYOUT_CACHE_FREE:
		PUT(CACHE_FREE, r->cache = cache;);
		break;
	case LT_LAYOUT_FREE:
	case LT_LAYOUT_PAGE:	/* write_full_page() */
		break;
	}
#undef PUT
}

static size_t full_size(enum lt_layout layout, bool wide)
{
#define SIZE(NAME)	(wide ? sizeof(struct lt_rec_##NAME##_WIDE) : sizeof(struct lt_rec_##NAME))
	switch (layout) {
	case LT_LAYOUT_KMALLOC:
		return SIZE(KMALLOC);
	case LT_LAYOUT_CACHE_ALLOC:
		return SIZE(CACHE_ALLOC);
	case LT_LAYOUT_CACHE_FREE:
		return SIZE(CACHE_FREE);
	default:
		return SIZE(KFREE);
	}
#undef SIZE
}

/* The narrow form has no caller: that of page_alloc is not known without its stack. */
static bool write_wide_page(struct lt_channel *ch, struct lt_channel_cpu *c,
			    const struct object *o)
{
	struct lt_rec_PAGE_BULK_WIDE *r;

	r = lt_reserve_slow(ch, c, o->forms->wide, sizeof(*r));
	if (!r)
		return false;
	r->pfn = (unsigned long)o->ptr;
	r->call_site = o->place.call_site;
	r->gfp_flags = o->place.how;
	r->order = lt_what_order(o->place.what);
	r->single = lt_what_migratetype(o->place.what);
	return true;
}

static bool write_full_page(struct lt_channel *ch, struct lt_channel_cpu *c,
			    const struct object *o)
{
	struct lt_rec_PAGE_ALLOC *r;

	/* The last field of a bulk allocation's is a byte, too. */
	BUILD_BUG_ON(sizeof(struct lt_rec_PAGE_BULK_SHORT) !=
		     sizeof(struct lt_rec_PAGE_ALLOC_SHORT));
	if (o->forms->wide != o->forms->narrow)
		return write_wide_page(ch, c, o);
	r = lt_reserve_slow(ch, c, o->forms->narrow, sizeof(*r));
	if (!r)
		return false;
	lt_put_u40(r->pfn, (unsigned long)o->ptr);
	r->gfp_flags = o->place.how;
	r->order = lt_what_order(o->place.what);
	r->migratetype = lt_what_migratetype(o->place.what);
	return true;
}

static bool write_full(struct lt_channel *ch, struct lt_channel_cpu *c,
		       const struct object *o, u16 cache)
{
	const struct lt_place *p = &o->place;
	int node = how_node(p->how);
	bool wide = !lt_ptr_narrow(o->ptr) || !lt_code_narrow(p->call_site) ||
		    node != (s8)node;
	void *payload;

	if (o->forms->layout == LT_LAYOUT_PAGE)
		return write_full_page(ch, c, o);
	BUILD_BUG_ON(offsetof(struct lt_rec_KMALLOC, call_site) !=
		     offsetof(struct lt_rec_KFREE, call_site));
	BUILD_BUG_ON(offsetof(struct lt_rec_CACHE_ALLOC, call_site) !=
		     offsetof(struct lt_rec_KFREE, call_site));
	BUILD_BUG_ON(offsetof(struct lt_rec_CACHE_FREE, call_site) !=
		     offsetof(struct lt_rec_KFREE, call_site));
	if (o->forms->layout == LT_LAYOUT_KMALLOC && (p->what | p->what >> 32) & ~0xffffULL &
	    U32_MAX)
		wide = true;
	payload = lt_reserve_slow(ch, c, wide ? o->forms->wide : o->forms->narrow,
				  full_size(o->forms->layout, wide));
	if (payload)
		put_full(o, wide, payload, cache);
	return payload;
}

static const struct lt_site_form whole_site = { LT_EV_SITE, sizeof(struct lt_rec_SITE) };

static const struct lt_site_form narrow_site = {
	LT_EV_SITE_NARROW, sizeof(struct lt_rec_SITE_NARROW)
};

static const struct lt_site_form freeing_site = {
	LT_EV_SITE_FREE, sizeof(struct lt_rec_SITE_FREE)
};

/* The smallest form of the site of an event that can_be_brief(). */
static const struct lt_site_form *site_form(const struct object *o)
{
	const struct lt_place *p = &o->place;
	bool sizes = o->forms->layout == LT_LAYOUT_KMALLOC;
	int node = how_node(p->how);

	if (o->stack)
		return &whole_site;
	if (lt_forms_free(o->forms))
		return &freeing_site;
	if (node != (s8)node || (sizes && (p->what | p->what >> 32) & 0xffff0000))
		return &whole_site;
	return &narrow_site;
}

static void put_narrow_site(struct lt_rec_SITE_NARROW *r, unsigned int site,
			    const struct object *o, u16 cache)
{
	const struct lt_place *p = &o->place;
	bool sizes = o->forms->layout == LT_LAYOUT_KMALLOC;

	r->site = site;
	r->call_site = lt_code(p->call_site);
	r->gfp_flags = p->how;
	r->bytes_req = sizes ? p->what : 0;
	r->bytes_alloc = sizes ? p->what >> 32 : 0;
	r->cache = cache;
	r->node = how_node(p->how);
}

static void put_freeing_site(struct lt_rec_SITE_FREE *r, unsigned int site,
			     const struct object *o, u16 cache)
{
	r->site = site;
	r->call_site = lt_code(o->place.call_site);
	r->cache = cache;
}

static void put_whole_site(struct lt_rec_SITE *r, unsigned int site, const struct object *o,
			   u16 cache)
{
	const struct lt_place *p = &o->place;
	bool sizes = o->forms->layout == LT_LAYOUT_KMALLOC;

	r->site = site;
	/* Where the caller is too far, it is the first frame of the stack, see can_be_brief(). */
	r->call_site = lt_code_narrow(p->call_site) ? lt_code(p->call_site) : 0;
	r->gfp_flags = p->how;
	r->bytes_req = sizes ? (u32)p->what : 0;
	r->bytes_alloc = sizes ? p->what >> 32 : 0;
	r->cache = cache;
	r->node = how_node(p->how);	/* the lower half of it: see can_be_brief() */
	r->stack = o->stack;
}

static void put_site(const struct lt_site_form *form, void *to, unsigned int site,
		     const struct object *o, u16 cache)
{
	if (form == &freeing_site)
		put_freeing_site(to, site, o, cache);
	else if (form == &narrow_site)
		put_narrow_site(to, site, o, cache);
	else
		put_whole_site(to, site, o, cache);
}

/*
 * The entry for an object's place: its own, with @announced set, or one that is free.
 * NULL: both entries are announced in this packet for other places, or this packet has
 * announced too many sizes.
 */
static struct lt_site *find_site(struct lt_channel_cpu *c, const struct object *o,
				 bool *announced)
{
	const struct lt_place *p = &o->place;
	unsigned long stamp = atomic_long_read(&c->stamp);
	unsigned int slot = lt_site_slot(p), i;

	*announced = true;
	for (i = 0; i < 2; i++)
		if (site_is(&c->sites[slot ^ i], p, stamp))
			return &c->sites[slot ^ i];
	*announced = false;
	for (i = 0; i < 2; i++)
		if (c->sites[slot ^ i].stamp != stamp)
			break;
	if (i == 2 || (o->forms->layout == LT_LAYOUT_KMALLOC && !lt_sites_admit(c, p->call_site)))
		return NULL;
	return &c->sites[slot ^ i];
}

static void put_brief_page(struct lt_rec_PAGE_ALLOC_SHORT *r, unsigned int site,
			   const struct object *o)
{
	r->site = site;
	lt_put_u40(r->pfn, (unsigned long)o->ptr);
	r->order = lt_what_order(o->place.what);
	r->migratetype = lt_what_migratetype(o->place.what);
}

static bool write_brief(struct lt_channel *ch, struct lt_channel_cpu *c,
			const struct object *o, const struct lt_site *e, bool announced, u16 cache)
{
	bool page = o->forms->layout == LT_LAYOUT_PAGE;
	unsigned int number = e - c->sites;
	const struct lt_site_form *form = site_form(o);
	void *payload, *site;

	BUILD_BUG_ON(LT_SITES > LT_TIGHT_SITES);
	payload = lt_reserve_with_site(ch, c, o->forms->brief,
				       page ? sizeof(struct lt_rec_PAGE_ALLOC_SHORT) :
					      LT_BRIEF_PAYLOAD, form, announced, &site);
	if (!payload)
		return false;
	if (site)
		put_site(form, site, number, o, cache);
	if (page)
		put_brief_page(payload, number, o);
	else
		lt_put_brief_payload(payload, number, o->ptr);
	return true;
}

/*
 * Do all values fit the brief form and the site? With a stack any caller does, for it is the
 * first frame: on s390x modules may lie more than 32 bits away from the kernel (6.1).
 */
static bool can_be_brief(const struct object *o, bool stacked)
{
	const struct lt_place *p = &o->place;
	int node = how_node(p->how);

	/* The number of a page has 40 bits on every machine. */
	return (o->forms->layout == LT_LAYOUT_PAGE || lt_ptr_brief(o->ptr)) &&
	       node == (s16)node &&
	       (stacked || !p->call_site || lt_code_narrow(p->call_site));
}

/*
 * No packet is open, and none can be opened. Where buffers stay full this is all that an event
 * costs: it is asked before anything of the event is put together.
 */
static __always_inline bool is_full(const struct lt_channel_cpu *c)
{
	return !c->open && lt_full(c->buf);
}

/*
 * May the event share a site? Without an id of its cache each event is counted. The callers behind
 * a trampoline are many: where one was not found, the next one may be.
 */
static bool can_share(const struct object *o, u16 cache)
{
	return can_be_brief(o, false) && !(o->s && !cache) && !lt_is_trampoline(o->place.call_site);
}

static bool write_object(struct lt_channel *ch, struct lt_channel_cpu *c,
			 const struct object *o)
{
	/*
	 * Read before the cache's id: if lt_sites_forget() comes in between, the entry
	 * gets a stamp that is not valid any more.
	 */
	unsigned long stamp = atomic_long_read(&c->stamp);
	u64 now, seq = c->seq;
	struct lt_site *e;
	u16 cache = 0;
	bool announced;

	smp_rmb();	/* pairs with smp_wmb() in lt_sites_forget() */
	if (o->s)
		cache = lt_cache_id(ch, c, o->s);
	if (cache == LT_CACHE_LOST)
		return false;
	now = lt_clock();
	c->now = (s64)(now - c->last) < 0 ? c->last : now;

	e = can_share(o, cache) ? find_site(c, o, &announced) : NULL;
	if (!e)
		return write_full(ch, c, o, cache);
	if (!write_brief(ch, c, o, e, announced, cache))
		return false;
	if (!announced || c->seq != seq) {
		e->place = o->place;
		/* Each packet that was opened meanwhile has incremented the stamp. */
		e->stamp = stamp + (c->seq - seq);
	}
	return true;
}

static unsigned long real_caller(const struct lt_forms *forms, unsigned long call_site)
{
	return lt_real_caller(call_site, lt_forms_free(forms));
}

/**
 * lt_object_slow() - write an event of an object
 * @forms: of the event
 * @ptr: the object
 * @s: its cache, or NULL
 * @call_site: of its struct lt_place
 * @what: of its struct lt_place: sizes or cache
 * @how: of its struct lt_place: flags and node
 *
 * Announces the task that runs and the site if they are not yet in this packet, writes
 * the event in full if the short form does not fit, and counts it if it is refused.
 *
 * Context: any, NMI included.
 */
void lt_object_slow(const struct lt_forms *forms, const void *ptr,
		    const struct kmem_cache *s, unsigned long call_site, u64 what, u64 how)
{
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_channel_kmem, forms->class, &flags);
	if (!c)
		return;
	/* NULL on a CPU that came up while the channel was being opened. */
	if (!c->buf)
		c->nobuf[LT_CLASS_INDEX(forms->class)]++;
	else if (is_full(c) ||
		 !write_object(&lt_channel_kmem, c, &(struct object) {
			forms, ptr, s, { real_caller(forms, call_site), what, how }, 0 }))
		c->full[LT_CLASS_INDEX(forms->class)]++;
	lt_leave(c, forms->class, flags);
}

/*
 * As write_object(), with a stack. The event is in the short form if that is possible at
 * all, for the other forms have no site: where no entry is free, its own one is taken, and
 * its number announced again.
 */
static bool write_stacked(struct lt_channel *ch, struct lt_channel_cpu *c,
			  const struct object *plain, const struct lt_stack *stack)
{
	struct object o = *plain;
	struct lt_site *e;
	unsigned long stamp;
	u64 now, seq;
	u16 cache = 0;
	bool announced;

	stamp = atomic_long_read(&c->stamp);
	seq = c->seq;
	smp_rmb();	/* pairs with smp_wmb() in lt_sites_forget() */
	if (o.s)
		cache = lt_cache_id(ch, c, o.s);
	if (cache == LT_CACHE_LOST)
		return false;
	now = lt_clock();
	c->now = (s64)(now - c->last) < 0 ? c->last : now;
	if (!lt_stack_room(c))
		return false;
	o.stack = lt_stack_announce(ch, c, stack);
	if (!o.stack && !can_share(&o, cache))
		return write_full(ch, c, &o, cache);
	o.place = lt_place_with_stack(o.forms, o.place, o.stack);
	e = find_site(c, &o, &announced);
	if (!e)
		e = &c->sites[lt_site_slot(&o.place)];
	if (!write_brief(ch, c, &o, e, announced, cache))
		return false;
	if (!announced) {
		e->place = o.place;
		/*
		 * Each packet that was opened meanwhile has incremented the stamp. Without an id of
		 * its cache the site is for this event only.
		 */
		e->stamp = o.s && !cache ? 0 : stamp + (c->seq - seq);
	}
	return true;
}

/**
 * lt_object_stacked() - write an event of an object, with its stack
 * @forms: of the event
 * @ptr: the object
 * @s: its cache, or NULL
 * @place: the fields that it has in common with others
 * @stack: the stack; NULL: unwind it
 *
 * The kernel's unwinder runs with interrupts off, see unwind.c. An event whose stack does
 * not contain its caller, or that does not fit the short form, is written without.
 *
 * Context: any, NMI included; the session records stacks.
 */
void lt_object_stacked(const struct lt_forms *forms, const void *ptr,
		       const struct kmem_cache *s, struct lt_place place,
		       const struct lt_stack *stack)
{
	struct object o = { forms, ptr, s, place, 0 };
	struct lt_channel_cpu *c;
	struct lt_stack unwound;
	unsigned long flags;
	bool written;

	c = lt_enter(&lt_channel_kmem, forms->class, &flags);
	if (!c)
		return;
	if (!c->buf) {
		c->nobuf[LT_CLASS_INDEX(forms->class)]++;
	} else if (is_full(c)) {
		c->full[LT_CLASS_INDEX(forms->class)]++;
	} else {
		o.place.call_site = real_caller(forms, place.call_site);
		if (!stack && can_be_brief(&o, true) &&
		    lt_stack_save(o.place.call_site, &unwound))
			stack = &unwound;
		written = stack && can_be_brief(&o, true) ?
			  write_stacked(&lt_channel_kmem, c, &o, stack) :
			  write_object(&lt_channel_kmem, c, &o);
		c->full[LT_CLASS_INDEX(forms->class)] += !written;
	}
	lt_leave(c, forms->class, flags);
}
