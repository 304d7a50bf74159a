/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the program hardcases share.
 */
#ifndef HARDCASES_H
#define HARDCASES_H

#include <stdint.h>
#include <sys/types.h>

#include "files.h"

#define STACK	65536
#define THREAD	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | \
		 CLONE_SYSVSEM | CLONE_CHILD_CLEARTID)

uint64_t now(void);
/* A line {"case":CASE, ...} of the log; fmt are the other keys. */
__attribute__((format(printf, 2, 3))) void note(const char *of, const char *fmt, ...);
void note_bytes(const char *of, const char *key, const char *bytes, size_t n);
/* The running task's name, one that no other task has: "hN"; it is returned. */
const char *new_name(void);
void set_name(const char *name);
/* fork() whose child has a name; number and name are in the log as "role". */
pid_t fork_named(const char *of, const char *role);
void reap(pid_t pid);
extern char *stack_top;		/* for one thread or child at a time */

/* Each file's cases. */
void cases_threads(void);
void cases_numbers(void);
void cases_names(void);
void case_io_worker(void);

#endif /* HARDCASES_H */
