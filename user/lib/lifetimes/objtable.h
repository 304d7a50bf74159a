/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The objects that are alive, found by address.
 *
 * There may be many millions, so an object takes 24 bytes, and its place one more for a tag; four
 * of five places are taken, or more. What many objects have in common (call site, sizes, flags,
 * cache; task and CPU) is kept once and referred to by numbers. The few that do not fit, or that
 * have @extra, have a whole struct lt_obj in a pool of its own.
 *
 * Functions hand out copies of objects; a caller that changes one puts it back.
 */
#ifndef LT_LIFETIMES_OBJTABLE_H
#define LT_LIFETIMES_OBJTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/pool.h"

/**
 * struct lt_obj - an object that is alive, as far as the trace shows
 * @ptr: address, or page frame number; the key
 * @time: of its birth, ns
 * @bytes_req: bytes requested
 * @bytes_alloc: bytes given
 * @site: interned call site of its birth, and its stack
 * @task: interned task that made it
 * @gfp: flags of the request
 * @count: allocations in this space up to its birth, low 32 bits
 * @cpu: of its birth
 * @node: NUMA node of the request, -1: none
 * @extra: number of what book.c keeps beside it (see enum lt_obj_flags), 0: nothing
 * @id: number of the object in the table; until another is added
 * @cache: cache id, or that of the device; 0: none or not known
 * @kind: enum lt_class of its birth
 * @context: enum lt_context of its birth
 * @order: of a page block
 * @flags: enum lt_obj_flags; less than LT_OBJ_FLAGS_END
 */
struct lt_obj {
	uint64_t ptr;
	uint64_t time;
	uint64_t bytes_req;
	uint64_t bytes_alloc;
	uint32_t site;
	uint32_t task;
	uint32_t gfp;
	uint32_t count;
	uint32_t cpu;
	int32_t node;
	uint32_t extra;
	uint32_t id;
	uint32_t cache;
	uint8_t kind;
	uint8_t context;
	uint8_t order;
	uint8_t flags;
};

#define LT_OBJ_FLAGS_END	64

/* What many objects have in common. */
struct lt_traits {
	uint32_t site;
	uint32_t bytes_req;
	uint32_t bytes_alloc;
	uint32_t gfp;
	int32_t node;
	uint16_t cache;
	uint8_t kind;
	uint8_t order;
};

/* Bytes that are given to each object and not requested. */
static inline uint32_t lt_traits_slack(const struct lt_traits *traits)
{
	/* Without branches: which objects have slack is as good as random. */
	const uint32_t has = (traits->bytes_req > 0) & (traits->bytes_alloc > traits->bytes_req);

	return (traits->bytes_alloc - traits->bytes_req) & -has;
}

/* What an object with these traits is, as far as they decide it. */
static inline struct lt_obj lt_traits_obj(const struct lt_traits *traits)
{
	return (struct lt_obj){
		.site = traits->site, .kind = traits->kind, .cache = traits->cache,
		.bytes_req = traits->bytes_req, .bytes_alloc = traits->bytes_alloc,
		.gfp = traits->gfp, .order = traits->order,
	};
}

struct lt_packed;

/**
 * struct lt_objtable_part - a part of the table, which grows on its own: never all of it at once
 * @tags: by group: a byte for each of its objects, 0: the place is free
 * @objs: the objects, eight by eight
 * @n_groups: number of groups
 * @n: number of objects
 * @full: with so many it grows
 * @n_pages: size of its memory
 */
struct lt_objtable_part {
	uint64_t *tags;
	struct lt_packed *objs;
	uint32_t n_groups;
	uint32_t n;
	uint32_t full;
	uint32_t n_pages;
};

#define LT_OBJTABLE_PARTS	64
#define LT_OBJTABLE_MEMO	1024

/**
 * struct lt_objtable - a table of objects; all but @n is private
 * @parts: the objects
 * @n: number of objects
 * @growths: how often a part has grown
 * @seed: of the hash, and what undoes it
 * @base: times are kept from here on
 * @have_base: @base is set
 * @closed: only lt_objtable_walk() may be called
 * @ordered: that walks by time
 * @whole: struct lt_obj of those that do not fit into the parts
 * @actors: interned: task, CPU and context of a birth
 * @renew_at: so many @actors, or @renew_traits_at so many @traits, and those that no object has are
 *	left out
 * @renewals: how often numbers of @traits have changed
 * @traits: by number, from 1 on
 * @n_traits: length of @traits
 * @cap_traits: room in @traits
 * @traits_map: hashes of traits to their numbers
 * @memo: by call site: the traits of its latest object
 */
struct lt_objtable {
	struct lt_objtable_part parts[LT_OBJTABLE_PARTS];
	size_t n;
	uint32_t growths;
	uint64_t seed;
	uint64_t unmix_seed;
	uint64_t base;
	bool have_base;
	bool closed;
	bool ordered;
	struct lt_pool whole;
	struct lt_intern actors;
	size_t renew_at;
	size_t renew_traits_at;
	uint32_t renewals;
	struct lt_traits *traits;
	size_t n_traits;
	size_t cap_traits;
	struct lt_map traits_map;
	uint32_t memo[LT_OBJTABLE_MEMO];
};

void lt_objtable_init(struct lt_objtable *t);
void lt_objtable_destroy(struct lt_objtable *t);

/**
 * struct lt_objtable_place - what was found out of an address ahead
 * @mixed: the address, mixed
 * @first, @second: the groups in which its object may be, until the table grows
 * @at: the place in its part where the object was, or is to be; checked when it is used
 * @tag: of the address
 */
struct lt_objtable_place {
	uint64_t mixed;
	uint32_t first;
	uint32_t second;
	uint32_t at;
	uint32_t tag;
};

/**
 * struct lt_objtable_at - an address whose object was looked for
 * @mixed: the address, mixed
 * @known: it was
 * @place: of the object, until another is added; NULL: there is none
 */
struct lt_objtable_at {
	uint64_t mixed;
	bool known;
	struct lt_packed *place;
};

/* Copies the object with an address to @obj. Return: false: there is none. */
bool lt_objtable_find(const struct lt_objtable *t, uint64_t ptr, struct lt_obj *obj);

/* lt_objtable_find() for one who may add the object, or remove it. */
bool lt_objtable_seek(struct lt_objtable *t, uint64_t ptr, struct lt_objtable_at *at,
		      struct lt_obj *obj);

/* The address, mixed by a function that can be undone. */
static inline uint64_t lt_objtable_mix(const struct lt_objtable *t, uint64_t ptr)
{
	return lt_mix64(ptr, t->seed);
}

/*
 * Hints that an address will be looked up: the first loads its tags into the CPU's cache; the
 * second, to be called some time later, its object.
 */
void lt_objtable_prefetch_tags(const struct lt_objtable *t, uint64_t mixed);
void lt_objtable_prefetch_object(const struct lt_objtable *t, uint64_t mixed);

/* Adds an object, and sets obj->id. There must be none with obj->ptr. */
void lt_objtable_add(struct lt_objtable *t, struct lt_obj *obj);

/* lt_objtable_add() of an object that was looked for. */
void lt_objtable_add_at(struct lt_objtable *t, const struct lt_objtable_at *at,
			struct lt_obj *obj);

/* Keeps what was changed in an object that is in the table. */
void lt_objtable_put(struct lt_objtable *t, const struct lt_obj *obj);

/* Removes an object; only its @ptr and @id are read. */
void lt_objtable_remove(struct lt_objtable *t, const struct lt_obj *obj);

/* lt_objtable_remove() at its place. The table is not closed. */
void lt_objtable_remove_at(struct lt_objtable *t, const struct lt_objtable_at *at);

typedef void lt_objtable_fn(void *arg, struct lt_obj *obj);

/* Calls @fn for a copy of each object, in no order; the table must not change meanwhile. */
void lt_objtable_each(const struct lt_objtable *t, lt_objtable_fn *fn, void *arg);

/**
 * lt_objtable_close() - no object will be looked up or added any more
 * @flags: objects with one of these flags
 * @fn: is called for each of them, with a copy of it, by time, count and address; it may
 *	put the object back or remove it
 * @ordered: all are sorted, one part of the table after the other, with 32 bytes for each object of
 *	it
 */
void lt_objtable_close(struct lt_objtable *t, unsigned int flags, bool ordered, lt_objtable_fn *fn,
		       void *arg);

/*
 * Calls @fn for each object that is still in the table, which must be closed: if it is ordered,
 * by time, count and address.
 */
void lt_objtable_walk(struct lt_objtable *t, lt_objtable_fn *fn, void *arg);

#endif /* LT_LIFETIMES_OBJTABLE_H */
