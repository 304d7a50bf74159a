/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every task that a trace tells of, by its identity (tid, start).
 *
 * Events of the channel pid go in, in order of time. What comes out is one
 * instance for each task: when it was born and died, by whom it was made, what it
 * was called, what it used, and how sure each of that is.
 *
 * Whose child it is. An instance links to its creator, its parent and the leader of
 * its thread group. Only a link to an instance that was started before is taken,
 * in the order of (start, tid): whatever a trace claims, links form no cycle. What
 * is linked to, and not known, becomes a placeholder.
 *
 * How sure. A birth is exact, before (it was alive when tracing began) or uncertain
 * (its record was lost). An end is exact, open (alive at the end of the trace),
 * bounded (not seen; it came after the last sight and not later than the end given)
 * or uncertain (it may have died, unseen, where events were lost).
 *
 * What no link or certainty can tell of is counted, see struct lt_task_totals.
 */
#ifndef LT_LIB_TASK_TABLE_H
#define LT_LIB_TASK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lifetimes/lifetime.h"
#include "base/pool.h"
#include "tasks/event.h"
#include "base/names.h"

/* How the life of a task ended. */
enum lt_task_ending {
	LT_TASK_ALIVE,		/* it did not */
	LT_TASK_EXITED,
	LT_TASK_BECAME_LEADER,	/* a thread that executed a program: its leader lives on */
	LT_TASK_RELEASED,	/* exit not seen, but it was released */
	LT_TASK_NUMBER_REUSED,	/* not seen, but its number was given again */
	LT_TASK_GROUP_DEAD,	/* not seen, but no thread of its group was left */
	LT_TASK_MISSING,	/* not seen, but a later snapshot has it no more */
	LT_TASK_FOUND_EXITING,	/* by a snapshot; the exit itself was not seen */
	LT_N_TASK_ENDINGS,
};

const char *lt_task_ending_name(enum lt_task_ending e);

/* What is known of a task, and happened to it. */
enum lt_task_marks {
	LT_TASK_SEEN		= 1 << 0,	/* not only linked to: no placeholder */
	LT_TASK_BORN		= 1 << 1,	/* its task_new was seen */
	LT_TASK_INITIAL		= 1 << 2,	/* the initial snapshot has it */
	LT_TASK_FINAL		= 1 << 3,	/* so has the final one */
	LT_TASK_LAST		= 1 << 4,	/* its exit was the last of its group */
	LT_TASK_LEADER_FIRST	= 1 << 5,	/* a leader that exited before its threads */
	LT_TASK_LIVES_ON	= 1 << 6,	/* as the leader that another thread became */
	LT_TASK_OLD_RELEASED	= 1 << 7,	/* became leader: the old one was released */
	LT_TASK_REUSED		= 1 << 8,	/* its number had another holder before */
	LT_TASK_REPARENTED	= 1 << 9,
	LT_TASK_BY_OTHER	= 1 << 10,	/* its creator is not its parent */
	LT_TASK_LINK_REFUSED	= 1 << 11,
	LT_TASK_WAS_RELEASED	= 1 << 12,	/* @release is set */
	LT_TASK_LISTED		= 1 << 13,	/* private: among the living */
	LT_TASK_TOP		= 1 << 14,	/* its parent is the kernel itself */
	LT_TASK_COUNTED		= 1 << 15,	/* of lt_task_checker: comes into its sum */
	/* Attributes whose value is known, not only inherited; see enum lt_task_attr. */
	LT_TASK_KNOWS		= 1 << 16,
	LT_TASK_AFTER_END	= 1 << 24,	/* of lt_task_checker: found alive after its end */
	LT_TASK_AS_LEADER	= 1 << 25,	/* the initial snapshot has it, by its leader's name */
	LT_TASK_TAKEN_OVER	= 1 << 26,	/* of lt_task_checker: a thread took its place; or that one */
	LT_TASK_SEEN_LATER	= 1 << 27,	/* a leader that exited first, and is alive: another */
	LT_TASK_BY_NAME		= 1 << 28,	/* dead when met, and renamed: by its threads, or one */
};

/* What may change in the life of a task. */
enum lt_task_attr {
	LT_ATTR_COMM,
	LT_ATTR_OOM,		/* of the thread group */
	LT_ATTR_UID,
	LT_ATTR_GID,
	LT_ATTR_CGROUP,
	LT_ATTR_FILE,
	LT_ATTR_PARENT,
	LT_N_TASK_ATTRS,
};

const char *lt_task_attr_name(enum lt_task_attr a);

/**
 * struct lt_task_inst - a task instance
 * @start: with @tid its identity; ns since boot
 * @birth: trace time of its task_new, or of the first sight of it
 * @end: trace time of its end, see @death; of what is alive, that of the trace
 * @seen: the last time it was known to live, unless LT_TASK_WAS_RELEASED
 * @release: when it was released
 * @ino, @ns, @nr, @generation: of its number
 * @utime … @nivcsw: as its exit says, and the times as its release does; of a leader
 *	that lives on, with those of the task that was the leader before
 * @creator: number of the instance that made it, 0: none or not known. So
 * @parent: that of its parent's thread group at its birth, or at the first sight
 * @last_parent: the last one that is known
 * @leader: of its thread group; 0: it is one, or the leader is not known
 * @comm, @birth_comm, @file, @first_file: numbers of names
 * @cgroup: interned; see lt_task_cgroup()
 * @live: private: what only the living need
 * @n_exec: programs executed; stays at 65535
 * @code: as wait() reports it
 * @birth_is: LT_EXACT, LT_BEFORE, LT_UNCERTAIN
 * @death_is: LT_EXACT, LT_OPEN, LT_BOUNDED, LT_UNCERTAIN
 * @ending: enum lt_task_ending
 */
struct lt_task_inst {
	uint64_t start;
	uint64_t birth;
	uint64_t end;
	union {
		uint64_t seen;
		uint64_t release;
	};
	uint64_t ino;
	uint64_t utime;
	uint64_t stime;
	uint64_t runtime;
	uint64_t maxrss;
	uint64_t rchar;
	uint64_t wchar;
	uint64_t read_bytes;
	uint64_t write_bytes;
	uint32_t min_flt;
	uint32_t maj_flt;
	uint32_t nvcsw;
	uint32_t nivcsw;
	uint32_t tid;
	uint32_t tgid;
	uint32_t creator;
	uint32_t parent;
	uint32_t last_parent;
	uint32_t leader;
	uint32_t comm;
	uint32_t birth_comm;
	uint32_t file;
	uint32_t first_file;
	uint32_t cgroup;
	uint32_t uid;
	uint32_t gid;
	uint32_t nr;
	uint32_t generation;
	uint32_t live;
	uint32_t marks;
	uint16_t n_exec;
	uint16_t code;
	uint16_t ns;
	int16_t oom_score_adj;
	uint8_t flags;
	uint8_t birth_is;
	uint8_t death_is;
	uint8_t ending;
};

_Static_assert(sizeof(struct lt_task_inst) <= 200, "there may be millions: keep it small");

/* A pid namespace, as its records say. */
struct lt_task_ns {
	uint16_t id;		/* 0: not known */
	uint16_t parent;
	uint8_t level;
	bool exact;
	bool gone;
	uint32_t inum;
	uint32_t init_tid;
	uint64_t init_start;
	uint64_t generation;	/* the latest */
	uint64_t wraps;
	uint64_t allocated;
	uint64_t born;
	uint64_t burned;
};

/**
 * struct lt_task_totals - sums, after lt_task_table_finish()
 * @births, @deaths: seen; @deaths without those that were undone by exec
 * @orphans: instances whose parent is known to exist, but not who it is
 * @refused: links to an instance that was started later, or to itself
 * @left_out: placeholders that were not made, for there were too many
 * @again: births of a number that had a holder in this trace
 * @alive_again: sights of tasks that should have been dead
 * @twice: second births and second exits of one task
 * @odd_execs: execs whose thread is not one of that process
 * @stray: releases of tasks that the trace knows nothing of
 * @silent: changes of an attribute that no event tells of, and
 * @unseen: such that may have been told by an event that was lost
 * @wraps: generations that began, @cursor of them by the cursor going back
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

/**
 * struct lt_task_config - what a table shall do
 * @history: keep all changes of attributes, for lt_task_at()
 * @max_placeholders: not more than so many; 0: 1,000,000
 * @begin, @begin_boot: when the trace began, on its clock, and ns since boot; 0: it is
 *	not known
 */
struct lt_task_config {
	bool history;
	uint32_t max_placeholders;
	uint64_t begin;
	uint64_t begin_boot;
};

/* What an observer is told, while the event is being taken in. */
enum lt_task_notice {
	LT_NOTICE_SEEN,		/* of inst for the first time; other held its number */
	LT_NOTICE_BORN,		/* its task_new */
	LT_NOTICE_ENDED,
	LT_NOTICE_UNDONE,	/* it did not end; it is still marked as if it had */
	LT_NOTICE_EXEC_THREAD,	/* other became inst; 0: it is not known who */
	LT_NOTICE_STATE,
	LT_NOTICE_RELEASED,	/* inst or 0; other holds the number */
	LT_NOTICE_REUSED,	/* number_reused; inst has it, other had it */
	LT_NOTICE_OTHER,	/* any event of a namespace or a snapshot */
};

typedef void lt_task_observer(void *arg, enum lt_task_notice what,
			      const struct lt_task_event *ev, uint32_t inst, uint32_t other);

/* Kinds of events that may be lost, as bits. */
enum lt_task_loss {
	LT_LOST_BIRTHS = 1,
	LT_LOST_ENDS = 2,		/* exits, and execs: they may end a thread */
	LT_LOST_CHANGES = 4,		/* what may change an attribute */
	LT_LOST_NUMBERS = 8,		/* what tells of numbers and generations */
	LT_LOST_STATES = 16,		/* of a snapshot */
	LT_N_LOSSES = 32,
};

/**
 * struct lt_task_gap - a stretch of time in which events were lost
 * @what: enum lt_task_loss
 * @births, @ends: how many; @unknown: it is not known how many
 */
struct lt_task_gap {
	uint64_t begin;
	uint64_t end;
	unsigned int what;
	bool unknown;
	uint64_t births;
	uint64_t ends;
};

struct lt_task_table;

/* Trace time to ns since boot; 0: not known. */
uint64_t lt_task_boot_time(const struct lt_task_table *tb, uint64_t time);

struct lt_task_table *lt_task_table_new(const struct lt_task_config *config);
void lt_task_table_free(struct lt_task_table *tb);

/* At most four; told of all events from then on. */
void lt_task_observe(struct lt_task_table *tb, lt_task_observer *fn, void *arg);

/* Where events were lost, by the time events behind it are given. */
void lt_task_table_gap(struct lt_task_table *tb, const struct lt_task_gap *gap);
size_t lt_task_gaps(const struct lt_task_table *tb, const struct lt_task_gap **gaps);

/* After the end: whether an event of a kind was lost after @from and before @to. */
bool lt_task_lost_between(const struct lt_task_table *tb, enum lt_task_loss kind,
			  uint64_t from, uint64_t to);

/* One event; times must not decrease. */
void lt_task_table_event(struct lt_task_table *tb, const struct lt_task_event *ev);

/**
 * lt_task_table_finish() - no event follows
 * @end: trace time of its end
 */
void lt_task_table_finish(struct lt_task_table *tb, uint64_t end);

/* Instances are numbered from 1 on, in the order in which they were met. */
uint32_t lt_task_count(const struct lt_task_table *tb);
struct lt_task_inst *lt_task_get(const struct lt_task_table *tb, uint32_t inst);

/* The instance with an identity, 0: there is none. */
uint32_t lt_task_find(const struct lt_task_table *tb, uint32_t tid, uint64_t start);

/* Who holds a number of the initial namespace, dead or alive; 0: nobody yet. */
uint32_t lt_task_holder(const struct lt_task_table *tb, uint32_t tid);

/* After the end: all instances in the order of their births, parents first. */
const uint32_t *lt_task_order(const struct lt_task_table *tb);
const struct lt_task_totals *lt_task_totals(const struct lt_task_table *tb);

const char *lt_task_name(const struct lt_task_table *tb, uint32_t name, size_t *len);
uint64_t lt_task_cgroup(const struct lt_task_table *tb, const struct lt_task_inst *t);

/* By id; NULL: no record tells of it. Ids are below 65536. */
const struct lt_task_ns *lt_task_namespace(const struct lt_task_table *tb, uint32_t id);

/* Those that are alive, as far as known, in no order. */
const uint32_t *lt_task_living(struct lt_task_table *tb, size_t *n);

/* The snapshot that had it last, by epoch; of the living only. */
uint32_t lt_task_epoch(const struct lt_task_table *tb, uint32_t inst);

/* Whether a snapshot is being told of. */
bool lt_task_snapshot_open(const struct lt_task_table *tb);

static inline bool lt_task_ended(const struct lt_task_inst *t)
{
	return t->ending != LT_TASK_ALIVE;
}

static inline bool lt_task_is_thread(const struct lt_task_inst *t)
{
	return t->tgid && t->tgid != t->tid;
}

/* The last time it was known to live. */
static inline uint64_t lt_task_last_seen(const struct lt_task_inst *t)
{
	return t->marks & LT_TASK_WAS_RELEASED ? t->end : t->seen;
}

/* Of the times that an exit tells, the exact one where there is one. */
static inline uint64_t lt_task_cpu_time(const struct lt_task_inst *t)
{
	return t->runtime ? t->runtime : t->utime + t->stime;
}

/**
 * struct lt_task_value - an attribute at some time
 * @known: there is a value
 * @certain: no event was lost, and none is missing, that could have changed it
 * @u: the value: of COMM and FILE the number of a name, of PARENT that of an
 *	instance, of the others itself
 * @i: of OOM
 */
struct lt_task_value {
	bool known;
	bool certain;
	uint64_t u;
	int64_t i;
};

/**
 * lt_task_at() - what an attribute was at a time
 * The table must have been made with histories, and finished.
 * @known is false before the birth and after the end.
 */
struct lt_task_value lt_task_at(const struct lt_task_table *tb, uint32_t inst,
				enum lt_task_attr a, uint64_t time);

#endif /* LT_LIB_TASK_TABLE_H */
