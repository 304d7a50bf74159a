// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The difference between two instants of one trace.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "compare/diff.h"
#include "sums/moment.h"
#include "sums/profile.h"

/* The names of a row of a profile by cache and site. */
static struct lt_diff_row *row_of(struct lt_diff_rows *rows, const struct lt_profile *p,
				  const struct lt_profile_row *row)
{
	struct lt_path path;
	const char *cache = "";
	char site[256] = "";

	lt_profile_path(p, row, &path);
	for (unsigned int i = 0; i < path.n; i++) {
		const struct lt_path_frame *f = &path.frames[i];

		if (f->kind == LT_FRAME_CACHE && f->name)
			cache = f->name;
		else if (f->kind == LT_FRAME_SITE && f->addr)
			lt_trace_symbol(p->trace, f->addr, true, site, sizeof(site));
	}
	return lt_diff_rows_get(rows, cache, site);
}

/* What was alive at an instant. Return: 0, or -1 after reporting the error. */
static int add_alive(struct lt_diff *d, struct lt_diff_rows *rows, int side, uint64_t time)
{
	struct lt_profile_options o = {
		.report = d->opts.report, .levels = { LT_LEVEL_CACHE, LT_LEVEL_SITE },
		.n_levels = 2,
		.at = LT_AT_TIME, .time = time,
	};
	struct lt_profile *p = lt_profile_make(d->opts.paths[LT_OLD][0], &o);

	if (!p)
		return -1;
	for (size_t i = 0; i < p->n_rows; i++) {
		struct lt_diff_row *row = row_of(rows, p, &p->rows[i]);
		double *values = &row->values[side * LT_N_DIFFS];

		values[LT_DIFF_ALIVE] += (double)p->rows[i].at;
		values[LT_DIFF_ALIVE_BYTES] += (double)p->rows[i].at_bytes;
	}
	lt_profile_free(p);
	return 0;
}

/* What was allocated up to an instant. */
static int add_births(struct lt_diff *d, struct lt_diff_rows *rows, int side, uint64_t time)
{
	const char *path = d->opts.paths[LT_OLD][0];
	struct lt_profile_options o = {
		.report = d->opts.report, .levels = { LT_LEVEL_CACHE, LT_LEVEL_SITE },
		.n_levels = 2,
		.at = LT_AT_END,
	};
	struct lt_filter_spec spec = { .to = NULL };
	struct lt_profile *p;
	char to[48];

	/* Not the user's text: of markers with one text, that would be the last one. */
	snprintf(to, sizeof(to), "@%" PRIu64 ".%09" PRIu64, time / 1000000000, time % 1000000000);
	spec.to = to;
	o.report.filter = lt_filter_new(&spec, path);
	p = o.report.filter ? lt_profile_make(path, &o) : NULL;
	for (size_t i = 0; p && i < p->n_rows; i++) {
		struct lt_diff_row *row = row_of(rows, p, &p->rows[i]);
		double *values = &row->values[side * LT_N_DIFFS];

		values[LT_DIFF_ALLOCATIONS] += (double)p->rows[i].births;
		values[LT_DIFF_BYTES] += (double)p->rows[i].bytes;
	}
	lt_filter_free(o.report.filter);
	if (!p)
		return -1;
	lt_profile_free(p);
	return 0;
}

static void add_up(struct lt_diff *d, struct lt_diff_row *row)
{
	for (int i = 0; i < LT_N_DIFFS; i++) {
		for (int side = LT_OLD; side <= LT_NEW; side++) {
			row->mean[side][i] = row->values[side * LT_N_DIFFS + i];
			d->all.mean[side][i] += row->mean[side][i];
		}
		row->delta[i] = row->mean[LT_NEW][i] - row->mean[LT_OLD][i];
		d->all.delta[i] += row->delta[i];
	}
}

struct lt_diff *lt_diff_moments(const struct lt_diff_options *opts, const char *from,
				const char *to)
{
	const char *path = opts->paths[LT_OLD][0];
	struct lt_diff *d = lt_alloc(sizeof(*d));
	struct lt_diff_rows *rows = lt_diff_rows_new(2);
	uint64_t times[2];
	int err;

	d->opts = *opts;
	d->offsets = true;
	err = lt_moment(path, "from", from, &times[0]) ||
	      lt_moment(path, "to", to, &times[1]);
	if (!err && times[0] >= times[1]) {
		lt_error("--from, --to: '%s' is not before '%s'", from, to);
		err = -1;
	}
	for (int side = LT_OLD; !err && side <= LT_NEW; side++) {
		err = add_alive(d, rows, side, times[side]) ||
		      add_births(d, rows, side, times[side]);
		d->units[side] = 1;
	}
	d->rows = lt_diff_rows_take(rows, &d->n_rows);
	if (err) {
		lt_diff_free(d);
		return NULL;
	}
	d->seconds[LT_NEW] = (double)(times[1] - times[0]) / 1e9;
	for (size_t i = 0; i < d->n_rows; i++)
		add_up(d, &d->rows[i]);
	return d;
}
