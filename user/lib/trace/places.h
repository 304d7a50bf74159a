/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * In which call a thread was when it had an event of memory. The record of a call comes behind the
 * events that it has caused. So of each thread the time of its latest event is kept, and a call
 * that does not begin later than that is remembered. Which calls these are, the caller decides.
 */
#ifndef LT_TRACE_PLACES_H
#define LT_TRACE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "format/event.h"

/* A call with events, of one thread. @number: the caller's, above 0; @depth: its own, too. */
struct lt_place {
	uint64_t begin;
	uint64_t end;
	uint64_t number : 48;
	uint64_t depth : 16;
};

/**
 * struct lt_place_thread - a thread
 * @latest: time of its latest event of memory since the last call, if it @has one
 * @places: its calls, @n of them, which do not overlap, in order of time
 */
struct lt_place_thread {
	uint32_t tid;
	uint64_t start;
	uint64_t latest;
	bool has;
	struct lt_place *places;
	size_t n;
	size_t cap;
};

struct lt_places {
	struct lt_map map;
	uint64_t seed;
	struct lt_place_thread *threads;	/* number N is at N - 1 */
	size_t n;
	size_t cap;
};

void lt_places_init(struct lt_places *p);
void lt_places_destroy(struct lt_places *p);

/* Takes in an event of the trace, before the call of which it is the record. */
void lt_places_event(struct lt_places *p, const struct lt_event *ev);

/* The thread, a new one if it had neither events nor calls; until the next call. */
struct lt_place_thread *lt_places_thread(struct lt_places *p, uint32_t tid, uint64_t start);

/* A call behind all others of the thread, to which the events up to now belong. */
void lt_place_add(struct lt_place_thread *th, const struct lt_place *place);

/* The number of the call that a task was in at a time; 0: in none. */
uint64_t lt_places_at(const struct lt_places *p, const struct lt_task *task, uint64_t time);

#endif /* LT_TRACE_PLACES_H */
