// SPDX-License-Identifier: GPL-2.0
/*
 * Fast output of many small pieces, and JSON without a tree in memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/out.h"

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

void lt_out_make_room(struct lt_out *o)
{
	if (o->buf)
		lt_out_flush(o);
	else
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

void lt_out_pad(struct lt_out *o, uint64_t v, unsigned int digits)
{
	char tmp[LT_DIGITS];
	size_t n = (size_t)(lt_put_u64(tmp, v) - tmp);

	for (; digits > n; digits--)
		lt_out_char(o, '0');
	lt_out_bytes(o, tmp, n);
}

const char lt_digit_pairs[201] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243"
	"4445464748495051525354555657585960616263646566676869707172737475767778798081828384858687"
	"888990919293949596979899";

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

bool lt_utf8_control(const unsigned char *s, size_t len)
{
	return *s < 0x20 || *s == 0x7f || (len > 1 && *s == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0);
}

static void escape(struct lt_out *o, const char *prefix, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";

	lt_out_str(o, prefix);
	lt_out_char(o, digits[c >> 4]);
	lt_out_char(o, digits[c & 15]);
}

/* How many bytes at the start are themselves in JSON. */
static size_t plain(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\')
		n++;
	return n;
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
			escape(o, "\\u00", (unsigned char)s[n - 1]);
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

/* How many bytes at the start are no control characters, and UTF-8. */
static size_t harmless(const unsigned char *s, size_t len)
{
	size_t at = 0, n;

	for (; at < len; at += n) {
		n = s[at] >= 0x20 && s[at] < 0x7f;
		if (!n && !lt_utf8_control(s + at, len - at))
			n = lt_utf8_length(s + at, len - at);
		if (!n)
			break;
	}
	return at;
}

void lt_out_text(struct lt_out *o, const char *s, size_t len)
{
	while (len) {
		size_t n = harmless((const unsigned char *)s, len);

		lt_out_bytes(o, s, n);
		if (n < len)
			escape(o, "\\x", (unsigned char)s[n++]);
		s += n;
		len -= n;
	}
}

const char *lt_escape_text(const char *s, char *buf)
{
	size_t len = strlen(s), n;
	char *to = buf;

	for (; len; s += n, len -= n) {
		n = harmless((const unsigned char *)s, len);
		to = mempcpy(to, s, n);
		if (n < len)
			to += sprintf(to, "\\x%02x", (unsigned char)s[n++]);
	}
	*to = 0;
	return buf;
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
