/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timelines: what was born and what ended in equal parts of the time of a trace, by slab cache and
 * by call site.
 *
 * Memory is proportional to the number of rows, which is limited, and to what is alive.
 */
#ifndef LT_SUMS_TIMELINE_H
#define LT_SUMS_TIMELINE_H

#include "base/intern.h"
#include "sums/report.h"

#define LT_TIMELINE_PARTS	100
#define LT_TIMELINE_ROWS	4096	/* of each kind; what comes later is in the sum only */

/**
 * struct lt_timeline_row - births and ends by part of the time
 * @births: allocations
 * @bytes: bytes given to @births
 * @ends: lifetimes that ended; those whose end is not known have not ended
 * @ended_bytes: bytes of @ends
 * @older: that were alive when a part of a recording began, born before it
 * @older_bytes: bytes of @older
 */
struct lt_timeline_row {
	uint64_t births[LT_TIMELINE_PARTS];
	uint64_t bytes[LT_TIMELINE_PARTS];
	uint64_t ends[LT_TIMELINE_PARTS];
	uint64_t ended_bytes[LT_TIMELINE_PARTS];
	uint64_t older;
	uint64_t older_bytes;
};

/* The rows of one kind, by lt_cache_key() or by the address of the call site. */
struct lt_timeline_rows {
	struct lt_intern keys;
	struct lt_timeline_row *rows;	/* by number in @keys; rows[0]: not known */
	size_t n, cap;
};

/**
 * struct lt_timeline - the result
 * @begin: ns, of the first part
 * @step: ns of a part
 * @caches: by cache
 * @sites: by call site
 * @all: the sum of all, also of what has no row
 */
struct lt_timeline {
	uint64_t begin;
	uint64_t step;
	struct lt_timeline_rows caches;
	struct lt_timeline_rows sites;
	struct lt_timeline_row all;
};

/* Of nothing yet. @r: a report of the same lifetimes, which has the time */
struct lt_timeline *lt_timeline_new(const struct lt_report *r);
/* Adds a lifetime of which the birth is known; @cache is its lt_cache_key(). */
void lt_timeline_add(struct lt_timeline *tl, const struct lt_lifetime *l, uint64_t cache);
/* @tl may be NULL. */
void lt_timeline_free(struct lt_timeline *tl);

/* The row of a key; NULL: it has none. */
const struct lt_timeline_row *lt_timeline_row(const struct lt_timeline_rows *rows, uint64_t key);

#endif /* LT_SUMS_TIMELINE_H */
