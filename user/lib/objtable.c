// SPDX-License-Identifier: GPL-2.0
/*
 * The objects that are alive, found by address.
 */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "hash.h"
#include "objtable.h"

#define SLOTS_AT_FIRST	1024

#define SLOT_HASH(slot)	((uint32_t)((slot) >> 32))
#define SLOT_ID(slot)	((uint32_t)(slot))

void lt_objtable_init(struct lt_objtable *t)
{
	t->n_slots = SLOTS_AT_FIRST;
	t->slots = lt_alloc_array(t->n_slots, sizeof(*t->slots));
	t->n = 0;
	t->seed = lt_hash_seed();
	lt_pool_init(&t->pool, sizeof(struct lt_obj));
}

void lt_objtable_destroy(struct lt_objtable *t)
{
	free(t->slots);
	lt_pool_destroy(&t->pool);
	memset(t, 0, sizeof(*t));
}

/*
 * A slot keeps 32 bits of the hash, and its place is their low bits: the pool
 * has less than 2^32 objects, so they always suffice.
 */
static uint32_t hash(const struct lt_objtable *t, uint64_t ptr)
{
	return (uint32_t)lt_hash64(ptr, t->seed);
}

struct lt_obj *lt_objtable_find(const struct lt_objtable *t, uint64_t ptr)
{
	size_t mask = t->n_slots - 1;
	uint32_t h = hash(t, ptr);

	for (size_t i = h & mask; t->slots[i]; i = (i + 1) & mask) {
		struct lt_obj *obj;

		if (SLOT_HASH(t->slots[i]) != h)
			continue;
		obj = lt_pool_at(&t->pool, SLOT_ID(t->slots[i]));
		if (obj->ptr == ptr)
			return obj;
	}
	return NULL;
}

static void insert_slot(struct lt_objtable *t, uint64_t slot)
{
	size_t mask = t->n_slots - 1;
	size_t i = SLOT_HASH(slot) & mask;

	while (t->slots[i])
		i = (i + 1) & mask;
	t->slots[i] = slot;
}

static void grow(struct lt_objtable *t)
{
	uint64_t *old = t->slots;
	size_t n_old = t->n_slots;

	t->n_slots *= 2;
	t->slots = lt_alloc_array(t->n_slots, sizeof(*t->slots));
	for (size_t i = 0; i < n_old; i++) {
		if (old[i])
			insert_slot(t, old[i]);
	}
	free(old);
}

struct lt_obj *lt_objtable_add(struct lt_objtable *t, uint64_t ptr)
{
	struct lt_obj *obj;
	uint32_t id;

	/* Linear probing stays short while a quarter of the slots is free. */
	if (t->n + t->n / 3 >= t->n_slots)
		grow(t);
	id = lt_pool_get(&t->pool);
	insert_slot(t, (uint64_t)hash(t, ptr) << 32 | id);
	t->n++;
	obj = lt_pool_at(&t->pool, id);
	obj->ptr = ptr;
	return obj;
}

void lt_objtable_remove(struct lt_objtable *t, struct lt_obj *obj)
{
	size_t mask = t->n_slots - 1;
	size_t hole = hash(t, obj->ptr) & mask;
	size_t i;

	while (!SLOT_ID(t->slots[hole]) ||
	       lt_pool_at(&t->pool, SLOT_ID(t->slots[hole])) != obj)
		hole = (hole + 1) & mask;
	lt_pool_put(&t->pool, SLOT_ID(t->slots[hole]));

	/*
	 * No tombstones: each of the following slots whose own place is not
	 * between the hole (exclusive) and where it stands moves into the hole.
	 */
	for (i = (hole + 1) & mask; t->slots[i]; i = (i + 1) & mask) {
		size_t home = SLOT_HASH(t->slots[i]) & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		t->slots[hole] = t->slots[i];
		hole = i;
	}
	t->slots[hole] = 0;
	t->n--;
}

struct lt_obj *lt_objtable_next(const struct lt_objtable *t, size_t *pos)
{
	while (*pos < t->n_slots) {
		uint64_t slot = t->slots[(*pos)++];

		if (slot)
			return lt_pool_at(&t->pool, SLOT_ID(slot));
	}
	return NULL;
}
