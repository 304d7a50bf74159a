// SPDX-License-Identifier: GPL-2.0
/*
 * Tables, in any form.
 */
#include <stdlib.h>

#include "base/json.h"
#include "forms/table.h"

const struct lt_form *const lt_forms[LT_N_FORMATS] = {
	[LT_FORMAT_TEXT] = &lt_form_text, [LT_FORMAT_CSV] = &lt_form_csv,
	[LT_FORMAT_JSON] = &lt_form_json, [LT_FORMAT_JSONL] = &lt_form_jsonl,
	[LT_FORMAT_SQL] = &lt_form_sql, [LT_FORMAT_TSV] = &lt_form_tsv,
	[LT_FORMAT_PARQUET] = &lt_form_parquet,
};

void lt_table_begin(struct lt_table *t)
{
	lt_forms[t->format]->begin(t);
}

static void get(const struct lt_table *t, size_t i, const void *row, struct lt_value *v)
{
	lt_row_get(t->columns[i], row, t->ctx, v);
	if (t->resolve)
		t->resolve(t->resolve_arg, v);
}

void lt_table_row(struct lt_table *t, const void *row)
{
	const struct lt_form *form = lt_forms[t->format];
	struct lt_value v;

	for (size_t i = 0; i < t->n_columns; i++) {
		get(t, i, row, &v);
		form->value(t, i, &v);
	}
	form->row(t);
}

void lt_table_members(struct lt_table *t, const void *row)
{
	struct lt_value v;

	for (size_t i = 0; i < t->n_columns; i++) {
		get(t, i, row, &v);
		if (!t->leave_out || lt_value_is_known(&v))
			lt_value_print(lt_json_value(t->json, t->columns[i]->name), LT_FORMAT_JSON,
				       &v);
	}
}

void lt_table_note(struct lt_table *t, const char *text)
{
	if (lt_forms[t->format]->note)
		lt_forms[t->format]->note(t, text);
}

void lt_table_end(struct lt_table *t)
{
	lt_forms[t->format]->end(t);
	t->state = NULL;
	free(t->owned);
	t->owned = NULL;
}
