/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rules of the life of a task.
 *
 * Each rule is a function of what is known: the task, the event, the snapshot. It returns a
 * verdict, which is what has to be done and why, and changes nothing. life.c, attr.c and the
 * files that take in events apply verdicts. Reasons that matter later are recorded as the
 * task's ending and its marks; lt_birth_certainty() and lt_end_certainty() turn these
 * records into certainties when the whole trace was read.
 */
#ifndef LT_TASKS_RULES_H
#define LT_TASKS_RULES_H

#include "base/certainty.h"
#include "tasks/inst.h"

/* What has to be done. */
enum lt_task_act {
	LT_ACT_NONE,		/* nothing changes */
	LT_ACT_LIVE,		/* the task lives: note the time */
	LT_ACT_REVIVE,		/* the task did not end: undo its end */
	LT_ACT_DOUBT,		/* keep what is known, and remember the contradiction */
	LT_ACT_BEGIN,		/* this is the birth of the task */
	LT_ACT_END,		/* the task has ended */
	LT_ACT_RELEASE,		/* the task was released, after its end */
	LT_ACT_TAKE,		/* take the number, the link or the value */
	LT_ACT_TAKE_AND_END,	/* take the number; its holder has ended unseen */
	LT_ACT_TAKE_EARLIER,	/* take the earlier holder of the number */
	LT_ACT_MAKE,		/* make an instance, and take that */
	LT_ACT_REFUSE,		/* refuse the link */
};

/* Why. */
enum lt_task_reason {
	LT_REASON_NO_TASK,		/* the event names no task */
	LT_REASON_UNKNOWN,		/* no record describes the task so far */
	LT_REASON_KNOWN,		/* the task is known, and nothing contradicts */
	LT_REASON_FULL,			/* there are too many placeholders */
	LT_REASON_ALIVE,		/* the task has not ended */
	LT_REASON_ENDED,		/* the task has ended */
	LT_REASON_END_UNSEEN,		/* the task has ended, but its exit was not seen */
	LT_REASON_NO_HOLDER,		/* no task holds the number */
	LT_REASON_HOLDER_ENDED,		/* the holder of the number has ended */
	LT_REASON_HOLDER_ALIVE,		/* the holder of the number was not seen to end */
	LT_REASON_NOT_OLDER,		/* the other task was not started before this one */
	LT_REASON_GROUP_ENDED,		/* the leader's group ended before the birth */
	LT_REASON_RELEASED,		/* released before */
	LT_REASON_BORN_TWICE,
	LT_REASON_RENAMED,		/* a task that was exiting is renamed */
	LT_REASON_BY_THREAD,		/* a thread can rename its dead leader */
	LT_REASON_EXCHANGED,		/* a thread took the place of the dead leader */
	LT_REASON_BY_ITSELF,		/* exec by the leader, not by another thread */
	LT_REASON_IS_LEADER,		/* the task is the leader itself */
	LT_REASON_OTHER_GROUP,		/* the task is of another thread group */
	LT_REASON_OLD_LEADER,		/* the dead leader, with the thread's number */
	LT_REASON_FOUND_EXITING,
	LT_REASON_ENDED_SINCE,		/* ended between the look and the record */
	LT_REASON_IN_SNAPSHOT,
	LT_REASON_SEEN_SINCE,		/* seen since the snapshot began */
	LT_REASON_MISSING,		/* should be in the snapshot, and is not */
	LT_REASON_STATES_LOST,		/* records of the snapshot were lost */
	LT_REASON_NOT_MET,		/* the snapshot did not meet the leader */
	LT_REASON_LEADER_LIVED,		/* the leader exited after the snapshot */
	LT_REASON_STARTED_LATER,	/* the task was started after the snapshot */
	LT_REASON_FIRST_VALUE,		/* no earlier value is known */
	LT_REASON_AT_ONCE,		/* the record was written when the value was read */
	LT_REASON_EVENT_SINCE,		/* an event since the snapshot began says otherwise */
	LT_REASON_VALUE_BEFORE,		/* the value is that before the last event */
	LT_REASON_SILENT,		/* the value changed without an event */
	LT_REASON_DURING_CHANGE,	/* the value was read in the middle of its change */
	LT_N_TASK_REASONS,
};

struct lt_task_verdict {
	enum lt_task_act act;
	enum lt_task_reason why;
};

/*
 * Identities and numbers
 */

/* Whether @a was started before @b; of equal times the lower tid comes first. */
static inline bool lt_task_is_older(const struct lt_task_inst *a, const struct lt_task_inst *b)
{
	return a->start != b->start ? a->start < b->start : a->tid < b->tid;
}

/**
 * lt_rule_number() - which task holds a number
 * @t: a task that was not known before
 * @holder: the latest holder of its number, NULL: none
 *
 * Records are not always in the order of the starts: a record of an earlier holder may come
 * after one of a later holder.
 *
 * Return: TAKE, TAKE_AND_END; or END: @t itself has ended, since @holder is younger.
 */
struct lt_task_verdict lt_rule_number(const struct lt_task_inst *t,
				      const struct lt_task_inst *holder);

/**
 * lt_rule_sight() - what an event that a living task causes says of a task
 * @rename: the event is a rename
 *
 * Return: LIVE; REVIVE; DOUBT: the task is a dead leader whose place a thread may have
 * taken; NONE, ENDED: the event contradicts an end that was seen; NONE, BY_THREAD.
 */
struct lt_task_verdict lt_rule_sight(const struct lt_task_inst *t, bool rename);

/*
 * Links
 */

/**
 * lt_rule_link() - whether a task may link to another one
 * @tid, @start: the other one; @tid 0: none
 * @known: it is known
 * @full: no more placeholders may be made
 * Return: TAKE, MAKE (a placeholder), REFUSE or NONE.
 */
struct lt_task_verdict lt_rule_link(const struct lt_task_inst *t, uint32_t tid, uint64_t start,
				    bool known, bool full);

/**
 * lt_rule_leader() - whether the holder of its group's number leads a thread
 * @t: a thread
 * @holder: the latest holder of the number @t->tgid, NULL: none
 *
 * A leader keeps its number, dead or alive, as long as a thread of its group is left.
 *
 * Return: TAKE or NONE.
 */
struct lt_task_verdict lt_rule_leader(const struct lt_task_inst *t,
				      const struct lt_task_inst *holder);

/*
 * Birth, exec, exit, release
 */

/* Return: BEGIN, ALIVE; BEGIN, ENDED: the end is known already; NONE: a second birth. */
struct lt_task_verdict lt_rule_birth(const struct lt_task_inst *t);

/**
 * lt_rule_exec() - what an exec says of the leader that it names
 * @leader: NULL: not known
 * @by_thread: the exec names another thread, which became leader
 *
 * For a thread to become leader the leader must be dead: its exit was that of the task, not
 * that of the process.
 *
 * Return: REVIVE or NONE.
 */
struct lt_task_verdict lt_rule_exec(const struct lt_task_inst *leader, bool by_thread);

/**
 * lt_rule_exec_thread() - which task was the thread that an exec made leader
 * @tgid: of the process
 * @named: the exec says when the thread was started
 * @found: the task so named; if none is named, the holder of the thread's number
 * @earlier: holder of the number before @found whose end was not seen, NULL: none
 *
 * The thread's number is free before the exec is recorded: a new task may hold it.
 *
 * Return: TAKE, TAKE_EARLIER, MAKE; NONE: no such thread can be known.
 */
struct lt_task_verdict lt_rule_exec_thread(uint32_t tgid, bool named,
					   const struct lt_task_inst *found,
					   const struct lt_task_inst *earlier);

/* Return: END: @thread has become @leader; NONE: it cannot have done so. */
struct lt_task_verdict lt_rule_become_leader(const struct lt_task_inst *thread,
					     const struct lt_task_inst *leader);

/**
 * lt_rule_met_as_leader() - whether the initial snapshot met a thread as its leader
 * @leader: the leader whose place the thread took
 * @led: @leader was not known to be dead when the exec came
 * @start: of the thread
 * @initial_end, @initial_end_boot: end of the initial snapshot; in ns since boot, 0: unknown
 *
 * A thread that was in the middle of an exec had its leader's identity when the snapshot
 * met it, or no number at all when the snapshot came to its own.
 *
 * Return: TAKE: the thread existed before; or NONE.
 */
struct lt_task_verdict lt_rule_met_as_leader(const struct lt_task_inst *leader, bool led,
					     uint64_t start, uint64_t initial_end,
					     uint64_t initial_end_boot);

/* Return: END; REVIVE: undo the first end, then end it; NONE: a second exit. */
struct lt_task_verdict lt_rule_exit(const struct lt_task_inst *t);

/* Return: END: its exit was not seen; RELEASE; or NONE. @t: NULL: not known. */
struct lt_task_verdict lt_rule_release(const struct lt_task_inst *t);

/*
 * Snapshots
 */

/**
 * lt_rule_state() - what the record of a snapshot says of a task
 * @t: NULL: not known
 * @exiting: the task was exiting when the snapshot looked at it
 * @old_leader: the record's identity is that of a dead leader which has exchanged numbers
 *	with a thread: (number of the thread, start of the leader)
 * @exec_since: the task executed a program since the snapshot began
 *
 * A record may be written long after the look at the task: events that are recorded before
 * it may be newer.
 *
 * Return: LIVE; END: exiting; DOUBT: the task has ended meanwhile, take the values only;
 * NONE: no task was ever called so.
 */
struct lt_task_verdict lt_rule_state(const struct lt_task_inst *t, bool exiting,
				     bool old_leader, bool exec_since);

/**
 * lt_rule_missing() - whether a living task has ended, at the end of a complete snapshot
 * @begin: when the snapshot began
 * @in_snapshot: the snapshot has a record of the task
 * Return: END or NONE.
 */
struct lt_task_verdict lt_rule_missing(const struct lt_task_inst *t, uint64_t begin,
				       bool in_snapshot);

/*
 * Values
 */

/**
 * lt_rule_dumped_value() - whether a value that was read replaces another, known one
 * @ended: the task has ended
 * @at_once: the record was written when the value was read
 * @event_since: the last event of the attribute is not older than the snapshot
 * @before_event: the value is that from before the last event, or was read in the middle
 *	of this change
 *
 * An event outranks a value that was read before it and whose record was written after it.
 *
 * Return: TAKE: the value was changed without an event; or NONE.
 */
struct lt_task_verdict lt_rule_dumped_value(bool ended, bool at_once, bool event_since,
					    bool before_event);

/**
 * lt_rule_value_before() - what an event says of the value before it
 * @a: the attribute
 * @now: the value so far, NULL: not known
 * @value: the new value
 * @old: the value before, as the event says, NULL: it does not say
 * @ended: the task has ended: the event is that of a thread in its place
 *
 * Return: TAKE, FIRST_VALUE; TAKE, SILENT; DOUBT: the value so far was read in the middle of
 * this change, and holds from now on only; or NONE.
 */
struct lt_task_verdict lt_rule_value_before(enum lt_task_attr a, const uint64_t *now,
					    uint64_t value, const uint64_t *old, bool ended);

/*
 * The whole trace
 */

/**
 * lt_rule_reopen() - whether an end is to be undone when the whole trace was read
 * @states_lost: records of snapshots were lost between the last sight and the end
 * Return: REVIVE; RELEASE: the release is the end; or NONE.
 */
struct lt_task_verdict lt_rule_reopen(const struct lt_task_inst *t, bool states_lost);

/**
 * lt_rule_group_end() - whether a task has ended with its thread group
 * @end: latest exit of a task of its group that was the last one; 0: none was
 * Return: END or NONE.
 */
struct lt_task_verdict lt_rule_group_end(const struct lt_task_inst *t, uint64_t end);

/**
 * lt_birth_certainty() - how certain the birth of a task is
 * @begin_boot: begin of the trace in ns since boot, 0: not known
 * @after_initial: the first sight of the task is later than a complete initial snapshot
 * @births_lost: births were lost before the first sight of the task
 */
enum lt_certainty lt_birth_certainty(const struct lt_task_inst *t, uint64_t begin_boot,
				     bool after_initial, bool births_lost);

/**
 * lt_end_certainty() - how certain the end of a task is
 * @ends_lost: ends were lost between the last sight of the task and the end of the trace
 */
enum lt_certainty lt_end_certainty(const struct lt_task_inst *t, bool ends_lost);

#endif /* LT_TASKS_RULES_H */
