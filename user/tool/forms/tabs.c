// SPDX-License-Identifier: GPL-2.0
/*
 * The form TSV: values between tabs below a line of names, as TabSeparatedWithNames of ClickHouse.
 */
#include <stdlib.h>
#include <string.h>

#include "forms/table.h"

void lt_tsv_text(struct lt_out *o, const char *s, size_t len)
{
	static const char special[] = "\\\t\n\r", letters[] = "\\tnr";

	for (size_t i = 0; i < len; i++) {
		const char *at = s[i] ? strchr(special, s[i]) : NULL;

		if (at)
			lt_out_char(o, '\\');
		lt_out_char(o, at ? letters[at - special] : s[i]);
	}
}

static void begin(struct lt_table *t)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		if (i)
			lt_out_char(t->out, '\t');
		lt_out_str(t->out, t->columns[i]->name);
	}
	lt_out_char(t->out, '\n');
}

static void put_text(struct lt_out *o, const struct lt_value *v)
{
	struct lt_value_text text;

	lt_value_string(v, &text);
	lt_tsv_text(o, text.text, text.len);
	free(text.to_free);
}

static void value(struct lt_table *t, size_t column, const struct lt_value *v)
{
	if (column)
		lt_out_char(t->out, '\t');
	if (!lt_value_is_known(v))
		lt_out_str(t->out, "\\N");
	else if (lt_value_storage(v->type) == LT_STORAGE_TEXT)
		put_text(t->out, v);
	else
		lt_value_print(t->out, LT_FORMAT_CSV, v);
}

static void row(struct lt_table *t)
{
	lt_out_char(t->out, '\n');
}

static void end(struct lt_table *t)
{
	(void)t;
}

const struct lt_form lt_form_tsv = {
	.name = "tsv", .begin = begin, .value = value, .row = row, .end = end,
};
