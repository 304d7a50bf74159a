/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All tasks of a trace, each by its identity (tid, start).
 *
 * Events of the channel pid go in, in the order of time. Out come instances, one for each
 * task: when it was born and died, which task created it, its names, what it used, and how
 * certain each of these is.
 *
 * Links. An instance links to its creator, its parent and the leader of its thread group.
 * A link leads to an instance that was started before, in the order of (start, tid), or is
 * refused; so links form no cycle, whatever a trace contains. The target of a link that no
 * record describes is a placeholder.
 *
 * Certainty. A birth is exact, before (the task was alive when the trace began) or uncertain
 * (its record was lost). An end is exact, open (alive at the end of the trace), bounded (not
 * seen; between the last sight of the task and the end that is given) or uncertain (the task
 * may have ended unseen where events were lost).
 *
 * What neither links nor certainties can express is counted in struct lt_task_totals.
 */
#ifndef LT_TASKS_TASKS_H
#define LT_TASKS_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/certainty.h"
#include "tasks/counters.h"
#include "tasks/event.h"
#include "tasks/inst.h"

struct lt_tasks;

/* Values that are 0 in each event of a trace that was imported: nobody wrote them down. */
enum lt_task_unknown {
	LT_TASK_UNKNOWN_USAGE	= 1,	/* of exits */
	LT_TASK_UNKNOWN_CODE	= 2,	/* of exits */
	LT_TASK_UNKNOWN_OWNER	= 4,	/* of births: user, group, cgroup */
	LT_TASK_UNKNOWN_GROUP	= 8,	/* of exits: whether the group is dead */
};

/**
 * struct lt_tasks_config - options of lt_tasks_new()
 * @history: keep all changes of attributes, for lt_tasks_at()
 * @max_placeholders: make no more placeholders than this; 0: 1,000,000
 * @begin: trace time at which the trace began
 * @begin_boot: @begin in ns since boot; 0: not known
 * @unknown: enum lt_task_unknown: what the events of this trace do not say
 */
struct lt_tasks_config {
	bool history;
	uint32_t max_placeholders;
	uint64_t begin;
	uint64_t begin_boot;
	unsigned int unknown;
};

/* @config: NULL: all zero. */
struct lt_tasks *lt_tasks_new(const struct lt_tasks_config *config);
void lt_tasks_free(struct lt_tasks *tb);

/*
 * tasks.c: events in
 */

/* Takes in one event; times must not decrease. */
void lt_tasks_event(struct lt_tasks *tb, const struct lt_task_event *ev);

/* What an observer learns while an event is being taken in. */
enum lt_task_notice {
	LT_NOTICE_SEEN,		/* the first record of inst; other held its number */
	LT_NOTICE_BORN,		/* task_new of inst */
	LT_NOTICE_ENDED,
	LT_NOTICE_UNDONE,	/* inst did not end after all; its ending is still set */
	LT_NOTICE_EXEC_THREAD,	/* thread other became leader inst; 0: thread not known */
	LT_NOTICE_STATE,	/* a snapshot's record of inst */
	LT_NOTICE_RELEASED,	/* inst, 0: not known; other holds the number */
	LT_NOTICE_REUSED,	/* number_reused: inst has the number, other had it */
	LT_NOTICE_OTHER,	/* an event of a namespace, begin or end of a snapshot */
};

typedef void lt_task_observer(void *arg, enum lt_task_notice what,
			      const struct lt_task_event *ev, uint32_t inst, uint32_t other);

/* Adds an observer of all events that follow; at most four. */
void lt_tasks_observe(struct lt_tasks *tb, lt_task_observer *fn, void *arg);

/*
 * losses.c: gaps
 */

/* Kinds of events that may be lost, as bits. */
enum lt_task_loss {
	LT_LOST_BIRTHS = 1,
	LT_LOST_ENDS = 2,		/* exits, and execs: an exec may end a thread */
	LT_LOST_CHANGES = 4,		/* events that change an attribute */
	LT_LOST_NUMBERS = 8,		/* events of numbers and generations */
	LT_LOST_STATES = 16,		/* records of a snapshot */
	LT_N_LOSSES = 32,
};

/**
 * struct lt_task_gap - an interval in which events were lost
 * @what: bits of enum lt_task_loss
 * @cpu: of the lost events
 * @unknown: the number of lost events is not known
 * @unwatched: the events were not watched at all
 * @nested: all of them are counted as lost_nested
 * @births, @ends: how many events of these kinds were lost
 */
struct lt_task_gap {
	uint64_t begin;
	uint64_t end;
	unsigned int what;
	uint32_t cpu;
	bool unknown;
	bool unwatched;
	bool nested;
	uint64_t births;
	uint64_t ends;
};

/* Adds a gap, before the first event that is later than its end. */
void lt_tasks_gap(struct lt_tasks *tb, const struct lt_task_gap *gap);
size_t lt_tasks_gaps(const struct lt_tasks *tb, const struct lt_task_gap **gaps);

/* Whether an event of a kind was lost after @from and before @to; when finished. */
bool lt_tasks_lost_between(const struct lt_tasks *tb, enum lt_task_loss kind, uint64_t from,
			   uint64_t to);

/* Such a gap, the one with the latest end; NULL: none. */
const struct lt_task_gap *lt_tasks_gap_over(const struct lt_tasks *tb, enum lt_task_loss kind,
					    uint64_t from, uint64_t to);

/*
 * why.c
 */

/**
 * enum lt_task_cause - why the birth or the end of a task is not exact
 * @LT_TASK_WHY_NONE: it is
 * @LT_TASK_WHY_LOST: its record was lost, or may have been
 * @LT_TASK_WHY_NOT_WATCHED: the event was not watched
 * @LT_TASK_WHY_NO_BIRTH: it appeared without a birth
 * @LT_TASK_WHY_NAMED: only records of other tasks name it, or, after its end, only a rename
 * @LT_TASK_WHY_NO_EXIT: it ended, and its exit was not seen
 * @LT_TASK_WHY_BEFORE: it was there before the trace
 * @LT_TASK_WHY_ALIVE: it is alive at the end
 */
enum lt_task_cause {
	LT_TASK_WHY_NONE,
	LT_TASK_WHY_LOST,
	LT_TASK_WHY_NOT_WATCHED,
	LT_TASK_WHY_NO_BIRTH,
	LT_TASK_WHY_NAMED,
	LT_TASK_WHY_NO_EXIT,
	LT_TASK_WHY_BEFORE,
	LT_TASK_WHY_ALIVE,
	LT_N_TASK_WHYS,
};

/* When all events were taken in. */
enum lt_task_cause lt_task_birth_cause(const struct lt_tasks *tb, const struct lt_task_inst *t);
enum lt_task_cause lt_task_end_cause(const struct lt_tasks *tb, const struct lt_task_inst *t);

/* The word of a cause, as --why takes it; and for people. */
const char *lt_task_cause_name(enum lt_task_cause cause);
const char *lt_task_cause_text(enum lt_task_cause cause);

/* From where the times in the words below count: from this time; by default 0, the clock's zero. */
void lt_tasks_count_from(struct lt_tasks *tb, uint64_t zero);

/* Why the birth, or the end, of a task is not exact, in words; "": it is. When finished. */
const char *lt_task_birth_why(const struct lt_tasks *tb, const struct lt_task_inst *t, char *buf,
			      size_t size);
const char *lt_task_end_why(const struct lt_tasks *tb, const struct lt_task_inst *t, char *buf,
			    size_t size);

/*
 * finish.c
 */

/**
 * lt_tasks_finish() - no event follows: decide certainties, count, put in order
 * @end: lt_trace_end(); tasks that ended later were alive then
 */
void lt_tasks_finish(struct lt_tasks *tb, uint64_t end);

/*
 * store.c: instances. They are numbered from 1 on, in the order of their first records.
 */
uint32_t lt_tasks_count(const struct lt_tasks *tb);

/* How many names of tasks and files, and changes of tasks, are kept. */
size_t lt_tasks_n_kept(const struct lt_tasks *tb);
struct lt_task_inst *lt_tasks_get(const struct lt_tasks *tb, uint32_t inst);

/* The instance with an identity; 0: none. */
uint32_t lt_tasks_find(const struct lt_tasks *tb, uint32_t tid, uint64_t start);

/* The latest holder of a number of the initial namespace, dead or alive; 0: none so far. */
uint32_t lt_tasks_holder(const struct lt_tasks *tb, uint32_t tid);

/* All instances in the order of their births, parents first; when finished. */
const uint32_t *lt_tasks_order(const struct lt_tasks *tb);

/*
 * With which task the process of a leader ends, when finished: itself; where it exited before its
 * threads, the last of them, or one that is alive. Of a thread itself.
 */
const struct lt_task_inst *lt_tasks_last(const struct lt_tasks *tb, const struct lt_task_inst *t);

/*
 * With what the process of a leader ended, as wait() reports it. Return: false: it has not, or that
 * is not known: its leader and its last thread have exited with different codes.
 */
bool lt_tasks_process_code(const struct lt_tasks *tb, const struct lt_task_inst *t, uint16_t *code);

/* Those that are alive as far as known, in no order. Valid until the next event. */
const uint32_t *lt_tasks_living(struct lt_tasks *tb, size_t *n);

/* Number of the last snapshot that has a living task; 0: none. */
uint32_t lt_tasks_epoch(const struct lt_tasks *tb, uint32_t inst);

/* Whether records of a snapshot may follow. */
bool lt_tasks_snapshot_open(const struct lt_tasks *tb);

const char *lt_tasks_name(const struct lt_tasks *tb, uint32_t name, size_t *len);
uint64_t lt_tasks_cgroup(const struct lt_tasks *tb, const struct lt_task_inst *t);

/*
 * What performance counters have of a task; valid until the next event. NULL: it was not counted.
 */
const struct lt_task_counts *lt_tasks_counts(const struct lt_tasks *tb,
					     const struct lt_task_inst *t);

/* Trace time to ns since boot; 0: not known. */
uint64_t lt_tasks_boot_time(const struct lt_tasks *tb, uint64_t time);

/* A pid namespace, as its records describe it. */
struct lt_task_ns {
	uint32_t number;	/* the id, or where that meant another one before, from 65536 on */
	uint16_t id;		/* 0: not known */
	bool announced;
	uint32_t parent;	/* its number */
	uint8_t level;
	bool exact;		/* numbers were watched, not sampled */
	bool gone;
	uint32_t inum;
	uint32_t init_tid;
	uint64_t ns_id;
	uint64_t init_start;
	uint64_t generation;	/* the latest */
	uint64_t wraps;
	uint64_t allocated;
	uint64_t born;
	uint64_t burned;
	uint64_t untracked;	/* of @born: not known whether the number was held before */
};

/* By number; NULL: no record describes it. */
const struct lt_task_ns *lt_tasks_namespace(const struct lt_tasks *tb, uint32_t number);
uint32_t lt_tasks_n_namespaces(const struct lt_tasks *tb);	/* numbers are below this */

/* The number of the namespace that an id means at the latest event. */
uint32_t lt_tasks_ns_now(const struct lt_tasks *tb, uint16_t id);

/**
 * struct lt_task_totals - sums, when finished
 * @births, @deaths: seen; @deaths without those that an exec has undone
 * @orphans: instances that have a parent or leader of which nothing is known
 * @refused: links to an instance that was not started before
 * @left_out: placeholders that were not made since there were too many
 * @again: births of a number that had a holder in this trace
 * @alive_again: sights of tasks after an end that had been seen
 * @twice: second births and second exits of one task
 * @odd_execs: execs whose thread is not one of that process
 * @stray: releases of tasks of which no other record exists
 * @silent: changes of an attribute for which there is no event
 * @unseen: changes whose event may have been lost
 * @wraps: generations that began; @cursor_wraps: since the cursor went back
 */
struct lt_task_totals {
	uint64_t instances, processes, threads, placeholders;
	uint64_t births, deaths, became_leaders, execs;
	uint64_t birth_is[LT_N_CERTAINTIES], death_is[LT_N_CERTAINTIES];
	uint64_t endings[LT_N_TASK_ENDINGS];
	uint64_t alive;
	uint64_t orphans, refused, left_out;
	uint64_t again, alive_again, twice, odd_execs, stray;
	uint64_t reparented;
	uint64_t wraps, cursor_wraps;
	uint64_t silent[LT_N_TASK_ATTRS], unseen[LT_N_TASK_ATTRS];
};

const struct lt_task_totals *lt_tasks_totals(const struct lt_tasks *tb);

/*
 * forget.c
 */

/**
 * struct lt_task_use - which tasks somebody asks for
 * @before: all that did not end before this time, ns
 * @is_used: of one that did, by its identity
 * @arg: passed to it
 */
struct lt_task_use {
	uint64_t before;
	bool (*is_used)(const void *arg, uint32_t tid, uint64_t start);
	const void *arg;
};

/**
 * lt_tasks_forget() - forget tasks that nobody asks for
 * @tb: not finished, and without observers
 *
 * Of the others only the history of their cgroups is kept. Numbers of instances and names change.
 */
void lt_tasks_forget(struct lt_tasks *tb, const struct lt_task_use *use);

/*
 * history.c
 */

/**
 * struct lt_task_value - an attribute at some time
 * @known: there is a value
 * @certain: no event that could have changed it was lost, and none is missing
 * @u: the value: of COMM and FILE the number of a name, of PARENT that of an instance
 * @i: the value of OOM
 */
struct lt_task_value {
	bool known;
	bool certain;
	uint64_t u;
	int64_t i;
};

/**
 * lt_tasks_at() - the value of an attribute at a time
 * @tb: finished, and made with histories
 *
 * Before the birth and after the end no value is known.
 */
struct lt_task_value lt_tasks_at(const struct lt_tasks *tb, uint32_t inst,
				 enum lt_task_attr a, uint64_t time);

/**
 * lt_tasks_quiet() - whether an attribute of a task changed in a time
 * @tb: finished, and made with histories
 * @from, @to: of this the part in which the task lived; its end, if that is before
 * Return: 0: one did; otherwise the first change behind; UINT64_MAX: there is none.
 */
uint64_t lt_tasks_quiet(const struct lt_tasks *tb, uint32_t inst, uint64_t from, uint64_t to);

/**
 * lt_tasks_over() - the value that an attribute had all through a time
 * @from, @to: as for lt_tasks_quiet()
 * @quiet: that said that nothing changed
 *
 * No value is known if it changed meanwhile.
 */
struct lt_task_value lt_tasks_over(const struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
				   uint64_t from, uint64_t to, bool quiet);

/* lt_tasks_over() of name, program, parent and cgroup, where nothing changed. */
void lt_tasks_over_quiet(const struct lt_tasks *tb, uint32_t inst, uint64_t from, uint64_t to,
			 struct lt_task_value values[LT_N_TASK_ATTRS]);

/* Whether a task had a name at some time. @tb: as for lt_tasks_at() */
bool lt_tasks_had_name(const struct lt_tasks *tb, uint32_t inst, const char *name, size_t len);

#endif /* LT_TASKS_TASKS_H */
