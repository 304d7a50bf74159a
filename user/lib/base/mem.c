// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Allocation of memory.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

void *lt_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		lt_fatal("out of memory (%zu bytes)", size);
	return p;
}

void *lt_alloc_array(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		lt_fatal("out of memory (%zu times %zu bytes)", n, size);
	return p;
}

void *lt_realloc(void *p, size_t size)
{
	p = realloc(p, size);
	if (!p)
		lt_fatal("out of memory (%zu bytes)", size);
	return p;
}

void *lt_realloc_array(void *p, size_t n, size_t size)
{
	p = reallocarray(p, n, size);
	if (!p)
		lt_fatal("out of memory (%zu times %zu bytes)", n, size);
	return p;
}

char *lt_strndup(const char *s, size_t n)
{
	char *p = strndup(s, n);

	if (!p)
		lt_fatal("out of memory");
	return p;
}

char *lt_strdup(const char *s)
{
	return lt_strndup(s, SIZE_MAX);
}

char *lt_vformat(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		lt_fatal("out of memory");
	return text;
}

char *lt_format(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = lt_vformat(fmt, ap);
	va_end(ap);
	return text;
}

void *lt_grow(void *array, size_t *cap, size_t n, size_t size)
{
	size_t want = *cap;

	if (n < *cap)
		return array;
	want = want < 16 ? 16 : want + want / 2;
	array = lt_realloc_array(array, want, size);
	*cap = want;
	return array;
}

void *lt_extend(void *array, size_t *n, size_t want, size_t size)
{
	array = lt_realloc_array(array, want, size);
	memset((char *)array + *n * size, 0, (want - *n) * size);
	*n = want;
	return array;
}

void *lt_alloc_lines(size_t n, size_t size)
{
	void *lines = n <= SIZE_MAX / size ? aligned_alloc(LT_LINE, n * size) : NULL;

	if (!lines)
		lt_fatal("out of memory (%zu times %zu bytes)", n, size);
	memset(lines, 0, n * size);
	return lines;
}

void *lt_extend_lines(void *array, size_t *n, size_t want, size_t size)
{
	/* The memory is always moved, since realloc() need not keep where it begins. */
	const size_t room = want + want / 2;
	void *lines = lt_alloc_lines(room, size);

	if (*n)
		memcpy(lines, array, *n * size);
	free(array);
	*n = room;
	return lines;
}
