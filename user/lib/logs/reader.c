// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The lines of a file, in a buffer that is as long as the longest one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "logs/logs.h"

#define FIRST	(1U << 20)

/* Reads more behind what is there. Return: 0, or -1 with errno set. */
static int fill(struct lt_log_reader *r)
{
	ssize_t n;

	if (r->at) {
		memmove(r->buf, r->buf + r->at, r->end - r->at);
		r->end -= r->at;
		r->at = 0;
	}
	if (r->end == r->cap) {
		if (r->cap >= LT_LOG_LINE_MAX) {
			errno = EFBIG;
			return -1;
		}
		r->cap = r->cap ? r->cap * 2 : FIRST;
		r->buf = lt_realloc(r->buf, r->cap);
	}
	do {
		n = read(r->fd, r->buf + r->end, r->cap - r->end);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -1;
	r->eof = !n;
	r->end += (size_t)n;
	return 0;
}

int lt_log_next(struct lt_log_reader *r, const char **line, size_t *len)
{
	size_t seen = 0;

	for (;;) {
		size_t left = r->end - r->at - seen;
		char *from = r->buf ? r->buf + r->at : NULL;
		char *found = left ? memchr(from + seen, '\n', left) : NULL;

		if (found || (r->eof && r->end > r->at)) {
			*line = from;
			*len = found ? (size_t)(found - from) : r->end - r->at;
			r->at += *len + (found != NULL);
			r->cut = !found;
			r->number++;
			return 1;
		}
		if (r->eof)
			return 0;
		seen = r->end - r->at;
		if (fill(r))
			return -1;
	}
}

int lt_log_peek(struct lt_log_reader *r, const char **text, size_t *len)
{
	/* A pipe hands out less at a time. */
	while (!r->eof && r->end < FIRST / 16) {
		if (fill(r))
			return -1;
	}
	*text = r->buf;
	*len = r->end;
	if (!r->eof) {
		const char *last = memrchr(r->buf, '\n', r->end);

		*len = last ? (size_t)(last - r->buf) + 1 : r->end;
	}
	return 0;
}

void lt_log_reader_destroy(struct lt_log_reader *r)
{
	free(r->buf);
	memset(r, 0, sizeof(*r));
	r->fd = -1;
}
