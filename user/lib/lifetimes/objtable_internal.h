/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the table of live objects keeps them. For objtable.c and objtable_walk.c only.
 */
#ifndef LT_LIFETIMES_OBJTABLE_INTERNAL_H
#define LT_LIFETIMES_OBJTABLE_INTERNAL_H

#include "lifetimes/objtable.h"

#define TIME_BITS	56
#define TIME_MASK	((1ULL << TIME_BITS) - 1)

/* Flags that only the table has. */
#define REMOVED		LT_OBJ_FLAGS_END	/* after lt_objtable_close() */
#define WHOLE		(LT_OBJ_FLAGS_END << 1)	/* site is the number in t->whole */

#define SLOT_HASH(slot)	((uint32_t)((slot) >> 32))
#define SLOT_ID(slot)	((uint32_t)(slot))

/* An object as it is kept. */
struct packed {
	uint64_t time_flags;	/* the flags in the upper 8 bits */
	uint32_t high;		/* the mixed address's upper half */
	uint32_t site;
	uint32_t actor;
	uint32_t traits;
	uint32_t bytes_req;
	uint32_t count;
};

_Static_assert(sizeof(struct packed) == 32, "one for every live object: keep it small");

static inline struct packed *packed_at(const struct lt_objtable *t, uint32_t id)
{
	return (struct packed *)t->pool.chunks[id >> LT_POOL_SHIFT] +
	       (id & ((1U << LT_POOL_SHIFT) - 1));
}

static inline bool is_whole(const struct packed *p)
{
	return p->time_flags >> TIME_BITS & WHOLE;
}

static inline void unpack(const struct lt_objtable *t, const struct packed *p, uint64_t ptr,
			  uint32_t id, struct lt_obj *obj)
{
	const struct lt_traits *traits = &t->traits[p->traits];
	uint64_t actor;

	if (is_whole(p)) {
		*obj = *(const struct lt_obj *)lt_pool_at(&t->whole, p->site);
		obj->id = id;
		return;
	}
	actor = lt_intern_value(&t->actors, p->actor);
	obj->ptr = ptr;
	obj->time = t->base + (p->time_flags & TIME_MASK);
	obj->bytes_req = p->bytes_req;
	obj->bytes_alloc = traits->bytes_alloc;
	obj->site = p->site;
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
