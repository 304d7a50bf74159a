// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of a table in the order of one of its columns.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "forms/sort.h"

/* A row, with its value, whose text is a copy. */
struct keyed {
	const void *row;
	size_t number;
	struct lt_value v;
	char *text;
};

static bool is_text(const struct lt_value *v)
{
	return v->type == LT_VALUE_TEXT || v->type == LT_VALUE_NAME;
}

static int compare(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	int order = lt_value_compare(&x->v, &y->v);

	if (order)
		return is_text(&x->v) && is_text(&y->v) ? order : -order;
	return x->number < y->number ? -1 : x->number > y->number;
}

void lt_sort_rows(const void **rows, size_t n, const struct lt_column *by, void *ctx)
{
	struct keyed *keyed = lt_alloc_array(n + 1, sizeof(*keyed));

	for (size_t i = 0; i < n; i++) {
		struct keyed *k = &keyed[i];

		k->row = rows[i];
		k->number = i;
		lt_row_get(by, rows[i], ctx, &k->v);
		if (is_text(&k->v) || k->v.type == LT_VALUE_LIST) {
			k->text = lt_alloc(k->v.len + 1);
			memcpy(k->text, k->v.text, k->v.len);
			k->v.text = k->text;
		}
	}
	qsort(keyed, n, sizeof(*keyed), compare);
	for (size_t i = 0; i < n; i++) {
		rows[i] = keyed[i].row;
		free(keyed[i].text);
	}
	free(keyed);
}
