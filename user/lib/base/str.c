// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Text that grows at its end.
 */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

void lt_str_add(struct lt_str *t, const char *fmt, ...)
{
	size_t room = t->cap - t->n;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(t->s ? t->s + t->n : NULL, room, fmt, ap);
	va_end(ap);
	if (len < 0)
		lt_fatal("a text cannot be made of \"%s\"", fmt);
	if ((size_t)len >= room) {
		t->cap = 2 * t->cap + (size_t)len + 1;
		t->s = lt_realloc(t->s, t->cap);
		va_start(ap, fmt);
		vsnprintf(t->s + t->n, t->cap - t->n, fmt, ap);
		va_end(ap);
	}
	t->n += (size_t)len;
}

void lt_str_bytes(struct lt_str *t, const char *bytes, size_t n)
{
	if (t->cap - t->n <= n) {
		t->cap = 2 * t->cap + n + 1;
		t->s = lt_realloc(t->s, t->cap);
	}
	memcpy(t->s + t->n, bytes, n);
	t->n += n;
	t->s[t->n] = 0;
}
