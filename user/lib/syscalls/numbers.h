/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers of tasks in arguments and results of calls: they are those of the caller's pid namespace,
 * which the records of tasks name. For call.c, args.c and what prints results.
 */
#ifndef LT_SYSCALLS_NUMBERS_H
#define LT_SYSCALLS_NUMBERS_H

#include "syscalls/syscall.h"

struct lt_syscall_numbers;

struct lt_syscall_numbers *lt_syscall_numbers_new(const struct lt_trace *t);
void lt_syscall_numbers_free(struct lt_syscall_numbers *n);

/* Takes in the event that the trace has handed out last, one of the channel pid. */
void lt_syscall_numbers_event(struct lt_syscall_numbers *n, const struct lt_event *ev);

/* Fills in @ns, @outside and @made_outside of a call. */
void lt_syscall_numbers_show(const struct lt_syscall_numbers *n, struct lt_syscall *call);

/*
 * The number of a task, process, group or session that an argument, or the result, is, without the
 * sign of a group; 0: it is none, or one that means the caller, or all.
 */
uint32_t lt_syscall_number(const struct lt_syscall *call, unsigned int arg);
uint32_t lt_syscall_made_number(const struct lt_syscall *call);

/*
 * " [pid namespace 3: 4711]", which follows a number of a call with @ns. @outside: what the number
 * is in the initial namespace, 0: not known. @to: result, of @size bytes with the zero at its end;
 * what does not fit is left out. Return: bytes without the zero.
 */
size_t lt_syscall_put_number(const struct lt_syscall *call, uint32_t outside, char *to,
			     size_t size);

#endif /* LT_SYSCALLS_NUMBERS_H */
