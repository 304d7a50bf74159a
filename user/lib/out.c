// SPDX-License-Identifier: GPL-2.0
/*
 * Fast output of many small pieces, and JSON without a tree in memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "out.h"

int lt_out_flush(struct lt_out *o)
{
	size_t done = 0;

	while (done < o->used && !o->error) {
		ssize_t n = write(o->fd, o->buf + done, o->used - done);

		if (n > 0)
			done += (size_t)n;
		else if (errno != EINTR)
			o->error = errno;
	}
	o->used = 0;
	return o->error ? -1 : 0;
}

int lt_out_close(struct lt_out *o)
{
	lt_out_flush(o);
	free(o->buf);
	o->buf = NULL;
	if (!o->error)
		return LT_EXIT_OK;
	if (o->error != EPIPE)
		lt_error("output: %s", strerror(o->error));
	return LT_EXIT_BAD;
}

/* Room for a few bytes more. */
static char *room(struct lt_out *o, size_t n)
{
	if (!o->buf)
		o->buf = lt_alloc(LT_OUT_SIZE);
	if (LT_OUT_SIZE - o->used < n)
		lt_out_flush(o);
	return o->buf + o->used;
}

void lt_out_bytes(struct lt_out *o, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		size_t n = size < 4096 ? size : 4096;

		memcpy(room(o, n), p, n);
		o->used += n;
		p += n;
		size -= n;
	}
}

void lt_out_str(struct lt_out *o, const char *s)
{
	lt_out_bytes(o, s, strlen(s));
}

void lt_out_char(struct lt_out *o, char c)
{
	*room(o, 1) = c;
	o->used++;
}

void lt_out_pad(struct lt_out *o, uint64_t v, unsigned int digits)
{
	char tmp[24];
	unsigned int n = 0;

	do {
		tmp[sizeof(tmp) - ++n] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (n < digits && n < sizeof(tmp))
		tmp[sizeof(tmp) - ++n] = '0';
	memcpy(room(o, n), tmp + sizeof(tmp) - n, n);
	o->used += n;
}

void lt_out_u64(struct lt_out *o, uint64_t v)
{
	lt_out_pad(o, v, 1);
}

void lt_out_s64(struct lt_out *o, int64_t v)
{
	if (v < 0)
		lt_out_char(o, '-');
	lt_out_u64(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static const char digits[] = "0123456789abcdef";

void lt_out_hex(struct lt_out *o, uint64_t v)
{
	char tmp[18];
	unsigned int n = 0;

	do {
		tmp[sizeof(tmp) - ++n] = digits[v & 15];
		v >>= 4;
	} while (v);
	tmp[sizeof(tmp) - ++n] = 'x';
	tmp[sizeof(tmp) - ++n] = '0';
	memcpy(room(o, n), tmp + sizeof(tmp) - n, n);
	o->used += n;
}

size_t lt_utf8_length(const unsigned char *s, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t c;
	size_t n;

	if (s[0] < 0x80)
		return 1;
	n = s[0] >= 0xf0 && s[0] < 0xf8 ? 4 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 :
	    s[0] >= 0xc0 && s[0] < 0xe0 ? 2 : 0;
	if (!n || n > len)
		return 0;
	c = s[0] & (0x7fU >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return n;
}

static void escape(struct lt_out *o, const char *prefix, unsigned char c)
{
	lt_out_str(o, prefix);
	lt_out_char(o, digits[c >> 4]);
	lt_out_char(o, digits[c & 15]);
}

void lt_out_json(struct lt_out *o, const char *s, size_t len)
{
	lt_out_char(o, '"');
	while (len) {
		unsigned char c = (unsigned char)*s;
		size_t n = lt_utf8_length((const unsigned char *)s, len);

		if (!n) {
			escape(o, "\\\\x", c);
			n = 1;
		} else if (c < 0x20 || c == 0x7f) {
			escape(o, "\\u00", c);
		} else {
			if (c == '\\')	/* doubled, and each escaped */
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
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x20 || c == 0x7f)
			escape(o, "\\x", c);
		else
			lt_out_char(o, s[i]);
	}
}
