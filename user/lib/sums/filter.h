/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filters: which lifetimes, or which events, of a trace an answer is about. All commands that
 * take filters take these, with one meaning.
 *
 * A criterion that an object does not have (the size of an object whose birth was not seen,
 * the task of an event in an interrupt) is not met.
 */
#ifndef LT_SUMS_FILTER_H
#define LT_SUMS_FILTER_H

#include "lifetimes/lifetime.h"
#include "trace/trace.h"

/**
 * struct lt_filter_spec - a filter as it is written; all zero: everything is wanted
 * @cache: name of a slab cache
 * @site: part of the name of the function that allocated
 * @task: "NAME", "TID" or "TID@START": the task that allocated, not in an interrupt; its name is
 *	the one that it had then
 * @cpus: "0", "0,2-3": the CPU that allocated
 * @size: "A..B", "A..", "..B", "A": bytes requested, both included
 * @from, @to: the time of the allocation, @to not included: "2.5" or "500ms" after the
 *	beginning of the trace, and what else moment.h has
 * @certainty: bit n: the certainty n; 0: all
 * @why: bit n: not exact for the reason n; 0: all
 * @older_ns: lived at least so long, or lives since then
 * @within: NULL, or lines "task=" and "root=" of PART (format/whose.h): all that a file is about,
 *	which each @task of them has to have done. Those with "root=" are in @member
 * @cgroup: "/PATH" or "id:N", what @member is made from; not used here
 * @root: a name or number of tasks, those below which are wanted, too; as @cgroup
 * @doer: what @task does in the trace, for the message that it does not: "system call of a task";
 *	NULL: it allocates
 * @member: NULL, or whether a task was one of a group at a time, ns
 * @arg: passed to @member, and to @free_arg with the filter
 * @trace: NULL, or the trace, for lt_filter_new()
 * @words: the options as they were written, for commands that are printed: " --cache=dentry"; not
 *	used here
 */
struct lt_filter_spec {
	const char *cache;
	const char *site;
	const char *task;
	const char *cpus;
	const char *size;
	const char *cgroup;
	const char *root;
	const char *within;
	const char *from;
	const char *to;
	unsigned int certainty;
	unsigned int why;
	uint64_t older_ns;
	const char *doer;
	bool (*member)(void *arg, const struct lt_task *task, uint64_t time);
	void *arg;
	void (*free_arg)(void *arg);
	const struct lt_trace *trace;
	char words[256];
};

struct lt_filter;

/* Whether all is wanted. */
bool lt_filter_is_empty(const struct lt_filter_spec *spec);

/**
 * lt_filter_new() - understand a filter
 * @spec: its texts must stay; its @arg is the filter's from now on, also if that fails
 * @path: the trace file that it is for; NULL: a live trace, in which no time is known before
 * Return: NULL after reporting, with the name of the option, what is wrong.
 */
struct lt_filter *lt_filter_new(const struct lt_filter_spec *spec, const char *path);

/* @f may be NULL. */
void lt_filter_free(struct lt_filter *f);

/* The part of a time that @from and @to leave; @f may be NULL. */
void lt_filter_clip(const struct lt_filter *f, uint64_t *from, uint64_t *to);

/* Whether it asks for nothing but a time, that of lt_filter_clip(). */
bool lt_filter_is_of_time(const struct lt_filter *f);

/*
 * Whether nothing is left to look for in events at other times: each name that is asked for has
 * occurred, or none is.
 */
bool lt_filter_found(const struct lt_filter *f);

/* Whether the end of an object decides whether it is wanted. */
bool lt_filter_needs_end(const struct lt_filter *f);

/*
 * Whether an object is wanted, as far as its birth decides. @cache: the name of its cache,
 * NULL: not known. @birth, @bytes: as in struct lt_lifetime.
 */
bool lt_filter_birth(struct lt_filter *f, const struct lt_trace *t, const struct lt_moment *birth,
		     uint64_t bytes, const char *cache);

/* Whether a lifetime is wanted. */
bool lt_filter_lifetime(struct lt_filter *f, const struct lt_trace *t, const struct lt_lifetime *l,
			const char *cache);

/*
 * Whether an event is wanted, the one that the trace handed out last. It has a size if it is an
 * allocation. An event of the channel pid, and one that another task has written, is of the task
 * that its fields name.
 */
bool lt_filter_event(struct lt_filter *f, const struct lt_trace *t, const struct lt_event *ev);

/**
 * lt_filter_act() - whether what a task did is wanted: a system call, a request of io_uring, a call
 * of a function
 * @task: who did it
 * @comm: its name at the time @named; NULL: not known
 * @context: enum lt_context; in an interrupt it is no task's
 * @cpu: where it ended
 * @time: when it ended
 *
 * It has no cache, call site or size.
 */
bool lt_filter_act(struct lt_filter *f, const struct lt_task *task, const char *comm,
		   unsigned int context, uint64_t named, uint32_t cpu, uint64_t time);

/**
 * lt_filter_finish() - after the last lifetime or event: did the names occur?
 * Return: 0; -1 after reporting a cache, site or task that the trace does not have, and what
 * may have been meant.
 */
int lt_filter_finish(const struct lt_filter *f, const struct lt_trace *t);

#endif /* LT_SUMS_FILTER_H */
