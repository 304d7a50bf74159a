/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Durations and sizes, as people write them. All commands take them in these forms.
 */
#ifndef LT_BASE_QUANTITY_H
#define LT_BASE_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * lt_parse_duration() - the ns of "10", "10s", "1.5ms", "500us", "20ns", "1m", "2h", "1d"
 * Without a unit it is seconds. Digits that are smaller than a nanosecond are dropped.
 * Return: false if @text is none of these, or 2^63 ns or more.
 */
bool lt_parse_duration(const char *text, uint64_t *ns);

/**
 * lt_parse_size() - the bytes of "65536", "64K", "1.5G", "64KiB", "64kB"; powers of 1024
 * Return: false if @text is none of these, or 2^63 bytes or more.
 */
bool lt_parse_size(const char *text, uint64_t *bytes);

#define LT_NEAREST_SIZE	128	/* longer names are not suggested */

/**
 * struct lt_nearest - the search for the name that a misspelled one may have meant
 * @wanted: the misspelled name
 * @best: the nearest candidate so far; empty: none is near
 * @distance: of @best: how many letters differ
 */
struct lt_nearest {
	const char *wanted;
	char best[LT_NEAREST_SIZE];
	unsigned int distance;
};

void lt_nearest_init(struct lt_nearest *n, const char *wanted);

/* Compares one more candidate; of equally near ones the first in the alphabet is taken. */
void lt_nearest_try(struct lt_nearest *n, const char *candidate);

/* "; did you mean 'NAME'?", or @otherwise if no candidate is near; in @buf or elsewhere. */
const char *lt_nearest_hint(const struct lt_nearest *n, const char *otherwise, char *buf,
			    size_t size);

#endif /* LT_BASE_QUANTITY_H */
