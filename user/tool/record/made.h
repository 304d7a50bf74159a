/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the code that the kernel makes while it runs is, from when to when: lines of the text CODE.
 */
#ifndef LT_RECORD_MADE_H
#define LT_RECORD_MADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/clock.h"
#include "record/ksymbol.h"

/**
 * struct lt_made_range - addresses with code that was made
 * @from: when it came, clock units; 0: before it was watched
 * @to: when it went; 0: it is there
 * @shown: a text has it as it is
 */
struct lt_made_range {
	uint64_t begin;
	uint64_t end;
	uint64_t from;
	uint64_t to;
	bool bpf;
	bool shown;
	char *name;
};

/**
 * struct lt_made - all of it
 * @ranges: in the order in which they were seen
 * @there: numbers of those that are there, by address
 * @forgotten: ranges that were given up before a text had them
 * @text: as last made; NULL: it has to be made
 */
struct lt_made {
	struct lt_made_range *ranges;
	size_t n;
	size_t cap;
	size_t *there;
	size_t n_there;
	size_t cap_there;
	uint64_t forgotten;
	char *text;
};

/* Takes a name that came or went; @units: its time, clock units. */
void lt_made_take(struct lt_made *m, const struct lt_ksymbol *s, uint64_t units);

/* The lines of the text CODE, a text of @m; "" where there are none. */
const char *lt_made_text(struct lt_made *m);

void lt_made_destroy(struct lt_made *m);

/**
 * lt_made_units() - a time in clock units
 * @first, @last: readings of the clocks
 * @freq: units per second, where the readings are too close to give it; 0: not known
 * @ns: CLOCK_MONOTONIC, within seconds of @last
 * Return: 0: it cannot be converted.
 */
uint64_t lt_made_units(const struct lt_clock_reading *first, const struct lt_clock_reading *last,
		       uint64_t freq, uint64_t ns);

#endif /* LT_RECORD_MADE_H */
