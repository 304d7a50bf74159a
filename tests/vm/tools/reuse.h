/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the two files of the program reuse share.
 */
#ifndef REUSE_H
#define REUSE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "files.h"

#define MAX_LEVEL	2

/* A child: its numbers in all its namespaces, the initial one first. */
struct child {
	pid_t pid;			/* in the namespace of its parent */
	unsigned int n_levels;
	pid_t numbers[MAX_LEVEL + 1];
	char name[16];
	bool kept;			/* its number is in use as a group's */
};

enum {
	CHILD_GROUP = 1,	/* has a process group of its own */
	CHILD_JOIN = 2,		/* is in the group that its parent says */
	CHILD_PEER = 4,		/* makes, before it ends, a child in its group that stays */
};

extern unsigned int level;	/* of the namespace that we are in */

uint64_t now(void);
/* A line of the log; fmt are its own keys. */
__attribute__((format(printf, 2, 3))) void note(const char *what, const char *fmt, ...);
void note_burned(void);		/* a clone failed that had got a number */
long last_pid(void);

/* A child that stays until child_end(); set_tid 0: any number. */
struct child child_start(pid_t set_tid, int how);
void child_end(struct child *c);		/* dead, but not waited for */
void child_reap(struct child *c);
struct child child_once(pid_t set_tid);		/* all three */
struct child child_peer(void);			/* that of the last CHILD_PEER */
void child_init(uint64_t t0);
/* A clone() that gets a number, and fails after that. */
void fail_once(void);
void read_generation(void);

#endif /* REUSE_H */
