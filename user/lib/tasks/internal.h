/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inside of struct lt_tasks, for the files of this room.
 *
 * Calls go downwards, in the reverse order of this list: store, losses, history, attr, life,
 * links, then the files that take in events (birth, exec, exit, change, snapshot, namespace),
 * then tasks.c, and forget. rules.c stands beside all of them: it decides and changes nothing.
 */
#ifndef LT_TASKS_INTERNAL_H
#define LT_TASKS_INTERNAL_H

#include "base/intern.h"
#include "base/map.h"
#include "base/names.h"
#include "base/pool.h"
#include "tasks/rules.h"
#include "tasks/tasks.h"
#include "trace/namespaces.h"

#define LT_EVENT_ATTRS	LT_ATTR_PARENT	/* attributes that have events come first */
#define LT_N_OBSERVERS	4

/* Flags that a task has from its birth on. */
#define LT_TASK_BIRTH_FLAGS \
	(LT_TASK_FLAG_KTHREAD | LT_TASK_FLAG_IO_WORKER | LT_TASK_FLAG_USER_WORKER)

/* The bit of an attribute in the sets of struct lt_task_live. */
#define LT_ATTR_BIT(a)	((uint8_t)(1U << (a)))

/**
 * struct lt_task_live - what is kept of a task only while it is alive
 * @time: of each attribute's last event
 * @old: value before that event
 * @epoch: the last snapshot that has the task
 * @before: the holder of its number before it, if that one's end was not seen by then
 * @group_time: of a leader: last move of its whole group to another cgroup
 * @group_cgroup: where to
 * @has_event: set of attributes: @time is valid
 * @has_old: set of attributes: @old is valid
 * @silent: set of attributes: the last event revealed an earlier change without an event
 */
struct lt_task_live {
	uint64_t time[LT_EVENT_ATTRS];
	uint64_t old[LT_EVENT_ATTRS];
	uint32_t epoch;
	uint32_t before;
	uint64_t group_time;
	uint32_t group_cgroup;
	uint8_t has_event;
	uint8_t has_old;
	uint8_t silent;
};

/* From where a value is known. */
enum lt_task_source {
	LT_FROM_EVENT,		/* a birth or a change */
	LT_FROM_GROUP,		/* a change of the whole thread group */
	LT_FROM_OLD,		/* the value before an event, as the event says */
	LT_FROM_DUMP,		/* a snapshot or an exit; no value was known before */
	LT_FROM_SILENT,		/* a snapshot, an exit, an event; another value was known */
	LT_FROM_CREATOR,	/* presumed: the value of the creator */
};

/**
 * struct lt_task_change - a value of an attribute of an instance
 * @time: from when on
 * @confirmed: when it was last seen
 * @next: the change before it of the same instance, 0: none
 */
struct lt_task_change {
	uint64_t time;
	uint64_t confirmed;
	uint64_t value;
	uint32_t next;
	uint8_t attr;
	uint8_t source;
};

/* How instances are found. */
enum lt_task_map {
	LT_MAP_IDENTITY,	/* (tid, start) */
	LT_MAP_HOLDER,		/* number of the initial namespace: its latest holder */
	LT_MAP_OLD_LEADER,	/* (tid of a thread that became leader, the leader's start) */
	LT_N_MAPS,
};

struct lt_task_snapshot {
	bool open;
	bool any;
	bool had_initial;	/* a complete initial one */
	uint32_t epoch;
	uint8_t purpose;
	uint64_t begin;
	uint64_t initial_end;
};

/* The last task of a process exited. */
struct lt_task_group_end {
	uint64_t time;
	uint64_t start;		/* of its leader */
};

struct lt_tasks {
	struct lt_tasks_config config;
	uint64_t zero;			/* of times in words */
	struct lt_pool insts;
	struct lt_pool lives;
	struct lt_map maps[LT_N_MAPS];
	uint64_t seed;
	struct lt_names names;
	struct lt_intern cgroups;
	uint32_t *living;
	size_t n_living;
	size_t cap_living;
	struct lt_task_snapshot snap;
	struct lt_task_ns **namespaces;	/* by number */
	size_t n_namespaces;
	struct lt_ns_numbers ns_numbers;
	struct lt_task_change *changes;	/* [0] is not used */
	size_t n_changes;
	size_t cap_changes;
	uint32_t *heads;		/* latest change, by instance */
	size_t n_heads;
	struct lt_task_counts *counts;
	size_t n_counts;
	size_t cap_counts;
	uint32_t *counts_of;		/* number of the counts from 1 on, by instance */
	size_t n_counts_of;
	struct lt_task_group_end *group_ends;	/* in the order of their times */
	size_t n_group_ends;
	size_t cap_group_ends;
	struct lt_task_gap *gaps;
	size_t n_gaps;
	size_t cap_gaps;
	uint64_t lost_end[LT_N_LOSSES];	/* by kind: end of the latest gap so far */
	/* Finished: by gap, the number of that which ends last, up to it; SIZE_MAX: none. */
	size_t *gap_latest[LT_N_LOSSES];
	struct {
		lt_task_observer *fn;
		void *arg;
	} observers[LT_N_OBSERVERS];
	unsigned int n_observers;
	uint64_t now;			/* time of the event that is being taken in */
	uint64_t placeholders;
	uint32_t *order;
	/* By leader: see lt_tasks_last(); NULL: all end themselves. */
	uint32_t *last;
	struct lt_task_totals totals;
};

/* As lt_tasks_get(), inlined: this room calls it several times for each event. */
static inline struct lt_task_inst *lt_tasks_inst(const struct lt_tasks *tb, uint32_t inst)
{
	return lt_pool_at(&tb->insts, inst);
}

/* From when on a value holds that is the first one known: as long as the task lives. */
static inline uint64_t lt_task_from_birth(const struct lt_task_inst *t)
{
	return t->marks & LT_TASK_MARK_BORN ? t->birth : 0;
}

/* Whether a value of an attribute was recorded, not only inherited. */
static inline bool lt_task_has_value(const struct lt_task_inst *t, enum lt_task_attr a)
{
	return t->marks & (uint32_t)LT_TASK_MARK_KNOWN << a;
}

/* store.c */
uint32_t lt_tasks_hash(const struct lt_tasks *tb, uint32_t tid, uint64_t start);
uint32_t lt_tasks_make(struct lt_tasks *tb, uint32_t tid, uint64_t start);
void lt_tasks_set_holder(struct lt_tasks *tb, uint32_t inst);
uint32_t lt_tasks_became_leader(const struct lt_tasks *tb, uint32_t tid,
				uint64_t leader_start);
void lt_tasks_set_became_leader(struct lt_tasks *tb, uint32_t inst);
void lt_tasks_enlist(struct lt_tasks *tb, uint32_t inst);
struct lt_task_live *lt_tasks_live(struct lt_tasks *tb, struct lt_task_inst *t);
void lt_tasks_bury(struct lt_tasks *tb, struct lt_task_inst *t);
uint32_t lt_tasks_text(struct lt_tasks *tb, const struct lt_task_text *text);
void lt_tasks_notify(struct lt_tasks *tb, enum lt_task_notice what,
		     const struct lt_task_event *ev, uint32_t inst, uint32_t other);

/* losses.c */
void lt_tasks_index_gaps(struct lt_tasks *tb);

/* history.c */
void lt_history_append(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a, uint64_t time,
		       uint64_t value, enum lt_task_source source);
void lt_history_confirm(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
			uint64_t value);
void lt_history_shorten_dump(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
			     uint64_t time, uint64_t value);
void lt_history_add_before(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
			   uint64_t value);
void lt_history_drop_before(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
			    uint64_t time);
void lt_history_of_group(struct lt_tasks *tb, uint32_t inst);
/* Adds the changes of an attribute that were those of an instance with the list @from of @old. */
void lt_history_copy(struct lt_tasks *tb, uint32_t inst, const struct lt_task_change *old,
		     uint32_t from, enum lt_task_attr a);
void lt_history_add_group_end(struct lt_tasks *tb, uint64_t time, uint64_t start);

/* Adds a value, if histories are kept. */
static inline void lt_history_add(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
				  uint64_t time, uint64_t value, enum lt_task_source source)
{
	if (tb->config.history)
		lt_history_append(tb, inst, a, time, value, source);
}

/* attr.c */
void lt_attr_born(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a, uint64_t time,
		  uint64_t value);
void lt_attr_event(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a, uint64_t time,
		   uint64_t value, const uint64_t *old);
void lt_attr_dump(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a, uint64_t time,
		  uint64_t value, bool at_once);
void lt_attr_presume(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a, uint64_t time,
		     uint64_t value);
void lt_attr_inherit(struct lt_tasks *tb, uint32_t inst, uint64_t time);
void lt_attr_pass_name(struct lt_tasks *tb, uint32_t leader, uint32_t thread);
void lt_attr_settle(struct lt_tasks *tb, struct lt_task_inst *t);

/* life.c */
uint32_t lt_life_make(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t tid,
		      uint64_t start);
uint32_t lt_life_see(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t tid,
		     uint32_t tgid, uint64_t start, bool alive);
void lt_life_note(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst);
void lt_life_revive(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst);
void lt_life_end_unseen(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst,
			enum lt_task_ending ending);
void lt_life_exit(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst);
void lt_life_become_leader(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst,
			   uint32_t leader);

/* links.c */
void lt_link_creator(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst);
void lt_link_parent(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst);
void lt_link_last_parent(struct lt_tasks *tb, const struct lt_task_event *ev, uint32_t inst);
void lt_link_leader(struct lt_tasks *tb, uint32_t inst);

/* birth.c, exec.c, exit.c, change.c, snapshot.c, namespace.c: events in */
void lt_on_task_new(struct lt_tasks *tb, const struct lt_task_event *ev);
void lt_on_exec(struct lt_tasks *tb, const struct lt_task_event *ev);
void lt_on_exit(struct lt_tasks *tb, const struct lt_task_event *ev);
/* counters.c */
void lt_on_counter(struct lt_tasks *tb, const struct lt_task_event *ev);

/* An instance that has got another number had these counts, with the number @from; 0: none. */
void lt_counts_copy(struct lt_tasks *tb, uint32_t inst, const struct lt_task_counts *old,
		    uint32_t from);

void lt_on_release(struct lt_tasks *tb, const struct lt_task_event *ev);
void lt_on_number_reused(struct lt_tasks *tb, const struct lt_task_event *ev);
void lt_on_change(struct lt_tasks *tb, const struct lt_task_event *ev);
void lt_on_snapshot(struct lt_tasks *tb, const struct lt_task_event *ev);
void lt_on_namespace(struct lt_tasks *tb, const struct lt_task_event *ev);

#endif /* LT_TASKS_INTERNAL_H */
