// SPDX-License-Identifier: GPL-2.0
/*
 * How wide text is, and what is done where it is too wide.
 */
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "out/width.h"

size_t lt_text_width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

char *lt_cut_text(const char *text, size_t width)
{
	size_t bytes = 0, n = 0;

	if (lt_text_width(text) <= width)
		return lt_strdup(text);
	for (; text[bytes]; bytes++) {
		if (((unsigned char)text[bytes] & 0xc0) != 0x80 && ++n == width)
			break;
	}
	return lt_format("%.*s…", (int)bytes, text);
}

void lt_no_room(struct lt_out *o, unsigned int indent, size_t width, const char *const *names,
		size_t n)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		size_t len = lt_text_width(names[i]) + 2;

		if (!used || used + len > width) {
			const char *begin = i ? "             " : "no room for: ";

			if (used)
				lt_out_str(o, ",\n");
			for (unsigned int k = 0; k < indent; k++)
				lt_out_char(o, ' ');
			lt_out_str(o, begin);
			used = indent + strlen(begin);
		} else {
			lt_out_str(o, ", ");
		}
		lt_out_str(o, names[i]);
		used += len;
	}
	if (used)
		lt_out_char(o, '\n');
}
