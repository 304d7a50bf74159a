// SPDX-License-Identifier: GPL-2.0
/*
 * Buffered output of many small pieces to a file descriptor.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/utf8.h"

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

static const char *name_of(const struct lt_out *o)
{
	if (o->fd == STDOUT_FILENO)
		return "standard output";
	return o->name ? o->name : "output";
}

int lt_out_close(struct lt_out *o)
{
	lt_out_flush(o);
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
