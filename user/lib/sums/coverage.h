/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Coverage: how much of the real change of the kernel's slab objects the trace explains.
 *
 * The recorder reads the kernel's own counters at the start and at the end, each time
 * between two markers. Births minus releases should equal the change of the counters. Each
 * reading is of one moment between its two markers: how far births and releases moved the
 * number of objects up and down there is part of the error.
 *
 * Where the release of what is given to kfree_rcu has no event, the call counts as the
 * release.
 */
#ifndef LT_SUMS_COVERAGE_H
#define LT_SUMS_COVERAGE_H

#include "lifetimes/kmalloc.h"
#include "lifetimes/lifetime.h"
#include "lifetimes/objtable.h"

/* The texts of these markers. */
#define LT_COVERAGE_START	"lifetrace: slab start"
#define LT_COVERAGE_END		"lifetrace: slab end"

/**
 * struct lt_coverage_row - one slab cache
 * @name: as in /proc/slabinfo; a kmalloc cache stands for all that have its size and flags
 * @real: change of its active objects
 * @traced: births minus releases
 * @places: change of the places for objects in its slabs
 * @size: bytes of an object in a slab
 * @error: by how much @real and @traced may differ with nothing missing: free objects in
 *	slabs and sheaves of CPUs count as active, the moment of a reading is not known, and
 *	what was given to kfree_rcu in the last second may not yet be released
 * @idle_in: the first of these, by reading
 * @most: objects that one event can move between active and not
 * @events: births and releases up to the second reading
 * @kmalloc: one of the kmalloc caches
 */
struct lt_coverage_row {
	char name[72];
	int64_t real;
	int64_t traced;
	int64_t places;
	uint64_t size;
	uint64_t error;
	uint64_t idle_in[2];
	uint64_t most;
	uint64_t events;
	bool kmalloc;
};

/**
 * enum lt_coverage_verdict - whether the counters can judge the trace; the first that holds
 * @LT_COVERAGE_LOST: Events of slab objects were lost: births and releases of the trace are not
 *	all that there were, and a percentage would say nothing of what was not watched.
 * @LT_COVERAGE_FILTERED: The recorder left births out (filters, sample).
 * @LT_COVERAGE_ERROR: No cache changed by more than its error, or what is apart beyond the error
 *	is more than the change.
 * @LT_COVERAGE_JUDGED: There is a percentage.
 */
enum lt_coverage_verdict {
	LT_COVERAGE_LOST,
	LT_COVERAGE_FILTERED,
	LT_COVERAGE_ERROR,
	LT_COVERAGE_JUDGED,
};

/**
 * struct lt_coverage_part - caches that the counters can judge
 * @caches: their number: those that changed, by the counters or by the trace, by more than their
 *	error. The others cannot differ by much more than it.
 * @change, @apart, @error: as in struct lt_coverage_sum, of these alone
 */
struct lt_coverage_part {
	uint64_t caches;
	uint64_t change;
	uint64_t apart;
	uint64_t error;
};

/**
 * struct lt_coverage_sum - all slab caches
 * @caches: that changed, or have an event
 * @change: sum of the absolute real changes
 * @apart: sum of the absolute differences to the traced changes
 * @beyond: of these, what is beyond each cache's error
 * @error: sum of the errors
 * @unknown_frees: releases of objects that were born before the trace, by kfree, which
 *	does not name the cache
 * @unknown_cache_frees: the same by kmem_cache_free, of kernels whose event does not name the
 *	cache
 * @unknown_requests: calls of kfree_rcu for memory of which nothing else is known, where
 *	they count as releases: objects of any cache, or memory of vmalloc
 * @births: between the readings
 * @releases: between the readings
 * @lost: events of slab objects that were lost or missed, as far as they were counted
 * @judged: of the caches of which a percentage can be said
 * @verdict: whether it can be said
 */
struct lt_coverage_sum {
	uint64_t caches;
	uint64_t change;
	uint64_t apart;
	uint64_t beyond;
	uint64_t error;
	uint64_t unknown_frees;
	uint64_t unknown_cache_frees;
	uint64_t unknown_requests;
	uint64_t births;
	uint64_t releases;
	uint64_t lost;
	struct lt_coverage_part judged;
	enum lt_coverage_verdict verdict;
};

struct lt_coverage;

struct lt_coverage *lt_coverage_new(const struct lt_trace *t);
void lt_coverage_free(struct lt_coverage *c);

/* Every event must be given to this before lt_lifetimes_event(). */
void lt_coverage_event(struct lt_coverage *c, const struct lt_event *ev);

/* As that, for events of which none is a marker, and which leave no doubt. */
void lt_coverage_plain(struct lt_coverage *c, const struct lt_plain_event *evs, size_t n);

/*
 * The number of the cache of an object; UINT32_MAX: it is not known. And births and releases of it,
 * in the place of lt_coverage_born() and lt_coverage_released(): together, if
 * lt_coverage_is_plain() before each of them, and before the next lt_coverage_event().
 */
uint32_t lt_coverage_number(struct lt_coverage *c, const struct lt_obj *obj);
bool lt_coverage_is_plain(const struct lt_coverage *c);
/*
 * Whether no reading lies between a birth and now: a release that was not seen counts as one of
 * now.
 */
bool lt_coverage_is_of_phase(const struct lt_coverage *c, uint64_t born);
void lt_coverage_count(struct lt_coverage *c, uint32_t number, uint64_t births, uint64_t releases);

/*
 * To be called by the callbacks of struct lt_lifetime_ops, for slab objects: @requested by
 * @gone where the ending is LT_END_RCU.
 */
void lt_coverage_born(struct lt_coverage *c, const struct lt_obj *obj);
void lt_coverage_requested(struct lt_coverage *c, const struct lt_obj *obj, uint64_t time);
void lt_coverage_released(struct lt_coverage *c, const struct lt_obj *obj, uint64_t time,
			  enum lt_ending ending, bool rcu);

/**
 * lt_coverage_rows() - compare readings and trace, when the trace is at its end
 * @n: gets the number of rows
 * @sum: gets the sums over all rows
 * @why: gets a text if there is nothing to compare
 * Return: rows, the largest difference first, valid as long as @c; NULL with *why set
 * when the trace has no two readings.
 */
const struct lt_coverage_row *lt_coverage_rows(struct lt_coverage *c, size_t *n,
					       struct lt_coverage_sum *sum, const char **why);

/* Percent of the change of the judged caches that the trace explains, whatever their error. */
double lt_coverage_percent(const struct lt_coverage_sum *sum);

/* By how much this may be wrong with nothing missing: their error, in percent of the change. */
double lt_coverage_percent_error(const struct lt_coverage_sum *sum);

/* That share of all caches, where what is within a cache's error counts as explained. */
double lt_coverage_beyond_percent(const struct lt_coverage_sum *sum);

/* A word for keys ("lost"), and why there is no percentage, for people; NULL: there is one. */
const char *lt_coverage_silence(const struct lt_coverage_sum *sum);

#endif /* LT_SUMS_COVERAGE_H */
