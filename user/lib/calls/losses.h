/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When calls of functions may have been lost.
 */
#ifndef LT_CALLS_LOSSES_H
#define LT_CALLS_LOSSES_H

#include "calls/tree.h"

struct lt_call_losses;

/* The losses of a trace that was read to its end. */
struct lt_call_losses *lt_call_losses_new(const struct lt_trace *t);
void lt_call_losses_free(struct lt_call_losses *l);

/* Whether calls may have been lost on a CPU between two times. */
bool lt_call_losses_over(const struct lt_call_losses *l, uint32_t cpu, uint64_t begin,
			 uint64_t end);

/*
 * Whether calls made in a call may be missing in its tree: lost on its CPU, or on one of a call
 * that it has made, or overwritten, or before the file begins.
 */
bool lt_call_node_uncertain(const struct lt_call_losses *l, const struct lt_call_node *node);

#endif /* LT_CALLS_LOSSES_H */
