/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own counters of slab objects, which the report compares with the trace.
 */
#ifndef LT_RECORD_SLAB_COUNTERS_H
#define LT_RECORD_SLAB_COUNTERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "engine/engine.h"

/* The files of the counters, open. */
struct lt_slab_counters;

/* Opens them and reads what does not change; to be called before the session. */
struct lt_slab_counters *lt_slab_open(void);
void lt_slab_close(struct lt_slab_counters *c);

/**
 * struct lt_slab_request - one reading
 * @counters: the files
 * @when: "start" or "end"
 * @shrink: first make every cache release its empty slabs, so that fewer free
 *	objects are counted as active; this changes what is recorded
 * @page_flags: of lt_page_kinds_open(); -1: without the kinds of pages
 * @module: the module, for markers and its clock; NULL: none
 * @cancel: another thread sets it to true: return soon, with what was read so far
 * @cancel_pages: another thread sets it to true: go on without the kinds of pages
 */
struct lt_slab_request {
	const struct lt_slab_counters *counters;
	const char *when;
	bool shrink;
	int page_flags;
	const struct lt_engine *engine;
	const atomic_bool *cancel;
	const atomic_bool *cancel_pages;
};

/**
 * lt_slab_snapshot() - read the counters
 * @text: the SLAB block, to be freed. Lines:
 *	when=start|end clock=<clock units of the trace, 0: not known>
 *	shrunk <caches> of <caches>
 *	meminfo <name> <KiB>
 *	cache <name> active <n> total <n> objsize <n> slots_per_slab <n>
 *	alias <name> <name below /sys/kernel/slab>
 *	slabattr <name below /sys/kernel/slab> <attribute> <value as it stands there>
 * and those of lt_page_kinds_write().
 *
 * Writes a marker "lifetrace: slab <when>" into the trace right before and right after the
 * "cache" lines are read. The pages, which take longer, are read before that at the start, and
 * behind it at the end.
 *
 * Return: 0, or -1 after printing why.
 */
int lt_slab_snapshot(const struct lt_slab_request *rq, char **text);

/**
 * lt_slab_kmalloc_slots() - write the line "kmalloc_slots" of the block INFO
 *
 * A kernel with slab debugging has slots in kmalloc's caches that are larger than the
 * object, and its events have the size of the slot: this line maps the sizes of objects to
 * those of slots. Without slab debugging there is no such line.
 */
void lt_slab_kmalloc_slots(FILE *out);

#endif /* LT_RECORD_SLAB_COUNTERS_H */
