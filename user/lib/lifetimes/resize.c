// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sizes of objects and areas that krealloc and vrealloc have changed in their place.
 */
#include "base/hash.h"
#include "lifetimes/resize.h"

struct resize {
	uint64_t ptr;
	uint64_t birth;
	struct lt_size size;
};

void lt_resizes_init(struct lt_resizes *r)
{
	r->n = 0;
	r->seed = lt_hash_seed();
	lt_map_init(&r->by_object);
	lt_pool_init(&r->pool, sizeof(struct resize));
}

void lt_resizes_destroy(struct lt_resizes *r)
{
	lt_map_destroy(&r->by_object);
	lt_pool_destroy(&r->pool);
}

static uint32_t hash_of(const struct lt_resizes *r, const struct lt_obj *obj)
{
	return (uint32_t)lt_hash64(obj->ptr ^ lt_hash64(obj->time, r->seed), r->seed);
}

static struct resize *find(const struct lt_resizes *r, const struct lt_obj *obj, uint32_t *number)
{
	lt_map_for_each(*number, at, &r->by_object, hash_of(r, obj)) {
		struct resize *entry = lt_pool_at(&r->pool, *number);

		if (entry->ptr == obj->ptr && entry->birth == obj->time)
			return entry;
	}
	return NULL;
}

void lt_resize_put(struct lt_resizes *r, const struct lt_obj *obj, struct lt_size size)
{
	uint32_t number;
	struct resize *entry = find(r, obj, &number);

	if (!entry) {
		number = lt_pool_get(&r->pool);
		entry = lt_pool_at(&r->pool, number);
		entry->ptr = obj->ptr;
		entry->birth = obj->time;
		entry->size.alloc = obj->bytes_alloc;
		lt_map_add(&r->by_object, hash_of(r, obj), number);
		r->n++;
	}
	entry->size.req = size.req;
	if (size.alloc)
		entry->size.alloc = size.alloc;
}

bool lt_resize_get(const struct lt_resizes *r, const struct lt_obj *obj, struct lt_size *size)
{
	uint32_t number;
	const struct resize *entry = find(r, obj, &number);

	if (entry)
		*size = entry->size;
	return entry;
}

bool lt_resize_take(struct lt_resizes *r, const struct lt_obj *obj, struct lt_size *size)
{
	uint32_t number;
	const struct resize *entry = find(r, obj, &number);

	if (!entry)
		return false;
	*size = entry->size;
	lt_map_remove(&r->by_object, hash_of(r, obj), number);
	lt_pool_put(&r->pool, number);
	r->n--;
	return true;
}
