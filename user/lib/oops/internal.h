/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LT_OOPS_INTERNAL_H
#define LT_OOPS_INTERNAL_H

#include "oops/oops.h"

/**
 * struct lt_oops_line - a line of the kernel's log
 * @text: the message, without the prefixes of the log; not zero-terminated
 * @len: its length
 * @number: of the line
 * @gpr: "GPR00" and the like: how many values of the row were taken
 */
struct lt_oops_line {
	const char *text;
	size_t len;
	uint32_t number;
	unsigned int gpr;
};

/* words.c */

/* Whether a line has the text; returns where. NULL: it does not. */
const char *lt_oops_find(const struct lt_oops_line *l, const char *text);
bool lt_oops_begins(const struct lt_oops_line *l, const char *text);

/**
 * lt_oops_next() - the next value of a line
 * @at: where to look from; moved behind the value
 * @v: its name, value and kind
 * Return: false: there is none.
 */
bool lt_oops_next(struct lt_oops_line *l, size_t *at, struct lt_oops_value *v);

#endif /* LT_OOPS_INTERNAL_H */
