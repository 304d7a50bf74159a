/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A paragraph of text for people in the making.
 */
#ifndef LT_OUT_PARA_H
#define LT_OUT_PARA_H

#include <stddef.h>

#include "base/out.h"

/* Starts as zero. What does not fit is left out. */
struct lt_para {
	size_t n;
	char s[2048];
};

/* Adds text as printf() does. */
void lt_para_add(struct lt_para *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints it as one line, cut to @width characters; 0: not cut. */
void lt_para_line(const struct lt_para *t, struct lt_out *o, unsigned int width);

#endif /* LT_OUT_PARA_H */
