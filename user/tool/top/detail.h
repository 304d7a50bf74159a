/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of text in the place of the table: the detail of a row, or the help.
 */
#ifndef LT_TOP_DETAIL_H
#define LT_TOP_DETAIL_H

#include <stddef.h>

#include "top/internal.h"

struct lt_top_detail {
	char **lines;
	size_t n;
	size_t cap;
};

void lt_top_detail_destroy(struct lt_top_detail *d);

/* Adds a line. */
void lt_top_detail_add(struct lt_top_detail *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Makes the lines anew, for the selected row, in @width characters: what it is about, its
 * figures, its stack, how long its objects lived and how old those are that live.
 */
void lt_top_detail_make(struct lt_top_detail *d, struct lt_top *top, unsigned int width);

#endif /* LT_TOP_DETAIL_H */
