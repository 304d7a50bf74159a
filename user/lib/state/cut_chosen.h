/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cutting out what some tasks did: which records that takes. It is found by a pass over the trace,
 * and holds for any window of it.
 */
#ifndef LT_STATE_CUT_CHOSEN_H
#define LT_STATE_CUT_CHOSEN_H

#include <stdbool.h>
#include <stdint.h>

#include "sums/filter.h"
#include "trace/trace.h"

struct lt_chosen;

/**
 * lt_chosen_read() - find what a filter wants, by a pass over a trace
 * @path: the file
 * @f: wants events by their tasks
 *
 * Takes memory by what is alive, and by what the tasks allocated.
 * Return: NULL after lt_error().
 */
struct lt_chosen *lt_chosen_read(const char *path, struct lt_filter *f);
/* @c may be NULL. */
void lt_chosen_free(struct lt_chosen *c);

/* kfree(NULL), kfree(ZERO_SIZE_PTR) and failed allocations are about no object. */
static inline bool lt_chosen_is_object(const struct lt_event *ev)
{
	return ev->ptr > 16;
}

/*
 * Whether an event is about an object that one of the tasks had, or decides what is known of one.
 * @ns: the time of the event, of which @ev has class, address and order
 */
bool lt_chosen_object(const struct lt_chosen *c, const struct lt_event *ev, uint64_t ns);

/* Whether a task did something that is wanted. */
bool lt_chosen_task(const struct lt_chosen *c, uint32_t tid, uint64_t start);

/* Whether all records that name a task are needed: what it was called then follows from them. */
bool lt_chosen_names(const struct lt_chosen *c, uint32_t tid, uint64_t start);

#endif /* LT_STATE_CUT_CHOSEN_H */
