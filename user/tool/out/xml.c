// SPDX-License-Identifier: GPL-2.0
/*
 * Pieces of XML, for pictures.
 */
#include <string.h>

#include "out/xml.h"

void lt_xml_text(struct lt_out *o, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '&') {
			lt_out_str(o, "&amp;");
		} else if (s[i] == '<') {
			lt_out_str(o, "&lt;");
		} else if (s[i] == '>') {
			lt_out_str(o, "&gt;");
		} else if (len - i >= 3 && !memcmp(s + i, "\xef\xbf", 2) &&
			   (uint8_t)s[i + 2] >= 0xbe) {
			lt_out_str(o, "\xef\xbf\xbd");	/* U+FFFE and U+FFFF */
			i += 2;
		} else {
			lt_out_char(o, s[i]);
		}
	}
}

void lt_xml_point(struct lt_out *o, const char *name, uint64_t v)
{
	lt_out_char(o, ' ');
	lt_out_str(o, name);
	lt_out_str(o, "=\"");
	lt_out_u64(o, v / LT_XML_SCALE);
	if (v % LT_XML_SCALE) {
		lt_out_char(o, '.');
		lt_out_pad(o, v % LT_XML_SCALE, 3);
	}
	lt_out_char(o, '"');
}
