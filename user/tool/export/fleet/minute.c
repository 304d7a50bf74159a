// SPDX-License-Identifier: GPL-2.0
/*
 * The table site_minute.
 */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "export/fleet/fleet.h"

static const struct lt_rows_column columns[] = {
	{ "session", LT_ROWS_TEXT, false }, { "boot_id", LT_ROWS_TEXT, false },
	{ "kernel", LT_ROWS_TEXT, false }, { "machine", LT_ROWS_TEXT, false },
	{ "minute", LT_ROWS_INT, false },
	{ "space", LT_ROWS_TEXT, false }, { "cache", LT_ROWS_TEXT, false },
	{ "site", LT_ROWS_TEXT, false }, { "function", LT_ROWS_TEXT, false },
	{ "comm", LT_ROWS_TEXT, false }, { "context", LT_ROWS_TEXT, false },
	{ "cgroup", LT_ROWS_TEXT, false }, { "recorder", LT_ROWS_INT, false },
	{ "allocations", LT_ROWS_INT, false }, { "bytes", LT_ROWS_INT, false },
	{ "slack_bytes", LT_ROWS_INT, false }, { "exact", LT_ROWS_INT, false },
	{ "bounded", LT_ROWS_INT, false }, { "uncertain", LT_ROWS_INT, false },
	{ "ended_bytes", LT_ROWS_INT, false }, { "before", LT_ROWS_INT, false },
	{ "lifetime_ns", LT_ROWS_INT, false }, { "lifetime_log2", LT_ROWS_INTS, false },
	{ "alive", LT_ROWS_INT, false }, { "alive_bytes", LT_ROWS_INT, false },
	{ "maybe_alive", LT_ROWS_INT, false }, { "maybe_alive_bytes", LT_ROWS_INT, false },
	{ "lost", LT_ROWS_INT, false }, { "gaps", LT_ROWS_INT, false },
	{ "not_watched", LT_ROWS_TEXT, false }, { "sample", LT_ROWS_INT, false },
	{ "min_size", LT_ROWS_INT, false },
};

const struct lt_rows_table lt_fleet_site_minute = {
	"site_minute", columns, sizeof(columns) / sizeof(columns[0]),
};

/* ------------------------------------------------------------------------
 * Loss by minute
 */

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

/* ------------------------------------------------------------------------
 * Rows
 */

static void put_place(struct lt_fleet *f, const struct lt_minutes *m,
		      const struct lt_minute_row *row)
{
	const struct lt_minute_key *k = &row->key;
	const char *comm = "";
	char name[64], id[32];
	size_t len;

	lt_fleet_word(f, lt_space_words(k->space)->name);
	if (k->cache)
		lt_fleet_cache(f, k->cache);
	else
		lt_fleet_word(f, m->opts.cache ? "(unknown)" : "");
	if (m->opts.site) {
		lt_fleet_site(f, k->site, true);
		lt_fleet_site(f, k->site, false);
	} else {
		lt_fleet_word(f, "");
		lt_fleet_word(f, "");
	}
	if (k->comm) {
		comm = lt_names_get(&m->names, k->comm, &len);
		len = len < sizeof(name) ? len : sizeof(name) - 1;
		memcpy(name, comm, len);
		name[len] = 0;
		comm = name;
	}
	lt_fleet_name(f, comm);
	lt_fleet_word(f, m->opts.task ? lt_context_name(k->context) : "");
	lt_fleet_name(f, k->cgroup ? lt_cgroups_label(f->cgroups, k->cgroup, id, sizeof(id)) : "");
	lt_rows_int(f->rows, k->recorder);
}

static void put_sums(struct lt_fleet *f, const struct lt_minute_row *row)
{
	int64_t powers[LT_MINUTE_POWERS];

	for (unsigned int i = 0; i < row->n_powers; i++)
		powers[i] = (int64_t)row->powers[i];
	lt_rows_count(f->rows, row->births);
	lt_rows_count(f->rows, row->bytes);
	lt_rows_count(f->rows, row->waste);
	lt_rows_count(f->rows, row->exact);
	lt_rows_count(f->rows, row->bounded);
	lt_rows_count(f->rows, row->uncertain);
	lt_rows_count(f->rows, row->ended_bytes);
	lt_rows_count(f->rows, row->before);
	lt_rows_count(f->rows, row->exact_ns);
	lt_rows_ints(f->rows, powers, row->n_powers);
	lt_rows_count(f->rows, row->open);
	lt_rows_count(f->rows, row->open_bytes);
	lt_rows_count(f->rows, row->maybe);
	lt_rows_count(f->rows, row->maybe_bytes);
}

void lt_fleet_put_minute(void *fleet, const struct lt_minutes *m, const struct lt_minute_row *row)
{
	struct lt_fleet *f = fleet;
	uint32_t lost = lost_in(f, row->key.minute);

	if (f->failed)
		return;
	if (lt_fleet_row(f, &lt_fleet_site_minute, row->key.minute)) {
		f->failed = true;
		return;
	}
	lt_rows_count(f->rows, row->key.minute * 60);
	put_place(f, m, row);
	put_sums(f, row);
	lt_rows_count(f->rows, lost ? f->lost->events[lost] : 0);
	lt_rows_count(f->rows, lost ? f->lost->gaps[lost] : 0);
	lt_fleet_word(f, f->unwatched[row->key.space]);
	lt_rows_count(f->rows, f->sample);
	lt_rows_count(f->rows, f->min_size);
	if (lt_rows_end(f->rows))
		f->failed = true;
}
