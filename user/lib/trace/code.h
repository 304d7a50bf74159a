/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Code that came or went while a trace was recorded, and that of the modules which were there all
 * the time, from its texts CODE.
 *
 * An address of code can mean several things in the course of a trace. Everybody names a place in
 * the code by one number, its site. Where the code at an address is the first that was ever there,
 * the site is the address. For code that came later it is a number of its own, which is no address
 * of any kernel; lt_code_address() has the address.
 */
#ifndef LT_LIB_CODE_H
#define LT_LIB_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "format/clock.h"
#include "trace/later.h"
#include "trace/symbols.h"

#define LT_CODE_NAME	64

/**
 * struct lt_code_range - addresses with code of a module, for a time
 * @name: of the module
 * @build: its build id; empty: not known
 * @begin: the first address
 * @end: behind the last one
 * @from: when the code came, clock units; 0: before the session
 * @to: when it went; 0: it did not
 * @text: its symbols, lines as of /proc/kallsyms; NULL: those of the trace are its symbols
 * @symbols: made when first needed
 */
struct lt_code_range {
	char name[LT_CODE_NAME];
	char build[LT_CODE_NAME + 1];
	uint64_t begin;
	uint64_t end;
	uint64_t from;
	uint64_t to;
	char *text;
	struct lt_symbols *symbols;
};

/**
 * struct lt_code - all of it
 * @ranges: by number minus 1; once there, an entry stays, whatever later texts leave out
 * @by_key: numbers of the ranges, by what identifies them
 * @order: numbers by @begin; made when first needed
 * @reach: of each entry of @order: the highest @end up to it
 * @sorted: @order is made
 * @later: the sites that are no addresses
 * @low, @high: all ranges are in there
 * @changing: one came or went; else each address is its own site
 * @changing_low, @changing_high: those that came or went are in there
 */
struct lt_code {
	struct lt_code_range *ranges;
	size_t n;
	size_t cap;
	struct lt_map by_key;
	uint32_t *order;
	uint64_t *reach;
	bool sorted;
	struct lt_later later;
	uint64_t low;
	uint64_t high;
	bool changing;
	uint64_t changing_low;
	uint64_t changing_high;
	uint64_t seed;
};

void lt_code_init(struct lt_code *c);
void lt_code_destroy(struct lt_code *c);

/**
 * lt_code_add() - take a text, as the module's file "code"
 * @c: the code
 * @text: what it has of a range replaces what was known of it
 * Return: 0, or the number of the first line that is not as expected; the others are taken.
 */
size_t lt_code_add(struct lt_code *c, const char *text);

/* Other texts have other symbols: they are looked up anew. */
void lt_code_forget_symbols(struct lt_code *c);

/**
 * lt_code_fill() - take symbols for ranges that have none
 * @c: the code
 * @kallsyms: a text of the trace
 */
void lt_code_fill(struct lt_code *c, const char *kallsyms);

/* Behind the last text: several threads may ask for names then. */
void lt_code_ready(struct lt_code *c);

/* Whether an address is in no code that came or went: it is its own site. */
bool lt_code_stays(struct lt_code *c, uint64_t addr);

/* The site of an address at a time, in clock units. */
uint64_t lt_code_site(struct lt_code *c, uint64_t addr, uint64_t units);

/* The address of a site. */
uint64_t lt_code_address(const struct lt_code *c, uint64_t site);

/* The site of the address before that of a site, in the same code. */
uint64_t lt_code_before(struct lt_code *c, uint64_t site);

/* The range of a site: the first at its address, or that of the alias. NULL: none is known. */
const struct lt_code_range *lt_code_of(struct lt_code *c, uint64_t site);

/*
 * The range with the code of a site at a time, ns by the clock; NULL: there was none then. A
 * module may be loaded again as it was: then its sites are the same, in another range.
 */
const struct lt_code_range *lt_code_at(struct lt_code *c, uint64_t site, uint64_t time,
				       const struct lt_clock *clock);

/* Whether a range of a module of that name has the address, at any time. */
bool lt_code_has(struct lt_code *c, const char *name, uint64_t addr);

/* Whether the kernel has made the code while it ran; the name of the range is no module's then. */
bool lt_code_is_made(const struct lt_code_range *r);

/* When the module of a range was unloaded, clock units; 0: it is there. */
uint64_t lt_code_unloaded(const struct lt_code *c, const struct lt_code_range *r);

#endif /* LT_LIB_CODE_H */
