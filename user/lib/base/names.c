// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Interning of short texts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/names.h"

#define ARENA_AT_FIRST	65536

void lt_names_init(struct lt_names *n)
{
	memset(n, 0, sizeof(*n));
	lt_map_init(&n->numbers);
	n->seed = lt_hash_seed();
	n->cap = ARENA_AT_FIRST;
	n->arena = lt_alloc(n->cap);
	n->names = lt_grow(NULL, &n->cap_names, 0, sizeof(*n->names));
	n->names[0] = (struct lt_name){ 0 };
	n->n = 1;
}

void lt_names_destroy(struct lt_names *n)
{
	lt_map_destroy(&n->numbers);
	free(n->names);
	free(n->arena);
	memset(n, 0, sizeof(*n));
}

static size_t keep(struct lt_names *n, const char *s, size_t len)
{
	size_t at = n->used;

	if (n->cap - n->used < len) {
		n->cap = n->cap * 2 > n->used + len ? n->cap * 2 : n->used + len;
		n->arena = lt_realloc(n->arena, n->cap);
	}
	memcpy(n->arena + at, s, len);
	n->used += len;
	return at;
}

uint32_t lt_names_add(struct lt_names *n, const char *s, size_t len)
{
	uint32_t h, number;

	if (!len)
		return 0;
	h = lt_hash_text(s, len, n->seed);
	lt_map_for_each(number, at, &n->numbers, h) {
		if (n->names[number].len == len &&
		    !memcmp(n->arena + n->names[number].offset, s, len))
			return number;
	}
	if (n->n == UINT32_MAX || len > UINT32_MAX)
		lt_fatal("more than %u different names", UINT32_MAX);
	n->names = lt_grow(n->names, &n->cap_names, n->n, sizeof(*n->names));
	n->names[n->n] = (struct lt_name){ .offset = keep(n, s, len), .len = (uint32_t)len };
	lt_map_add(&n->numbers, h, n->n);
	return n->n++;
}
