// SPDX-License-Identifier: GPL-2.0
/*
 * A paragraph of text for people.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/para.h"
#include "out/width.h"

void lt_para_add(struct lt_para *t, const char *fmt, ...)
{
	size_t room = sizeof(t->s) - t->n;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->s + t->n, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->n += (size_t)n < room ? (size_t)n : room - 1;
}

void lt_para_line(const struct lt_para *t, struct lt_out *o, unsigned int width)
{
	char *cut = lt_cut_text(t->s, width ? width : SIZE_MAX);

	lt_out_text(o, cut, strlen(cut));
	lt_out_char(o, '\n');
	free(cut);
}
