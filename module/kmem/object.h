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

#include "core/context.h"

struct kmem_cache;

/**
 * struct lt_place - what events of one place have in common
 * @call_site: the caller
 * @what: see lt_what_sizes() and its like: no two layouts have a value in common
 * @how: of allocations gfp flags, and the node in the upper half; of frees 0
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
	LT_LAYOUT_KMALLOC,
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

void lt_object_slow(const struct lt_forms *forms, const void *ptr,
		    const struct kmem_cache *s, unsigned long call_site, u64 what, u64 how);
int lt_sites_alloc(struct lt_channel *ch);
void lt_sites_free(struct lt_channel *ch);
void lt_sites_new_packet(struct lt_channel_cpu *c);
void lt_sites_forget(struct lt_channel *ch);

/*
 * kmalloc: bytes asked for, and bytes given in the upper half: some, and less
 * than 4 GiB. An address of a cache has more there, or, on 32-bit machines,
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

/* Without a cache, or one that is not known. */
#define LT_WHAT_FREED	1ULL

static __always_inline u64 lt_how(gfp_t gfp, int node)
{
	return (__force u32)gfp | (u64)(u32)node << 32;
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

/*
 * The versions of a probe. Which one is attached is a matter of the session: the
 * frequent ones have no clock to choose and nothing to filter.
 */
enum lt_variant {
	LT_ANY,
	LT_COUNTER,
	LT_MONO,
	LT_N_VARIANTS,
};

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
 * lt_object_fast() - write an event if that is a matter of a few stores
 * @now: the time
 * @context: enum lt_context, not LT_CTX_NMI
 *
 * It is where place and task have been told in this packet, which has room, and
 * the clock has not gone too far or back. That is all but one in some hundred.
 *
 * No function is called here, so nothing of the tracer can cause an event that
 * would come between; probes that use this are closed to kprobes. An event that
 * comes while another is written on this CPU finds c->limit 0.
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

	/* A place that was told was told in a buffer: then there is one. */
	if (unlikely(e->place.call_site != place->call_site || e->place.what != place->what ||
		     (alloc && e->place.how != place->how) ||
		     e->stamp != atomic_long_read(&c->stamp) ||
		     task != c->task || task->start_boottime != c->task_start ||
		     task->pid != c->task_tid || !lt_ptr_narrow(ptr) ||
		     (now - c->last) >> LT_TIME_BITS ||
		     buf->offset + LT_BRIEF + 1 > c->limit))
		return false;
	/* As relay_reserve() does it where there is room. */
	rec = buf->data + buf->offset;
	buf->offset += LT_BRIEF;
	lt_put_brief(rec, LT_WORD(LT_EV_ID(forms->brief), context, now), slot, ptr);
	c->last = now;
	c->tried[LT_CLASS_INDEX(forms->class)]++;
	return true;
}

/**
 * lt_object_event() - write an event of an object
 * @ch: channel; constant
 * @forms: of the event; constant
 * @v: version of the probe; constant
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
		/* Before anything is looked at: what this calls may cause an event. */
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
