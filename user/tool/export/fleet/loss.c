// SPDX-License-Identifier: GPL-2.0
/*
 * What was lost, by minute, for the table site_minute.
 */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "export/fleet/fleet.h"

/**
 * struct lt_fleet_loss - what was lost of allocations, by the minute in which the loss ended
 * @by_minute: numbers of minutes, plus 1
 * @events: lost, by number; 0 where that is not known
 * @gaps: intervals of a CPU in which some were lost
 */
struct lt_fleet_loss {
	struct lt_intern by_minute;
	uint64_t *events;
	size_t n_events;
	uint64_t *gaps;
	size_t n_gaps;
};

void lt_fleet_free_loss(struct lt_fleet *f)
{
	if (!f->lost)
		return;
	lt_intern_destroy(&f->lost->by_minute);
	free(f->lost->events);
	free(f->lost->gaps);
	free(f->lost);
}

static void count_gap(struct lt_fleet *f, const struct lt_gap *gap)
{
	uint64_t end = gap->end == UINT64_MAX ? lt_trace_end(f->e->trace) : gap->end;
	struct lt_fleet_loss *lost = f->lost;
	uint32_t n;

	if (!lt_channel_get(gap->channel)->lifetimes)
		return;
	n = lt_intern_number(&lost->by_minute, lt_minute_of(f->e->trace, end) + 1);
	if (n >= lost->n_events) {
		lost->events = lt_extend(lost->events, &lost->n_events, n + 1,
					 sizeof(*lost->events));
		lost->gaps = lt_extend(lost->gaps, &lost->n_gaps, n + 1, sizeof(*lost->gaps));
	}
	lost->gaps[n]++;
	for (unsigned int i = 0; i < LT_N_CLASSES; i++)
		lost->events[n] += gap->lost[i];
}

void lt_fleet_count_loss(struct lt_fleet *f)
{
	const struct lt_gap *gaps;
	size_t n = lt_trace_new_gaps(f->e->trace, &gaps);

	if (!f->lost) {
		f->lost = lt_alloc(sizeof(*f->lost));
		lt_intern_init(&f->lost->by_minute);
		f->lost->events = lt_extend(NULL, &f->lost->n_events, 1, sizeof(uint64_t));
		f->lost->gaps = lt_extend(NULL, &f->lost->n_gaps, 1, sizeof(uint64_t));
	}
	for (size_t i = 0; i < n; i++)
		count_gap(f, &gaps[i]);
}

/* The number of the minute, with all gaps that were found so far. 0: nothing was lost in it. */
static uint32_t lost_in(struct lt_fleet *f, uint64_t minute)
{
	lt_fleet_count_loss(f);
	return lt_intern_find(&f->lost->by_minute, minute + 1);
}

void lt_fleet_put_minute(void *fleet, const struct lt_minutes *m, const struct lt_minute_row *row)
{
	struct lt_fleet *f = fleet;
	uint32_t lost = lost_in(f, row->key.minute);
	struct lt_minute_ctx ctx = {
		.minutes = m, .cgroups = f->cgroups, .unwatched = f->unwatched,
		.lost = lost ? f->lost->events[lost] : 0, .gaps = lost ? f->lost->gaps[lost] : 0,
		.sample = f->sample, .min_size = f->min_size,
	};

	if (!f->failed && lt_fleet_put(f, LT_FLEET_SITE_MINUTE, row->key.minute, row, &ctx))
		f->failed = true;
}
