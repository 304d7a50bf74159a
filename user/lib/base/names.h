/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interning of short texts, such as the names of tasks: each is kept once, and found by a
 * small number.
 */
#ifndef LT_BASE_NAMES_H
#define LT_BASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct lt_names {
	char *arena;		/* the bytes of all names, one after the other */
	size_t used;
	size_t cap;
	struct lt_name {
		size_t offset;
		uint32_t len;
	} *names;		/* by number; names[0] is the empty one */
	size_t cap_names;
	uint32_t n;
	struct lt_map numbers;
	uint64_t seed;
};

void lt_names_init(struct lt_names *n);
void lt_names_destroy(struct lt_names *n);

/* The number of a name, one for each sequence of bytes; that of the empty name is 0. */
uint32_t lt_names_add(struct lt_names *n, const char *s, size_t len);

/* The bytes of a name, not zero-terminated; valid until the next lt_names_add(). */
static inline const char *lt_names_get(const struct lt_names *n, uint32_t number, size_t *len)
{
	*len = n->names[number].len;
	return n->arena + n->names[number].offset;
}

#endif /* LT_BASE_NAMES_H */
