/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * In which system call a task was when it allocated.
 */
#ifndef LT_SYSCALLS_WHERE_H
#define LT_SYSCALLS_WHERE_H

#include <stddef.h>
#include <stdint.h>

#include "format/event.h"

struct lt_syscall_places;

/**
 * lt_syscall_places_read() - the calls of a trace in which its tasks had events of memory
 * @path: the file
 *
 * By a pass over it. Memory: 24 bytes for each call with such an event, or in which its thread
 * ended.
 *
 * Return: NULL: system calls were not recorded, or the file cannot be read, which was reported.
 */
struct lt_syscall_places *lt_syscall_places_read(const char *path);

/* @c may be NULL. */
void lt_syscall_places_free(struct lt_syscall_places *c);

/*
 * The number of the call that a task was in at the time of an event of memory, ns; 0: in none: in
 * user mode, at a page fault, in a kernel thread; or not known.
 */
uint64_t lt_syscall_places_at(const struct lt_syscall_places *c, const struct lt_task *task,
			      uint64_t time);

/* What the number means: the name of a call. Return: the name or @buf. */
const char *lt_syscall_places_name(const struct lt_syscall_places *c, uint64_t number, char *buf,
				   size_t size);

#endif /* LT_SYSCALLS_WHERE_H */
