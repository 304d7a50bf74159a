/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Advice: what of the use of one kind of memory could be better, by call site.
 *
 * The kinds of advice have no common unit, so each is weighed by what it concerns: a part of all
 * allocations, of all frees, of the bytes that are alive on average, or of those alive at the
 * end. What concerns less than LT_ADVICE_LEAST_PART of that, or few objects, is left out; so the
 * list is as long as there is something to gain.
 */
#ifndef LT_SUMS_ADVICE_H
#define LT_SUMS_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "sums/filter.h"
#include "sums/leaks.h"

#define LT_ADVICE_LEAST_PART	0.01	/* of the whole that it concerns */
#define LT_ADVICE_LEAST_OBJECTS	100
#define LT_ADVICE_LEAST_BYTES	4096	/* of advice about bytes */
#define LT_ADVICE_AT_ONCE	0.9	/* part of a site's objects that are freed at once */
#define LT_ADVICE_SHORT_NS	1000000	/* at once: after that time at most, */
#define LT_ADVICE_WITHIN	16	/* and that many further allocations */
#define LT_ADVICE_WAITING	3	/* sites that the piece about RCU names */
#define LT_ADVICE_STACK_BYTES	256	/* larger objects do not belong on a kernel's stack */

/**
 * enum lt_advice_kind - what the advice is about
 * @LT_ADVICE_LEAK: lt_leak_judge() is certain that the site leaks. Of the bytes alive.
 * @LT_ADVICE_ON_STACK: Objects of up to LT_ADVICE_STACK_BYTES are freed at once by the task and
 *	the function that made them. Of the allocations.
 * @LT_ADVICE_AT_ONCE_FREED: Objects are freed at once by the task that made them. Of the
 *	allocations.
 * @LT_ADVICE_SLACK: More than a third of the bytes given were not asked for. Of the bytes that
 *	are alive on average.
 * @LT_ADVICE_OTHER_CPU: More than half are freed on another CPU. Of the frees.
 * @LT_ADVICE_RCU: The time from kfree_rcu() to the release, of all sites together: there is one
 *	such piece, since all wait for the same. Of the bytes alive or waiting, on average.
 * @LT_ADVICE_OUTLIVES: More than half of those alive at the end outlive their task; not in the
 *	caches of files, which keep what they have until memory is short. Of the bytes alive.
 * @LT_ADVICE_GROWS: lt_leak_grows(), but it is not certain to leak. Of the bytes alive.
 * @LT_N_ADVICE: their number
 */
enum lt_advice_kind {
	LT_ADVICE_LEAK,
	LT_ADVICE_ON_STACK,
	LT_ADVICE_AT_ONCE_FREED,
	LT_ADVICE_SLACK,
	LT_ADVICE_OTHER_CPU,
	LT_ADVICE_RCU,
	LT_ADVICE_OUTLIVES,
	LT_ADVICE_GROWS,
	LT_N_ADVICE,
};

/**
 * struct lt_advice_site - what was counted of one call site
 * @site: call site, 0: not known
 * @cache: lt_cache_key() of its first lifetime
 * @of_files: it is one of the kernel's caches of files
 * @births: allocations
 * @bytes: that they were given
 * @slack: of @bytes, not asked for
 * @largest: bytes of its largest object
 * @frees: lifetimes that are exact
 * @at_once: of @frees, after LT_ADVICE_SHORT_NS and LT_ADVICE_WITHIN at most, by the task that
 *	made the object; not by kfree_rcu()
 * @same_function: of @at_once, by the function that made it
 * @at_once_ns: sum of these lifetimes
 * @other_cpu: of @frees, on another CPU
 * @rcu: releases that were seen after kfree_rcu()
 * @rcu_ns: sum of the times until then
 * @rcu_byte_ns: sum of bytes by these times
 * @byte_ns: sum of bytes by lifetimes, of exact and open ones
 * @slack_ns: of @byte_ns, the part of @slack
 * @live: certainly alive at the end
 * @live_bytes: their bytes
 * @orphans: of @live, those whose task has exited
 * @orphan_bytes: their bytes
 */
struct lt_advice_site {
	/* What each end changes is in one line of the processor's cache. */
	_Alignas(LT_LINE) uint64_t births;
	uint64_t bytes;
	uint64_t slack;
	uint64_t largest;
	uint64_t frees;
	uint64_t other_cpu;
	double byte_ns;
	double slack_ns;
	uint64_t site;
	uint64_t cache;
	bool of_files;
	uint64_t at_once;
	uint64_t same_function;
	uint64_t at_once_ns;
	uint64_t rcu;
	uint64_t rcu_ns;
	double rcu_byte_ns;
	uint64_t live;
	uint64_t live_bytes;
	uint64_t orphans;
	uint64_t orphan_bytes;
};

/**
 * struct lt_advice - one piece of advice
 * @kind: what it is about
 * @site: its call site; of LT_ADVICE_RCU the one whose objects hold the most
 * @leak: of LT_ADVICE_LEAK and LT_ADVICE_GROWS: the row; otherwise NULL
 * @part: of the whole that the kind is about, 0 to 1
 * @objects: that it concerns
 * @of: of so many objects of the site
 * @bytes: that it concerns: those of the objects, on average at any time for slack and kfree_rcu
 * @ns: mean time, of at once and kfree_rcu; otherwise 0
 */
struct lt_advice {
	enum lt_advice_kind kind;
	const struct lt_advice_site *site;
	const struct lt_leak_row *leak;
	double part;
	uint64_t objects;
	uint64_t of;
	uint64_t bytes;
	uint64_t ns;
};

/**
 * struct lt_advisor - the result
 * @space: of which memory; of others than LT_SPACE_SLAB there is no advice on the stack, slack and
 *	CPUs of frees, which is about slab caches
 * @sites: all call sites
 * @n_sites: length of @sites
 * @all: their sum
 * @leaks: what lt_leaks_make() found
 * @waiting: those whose objects hold the most while they wait for RCU, the most first
 * @n_waiting: length of @waiting; @n_waiting_all: all that have such objects
 * @rows: the advice: leaks first, then by @part
 * @n_rows: length of @rows
 * @length: ns from the first allocation that was seen to the end of the trace
 * @uncertain: lifetimes that are uncertain, on which no advice rests
 */
struct lt_advisor {
	enum lt_space space;
	struct lt_advice_site *sites;
	size_t n_sites;
	struct lt_advice_site all;
	struct lt_leaks *leaks;
	const struct lt_advice_site *waiting[LT_ADVICE_WAITING];
	size_t n_waiting;
	size_t n_waiting_all;
	struct lt_advice *rows;
	size_t n_rows;
	uint64_t length;
	uint64_t uncertain;
};

/* advice.c */

/**
 * lt_advisor_make() - read a trace, once
 * @t: open, and no event of it was taken; it must stay open while the result is used
 * @opts: what it is about, and when objects are old
 * Return: NULL after reporting the error.
 */
struct lt_advisor *lt_advisor_make(struct lt_trace *t, const struct lt_leak_options *opts);
void lt_advisor_free(struct lt_advisor *a);

struct lt_advisor_maker;
struct lt_lifetime_pass;

/* lt_advisor_make() by a pass over @t that others make, for which @pass gets the callbacks. */
struct lt_advisor_maker *lt_advisor_begin(struct lt_trace *t, const struct lt_leak_options *opts,
					  struct lt_lifetime_pass *pass);
struct lt_advisor *lt_advisor_end(struct lt_advisor_maker *c);

/* advice_judge.c */

/* Makes the rows from what was counted. */
void lt_advisor_judge(struct lt_advisor *a);

/* The word for keys. */
const char *lt_advice_name(enum lt_advice_kind kind);
/* What @part is a part of: the word for keys, and the text for people. */
const char *lt_advice_whole_name(enum lt_advice_kind kind);
const char *lt_advice_whole_text(enum lt_advice_kind kind);

#endif /* LT_SUMS_ADVICE_H */
