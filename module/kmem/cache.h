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

/*
 * The ids of a slot: its index, and above that a turn, from 0 on. Each cache that gets the slot
 * has the next turn, so that many caches have come and gone before an id is used again.
 */
#define LT_CACHE_TURNS	15U
#define LT_CACHE_ID(slot, turn)	((u16)((slot) | (turn) << LT_CACHE_BITS))

#define LT_CACHE_UNKNOWN	0	/* no cache, or no id is free */
#define LT_CACHE_LOST		0xffff	/* could not be announced: no room; no turn gives it */

/* What a slot holds besides 0 (never used) and the address of a cache. Addresses are even. */
#define LT_CACHE_ANNOUNCING	1UL	/* with the address: its record is not written yet */
#define LT_CACHE_FREE		2UL	/* the cache is gone; with the turn of the next one */
#define LT_CACHE_GOING		4UL	/* the cache is gone; its record is being written … */
#define LT_CACHE_UNSAID		6UL	/* … or had no room */
#define LT_CACHE_TURN_SHIFT	4

extern unsigned long lt_cache_slots[LT_CACHE_SLOTS];
extern u8 lt_cache_turns[LT_CACHE_SLOTS];

/*
 * The id of the cache in a slot; 0: another one is in it. The turn is incremented when the
 * address is gone from the slot: if it still stands there, the turn is the one of its cache.
 */
static __always_inline u16 lt_cache_id_at(unsigned int slot, unsigned long key)
{
	u8 turn;

	/* Acquire: what the slot held before had its turn incremented before. */
	if (unlikely(smp_load_acquire(&lt_cache_slots[slot]) != key))
		return 0;
	turn = READ_ONCE(lt_cache_turns[slot]);
	smp_rmb();	/* pairs with smp_wmb() in let_go() */
	return likely(READ_ONCE(lt_cache_slots[slot]) == key) ? LT_CACHE_ID(slot, turn) : 0;
}

u16 lt_cache_id_slow(struct lt_channel *ch, struct lt_channel_cpu *c,
		     const struct kmem_cache *s);

/**
 * lt_cache_id() - the id of a cache, announced in the stream on first sight
 *
 * One multiplication, some loads and comparisons for a cache that is known.
 *
 * Context: between lt_enter() and lt_leave(), before the event is reserved.
 * Return: id, LT_CACHE_UNKNOWN or LT_CACHE_LOST.
 */
static __always_inline u16 lt_cache_id(struct lt_channel *ch, struct lt_channel_cpu *c,
				       const struct kmem_cache *s)
{
	u16 id;

	if (!s || !c->buf)
		return LT_CACHE_UNKNOWN;	/* without a buffer lt_reserve() will count it */
	id = lt_cache_id_at(hash_ptr(s, LT_CACHE_BITS), (unsigned long)s);
	return likely(id) ? id : lt_cache_id_slow(ch, c, s);
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
