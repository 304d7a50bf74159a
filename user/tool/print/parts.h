/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_PRINT_PARTS_H
#define LT_PRINT_PARTS_H

#include "base/out.h"
#include "trace/trace.h"

/* Prints the parts of a recording that was cut, and which are missing; nothing of another trace. */
void lt_parts_text(struct lt_out *o, const struct lt_trace *t);

/* Writes them as a member "parts" of a JSON object, with a comma before it. */
void lt_parts_json(struct lt_out *o, const struct lt_trace *t);

#endif /* LT_PRINT_PARTS_H */
