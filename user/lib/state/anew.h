/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forgetting what is dead: a trace that lives for days is made anew of what is carried over a cut,
 * as the reader of a part that begins there does. So tasks and stacks that nothing alive refers to
 * are gone.
 */
#ifndef LT_STATE_ANEW_H
#define LT_STATE_ANEW_H

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct lt_anew;

struct lt_anew *lt_anew_new(void);
/* @a may be NULL. */
void lt_anew_free(struct lt_anew *a);

/* Copies a packet of STATE: @emit of lt_state_write(), with @anew as its argument. Return: 0. */
int lt_anew_carry(void *anew, const void *packet, size_t size);

/**
 * lt_anew_trace() - the trace that begins at the cut; frees @a
 * @old: of which all events before the cut were taken, and none since; stays
 * @cut: clock units, that of lt_state_write()
 * @busy: is called after each packet, which may take milliseconds; NULL: nothing
 * @arg: its argument
 *
 * It has the latest names of code of @old and the first reading of its clock. Its table is made by
 * lt_lifetimes_restore(). Packets that end at or behind the cut are pushed then.
 */
struct lt_trace *lt_anew_trace(struct lt_anew *a, const struct lt_trace *old, uint64_t cut,
			       void (*busy)(void *arg), void *arg);

#endif /* LT_STATE_ANEW_H */
