// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Differences between traces.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "compare/budget.h"
#include "compare/diff.h"
#include "trace/pass.h"

#define LENGTHS_DIFFER	0.1	/* of the length of the runs: is worth a note */

/**
 * struct maker - a difference in the making
 * @d: the result
 * @rows: its rows
 * @first: of the first trace, with which all others are compared
 * @same_builds: all so far have its build ids
 * @alike: the numbers of all so far can be compared
 */
struct maker {
	struct lt_diff *d;
	struct lt_diff_rows *rows;
	struct lt_alike first;
	bool same_builds;
	bool alike;
};

/* ------------------------------------------------------------------------
 * What the traces are
 */

static const char *path_of(const struct lt_diff_options *o, size_t run)
{
	return run < o->n[LT_OLD] ? o->paths[LT_OLD][run] : o->paths[LT_NEW][run - o->n[LT_OLD]];
}

/* Return: 0, or -1 after reporting the error. */
static int look_at(struct maker *m, size_t run)
{
	struct lt_trace *t = lt_trace_open(path_of(&m->d->opts, run));
	struct lt_alike other;
	struct lt_str notes = { 0 };

	if (!t)
		return -1;
	if (!run) {
		lt_alike_init(&m->first, t);
		m->same_builds = m->first.builds[0];
		lt_trace_close(t);
		return 0;
	}
	lt_alike_init(&other, t);
	m->same_builds &= !strcmp(m->first.builds, other.builds);
	m->alike &= lt_alike_compare(&m->first, &other, &notes);
	/* The runs of a side mostly differ in the same way: once is enough. */
	if (notes.s && (!m->d->notes.s || !strstr(m->d->notes.s, notes.s)))
		lt_str_add(&m->d->notes, "%s", notes.s);
	free(notes.s);
	lt_alike_destroy(&other);
	lt_trace_close(t);
	return 0;
}

static int look_at_all(struct maker *m)
{
	const struct lt_diff_options *o = &m->d->opts;

	for (size_t i = 0; i < o->n[LT_OLD] + o->n[LT_NEW]; i++) {
		if (look_at(m, i))
			return -1;
	}
	m->d->offsets = m->same_builds;
	if (m->alike || o->force)
		return 0;
	lt_error("the traces were not recorded alike, so that their numbers cannot be compared "
		 "(--force compares them nevertheless):");
	for (char *line = m->d->notes.s, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		lt_error("  %.*s", (int)(end - line), line);
	}
	return -1;
}

/* ------------------------------------------------------------------------
 * The rows of a trace
 */

struct markers {
	const char *text;
	size_t n;
};

static int count_marker(void *arg, const struct lt_event *ev)
{
	struct markers *m = arg;

	if (ev->id == LT_EV_MARKER && ev->raw && strlen(m->text) <= ev->raw_size &&
	    !strncmp((const char *)ev->raw, m->text, ev->raw_size))
		m->n++;
	return 0;
}

/* Markers with that text; -1 after reporting the error. */
static double count_markers(const char *path, const char *text)
{
	struct lt_trace *t = lt_trace_open(path);
	struct markers m = { .text = text };

	if (!t)
		return -1;
	lt_trace_pass(t, &(struct lt_pass){ .event = count_marker, .arg = &m });
	lt_trace_close(t);
	return (double)m.n;
}

/* What the metrics of a run are divided by; 0 after reporting the error. */
static double units_of(const struct lt_diff_options *o, const struct lt_side *s, const char *path)
{
	double n = 1;

	switch (o->per) {
	case LT_PER_TOTAL:
		return 1;
	case LT_PER_SECOND:
		n = s->seconds;
		break;
	case LT_PER_EXEC:
		n = (double)lt_trace_records(s->report->trace, LT_CLASS_EXEC);
		break;
	case LT_PER_MARKER:
		n = count_markers(path, o->marker);
		if (n < 0)
			return 0;
		break;
	}
	if (!(n > 0))
		lt_error("%s: has none of what the numbers shall be divided by", path);
	return n > 0 ? n : 0;
}

static void add_row(struct maker *m, const struct lt_side *s, size_t i, size_t run, double units)
{
	const struct lt_report_row *from = &s->report->rows[i];
	int side = run < m->d->opts.n[LT_OLD] ? LT_OLD : LT_NEW;
	struct lt_diff_row *row;
	const char *site;
	double *values;

	if (!lt_report_row_counts(from))
		return;
	site = m->d->offsets || !s->names[i].function[0] ? s->names[i].site :
							   s->names[i].function;
	row = lt_diff_rows_get(m->rows, s->names[i].cache, site);
	values = &row->values[run * LT_N_DIFFS];
	values[LT_DIFF_ALLOCATIONS] += (double)from->births / units;
	values[LT_DIFF_BYTES] += (double)from->bytes / units;
	values[LT_DIFF_ALIVE] += (double)from->live / units;
	values[LT_DIFF_ALIVE_BYTES] += (double)from->live_bytes / units;
	m->d->perhaps[side] += from->maybe;
	lt_hist_merge(&row->ended[side], &from->life);
	lt_hist_merge(&row->alive[side], &from->ages);
}

static int add_run(struct maker *m, size_t run)
{
	const char *path = path_of(&m->d->opts, run);
	int side = run < m->d->opts.n[LT_OLD] ? LT_OLD : LT_NEW;
	double n = (double)m->d->opts.n[side], units;
	struct lt_side s;

	if (lt_side_make(&s, path, &m->d->opts.report))
		return -1;
	units = units_of(&m->d->opts, &s, path);
	for (size_t i = 0; units > 0 && i < s.report->n_rows; i++)
		add_row(m, &s, i, run, units);
	m->d->seconds[side] += s.seconds / n;
	m->d->units[side] += units / n;
	m->d->lost[side] += s.lost.high;
	m->d->own[side] += s.report->own_births;
	lt_side_free(&s);
	return units > 0 ? 0 : -1;
}

/* ------------------------------------------------------------------------
 * Sums and tests
 */

static void add_up(struct lt_diff *d, struct lt_diff_row *row)
{
	size_t n_old = d->opts.n[LT_OLD], n = n_old + d->opts.n[LT_NEW];

	for (size_t run = 0; run < n; run++) {
		int side = run < n_old ? LT_OLD : LT_NEW;

		for (int i = 0; i < LT_N_DIFFS; i++)
			row->mean[side][i] += row->values[run * LT_N_DIFFS + i] /
					      (double)d->opts.n[side];
	}
	for (int i = 0; i < LT_N_DIFFS; i++) {
		row->delta[i] = row->mean[LT_NEW][i] - row->mean[LT_OLD][i];
		for (int side = LT_OLD; side <= LT_NEW; side++)
			d->all.mean[side][i] += row->mean[side][i];
		d->all.delta[i] += row->delta[i];
	}
}

/* The p of one metric of a row, NAN: it is the same in all runs, or too little. */
static double test_metric(const struct lt_diff *d, const struct lt_diff_row *row, int metric)
{
	size_t n[2] = { d->opts.n[LT_OLD], d->opts.n[LT_NEW] }, all = n[0] + n[1];
	double *values, p = NAN;
	bool differ = false;

	if (row->mean[0][metric] + row->mean[1][metric] <
	    LT_DIFF_PART * (d->all.mean[0][metric] + d->all.mean[1][metric]))
		return NAN;
	values = lt_alloc_array(all, sizeof(*values));
	for (size_t i = 0; i < all; i++) {
		values[i] = row->values[i * LT_N_DIFFS + (size_t)metric];
		differ |= fabs(values[i] - values[0]) > 0;
	}
	if (differ)
		p = lt_mann_whitney(values, n[0], values + n[0], n[1]);
	free(values);
	return p;
}

/* The log-rank test needs lifetimes, not runs. */
static double test_lifetimes(const struct lt_diff_row *row)
{
	const struct lt_hist *ended[2], *alive[2];

	for (int side = LT_OLD; side <= LT_NEW; side++) {
		ended[side] = &row->ended[side];
		alive[side] = &row->alive[side];
		if (!ended[side]->n && !alive[side]->n)
			return NAN;
	}
	return ended[0]->n || ended[1]->n ? lt_normal_p(lt_hist_logrank(ended, alive)) : NAN;
}

static void test_all(struct lt_diff *d)
{
	double *p = lt_alloc_array(d->n_rows + 1, sizeof(*p));

	for (int metric = 0; d->tested && metric < LT_N_DIFFS; metric++) {
		for (size_t i = 0; i < d->n_rows; i++)
			p[i] = test_metric(d, &d->rows[i], metric);
		lt_correct(p, d->n_rows, d->opts.correction);
		for (size_t i = 0; i < d->n_rows; i++)
			d->rows[i].p[metric] = p[i];
	}
	for (size_t i = 0; i < d->n_rows; i++)
		p[i] = test_lifetimes(&d->rows[i]);
	lt_correct(p, d->n_rows, d->opts.correction);
	for (size_t i = 0; i < d->n_rows; i++)
		d->rows[i].lifetimes_p = p[i];
	free(p);
}

static void note_losses(struct lt_diff *d)
{
	double longer = d->seconds[0] > d->seconds[1] ? d->seconds[0] : d->seconds[1];

	if (d->lost[LT_OLD] > 0 || d->lost[LT_NEW] > 0) {
		lt_str_add(&d->notes, "events lost: ");
		for (int side = LT_OLD; side <= LT_NEW; side++) {
			if (isinf(d->lost[side]))
				lt_str_add(&d->notes, "an unknown number");
			else
				lt_str_add(&d->notes, "%.0f", d->lost[side]);
			lt_str_add(&d->notes, side == LT_OLD ? " and " : "\n");
		}
	}
	if (d->perhaps[LT_OLD] + d->perhaps[LT_NEW])
		lt_str_add(&d->notes, "%" PRIu64 " and %" PRIu64 " objects are only perhaps alive, "
			   "and not counted as alive\n", d->perhaps[LT_OLD], d->perhaps[LT_NEW]);
	if (d->opts.per == LT_PER_TOTAL &&
	    fabs(d->seconds[0] - d->seconds[1]) > LENGTHS_DIFFER * longer)
		lt_str_add(&d->notes, "recorded for %.3g s and %.3g s: --per=s may be better\n",
			   d->seconds[LT_OLD], d->seconds[LT_NEW]);
}

struct lt_diff *lt_diff_make(const struct lt_diff_options *opts)
{
	struct lt_diff *d = lt_alloc(sizeof(*d));
	struct maker m = { .d = d, .alike = true };
	size_t n = opts->n[LT_OLD] + opts->n[LT_NEW];
	int err;

	d->opts = *opts;
	m.rows = lt_diff_rows_new(n);
	err = look_at_all(&m);
	for (size_t i = 0; !err && i < n; i++)
		err = add_run(&m, i);
	d->rows = lt_diff_rows_take(m.rows, &d->n_rows);
	lt_alike_destroy(&m.first);
	if (err) {
		lt_diff_free(d);
		return NULL;
	}
	d->tested = opts->n[LT_OLD] >= LT_DIFF_ENOUGH && opts->n[LT_NEW] >= LT_DIFF_ENOUGH;
	for (size_t i = 0; i < d->n_rows; i++)
		add_up(d, &d->rows[i]);
	test_all(d);
	note_losses(d);
	return d;
}

void lt_diff_free(struct lt_diff *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n_rows; i++)
		lt_diff_row_destroy(&d->rows[i]);
	free(d->rows);
	free(d->notes.s);
	free(d);
}
