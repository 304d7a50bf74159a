/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One event of the channel pid, decoded: all its fields, independent of the machine and of
 * the form of the record. The rest of this room but read.c does not depend on files.
 */
#ifndef LT_TASKS_EVENT_H
#define LT_TASKS_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event.h"

/* A text in a record; not zero-terminated. */
struct lt_task_text {
	const char *s;
	size_t len;
};

/**
 * struct lt_task_event - an event of the channel pid
 * @time: trace time in ns
 * @id: enum lt_event_id; long forms have the id of the short ones
 *
 * The other members have the names and meanings of the schema's fields. A field that the
 * event does not have is 0 or empty. A field "old" of the schema is @old if it is a number,
 * @old_comm if it is a text.
 */
struct lt_task_event {
	uint64_t time;
	uint16_t id;

	uint32_t tid, tgid;
	uint64_t start;
	uint32_t creator, parent;
	uint64_t creator_start, parent_start;
	uint64_t clone_flags;
	uint8_t flags;
	uint16_t ns;
	uint32_t nr;
	uint64_t generation, wraps;
	uint64_t ino;
	uint32_t uid, gid, euid, egid;
	uint32_t old_uid, old_gid, old_euid, old_egid;
	uint64_t cgroup;
	int16_t oom_score_adj, old;
	uint32_t by;
	uint64_t by_start;
	struct lt_task_text comm, old_comm, file;

	uint32_t holders, old_tid;		/* number_reused, exec */
	uint64_t old_start, old_death;

	uint8_t why, level, exact;		/* wrap, pid_ns */
	uint32_t old_cursor, cursor;
	uint64_t allocated, born, burned, untracked;
	uint32_t inum, init_tid;
	uint64_t ns_id, init_start;

	uint8_t group;				/* cgroup */
	uint32_t hierarchy;

	uint8_t group_dead;			/* exit */
	uint32_t code;
	uint64_t utime, stime, runtime, maxrss;
	uint32_t min_flt, maj_flt, nvcsw, nivcsw;
	uint64_t rchar, wchar, read_bytes, write_bytes;

	uint32_t epoch, tasks, pgid, sid;	/* snapshots */
	uint8_t purpose, complete;
	struct lt_task_text state;
	uint64_t lost;

	uint8_t counter, user;			/* counter */
	uint64_t value, enabled, running;
};

struct lt_packet;
struct lt_event_desc;

/* Offsets of the fields of each event in a trace, looked up at its first record. */
struct lt_task_decoder *lt_task_decoder_new(void);
void lt_task_decoder_free(struct lt_task_decoder *d);

/**
 * lt_task_decode() - decode an event
 * @p, @desc: its packet and schema entry
 * @out: texts are valid as long as @ev is
 * Return: 1; 0: no event of the channel pid, or one that this version does not know; -1: the
 * schema lacks a needed field, which was reported.
 */
int lt_task_decode(struct lt_task_decoder *d, const struct lt_packet *p,
		   const struct lt_event_desc *desc, const struct lt_event *ev,
		   struct lt_task_event *out);

#endif /* LT_TASKS_EVENT_H */
