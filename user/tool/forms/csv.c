// SPDX-License-Identifier: GPL-2.0
/*
 * The form CSV, that of RFC 4180, except that lines end in a newline alone.
 */
#include "forms/table.h"

static void begin(struct lt_table *t)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		if (i)
			lt_out_char(t->out, ',');
		lt_out_str(t->out, t->columns[i]->name);
	}
	lt_out_char(t->out, '\n');
}

static void value(struct lt_table *t, size_t column, const struct lt_value *v)
{
	if (column)
		lt_out_char(t->out, ',');
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

const struct lt_form lt_form_csv = {
	.name = "csv", .begin = begin, .value = value, .row = row, .end = end,
};
