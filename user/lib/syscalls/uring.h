/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The requests of io_uring of a trace, each from its submission to its completion.
 *
 * A request is a struct lt_syscall with the ABI lt_abi_of_requests(), the opcode as its number,
 * user_data as its argument, and the task that submitted it; LT_SYS_BEFORE: its submission was not
 * seen, the task is the one that completed it. A request that goes on after a completion is handed
 * out for each of them, from its submission on.
 */
#ifndef LT_SYSCALLS_URING_H
#define LT_SYSCALLS_URING_H

#include "syscalls/syscall.h"

struct lt_requests;

/**
 * lt_requests_new() - a reader of the requests of a trace
 * @t: the trace, of which no event has been read
 * @fn: is called with @arg for each completion, in their order; then for what did not complete
 */
struct lt_requests *lt_requests_new(const struct lt_trace *t, lt_syscalls_fn *fn, void *arg);
void lt_requests_free(struct lt_requests *r);

/* Takes in the event that the trace handed out last; others than those of requests are ignored. */
void lt_requests_event(struct lt_requests *r, const struct lt_event *ev);

/* No event follows: hands out what has not completed. */
void lt_requests_finish(struct lt_requests *r);

#endif /* LT_SYSCALLS_URING_H */
