// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * UTF-8, and text that is safe to print on a terminal.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

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

/* Unicode's controls of the order in which letters are shown, and of lines. */
static bool is_order_or_line(const unsigned char *s, size_t len)
{
	if (len > 1 && *s == 0xd8)
		return s[1] == 0x9c;						/* U+061C */
	if (len < 3 || *s < 0xe2)
		return false;
	if (*s == 0xef)
		return s[1] == 0xbb && s[2] == 0xbf;				/* U+FEFF */
	if (*s != 0xe2)
		return false;
	return (s[1] == 0x80 && ((s[2] >= 0xa8 && s[2] <= 0xae) ||		/* U+2028 to 202E */
				 s[2] == 0x8e || s[2] == 0x8f)) ||		/* U+200E, 200F */
	       (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);			/* U+2066 to 2069 */
}

bool lt_utf8_control(const unsigned char *s, size_t len)
{
	return *s < 0x20 || *s == 0x7f || (len > 1 && *s == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0) ||
	       is_order_or_line(s, len);
}

#define EACH_BYTE(v)	((v) * 0x0101010101010101ULL)

/* Whether eight bytes are printable characters of ASCII. */
static inline bool is_plain_8(const unsigned char *s)
{
	uint64_t x;

	memcpy(&x, s, sizeof(x));
	/* A byte that borrows or carries is not plain itself. */
	return !(((x - EACH_BYTE(0x20)) | (x + EACH_BYTE(0x01)) | x) & EACH_BYTE(0x80));
}

size_t lt_utf8_printable(const unsigned char *s, size_t len)
{
	size_t at = 0, n;

	while (len - at >= 8 && is_plain_8(s + at))
		at += 8;
	for (; at < len; at += n) {
		n = s[at] >= 0x20 && s[at] < 0x7f;
		if (!n && !lt_utf8_control(s + at, len - at))
			n = lt_utf8_length(s + at, len - at);
		if (!n)
			break;
	}
	return at;
}

size_t lt_utf8_escape(const char *text, size_t len, bool backslash, char buf[5])
{
	unsigned char c = (unsigned char)*text;
	size_t n = lt_utf8_length((const unsigned char *)text, len);

	if (!n || lt_utf8_control((const unsigned char *)text, len)) {
		snprintf(buf, 5, "\\x%02x", c);
		return 1;
	}
	if (c == '\\' && backslash) {
		strcpy(buf, "\\\\");
		return 1;
	}
	memcpy(buf, text, n);
	buf[n] = 0;
	return n;
}

const char *lt_escape_text(const char *s, char *buf)
{
	size_t len = strlen(s), n;
	char *to = buf;

	for (; len; s += n, len -= n) {
		n = lt_utf8_printable((const unsigned char *)s, len);
		to = mempcpy(to, s, n);
		if (n < len)
			to += sprintf(to, "\\x%02x", (unsigned char)s[n++]);
	}
	*to = 0;
	return buf;
}
