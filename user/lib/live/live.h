/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A live view: what is alive, what allocates, and how long it lives, at any time of a trace, by
 * call site, stack, slab cache, task, program or cgroup.
 *
 * Events go in, in their order; a table comes out whenever one is asked for. Memory is
 * proportional to what is alive and to the number of rows, not to the length of the trace.
 * At the end of a trace a table has the figures of a report.
 */
#ifndef LT_LIVE_LIVE_H
#define LT_LIVE_LIVE_H

#include "base/hist.h"
#include "lifetimes/lifetime.h"
#include "sums/report.h"
#include "trace/trace.h"

/**
 * struct lt_live_options - what is added up
 * @space: of which memory; LT_SPACE_NONE: of slab objects
 * @by: bit n: tables by enum lt_report_by n will be asked for; SIZE, CALL and PIECE are not among
 *	them
 * @no_recorder: without what the tracer itself allocated: sums/own.h
 * @window_ns: lifetimes that ended longer ago do not count for percentiles; 0: all count
 * @cgroup, @cgroup_name, @cgroups: as @group, @group_name, @groups in struct lt_report_options
 */
struct lt_live_options {
	enum lt_space space;
	unsigned int by;
	bool no_recorder;
	uint64_t window_ns;
	uint64_t (*cgroup)(const void *arg, const struct lt_task *task, uint64_t time);
	const char *(*cgroup_name)(const void *arg, uint64_t id, char *buf, size_t size);
	const void *cgroups;
};

#define LT_LIVE_ALL_BY	(1U << LT_BY_SITE | 1U << LT_BY_CACHE | 1U << LT_BY_TASK | 1U << \
			 1U << LT_BY_PROCESS | 1U << LT_BY_CGROUP | 1U << LT_BY_STACK)

/**
 * struct lt_live_count - what only grows
 * @births: allocations
 * @frees: ends of objects whose birth was seen
 * @born: bytes of @births
 * @freed: bytes of @frees
 */
struct lt_live_count {
	uint64_t births;
	uint64_t frees;
	uint64_t born;
	uint64_t freed;
};

/**
 * struct lt_live_row - one call site, stack, cache, task, program or cgroup
 * @key: what the row is about, 0: not known
 * @site: by site and stack: the call site
 * @cache: by cache: lt_cache_key()
 * @task: by task and process; NULL: an interrupt, or not known
 * @cgroup: by cgroup: its id; 0: not known, or an interrupt
 * @context: by task, process and cgroup: enum lt_context
 * @stack: by stack: a number for lt_live_stack()
 * @tasks: by process: tasks of the name
 * @count: since the first event
 * @before: the same, at the latest tick
 * @last: what the latest interval, between two ticks, has added
 * @alive: certainly alive now
 * @alive_bytes: bytes of @alive
 * @maybe: alive, unless their free was lost or not watched; not in @alive
 * @maybe_bytes: bytes of @maybe
 * @held: bytes that are alive, or may be, when the first table of the latest tick was made
 * @held_before: the same, of the tick before
 * @oldest: birth of the oldest in @alive, ns; UINT64_MAX: there is none
 * @life: durations of the exact lifetimes that ended in the window, in its two parts, the
 *	present one first
 * @ages: of @alive
 */
struct lt_live_row {
	uint64_t key;
	uint64_t site;
	uint64_t cache;
	const struct lt_task *task;
	uint64_t cgroup;
	unsigned int context;
	uint32_t stack;
	uint64_t tasks;
	struct lt_live_count count;
	struct lt_live_count before;
	struct lt_live_count last;
	uint64_t alive;
	uint64_t alive_bytes;
	uint64_t maybe;
	uint64_t maybe_bytes;
	uint64_t held;
	uint64_t held_before;
	uint64_t oldest;
	struct lt_hist life[2];
	struct lt_hist ages;
};

struct lt_live;

/**
 * struct lt_live_table - what there is at a time
 * @by: what its rows are
 * @time: of the latest tick, ns
 * @since: of the tick before, or of the first allocation that was seen; ns
 * @held: there was a table of the tick before, so that rows have @held_before
 * @all_held: the same, by anything, for @all
 * @rows: pointers to the rows that count anything, in no order
 * @n: length of @rows
 * @all: the sum of all rows
 * @certainty: lifetimes by enum lt_certainty: those that have ended, and what is alive
 * @loss: of the allocators' events: seen, lost and filtered, as far as packets have come
 * @gaps: intervals in which events were lost, so far
 * @own_births: allocations that no_recorder left out, so far
 *
 * Valid until the next event or table.
 */
struct lt_live_table {
	enum lt_report_by by;
	uint64_t time;
	uint64_t since;
	bool held;
	bool all_held;
	struct lt_live_row **rows;
	size_t n;
	struct lt_live_row *all;
	uint64_t certainty[LT_N_CERTAINTIES];
	struct lt_live_loss {
		uint64_t seen;
		uint64_t lost;
		uint64_t filtered;
	} loss;
	size_t gaps;
	uint64_t own_births;
};

/* live.c */

/* @t: must live as long as the result; no event of it was taken. @opts is copied. */
struct lt_live *lt_live_new(struct lt_trace *t, const struct lt_live_options *opts);
/* @l may be NULL. */
void lt_live_free(struct lt_live *l);

/* The next event of the trace. */
void lt_live_event(struct lt_live *l, const struct lt_event *ev);

/* The next events, as from lt_trace_next_plain(). */
void lt_live_plain(struct lt_live *l, const struct lt_plain_event *evs, size_t n);

/* The trace is at its end: what was undecided is decided. Only tables may be asked for then. */
void lt_live_finish(struct lt_live *l);

/* table.c */

/* An interval ends, and another one begins. @time: now, ns: not before the latest event. */
void lt_live_tick(struct lt_live *l, uint64_t time);

/**
 * lt_live_table() - a table, after the first tick
 * @by: one that the options have
 *
 * What has happened is as of the latest tick, what is alive as of the latest event. Takes time
 * proportional to what is alive.
 */
const struct lt_live_table *lt_live_table(struct lt_live *l, enum lt_report_by by);

/*
 * A value of a row a second, in the latest interval: allocations, frees, bytes. Bytes are those
 * that are alive compared with those of the table before; without one they are those of births
 * less those of frees, and then an object of a slab cache whose size was not known yet has none.
 */
double lt_live_births(const struct lt_live_table *t, const struct lt_live_row *row);
double lt_live_frees(const struct lt_live_table *t, const struct lt_live_row *row);
double lt_live_growth(const struct lt_live_table *t, const struct lt_live_row *row);

/**
 * lt_live_percentile() - how long the objects of a row live
 * @ns: the age at which @percent % have ended
 *
 * Without a window as lt_report_percentile(); with one, of the exact lifetimes that ended in it.
 * Return: false: @ns is not the percentile, but less than it, or 0 if nothing is known.
 */
bool lt_live_percentile(const struct lt_live *l, const struct lt_live_row *row, double percent,
			uint64_t *ns);

/* The durations of the exact lifetimes of a row that ended in the window; to be destroyed. */
void lt_live_lifetimes(const struct lt_live_row *row, struct lt_hist *h);

/* What a row is about, as text, in @buf or elsewhere; valid as long as @buf and the trace. */
const char *lt_live_label(const struct lt_live *l, const struct lt_live_row *row,
			  enum lt_report_by by, char *buf, size_t size);

/* The stack of a row by stack; valid until the next event. */
struct lt_stack lt_live_stack(const struct lt_live *l, const struct lt_live_row *row);

#endif /* LT_LIVE_LIVE_H */
