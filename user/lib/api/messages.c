// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Messages and errors of the API: what the library reports while a function runs in this thread
 * becomes the error of that function, or a warning of its handle.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "base/mem.h"
#include "base/utf8.h"

static void take(void *messages, enum lt_log_level level, const char *text)
{
	struct api_messages *m = messages;
	char line[LT_ESCAPED_SIZE(LT_LOG_SIZE)];

	lt_escape_text(text, line);
	if (level == LT_LOG_ERROR) {
		if (m->failed)
			lt_str_put(&m->errors, "\n");
		lt_str_put(&m->errors, line);
		m->failed = true;
	} else if (m->n < API_MESSAGES) {
		m->warnings = lt_grow(m->warnings, &m->cap, m->n, sizeof(*m->warnings));
		m->warnings[m->n++] = lt_strdup(line);
	}
}

void lt_api_begin(struct api_messages *m)
{
	m->errors.n = 0;
	m->failed = false;
	m->before = lt_log_divert((struct lt_log_to){ take, m });
}

void lt_api_end(struct api_messages *m)
{
	lt_log_divert(m->before);
}

void lt_api_free_messages(struct api_messages *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->warnings[i]);
	free(m->warnings);
	free(m->errors.s);
}

const char *lt_api_message(const struct api_messages *m, size_t i)
{
	return i < m->n ? m->warnings[i] : NULL;
}

/* As much of a text as there is room for, up to the end of a character. */
static void set_error(struct lifetrace_error *error, enum lifetrace_code code, const char *text)
{
	const size_t head = offsetof(struct lifetrace_error, text);
	size_t room, len = strlen(text);

	if (!error || error->size <= head)
		return;
	error->code = (int)code;
	room = error->size < sizeof(*error) ? error->size - head : sizeof(error->text);
	if (len >= room)
		len = room - 1;
	while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	memcpy(error->text, text, len);
	error->text[len] = 0;
}

void lt_api_error(struct lifetrace_error *error, enum lifetrace_code code, const char *fmt, ...)
{
	char *text, *line;
	va_list ap;

	va_start(ap, fmt);
	text = lt_vformat(fmt, ap);
	va_end(ap);
	/* What the caller named, and a path, may have any bytes. */
	line = lt_alloc(LT_ESCAPED_SIZE(strlen(text) + 1));
	set_error(error, code, lt_escape_text(text, line));
	free(line);
	free(text);
}

void lt_api_failed(struct lifetrace_error *error, enum lifetrace_code code,
		   const struct api_messages *m)
{
	set_error(error, code, m->failed ? m->errors.s : "failed, for no known reason");
}

void lt_api_give(void *to, const void *from, size_t size)
{
	size_t room, head = sizeof(room);

	memcpy(&room, to, head);
	if (room > size)
		room = size;
	if (room > head)
		memcpy((char *)to + head, (const char *)from + head, room - head);
}

void lt_api_take(void *to, size_t size, const void *from)
{
	size_t given = 0;

	memset(to, 0, size);
	if (from)
		memcpy(&given, from, sizeof(given));
	memcpy(to, from ? from : to, given < size ? given : size);
}
