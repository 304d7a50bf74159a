/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The callers of allocations, where a tracer has a trampoline in place of the return address.
 */
#ifndef LT_CALLER_H
#define LT_CALLER_H

#include <linux/kallsyms.h>

struct lt_krealloc;
struct module;

/* The probe, tracepoints, the allocator, other tracers: with all that, the caller is not far. */
#define LT_UNWOUND	24

/**
 * struct lt_unwound - room for an unwinding
 * @frames: return addresses, the innermost first
 * @name: of a function
 */
struct lt_unwound {
	unsigned long frames[LT_UNWOUND];
	char name[KSYM_SYMBOL_LEN];
};

/**
 * struct lt_trampolines - what stands in place of a return address; -1: not known
 * @kretprobe: of what has a kretprobe
 * @graph: of what the function graph tracer follows
 *
 * They are found once, while no probe is attached.
 */
struct lt_trampolines {
	unsigned long kretprobe;
	unsigned long graph;
};

extern struct lt_trampolines lt_trampolines;

/* Is it nobody's address? */
static inline bool lt_is_trampoline(unsigned long call_site)
{
	return call_site == lt_trampolines.kretprobe || call_site == lt_trampolines.graph;
}

void lt_callers_prepare(void);
struct lt_krealloc *lt_krealloc_begin(unsigned long caller);
void lt_krealloc_end(struct lt_krealloc *c);
unsigned long lt_first_outside(struct lt_unwound *u, unsigned int n, bool frees,
			       const struct module *own);
unsigned long lt_real_caller(unsigned long call_site, bool frees);
void lt_restore_caller(unsigned long *frames, unsigned int n);

#endif /* LT_CALLER_H */
