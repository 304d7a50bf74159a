// SPDX-License-Identifier: GPL-2.0
/*
 * Messages, exit statuses, and memory that is there or ends the program.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/out.h"

#define MESSAGE	1024

/*
 * Names out of a file may stand in a message: a terminal must not take them for
 * commands.
 */
static void message(const char *kind, const char *fmt, va_list ap)
{
	char text[MESSAGE], safe[LT_ESCAPED_SIZE(MESSAGE)];

	vsnprintf(text, sizeof(text), fmt, ap);
	lt_escape_text(text, safe);
	/* What was printed before the error should also stand before it. */
	fflush(stdout);
	fprintf(stderr, "lifetrace: %s%s\n", kind, safe);
}

void lt_verror(const char *fmt, va_list ap)
{
	message("", fmt, ap);
}

void lt_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message("", fmt, ap);
	va_end(ap);
}

void lt_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message("note: ", fmt, ap);
	va_end(ap);
}

void lt_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message("", fmt, ap);
	va_end(ap);
	exit(LT_EXIT_BAD);
}

void *lt_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		lt_die("out of memory (%zu bytes)", size);
	return p;
}

void *lt_alloc_array(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		lt_die("out of memory (%zu times %zu bytes)", n, size);
	return p;
}

char *lt_strndup(const char *s, size_t n)
{
	char *p = strndup(s, n);

	if (!p)
		lt_die("out of memory");
	return p;
}

char *lt_strdup(const char *s)
{
	return lt_strndup(s, SIZE_MAX);
}

void *lt_grow(void *array, size_t *cap, size_t n, size_t size)
{
	size_t want = *cap;
	void *p;

	if (n < *cap)
		return array;
	want = want < 16 ? 16 : want + want / 2;
	p = reallocarray(array, want, size);
	if (!p)
		lt_die("out of memory (%zu times %zu bytes)", want, size);
	*cap = want;
	return p;
}
