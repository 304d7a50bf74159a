// SPDX-License-Identifier: GPL-2.0
/*
 * Text, tables and data as HTML.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "out/units.h"
#include "page/internal.h"

#define GROWTH_BEHIND	1	/* the number of the column behind which growth stands */

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

void lt_html_section(struct lt_out *o, const char *id, const char *title)
{
	lt_out_str(o, "<section id=\"");
	lt_out_str(o, id);
	lt_out_str(o, "\"><h2>");
	lt_html_str(o, title);
	lt_out_str(o, "</h2>\n");
}

/* With its sign, as what becomes less is not what becomes more. */
static void put_growth(struct lt_out *o, const struct lt_page_rows *rows,
		       const struct lt_report_row *row)
{
	char buf[LT_HUMAN];
	int64_t bytes;

	lt_out_str(o, "<td>");
	if (lt_page_growth(rows, row, &bytes)) {
		lt_out_str(o, bytes < 0 ? "\xe2\x88\x92" : bytes ? "+" : "");
		lt_out_str(o, lt_human_bytes(bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes, buf,
					     sizeof(buf)));
	}
	lt_out_str(o, "</td>");
}

static void put_row(struct lt_out *o, const struct lt_page_rows *rows,
		    const struct lt_report_row *row, const struct lt_column *const *columns,
		    size_t n, size_t keys)
{
	struct lt_report_ctx c = { .r = rows->r, .people = true };

	lt_out_str(o, "<tr>");
	for (size_t k = 0; k < n; k++) {
		struct lt_value v = { .type = LT_VALUE_NONE };

		columns[k]->get(row, &c, &v);
		lt_out_str(o, k < keys ? "<td class=\"name\">" : "<td>");
		lt_html_value(o, &v);
		lt_out_str(o, "</td>");
		if (k == keys + GROWTH_BEHIND)
			put_growth(o, rows, row);
	}
	lt_out_str(o, "</tr>\n");
}

#define N_KEYS	2	/* columns that say what a row is, at most */

void lt_html_table(struct lt_out *o, const struct lt_page_rows *rows, const char *caption)
{
	static const char *const names[] = {
		"alive_bytes", "alive", "allocations", "bytes", "peak_bytes", "p50_ns", "p99_ns",
	};
	const struct lt_column *chosen[N_KEYS + sizeof(names) / sizeof(names[0])], **all;
	struct lt_report_ctx c = { .r = rows->r, .people = true };
	size_t keys = rows->r->opts.by == LT_BY_SITE ? 2 : 1, n = keys, total;
	struct lt_report_row **sorted;

	lt_row_columns(lt_report_kind(rows->r->opts.by), LT_COLUMN_LINES, &all);
	memcpy(chosen, all, keys * sizeof(*chosen));
	free(all);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		chosen[n++] = lt_report_column(rows->r, names[i]);
	sorted = lt_report_sorted(rows->r, &c, chosen[keys], false, &total);
	lt_out_str(o, "<div class=\"scroll\"><table><caption>");
	lt_html_str(o, caption);
	lt_out_str(o, "</caption><thead><tr>");
	for (size_t i = 0; i < n; i++) {
		lt_out_str(o, "<th scope=\"col\">");
		lt_html_str(o, chosen[i]->header);
		lt_out_str(o, "</th>");
		if (i == keys + GROWTH_BEHIND)
			lt_out_str(o, "<th scope=\"col\">growth</th>");
	}
	lt_out_str(o, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < total && i < LT_PAGE_STATIC; i++)
		put_row(o, rows, sorted[i], chosen, n, keys);
	lt_out_str(o, "</tbody></table></div>\n");
	free(sorted);
}

int lt_html_data(struct lt_out *o, FILE *data)
{
	char buf[4096];
	size_t n;

	rewind(data);
	while ((n = fread(buf, 1, sizeof(buf), data))) {
		/* In JSON a '<' can only stand in a string. */
		for (const char *c = buf, *end = buf + n; c < end;) {
			const char *next = memchr(c, '<', (size_t)(end - c));

			lt_out_bytes(o, c, (size_t)((next ? next : end) - c));
			if (next)
				lt_out_str(o, "\\u003c");
			c = next ? next + 1 : end;
		}
	}
	if (!ferror(data))
		return 0;
	lt_error("cannot read a temporary file");
	return -1;
}
