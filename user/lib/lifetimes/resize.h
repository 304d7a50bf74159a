/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sizes of objects that krealloc has changed in their place, and of areas that vrealloc
 * has, for as long as they live. No object has the address of an area. They are few, so they stand
 * in a table of their own, and other objects take no more memory.
 */
#ifndef LT_LIFETIMES_RESIZE_H
#define LT_LIFETIMES_RESIZE_H

#include "base/map.h"
#include "base/pool.h"
#include "lifetimes/objtable.h"

/* Bytes of an object: requested, and given; 0: as many as before. */
struct lt_size {
	uint64_t req;
	uint64_t alloc;
};

/**
 * struct lt_resizes - the table
 * @n: number of objects in it
 * @seed: of the hash
 * @by_object: numbers in @pool, by the hash of address and birth
 * @pool: struct resize
 */
struct lt_resizes {
	size_t n;
	uint64_t seed;
	struct lt_map by_object;
	struct lt_pool pool;
};

void lt_resizes_init(struct lt_resizes *r);
void lt_resizes_destroy(struct lt_resizes *r);

/* An object, which address and time of birth identify, has this size from now on. */
void lt_resize_put(struct lt_resizes *r, const struct lt_obj *obj, struct lt_size size);

/* The last size of an object. Return: whether there is one. */
bool lt_resize_get(const struct lt_resizes *r, const struct lt_obj *obj, struct lt_size *size);

/* The last size of an object, which is forgotten. Return: whether there is one. */
bool lt_resize_take(struct lt_resizes *r, const struct lt_obj *obj, struct lt_size *size);

#endif /* LT_LIFETIMES_RESIZE_H */
