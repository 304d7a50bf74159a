/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Differences between traces, or between two instants of one, by slab cache and call site.
 *
 * Call sites of different kernels are one if their functions have one name; if the build ids of
 * all traces are the same, also their offsets must be.
 */
#ifndef LT_COMPARE_DIFF_H
#define LT_COMPARE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hist.h"
#include "base/str.h"
#include "compare/stats.h"
#include "sums/report.h"

enum { LT_OLD, LT_NEW };

enum lt_diff_metric {
	LT_DIFF_ALLOCATIONS,
	LT_DIFF_BYTES,
	LT_DIFF_ALIVE,
	LT_DIFF_ALIVE_BYTES,
	LT_N_DIFFS,
};

#define LT_DIFF_ENOUGH	4	/* runs a side, with fewer nothing is tested */
#define LT_DIFF_PART	0.001	/* rows that have less of the sum of both sides are not tested */

/* What the metrics are divided by. */
enum lt_per {
	LT_PER_TOTAL,
	LT_PER_SECOND,
	LT_PER_EXEC,		/* an executed program */
	LT_PER_MARKER,		/* a marker with the text @marker */
};

/**
 * struct lt_diff_options - what to compare
 * @report: which lifetimes
 * @paths: by side: the traces
 * @n: their numbers
 * @per: what the metrics are divided by
 * @marker: with LT_PER_MARKER: its text
 * @correction: for the number of rows
 * @force: compare also what cannot be compared
 */
struct lt_diff_options {
	struct lt_report_options report;
	const char *const *paths[2];
	size_t n[2];
	enum lt_per per;
	const char *marker;
	enum lt_correction correction;
	bool force;
};

/**
 * struct lt_diff_row - one cache and site
 * @cache, @site: names; "" if not known
 * @mean: by side and metric: the mean of its runs
 * @delta: by metric: that of the new side less that of the old one
 * @p: by metric: of the ranks of the runs, corrected; NAN: not tested
 * @ended, @alive: by side: lifetimes of all runs
 * @lifetimes_p: of the log-rank test, corrected; NAN: not tested
 * @values: by run, first those of the old side, LT_N_DIFFS each
 */
struct lt_diff_row {
	char *cache;
	char *site;
	double mean[2][LT_N_DIFFS];
	double delta[LT_N_DIFFS];
	double p[LT_N_DIFFS];
	struct lt_hist ended[2];
	struct lt_hist alive[2];
	double lifetimes_p;
	double *values;
};

/**
 * struct lt_diff - the result
 * @opts: what was compared
 * @rows: in no order
 * @n_rows: their number
 * @all: the sum of all rows
 * @tested: the runs of both sides were enough
 * @offsets: call sites of one function were kept apart
 * @seconds: by side: mean length of the runs
 * @units: by side: mean of what the metrics were divided by
 * @lost: by side: events lost in all runs; INFINITY: not known
 * @own: by side: allocations of the recorder itself that were left out of all runs
 * @perhaps: by side: objects of all runs that are perhaps alive, which no metric counts
 * @notes: what makes the traces hard to compare, one line each; @notes.s NULL: nothing
 */
struct lt_diff {
	struct lt_diff_options opts;
	struct lt_diff_row *rows;
	size_t n_rows;
	struct lt_diff_row all;
	bool tested;
	bool offsets;
	double seconds[2];
	double units[2];
	double lost[2];
	uint64_t own[2];
	uint64_t perhaps[2];
	struct lt_str notes;
};

/* diff_rows.c */

struct lt_diff_rows;

struct lt_diff_rows *lt_diff_rows_new(size_t n_runs);
/* The row of a name, which is made if there is none. Valid until the next call. */
struct lt_diff_row *lt_diff_rows_get(struct lt_diff_rows *r, const char *cache, const char *site);
/* Hands out the rows, which are no longer of @r, and frees it. */
struct lt_diff_row *lt_diff_rows_take(struct lt_diff_rows *r, size_t *n);
void lt_diff_row_destroy(struct lt_diff_row *row);

/* alike.c */

/**
 * struct lt_alike - what must be equal in traces that are compared
 * @builds: build ids of the kernel and its modules, in order; "": not known
 * @unwatched: names of events that were not watched
 * @births: which were kept, as lt_births_describe() says it
 * @min_size, @sample, @release, @machine: of INFO; "" if it lacks them
 * All are to be freed.
 */
struct lt_alike {
	char *builds;
	char *unwatched;
	char *min_size;
	char *births;
	char *sample;
	char *release;
	char *machine;
};

void lt_alike_init(struct lt_alike *a, const struct lt_trace *t);
void lt_alike_destroy(struct lt_alike *a);

/**
 * lt_alike_compare() - add what differs to @notes, a line each
 * Return: false: the difference makes the numbers incomparable.
 */
bool lt_alike_compare(const struct lt_alike *a, const struct lt_alike *b, struct lt_str *notes);

/* diff.c */

/**
 * lt_diff_make() - read and compare traces
 * Return: NULL after reporting the error, or why the traces cannot be compared.
 */
struct lt_diff *lt_diff_make(const struct lt_diff_options *opts);
void lt_diff_free(struct lt_diff *d);

/* moments.c */

/**
 * lt_diff_moments() - compare two instants of one trace, the only one of the old side
 * @from, @to: as for lt_moment()
 *
 * The allocations of a row are those up to an instant, so that their difference is those between.
 */
struct lt_diff *lt_diff_moments(const struct lt_diff_options *opts, const char *from,
				const char *to);

#endif /* LT_COMPARE_DIFF_H */
