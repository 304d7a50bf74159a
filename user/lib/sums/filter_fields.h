/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What filters ask of an event that is no lifetime: for filter.c alone.
 */
#ifndef LT_SUMS_FILTER_FIELDS_H
#define LT_SUMS_FILTER_FIELDS_H

#include "trace/trace.h"

/* The task that the fields of the latest event name. Return: false: they name none. */
bool lt_event_task(const struct lt_trace *t, const struct lt_event *ev, struct lt_task *task);

/* Bytes that an event requests, 0: it requests none. */
uint64_t lt_event_bytes(const struct lt_trace *t, const struct lt_event *ev);

#endif /* LT_SUMS_FILTER_FIELDS_H */
