// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Buffered output of many small pieces to a file descriptor.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fit.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/utf8.h"

static void write_all(struct lt_out *o, const char *data, size_t size)
{
	size_t done = 0;

	while (done < size && !o->error) {
		ssize_t n = write(o->fd, data + done, size - done);

		if (n > 0)
			done += (size_t)n;
		else if (errno != EINTR)
			o->error = errno;
	}
}

/* A line of @len bytes as @of has them, to @o. */
static void write_line(struct lt_out *o, const char *line, size_t len, const struct lt_out *of)
{
	struct lt_fit_piece piece;
	struct lt_fit fit;
	bool first = true;

	lt_fit_begin(&fit, line, len, of->width, of->cut);
	for (; lt_fit_next(&fit, &piece); first = false) {
		if (!first)
			lt_out_char(o, '\n');
		for (size_t i = 0; i < piece.indent; i++)
			lt_out_char(o, ' ');
		lt_out_long(o, piece.text, piece.len);
		if (piece.cut)
			lt_out_str(o, "…");
	}
}

enum rest { REST_STAYS, REST_IS_LINE, REST_IS_END };

/* Lines as long as @o has them. @rest: what is done with what follows the last newline. */
static void write_lines(struct lt_out *o, enum rest rest)
{
	struct lt_out narrow = { .fd = o->fd, .error = o->error };
	size_t done = 0;

	while (done < o->used) {
		const char *line = o->buf + done, *end = memchr(line, '\n', o->used - done);
		size_t n = end ? (size_t)(end - line) : o->used - done;

		if (!end && rest == REST_STAYS)
			break;
		write_line(&narrow, line, n, o);
		if (end || rest == REST_IS_LINE)
			lt_out_char(&narrow, '\n');
		done += n + (end != NULL);
	}
	lt_out_flush(&narrow);
	o->error = narrow.error;
	free(narrow.buf);
	o->used -= done;
	memmove(o->buf, o->buf + done, o->used);
}

int lt_out_flush(struct lt_out *o)
{
	if (o->width && o->used) {
		write_lines(o, REST_STAYS);
	} else if (o->used) {
		write_all(o, o->buf, o->used);
		o->used = 0;
	}
	return o->error ? -1 : 0;
}

static const char *name_of(const struct lt_out *o)
{
	if (o->fd == STDOUT_FILENO)
		return "standard output";
	return o->name ? o->name : "output";
}

int lt_out_close(struct lt_out *o)
{
	lt_out_flush(o);
	if (o->used)
		write_lines(o, REST_IS_END);
	free(o->buf);
	o->buf = NULL;
	if (o->error && o->error != EPIPE)
		lt_error("%s: cannot write: %s", name_of(o), strerror(o->error));
	return o->error ? -1 : 0;
}

void lt_out_make_room(struct lt_out *o)
{
	if (o->buf)
		lt_out_flush(o);
	if (o->buf && o->used > LT_OUT_SIZE / 2)
		/* A line that fills the buffer is folded here. */
		write_lines(o, REST_IS_LINE);
	else if (!o->buf)
		o->buf = lt_alloc(LT_OUT_SIZE);
}

void lt_out_long(struct lt_out *o, const char *data, size_t size)
{
	while (size) {
		size_t n = size < 4096 ? size : 4096;

		lt_out_bytes(o, data, n);
		data += n;
		size -= n;
	}
}

void lt_outf(struct lt_out *o, const char *fmt, ...)
{
	char buf[512], *text = buf;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(buf)) {
		va_start(ap, fmt);
		text = lt_vformat(fmt, ap);
		va_end(ap);
	}
	lt_out_long(o, text, (size_t)n);
	if (text != buf)
		free(text);
}

void lt_out_pad(struct lt_out *o, uint64_t v, unsigned int digits)
{
	char tmp[LT_DIGITS];
	size_t n = (size_t)(lt_put_u64(tmp, v) - tmp);

	for (; digits > n; digits--)
		lt_out_char(o, '0');
	lt_out_bytes(o, tmp, n);
}

static void escape(struct lt_out *o, const char *prefix, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";

	lt_out_str(o, prefix);
	lt_out_char(o, digits[c >> 4]);
	lt_out_char(o, digits[c & 15]);
}

/* How many bytes at the start stand for themselves in a JSON string. */
static size_t plain(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\')
		n++;
	return n;
}

/* A control character, of one to three bytes of UTF-8, as JSON has it. */
static void escape_control(struct lt_out *o, const unsigned char *s, size_t n)
{
	unsigned int c = s[0];

	if (n == 2)
		c = (s[0] & 0x1fU) << 6 | (s[1] & 0x3fU);
	else if (n == 3)
		c = (s[0] & 0x0fU) << 12 | (s[1] & 0x3fU) << 6 | (s[2] & 0x3fU);
	escape(o, "\\u", (unsigned char)(c >> 8));
	escape(o, "", (unsigned char)c);
}

void lt_out_json(struct lt_out *o, const char *s, size_t len)
{
	size_t same = plain(s, len);

	lt_out_char(o, '"');
	lt_out_bytes(o, s, same);
	s += same;
	len -= same;
	while (len) {
		unsigned char c = (unsigned char)*s;
		size_t n = lt_utf8_length((const unsigned char *)s, len);

		if (!n) {
			escape(o, "\\\\x", c);
			n = 1;
		} else if (lt_utf8_control((const unsigned char *)s, len)) {
			escape_control(o, (const unsigned char *)s, n);
		} else {
			if (c == '\\')	/* two backslashes, each escaped by one */
				lt_out_str(o, "\\\\\\");
			else if (c == '"')
				lt_out_char(o, '\\');
			lt_out_bytes(o, s, n);
		}
		s += n;
		len -= n;
	}
	lt_out_char(o, '"');
}

void lt_out_text(struct lt_out *o, const char *s, size_t len)
{
	while (len) {
		size_t n = lt_utf8_printable((const unsigned char *)s, len);

		lt_out_bytes(o, s, n);
		if (n < len)
			escape(o, "\\x", (unsigned char)s[n++]);
		s += n;
		len -= n;
	}
}

void lt_out_lines(struct lt_out *o, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n");

		lt_out_text(o, s, n);
		s += n;
		if (*s)
			lt_out_char(o, *s++);
	}
}
