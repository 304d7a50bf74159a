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
/* of these, numbered first, ends are counted by traits, with 800 bytes each */
#define LT_TIMELINE_TRAITS	4096

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
 * @inverse: of @step, by 2^64, rounded down
 * @caches: by cache
 * @sites: by call site
 * @all: the sum of all, also of what has no row
 * @end: of the trace, ns
 * @plain: what steps have ended, by traits until @renewals changes; @n_plain of them, @pending ends
 *	or less
 * @parts: of the first @n_parts of these, by part of the time; all other ends are in the rows at
 *	once
 */
struct lt_timeline {
	uint64_t begin;
	uint64_t step;
	uint64_t inverse;
	struct lt_timeline_rows caches;
	struct lt_timeline_rows sites;
	struct lt_timeline_row all;
	uint64_t end;
	struct lt_timeline_plain *plain;
	size_t n_plain;
	struct lt_timeline_parts *parts;
	size_t n_parts;
	uint64_t pending;
	uint32_t renewals;
};

/* Of nothing yet. @end: of the trace, ns */
struct lt_timeline *lt_timeline_new(uint64_t end);
/* The first allocation that was seen; or, without one, the end. Before anything is added. */
void lt_timeline_begin(struct lt_timeline *tl, uint64_t begin);
/* Adds a lifetime of which the birth is known; @cache is its lt_cache_key(). */
void lt_timeline_add(struct lt_timeline *tl, const struct lt_lifetime *l, uint64_t cache);
/* Adds what steps end, but for objects of the recorder, lt_own_process(). */
void lt_timeline_plain(struct lt_timeline *tl, const struct lt_lifetimes *lf,
		       const struct lt_kmalloc *k, uint32_t recorder,
		       const struct lt_plain_steps *steps);
/* Whether steps have ended objects with these traits: they have rows, or will have none. */
bool lt_timeline_has(const struct lt_timeline *tl, uint32_t traits, uint32_t renewals);
/* What steps have ended is in the rows then. */
void lt_timeline_settle(struct lt_timeline *tl);
/* @tl may be NULL. */
void lt_timeline_free(struct lt_timeline *tl);

/* The row of a key; NULL: it has none. */
const struct lt_timeline_row *lt_timeline_row(const struct lt_timeline_rows *rows, uint64_t key);

#endif /* LT_SUMS_TIMELINE_H */
