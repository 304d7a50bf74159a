/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The callers of allocations, where a tracer has a trampoline in place of the return address.
 */
#ifndef LT_CALLER_H
#define LT_CALLER_H

struct lt_call;

void lt_callers_prepare(void);
struct lt_call *lt_call_begin(unsigned long caller);
void lt_call_end(struct lt_call *c);
unsigned long lt_real_caller(unsigned long call_site, bool frees);
void lt_restore_caller(unsigned long *frames, unsigned int n);

#endif /* LT_CALLER_H */
