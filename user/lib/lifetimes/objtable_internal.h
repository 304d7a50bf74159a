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
	uint32_t high;		/* the mixed address's upper half */
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

/* lt_objtable_seek() that copies nothing. Return: NULL: there is no such object. */
static inline struct packed *seek_packed(const struct lt_objtable *t, uint64_t mixed,
					 struct lt_objtable_at *at)
{
	struct lt_objtable_part *part = part_of(t, (uint32_t)mixed);
	uint32_t i = home_of(part, (uint32_t)mixed);
	struct packed *found = NULL;
	uint64_t slot;

	for (; (slot = part->slots[i]); i = after(part, i)) {
		if (SLOT_HASH(slot) != (uint32_t)mixed)
			continue;
		found = packed_at(t, SLOT_ID(slot));
		if (found->high == mixed >> 32)
			break;
		found = NULL;
	}
	at->mixed = mixed;
	at->part = part;
	at->slot = i;
	return found;
}

/* objtable.c */
/* An object at its place, of which all but the upper half of its address is still to be set. */
struct packed *lt_objtable_new_at(struct lt_objtable *t, const struct lt_objtable_at *at,
				  uint32_t *id);
/* The number of traits, 0: there are too many. Valid until t->renewals changes. */
uint32_t lt_objtable_traits(struct lt_objtable *t, const struct lt_traits *traits);
/* Removes the object at a place, which is not whole, with its number in the pool. */
void lt_objtable_drop_at(struct lt_objtable *t, const struct lt_objtable_at *at, uint32_t id);

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
