/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One task of a trace: a thread, identified by its tid and start time.
 */
#ifndef LT_TASKS_INST_H
#define LT_TASKS_INST_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/namespaces.h"
#include "uapi/lifetrace.h"

/* How the life of a task ended. */
enum lt_task_ending {
	LT_TASK_END_ALIVE,		/* it did not end */
	LT_TASK_END_EXITED,
	LT_TASK_END_BECAME_LEADER,	/* a thread took its leader's place by exec */
	/* The exit was not seen, but ... */
	LT_TASK_END_RELEASED,		/* the task was released */
	LT_TASK_END_NUMBER_REUSED,	/* its number was given to another task */
	LT_TASK_END_GROUP_DEAD,		/* the last task of its thread group exited */
	LT_TASK_END_MISSING,		/* a later complete snapshot lacks it */
	LT_TASK_END_FOUND_EXITING,	/* a snapshot found it exiting */
	LT_N_TASK_ENDINGS,
};

const char *lt_task_ending_name(enum lt_task_ending e);

/* What is known of a task. */
enum lt_task_mark {
	LT_TASK_MARK_SEEN		= 1 << 0,	/* more than the target of a link */
	LT_TASK_MARK_BORN		= 1 << 1,	/* its task_new was seen */
	LT_TASK_MARK_INITIAL		= 1 << 2,	/* in the initial snapshot */
	LT_TASK_MARK_FINAL		= 1 << 3,	/* in the final snapshot, and alive there */
	LT_TASK_MARK_LAST		= 1 << 4,	/* its exit was the last of its group */
	LT_TASK_MARK_LEADER_FIRST	= 1 << 5,	/* leader, exited before its threads */
	LT_TASK_MARK_LIVES_ON		= 1 << 6,	/* a thread took its place by exec */
	LT_TASK_MARK_OLD_RELEASED	= 1 << 7,	/* the leader it replaced was released */
	LT_TASK_MARK_REUSED		= 1 << 8,	/* its number had another holder before */
	LT_TASK_MARK_REPARENTED		= 1 << 9,
	LT_TASK_MARK_BY_OTHER		= 1 << 10,	/* its creator is not its parent */
	LT_TASK_MARK_LINK_REFUSED	= 1 << 11,	/* a link led to a task that is not older */
	LT_TASK_MARK_WAS_RELEASED	= 1 << 12,	/* @release is set */
	LT_TASK_MARK_LISTED		= 1 << 13,	/* store.c: in the list of the living */
	LT_TASK_MARK_TOP		= 1 << 14,	/* its parent is the kernel itself */
	LT_TASK_MARK_COUNTED		= 1 << 15,	/* lt_task_checker: part of its sum */
	/* One bit for each attribute whose value was recorded, not only inherited. */
	LT_TASK_MARK_KNOWN		= 1 << 16,	/* << enum lt_task_attr */
	LT_TASK_MARK_AFTER_END		= 1 << 24,	/* lt_task_checker: alive after its end */
	LT_TASK_MARK_AS_LEADER		= 1 << 25,	/* initial snapshot: as its leader */
	LT_TASK_MARK_TAKEN_OVER		= 1 << 26,	/* lt_task_checker: one of an exec's two */
	LT_TASK_MARK_SEEN_LATER		= 1 << 27,	/* LEADER_FIRST, and alive after that */
	LT_TASK_MARK_BY_NAME		= 1 << 28,	/* revived, but only by a rename */
	LT_TASK_MARK_NO_USAGE		= 1 << 29,	/* its exit does not say what it used */
	LT_TASK_MARK_NO_CODE		= 1 << 30,	/* … and not how it ended */
};

/* Attributes that may change in the life of a task. */
enum lt_task_attr {
	LT_ATTR_COMM,
	LT_ATTR_OOM,		/* oom_score_adj, of the thread group */
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
 * @start: identity together with @tid; ns since boot
 * @birth: trace time of its task_new, or of the first record that names it
 * @end: trace time of its end (see @ending); of a task that is alive, of the trace's end
 * @seen: the last time it was known to live; not with LT_TASK_MARK_WAS_RELEASED, see
 *	lt_task_last_seen()
 * @release: trace time of its release
 * @ino, @ns, @nr, @generation: of its number, in its own pid namespace, whose number @ns is
 * @utime … @nivcsw: as its exit says, and the times as its release does; of a leader that
 *	lives on, the sum with those of the task that was the leader before
 * @creator: number of the instance that called fork or clone; 0: none, or not known
 * @parent: leader of the parent's thread group at the birth, or in the first record
 * @last_parent: the latest parent that is known
 * @leader: of its thread group; 0: it is the leader itself, or the leader is not known
 * @comm, @birth_comm, @file, @first_file: numbers of names, see lt_tasks_name()
 * @cgroup: interned, see lt_tasks_cgroup()
 * @live: private: number of its struct lt_task_live, 0: none
 * @marks: enum lt_task_mark
 * @n_exec: programs executed; stays at 65535
 * @code: as wait() reports it
 * @flags: enum lt_task_flag
 * @birth_is: LT_EXACT, LT_BEFORE or LT_UNCERTAIN; after lt_tasks_finish()
 * @death_is: LT_EXACT, LT_OPEN, LT_BOUNDED or LT_UNCERTAIN; after lt_tasks_finish()
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
	uint32_t ns : LT_NS_NUMBER_BITS;
	uint32_t birth_is : 4;
	uint32_t death_is : 4;
	int16_t oom_score_adj;
	uint8_t flags;
	uint8_t ending;
};

_Static_assert(sizeof(struct lt_task_inst) <= 200, "a trace may have millions: keep it small");

static inline bool lt_task_ended(const struct lt_task_inst *t)
{
	return t->ending != LT_TASK_END_ALIVE;
}

/* A thread that is not the leader of its group, as far as its tgid is known. */
static inline bool lt_task_is_thread(const struct lt_task_inst *t)
{
	return t->tgid && t->tgid != t->tid;
}

/* The last time at which the task was known to live. */
static inline uint64_t lt_task_last_seen(const struct lt_task_inst *t)
{
	return t->marks & LT_TASK_MARK_WAS_RELEASED ? t->end : t->seen;
}

/* CPU time in ns: the scheduler's where there is one, else the sum of the ticks. */
static inline uint64_t lt_task_cpu_time(const struct lt_task_inst *t)
{
	return t->runtime ? t->runtime : t->utime + t->stime;
}

#endif /* LT_TASKS_INST_H */
