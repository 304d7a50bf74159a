// SPDX-License-Identifier: GPL-2.0
/*
 * Names, each kept once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/hash.h"
#include "base/names.h"

#define SLOTS_AT_FIRST	1024
#define ARENA_AT_FIRST	65536

#define SLOT_HASH(slot)	((uint32_t)((slot) >> 32))
#define SLOT_ID(slot)	((uint32_t)(slot))

void lt_task_names_init(struct lt_task_names *n)
{
	memset(n, 0, sizeof(*n));
	n->seed = lt_hash_seed();
	n->n_slots = SLOTS_AT_FIRST;
	n->slots = lt_alloc_array(n->n_slots, sizeof(*n->slots));
	n->cap = ARENA_AT_FIRST;
	n->arena = lt_alloc(n->cap);
	n->names = lt_grow(NULL, &n->cap_names, 0, sizeof(*n->names));
	n->names[0] = (struct lt_task_name){ 0 };
	n->n = 1;
}

void lt_task_names_destroy(struct lt_task_names *n)
{
	free(n->slots);
	free(n->names);
	free(n->arena);
	memset(n, 0, sizeof(*n));
}

/* Each step goes through the seed: nobody can choose names that collide. */
static uint32_t hash(const struct lt_task_names *n, const char *s, size_t len)
{
	uint64_t h = len;

	while (len) {
		size_t k = len < 8 ? len : 8;
		uint64_t word = 0;

		memcpy(&word, s, k);
		h = lt_hash64(h ^ word, n->seed);
		s += k;
		len -= k;
	}
	return (uint32_t)lt_hash64(h, n->seed);
}

static void insert_slot(struct lt_task_names *n, uint64_t slot)
{
	size_t mask = n->n_slots - 1;
	size_t i = SLOT_HASH(slot) & mask;

	while (n->slots[i])
		i = (i + 1) & mask;
	n->slots[i] = slot;
}

static void grow_slots(struct lt_task_names *n)
{
	uint64_t *old = n->slots;
	size_t n_old = n->n_slots;

	n->n_slots *= 2;
	n->slots = lt_alloc_array(n->n_slots, sizeof(*n->slots));
	for (size_t i = 0; i < n_old; i++) {
		if (old[i])
			insert_slot(n, old[i]);
	}
	free(old);
}

static size_t keep(struct lt_task_names *n, const char *s, size_t len)
{
	size_t at = n->used;

	if (n->cap - n->used < len) {
		size_t cap = n->cap * 2 > n->used + len ? n->cap * 2 : n->used + len;

		n->arena = lt_realloc(n->arena, cap);
		n->cap = cap;
	}
	memcpy(n->arena + at, s, len);
	n->used += len;
	return at;
}

uint32_t lt_task_names_add(struct lt_task_names *n, const char *s, size_t len)
{
	size_t mask = n->n_slots - 1;
	uint32_t h, id;

	if (!len)
		return 0;
	h = hash(n, s, len);
	for (size_t i = h & mask; n->slots[i]; i = (i + 1) & mask) {
		id = SLOT_ID(n->slots[i]);
		if (SLOT_HASH(n->slots[i]) == h && n->names[id].len == len &&
		    !memcmp(n->arena + n->names[id].offset, s, len))
			return id;
	}
	if (n->n == UINT32_MAX || len > UINT32_MAX)
		lt_fatal("more than %u different names", UINT32_MAX);
	id = n->n;
	n->names = lt_grow(n->names, &n->cap_names, id, sizeof(*n->names));
	n->names[id].offset = keep(n, s, len);
	n->names[id].len = (uint32_t)len;
	n->n++;
	insert_slot(n, (uint64_t)h << 32 | id);
	if ((size_t)n->n + n->n / 3 >= n->n_slots)
		grow_slots(n);
	return id;
}
