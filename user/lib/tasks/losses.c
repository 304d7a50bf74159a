// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Gaps: the intervals in which events were lost.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"
#include "tasks/internal.h"

void lt_tasks_gap(struct lt_tasks *tb, const struct lt_task_gap *gap)
{
	tb->gaps = lt_grow(tb->gaps, &tb->cap_gaps, tb->n_gaps, sizeof(*tb->gaps));
	tb->gaps[tb->n_gaps++] = *gap;
	for (unsigned int kind = 1; kind < LT_N_LOSSES; kind <<= 1) {
		if (gap->what & kind && gap->end > tb->lost_end[kind])
			tb->lost_end[kind] = gap->end;
	}
}

size_t lt_tasks_gaps(const struct lt_tasks *tb, const struct lt_task_gap **gaps)
{
	*gaps = tb->gaps;
	return tb->n_gaps;
}

static int by_begin(const void *a, const void *b)
{
	const struct lt_task_gap *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Sorts the gaps for lt_tasks_lost_between(); no gap may be added after that. */
void lt_tasks_index_gaps(struct lt_tasks *tb)
{
	if (tb->n_gaps)
		qsort(tb->gaps, tb->n_gaps, sizeof(*tb->gaps), by_begin);
	for (unsigned int kind = 1; kind < LT_N_LOSSES; kind <<= 1) {
		size_t latest = SIZE_MAX;

		tb->gap_latest[kind] = lt_alloc_array(tb->n_gaps, sizeof(size_t));
		for (size_t i = 0; i < tb->n_gaps; i++) {
			if (tb->gaps[i].what & kind &&
			    (latest == SIZE_MAX || tb->gaps[i].end > tb->gaps[latest].end))
				latest = i;
			tb->gap_latest[kind][i] = latest;
		}
	}
}

const struct lt_task_gap *lt_tasks_gap_over(const struct lt_tasks *tb, enum lt_task_loss kind,
					    uint64_t from, uint64_t to)
{
	size_t low = lt_first_not(tb->n_gaps, i, tb->gaps[i].begin < to), latest;

	if (!low || !tb->gap_latest[kind])
		return NULL;
	latest = tb->gap_latest[kind][low - 1];
	return latest != SIZE_MAX && tb->gaps[latest].end > from ? &tb->gaps[latest] : NULL;
}

bool lt_tasks_lost_between(const struct lt_tasks *tb, enum lt_task_loss kind,
			   uint64_t from, uint64_t to)
{
	return lt_tasks_gap_over(tb, kind, from, to);
}
