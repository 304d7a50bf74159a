/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The system calls of a trace, each once, from the records of the channel syscall.
 *
 * A call that a signal interrupted and that the kernel began again is one call, from its first
 * begin to its last end, unless the parts are asked for: it has the arguments of the first part
 * and the result of the last.
 */
#ifndef LT_SYSCALLS_CALL_H
#define LT_SYSCALLS_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "syscalls/names.h"
#include "trace/trace.h"

/**
 * enum lt_syscall_end - how a call ended
 * @LT_SYSCALL_RETURNED: it returned
 * @LT_SYSCALL_INTERRUPTED: a signal ended it, and no restart of it is in the trace: the program was
 *	given EINTR, or had no time to go on
 * @LT_SYSCALL_DIED: its thread ended inside
 * @LT_SYSCALL_AT_END: it was open when the recording ended
 * @LT_SYSCALL_OVERTAKEN: its thread began another call, so its end was not seen
 */
enum lt_syscall_end {
	LT_SYSCALL_RETURNED,
	LT_SYSCALL_INTERRUPTED,
	LT_SYSCALL_DIED,
	LT_SYSCALL_AT_END,
	LT_SYSCALL_OVERTAKEN,
};

/**
 * struct lt_syscall_text - what an argument of a call points to
 * @arg: number of the argument, from 0 on
 * @element: of an array of texts; LT_SYS_TEXT_REST: the rest of the array was not read
 * @flags: enum lt_sys_text_flag
 * @address: it is the address of a socket, not a text
 * @big: the machine is big-endian
 * @size: bytes of it
 * @bytes: of a text without the zero at its end
 */
struct lt_syscall_text {
	uint8_t arg;
	uint8_t element;
	uint8_t flags;
	bool address;
	bool big;
	uint8_t size;
	char bytes[255];
};

/**
 * struct lt_syscall - a system call
 * @begin: ns on the trace's clock, if @has_begin
 * @end: ns: when it returned, was given up, or was last seen open
 * @has_begin: the begin was seen
 * @task: the thread that called, as far as the trace describes it; NULL: only @tid
 * @tid, @start: its identity; a thread that executes a program may have another tid afterwards
 * @tgid: its thread group, 0: not known
 * @cpu: on which it ended
 * @nr: number of the call; -1: a tracer has cancelled it
 * @abi: what the number means; NULL: this version has no names for the machine
 * @compat: it is of the ABI of 32 bits
 * @flags: enum lt_sys_flag
 * @how: how it ended
 * @n_args: arguments that the record has
 * @args: registers, as recorded
 * @result: what it returned, if it has returned or was interrupted
 * @parts: 1, and one for each restart that was joined
 * @texts: what arguments point to, @n_texts of them, in the order of arguments and elements;
 *	valid as long as the call. The others were not recorded
 * @no_texts: some were recorded, but are not in the trace: it is damaged
 * @paths: by argument: the file that a descriptor is; @made: that the result is; NULL: not known.
 *	See paths.h
 * @ns: number of the caller's pid namespace, as of struct lt_task_ns, of which the numbers of tasks
 *	in arguments and result are; 0: the initial one, or not known
 * @outside: by argument: the tid, in the initial namespace, of the task that such a number means;
 *	@made_outside: of the result; 0: not known. See numbers.h
 * @queued: of a request of io_uring: it was handed to a worker
 * @goes_on: of a request of io_uring: this is a result of many; the request has not ended
 * @uncertain: of a request of io_uring: the end may be that of another request with its user_data
 */
struct lt_syscall {
	uint64_t begin;
	uint64_t end;
	bool has_begin;
	const struct lt_task *task;
	uint32_t tid;
	uint32_t tgid;
	uint64_t start;
	uint32_t cpu;
	int32_t nr;
	const struct lt_abi *abi;
	bool compat;
	uint8_t flags;
	enum lt_syscall_end how;
	unsigned int n_args;
	uint64_t args[LT_SYSCALL_MAX_ARGS];
	int64_t result;
	uint32_t parts;
	struct lt_syscall_text *texts;
	size_t n_texts;
	bool no_texts;
	const char *paths[LT_SYSCALL_MAX_ARGS];
	const char *made;
	uint32_t ns;
	uint32_t outside[LT_SYSCALL_MAX_ARGS];
	uint32_t made_outside;
	bool queued;
	bool goes_on;
	bool uncertain;
};

/* "returned", "interrupted", "died", "open", "unseen". */
const char *lt_syscall_end_name(enum lt_syscall_end how);

/* The error of a call that failed, from 1 on; 0: it did not fail, or has not returned. */
unsigned int lt_syscall_error(const struct lt_syscall *call);

/* ns from begin to end; 0 if the begin was not seen. */
uint64_t lt_syscall_duration(const struct lt_syscall *call);

/* The time at which the task of a call has the name that the call is printed with. */
static inline uint64_t lt_syscall_named(const struct lt_syscall *call)
{
	return call->has_begin ? call->begin : call->end;
}

/* That name; NULL: not known. */
static inline const char *lt_syscall_comm(const struct lt_syscall *call)
{
	return call->task ? lt_task_comm_at(call->task, lt_syscall_named(call)) : NULL;
}

struct lt_syscalls;

/**
 * typedef lt_syscalls_fn - a call, in the order in which calls are decided
 *
 * A call is decided when it ends. One that a signal interrupted comes when it is known whether it
 * is restarted: when its thread has made the call that shows it, or has ended.
 */
typedef void lt_syscalls_fn(void *arg, const struct lt_syscall *call);

/**
 * lt_syscalls_new() - a reader of the calls of a trace
 * @t: the trace, of which no event has been read
 * @parts: each part of a call that is restarted is a call
 * @fn: is called with @arg for each call
 */
struct lt_syscalls *lt_syscalls_new(const struct lt_trace *t, bool parts, lt_syscalls_fn *fn,
				    void *arg);
void lt_syscalls_free(struct lt_syscalls *c);

/* Takes in the event that the trace has handed out last; others than those of calls are ignored. */
void lt_syscalls_event(struct lt_syscalls *c, const struct lt_event *ev);

/* No event follows: hands out what waits for its restart. */
void lt_syscalls_finish(struct lt_syscalls *c);

#endif /* LT_SYSCALLS_CALL_H */
