/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Series: how much memory was alive over the time of a trace, by slab cache.
 *
 * Time is cut into equal parts. Of each part are known what was alive at its end, and the most that
 * was alive at any time in it, so that no peak is between two points.
 */
#ifndef LT_SUMS_SERIES_H
#define LT_SUMS_SERIES_H

#include "sums/profile.h"

#define LT_SERIES_MOST	1024	/* caches; what comes later is in the sum only */

/**
 * struct lt_series_line - one slab cache, or the sum
 * @key: lt_cache_key(); of the sum 0
 * @objects, @bytes: by part: alive at its end
 * @max_bytes: by part: the most that was alive in it
 * @peak: the greatest of @max_bytes
 * @now, @now_bytes: while the series is being made
 * @at: the part up to which it is filled in
 */
struct lt_series_line {
	uint64_t key;
	uint64_t *objects;
	uint64_t *bytes;
	uint64_t *max_bytes;
	uint64_t peak;
	uint64_t now;
	uint64_t now_bytes;
	size_t at;
};

/**
 * struct lt_series - the result
 * @profile: by cache, of the same lifetimes
 * @begin: ns, from which on allocations were watched
 * @length: ns, from then to the end of the trace
 * @n: parts
 * @lines: by slab cache, those with the greatest peak first
 * @n_lines: their number
 * @all: the sum
 */
struct lt_series {
	struct lt_profile *profile;
	uint64_t begin;
	uint64_t length;
	size_t n;
	struct lt_series_line *lines;
	size_t n_lines;
	size_t cap_lines;
	struct lt_series_line all;
};

/**
 * lt_series_make() - read a trace
 * @opts: which lifetimes
 * @n: parts, one at least
 * Return: NULL after reporting the error.
 */
struct lt_series *lt_series_make(const char *path, const struct lt_report_options *opts, size_t n);
/* @s may be NULL. */
void lt_series_free(struct lt_series *s);

/* When a part ends, ns on the trace's clock. */
uint64_t lt_series_time(const struct lt_series *s, size_t part);

#endif /* LT_SUMS_SERIES_H */
