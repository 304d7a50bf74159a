// SPDX-License-Identifier: GPL-2.0
/*
 * Text, tables and data as HTML.
 */
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "page/internal.h"

/* Bytes that are not UTF-8 and control characters become \xHH, as on a terminal. */
void lt_html_text(struct lt_out *o, const char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *c = (const unsigned char *)s;

	while (len) {
		size_t n = lt_utf8_length(c, len);

		if (!n || lt_utf8_control(c, n)) {
			lt_out_str(o, "\\x");
			lt_out_char(o, hex[*c >> 4]);
			lt_out_char(o, hex[*c & 15]);
			n = 1;
		} else if (*c == '<') {
			lt_out_str(o, "&lt;");
		} else if (*c == '>') {
			lt_out_str(o, "&gt;");
		} else if (*c == '&') {
			lt_out_str(o, "&amp;");
		} else if (*c == '"') {
			lt_out_str(o, "&quot;");
		} else {
			lt_out_bytes(o, c, n);
		}
		c += n;
		len -= n;
	}
}

void lt_html_str(struct lt_out *o, const char *s)
{
	lt_html_text(o, s, strlen(s));
}

void lt_html_value(struct lt_out *o, const struct lt_value *v)
{
	if (v->type == LT_VALUE_TEXT || v->type == LT_VALUE_LIST)
		lt_html_text(o, v->text, v->len);
	else if (v->type == LT_VALUE_OVER_NS)
		lt_out_str(o, "not reached");
	else if (v->type != LT_VALUE_NONE)
		lt_value_print(o, LT_FORMAT_TEXT, v);
}

void lt_html_table(struct lt_out *o, const struct lt_page_rows *rows, const char *caption)
{
	static const char *const names[] = {
		"allocations", "bytes", "slack_bytes", "alive", "alive_bytes", "peak_bytes",
		"p50_ns", "p99_ns",
	};
	const struct lt_table_column *chosen[LT_REPORT_COLUMNS];
	struct lt_report_ctx c = { .r = rows->r };
	size_t keys = rows->r->opts.by == LT_BY_SITE ? 2 : 1, n = keys;

	lt_report_all_columns(rows->r, false, chosen);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		chosen[n++] = lt_report_column(names[i]);
	lt_out_str(o, "<div class=\"scroll\"><table><caption>");
	lt_html_str(o, caption);
	lt_out_str(o, "</caption><thead><tr>");
	for (size_t i = 0; i < n; i++) {
		lt_out_str(o, "<th scope=\"col\">");
		lt_html_str(o, chosen[i]->header[0] ? chosen[i]->header : "call site");
		lt_out_str(o, "</th>");
	}
	lt_out_str(o, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < rows->n && i < LT_PAGE_STATIC; i++) {
		lt_out_str(o, "<tr>");
		for (size_t k = 0; k < n; k++) {
			struct lt_value v = { .type = LT_VALUE_NONE };

			chosen[k]->get(rows->rows[i], &c, &v);
			lt_out_str(o, k < keys ? "<td class=\"name\">" : "<td>");
			lt_html_value(o, &v);
			lt_out_str(o, "</td>");
		}
		lt_out_str(o, "</tr>\n");
	}
	lt_out_str(o, "</tbody></table></div>\n");
}

int lt_html_data(struct lt_out *o, FILE *data)
{
	int c;

	rewind(data);
	/* In JSON a '<' can only stand in a string. */
	while ((c = getc(data)) != EOF) {
		if (c == '<')
			lt_out_str(o, "\\u003c");
		else
			lt_out_char(o, (char)c);
	}
	if (!ferror(data))
		return 0;
	lt_error("cannot read a temporary file");
	return -1;
}
