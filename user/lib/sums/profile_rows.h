/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the rows of a profile add up, for profile.c.
 */
#ifndef LT_SUMS_PROFILE_ROWS_H
#define LT_SUMS_PROFILE_ROWS_H

#include "sums/profile.h"

/* Objects of the row were born; modulo 2^64, so that a negative number of them is an end. */
void lt_profile_row_count(const struct lt_profile *p, struct lt_profile_row *row, uint64_t n,
			  uint64_t bytes);

/* What a row has now is what it had at the peak, if it was not changed since. Before a change. */
static inline void lt_profile_keep_peak(const struct lt_profile *p, struct lt_profile_row *row)
{
	if (row->kept == p->peaks)
		return;
	row->kept = p->peaks;
	row->peak = row->now;
	row->peak_bytes = row->now_bytes;
}

/* lt_profile_keep_peak() of all rows, when nothing will change any more. */
void lt_profile_keep_peaks(struct lt_profile *p);

/* Adds @n times @ns, as far as 64 bits suffice. */
static inline void lt_profile_add_ns(uint64_t *sum, uint64_t ns, unsigned int n)
{
	if (n && ns > (UINT64_MAX - *sum) / n)
		*sum = UINT64_MAX;
	else
		*sum += ns * n;
}

/* A lifetime that stands for @n. @at_end: what is alive at the end is what is asked for. */
void lt_profile_row_add(struct lt_profile_row *row, const struct lt_lifetime *l,
			unsigned int n, bool at_end);

/* What is alive now is what was alive at the instant; @time is when. */
void lt_profile_take_now(struct lt_profile *p, uint64_t time);

/* The instant is the peak. */
void lt_profile_use_peak(struct lt_profile *p);

#endif /* LT_SUMS_PROFILE_ROWS_H */
