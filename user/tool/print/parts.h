/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_PRINT_PARTS_H
#define LT_PRINT_PARTS_H

#include <stddef.h>

#include "base/json.h"
#include "base/out.h"
#include "print/times.h"
#include "trace/trace.h"

/* Prints the parts of a recording that was cut, and which are missing; nothing of another trace. */
void lt_parts_text(struct lt_out *o, const struct lt_trace *t, const struct lt_times *times);

/* Writes them as a member "parts" of a JSON object, with a comma before it. */
void lt_parts_json(struct lt_json *j, const struct lt_trace *t, const struct lt_times *times);

/*
 * Which parts before the first one and behind the last one are not among the files, as "numbers 0
 * to 6, number 9 and what follows"; empty: none, or the trace was not cut.
 */
const char *lt_parts_absent(const struct lt_trace *t, char *buf, size_t size);

#endif /* LT_PRINT_PARTS_H */
