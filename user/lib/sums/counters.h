/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A reading of the kernel's own counters of slab objects: the text of a block SLAB.
 */
#ifndef LT_SUMS_COUNTERS_H
#define LT_SUMS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"

/**
 * struct lt_counted - a cache in a reading
 * @name: as in /proc/slabinfo
 * @active: objects
 * @total: places for objects, in all slabs
 * @size: bytes of an object in a slab
 * @slots: objects in a slab of it
 * @cpu_slabs: slabs in use by CPUs when it was read
 * @sheaf: objects in a sheaf, 0: the kernel has none
 */
struct lt_counted {
	char name[72];
	uint64_t active;
	uint64_t total;
	uint64_t size;
	uint64_t slots;
	uint64_t cpu_slabs;
	uint64_t sheaf;
};

/* Indices into an array, plus 1, by the number of a name; 0: none. */
struct lt_places {
	uint32_t *at;
	size_t n;
	size_t cap;
};

/**
 * struct lt_counters - a reading
 * @caches: each once
 * @n: length of @caches
 * @nodes: of the machine, at least 1
 */
struct lt_counters {
	struct lt_counted *caches;
	size_t n;
	size_t cap;
	uint64_t nodes;
	struct lt_names names;
	struct lt_places by_name;
	struct lt_places by_dir;	/* by directory in sysfs, where that differs */
};

/**
 * lt_counters_read() - parse a text
 * @r: {0}, or a reading, which is freed first
 * @text: may be NULL
 * @when: "start" or "end"
 * Return: whether it is a reading of that time, and names a cache.
 */
bool lt_counters_read(struct lt_counters *r, const char *text, const char *when);
void lt_counters_free(struct lt_counters *r);

/* Whether a reading has a cache with sheaves; @text may be NULL. */
bool lt_counters_have_sheaves(const char *text);

#endif /* LT_SUMS_COUNTERS_H */
