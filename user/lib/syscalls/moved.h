/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which paths have been renamed: a descriptor that was opened by such a path before has it no more.
 */
#ifndef LT_SYSCALLS_MOVED_H
#define LT_SYSCALLS_MOVED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/pool.h"

/**
 * struct lt_moved - renamed paths
 * @names: struct lt_moved_name; @map has their numbers
 * @bare: there are names without a directory
 * @all: up to this time anything may have been renamed
 */
struct lt_moved {
	struct lt_pool names;
	struct lt_map map;
	uint64_t seed;
	uint32_t n;
	bool bare;
	uint64_t all;
};

void lt_moved_init(struct lt_moved *m);
void lt_moved_destroy(struct lt_moved *m);

/*
 * What was at @path is elsewhere from @time on. A path without / at its begin is that of a
 * directory which is not known: its last name is taken, in all directories.
 */
void lt_moved_add(struct lt_moved *m, const char *path, uint64_t time);

/* Whatever was anywhere may be elsewhere. */
void lt_moved_add_all(struct lt_moved *m, uint64_t time);

/* When @path, or a directory in it, was last renamed; 0: never. */
uint64_t lt_moved_at(const struct lt_moved *m, const char *path);

#endif /* LT_SYSCALLS_MOVED_H */
