// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of a table in the order of one of its columns.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "forms/sort.h"
#include "forms/words.h"

/* A row, with its value, whose text is a copy. */
struct keyed {
	const void *row;
	size_t number;
	struct lt_value v;
	char *text;
};

static bool is_unit(const char *s)
{
	return !strcmp(s, "_ns") || !strcmp(s, "_bytes") || !strcmp(s, "_per_s") ||
	       !strcmp(s, "_percent");
}

const struct lt_column *lt_sort_find(const struct lt_column *const *columns, size_t n,
					   const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(columns[i]->name, name))
			return columns[i];
	}
	for (size_t i = 0; i < n; i++) {
		if (!strncmp(columns[i]->name, name, len) && is_unit(columns[i]->name + len))
			return columns[i];
	}
	return NULL;
}

const struct lt_column *lt_sort_column(const struct lt_column *const *columns, size_t n,
					     const char *name)
{
	const struct lt_column *column = lt_sort_find(columns, n, name);
	struct lt_nearest near;
	char hint[256];

	if (lt_words_asked()) {
		for (size_t i = 0; i < n; i++)
			lt_words_give(columns[i]->name, false);
		lt_words_end();
	}
	if (column)
		return column;
	lt_nearest_init(&near, name);
	for (size_t i = 0; i < n; i++)
		lt_nearest_try(&near, columns[i]->name);
	lt_error("--sort: there is no column '%s'%s The columns are:", name,
		 lt_nearest_hint(&near, ".", hint, sizeof(hint)));
	for (size_t i = 0; i < n; i++)
		lt_error("  %s", columns[i]->name);
	return NULL;
}

static bool is_text(const struct lt_value *v)
{
	return v->type == LT_VALUE_TEXT || v->type == LT_VALUE_NAME;
}

static int compare(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	int order = lt_value_compare(&x->v, &y->v);

	if (order) {
		return is_text(&x->v) && is_text(&y->v) ? order : -order;
	}
	return x->number < y->number ? -1 : x->number > y->number;
}

void lt_sort_rows(const void **rows, size_t n, const struct lt_column *by, void *ctx)
{
	struct keyed *keyed = lt_alloc_array(n + 1, sizeof(*keyed));

	for (size_t i = 0; i < n; i++) {
		struct keyed *k = &keyed[i];

		k->row = rows[i];
		k->number = i;
		by->get(rows[i], ctx, &k->v);
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
