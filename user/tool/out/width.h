/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How wide text is, and what is done where it is too wide.
 */
#ifndef LT_OUT_WIDTH_H
#define LT_OUT_WIDTH_H

#include <stddef.h>

#include "base/out.h"

/* The characters of a text of UTF-8. */
size_t lt_text_width(const char *text);

/* A copy of a text of UTF-8, to be freed; if it is longer than @width characters it is cut. */
char *lt_cut_text(const char *text, size_t width);

/* "no room for: a, b": the columns that a table lacks, in lines of @width characters. */
void lt_no_room(struct lt_out *o, unsigned int indent, size_t width, const char *const *names,
		size_t n);

#endif /* LT_OUT_WIDTH_H */
