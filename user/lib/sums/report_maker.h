/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reports in the making: what each event adds to their sums. For report.c.
 */
#ifndef LT_SUMS_REPORT_MAKER_H
#define LT_SUMS_REPORT_MAKER_H

#include "base/intern.h"
#include "base/mem.h"
#include "lifetimes/read.h"
#include "sums/own.h"
#include "sums/picked.h"
#include "sums/plain_numbers.h"
#include "sums/report.h"
#include "sums/weights.h"

/**
 * struct lt_plain_sums - of objects with the same traits, in one line of the processor's cache
 * @bytes: given to each; 0: nothing was looked at
 * @span: where their spans of life are counted
 * @births, @ends: since they were settled; what follows is of these
 * @shorts, @longs, @within, @outlived, @other_cpu, @other_context: as in struct lt_report_row
 * @peak: births less ends, modulo 2^32, at the peak @kept
 * @listed: there is something to settle
 * @unsure: all these ends are of lifetimes that are unsure
 * @slack: of @bytes, not requested
 * @row: number of their row, plus 1; 0: it is not known
 */
struct lt_plain_sums {
	_Alignas(LT_LINE) uint32_t bytes;
	uint32_t span;
	uint32_t births;
	uint32_t ends;
	uint32_t shorts;
	uint32_t longs;
	uint32_t within;
	uint32_t outlived;
	uint32_t other_cpu;
	uint32_t other_context;
	uint64_t kept;
	uint32_t peak;
	bool listed;
	bool unsure;
	uint32_t slack;
	uint32_t row;
};

/*
 * Adds how many exact lifetimes are of each kind; a row and struct lt_plain_sums have numbers of
 * other sizes.
 */
#define LT_ADD_KINDS(to, k)				\
do {							\
	(to)->shorts += (k)->shorts;			\
	(to)->longs += (k)->longs;			\
	(to)->within += (k)->within;			\
	(to)->outlived += (k)->outlived;		\
	(to)->other_cpu += (k)->other_cpu;		\
	(to)->other_context += (k)->other_context;	\
} while (0)

/**
 * struct lt_spans - the spans of life of what is in these rows
 * @life: until lt_maker_add_spans()
 * @row: by the report itself
 * @follower: by the one that follows it and has spans, plus 1; 0: there is none
 */
struct lt_spans {
	_Alignas(LT_LINE) struct lt_hist life;
	uint32_t row;
	uint32_t follower;
};

/**
 * struct lt_maker - a report in the making
 * @r: the report
 * @lf: the pairing of this pass
 * @keys: numbers of the rows' keys
 * @cap_rows: room in the rows of @r
 * @space: what is summed up
 * @reborn: the latest step was an end that was seen by a birth at the address
 * @hollow: so many rows are
 * @step: births and deaths so far
 * @peak_step: the step after which most bytes are alive, so far
 * @peaks: how often it was another one
 * @live_bytes: bytes alive after the latest step
 * @caches: the caches at the end of the pass before, by id; NULL: there was none
 * @n_caches: length of @caches
 * @picked: with a filter: the objects that are alive and wanted, as far as births decide
 * @counted: with a filter: of the lifetimes that it wants
 * @out: whose objects are left out, in a pass; NULL: nobody's
 * @own: of the lifetimes of those objects
 * @unknown: bit n: the cache with the number n was asked for before it was known
 * @weights: how many births one stands for
 * @sample: how many one stands for in all rows: N of a sample that the report makes up for, or 1
 * @places: by site: numbers of the rows, plus 1, by lt_lifetimes_place(); 0: not known
 * @sums_rows: each lifetime counts once, so that the sum of all rows is made at the end
 * @plain: of report_plain.c: what the births and ends of objects with the same traits add, by their
 *	number, until @renewals changes; @n_plain of them
 * @by_actor: of reports by task: numbers of the rows, by lt_plain_step.actor
 * @coverage: the number for lt_coverage_count(), plus 1, by traits
 * @follows: the maker of another report of the same objects, by whose @plain this one is settled;
 *	NULL: none
 * @follower: the next one of the makers that do so
 * @by_traits: of these: numbers of the rows
 * @spans: spans of life of steps, by the rows that they belong to, whose numbers are @pairs;
 *	@n_spans of them
 * @listed: the numbers of those that are to be settled, @n_listed of them
 * @pending: not less than how many births and ends these are
 * @later: values for the rows' spans of life
 * @all: births of the space, also those that a filter leaves out
 * @of_time: the filter asks for births from @from on, before @to, and for nothing else
 */
struct lt_maker {
	struct lt_report *r;
	struct lt_lifetimes *lf;
	struct lt_intern keys;
	size_t cap_rows;
	enum lt_space space;
	bool reborn;
	uint64_t hollow;
	uint64_t corrected;	/* address of an object whose birth may come once more */
	uint64_t step;
	uint64_t peak_step;
	uint64_t peaks;
	uint64_t live_bytes;
	struct lt_cache *caches;
	size_t n_caches;
	struct lt_picked picked;
	struct lt_lifetime_stats counted;
	struct lt_own *out;
	struct lt_lifetime_stats own;
	uint64_t *unknown;
	size_t n_unknown;	/* words */
	struct lt_weights weights;
	unsigned int sample;
	uint32_t *places;
	size_t n_places;
	bool sums_rows;
	struct lt_plain_sums *plain;
	size_t n_plain;
	struct lt_plain_numbers by_actor;
	struct lt_plain_numbers coverage;
	struct lt_maker *follows;
	struct lt_maker *follower;
	struct lt_plain_numbers by_traits;
	struct lt_intern pairs;
	struct lt_spans *spans;
	size_t n_spans;
	size_t cap_spans;
	uint32_t *listed;
	size_t n_listed;
	size_t cap_listed;
	uint64_t pending;
	uint32_t renewals;
	struct lt_hist_later later;
	struct lt_counted all;
	bool of_time;
	uint64_t from;
	uint64_t to;
};

/**
 * struct lt_makers - reports that are made in one pass
 * @all: of one space, with one filter
 * @n: their number
 */
struct lt_makers {
	struct lt_maker *all;
	size_t n;
};

/* What a row has now is what it had at the peak, if it was not changed since. Before a change. */
static inline void lt_maker_keep_peak(const struct lt_maker *m, struct lt_report_row *row)
{
	if (row->kept == m->peaks)
		return;
	row->kept = m->peaks;
	row->peak = row->now;
	row->peak_bytes = row->now_bytes;
}

/*
 * Whether what the row is about may be another one of its objects; the other one if that is asked
 * before lt_maker_settle(), which may add to it what is alive and what has ended. What is to be
 * added may only come to nothing where more objects are gone than were counted.
 */
static inline bool lt_report_row_may_be_empty(const struct lt_report_row *row)
{
	return !row->births && !row->lifetimes && (int64_t)row->now <= 0 &&
		!(row->listed && !row->now);
}

static inline bool lt_report_row_is_empty(const struct lt_report_row *row)
{
	return !row->births && !row->lifetimes && !row->now && !row->listed;
}

/* The callbacks of the pairing; their argument is the makers. */
void lt_makers_ops(struct lt_makers *makers, struct lt_lifetime_ops *ops);

/* An event, before it is paired; @makers as for these callbacks. Return: 0. */
int lt_makers_event(void *makers, const struct lt_event *ev);

/* The row of an object, which is begun if it has nothing. */
struct lt_report_row *lt_maker_row(struct lt_maker *m, const struct lt_obj *o);
/* Behind each birth and end: rows keep what they have now when they change next. */
void lt_maker_take_peak(struct lt_maker *m, uint64_t time);

/* report_plain.c */

/* The callbacks for what leaves no doubt, if all these reports can use them. */
void lt_makers_plain_ops(const struct lt_makers *makers, struct lt_lifetime_ops *ops);
/* As lt_makers_event(). */
void lt_makers_plain(void *makers, const struct lt_plain_event *evs, size_t n);

/* report_count.c */

static inline bool lt_maker_is_by_task(const struct lt_maker *m)
{
	return m->r->opts.by == LT_BY_TASK || m->r->opts.by == LT_BY_PROCESS;
}

/* Counts these steps, for which there is room in @m->plain. */
void lt_maker_count_steps(struct lt_maker *m, const struct lt_plain_steps *steps);
/* That of a report of other objects: the coverage is of these. */
void lt_maker_count_others(struct lt_maker *m, const struct lt_plain_steps *steps);
/*
 * That of a report by task of which only births are wanted: its peaks and what it leaves out are
 * those of another one.
 */
void lt_maker_count_births(struct lt_maker *m, const struct lt_plain_steps *steps);

/* report_time.c */

/* Finds out whether the filter asks for a time alone. */
void lt_maker_set_time(struct lt_maker *m);

static inline bool lt_maker_has_time(const struct lt_maker *m, uint64_t birth)
{
	return birth >= m->from && birth < m->to;
}

/* Whether the filter wants an object that is alive, as far as its birth decides. */
bool lt_maker_is_picked(const struct lt_maker *m, const struct lt_obj *o);
/* As that, of one that is not alive any more. */
bool lt_maker_was_picked(struct lt_maker *m, const struct lt_obj *o);

/* Copies the steps of objects of that time; the others count where a filter leaves nothing out. */
size_t lt_maker_take_time(struct lt_maker *m, const struct lt_plain_steps *steps,
			  struct lt_plain_step in[LT_PLAIN_MAX]);

/* report_reborn.c */

/* plain_reborn() of struct lt_lifetime_ops, for one report and those that follow it. */
bool lt_makers_take_reborn(void *makers, uint32_t traits, uint32_t renewals, uint64_t born);
/*
 * The lifetime of an object of these sums is bounded, and those of others with its traits are
 * exact.
 */
void lt_maker_add_bounded(struct lt_maker *m, const struct lt_plain_sums *x, uint32_t traits);

/* report_add.c */

/* What was counted in @m->plain is added to the rows, and to the coverage. */
void lt_maker_settle(struct lt_maker *m);
/* At the end, behind that: so are the spans of life, also to the rows of the follower. */
void lt_maker_add_spans(struct lt_maker *m);

/* Adds a lifetime to a row, in which it stands for others; with @stands.lives 0 only its birth. */
void lt_report_row_add(struct lt_report_row *row, const struct lt_lifetime *l,
		       const struct lt_report_options *opts, struct lt_stands stands);

/*
 * Adds what a lifetime with these weights contributes to the spreads of a row: those of what is
 * alive now, and those of births in lt_report_vary(), by the row's @number.
 */
void lt_report_row_vary(struct lt_report_row *row, uint32_t number, const struct lt_lifetime *l,
			struct lt_weights *weights, struct lt_stands stands);
void lt_report_vary(struct lt_maker *m);

/* report_rows.c */

/*
 * Of the rows of tasks, those of one name become one: the instances of a program. A task changes
 * its name while its objects live, so that only at the end each task has one name.
 */
void lt_report_merge_instances(struct lt_report *r, struct lt_weights *weights);

#endif /* LT_SUMS_REPORT_MAKER_H */
