/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Code by its address: which it was then, and its names. Users include "trace/trace.h".
 */
#ifndef LT_TRACE_WHERE_H
#define LT_TRACE_WHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lt_trace;

/*
 * Call sites of events, and frames of stacks, are sites: the address of the code, or, where other
 * code was at that address before, a number that stands for it. What follows takes either; the
 * address is what people and other programs get.
 */
uint64_t lt_trace_code_address(const struct lt_trace *t, uint64_t site);

/* The site of the address before it, in the same code: return addresses lie behind their call. */
uint64_t lt_trace_site_before(const struct lt_trace *t, uint64_t site);

/* The site of an address in the record that was taken last. */
uint64_t lt_trace_site(const struct lt_trace *t, uint64_t addr);

/* How many times a name of code that the kernel made came or went, and the file does not say it. */
uint64_t lt_trace_code_lost(const struct lt_trace *t);

/**
 * struct lt_unloaded_code - code that is gone
 * @name: of its module; valid until the trace gets other texts
 * @time: when it was unloaded, ns
 */
struct lt_unloaded_code {
	const char *name;
	uint64_t time;
};

/* Whether the code of a site, as it was at a time (ns), was unloaded before the trace ends. */
bool lt_trace_unloaded(const struct lt_trace *t, uint64_t site, uint64_t time,
		       struct lt_unloaded_code *u);

/*
 * The symbol of a site: "name+0x12" or "name+0x12 [module]"; without the offset if @offset is
 * false. Without a symbol "0x… [module]", and where no module is known, "0x… (code that is
 * gone)", or "0x…" of a trace without symbols.
 */
const char *lt_trace_symbol(const struct lt_trace *t, uint64_t addr, bool offset,
			    char *buf, size_t size);

/* The parts of that: name, offset, module (NULL: the kernel itself). NULL: there is no symbol. */
const char *lt_trace_function(const struct lt_trace *t, uint64_t addr, uint64_t *offset,
			      const char **module);

/* The address of _stext, where the kernel's own code begins. False: there is none. */
bool lt_trace_stext(const struct lt_trace *t, uint64_t *addr);

#endif /* LT_TRACE_WHERE_H */
