/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the table of live objects keeps them. For the files of the table, and for plain.c.
 */
#ifndef LT_LIFETIMES_OBJTABLE_INTERNAL_H
#define LT_LIFETIMES_OBJTABLE_INTERNAL_H

#include "lifetimes/objtable.h"

#define TIME_BITS	56
#define TIME_MASK	((1ULL << TIME_BITS) - 1)

/* Flags that only the table has. */
#define REMOVED		LT_OBJ_FLAGS_END	/* after lt_objtable_close() */
#define WHOLE		(LT_OBJ_FLAGS_END << 1)	/* traits is the number in t->whole */

#define SLOT_HASH(slot)	((uint32_t)((slot) >> 32))
#define SLOT_ID(slot)	((uint32_t)(slot))

/* An object as it is kept. */
struct packed {
	uint64_t time_flags;	/* the flags in the upper 8 bits */
	uint32_t low;		/* the mixed address's lower half */
	uint32_t actor;
	uint32_t traits;
	uint32_t count;
};

_Static_assert(sizeof(struct packed) == 24, "one for every live object: keep it small");

static inline struct packed *packed_at(const struct lt_objtable *t, uint32_t id)
{
	return (struct packed *)t->pool.chunks[id >> LT_POOL_SHIFT] +
	       (id & ((1U << LT_POOL_SHIFT) - 1));
}

static inline struct lt_objtable_part *part_of(const struct lt_objtable *t, uint32_t h)
{
	return (struct lt_objtable_part *)(uintptr_t)&t->parts[h % LT_OBJTABLE_PARTS];
}

/* The number of slots is no power of two, so that it can grow by little. */
static inline uint32_t home_of(const struct lt_objtable_part *part, uint32_t h)
{
	return (uint32_t)((uint64_t)h * part->n_slots >> 32);
}

static inline uint32_t after(const struct lt_objtable_part *part, uint32_t i)
{
	return i + 1 == part->n_slots ? 0 : i + 1;
}

/* The half of a mixed address that determines its place. */
static inline uint32_t hash_of_mixed(uint64_t mixed)
{
	return (uint32_t)(mixed >> 32);
}

static inline void prefetch_slot(const struct lt_objtable *t, uint64_t mixed)
{
	uint32_t h = hash_of_mixed(mixed);
	const struct lt_objtable_part *part = part_of(t, h);

	__builtin_prefetch(&part->slots[home_of(part, h)]);
}

static inline void prefetch_object(const struct lt_objtable *t, uint64_t mixed)
{
	uint32_t h = hash_of_mixed(mixed);
	const struct lt_objtable_part *part = part_of(t, h);

	for (uint32_t i = home_of(part, h); part->slots[i]; i = after(part, i)) {
		if (SLOT_HASH(part->slots[i]) == h) {
			__builtin_prefetch(packed_at(t, SLOT_ID(part->slots[i])));
			return;
		}
	}
}

/* lt_objtable_seek() that copies nothing. Return: NULL: there is no such object. */
static inline struct packed *seek_packed(const struct lt_objtable *t, uint64_t mixed,
					 struct lt_objtable_at *at)
{
	const uint32_t h = hash_of_mixed(mixed);
	struct lt_objtable_part *part = part_of(t, h);
	uint32_t i = home_of(part, h);
	struct packed *found = NULL;
	uint64_t slot;

	for (; (slot = part->slots[i]); i = after(part, i)) {
		if (SLOT_HASH(slot) != h)
			continue;
		found = packed_at(t, SLOT_ID(slot));
		if (found->low == (uint32_t)mixed)
			break;
		found = NULL;
	}
	at->mixed = mixed;
	at->part = part;
	at->slot = i;
	return found;
}

/* objtable.c */
/* Makes a part larger. Return: the place there of an address that it does not have. */
uint32_t lt_objtable_grow(struct lt_objtable_part *part, uint64_t mixed);
/* The number of traits, 0: there are too many. Valid until t->renewals changes. */
uint32_t lt_objtable_traits(struct lt_objtable *t, const struct lt_traits *traits);

/* An object at its place, of which all but half of its address is still to be set. */
static inline struct packed *new_at(struct lt_objtable *t, const struct lt_objtable_at *at,
				    uint32_t *id)
{
	struct lt_objtable_part *part = at->part;
	uint32_t slot = at->slot;
	struct packed *p;

	if (part->n >= part->full)
		slot = lt_objtable_grow(part, at->mixed);
	*id = lt_pool_get(&t->pool);
	part->slots[slot] = (at->mixed & ~(uint64_t)UINT32_MAX) | *id;
	part->n++;
	t->n++;
	p = packed_at(t, *id);
	p->low = (uint32_t)at->mixed;
	return p;
}

/*
 * No tombstones: each of the following slots whose home is not between the hole (exclusive) and its
 * place moves into the hole.
 */
static inline void close_hole(struct lt_objtable_part *part, uint32_t hole)
{
	uint64_t slot;

	for (uint32_t i = after(part, hole); (slot = part->slots[i]); i = after(part, i)) {
		uint32_t home = home_of(part, SLOT_HASH(slot));
		bool between = hole <= i ? home > hole && home <= i : home > hole || home <= i;

		if (between)
			continue;
		part->slots[hole] = slot;
		hole = i;
	}
	part->slots[hole] = 0;
	part->n--;
}

/* Removes the object at a place, which is not whole, with its number in the pool. */
static inline void drop_at(struct lt_objtable *t, const struct lt_objtable_at *at, uint32_t id)
{
	t->n--;
	lt_pool_put(&t->pool, id);
	close_hole(at->part, at->slot);
}

static inline bool is_whole(const struct packed *p)
{
	return p->time_flags >> TIME_BITS & WHOLE;
}

static inline void unpack(const struct lt_objtable *t, const struct packed *p, uint64_t ptr,
			  uint32_t id, struct lt_obj *obj)
{
	const struct lt_traits *traits;
	uint64_t actor;

	if (is_whole(p)) {
		*obj = *(const struct lt_obj *)lt_pool_at(&t->whole, p->traits);
		obj->id = id;
		return;
	}
	traits = &t->traits[p->traits];
	actor = lt_intern_value(&t->actors, p->actor);
	obj->ptr = ptr;
	obj->time = t->base + (p->time_flags & TIME_MASK);
	obj->bytes_req = traits->bytes_req;
	obj->bytes_alloc = traits->bytes_alloc;
	obj->site = traits->site;
	obj->task = (uint32_t)(actor >> 32);
	obj->gfp = traits->gfp;
	obj->count = p->count;
	obj->cpu = (uint32_t)actor >> 8;
	obj->node = traits->node;
	obj->extra = 0;
	obj->id = id;
	obj->cache = traits->cache;
	obj->kind = traits->kind;
	obj->context = (uint8_t)actor;
	obj->order = traits->order;
	obj->flags = (uint8_t)(p->time_flags >> TIME_BITS);
}

#endif /* LT_LIFETIMES_OBJTABLE_INTERNAL_H */
