/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks that change all the time, and write down each change before it and
 * after it, in memory that all of them share.
 *
 * A task is known by its serial: the number of its entry in the log. Threads
 * here have no thread-local storage of their own (errno is anybody's), so what
 * belongs to one is in its struct actor, and libc is used for little more than
 * system calls.
 */
#ifndef RACER_H
#define RACER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MAX_TASKS	(1 << 14)
#define MAX_CHANGES	(1 << 18)
#define N_LINKS		9		/* the program's names; the first is its own */
#define LINK_SIZE	600
#define N_SLOTS		6		/* threads of a process besides its leader */

enum kind {
	PROCESS, THREAD,
	SHARED,				/* a process that shares its memory with another */
};

enum attr {
	COMM, OOM, UID, GID,
	FILENAME,			/* main's, that it was born with */
	EXEC,				/* value: which link */
	OOM_SHARED,			/* another process in the same memory was written to */
};

enum status { PENDING, DONE, FAILED };

/* Times are of CLOCK_MONOTONIC, in ns; 0: not reached. */
struct task {
	pid_t tid;			/* written by the kernel before it runs */
	int process, creator, parent;	/* serials */
	enum kind kind;
	unsigned int names;		/* that it was given so far */
	int link;			/* that a process runs as */
	int execing;
	uint64_t born[2];		/* before fork, after it */
	uint64_t exit[2];		/* of this task */
	uint64_t gone[2];		/* of the process with all its threads */
};

struct change {
	uint64_t before, after;
	int task, by;
	enum attr attr;
	enum status status;
	int value;
	char text[16];
};

struct log {
	unsigned int n_tasks, n_changes, n_values;
	int stop, full;
	char links[N_LINKS][LINK_SIZE];
	struct task tasks[MAX_TASKS];
	struct change changes[MAX_CHANGES];
};

struct actor {
	int self;			/* serial */
	int slot;			/* whose stack it runs on, -1: the process's own */
	uint64_t seed;
};

/* racer-log.c */
extern struct log *log_;

uint64_t now(void);
void die(const char *what);
void log_create(void);
void log_attach(void);
int log_task(int creator, enum kind kind, int parent);
struct change *log_change(const struct actor *a, int task, enum attr attr, int value,
			  const char *text);
void log_done(struct change *c, bool ok);
void log_mark(uint64_t *time);
int log_find(pid_t tid);
void log_dump(const char *path);

/* racer-acts.c */
unsigned int any(struct actor *a, unsigned int n);
void nap(struct actor *a, unsigned int us);
void rename_self(struct actor *a);
void rename_by_file(struct actor *a, int target);
void rename_sibling(struct actor *a);
void set_oom(struct actor *a, int target);
void set_oom_of_any(struct actor *a);
void set_ids(struct actor *a);
void set_real_ids(struct actor *a);
void set_oom_shared(struct actor *a, int target, int other);
void run_program(struct actor *a, const char *role);

/* racer-birth.c */
typedef void (*role_fn)(struct actor *a);

int start_process(struct actor *a, role_fn role, unsigned long flags);
int start_shared(struct actor *a, role_fn role);
int start_thread(struct actor *a, role_fn role);
void end_process(struct actor *a);
void end_task(struct actor *a);
void reap(pid_t which, int options);

#endif /* RACER_H */
