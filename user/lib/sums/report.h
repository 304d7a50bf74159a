/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Report: lifetimes, summed up by call site, stack, cache, task or size.
 */
#ifndef LT_SUMS_REPORT_H
#define LT_SUMS_REPORT_H

#include "base/hist.h"
#include "lifetimes/kmalloc.h"
#include "lifetimes/lifetime.h"
#include "sums/coverage.h"
#include "sums/filter.h"
#include "sums/pieces.h"
#include "sums/stackrows.h"
#include "sums/weights.h"
#include "trace/trace.h"

enum lt_report_by {
	LT_BY_SITE,
	LT_BY_CACHE,
	LT_BY_TASK,
	LT_BY_PROCESS,
	LT_BY_SIZE,
	LT_BY_CGROUP,
	LT_BY_STACK,
	LT_BY_SYSCALL,
	LT_BY_CALL,
	LT_BY_PIECE,		/* cache and site, and task; see pieces.h */
};

/* What a report sums up, and its limits. Times in ns. */
struct lt_report_options {
	enum lt_report_by by;
	enum lt_space space;	/* of which memory; LT_SPACE_NONE: of slab objects */
	bool no_recorder;	/* without what the tracer itself allocated: own.h */
	uint64_t short_ns;	/* short-lived: not longer than this */
	uint32_t within;	/* ended within this many further allocations */
	uint64_t long_ns;	/* long-lived: at least this */
	struct lt_filter *filter;	/* only what it wants; NULL: everything */
	/*
	 * By cgroup and by call: the number of that in which a task was at a time, below 2^63, 0:
	 * none, or not known; and its name.
	 */
	uint64_t (*group)(const void *arg, const struct lt_task *task, uint64_t time);
	const char *(*group_name)(const void *arg, uint64_t number, char *buf, size_t size);
	const void *groups;		/* @arg */
	unsigned int depth;		/* by stack: so many frames distinguish rows; 0: all */
	bool skip_wrappers;		/* by stack: see struct lt_row_stacks */
	uint64_t at;			/* as if the trace had ended then; 0: it did not */
	bool comms;			/* by piece: the name of the task that it had then, too */
	bool estimate;			/* of a sample (--sample): make up for what it left out */
	bool no_spans;			/* rows have no @life and @ages, and so no percentiles */
	/* rows need no more than @births, @bytes, @waste, @lifetimes, @live and @maybe */
	bool brief;
};

/**
 * struct lt_report_row - all allocations of one call site, cache, task, program or size
 * @key: what the row is about, as a number; 0: not known
 * @site: by site: call site
 * @cache: lt_cache_key(): by cache that of the row, otherwise of its first allocation
 * @task: by task and process; NULL: the row is of an interrupt, or the task is not known
 * @tasks: by process: number of tasks of the name that @task has
 * @group: by cgroup and by call: its number; 0: none, or the row is of an interrupt
 * @context: by task, process, cgroup and call: enum lt_context
 * @stack: by stack: a number for lt_report_stack(); 0: not even the call site is known
 * @size: by size: the largest request of the row, a power of two
 * @births: allocations. A page block that was freed in parts is one, in the row of the
 *	whole block; in all numbers of lifetimes below each part is one, of its own size.
 * @bytes: bytes given to @births
 * @waste: slack: of @bytes, those that were not requested
 * @lifetimes: those that ended, and what is alive at the end
 * @live: lifetimes that are alive at the end
 * @live_bytes: bytes of @live
 * @maybe: uncertain lifetimes without an end, not in @live: alive at the end, unless
 *	their free was lost or not watched
 * @maybe_bytes: bytes of @maybe
 * @unsure_bytes: bytes of all lifetimes that are neither exact nor open
 * @now: alive at the current event, while the report is being made
 * @now_bytes: bytes of @now
 * @peak: alive when most bytes of the whole trace were alive; an object whose free was
 *	lost counts as alive
 * @peak_bytes: bytes of @peak
 * @kept: while the report is being made: the number of the peak that @peak is of
 * @hollow: while it is made: of its objects none has ended, and some are gone, whose ends come
 *	later
 * @listed: meanwhile: so many of struct lt_plain_sums, each with a birth or an end, are to be added
 * @shorts: exact lifetimes not longer than short_ns
 * @within: exact lifetimes that ended within so many further allocations
 * @longs: exact and open lifetimes of at least long_ns
 * @other_cpu: exact lifetimes that ended on another CPU
 * @other_context: exact lifetimes that ended in another context
 * @outlived: exact and open lifetimes that lasted longer than the task that made the
 *	object, and were not ended by that task
 * @life: durations of the exact lifetimes
 * @ages: durations so far of the open lifetimes
 * @births_off, @bytes_off, @live_off, @live_bytes_off: if lt_report_estimates(): how far @births,
 *	@bytes, @live and @live_bytes may be from the true numbers; they are estimates then, as
 *	all numbers of the row; see weights.h. In a sum of rows, those of @live and @live_bytes.
 */
struct lt_report_row {
	uint64_t key;
	uint64_t site;
	uint64_t cache;
	const struct lt_task *task;
	uint64_t tasks;
	uint64_t group;
	unsigned int context;
	uint32_t stack;
	uint32_t listed;
	uint64_t size;
	uint64_t births;
	uint64_t bytes;
	uint64_t waste;
	uint64_t lifetimes;
	uint64_t live;
	uint64_t live_bytes;
	uint64_t maybe;
	uint64_t maybe_bytes;
	uint64_t unsure_bytes;
	uint64_t now;
	uint64_t now_bytes;
	uint64_t peak;
	uint64_t peak_bytes;
	uint64_t kept;
	bool hollow;
	uint64_t shorts;
	uint64_t within;
	uint64_t longs;
	uint64_t other_cpu;
	uint64_t other_context;
	uint64_t outlived;
	struct lt_hist life;
	struct lt_hist ages;
	struct lt_spread births_off;
	struct lt_spread bytes_off;
	struct lt_spread live_off;
	struct lt_spread live_bytes_off;
};

/*
 * Whether a row is to be printed. By size there are rows without an allocation, of parts
 * of page blocks; and a part that was alive at the peak and cut later leaves no lifetime
 * of its size.
 */
static inline bool lt_report_row_counts(const struct lt_report_row *row)
{
	return row->births || row->lifetimes || row->peak;
}

/**
 * struct lt_report - the result
 * @opts: what was summed up
 * @trace: the trace, open until lt_report_free()
 * @kmalloc: for lt_cache_key()
 * @stacks: by stack: those of the rows
 * @pieces: by piece: those of the rows, by lt_report_row.key
 * @rows: in no order
 * @n_rows: length of @rows
 * @all: the sum of all rows
 * @watched: ns, the first allocation that was seen: before it, while probes were being
 *	attached, there may have been others. From then to lt_trace_end() births were watched.
 * @peak_bytes: most bytes that were alive at once, 0: none ever, or not known, because the
 *	filter needs the end of an object
 * @peak_time: ns, when they were
 * @stats: of the pairing
 * @own_births: allocations that no_recorder left out, of those that the filter wants
 * @own_bytes: their bytes
 * @own_live_bytes: of these, those without an end
 * @stacks_one_in: by stack: the births at one address in so many have their stack, and stand in
 *	the rows for all; 0: each birth stands for itself
 * @sample: the objects at one address in so many were recorded, and stand in all rows, the sum of
 *	all, the peak and what is said of the recorder for all objects; 0: each stands for itself
 * @coverage: for lt_coverage_rows(); NULL in further ones of lt_reports_make()
 * @borrows_trace: @trace is that of the first report of lt_reports_make()
 */
struct lt_report {
	struct lt_report_options opts;
	struct lt_trace *trace;
	struct lt_kmalloc kmalloc;
	struct lt_row_stacks *stacks;
	struct lt_pieces *pieces;
	struct lt_report_row *rows;
	size_t n_rows;
	struct lt_report_row all;
	uint64_t watched;
	uint64_t peak_bytes;
	uint64_t peak_time;
	struct lt_lifetime_stats stats;
	uint64_t own_births;
	uint64_t own_bytes;
	uint64_t own_live_bytes;
	unsigned int stacks_one_in;
	unsigned int sample;
	struct lt_coverage *coverage;
	bool borrows_trace;
};

/* Whether the numbers of the rows are estimates. */
static inline bool lt_report_estimates(const struct lt_report *r)
{
	return r->stacks_one_in || r->sample;
}

/**
 * lt_report_make() - read a trace, once, and sum it up; twice if a cache was announced late
 * Return: NULL after reporting the error.
 */
struct lt_report *lt_report_make(const char *path, const struct lt_report_options *opts);

struct lt_lifetime_fan;

/**
 * struct lt_reports_guest - who takes the lifetimes of the pass that makes reports
 * @begin: adds passes over the trace @t, which is that of the reports
 * @again: the pass is made again, without the guest: a cache was announced late. What was made is
 *	of a trace that is closed behind this call.
 * @arg: passed to both
 */
struct lt_reports_guest {
	void (*begin)(void *arg, struct lt_trace *t, struct lt_lifetime_fan *fan);
	void (*again)(void *arg);
	void *arg;
};

/**
 * lt_reports_make() - make several reports, with the passes of one
 * @opts: what each is by; the space, the filter and whether there is a recorder are the same in all
 * @n: their number, at least 1
 * @reports: the results, or NULL. The first one is freed last: it has the trace of all.
 * @guest: NULL, or without estimates and filters: takes the same lifetimes
 * Return: 0, or -1 after reporting the error.
 */
int lt_reports_make(const char *path, const struct lt_report_options *opts, size_t n,
		    struct lt_report **reports, const struct lt_reports_guest *guest);

/*
 * ns in which the allocations of a report were watched, and were not left out by a filter of time.
 */
uint64_t lt_report_watched(const struct lt_report *r);

/* @r may be NULL. */
void lt_report_free(struct lt_report *r);

/**
 * lt_report_percentile() - how long the objects of a row live
 * @ns: the age at which @percent % of them have ended, as estimated by lt_hist_survival() from
 *	the exact and the open lifetimes; if so many had not ended at any age that was seen, the
 *	greatest of these ages
 * Return: false: @ns is not the percentile, but less than it, or 0 if the row has no exact and
 * no open lifetime.
 */
bool lt_report_percentile(const struct lt_report_row *row, double percent, uint64_t *ns);
/* That for several, in ascending order. Return: how many of @ns are percentiles. */
size_t lt_report_percentiles(const struct lt_report_row *row, const double *percents, size_t n,
			     uint64_t *ns);

/*
 * The stack of a row by stack. Of an allocation whose stack was not recorded it is the call site
 * alone, with LT_STACK_UNKNOWN. Valid as long as @r.
 */
struct lt_stack lt_report_stack(const struct lt_report *r, const struct lt_report_row *row);

/*
 * Adds a row to a sum, which lt_report_row_init() has begun; but for what the row is about, and for
 * the spreads of its births.
 */
void lt_report_row_merge(struct lt_report_row *to, const struct lt_report_row *from);
void lt_report_row_init(struct lt_report_row *row);
void lt_report_row_destroy(struct lt_report_row *row);

/* What a row is about, as text, in @buf or elsewhere; valid as long as @buf and @r. */
const char *lt_report_label(const struct lt_report *r, const struct lt_report_row *row, char *buf,
			    size_t size);

#endif /* LT_SUMS_REPORT_H */
