// SPDX-License-Identifier: GPL-2.0
/*
 * What lifetrace top shows of a table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "top/view.h"

#define LABEL	512

static void forget_rows(struct lt_top_view *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->rows[i].label);
	v->n = 0;
}

void lt_top_view_destroy(struct lt_top_view *v)
{
	forget_rows(v);
	free(v->rows);
}

/* Values first from the greatest, names from the first of the alphabet; equal values by name. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct lt_top_row *x = a, *y = b;
	const struct lt_top_view *v = arg;
	const struct lt_top_cell *c = &x->cells[v->sort], *d = &y->cells[v->sort];
	int order = strcmp(x->label, y->label);

	if (v->sort != LT_TOP_NAME) {
		int by_value = (c->v < d->v) - (c->v > d->v);

		if (c->known != d->known)
			return c->known ? -1 : 1;	/* what is not known comes last */
		if (by_value)
			order = by_value;
	}
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

void lt_top_view_fill(struct lt_top_view *v, const struct lt_live *l, const struct lt_live_table *t)
{
	char buf[LABEL], safe[LT_ESCAPED_SIZE(LABEL)];

	forget_rows(v);
	v->total = t->n;
	for (enum lt_top_column c = 0; c < LT_TOP_NAME; c++)
		v->all[c] = lt_top_cell(l, t, t->all, c);
	for (size_t i = 0; i < t->n; i++) {
		const struct lt_live_row *from = t->rows[i];
		const char *label = lt_live_label(l, from, t->by, buf, sizeof(buf));
		struct lt_top_row *row;

		if (label != buf)
			snprintf(buf, sizeof(buf), "%s", label);
		label = lt_escape_text(buf, safe);
		if (*v->filter && !strcasestr(label, v->filter))
			continue;
		v->rows = lt_grow(v->rows, &v->cap, v->n, sizeof(*v->rows));
		row = &v->rows[v->n++];
		*row = (struct lt_top_row){
			.key = from->key, .context = from->context, .label = lt_strdup(label),
			.row = from,
		};
		for (enum lt_top_column c = 0; c < LT_TOP_NAME; c++)
			row->cells[c] = lt_top_cell(l, t, from, c);
	}
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
