// SPDX-License-Identifier: GPL-2.0
/*
 * What is wrong: the verdicts of `lifetrace leaks`. Sites that only have old objects are in the
 * data; the table without JavaScript has only sites that leak, grow, or whose maker is gone.
 */
#include <stdlib.h>
#include <string.h>

#include "page/internal.h"
#include "print/leaks.h"

static void put_lines(struct lt_out *o, const struct lt_leaks *l)
{
	struct lt_out text = LT_OUT_INIT(-1);

	lt_leaks_head(l, &text);
	lt_leaks_short(l, &text);
	for (size_t i = 0, n; i < text.used; i += n + 1) {
		const char *end = memchr(text.buf + i, '\n', text.used - i);

		n = end ? (size_t)(end - text.buf) - i : text.used - i;
		lt_out_str(o, "<p>");
		lt_html_text(o, text.buf + i, n);
		lt_out_str(o, ".</p>\n");
	}
	free(text.buf);
}

static bool is_wrong(const struct lt_leak_row *row)
{
	return strcmp(lt_leaks_verdict(row), "old") != 0;
}

static size_t count_wrong(const struct lt_leaks *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_rows; i++)
		n += is_wrong(&l->rows[i]);
	return n;
}

void lt_page_wrong_html(struct lt_out *o, const struct lt_trace *t, const struct lt_leaks *l)
{
	static const char *const names[] = {
		"name", "cache", "verdict", "old_bytes", "old", "growth_per_s", "doubt",
	};
	static const char *const headers[] = {
		"call site", "cache", "verdict", "old bytes", "old", "growth/s", "not certain",
	};
	enum { N = sizeof(names) / sizeof(names[0]), N_NAMES = 3 };
	struct lt_leaks_ctx c = { .t = t, .people = true, .merged = true };
	size_t shown = 0;

	put_lines(o, l);
	if (!count_wrong(l))
		return;
	lt_out_str(o, "<div class=\"scroll\"><table><caption>Leaks and growth</caption><thead><tr>");
	for (size_t k = 0; k < N; k++) {
		lt_out_str(o, "<th scope=\"col\">");
		lt_out_str(o, headers[k]);
		lt_out_str(o, "</th>");
	}
	lt_out_str(o, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < l->n_rows && shown < LT_PAGE_STATIC; i++) {
		if (!is_wrong(&l->rows[i]))
			continue;
		shown++;
		lt_out_str(o, "<tr>");
		for (size_t k = 0; k < N; k++) {
			struct lt_value v = { .type = LT_VALUE_NONE };

			lt_columns_find(&lt_rows_of_leak, 0, names[k])->get(&l->rows[i], &c, &v);
			lt_out_str(o, k < N_NAMES || k == N - 1 ? "<td class=\"name\">" : "<td>");
			lt_html_value(o, &v);
			lt_out_str(o, "</td>");
		}
		lt_out_str(o, "</tr>\n");
	}
	lt_out_str(o, "</tbody></table></div>\n");
}

/* The row of the page with the site of a leak, as a number; null: it is not in the page. */
static void put_site_row(struct lt_json *j, const struct lt_page_rows *sites, uint64_t site)
{
	size_t i = 0;

	while (i < sites->n && sites->rows[i]->site != site)
		i++;
	lt_json_u64_if(j, NULL, i < sites->n, i);
}

static void put_doubts(struct lt_json *j)
{
	lt_json_object(j, "doubts");
	for (int i = LT_LEAK_SURE + 1; i < LT_N_LEAK_DOUBTS; i++)
		lt_json_str(j, lt_leak_doubt_name((enum lt_leak_doubt)i),
			    lt_leak_doubt_text((enum lt_leak_doubt)i));
	lt_json_end(j);
}

/* Addresses of code are of no use to a reader of the page. @chosen: to be freed */
static size_t choose(const struct lt_column ***chosen)
{
	size_t all = lt_row_columns(&lt_rows_of_leak, LT_COLUMN_LINES, chosen), n = 0;

	for (size_t i = 0; i < all; i++) {
		if (strcmp((*chosen)[i]->name, "address"))
			(*chosen)[n++] = (*chosen)[i];
	}
	return n;
}

void lt_page_wrong_json(struct lt_json *j, const char *name, const struct lt_trace *t,
			const struct lt_leaks *l, const struct lt_page_rows *sites)
{
	const struct lt_column **columns;
	struct lt_leaks_ctx c = { .t = t, .merged = true };
	size_t n = choose(&columns);

	lt_json_object(j, name);
	lt_json_u64(j, "older_ns", l->opts.older_ns);
	lt_json_u64(j, "leaks", l->n_sure);
	lt_json_u64(j, "wrong", count_wrong(l));
	lt_json_u64(j, "total_rows", l->n_rows);
	lt_page_columns_json(j, columns, n);
	put_doubts(j);
	lt_json_array(j, "site_rows");
	for (size_t i = 0; i < l->n_rows && i < LT_PAGE_LEAKS; i++)
		put_site_row(j, sites, l->rows[i].site);
	lt_json_end(j);
	lt_json_array(j, "rows");
	for (size_t i = 0; i < l->n_rows && i < LT_PAGE_LEAKS; i++)
		lt_page_values_json(j, columns, n, &l->rows[i], &c);
	lt_json_end(j);
	lt_json_end(j);
	free(columns);
}
