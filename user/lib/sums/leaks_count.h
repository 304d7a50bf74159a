/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Leaks in the making. Calls go downwards: leaks.c, leaks_count.c.
 */
#ifndef LT_SUMS_LEAKS_COUNT_H
#define LT_SUMS_LEAKS_COUNT_H

#include "base/intern.h"
#include "lifetimes/read.h"
#include "sums/leaks.h"
#include "sums/own.h"

/**
 * struct lt_leak_ends - what steps have ended of objects with the same traits, and is not in a row
 *	yet
 * @row: the number of their row, plus 1; 0: it is not known
 * @ends: objects
 * @born: of these, in the window lt_leak_finder.near, and in the one before it
 */
struct lt_leak_ends {
	uint32_t row;
	uint32_t ends;
	uint32_t born[2];
};

/**
 * struct lt_leak_finder - leaks in the making
 * @l: the result
 * @keys: numbers of the rows' keys
 * @cap_rows: room in the rows
 * @begin: ns, the first allocation that was seen, from which on births were watched; UINT64_MAX:
 *	none was
 * @end: ns, its end
 * @out: whose objects are left out; NULL: nobody's
 * @weights: of the births, by row
 * @all: births, also those that a filter leaves out
 * @lf: of steps: the pairing
 * @plain: of steps, by traits, until @renewals changes; @n_plain of them, @pending ends or less
 * @near: the window of most objects that end now, and of those that were born before them: those
 *	from
 *	@near_from on, of those from @before_near on, and before @near_to
 */
struct lt_leak_finder {
	struct lt_leaks *l;
	struct lt_trace *t;
	struct lt_lifetimes *lf;
	struct lt_leak_ends *plain;
	size_t n_plain;
	uint32_t renewals;
	uint64_t pending;
	unsigned int near;
	uint64_t before_near;
	uint64_t near_from;
	uint64_t near_to;
	struct lt_kmalloc kmalloc;
	struct lt_intern keys;
	size_t cap_rows;
	uint64_t begin;
	uint64_t end;
	struct lt_own *out;
	struct lt_weights weights;
	struct lt_counted all;
};

/* The window of a time at which an object is old, or would be. */
static inline unsigned int lt_leak_window(const struct lt_leak_finder *f, uint64_t time)
{
	uint64_t n = (time - f->begin - f->l->opts.older_ns) / f->l->window;

	return n < LT_LEAK_WINDOWS ? (unsigned int)n : LT_LEAK_WINDOWS - 1;
}

/* Whether an object that was born then would have been old at the end. */
static inline bool lt_leak_is_in_windows(const struct lt_leak_finder *f, uint64_t birth)
{
	return f->l->window && birth >= f->begin && birth <= f->end &&
	       f->end - birth >= f->l->opts.older_ns;
}

/* The row of a call site; its first allocation decides what it is about. */
struct lt_leak_row *lt_leak_begin_row(struct lt_leak_finder *f, uint64_t site, uint64_t cache);

/* Counts an object in the windows that has become old; @end: when it was freed, 0: it was not */
void lt_leak_add_old(struct lt_leak_finder *f, struct lt_leak_row *row, uint64_t birth,
		     uint64_t end);

/* At the first allocation. */
void lt_leaks_begin_watch(struct lt_leak_finder *f, uint64_t time);

/* What steps have ended is in the rows then. */
void lt_leaks_settle(struct lt_leak_finder *f);

#endif /* LT_SUMS_LEAKS_COUNT_H */
