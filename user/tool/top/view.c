// SPDX-License-Identifier: GPL-2.0
/*
 * What lifetrace top shows of a table.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "top/view.h"

static void forget_rows(struct lt_top_view *v)
{
	for (size_t i = 0; i < v->n; i++) {
		for (size_t k = 0; k < v->n_columns; k++)
			free(v->rows[i].cells[k].text);
		free(v->rows[i].cells);
		free(v->rows[i].label);
	}
	v->n = 0;
}

void lt_top_view_destroy(struct lt_top_view *v)
{
	forget_rows(v);
	free(v->rows);
	free(v->columns);
}

/* Values first from the greatest, texts from the first of the alphabet; equal ones by name. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct lt_top_row *x = a, *y = b;
	const struct lt_top_view *v = arg;
	const struct lt_top_cell *c = &x->cells[v->by], *d = &y->cells[v->by];
	int order = (c->v < d->v) - (c->v > d->v);

	if ((c->type == LT_VALUE_NONE) != (d->type == LT_VALUE_NONE))
		return c->type == LT_VALUE_NONE ? 1 : -1;	/* what is not known comes last */
	if (c->text && d->text)
		order = strcmp(c->text, d->text);
	if (!order)
		order = strcmp(x->label, y->label);
	if (!order)
		order = x->key < y->key ? -1 : x->key > y->key;
	return v->reverse ? -order : order;
}

static void find_selected(struct lt_top_view *v)
{
	if (!v->followed) {
		v->selected = 0;
		return;
	}
	for (size_t i = 0; i < v->n; i++) {
		if (v->rows[i].key == v->key && v->rows[i].context == v->context) {
			v->selected = i;
			return;
		}
	}
	/* It is gone: the one that has its place. */
	if (v->selected >= v->n)
		v->selected = v->n ? v->n - 1 : 0;
}

void lt_top_view_sort(struct lt_top_view *v)
{
	if (v->n)
		qsort_r(v->rows, v->n, sizeof(*v->rows), compare, v);
	find_selected(v);
}

/* Those of a kind of row: of the names that it has, or of the label if it has none. */
static void choose_columns(struct lt_top_view *v, const struct lt_row_kind *kind)
{
	const struct lt_column *by = lt_columns_find(kind, 0, v->sort);
	struct lt_table t = { .format = LT_FORMAT_TEXT };

	lt_table_columns(&t, kind, 0, v->names);
	free(v->columns);
	v->kind = kind;
	v->columns = t.owned;
	v->n_shown = t.n_columns;
	if (!v->n_shown)
		v->columns[v->n_shown++] = lt_columns_find(kind, 0, "name");
	if (!by)
		by = lt_columns_find(kind, 0, "alive_bytes");
	v->n_columns = v->n_shown;
	for (v->by = 0; v->by < v->n_shown && v->columns[v->by] != by; v->by++)
		;
	/* Of names that are all there, the one that sorts is among them: there is room for it. */
	if (v->by == v->n_shown)
		v->columns[v->n_columns++] = by;
}

static void add_row(struct lt_top_view *v, struct lt_top_ctx *c, const struct lt_live_row *from)
{
	const struct lt_column *name = lt_columns_find(v->kind, 0, "name");
	struct lt_top_row row = {
		.key = from->key, .context = from->context, .row = from,
		.label = lt_top_cell(c, from, name).text,
	};

	if (*v->filter && !strcasestr(row.label, v->filter)) {
		free(row.label);
		return;
	}
	row.cells = lt_alloc_array(v->n_columns, sizeof(*row.cells));
	for (size_t i = 0; i < v->n_columns; i++)
		row.cells[i] = lt_top_cell(c, from, v->columns[i]);
	v->rows = lt_grow(v->rows, &v->cap, v->n, sizeof(*v->rows));
	v->rows[v->n++] = row;
}

void lt_top_view_fill(struct lt_top_view *v, struct lt_top_ctx *c)
{
	forget_rows(v);
	if (v->kind != lt_top_kind(c->t->by))
		choose_columns(v, lt_top_kind(c->t->by));
	v->total = c->t->n;
	for (size_t i = 0; i < c->t->n; i++)
		add_row(v, c, c->t->rows[i]);
	lt_top_view_sort(v);
}

void lt_top_view_select(struct lt_top_view *v, long row)
{
	if (row >= (long)v->n)
		row = (long)v->n - 1;
	v->selected = row < 0 ? 0 : (size_t)row;
	v->followed = v->n && v->selected;
	if (v->n) {
		v->key = v->rows[v->selected].key;
		v->context = v->rows[v->selected].context;
	}
}

bool lt_top_view_search(struct lt_top_view *v, const char *text, int step)
{
	for (size_t i = 0; i < v->n; i++) {
		size_t away = step < 0 ? v->n - 1 - i : i + (size_t)step;
		size_t at = (v->selected + away) % v->n;

		if (!strcasestr(v->rows[at].label, text))
			continue;
		lt_top_view_select(v, (long)at);
		return true;
	}
	return false;
}
