/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the rows of a profile add up, for profile.c.
 */
#ifndef LT_SUMS_PROFILE_ROWS_H
#define LT_SUMS_PROFILE_ROWS_H

#include "sums/profile.h"

/* Objects of the row were born; modulo 2^64, so that a negative number of them is an end. */
void lt_profile_row_count(struct lt_profile_row *row, uint64_t n, uint64_t bytes);

/* A lifetime that stands for @n. @at_end: what is alive at the end is what is asked for. */
void lt_profile_row_add(struct lt_profile_row *row, const struct lt_lifetime *l,
			unsigned int n, bool at_end);

/* What is alive now is what was alive at the instant, or at the peak; @time is when. */
void lt_profile_take_now(struct lt_profile *p, uint64_t time);
void lt_profile_take_peak(struct lt_profile *p, uint64_t time);

/* The instant is the peak. */
void lt_profile_use_peak(struct lt_profile *p);

#endif /* LT_SUMS_PROFILE_ROWS_H */
