// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Texts between quotes, as in C.
 */
#include <string.h>

#include "base/quote.h"

static unsigned int put(char *to, char a, char b)
{
	to[0] = a;
	to[1] = b;
	return 2;
}

unsigned int lt_quote_byte(char to[4], unsigned char c, bool digit_follows)
{
	static const char letters[] = "t\tn\nv\vf\fr\r";
	unsigned int n = 0;

	for (size_t i = 0; letters[i]; i += 2) {
		if (c == (unsigned char)letters[i + 1])
			return put(to, '\\', letters[i]);
	}
	if (c == '"' || c == '\\')
		return put(to, '\\', (char)c);
	if (c >= ' ' && c < 0x7f) {
		to[0] = (char)c;
		return 1;
	}
	to[n++] = '\\';
	if (digit_follows || c >= 0100)
		to[n++] = (char)('0' + (c >> 6));
	if (digit_follows || c >= 010)
		to[n++] = (char)('0' + (c >> 3 & 7));
	to[n++] = (char)('0' + (c & 7));
	return n;
}
