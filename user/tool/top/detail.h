/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The detail of a row of lifetrace top, as lines of text.
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

/*
 * Makes the lines anew, for the selected row, in @width characters: what it is about, its
 * figures, its stack, how long its objects lived and how old those are that live.
 */
void lt_top_detail_make(struct lt_top_detail *d, struct lt_top *top, unsigned int width);

#endif /* LT_TOP_DETAIL_H */
