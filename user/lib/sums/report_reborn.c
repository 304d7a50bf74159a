// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What ends that were not seen, and that leave no doubt otherwise, add to the sums of reports.
 */
#include "sums/report_maker.h"

/* Until then what a row is about may be another one of its objects. */
static bool has_ended(const struct lt_maker *m, uint32_t number)
{
	return number && (m->r->rows[number - 1].births || m->r->rows[number - 1].lifetimes);
}

bool lt_makers_take_reborn(void *arg, uint32_t traits, uint32_t renewals, uint64_t born)
{
	const struct lt_maker *first = &((const struct lt_makers *)arg)->all[0];

	if (first->renewals != renewals || traits >= first->n_plain)
		return false;
	if (first->r->coverage && !lt_coverage_is_of_phase(first->r->coverage, born))
		return false;
	if (first->space != LT_SPACE_SLAB)
		return true;
	for (const struct lt_maker *f = first->follower; f; f = f->follower) {
		if (f->sums_rows &&
		    (traits >= f->by_traits.n || !has_ended(f, f->by_traits.of[traits])))
			return false;
	}
	return has_ended(first, first->plain[traits].row);
}

void lt_maker_add_bounded(struct lt_maker *m, const struct lt_plain_sums *x, uint32_t traits)
{
	m->r->rows[x->row - 1].unsure_bytes += x->bytes;
	for (struct lt_maker *f = m->follower; f; f = f->follower) {
		if (f->sums_rows)
			f->r->rows[f->by_traits.of[traits] - 1].unsure_bytes += x->bytes;
		else
			f->r->all.unsure_bytes += x->bytes;
	}
}
