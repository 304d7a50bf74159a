/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the table of live objects keeps them. For the files of the table, and for plain.c.
 */
#ifndef LT_LIFETIMES_OBJTABLE_INTERNAL_H
#define LT_LIFETIMES_OBJTABLE_INTERNAL_H

#include "lifetimes/objtable.h"

#define GROUP		8	/* places of a group */

#define TIME_SHIFT	12
#define TIME_BITS	(64 - TIME_SHIFT)	/* 52 days */
#define TRAITS_BITS	20
#define TRAITS_MASK	((1U << TRAITS_BITS) - 1)
#define ACTOR_LOW	((1U << TIME_SHIFT) - 1)
#define ACTOR_BITS	(TIME_SHIFT + 32 - TRAITS_BITS)

#define PLACE_BITS	26	/* of a place in its part; the part is in the upper bits */
#define MAX_PLACES	(1U << PLACE_BITS)

_Static_assert((uint64_t)LT_OBJTABLE_PARTS << PLACE_BITS == 1ULL << 32 &&
	       LT_OBJTABLE_PARTS == LT_OBJ_FLAGS_END,
	       "a number has 32 bits, and flags stand where the number of the part was");

/**
 * struct lt_packed - an object as it is kept
 * @key: the mixed address, but for the number of the part, which is not kept: there are its flags
 * @time_actor: time since t->base, and the lower bits of the actor
 * @count: of a whole object: its number in t->whole; LT_POOL_NONE: it was removed from a closed
 *	table
 * @traits_actor: traits, 0: the object is whole; and the upper bits of the actor
 */
struct lt_packed {
	uint64_t key;
	uint64_t time_actor;
	uint32_t count;
	uint32_t traits_actor;
};

_Static_assert(sizeof(struct lt_packed) == 24, "one for every live object: keep it small");

/* The key of an object with this address, without flags. */
static inline uint64_t key_of(uint64_t mixed)
{
	return mixed & ~(uint64_t)(LT_OBJ_FLAGS_END - 1);
}

static inline uint32_t actor_of_packed(const struct lt_packed *p)
{
	return ((uint32_t)p->time_actor & ACTOR_LOW) | p->traits_actor >> TRAITS_BITS << TIME_SHIFT;
}

static inline uint32_t traits_of_packed(const struct lt_packed *p)
{
	return p->traits_actor & TRAITS_MASK;
}

static inline uint64_t time_of_packed(const struct lt_objtable *t, const struct lt_packed *p)
{
	return t->base + (p->time_actor >> TIME_SHIFT);
}

static inline unsigned int flags_of_packed(const struct lt_packed *p)
{
	return p->key & (LT_OBJ_FLAGS_END - 1);
}

/* The two parts of the number of an actor, where struct lt_packed has them. */
static inline uint32_t actor_low(uint32_t actor)
{
	return actor & ACTOR_LOW;
}

static inline uint32_t actor_high(uint32_t actor)
{
	return actor >> TIME_SHIFT << TRAITS_BITS;
}

/* @time: since t->base; @low and @high of the actor; all values have to fit. */
static inline void set_packed(struct lt_packed *p, uint64_t time, uint32_t low, uint32_t high,
			      uint32_t traits, uint32_t count)
{
	p->time_actor = time << TIME_SHIFT | low;
	p->count = count;
	p->traits_actor = traits | high;
}

static inline struct lt_objtable_part *part_of(const struct lt_objtable *t, uint64_t mixed)
{
	return (struct lt_objtable_part *)(uintptr_t)&t->parts[mixed % LT_OBJTABLE_PARTS];
}

/*
 * An object is in one of two groups, which follow from its address, or its key. The number of
 * groups is no power of two, so that it can grow by little.
 */
static inline uint32_t first_group(const struct lt_objtable_part *part, uint64_t mixed)
{
	return (uint32_t)((mixed >> 32) * part->n_groups >> 32);
}

static inline uint32_t second_group(const struct lt_objtable_part *part, uint64_t mixed)
{
	return (uint32_t)((key_of(mixed) & UINT32_MAX) * part->n_groups >> 32);
}

/* The first byte of a group is the lowest one. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TAG_ORDER	(GROUP - 1)
#else
#define TAG_ORDER	0
#endif

#define ONES		0x0101010101010101ULL	/* one in each byte */

/*
 * The tag of an address in each byte. It is not 0, as of free places, nor 1, with which
 * zero_bytes() may take these for places with this tag.
 */
static inline uint64_t tags_of(uint64_t mixed)
{
	uint64_t tag = mixed >> 8 & 0xff;

	return (tag > 1 ? tag : tag + 2) * ONES;
}

/*
 * The upper bits of the bytes that are 0. The lowest of these bits is right; above it there
 * may be one of a byte that is 1.
 */
static inline uint64_t zero_bytes(uint64_t w)
{
	return (w - ONES) & ~w & ONES << 7;
}

/* The place in a group of the lowest of these bits. */
static inline uint32_t place_in(uint32_t group, uint64_t bits)
{
	return group * GROUP + (uint32_t)__builtin_ctzll(bits) / 8;
}

/* More of such bits have a larger weight; they are counted in its upper byte. */
static inline uint64_t weight_of(uint64_t bits)
{
	return (bits >> 7) * ONES;
}

static inline struct lt_packed *seek_in(const struct lt_objtable_part *part, uint32_t group,
					uint64_t tags, uint64_t mixed)
{
	uint64_t bits = zero_bytes(part->tags[group] ^ tags);

	for (; bits; bits &= bits - 1) {
		struct lt_packed *p = &part->objs[place_in(group, bits)];

		/* They differ in the flags. */
		if ((p->key ^ mixed) < LT_OBJ_FLAGS_END)
			return p;
	}
	return NULL;
}

/* The tag of a place, which is 0 if it is free. */
static inline uint8_t *tag_at(const struct lt_objtable_part *part, uint32_t place)
{
	return (uint8_t *)part->tags + (place ^ TAG_ORDER);
}

/* lt_objtable_seek() that copies nothing. Return: NULL: there is no such object. */
static inline struct lt_packed *seek_packed(const struct lt_objtable *t, uint64_t mixed)
{
	const struct lt_objtable_part *part = part_of(t, mixed);
	const uint64_t tags = tags_of(mixed);
	struct lt_packed *p = seek_in(part, first_group(part, mixed), tags, mixed);

	return p ? p : seek_in(part, second_group(part, mixed), tags, mixed);
}

static inline void prefetch_tags(const struct lt_objtable *t, uint64_t mixed)
{
	const struct lt_objtable_part *part = part_of(t, mixed);

	__builtin_prefetch(&part->tags[first_group(part, mixed)]);
	__builtin_prefetch(&part->tags[second_group(part, mixed)]);
}

static inline void prefetch_object(const struct lt_objtable *t, uint64_t mixed)
{
	const struct lt_objtable_part *part = part_of(t, mixed);
	const uint64_t tags = tags_of(mixed);
	uint32_t group = first_group(part, mixed);
	uint64_t bits = zero_bytes(part->tags[group] ^ tags);
	const struct lt_packed *p;

	if (!bits) {
		group = second_group(part, mixed);
		bits = zero_bytes(part->tags[group] ^ tags);
	}
	if (!bits)
		return;
	p = &part->objs[place_in(group, bits)];
	__builtin_prefetch(p);
	__builtin_prefetch(&p->count);
}

/* objtable_part.c */

void lt_objtable_part_init(struct lt_objtable_part *part);
void lt_objtable_part_destroy(struct lt_objtable_part *part);
/* Makes a part larger. */
void lt_objtable_grow(struct lt_objtable *t, struct lt_objtable_part *part);
/* A free place for an address whose groups are full. */
uint32_t lt_objtable_make_room(struct lt_objtable *t, struct lt_objtable_part *part,
			       uint64_t mixed);

/* A free place of two groups, in that which has more of them. */
static inline bool free_place_in(const struct lt_objtable_part *part, uint32_t group,
				 uint32_t other, uint32_t *place)
{
	uint64_t bits = zero_bytes(part->tags[group]), others = zero_bytes(part->tags[other]);

	if (weight_of(others) > weight_of(bits)) {
		group = other;
		bits = others;
	}
	if (!bits)
		return false;
	*place = place_in(group, bits);
	return true;
}

static inline bool free_place(const struct lt_objtable_part *part, uint64_t mixed,
			      uint32_t *place)
{
	return free_place_in(part, first_group(part, mixed), second_group(part, mixed), place);
}

/* objtable.c */
/* seek_packed() and new_packed() where they are seldom needed. */
struct lt_packed *lt_objtable_seek_anew(const struct lt_objtable *t, uint64_t mixed);
struct lt_packed *lt_objtable_new_anew(struct lt_objtable *t, uint64_t mixed);

/* The number of traits, 0: there are too many. Valid until t->renewals changes. */
uint32_t lt_objtable_traits(struct lt_objtable *t, const struct lt_traits *traits);

static inline struct lt_packed *take_place(struct lt_objtable *t, struct lt_objtable_part *part,
					   uint32_t place, uint64_t mixed, uint64_t tags)
{
	struct lt_packed *p = &part->objs[place];

	*tag_at(part, place) = (uint8_t)tags;
	part->n++;
	t->n++;
	p->key = key_of(mixed);
	return p;
}

/* A new object, of which only the address is set. It must not be in the table. */
static inline struct lt_packed *new_packed(struct lt_objtable *t, uint64_t mixed)
{
	struct lt_objtable_part *part = part_of(t, mixed);
	uint32_t place;

	if (part->n >= part->full)
		lt_objtable_grow(t, part);
	if (!free_place(part, mixed, &place))
		place = lt_objtable_make_room(t, part, mixed);
	return take_place(t, part, place, mixed, tags_of(mixed));
}

/* Removes an object at a place, which is not whole; what remains seems to be. */
static inline void drop_packed_at(struct lt_objtable *t, struct lt_objtable_part *part,
				  uint32_t place, struct lt_packed *p)
{
	*tag_at(part, place) = 0;
	p->traits_actor = 0;
	part->n--;
	t->n--;
}

static inline void drop_packed(struct lt_objtable *t, uint64_t mixed, struct lt_packed *p)
{
	struct lt_objtable_part *part = part_of(t, mixed);

	drop_packed_at(t, part, (uint32_t)(p - part->objs), p);
}

/* ------------------------------------------------------------------------
 * Events that are known ahead: the tags are looked at, then the objects, then they are changed
 */

static inline void find_groups(const struct lt_objtable *t, struct lt_objtable_place *place)
{
	const struct lt_objtable_part *part = part_of(t, place->mixed);

	place->first = first_group(part, place->mixed);
	place->second = second_group(part, place->mixed);
	__builtin_prefetch(&part->tags[place->first]);
	__builtin_prefetch(&part->tags[place->second]);
}

static inline void prefetch_place(const struct lt_objtable_part *part, uint32_t place)
{
	const struct lt_packed *p = &part->objs[place];

	/* It may be in two lines of the cache. */
	__builtin_prefetch(&p->key, 1);
	__builtin_prefetch(&p->count, 1);
}

/*
 * Where an object is to be found, or @made. Which of both is as good as random, and so is in which
 * group it is: there is no branch. Groups that have no such place give one that is checked, as all
 * are.
 */
static inline void find_ahead(const struct lt_objtable *t, struct lt_objtable_place *place,
			      bool made)
{
	const struct lt_objtable_part *part = part_of(t, place->mixed);
	const uint64_t tags = tags_of(place->mixed), wanted = tags & ((uint64_t)made - 1);
	const uint64_t bits = zero_bytes(part->tags[place->first] ^ wanted);
	const uint64_t others = zero_bytes(part->tags[place->second] ^ wanted);
	const uint64_t other = -(uint64_t)(weight_of(others) > weight_of(bits));
	const uint32_t group = place->first ^ ((place->first ^ place->second) & (uint32_t)other);
	const uint64_t last = 1ULL << 63;

	place->tag = (uint32_t)tags & 0xff;
	place->at = place_in(group, (bits ^ ((bits ^ others) & other)) | last);
	prefetch_place(part, place->at);
}

/* The object at a place, which is corrected; NULL: there is none. */
static inline struct lt_packed *seek_place(const struct lt_objtable *t,
					   struct lt_objtable_place *place)
{
	const struct lt_objtable_part *part = part_of(t, place->mixed);
	struct lt_packed *p = &part->objs[place->at];

	/* One that was removed is left to the caller: it seems to be whole. */
	if (__builtin_expect((p->key ^ place->mixed) < LT_OBJ_FLAGS_END, 1))
		return p;
	p = lt_objtable_seek_anew(t, place->mixed);
	if (p)
		place->at = (uint32_t)(p - part->objs);
	return p;
}

/* new_packed() at a place. Return: NULL: the object is there. */
static inline struct lt_packed *new_at_place(struct lt_objtable *t,
					     const struct lt_objtable_place *place)
{
	struct lt_objtable_part *part = part_of(t, place->mixed);
	const uint64_t tags = place->tag * ONES;
	const uint64_t same = zero_bytes(part->tags[place->first] ^ tags) |
			      zero_bytes(part->tags[place->second] ^ tags);

	if (__builtin_expect(same != 0, 0) && lt_objtable_seek_anew(t, place->mixed))
		return NULL;
	if (__builtin_expect(part->n >= part->full || *tag_at(part, place->at), 0))
		return lt_objtable_new_anew(t, place->mixed);
	return take_place(t, part, place->at, place->mixed, tags);
}

static inline bool is_whole(const struct lt_packed *p)
{
	return !traits_of_packed(p);
}

/* The number of an object. */
static inline uint32_t id_of(const struct lt_objtable *t, const struct lt_objtable_part *part,
			     const struct lt_packed *p)
{
	return (uint32_t)(part - t->parts) << PLACE_BITS | (uint32_t)(p - part->objs);
}

static inline struct lt_packed *packed_at(const struct lt_objtable *t, uint32_t id)
{
	return &t->parts[id >> PLACE_BITS].objs[id % MAX_PLACES];
}

static inline void unpack(const struct lt_objtable *t, const struct lt_packed *p, uint64_t ptr,
			  uint32_t id, struct lt_obj *obj)
{
	const struct lt_traits *traits;
	uint64_t actor;

	if (is_whole(p)) {
		*obj = *(const struct lt_obj *)lt_pool_at(&t->whole, p->count);
		obj->id = id;
		return;
	}
	traits = &t->traits[traits_of_packed(p)];
	actor = lt_intern_value(&t->actors, actor_of_packed(p));
	obj->ptr = ptr;
	obj->time = time_of_packed(t, p);
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
	obj->flags = (uint8_t)flags_of_packed(p);
}

/* The object with a number. */
static inline void unpack_id(const struct lt_objtable *t, uint32_t id, struct lt_obj *obj)
{
	const struct lt_packed *p = packed_at(t, id);
	uint64_t mixed = key_of(p->key) | id >> PLACE_BITS;

	unpack(t, p, lt_unmix64(mixed, t->unmix_seed), id, obj);
}

#endif /* LT_LIFETIMES_OBJTABLE_INTERNAL_H */
