/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The inside of struct lt_live, for the files of this folder.
 */
#ifndef LT_LIVE_INTERNAL_H
#define LT_LIVE_INTERNAL_H

#include "base/intern.h"
#include "lifetimes/kmalloc.h"
#include "live/live.h"
#include "sums/own.h"
#include "sums/plain_numbers.h"
#include "sums/stackrows.h"
#include "sums/weights.h"

/* In keys by task and cgroup: not one of them, but the context of an interrupt. */
#define LT_LIVE_CONTEXT	(1ULL << 63)

/*
 * The rows of one way to add up, by number of their keys. @tick: of the latest table; @held: there
 * was one of the tick before. @numbers: of plain.c: numbers of the rows, by traits, or by task
 */
struct lt_live_rows {
	uint64_t tick;
	bool held;
	struct lt_intern keys;
	struct lt_live_row *rows;
	size_t n;
	size_t cap;
	struct lt_plain_numbers numbers;
};

/**
 * struct lt_live - a view
 * @opts: what is added up
 * @t: the trace
 * @lf: the pairing
 * @kmalloc: for lt_cache_key()
 * @stacks: by stack: those of rows
 * @weights: by stack: how many births one stands for
 * @sample: how many one stands for in all rows, unless the sample changes
 * @out: whose objects are left out; NULL: nobody's
 * @by: rows by enum lt_report_by; by process there are none, they are made of those by task
 * @merged: by process: the rows of the latest table, and the name of each
 * @n_merged: length of @merged
 * @cap_merged: room in @merged
 * @all: the sum
 * @reborn: an end that was seen by a birth at the address, and is not counted yet: if no release
 *	follows, the birth is a second event of one allocation
 * @has_reborn: there is one
 * @own_reborn: the same of an object that is left out: its address; 0: none
 * @ended: lifetimes by certainty, but for those that are alive at the end
 * @finished: the trace is at its end
 * @watched: first allocation, ns; UINT64_MAX: none yet
 * @part: when the present part of the window began, ns
 * @latest: time of the latest event, ns
 * @ticks: how many there were
 * @all_tick: of the latest table
 * @table: the latest one
 * @cap_table: room in its rows
 */
struct lt_live {
	struct lt_live_options opts;
	struct lt_trace *t;
	struct lt_lifetimes *lf;
	struct lt_kmalloc kmalloc;
	struct lt_row_stacks *stacks;
	struct lt_weights weights;
	unsigned int sample;
	struct lt_own *out;
	struct lt_live_rows by[LT_BY_PIECE];
	struct lt_live_row *merged;
	size_t n_merged;
	size_t cap_merged;
	struct lt_live_row all;
	struct lt_obj reborn;
	bool has_reborn;
	uint64_t own_reborn;
	uint64_t ended[LT_N_CERTAINTIES];
	bool finished;
	uint64_t watched;
	uint64_t part;
	uint64_t latest;
	uint64_t ticks;
	uint64_t all_tick;
	struct lt_live_table table;
	size_t cap_table;
};

/* rows.c */
void lt_live_row_init(struct lt_live_row *row);
void lt_live_row_destroy(struct lt_live_row *row);
/* Forgets what was alive in the latest table. */
void lt_live_forget_alive(struct lt_live_row *row);

/* The row of an object, in the rows @by; a new one may move the others. */
struct lt_live_row *lt_live_row_of(struct lt_live *l, enum lt_report_by by, const struct lt_obj *o);

/* The ways to add up of which rows are kept. */
bool lt_live_keeps(const struct lt_live *l, enum lt_report_by by);

/* How many objects alive now this object stands for. */
uint64_t lt_live_sample(const struct lt_live *l, const struct lt_obj *o);
/* How many in the rows @by, of @sample. */
uint64_t lt_live_weight(const struct lt_live *l, enum lt_report_by by, const struct lt_obj *o,
			uint64_t sample);

/* Whether the view is about the object. */
bool lt_live_wants(const struct lt_live *l, const struct lt_obj *o);

/* live.c: adds an object that is alive at @time to a row. */
void lt_live_add_alive(struct lt_live_row *row, const struct lt_obj *o, enum lt_certainty certainty,
		       uint64_t time, uint64_t weight);

/* plain.c: the callbacks for what leaves no doubt, if the view can use them. */
void lt_live_plain_ops(const struct lt_live *l, struct lt_lifetime_ops *ops);

#endif /* LT_LIVE_INTERNAL_H */
