/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own counters of slab objects, to compare the trace with.
 */
#ifndef LT_LIB_SLAB_H
#define LT_LIB_SLAB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "record/module.h"

/**
 * struct lt_slab_request - one reading
 * @when: "start" or "end"
 * @shrink: first ask every cache to give back empty slabs, so that fewer free
 *	objects are counted as active
 * @module: whose marker and clock are used, NULL: none
 * @cancel: set by another thread: come back soon, with what there is
 */
struct lt_slab_request {
	const char *when;
	bool shrink;
	const struct lt_module *module;
	const atomic_bool *cancel;
};

/**
 * lt_slab_snapshot() - read the counters
 * @text: the SLAB block, to be freed. Lines:
 *	when=start|end clock=<clock units of the trace, 0: not known>
 *	shrunk <caches> of <caches>
 *	cache <name> active <n> total <n> objsize <n> slots_per_slab <n>
 *	alias <name> <name below /sys/kernel/slab>
 *	slabattr <name below /sys/kernel/slab> <attribute> <value as it stands there>
 *
 * Markers "lifetrace: slab <when>" stand in the trace right before and after the
 * "cache" lines were read.
 *
 * Return: 0, or -1 after printing why.
 */
int lt_slab_snapshot(const struct lt_slab_request *rq, char **text);

/**
 * lt_slab_kmalloc_slots() - write the line "kmalloc_slots" of the block INFO
 *
 * A kernel that checks itself has slots in kmalloc's caches with room for more than
 * the object, and tells the slot's size of each: which cache that is of is found by
 * this. Other kernels have no such line.
 */
void lt_slab_kmalloc_slots(FILE *out);

#endif /* LT_LIB_SLAB_H */
