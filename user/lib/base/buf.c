// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Buffers of bytes whose content may be read a little beyond its end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

void lt_buf_reserve(struct lt_buf *b, size_t size)
{
	if (b->cap >= size && b->data)
		return;
	free(b->data);
	/* What is to be read or unpacked into it is not touched before. */
	b->data = lt_realloc(NULL, size + LT_SLACK);
	memset(b->data + size, 0, LT_SLACK);
	b->cap = size;
}

void lt_buf_free(struct lt_buf *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}
