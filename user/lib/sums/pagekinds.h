/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the pages of memory were used for at the start and at the end, by /proc/kpageflags: lines
 * of the blocks SLAB.
 */
#ifndef LT_SUMS_PAGEKINDS_H
#define LT_SUMS_PAGEKINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* A page is of one kind. */
enum lt_page_kind {
	LT_PAGE_ANON,		/* memory of programs */
	LT_PAGE_CACHE,		/* contents of files and block devices */
	LT_PAGE_SHMEM,		/* of tmpfs and shared memory */
	LT_PAGE_HUGETLB,	/* huge pages, in use or not */
	LT_PAGE_SLAB,
	LT_PAGE_TABLE,
	LT_PAGE_OTHER,		/* of the kernel; also those that CPUs keep free */
	LT_PAGE_FREE,		/* in the buddy allocator */
	LT_PAGE_RESERVED,	/* the kernel's image, firmware, the page of zeroes */
	LT_PAGE_OFFLINE,	/* taken away by a hypervisor, or broken */
	LT_PAGE_HOLE,		/* no memory */
	LT_N_PAGE_KINDS
};

/**
 * struct lt_page_kinds - a reading
 * @pages: their number by kind
 * @cpu_free: of LT_PAGE_OTHER those that CPUs keep free, by /proc/zoneinfo, which was read
 *	a little later
 * @read: the sum of @pages
 * @ns: how long the reading took
 */
struct lt_page_kinds {
	uint64_t pages[LT_N_PAGE_KINDS];
	uint64_t cpu_free;
	uint64_t read;
	uint64_t ns;
};

/* The name in the block SLAB, in JSON and in CSV; NULL: there is no such kind. */
const char *lt_page_kind_name(unsigned int kind);

/**
 * lt_page_kinds_read() - take both readings out of a trace
 * @k: gets that at the start and that at the end
 * @why: if there are lines, but no reading: a text with the reason; else NULL
 * Return: false: the trace does not have both readings.
 */
bool lt_page_kinds_read(const struct lt_trace *t, struct lt_page_kinds k[2], const char **why);

#endif /* LT_SUMS_PAGEKINDS_H */
