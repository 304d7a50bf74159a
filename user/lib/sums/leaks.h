/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Leaks: which call sites make slab objects that are not freed, and how sure that is. (Events
 * of pages have no call site.)
 *
 * An object is old when it has lived for a given age. In each of LT_LEAK_WINDOWS equal parts
 * of the time in which that can be seen, from that age after the first allocation that was seen to
 * the end, it is counted for each site how many objects became old, and how many old ones were
 * freed. Their difference is the growth of the window. Objects that are freed young, of which
 * there may be any number at any time, do not disturb it; and in a cache whose objects come
 * and go, it is as often negative as positive. So its mean can be tested against zero.
 *
 * That the number of old objects grows does not show a leak: files that are read stay in
 * memory, too. A site is said to leak only if all of enum lt_leak_doubt do not hold.
 */
#ifndef LT_SUMS_LEAKS_H
#define LT_SUMS_LEAKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hist.h"
#include "lifetimes/lifetime.h"
#include "sums/filter.h"
#include "sums/weights.h"
#include "trace/trace.h"

#define LT_LEAK_WINDOWS		32
#define LT_LEAK_PARTS		8	/* of the births, for LT_LEAK_UNEVEN */
#define LT_LEAK_LEAST_OLD	16	/* fewer old objects show nothing */
#define LT_LEAK_LEAST_BIRTHS	100

/**
 * enum lt_leak_doubt - why a site with old objects is not certain to leak; the first that holds
 * @LT_LEAK_SURE: None of these holds: the site leaks.
 * @LT_LEAK_SHORT: The trace is shorter than twice the age.
 * @LT_LEAK_UNCERTAIN: Certain are fewer than LT_LEAK_LEAST_OLD old objects: for the others, a
 *	free may have been lost or not watched.
 * @LT_LEAK_FEW: There are fewer than LT_LEAK_LEAST_OLD old objects, or than
 *	LT_LEAK_LEAST_BIRTHS allocations.
 * @LT_LEAK_KEPT: More than half of the objects become old: the site keeps what it makes.
 * @LT_LEAK_LATE: Of the objects that became old, more than one of twenty was freed
 *	nevertheless; the others may be, too.
 * @LT_LEAK_NOT_STEADY: The number of old objects does not rise in the whole trace (t > 3.4)
 *	and in each half of it (t > 1.75), t being the mean growth of a window by its standard
 *	error.
 * @LT_LEAK_UNEVEN: The share of objects that become old is not the same all the time: with the
 *	births in LT_LEAK_PARTS parts, chi-square is above its percentile of 99.9 %.
 * @LT_N_LEAK_DOUBTS: their number
 */
enum lt_leak_doubt {
	LT_LEAK_SURE,
	LT_LEAK_SHORT,
	LT_LEAK_UNCERTAIN,
	LT_LEAK_FEW,
	LT_LEAK_KEPT,
	LT_LEAK_LATE,
	LT_LEAK_NOT_STEADY,
	LT_LEAK_UNEVEN,
	LT_N_LEAK_DOUBTS,
};

/**
 * struct lt_leak_row - all objects of one call site
 * @site: call site, 0: not known
 * @cache: lt_cache_key() of its first lifetime
 * @births: allocations
 * @live: alive at the end, certainly
 * @live_bytes: their bytes
 * @old: of @live, those that are old
 * @old_bytes: their bytes
 * @maybe: old and alive at the end unless their free was lost or not watched; not in @old
 * @maybe_bytes: their bytes
 * @late: old objects that were freed
 * @gone: of @live, those whose maker was unloaded since they were made
 * @gone_bytes: their bytes
 * @ages: of @live, ns
 * @born: births by window: those of the window would be old in it
 * @entered: objects that became old, by window
 * @left: old objects that were freed, by window
 * @sure_old, @sure_maybe, @sure_late: of @old, @maybe and @late those on which the verdict rests:
 *	each once, and of a sample that changed those in the smallest one, as in the windows
 * @growth: old objects a second, the mean of all windows
 * @growth_error: standard error of @growth
 * @bytes_growth: bytes a second of @growth, at the mean size of @old
 * @steady: @growth by @growth_error; 0: there is no growth
 * @doubt: enum lt_leak_doubt
 * @births_off, @live_off, @live_bytes_off, @old_off, @old_bytes_off: if struct lt_leaks.sample is
 *	set: how far these numbers may be from the true ones
 */
struct lt_leak_row {
	uint64_t site;
	uint64_t cache;
	uint64_t births;
	uint64_t live;
	uint64_t live_bytes;
	uint64_t old;
	uint64_t old_bytes;
	uint64_t maybe;
	uint64_t maybe_bytes;
	uint64_t late;
	uint64_t gone;
	uint64_t gone_bytes;
	struct lt_hist ages;
	uint64_t born[LT_LEAK_WINDOWS];
	uint64_t entered[LT_LEAK_WINDOWS];
	uint64_t left[LT_LEAK_WINDOWS];
	uint64_t sure_old;
	uint64_t sure_maybe;
	uint64_t sure_late;
	double growth;
	double growth_error;
	double bytes_growth;
	double steady;
	enum lt_leak_doubt doubt;
	struct lt_spread births_off;
	struct lt_spread live_off;
	struct lt_spread live_bytes_off;
	struct lt_spread old_off;
	struct lt_spread old_bytes_off;
};

/**
 * struct lt_leak_options - what to look for
 * @older_ns: an object is old at this age; 0: 10 s, or a third of what was watched if that is less
 *	than 30 s
 * @space: of which memory; LT_SPACE_NONE: slab objects
 * @no_recorder: without what the tracer itself allocated: own.h
 * @filter: only what it wants; NULL: everything
 * @estimate: of a sample (--sample): make up for what it left out
 */
struct lt_leak_options {
	uint64_t older_ns;
	enum lt_space space;
	bool no_recorder;
	struct lt_filter *filter;
	bool estimate;
};

/**
 * struct lt_leak_module - a module that was unloaded while objects that it made were alive
 * @name: of the module
 * @time: when it was unloaded, ns
 * @live: objects of it that are alive at the end, certainly
 * @live_bytes: their bytes
 * @maybe: alive at the end unless their free was lost or not watched; not in @live
 */
struct lt_leak_module {
	char *name;
	uint64_t time;
	uint64_t live;
	uint64_t live_bytes;
	uint64_t maybe;
};

/**
 * struct lt_leaks - the result
 * @opts: with the age in use
 * @rows: sites with an object that is old and perhaps alive, or whose maker is gone; first those
 *	that certainly leak, then those whose maker is gone, then those that grow, then the others,
 *	each by bytes
 * @n_rows: length of @rows
 * @n_sure: rows that certainly leak
 * @modules: those that were unloaded, as they went; @n_modules
 * @end: of the trace, ns
 * @window: ns of a window, 0: the trace is too short
 * @watched_ns: from the first allocation that was seen to the end of the trace, as in a report
 * @stats: of all lifetimes
 * @own_births: allocations that no_recorder left out, of those that the filter wants
 * @sample: the objects at one address in so many were recorded, and stand for all; 0: each stands
 *	for itself. Verdicts rest on what was recorded.
 * @sample_changed: that is of the smallest sample, and others stand for fewer
 */
struct lt_leaks {
	struct lt_leak_options opts;
	struct lt_leak_row *rows;
	size_t n_rows;
	size_t n_sure;
	struct lt_leak_module *modules;
	size_t n_modules;
	size_t cap_modules;
	uint64_t end;
	uint64_t window;
	uint64_t watched_ns;
	struct lt_lifetime_stats stats;
	uint64_t own_births;
	unsigned int sample;
	bool sample_changed;
};

/* leaks.c */

/**
 * lt_leaks_make() - read a trace, once
 * @t: open, and no event of it was taken; it must stay open while the rows are used
 * Return: NULL after reporting the error.
 */
struct lt_leaks *lt_leaks_make(struct lt_trace *t, const struct lt_leak_options *opts);
void lt_leaks_free(struct lt_leaks *l);

struct lt_leak_finder;

/*
 * Leaks for callers that pair the events themselves: the first object that is born in a space
 * begins the time that was watched, each lifetime is added when it ends.
 * lt_leaks_end() frees @f, and returns NULL after reporting that the filter names what the trace
 * does not have.
 */
struct lt_leak_finder *lt_leaks_begin(struct lt_trace *t, const struct lt_leak_options *opts);
void lt_leaks_born(struct lt_leak_finder *f, enum lt_space space, const struct lt_obj *o);
void lt_leaks_add(struct lt_leak_finder *f, const struct lt_lifetime *l);
struct lt_leaks *lt_leaks_end(struct lt_leak_finder *f);

/*
 * Such callers give it the pairing first, and what leaves no doubt as steps, if it can use these:
 * of objects with some traits.
 */
void lt_leaks_pair(struct lt_leak_finder *f, struct lt_lifetimes *lf);
bool lt_leaks_take_steps(const struct lt_leak_finder *f);
bool lt_leaks_takes(struct lt_leak_finder *f, const struct lt_traits *traits);
void lt_leaks_plain(struct lt_leak_finder *f, const struct lt_plain_steps *steps);
/* plain_reborn() of struct lt_lifetime_ops: what the row of the object is about is known. */
bool lt_leaks_take_reborn(const struct lt_leak_finder *f, uint32_t traits, uint32_t renewals);

/* leaks_judge.c */

/* Computes the growth of a row and its doubt from what was counted. @window: ns, or 0 */
void lt_leak_judge(struct lt_leak_row *row, uint64_t window);

/* Whether the old objects become more in the trace as a whole. */
bool lt_leak_grows(const struct lt_leak_row *row);

/* The word for keys and the text for people. */
const char *lt_leak_doubt_name(enum lt_leak_doubt doubt);
const char *lt_leak_doubt_text(enum lt_leak_doubt doubt);

#endif /* LT_SUMS_LEAKS_H */
