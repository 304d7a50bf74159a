/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of objects: an address, and what the object has in common with others
 * from the same place in the code. That is told once in a packet and has a number
 * there, so that most events are eleven bytes.
 */
#ifndef LT_OBJECT_H
#define LT_OBJECT_H

#include <linux/bitops.h>
#include <linux/hash.h>

#include "context.h"

struct kmem_cache;

/**
 * struct lt_place - what events of one place have in common
 * @call_site: the caller
 * @what: kmalloc: bytes asked for, and bytes given in the upper half. Of slab
 *	objects the address of their cache. No cache has a 0 in its upper half, and no
 *	kmalloc gives no bytes or 4 GiB
 * @how: gfp flags, node, layout: see lt_how()
 */
struct lt_place {
	unsigned long call_site;
	u64 what;
	u64 how;
};

/**
 * struct lt_site - a place that has been told, as long as @stamp is the CPU's
 *
 * Read and written by its CPU alone.
 */
struct lt_site {
	struct lt_place place;
	unsigned long stamp;
};

/*
 * Enough that of some hundred places that are in use at a time few fall on one
 * another; a number is the index of an entry. Where its entry is taken in this
 * packet a place may have the neighbour; if that is taken, too, its events are
 * written in full.
 */
#define LT_SITE_BITS	11
#define LT_SITES	BIT(LT_SITE_BITS)

enum lt_layout {
	LT_LAYOUT_KMALLOC = 1,
	LT_LAYOUT_CACHE_ALLOC,
	LT_LAYOUT_FREE,
	LT_LAYOUT_CACHE_FREE,
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

#define LT_FORMS(LAYOUT, NAME) {			\
	.layout = LT_LAYOUT_##LAYOUT,			\
	.class = LT_CLASS_##NAME,			\
	.brief = LT_EV_##NAME##_SHORT,			\
	.narrow = LT_EV_##NAME,				\
	.wide = LT_EV_##NAME##_WIDE,			\
}

/**
 * struct lt_object - an event of an object, to be written
 * @ptr: the object
 * @s: its cache, or NULL
 */
struct lt_object {
	const struct lt_forms *forms;
	const void *ptr;
	const struct kmem_cache *s;
	struct lt_place place;
};

void lt_object_slow(struct lt_channel *ch, struct lt_channel_cpu *c,
		    const struct lt_object *o);
int lt_sites_alloc(struct lt_channel *ch);
void lt_sites_free(struct lt_channel *ch);
void lt_sites_new_packet(struct lt_channel_cpu *c);
void lt_sites_forget(struct lt_channel *ch);

static __always_inline u64 lt_how(gfp_t gfp, int node, enum lt_layout layout)
{
	return (__force u32)gfp | (u64)(u16)node << 32 | (u64)layout << 48;
}

/* Does an address fit the 40 bits above ptr_base? */
static __always_inline bool lt_ptr_narrow(const void *ptr)
{
	return !(((u64)(unsigned long)ptr - lt_ptr_base()) >> 40);
}

/* Does a code address fit the 32 bits above text_base? */
static __always_inline bool lt_code_narrow(unsigned long addr)
{
	return !((u64)(addr - lt_text_base()) >> 32);
}

/* Store what both fit into. */
static __always_inline void lt_put_ptr(u8 *field, const void *ptr)
{
	lt_put_u40(field, (u64)(unsigned long)ptr - lt_ptr_base());
}

/* An unknown address (0) is stored as 0, in either form. */
static __always_inline u32 lt_code(unsigned long addr)
{
	return addr ? addr - lt_text_base() : 0;
}

/* The entry at which a place is looked for. */
static __always_inline unsigned int lt_site_slot(const struct lt_place *p)
{
	return hash_64(p->call_site ^ rol64(p->what, 20) ^ p->how, LT_SITE_BITS);
}

/* Has this place been told, by that entry, in the packet that is open? */
static __always_inline bool lt_site_is(const struct lt_site *e, const struct lt_place *p,
				       unsigned long stamp)
{
	return e->place.call_site == p->call_site && e->place.what == p->what &&
	       e->place.how == p->how && e->stamp == stamp;
}

#define LT_BRIEF	(LT_REC_WORD + sizeof(struct lt_rec_KMALLOC_SHORT))

/*
 * lt_put_brief() - fill in a short form, all of it
 *
 * On a little-endian machine by two stores, the second of which reaches one byte
 * over the end; the caller has made sure that there is room for it.
 */
static __always_inline void lt_put_brief(void *rec, u32 word, unsigned int site,
					 const void *ptr)
{
	u64 low = (u64)(unsigned long)ptr - lt_ptr_base();

	put_unaligned(word, (u32 *)rec);
#ifdef __LITTLE_ENDIAN
	put_unaligned(low << 16 | site, (u64 *)(rec + LT_REC_WORD));
#else
	put_unaligned((u16)site, (u16 *)(rec + LT_REC_WORD));
	lt_put_u40(rec + LT_REC_WORD + 2, low);
#endif
}

/**
 * lt_object_fast() - write an event if that is a matter of a few stores
 * @id: its short form
 *
 * It is where place and task have been told in this packet, which has room, and
 * its clock has not gone too far or back. That is all but one in some hundred.
 *
 * Context: between lt_enter() and lt_leave().
 * Return: false: nothing was written, lt_object_slow() must.
 */
static __always_inline bool lt_object_fast(struct lt_channel_cpu *c, unsigned int id,
					   const void *ptr, const struct lt_place *place)
{
	unsigned int slot = lt_site_slot(place);
	const struct task_struct *task = current;
	u64 now = lt_clock();
	struct rchan_buf *buf;
	void *rec;

	if (unlikely(!lt_site_is(&c->sites[slot], place, atomic_long_read(&c->stamp)) ||
		     task != c->task || task->start_boottime != c->task_start ||
		     task->pid != c->task_tid || !lt_ptr_narrow(ptr) ||
		     (now - c->last) >> LT_TIME_BITS))
		return false;
	/* A place that was told was told in a buffer. */
	buf = c->buf;
	if (unlikely(buf->offset + LT_BRIEF + 1 > c->size))
		return false;
	/* As relay_reserve() does it where there is room. */
	rec = buf->data + buf->offset;
	buf->offset += LT_BRIEF;
	lt_put_brief(rec, LT_WORD(LT_EV_ID(id), lt_context(), now), slot, ptr);
	c->last = now;
	return true;
}

#endif /* LT_OBJECT_H */
