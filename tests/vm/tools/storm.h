/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the load generator and its kinds of children share: the table of truth,
 * in memory that all its processes have.
 */
#ifndef STORM_H
#define STORM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The numbers stand in the file; compare/pidtree.py has the same list. */
enum kind {
	KIND_MAIN,		/* the program itself */
	KIND_WORKER,		/* its children, which are subreapers */
	KIND_FORK,
	KIND_VFORK_EXEC,
	KIND_EXEC,
	KIND_SIBLING,		/* made with CLONE_PARENT */
	KIND_THREAD,
	KIND_ORPHAN,		/* its parent dies before it */
	KIND_KILLED,
	KIND_THREAD_EXEC,	/* a thread that executes a program */
	KIND_BY_THREAD,		/* a process made by a thread that is no leader */
};

/*
 * One task. Its creator fills in what clone() returned, the task itself the
 * rest; status and end_parent 0: not looked at.
 */
struct record {
	uint32_t serial;
	uint32_t creator;	/* serials */
	uint32_t parent;
	uint32_t group;		/* serial of the leader of its thread group */
	uint32_t kind;
	uint32_t pid;		/* as clone() returned it */
	uint32_t self;		/* as the task found it itself */
	uint32_t code;		/* status that wait() must report */
	uint32_t status;	/* and that it reported */
	uint32_t end_parent;	/* number of the parent, when it had been orphaned */
	uint64_t before;	/* time before the call of clone() */
	uint64_t first;		/* when the task began to run */
	uint64_t after;		/* when the call had returned */
};

#define STORM_MAGIC	"STORM-1"
#define STORM_PIDS	(1U << 22)

struct header {
	char magic[8];
	uint32_t record_size;
	uint32_t count;		/* records that follow */
	uint32_t pid_max;
	uint32_t errors;	/* what the program itself found to be wrong */
	uint64_t begin;		/* CLOCK_MONOTONIC */
	uint64_t end;
};

struct shared {
	struct header head;
	uint32_t next;		/* serial to be given next */
	uint32_t limit;		/* serials from here on are not given */
	int32_t alive;
	int32_t max_alive;
	uint32_t holder[STORM_PIDS];	/* number: serial */
	struct record records[];
};

extern struct shared *storm;
extern uint32_t me;		/* serial of the running process */

/* storm.c */
uint64_t now(void);
uint32_t rnd(uint32_t n);
/* 0: there are none left. Counted as alive from here on. */
uint32_t new_task(enum kind kind, uint32_t creator, uint32_t parent, uint32_t group);
/* First act of every task: it writes its serial into the table and into its name. */
void begin(uint32_t serial);
void complain(const char *what, uint32_t serial);
/* Waits for one child, or for none if there is none that is dead. */
bool reap(bool block);
void reap_all(void);
_Noreturn void leave(uint32_t serial);

/* storm-kinds.c: makes some tasks, of a kind chosen at random. */
void make_some(void);

#endif /* STORM_H */
