/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects that are alive, found by address.
 *
 * The objects stand in a pool. The table is open-addressed: 8 bytes a slot,
 * half of the hash and the object's number in the pool, so that growing and
 * probing do not touch the objects.
 */
#ifndef LT_LIB_OBJTABLE_H
#define LT_LIB_OBJTABLE_H

#include <stddef.h>
#include <stdint.h>

#include "pool.h"

/**
 * struct lt_obj - an object that is alive, as far as the trace tells
 * @ptr: address, or page frame number; the key
 * @time: of its birth, ns
 * @seq: of its birth's record in its stream
 * @bytes_req: bytes asked for
 * @bytes_alloc: bytes given
 * @site: interned call site of its birth
 * @task: interned task that made it
 * @gfp: flags of the request
 * @count: allocations in this space up to its birth, low 32 bits
 * @cpu: of its birth
 * @node: asked for
 * @extra: number of what lifetime.c keeps beside it, 0: nothing
 * @cache: cache id, 0: none or not known
 * @kind: enum lt_class of its birth
 * @context: enum lt_context of its birth
 * @order: of a page block
 * @flags: private to lifetime.c
 *
 * 80 bytes, and 8 to 16 for its slot. It could shrink to 48: without @seq, with
 * 32 bits for the sizes (shared with @cache), 16 for @cpu and @node.
 */
struct lt_obj {
	uint64_t ptr;
	uint64_t time;
	uint64_t seq;
	uint64_t bytes_req;
	uint64_t bytes_alloc;
	uint32_t site;
	uint32_t task;
	uint32_t gfp;
	uint32_t count;
	uint32_t cpu;
	int32_t node;
	uint32_t extra;
	uint16_t cache;
	uint8_t kind;
	uint8_t context;
	uint8_t order;
	uint8_t flags;
};

_Static_assert(sizeof(struct lt_obj) <= 96, "one for every live object: keep it small");

struct lt_objtable {
	uint64_t *slots;	/* low 32 bits: number of the object, 0: free */
	size_t n_slots;		/* a power of two */
	size_t n;		/* objects */
	uint64_t seed;
	struct lt_pool pool;
};

void lt_objtable_init(struct lt_objtable *t);
void lt_objtable_destroy(struct lt_objtable *t);

/* The object with an address, or NULL. */
struct lt_obj *lt_objtable_find(const struct lt_objtable *t, uint64_t ptr);

/* A new object; all but @ptr is undefined. There must be none with @ptr. */
struct lt_obj *lt_objtable_add(struct lt_objtable *t, uint64_t ptr);

/* Takes an object out; @obj is not valid afterwards. */
void lt_objtable_remove(struct lt_objtable *t, struct lt_obj *obj);

/*
 * All objects, in no order: begin with *pos = 0. NULL at the end. Objects must
 * not be added or removed meanwhile.
 */
struct lt_obj *lt_objtable_next(const struct lt_objtable *t, size_t *pos);

#endif /* LT_LIB_OBJTABLE_H */
