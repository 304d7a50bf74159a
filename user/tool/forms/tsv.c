// SPDX-License-Identifier: GPL-2.0
/*
 * The form TSV: values between tabs below a line of names, as TabSeparatedWithNames of ClickHouse;
 * or TabSeparated, which has no names, and which all of its versions read.
 */
#include <stdlib.h>

#include "forms/table.h"

/* What a character is written as behind a backslash; 0: it needs none. */
static char letter_of(char c)
{
	return c == '\\' ? '\\' : c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : 0;
}

/* Text between tabs: a backslash and what would end the value or the line is escaped. */
static void tsv_text(struct lt_out *o, const char *s, size_t len)
{
	size_t plain = 0;

	for (size_t i = 0; i < len; i++) {
		if (!letter_of(s[i]))
			continue;
		lt_out_bytes(o, s + plain, i - plain);
		lt_out_char(o, '\\');
		lt_out_char(o, letter_of(s[i]));
		plain = i + 1;
	}
	lt_out_bytes(o, s + plain, len - plain);
}

static void begin(struct lt_table *t)
{
	if (t->strict)
		return;
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
	tsv_text(o, text.text, text.len);
	free(text.to_free);
}

static void put_array(struct lt_out *o, const struct lt_value *v)
{
	lt_out_char(o, '[');
	for (size_t i = 0; i < v->len; i++) {
		if (i)
			lt_out_char(o, ',');
		lt_out_u64(o, v->counts[i]);
	}
	lt_out_char(o, ']');
}

static __attribute__((noinline)) void any_value(struct lt_out *o, const struct lt_value *v)
{
	if (!lt_value_is_known(v))
		lt_out_str(o, "\\N");
	else if (lt_value_storage(v->type) == LT_STORAGE_TEXT)
		put_text(o, v);
	else
		lt_value_print(o, LT_FORMAT_CSV, v);
}

/* Of a table that is strict there may be millions. */
static void value(struct lt_table *t, size_t column, const struct lt_value *v)
{
	if (column)
		lt_out_char(t->out, '\t');
	if (!t->strict)
		any_value(t->out, v);
	else if (v->type == LT_VALUE_SIGNED)
		lt_out_s64(t->out, v->i);
	else if (v->type == LT_VALUE_TEXT)
		tsv_text(t->out, v->text, v->len);
	else if (v->type == LT_VALUE_COUNTS)
		put_array(t->out, v);
	else
		lt_out_str(t->out, "\\N");
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
