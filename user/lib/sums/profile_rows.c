// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the rows of a profile add up.
 */
#include "sums/profile_rows.h"

void lt_profile_row_count(const struct lt_profile *p, struct lt_profile_row *row, uint64_t n,
			  uint64_t bytes)
{
	lt_profile_keep_peak(p, row);
	row->now += n;
	row->now_bytes += bytes;
	if (p->opts.max && row->now_bytes > row->max_bytes) {
		row->max_bytes = row->now_bytes;
		row->max = row->now;
	}
}

void lt_profile_row_add(struct lt_profile_row *row, const struct lt_lifetime *l,
			unsigned int n, bool at_end)
{
	uint64_t bytes = lt_lifetime_bytes(l);

	if (!l->older) {
		row->births += n;
		row->bytes += bytes * n;
		row->waste += lt_lifetime_slack(l) * n;
	}
	if (l->certainty == LT_OPEN && at_end) {
		row->at += n;
		row->at_bytes += bytes * n;
	} else if (l->certainty != LT_OPEN && l->ending == LT_END_ALIVE) {
		row->maybe += n;
		row->maybe_bytes += bytes * n;
	}
	if (l->certainty == LT_EXACT) {
		row->exact += n;
		lt_profile_add_ns(&row->exact_ns, lt_lifetime_ns(l), n);
	} else if (l->certainty == LT_OPEN) {
		row->open += n;
		lt_profile_add_ns(&row->open_ns, lt_lifetime_ns(l), n);
	}
}

/* The rows and the two sums; ends with NULL. */
static struct lt_profile_row *next_row(struct lt_profile *p, size_t i)
{
	if (i < p->n_rows)
		return &p->rows[i];
	return i == p->n_rows ? &p->other : i == p->n_rows + 1 ? &p->all : NULL;
}

void lt_profile_take_now(struct lt_profile *p, uint64_t time)
{
	struct lt_profile_row *row;

	for (size_t i = 0; (row = next_row(p, i)); i++) {
		row->at = row->now;
		row->at_bytes = row->now_bytes;
	}
	p->instant = time;
}

void lt_profile_keep_peaks(struct lt_profile *p)
{
	struct lt_profile_row *row;

	for (size_t i = 0; (row = next_row(p, i)); i++)
		lt_profile_keep_peak(p, row);
}

void lt_profile_use_peak(struct lt_profile *p)
{
	struct lt_profile_row *row;

	for (size_t i = 0; (row = next_row(p, i)); i++) {
		row->at = row->peak;
		row->at_bytes = row->peak_bytes;
	}
	p->instant = p->peak;
}
