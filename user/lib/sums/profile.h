/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Profiles: lifetimes added up by several levels at once, such as task, cache and stack. What
 * other programs call a stack is a path here: one frame for each level, from the root to the
 * leaf, and one for each caller.
 *
 * Memory is proportional to the number of rows, which is limited, and to what is alive.
 */
#ifndef LT_SUMS_PROFILE_H
#define LT_SUMS_PROFILE_H

#include "base/names.h"
#include "sums/report.h"
#include "sums/timeline.h"

enum lt_level {
	LT_LEVEL_TASK,		/* the name that the task had then, or the kind of interrupt */
	LT_LEVEL_CGROUP,
	LT_LEVEL_MODULE,	/* of the call site */
	LT_LEVEL_CACHE,
	LT_LEVEL_SITE,
	LT_LEVEL_STACK,		/* the callers of the site, and the site */
	LT_N_LEVELS,
};

/* The instant at which a profile says what is alive. */
enum lt_instant {
	LT_AT_END,
	LT_AT_PEAK,		/* when most bytes were alive, see struct lt_report */
	LT_AT_TIME,
};

#define LT_PROFILE_ROWS	(1U << 18)
#define LT_PROFILE_OTHER	(UINT32_MAX - 1)	/* the number of the row lt_profile.other */

/**
 * struct lt_profile_step - one or several like objects were born, or ended
 * @time: ns; of ends that are not sure to have been: the end of the trace
 * @ptr: their address, or page frame number
 * @bytes: given to each
 * @cache: lt_cache_key() of each, whatever the levels
 * @row: index in lt_profile.rows, which are in order of their first birth then; or
 *	LT_PROFILE_OTHER
 * @n: how many objects of the row it stands for; 0: of none, since the row is by stack, and
 *	the stack was not recorded
 * @objects: how many objects it is about
 * @born: born, not ended
 */
struct lt_profile_step {
	uint64_t time;
	uint64_t ptr;
	uint64_t bytes;
	uint64_t cache;
	uint32_t row;
	uint32_t n;
	uint32_t objects;
	bool born;
};

struct lt_profile;

/**
 * struct lt_profile_options - what a profile adds up
 * @report: which lifetimes; @by and what follows from it is set by lt_profile_make()
 * @made: NULL, or a report of these lifetimes, by anything, that stays as long as the profile; it
 *	saves a pass
 * @levels: from the root to the leaf, each at most once
 * @n_levels: their number
 * @at: the instant
 * @time: with LT_AT_TIME: ns
 * @peak: also what was alive at the peak, whatever @at
 * @max: also how much of each row was alive at most
 * @line: NULL, or gets each lifetime that is added up
 * @max_rows: above so many rows new ones are added up in one; 0: LT_PROFILE_ROWS
 * @step: NULL, or called for each step, in the order of events; when all were, what was born and
 *	not ended is what is certainly alive at the end. The report, the names and the stacks
 *	of the profile are there, and of its rows the keys.
 * @lifetime: NULL, or called for each lifetime that is added up, when it is decided; @cache is
 *	its lt_cache_key()
 * @marker: NULL, or called for each marker of the trace, in order of time
 * @arg: for @step, @lifetime and @marker
 */
struct lt_profile_options {
	struct lt_report_options report;
	struct lt_report *made;
	enum lt_level levels[LT_N_LEVELS];
	unsigned int n_levels;
	enum lt_instant at;
	uint64_t time;
	bool peak;
	bool max;
	struct lt_timeline *line;
	uint32_t max_rows;
	void (*step)(void *arg, const struct lt_profile *p, const struct lt_profile_step *s);
	void (*lifetime)(void *arg, const struct lt_profile *p, const struct lt_lifetime *l,
			 uint64_t cache);
	void (*marker)(void *arg, const struct lt_profile *p, uint64_t time, const char *text);
	void *arg;
};

/* What distinguishes rows. A level that was not asked for is 0. */
struct lt_profile_key {
	uint64_t cgroup;	/* 0: not known */
	uint64_t cache;		/* lt_cache_key() */
	uint32_t task;		/* number in @names, 0: not known */
	uint32_t module;	/* number in @names, 0: the kernel itself */
	uint32_t stack;		/* number in @stacks, 0: not even the call site is known */
	uint32_t context;	/* enum lt_context */
};

/**
 * struct lt_profile_row - all allocations with one path
 * @key: what the row is about
 * @births: allocations
 * @bytes: bytes given to them
 * @waste: slack: of @bytes, those that were not requested
 * @at: alive at the instant; at the end those that are certainly alive
 * @at_bytes: bytes of @at
 * @peak: alive at the peak, if the options ask for it
 * @peak_bytes: bytes of @peak
 * @maybe: uncertain lifetimes without an end, not in @at at the end
 * @maybe_bytes: bytes of @maybe
 * @max_bytes: most bytes of the row that were alive at once, if the options ask for it
 * @max: objects alive then
 * @exact: exact lifetimes
 * @exact_ns: the sum of their durations; UINT64_MAX: that, or more
 * @open: certainly alive at the end
 * @open_ns: the sum of their ages then; UINT64_MAX: that, or more
 * @now: alive at the current event, while the profile is being made
 * @now_bytes: bytes of @now
 * @kept: meanwhile: the number of the peak that @peak is of
 */
struct lt_profile_row {
	struct lt_profile_key key;
	uint64_t births;
	uint64_t bytes;
	uint64_t waste;
	uint64_t at;
	uint64_t at_bytes;
	uint64_t peak;
	uint64_t peak_bytes;
	uint64_t maybe;
	uint64_t maybe_bytes;
	uint64_t max_bytes;
	uint64_t max;
	uint64_t exact;
	uint64_t exact_ns;
	uint64_t open;
	uint64_t open_ns;
	uint64_t now;
	uint64_t now_bytes;
	uint64_t kept;
};

/**
 * struct lt_profile - the result
 * @opts: what was added up
 * @report: of the same lifetimes: how sure they are, and the peak; perhaps that of the options
 * @trace: the trace, open until lt_profile_free()
 * @names: of tasks and modules
 * @stacks: of the rows
 * @rows: in the order of their paths, which depends on the trace and the levels only
 * @n_rows: length of @rows
 * @other: what came when there were max_rows rows
 * @all: the sum of all; births that stand for several count once
 * @instant: ns, of what is alive
 * @peak: ns, of the peak, if the options ask for it
 * @peaks: how often it was another one
 * @stacks_one_in: as in struct lt_report, if one of the levels is the stack
 * @borrows_trace: @trace is that of another
 */
struct lt_profile {
	struct lt_profile_options opts;
	struct lt_report *report;
	struct lt_trace *trace;
	struct lt_names names;
	struct lt_row_stacks *stacks;
	struct lt_profile_row *rows;
	size_t n_rows;
	struct lt_profile_row other;
	struct lt_profile_row all;
	uint64_t instant;
	uint64_t peak;
	uint64_t peaks;
	unsigned int stacks_one_in;
	bool borrows_trace;
};

/* profile.c */

/**
 * lt_profile_make() - read a trace, twice or three times (with a report that was made: once), and
 * add it up
 * Return: NULL after reporting the error.
 */
struct lt_profile *lt_profile_make(const char *path, const struct lt_profile_options *opts);
struct lt_profile_maker;
struct lt_lifetime_pass;

/**
 * lt_profile_begin() - make a profile by a pass over a trace that others make
 * @t: stays as long as the profile
 * @opts: without a filter, and without @step and @lifetime, which may need the report
 * @pass: gets the callbacks
 */
struct lt_profile_maker *lt_profile_begin(struct lt_trace *t, const struct lt_profile_options *opts,
					  struct lt_lifetime_pass *pass);
/* Behind the pass. @made: a report of the same lifetimes, as lt_profile_options.made */
struct lt_profile *lt_profile_end(struct lt_profile_maker *m, struct lt_report *made);
/* @p may be NULL. */
void lt_profile_free(struct lt_profile *p);

/* profile_path.c */

enum lt_frame_kind {
	LT_FRAME_TASK,
	LT_FRAME_INTERRUPT,
	LT_FRAME_CGROUP,
	LT_FRAME_MODULE,
	LT_FRAME_CACHE,
	LT_FRAME_CALLER,	/* of the call site, or of another caller */
	LT_FRAME_SITE,
	LT_FRAME_CUT,		/* further callers were not recorded */
	LT_FRAME_OTHER,		/* the row lt_profile.other */
};

/**
 * struct lt_path_frame - a frame
 * @kind: what it is
 * @name: of the task, function, ...: any bytes; NULL: not known
 * @module: of a function; NULL: the kernel itself
 * @addr: of a function: the return address
 * @offset: of @addr in the function
 */
struct lt_path_frame {
	enum lt_frame_kind kind;
	const char *name;
	const char *module;
	uint64_t addr;
	uint64_t offset;
};

/**
 * struct lt_path - the path of a row
 * @frames: from the root to the leaf
 * @n: their number, one at least
 * The others hold names.
 */
struct lt_path {
	struct lt_path_frame frames[LT_STACK_MAX + 1 + LT_N_LEVELS];
	unsigned int n;
	char task[32];
	char module[128];
	char cache[128];
	char cgroup[32];
};

/* The path of a row of @p; valid as long as @path and @p. */
void lt_profile_path(const struct lt_profile *p, const struct lt_profile_row *row,
		     struct lt_path *path);

/* Brings the rows in order. */
void lt_profile_sort(struct lt_profile *p);

#endif /* LT_SUMS_PROFILE_H */
