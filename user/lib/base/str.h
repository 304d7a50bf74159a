/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text that grows at its end.
 */
#ifndef LT_BASE_STR_H
#define LT_BASE_STR_H

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/**
 * struct lt_str - a text; { 0 } is an empty one
 * @s: zero-terminated, NULL while nothing was added; to be freed by free()
 * @n: its length
 */
struct lt_str {
	char *s;
	size_t n;
	size_t cap;
};

/* Adds text as sprintf() makes it; when memory is exhausted, lt_fatal() is called. */
void lt_str_add(struct lt_str *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds @n bytes as they are; a text: all of it. */
void lt_str_bytes(struct lt_str *t, const char *bytes, size_t n);

static inline void lt_str_put(struct lt_str *t, const char *text)
{
	lt_str_bytes(t, text, strlen(text));
}

#endif /* LT_BASE_STR_H */
