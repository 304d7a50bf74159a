/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside of struct lt_tasks; for the files that fill it.
 */
#ifndef LT_LIB_TASK_PRIVATE_H
#define LT_LIB_TASK_PRIVATE_H

#include "base/intern.h"
#include "base/names.h"
#include "base/pool.h"
#include "tasks/tasks.h"

#define LT_EVENT_ATTRS	LT_ATTR_PARENT	/* attributes that events tell of come first */
#define LT_N_OBSERVERS	4

/**
 * struct lt_task_live - what is kept of a task while it is alive
 * @time, @old: of each attribute's last event, and the value before it
 * @has_event, @has_old: bits by attribute
 * @silent: of each, whether the last event told of a change before it that was not seen
 * @epoch: of the last snapshot that has it
 * @before: who held its number before, if that one's end was not seen by then
 * @group_time, @group_cgroup: of a leader: when all its group was moved, and where
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

/* How a value is known. */
enum lt_task_source {
	LT_FROM_EVENT,		/* a birth, or a change */
	LT_FROM_GROUP,		/* of its whole thread group */
	LT_FROM_OLD,		/* what an event says was before it */
	LT_FROM_DUMP,		/* of a snapshot or an exit, and nothing before */
	LT_FROM_SILENT,		/* likewise, but it had been another */
	LT_FROM_CREATOR,	/* that of its creator, at its birth */
};

/* A value of an attribute from @time on, last seen at @confirmed. */
struct lt_task_change {
	uint64_t time;
	uint64_t confirmed;
	uint64_t value;
	uint32_t next;		/* an earlier one of the same instance, 0: none */
	uint8_t attr;
	uint8_t source;
};

/* Open-addressed; a slot is half of the hash and an instance. */
struct lt_task_map {
	uint64_t *slots;
	size_t n_slots;		/* a power of two */
	size_t n;
};

enum lt_task_map_id {
	LT_MAP_IDENTITY,	/* (tid, start) */
	LT_MAP_HOLDER,		/* number of the initial namespace: its holder */
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

/* The last task of a process exited. @start: when its leader began. */
struct lt_task_group_end {
	uint64_t time;
	uint64_t start;
};

struct lt_tasks {
	struct lt_tasks_config config;
	struct lt_pool insts;
	struct lt_pool lives;
	struct lt_task_map maps[LT_N_MAPS];
	uint64_t seed;
	struct lt_task_names names;
	struct lt_intern cgroups;
	uint32_t *living;
	size_t n_living;
	size_t cap_living;
	struct lt_task_snapshot snap;
	struct lt_task_ns **namespaces;	/* by id */
	size_t n_namespaces;
	struct lt_task_change *changes;	/* [0] is not used */
	size_t n_changes;
	size_t cap_changes;
	uint32_t *heads;		/* of changes, by instance */
	size_t n_heads;
	struct lt_task_group_end *group_ends;
	size_t n_group_ends;
	size_t cap_group_ends;
	struct lt_task_gap *gaps;
	size_t n_gaps;
	size_t cap_gaps;
	uint64_t lost_end[LT_N_LOSSES];	/* by kind: end of the latest gap so far */
	uint64_t *gap_ends[LT_N_LOSSES];	/* finished: by gap, the latest up to it */
	struct {
		lt_task_observer *fn;
		void *arg;
	} observers[LT_N_OBSERVERS];
	unsigned int n_observers;
	uint64_t now;
	uint64_t placeholders;
	uint32_t *order;
	struct lt_task_totals totals;
};

/* From when on a value holds that was not known before: as long as the task lives. */
static inline uint64_t lt_task_from_birth(const struct lt_task_inst *t)
{
	return t->marks & LT_TASK_MARK_BORN ? t->birth : 0;
}

/* store.c */
uint64_t *lt_tasks_slot(struct lt_tasks *tb, enum lt_task_map_id map, uint32_t tid,
			uint64_t start);
void lt_tasks_fill_slot(struct lt_tasks *tb, enum lt_task_map_id map, uint64_t *slot,
			uint32_t inst);
uint32_t lt_tasks_make(struct lt_tasks *tb, uint32_t tid, uint64_t start);
void lt_tasks_enlist(struct lt_tasks *tb, uint32_t inst);
struct lt_task_live *lt_tasks_live(struct lt_tasks *tb, struct lt_task_inst *t);
void lt_tasks_bury(struct lt_tasks *tb, struct lt_task_inst *t);
void lt_tasks_notify(struct lt_tasks *tb, enum lt_task_notice what,
		     const struct lt_task_event *ev, uint32_t inst, uint32_t other);

/* life.c: births, ends and links */
uint32_t lt_task_subject(struct lt_tasks *tb, const struct lt_task_event *ev,
			 uint32_t tid, uint32_t tgid, uint64_t start, bool alive);
void lt_task_end_bounded(struct lt_tasks *tb, const struct lt_task_event *ev,
			 uint32_t inst, enum lt_task_ending ending);
bool lt_task_older(const struct lt_tasks *tb, uint32_t a, uint32_t b);
void lt_task_on_new(struct lt_tasks *tb, const struct lt_task_event *ev);
void lt_task_on_exec(struct lt_tasks *tb, const struct lt_task_event *ev);
void lt_task_on_exit(struct lt_tasks *tb, const struct lt_task_event *ev);
void lt_task_on_release(struct lt_tasks *tb, const struct lt_task_event *ev);
void lt_task_on_reused(struct lt_tasks *tb, const struct lt_task_event *ev);
void lt_task_find_leader(struct lt_tasks *tb, uint32_t inst);
void lt_task_set_parent(struct lt_tasks *tb, const struct lt_task_event *ev,
			uint32_t inst);
void lt_task_set_last_parent(struct lt_tasks *tb, const struct lt_task_event *ev,
			     uint32_t inst);

/* attr.c: values of attributes */
void lt_task_attr_born(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
		       uint64_t time, uint64_t value);
void lt_task_attr_event(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
			uint64_t time, uint64_t value, const uint64_t *old);
void lt_task_attr_dump(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
		       uint64_t time, uint64_t value, bool at_once);
void lt_task_attr_presume(struct lt_tasks *tb, uint32_t inst, enum lt_task_attr a,
			  uint64_t time, uint64_t value);
void lt_task_note_group_end(struct lt_tasks *tb, uint64_t time, uint64_t start);
void lt_task_pass_name(struct lt_tasks *tb, uint32_t leader, uint32_t thread);
void lt_task_settle(struct lt_tasks *tb, struct lt_task_inst *t);
void lt_task_inherit(struct lt_tasks *tb, uint32_t inst, uint64_t time);
void lt_task_note_parent(struct lt_tasks *tb, uint32_t inst, uint64_t time);

/* change.c */
void lt_task_on_change(struct lt_tasks *tb, const struct lt_task_event *ev);

/* losses.c: when all gaps were given */
void lt_task_index_gaps(struct lt_tasks *tb);

/* snapshot.c */
void lt_task_on_snapshot(struct lt_tasks *tb, const struct lt_task_event *ev);
void lt_task_namespace_event(struct lt_tasks *tb, const struct lt_task_event *ev);

#endif /* LT_LIB_TASK_PRIVATE_H */
