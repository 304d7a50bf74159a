/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that signals have interrupted, joined with their restarts: for call.c alone.
 */
#ifndef LT_CALLS_JOIN_H
#define LT_CALLS_JOIN_H

#include "base/map.h"
#include "calls/call.h"

struct lt_call_thread;

/**
 * struct lt_call_join - the threads that have called
 * @parts: nothing is joined
 * @fn: is called with @arg for each call
 * @n_waits: calls that may be restarted
 */
struct lt_call_join {
	bool parts;
	lt_calls_fn *fn;
	void *arg;
	struct lt_map map;
	uint64_t seed;
	struct lt_call_thread **threads;	/* number N is at N - 1 */
	size_t n_threads;
	size_t cap_threads;
	size_t n_waits;
};

void lt_call_join_init(struct lt_call_join *c, bool parts, lt_calls_fn *fn, void *arg);
void lt_call_join_destroy(struct lt_call_join *c);

/* Takes a call over, with its texts: hands it out, or keeps it until it is decided. */
void lt_call_join(struct lt_call_join *c, struct lt_call *call);

/* Whether calls wait for a restart. */
bool lt_call_join_waits(const struct lt_call_join *c);

/* A thread has ended: what waits of it is handed out. */
void lt_call_join_ended(struct lt_call_join *c, uint32_t tid, uint64_t start);

/* No call follows: hands out what waits, in the order of the ends. */
void lt_call_join_finish(struct lt_call_join *c);

/* Frees the texts of a call. */
void lt_call_drop_texts(struct lt_call *call);

#endif /* LT_CALLS_JOIN_H */
