// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The rules of the life of a task. Nothing here changes anything.
 */
#include <stddef.h>

#include "tasks/rules.h"

#define VERDICT(act, why) \
	((struct lt_task_verdict){ LT_ACT_##act, LT_REASON_##why })

/* ------------------------------------------------------------------------
 * Identities and numbers
 */

struct lt_task_verdict lt_rule_number(const struct lt_task_inst *t,
				      const struct lt_task_inst *holder)
{
	if (!holder)
		return VERDICT(TAKE, NO_HOLDER);
	if (lt_task_is_older(t, holder))
		return VERDICT(END, NOT_OLDER);
	return lt_task_ended(holder) ? VERDICT(TAKE, HOLDER_ENDED) :
				       VERDICT(TAKE_AND_END, HOLDER_ALIVE);
}

struct lt_task_verdict lt_rule_sight(const struct lt_task_inst *t, bool rename)
{
	if (!lt_task_ended(t))
		return VERDICT(LIVE, ALIVE);
	/* Events of a group name its leader, which may be dead. */
	if (t->marks & LT_TASK_MARK_LEADER_FIRST)
		return rename ? VERDICT(NONE, BY_THREAD) : VERDICT(DOUBT, EXCHANGED);
	switch (t->ending) {
	case LT_TASK_END_FOUND_EXITING:
		return rename ? VERDICT(REVIVE, RENAMED) : VERDICT(REVIVE, FOUND_EXITING);
	case LT_TASK_END_MISSING:
		return VERDICT(REVIVE, MISSING);
	default:
		return VERDICT(NONE, ENDED);
	}
}

/* ------------------------------------------------------------------------
 * Links
 */

struct lt_task_verdict lt_rule_link(const struct lt_task_inst *t, uint32_t tid, uint64_t start,
				    bool known, bool full)
{
	if (!tid)
		return VERDICT(NONE, NO_TASK);
	if (start > t->start || (start == t->start && tid >= t->tid))
		return VERDICT(REFUSE, NOT_OLDER);
	if (known)
		return VERDICT(TAKE, KNOWN);
	return full ? VERDICT(NONE, FULL) : VERDICT(MAKE, UNKNOWN);
}

struct lt_task_verdict lt_rule_leader(const struct lt_task_inst *t,
				      const struct lt_task_inst *holder)
{
	if (!holder)
		return VERDICT(NONE, NO_HOLDER);
	if (!lt_task_is_older(holder, t))
		return VERDICT(NONE, NOT_OLDER);
	/* The group ended before this thread's birth, so its leader is unknown. */
	if (holder->marks & LT_TASK_MARK_LAST && holder->end < t->birth)
		return VERDICT(NONE, GROUP_ENDED);
	/* Without its task_new @t->birth is only the first sight of it. */
	if (t->marks & LT_TASK_MARK_BORN &&
	    (holder->marks & LT_TASK_MARK_WAS_RELEASED ? holder->release < t->birth :
	     holder->ending == LT_TASK_END_RELEASED && holder->end < t->birth))
		return VERDICT(NONE, RELEASED);
	return VERDICT(TAKE, KNOWN);
}

/* ------------------------------------------------------------------------
 * Birth, exec, exit, release
 */

struct lt_task_verdict lt_rule_birth(const struct lt_task_inst *t)
{
	if (t->marks & LT_TASK_MARK_BORN)
		return VERDICT(NONE, BORN_TWICE);
	return lt_task_ended(t) ? VERDICT(BEGIN, ENDED) : VERDICT(BEGIN, ALIVE);
}

struct lt_task_verdict lt_rule_exec(const struct lt_task_inst *leader, bool by_thread)
{
	if (!by_thread)
		return VERDICT(NONE, BY_ITSELF);
	if (!leader)
		return VERDICT(NONE, UNKNOWN);
	return lt_task_ended(leader) ? VERDICT(REVIVE, EXCHANGED) : VERDICT(NONE, ALIVE);
}

static bool may_be_of_group(const struct lt_task_inst *t, uint32_t tgid)
{
	return !t->tgid || t->tgid == tgid;
}

struct lt_task_verdict lt_rule_exec_thread(uint32_t tgid, bool named,
					   const struct lt_task_inst *found,
					   const struct lt_task_inst *earlier)
{
	if (!found)
		return named ? VERDICT(MAKE, UNKNOWN) : VERDICT(NONE, NO_HOLDER);
	if (may_be_of_group(found, tgid))
		return VERDICT(TAKE, KNOWN);
	return earlier && may_be_of_group(earlier, tgid) ?
	       VERDICT(TAKE_EARLIER, HOLDER_ALIVE) : VERDICT(NONE, OTHER_GROUP);
}

struct lt_task_verdict lt_rule_become_leader(const struct lt_task_inst *thread,
					     const struct lt_task_inst *leader)
{
	if (thread == leader)
		return VERDICT(NONE, IS_LEADER);
	if (thread->ending == LT_TASK_END_EXITED || thread->ending == LT_TASK_END_BECAME_LEADER)
		return VERDICT(NONE, ENDED);
	if (!lt_task_is_older(leader, thread))
		return VERDICT(NONE, NOT_OLDER);
	return VERDICT(END, EXCHANGED);
}

struct lt_task_verdict lt_rule_met_as_leader(const struct lt_task_inst *leader, bool led,
					     uint64_t start, uint64_t initial_end,
					     uint64_t initial_end_boot)
{
	if (!(leader->marks & LT_TASK_MARK_INITIAL))
		return VERDICT(NONE, NOT_MET);
	/* A task that was revived keeps the time of its end. */
	if (!led && leader->end > initial_end)
		return VERDICT(NONE, LEADER_LIVED);
	if (initial_end_boot && start > initial_end_boot)
		return VERDICT(NONE, STARTED_LATER);
	return VERDICT(TAKE, EXCHANGED);
}

struct lt_task_verdict lt_rule_exit(const struct lt_task_inst *t)
{
	switch (t->ending) {
	case LT_TASK_END_ALIVE:
		return VERDICT(END, ALIVE);
	case LT_TASK_END_EXITED:
		/* A thread took the leader's place, and its exec failed or was lost. */
		return t->marks & LT_TASK_MARK_LEADER_FIRST ? VERDICT(REVIVE, EXCHANGED) :
							      VERDICT(NONE, ENDED);
	case LT_TASK_END_BECAME_LEADER:
		return VERDICT(NONE, ENDED);
	default:
		return VERDICT(END, END_UNSEEN);
	}
}

struct lt_task_verdict lt_rule_release(const struct lt_task_inst *t)
{
	if (!t)
		return VERDICT(NONE, UNKNOWN);
	if (!lt_task_ended(t))
		return VERDICT(END, ALIVE);
	if (t->ending != LT_TASK_END_EXITED)
		return VERDICT(NONE, END_UNSEEN);
	return t->marks & LT_TASK_MARK_WAS_RELEASED ? VERDICT(NONE, RELEASED) :
						      VERDICT(RELEASE, ENDED);
}

/* ------------------------------------------------------------------------
 * Snapshots
 */

struct lt_task_verdict lt_rule_state(const struct lt_task_inst *t, bool exiting,
				     bool old_leader, bool exec_since)
{
	if (!t && exiting && old_leader)
		return VERDICT(NONE, OLD_LEADER);
	if (exiting) {
		/* The leader that was dead at the look is another task by now. */
		if (t && exec_since && !lt_task_ended(t))
			return VERDICT(LIVE, EXCHANGED);
		return VERDICT(END, FOUND_EXITING);
	}
	if (!t)
		return VERDICT(LIVE, UNKNOWN);
	switch (t->ending) {
	case LT_TASK_END_ALIVE:
	case LT_TASK_END_MISSING:
	case LT_TASK_END_FOUND_EXITING:
		return VERDICT(LIVE, KNOWN);
	default:
		return VERDICT(DOUBT, ENDED_SINCE);
	}
}

struct lt_task_verdict lt_rule_missing(const struct lt_task_inst *t, uint64_t begin,
				       bool in_snapshot)
{
	if (t->seen >= begin)
		return VERDICT(NONE, SEEN_SINCE);
	return in_snapshot ? VERDICT(NONE, IN_SNAPSHOT) : VERDICT(END, MISSING);
}

/* ------------------------------------------------------------------------
 * Values
 */

struct lt_task_verdict lt_rule_dumped_value(bool ended, bool at_once, bool event_since,
					    bool before_event)
{
	/* The exit says how the task was at its end. */
	if (ended)
		return VERDICT(NONE, ENDED);
	if (at_once)
		return VERDICT(TAKE, AT_ONCE);
	if (event_since)
		return VERDICT(NONE, EVENT_SINCE);
	return before_event ? VERDICT(NONE, VALUE_BEFORE) : VERDICT(TAKE, SILENT);
}

struct lt_task_verdict lt_rule_value_before(enum lt_task_attr a, const uint64_t *now,
					    uint64_t value, const uint64_t *old, bool ended)
{
	if (!now)
		return old ? VERDICT(TAKE, FIRST_VALUE) : VERDICT(NONE, UNKNOWN);
	/* oom_score_adj is read without a lock, between its change and the event. */
	if (*now == value && (!old || (*old != value && a == LT_ATTR_OOM)))
		return VERDICT(DOUBT, DURING_CHANGE);
	if (!old || *old == *now || a == LT_ATTR_OOM)
		return VERDICT(NONE, KNOWN);
	return ended ? VERDICT(NONE, ENDED) : VERDICT(TAKE, SILENT);
}

/* ------------------------------------------------------------------------
 * The whole trace
 */

struct lt_task_verdict lt_rule_reopen(const struct lt_task_inst *t, bool states_lost)
{
	if (t->marks & LT_TASK_MARK_SEEN_LATER)
		return t->marks & LT_TASK_MARK_WAS_RELEASED ? VERDICT(RELEASE, EXCHANGED) :
							      VERDICT(REVIVE, EXCHANGED);
	if (t->ending == LT_TASK_END_MISSING && states_lost)
		return VERDICT(REVIVE, STATES_LOST);
	return VERDICT(NONE, KNOWN);
}

struct lt_task_verdict lt_rule_group_end(const struct lt_task_inst *t, uint64_t end)
{
	if (!end)
		return VERDICT(NONE, ALIVE);
	if (lt_task_ended(t))
		return VERDICT(NONE, ENDED);
	return t->seen > end ? VERDICT(NONE, SEEN_SINCE) : VERDICT(END, GROUP_ENDED);
}

enum lt_certainty lt_birth_certainty(const struct lt_task_inst *t, uint64_t begin_boot,
				     bool after_initial, bool births_lost)
{
	if (t->marks & LT_TASK_MARK_BORN)
		return LT_EXACT;
	if (t->marks & (LT_TASK_MARK_INITIAL | LT_TASK_MARK_AS_LEADER) || t->start < begin_boot)
		return LT_BEFORE;
	/* A task that ended before the initial snapshot came to it is not in there. */
	return after_initial || births_lost ? LT_UNCERTAIN : LT_BEFORE;
}

enum lt_certainty lt_end_certainty(const struct lt_task_inst *t, bool ends_lost)
{
	switch (t->ending) {
	case LT_TASK_END_ALIVE:
		/* Only a record of the task itself shows that it lives. */
		if (!(t->marks & LT_TASK_MARK_LISTED) || t->marks & LT_TASK_MARK_BY_NAME)
			return LT_UNCERTAIN;
		return ends_lost ? LT_UNCERTAIN : LT_OPEN;
	case LT_TASK_END_EXITED:
	case LT_TASK_END_BECAME_LEADER:
		return LT_EXACT;
	default:
		return LT_BOUNDED;
	}
}
