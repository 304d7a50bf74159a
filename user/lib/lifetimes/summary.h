/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Report: lifetimes, summed up by who made them or what they are.
 */
#ifndef LT_LIB_REPORT_H
#define LT_LIB_REPORT_H

#include "lifetimes/coverage.h"
#include "base/hist.h"
#include "lifetimes/kmalloc.h"
#include "lifetimes/lifetime.h"
#include "trace/trace.h"

enum lt_report_by {
	LT_BY_SITE,
	LT_BY_CACHE,
	LT_BY_TASK,
	LT_BY_SIZE,
};

/* What a report looks at and how. Times in ns. */
struct lt_report_options {
	enum lt_report_by by;
	bool pages;		/* of pages; otherwise of slab objects */
	uint64_t short_ns;	/* short-lived: not longer than this */
	uint32_t within;	/* … or: not more allocations than this later */
	uint64_t long_ns;	/* long-lived: at least this */
};

/**
 * struct lt_report_row - all allocations of one site, cache, task or size
 * @site: call site, by site
 * @cache: lt_cache_key(), by cache; of other rows that of the first allocation
 * @task: by task; NULL: in an interrupt of the context
 * @context: by task: enum lt_context
 * @size: by size: the largest request of the row, a power of two
 * @births: allocations; of a block of pages that was freed in parts one, in the
 *	row of the whole block. All below are of lifetimes: there each part is one,
 *	and of its own size.
 * @bytes: given to them in all, counted as @births
 * @waste: of these, not asked for
 * @lifetimes: those that ended, and what is alive at the end
 * @live: alive at the end, and their bytes
 * @maybe: alive at the end unless their free was lost or not watched: uncertain, and
 *	not among @live
 * @peak: alive when most bytes were alive in the whole trace, and their bytes; as far
 *	as was seen: whose free was lost counts as alive
 * @shorts: not longer than short_ns
 * @within: ended not more than so many allocations later
 * @longs: at least long_ns, those that are alive at the end too, but not those
 *	whose end was not seen
 * @other_cpu: freed on another CPU
 * @other_context: freed in another context
 * @outlived: ended, or alive at the end, after the exit of the task that made it
 *	and not by that task
 * @life: lifetimes of the exact ones
 */
struct lt_report_row {
	uint64_t key;
	uint64_t site;
	uint64_t cache;
	const struct lt_task *task;
	unsigned int context;
	uint64_t size;
	uint64_t births;
	uint64_t bytes;
	uint64_t waste;
	uint64_t lifetimes;
	uint64_t live;
	uint64_t live_bytes;
	uint64_t maybe;
	uint64_t maybe_bytes;
	uint64_t now;
	uint64_t now_bytes;
	uint64_t peak;
	uint64_t peak_bytes;
	uint64_t shorts;
	uint64_t within;
	uint64_t longs;
	uint64_t other_cpu;
	uint64_t other_context;
	uint64_t outlived;
	struct lt_hist life;
};

/*
 * Whether there is anything to tell of a row. By size there are rows without an
 * allocation, of parts of blocks of pages; and a part that was alive at the peak and
 * cut later has left no lifetime of its size.
 */
static inline bool lt_report_row_counts(const struct lt_report_row *row)
{
	return row->births || row->lifetimes || row->peak;
}

/**
 * struct lt_report - the result
 * @rows: in no order
 * @all: the sum of all rows
 * @peak_bytes: most bytes that were alive at once, and when, unless they are 0
 * @stats: of the pairing
 * @coverage: for lt_coverage_rows()
 */
struct lt_report {
	struct lt_report_options opts;
	struct lt_trace *trace;
	struct lt_kmalloc kmalloc;
	struct lt_report_row *rows;
	size_t n_rows;
	struct lt_report_row all;
	uint64_t peak_bytes;
	uint64_t peak_time;
	struct lt_lifetime_stats stats;
	struct lt_coverage *coverage;
};

/**
 * lt_report_make() - read a trace, twice
 * Return: NULL after printing what is wrong.
 */
struct lt_report *lt_report_make(const char *path, const struct lt_report_options *opts);
void lt_report_free(struct lt_report *r);

/* What a row is about, as text; in buf or elsewhere, and valid as long as both. */
const char *lt_report_label(const struct lt_report *r, const struct lt_report_row *row, char *buf,
			    size_t size);

#endif /* LT_LIB_REPORT_H */
