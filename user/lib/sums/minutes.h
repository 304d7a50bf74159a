/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Minutes: lifetimes added up by minute, call site, cache, task name and cgroup. All numbers of a
 * row are sums, so rows may be added up further: over minutes, sites, traces and machines.
 *
 * What a lifetime adds at its birth counts in the minute of its birth, what it adds at its end in
 * the minute of that. What is alive at the end of the trace counts in the minute of its birth, so
 * that its age is known, too.
 *
 * Memory is bounded: when there are LT_MINUTE_ROWS rows, they are handed out, and lifetimes that
 * follow make new ones. So several rows may have one key.
 */
#ifndef LT_SUMS_MINUTES_H
#define LT_SUMS_MINUTES_H

#include "base/map.h"
#include "base/names.h"
#include "lifetimes/kmalloc.h"
#include "lifetimes/lifetime.h"
#include "trace/trace.h"

#define LT_MINUTE_ROWS	(1U << 16)
#define LT_MINUTE_POWERS	64

/**
 * struct lt_minute_key - what distinguishes rows
 * @minute: minutes since 1970, of the wall clock; without one, of the trace's clock
 * @cache: lt_cache_key(), 0: none or not known
 * @site: call site that allocated, 0: not known
 * @cgroup: id of that of the task, 0: not known
 * @comm: number in lt_minutes.names: the task's name when it allocated; 0: none
 * @space: enum lt_space
 * @context: enum lt_context; of lifetimes whose birth was not seen that of the end
 * @recorder: the tracer itself allocated it: own.h
 * @born: the birth was seen
 */
struct lt_minute_key {
	uint64_t minute;
	uint64_t cache;
	uint64_t site;
	uint64_t cgroup;
	uint32_t comm;
	uint8_t space;
	uint8_t context;
	uint8_t recorder;
	uint8_t born;
};

/**
 * struct lt_minute_row - a row
 * @key: what it is about
 * @births: born in the minute, parts of page blocks each on its own
 * @bytes: bytes of @births
 * @waste: of these, those that were not requested
 * @exact, @bounded, @uncertain: ended in the minute, by certainty; of a bounded lifetime the end is
 *	the latest possible one
 * @ended_bytes: bytes of these
 * @before: ended in the minute, and the birth was not seen
 * @exact_ns: the sum of the exact lifetimes; UINT64_MAX: that, or more
 * @powers: of the exact lifetimes: how many were of 2^n ns and less than 2^(n+1); NULL: none
 * @n_powers: of @powers, up to the last that is not 0
 * @open: born in the minute, and alive at the end
 * @open_bytes: bytes of @open
 * @maybe: born in the minute, and alive at the end unless the end was not seen
 * @maybe_bytes: bytes of @maybe
 */
struct lt_minute_row {
	struct lt_minute_key key;
	uint64_t births;
	uint64_t bytes;
	uint64_t waste;
	uint64_t exact;
	uint64_t bounded;
	uint64_t uncertain;
	uint64_t ended_bytes;
	uint64_t before;
	uint64_t exact_ns;
	uint64_t *powers;
	unsigned int n_powers;
	uint64_t open;
	uint64_t open_bytes;
	uint64_t maybe;
	uint64_t maybe_bytes;
};

struct lt_minutes;

/**
 * struct lt_minute_options - what distinguishes rows besides minute, space and recorder
 * @cache, @site, @task, @cgroup: whether that does
 * @row: receives a row; those of one hand-out are in the order of their minutes, then in an order
 *	that depends on the trace only. Valid during the call.
 * @arg: for @row
 * @cgroup_of: the cgroup of a task at a time, 0: not known; NULL: none is known
 * @cgroups: for @cgroup_of
 * @most: rows in memory; 0: LT_MINUTE_ROWS
 */
struct lt_minute_options {
	bool cache;
	bool site;
	bool task;
	bool cgroup;
	void (*row)(void *arg, const struct lt_minutes *m, const struct lt_minute_row *row);
	void *arg;
	uint64_t (*cgroup_of)(const void *arg, const struct lt_task *task, uint64_t time);
	const void *cgroups;
	size_t most;
};

/**
 * struct lt_minutes - rows in the making
 * @opts: the options
 * @trace: for the clock and the caches
 * @own: what the tracer itself allocated
 * @names: of tasks, of the rows in memory
 */
struct lt_own;

struct lt_minutes {
	struct lt_minute_options opts;
	const struct lt_trace *trace;
	struct lt_kmalloc kmalloc;
	struct lt_own *own;
	struct lt_names names;
	struct lt_minute_row *rows;
	size_t n_rows;
	struct lt_map by_key;
	uint64_t seed;
};

struct lt_minutes *lt_minutes_new(const struct lt_trace *t, const struct lt_minute_options *opts);
/* @m may be NULL. */
void lt_minutes_free(struct lt_minutes *m);

/* Adds a lifetime, as it is handed out by the pairing. */
void lt_minutes_add(struct lt_minutes *m, const struct lt_lifetime *l);

/* Hands out all rows that are in memory. */
void lt_minutes_flush(struct lt_minutes *m);

/* The minute of a time of the trace, ns, as in struct lt_minute_key. */
uint64_t lt_minute_of(const struct lt_trace *t, uint64_t time);

#endif /* LT_SUMS_MINUTES_H */
