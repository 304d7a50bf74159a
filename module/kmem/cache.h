/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ids for slab caches.
 */
#ifndef LT_CACHE_H
#define LT_CACHE_H

#include <linux/hash.h>

#include "core/write.h"

struct seq_file;

#define LT_CACHE_BITS	12
#define LT_CACHE_SLOTS	BIT(LT_CACHE_BITS)

#define LT_CACHE_UNKNOWN	0	/* no cache, or more caches than ids */
#define LT_CACHE_LOST		0xffff	/* could not be announced: no room */

/*
 * The table: an id is the index of its slot. A slot holds the cache's address;
 * with bit 0 set while the record that announces it is not written; TOMBSTONE
 * when the cache is gone. A slot is never used for a second cache within a
 * session, so an id means one cache throughout a trace.
 */
extern unsigned long lt_cache_slots[LT_CACHE_SLOTS];

u16 lt_cache_id_slow(struct lt_channel *ch, struct lt_channel_cpu *c,
		     const struct kmem_cache *s);

/**
 * lt_cache_id() - the id of a cache, announced in the stream on first sight
 *
 * One multiplication, a load and a comparison for a cache that is known.
 *
 * Context: between lt_enter() and lt_leave(), before the event is reserved.
 * Return: id, LT_CACHE_UNKNOWN or LT_CACHE_LOST.
 */
static __always_inline u16 lt_cache_id(struct lt_channel *ch, struct lt_channel_cpu *c,
				       const struct kmem_cache *s)
{
	unsigned int slot = hash_ptr(s, LT_CACHE_BITS);

	if (likely(READ_ONCE(lt_cache_slots[slot]) == (unsigned long)s))
		return slot;	/* s == NULL: slot 0, which is never taken */
	if (!c->buf)
		return LT_CACHE_UNKNOWN;	/* lt_reserve() will count it */
	return lt_cache_id_slow(ch, c, s);
}

/**
 * struct lt_cache_desc - what can be said of a cache
 * @object_size: bytes of an object, 0: not known
 * @size: bytes of its slot, 0: not known
 * @name: zero-padded, cut at 64 bytes; empty: not known
 */
struct lt_cache_desc {
	u32 object_size;
	u32 size;
	char name[64];
};

int lt_cache_prove(void);
bool lt_cache_proven(void);
void lt_cache_describe(const struct kmem_cache *s, struct lt_cache_desc *d);
int lt_cache_reset(bool keeps);
void lt_cache_show(struct seq_file *m);
void lt_cache_exit(void);
void lt_cache_forget(struct lt_channel *ch, const struct kmem_cache *s);
u64 lt_cache_overflow(void);

#endif /* LT_CACHE_H */
