// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The values of a source line.
 */
#include <stdio.h>

#include "rows/place.h"

const char *lt_place_file(const struct lt_place *p)
{
	return p ? lt_place_function(p)->file : NULL;
}

uint32_t lt_place_line(const struct lt_place *p)
{
	return lt_place_function(p)->line;
}

const char *lt_place_inlined(const struct lt_frame *f, char *buf, size_t size)
{
	snprintf(buf, size, "%s %s:%u", f->function ? f->function : "?", f->file ? f->file : "?",
		 f->line);
	return buf;
}

const char *lt_place_list(const struct lt_place *p, char *buf, size_t size)
{
	size_t at = 0;

	buf[0] = 0;
	for (size_t i = 0; i + 1 < p->n && at + 1 < size; i++) {
		if (i)
			buf[at++] = '\n';
		lt_place_inlined(&p->frames[i], buf + at, size - at);
		at += strlen(buf + at);
	}
	return buf;
}
