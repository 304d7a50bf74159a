// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Messages about the content of a trace.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "trace/internal.h"

#define MAX_NOTES	20

void lt_trace_note(struct lt_trace *t, uint64_t offset, const char *fmt, ...)
{
	const char *name;
	char text[400];
	uint64_t at;
	va_list ap;

	if (t->mute || t->notes > MAX_NOTES)
		return;
	if (t->notes++ == MAX_NOTES) {
		lt_warn("%s: more of such notes are not shown; 'lifetrace verify' reports all",
			t->path);
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (offset == LT_NO_OFFSET || !t->file) {
		lt_warn("%s: %s", t->path, text);
		return;
	}
	name = lt_file_place(t->file, offset, &at);
	lt_warn("%s: offset %llu: %s", name, (unsigned long long)at, text);
}
