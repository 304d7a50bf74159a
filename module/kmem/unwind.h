/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwinding: the stack from a probe up, beginning at the caller of the allocator.
 */
#ifndef LT_UNWIND_H
#define LT_UNWIND_H

#include "kmem/stack.h"

struct lt_walks;

size_t lt_walks_size(void);
u64 lt_walks_missed(const struct lt_walks *ws);
u64 lt_walks_unwound(const struct lt_walks *ws);
u64 lt_walks_wrong(const struct lt_walks *ws);
bool lt_unwind_caller(struct lt_walks *ws, unsigned long call_site, unsigned int depth,
		      struct lt_stack *s);
bool lt_stack_trim(unsigned long call_site, unsigned int asked, unsigned int depth,
		   struct lt_stack *s);

#endif /* LT_UNWIND_H */
