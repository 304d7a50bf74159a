/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lifetimes that contained given addresses.
 */
#ifndef LT_LIFETIMES_HISTORY_H
#define LT_LIFETIMES_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lifetimes/lifetime.h"
#include "trace/trace.h"

/**
 * struct lt_place_history - what was at an address
 * @addr: the address as it was asked for
 * @is_pfn: @addr is a page frame number
 * @plain: the address without tags, by which lifetimes are found
 * @lifetimes: that contained it: of objects and areas, then of the pages that they were in; of both
 *	the newest first, by their ends, then by their begins
 * @n: their number
 * @cap: room
 * @total: of those that the trace has; more than @n where older ones were left out
 * @before, @after: the nearest objects that are alive at the end, less than a page away;
 *	@has_before and @has_after: there is one
 */
struct lt_place_history {
	uint64_t addr;
	bool is_pfn;
	uint64_t plain;
	struct lt_lifetime *lifetimes;
	size_t n;
	size_t cap;
	uint64_t total;
	struct lt_lifetime before;
	struct lt_lifetime after;
	bool has_before;
	bool has_after;
};

/**
 * struct lt_history - the history of some addresses
 * @t: the trace
 * @at: the addresses, in the order in which they were added
 * @n: their number
 * @cap: room
 * @most: how many lifetimes are kept of each; 0: all
 * @end: as of when, ns
 * @linear: pages have addresses: that of the physical address 0 is @linear_base
 */
struct lt_history {
	struct lt_trace *t;
	struct lt_place_history *at;
	size_t n;
	size_t cap;
	size_t most;
	uint64_t end;
	bool linear;
	bool tagged;
	unsigned int page_shift;
	uint64_t linear_base;
	uint32_t *by_addr;	/* indexes of @at, by @plain; private, as the next ones */
	size_t n_addr;
	uint32_t *by_pfn;
	uint64_t *pfns;
	size_t n_pfn;
};

/* @t: open, and no event of it was taken; lt_trace_stop_at() may have been called. */
struct lt_history *lt_history_new(struct lt_trace *t, size_t most);
void lt_history_free(struct lt_history *h);

/*
 * Adds an address, or a page frame number. Return: its index; one that is there is not added twice.
 */
size_t lt_history_add(struct lt_history *h, uint64_t addr, bool is_pfn);

/* Reads the trace. */
void lt_history_read(struct lt_history *h);

/*
 * How far behind the begin of an object an address is; of pages behind that of the block. @l is one
 * of @at's lifetimes, or a neighbour before it.
 */
uint64_t lt_history_offset(const struct lt_history *h, const struct lt_place_history *at,
			   const struct lt_lifetime *l);

/* The bytes from its begin that a lifetime takes; at least 1. */
uint64_t lt_history_extent(const struct lt_history *h, const struct lt_lifetime *l);

/*
 * The lifetime that ended last of those with an end that was seen, NULL: none. For slab objects and
 * areas; where there are none, of pages.
 */
const struct lt_lifetime *lt_history_last_free(const struct lt_place_history *at);

#endif /* LT_LIFETIMES_HISTORY_H */
