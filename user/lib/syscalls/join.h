/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls that signals have interrupted, joined with their restarts: for call.c alone.
 */
#ifndef LT_SYSCALLS_JOIN_H
#define LT_SYSCALLS_JOIN_H

#include "base/map.h"
#include "syscalls/syscall.h"

struct lt_syscall_thread;

/**
 * struct lt_syscall_join - the threads that have called
 * @parts: nothing is joined
 * @fn: is called with @arg for each call
 * @n_waits: calls that may be restarted
 */
struct lt_syscall_join {
	bool parts;
	lt_syscalls_fn *fn;
	void *arg;
	struct lt_map map;
	uint64_t seed;
	struct lt_syscall_thread **threads;	/* number N is at N - 1 */
	size_t n_threads;
	size_t cap_threads;
	size_t n_waits;
};

void lt_syscall_join_init(struct lt_syscall_join *c, bool parts, lt_syscalls_fn *fn, void *arg);
void lt_syscall_join_destroy(struct lt_syscall_join *c);

/* Takes a call over, with its texts: hands it out, or keeps it until it is decided. */
void lt_syscall_join(struct lt_syscall_join *c, struct lt_syscall *call);

/* Whether calls wait for a restart. */
bool lt_syscall_join_waits(const struct lt_syscall_join *c);

/* A thread has ended: what waits of it is handed out. */
void lt_syscall_join_ended(struct lt_syscall_join *c, uint32_t tid, uint64_t start);

/* No call follows: hands out what waits, in the order of the ends. */
void lt_syscall_join_finish(struct lt_syscall_join *c);

/* Frees the texts of a call. */
void lt_syscall_drop_texts(struct lt_syscall *call);

#endif /* LT_SYSCALLS_JOIN_H */
