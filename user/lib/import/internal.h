/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inside of this room: the streams, the tasks that are alive, the caches.
 */
#ifndef LT_IMPORT_INTERNAL_H
#define LT_IMPORT_INTERNAL_H

#include "base/map.h"
#include "import/import.h"

struct lt_abi;

/**
 * struct lt_import_task - a task that is alive, or has exited not long ago
 * @tid, @start: its identity; the start is that of its event of birth, 0: it was there before
 * @tgid, @leader_start: its process; 0: not known
 * @comm: its name; @comm_known: by an event, not by a table of names at the end of the source
 * @creator, @creator_start: who made it; 0: not known
 * @parent, @parent_start: the leader of its parent; 0: not known
 * @dead: it has exited
 * @called: it is in a system call, which is @nr, with @args, since @begin
 * @has_called: it has called at least once
 * @half: of the two events of a birth that the kernel has, the second is to come
 * @unborn: its birth is missing, and its number was another task's before
 * @places: where events were missing before @begin, counted
 */
struct lt_import_task {
	uint32_t tid;
	uint32_t tgid;
	uint64_t start;
	uint64_t leader_start;
	uint32_t parent;
	uint64_t parent_start;
	char comm[16];
	bool comm_known;
	bool dead;
	bool called;
	bool has_called;
	bool half;
	bool unborn;
	int32_t nr;
	uint64_t begin;
	uint64_t places;
	uint64_t args[6];
};

/* Tasks that have exited are known for a while, since they still run to their end. */
#define LT_IMPORT_DEAD	4096U

struct lt_import_tasks {
	struct lt_import_task *all;
	size_t n;
	size_t cap;
	struct lt_map map;
	uint64_t seed;
	uint32_t *free;
	size_t n_free;
	size_t cap_free;
	uint32_t dead[LT_IMPORT_DEAD];	/* numbers of tasks that exited, oldest at @dead_at */
	uint64_t dead_start[LT_IMPORT_DEAD];
	size_t dead_at;
	uint8_t *held;		/* a bit for each number that an ended task had */
};

/* A slab cache: its name, or only the sizes of its objects. */
struct lt_import_cache {
	char name[64];
	uint32_t object_size;
	uint32_t size;
};

struct lt_import_caches {
	struct lt_import_cache *all;
	size_t n;
	size_t cap;
	struct lt_map map;
	uint64_t seed;
	uint64_t overflow;
};

/**
 * struct lt_import_cpu - a CPU
 * @e: its streams, by the number of the channel; NULL: none
 * @last: time of its last event
 */
struct lt_import_cpu {
	struct lt_encoder *e[LT_N_CHANNELS + 1];
	uint64_t last;
};

struct lt_import {
	struct lt_import_source source;
	lt_encode_take *take;
	void *arg;
	int ret;		/* the first result of @take that was not 0 */
	struct lt_import_cpu *cpus;
	size_t n_cpus;
	struct lt_import_tasks tasks;
	struct lt_import_caches caches;
	const struct lt_abi *abi;
	struct lt_import_counts counts;
	uint64_t missed;
	uint64_t late_from;	/* between these events had times that go back */
	uint64_t late_to;
	uint64_t first;
	uint64_t last;
	bool any;
};

/* stream.c */
struct lt_import_cpu *lt_import_cpu(struct lt_import *im, uint32_t cpu);

/* The stream of a channel on the event's CPU. */
struct lt_encoder *lt_import_stream(struct lt_import *im, unsigned int channel, uint32_t cpu);

/* task.c */
void lt_import_tasks_init(struct lt_import_tasks *t);
void lt_import_tasks_destroy(struct lt_import_tasks *t);

/*
 * The task that has a number now; valid until the next call of this room. If none is known, one
 * that was there before. NULL: no task has such a number.
 */
struct lt_import_task *lt_import_task(struct lt_import *im, int32_t tid, uint64_t now);

/* As lt_import_task(), without making one. */
struct lt_import_task *lt_import_find(struct lt_import *im, int32_t tid);

/*
 * As lt_import_task(), of an event that a task which has exited cannot have: it is another task
 * with the same number.
 */
struct lt_import_task *lt_import_alive(struct lt_import *im, int32_t tid, uint64_t now);

/* A task is born, and has the number. */
struct lt_import_task *lt_import_born(struct lt_import *im, int32_t tid, uint64_t now);
void lt_import_died(struct lt_import *im, struct lt_import_task *task);

/* Its name, which fills the field with zeros. */
void lt_import_set_comm(char to[16], const char *from);

/* The task that runs, for the channels that announce it. */
void lt_import_run(struct lt_import *im, struct lt_encoder *e, const struct lt_import_event *ev);

/* kmem.c, pid.c, sys.c: events of these channels */
void lt_import_kmem(struct lt_import *im, const struct lt_import_event *ev);
void lt_import_pid(struct lt_import *im, const struct lt_import_event *ev);
void lt_import_sys(struct lt_import *im, const struct lt_import_event *ev);

/* A task exits, or the source ends, within a call. */
void lt_import_sys_open(struct lt_import *im, const struct lt_import_event *ev,
			struct lt_import_task *task, unsigned int why);

void lt_import_caches_init(struct lt_import_caches *c);
void lt_import_caches_destroy(struct lt_import_caches *c);

static inline unsigned int lt_import_channel(enum lt_import_kind kind)
{
	if (kind >= LT_IMPORT_SYS_ENTER)
		return LT_CHANNEL_SYSCALL;
	return kind >= LT_IMPORT_NEWTASK ? LT_CHANNEL_PID : LT_CHANNEL_KMEM;
}

static inline bool lt_import_has(const struct lt_import *im, enum lt_import_kind kind)
{
	return im->source.kinds & 1U << kind;
}

/* kinds.c: the class of the format that an event becomes. */
unsigned int lt_import_class(enum lt_import_kind kind);

#endif /* LT_IMPORT_INTERNAL_H */
