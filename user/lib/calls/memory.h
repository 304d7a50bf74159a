/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What tasks allocated within calls: slab objects, with those of all calls within.
 */
#ifndef LT_CALLS_MEMORY_H
#define LT_CALLS_MEMORY_H

#include "calls/call.h"

struct lt_call_memory;

/* Return: NULL: the trace has no allocations. */
struct lt_call_memory *lt_call_memory_new(const struct lt_trace *t);
void lt_call_memory_free(struct lt_call_memory *m);

/* Takes in the event that the trace has handed out last. */
void lt_call_memory_event(struct lt_call_memory *m, const struct lt_event *ev);

/*
 * Sets what the thread of a call has allocated since it began, when it returns: after all events
 * before its record. Not of a call in an interrupt, or whose begin was not seen.
 */
void lt_call_memory_take(struct lt_call_memory *m, struct lt_call *call);

/*
 * Of how many calls a part is missing in what they allocated: before they returned, their thread
 * made more allocations than are kept.
 */
uint64_t lt_call_memory_lacking(const struct lt_call_memory *m);

#endif /* LT_CALLS_MEMORY_H */
