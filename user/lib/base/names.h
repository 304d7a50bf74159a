/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of tasks and programs, each kept once and known by a small number.
 */
#ifndef LT_LIB_TASK_NAMES_H
#define LT_LIB_TASK_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct lt_task_name {
	size_t offset;		/* in the arena */
	uint32_t len;
};

struct lt_task_names {
	char *arena;
	size_t used;
	size_t cap;
	struct lt_task_name *names;	/* by number; names[0] is the empty one */
	size_t cap_names;
	uint32_t n;
	uint64_t *slots;	/* half of the hash, and the number; 0: free */
	size_t n_slots;		/* a power of two */
	uint64_t seed;
};

void lt_task_names_init(struct lt_task_names *n);
void lt_task_names_destroy(struct lt_task_names *n);

/* The number of a name: the same for the same bytes, 0 for none. */
uint32_t lt_task_names_add(struct lt_task_names *n, const char *s, size_t len);

/* Its bytes, not zero-terminated; valid until the next name is added. */
static inline const char *lt_task_names_get(const struct lt_task_names *n, uint32_t id,
					    size_t *len)
{
	*len = n->names[id].len;
	return n->arena + n->names[id].offset;
}

#endif /* LT_LIB_TASK_NAMES_H */
