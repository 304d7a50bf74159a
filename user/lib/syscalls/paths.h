/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which files the descriptors of processes are, by the calls of a trace that was recorded with
 * strings.
 *
 * A descriptor is known if the trace has the call that opened it, all calls that may have closed it
 * since, and that its process was created, if it was inherited. The path is that by which it was
 * opened, joined to that of the directory.
 */
#ifndef LT_SYSCALLS_PATHS_H
#define LT_SYSCALLS_PATHS_H

#include "syscalls/syscall.h"

struct lt_syscall_paths;

/* @t: the trace, of which no event has been read. */
struct lt_syscall_paths *lt_syscall_paths_new(const struct lt_trace *t);
void lt_syscall_paths_free(struct lt_syscall_paths *p);

/* The option by which calls were left out of the trace; NULL: all are there. */
const char *lt_syscall_paths_missing(const struct lt_trace *t);

/* A task is created, in the creator's process, or its own one, which begins as a copy of that. */
void lt_syscall_paths_born(struct lt_syscall_paths *p, uint64_t time, uint32_t creator,
			   uint32_t tid, uint32_t tgid, uint64_t clone_flags);

/* A task is there, or has gone. */
void lt_syscall_paths_task(struct lt_syscall_paths *p, uint32_t tid, uint32_t tgid);
void lt_syscall_paths_gone(struct lt_syscall_paths *p, uint32_t tid);

/*
 * Fills in @paths and @made of a call. They are valid until lt_syscall_paths_update(), which must
 * follow with the same call.
 */
void lt_syscall_paths_show(struct lt_syscall_paths *p, struct lt_syscall *call);
void lt_syscall_paths_update(struct lt_syscall_paths *p, const struct lt_syscall *call);

#endif /* LT_SYSCALLS_PATHS_H */
