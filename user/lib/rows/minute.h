/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows of minutes: sums by minute, call site, cache, name of the task, cgroup; the row is a
 * struct lt_minute_row.
 */
#ifndef LT_ROWS_MINUTE_H
#define LT_ROWS_MINUTE_H

#include "rows/column.h"
#include "sums/minutes.h"
#include "tasks/cgroups.h"

/**
 * struct lt_minute_ctx - what the getters need
 * @minutes: whose row it is
 * @cgroups: names of cgroups; NULL: none
 * @lost, @gaps: events lost in the minute, and intervals of a CPU in which some were
 * @unwatched: by space: events that were not watched and bear on lifetimes
 * @sample, @min_size: options of the recording
 * @text: of the latest value
 */
struct lt_minute_ctx {
	struct lt_row_ctx common;
	const struct lt_minutes *minutes;
	struct lt_cgroups *cgroups;
	uint64_t lost;
	uint64_t gaps;
	char *const *unwatched;
	uint64_t sample;
	uint64_t min_size;
	char text[64];
};

extern const struct lt_row_kind lt_rows_of_minute;

#endif /* LT_ROWS_MINUTE_H */
