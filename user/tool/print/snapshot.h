/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_PRINT_SNAPSHOT_H
#define LT_PRINT_SNAPSHOT_H

#include "base/json.h"
#include "base/out.h"
#include "print/times.h"
#include "trace/trace.h"

/* Prints why a flight recorder has made this file, and what it holds; nothing of another trace. */
void lt_snapshot_text(struct lt_out *o, const struct lt_trace *t, const struct lt_times *times);

/* Writes that as a member "snapshot" of a JSON object, with a comma before it. */
void lt_snapshot_json(struct lt_json *j, const struct lt_trace *t, const struct lt_times *times);

#endif /* LT_PRINT_SNAPSHOT_H */
