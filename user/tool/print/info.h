/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a trace holds.
 */
#ifndef LT_PRINT_INFO_H
#define LT_PRINT_INFO_H

#include "base/json.h"
#include "base/out.h"
#include "print/times.h"
#include "trace/trace.h"

/* info_text.c */
void lt_info_text(struct lt_out *o, const struct lt_trace *t, const struct lt_times *times);

/* info_json.c */
void lt_info_json(struct lt_out *o, const struct lt_trace *t, const struct lt_times *times);

/* How far times may be from the monotonic clock, ns; UINT64_MAX: not known. */
uint64_t lt_info_deviation(const struct lt_trace *t);

/* info_events.c */
void lt_info_events_text(struct lt_out *o, const struct lt_trace *t);
void lt_info_events_json(struct lt_json *j, const struct lt_trace *t);

#endif /* LT_PRINT_INFO_H */
