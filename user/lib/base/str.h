/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text that grows at its end.
 */
#ifndef LT_BASE_STR_H
#define LT_BASE_STR_H

#include <stdarg.h>
#include <stddef.h>

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

#endif /* LT_BASE_STR_H */
