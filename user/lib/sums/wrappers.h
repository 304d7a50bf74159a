/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that allocate for their callers: as a call site they say nothing.
 */
#ifndef LT_SUMS_WRAPPERS_H
#define LT_SUMS_WRAPPERS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

/* Whether a function of this name hands what it allocates to its caller. */
bool lt_is_wrapper(const char *function);

/* Whether the address is in such a function; false where its function is not known. */
bool lt_in_wrapper(const struct lt_trace *t, uint64_t addr);

#endif /* LT_SUMS_WRAPPERS_H */
