// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rows that were taken from a trace and not yet given, by columns. A text is kept once, under a
 * number; what a value refers to gets its text once, too.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "lifetimes/kmalloc.h"

#define STORE_AT_FIRST	1024	/* rows */

/* ------------------------------------------------------------------------
 * Labels
 */

static void init_labels(struct api_labels *l)
{
	lt_names_init(&l->raw);
	lt_intern_init(&l->keys);
}

static void free_labels(struct api_labels *l)
{
	for (size_t i = 0; i < l->n_shown; i++)
		free(l->shown[i]);
	free(l->shown);
	free(l->labels);
	lt_names_destroy(&l->raw);
	lt_intern_destroy(&l->keys);
}

static bool is_plain(const char *text, size_t len)
{
	return !memchr(text, '\\', len) &&
	       lt_utf8_printable((const unsigned char *)text, len) == len;
}

/* What a new label is shown as. */
static void show(struct api_labels *l, uint32_t label, const char *text, size_t len)
{
	char *to;

	if (label >= l->n_shown)
		l->shown = lt_extend(l->shown, &l->n_shown,
				     label < 16 ? 32 : 2 * (size_t)label, sizeof(*l->shown));
	if (is_plain(text, len)) {
		l->shown[label] = lt_strndup(text, len);
		return;
	}
	to = l->shown[label] = lt_alloc(4 * len + 5);
	while (len) {
		size_t n = lt_utf8_escape(text, len, true, to);

		to += strlen(to);
		text += n;
		len -= n;
	}
}

static bool is_label(const struct api_labels *l, uint32_t label, const char *text, size_t len)
{
	size_t n;
	const char *s = lt_names_get(&l->raw, label, &n);

	return n == len && !memcmp(s, text, len);
}

/* The number of a text. It is often the one that was at this place before. */
static uint32_t label_of(struct api_labels *l, const char *text, size_t len)
{
	size_t slot = ((uintptr_t)text >> 3 ^ (uintptr_t)text >> 9) % API_MEMO;
	uint32_t known = l->raw.n, label;

	if (l->memo[slot].at == text && is_label(l, l->memo[slot].label, text, len))
		return l->memo[slot].label;
	label = len ? lt_names_add(&l->raw, text, len) : 0;
	if (label == known)
		show(l, label, text, len);
	l->memo[slot].at = text;
	l->memo[slot].label = label;
	return label;
}

/* What a slab cache or a device is called may change; what all else is called does not. */
static bool is_current(struct api_store *s, const struct api_labels *l, const struct lt_value *v,
		       uint32_t label)
{
	const struct lt_cache *cache;

	if (v->type != LT_VALUE_CACHE || v->u & LT_KEY_KMALLOC)
		return true;
	cache = lt_trace_cache(s->texts.trace, (uint32_t)v->u);
	return cache && is_label(l, label, cache->name, strlen(cache->name));
}

static uint32_t label_of_key(struct api_store *s, struct api_labels *l, const struct lt_value *v)
{
	uint32_t key = lt_intern_number(&l->keys, v->u + 1);
	const char *text;
	size_t len;

	if (key >= l->n_labels)
		l->labels = lt_extend(l->labels, &l->n_labels,
				      key < 16 ? 32 : 2 * (size_t)key, sizeof(*l->labels));
	else if (l->labels[key] && is_current(s, l, v, l->labels[key]))
		return l->labels[key];
	lt_api_text(&s->texts, v, &text, &len);
	l->labels[key] = label_of(l, text, len);
	return l->labels[key];
}

static uint32_t text_label(struct api_store *s, struct api_column *col, const struct lt_value *v)
{
	const char *text;
	size_t len;

	switch (v->type) {
	case LT_VALUE_TEXT:
	case LT_VALUE_NAME:
		return label_of(col->labels, v->text, v->len);
	case LT_VALUE_LIST:
		lt_api_text(&s->texts, v, &text, &len);
		return label_of(col->labels, text, len);
	default:
		return label_of_key(s, col->labels, v);
	}
}

size_t lt_api_n_labels(const struct api_column *col)
{
	return col->labels ? col->labels->raw.n : 0;
}

const char *lt_api_label(const struct api_column *col, uint32_t label, size_t *len)
{
	const struct api_labels *l = col->labels;
	const char *text;

	if (!l || label >= l->raw.n)
		return NULL;
	/* The number 0 is that of the empty text. */
	text = label ? l->shown[label] : "";
	*len = strlen(text);
	return text;
}

/* ------------------------------------------------------------------------
 * The store
 */

static void set_value(struct api_store *s, struct api_column *col, const struct lt_value *v)
{
	uint64_t value = v->u;
	bool known = v->type != LT_VALUE_NONE && v->type != LT_VALUE_OVER_NS;

	if (!known) {
		value = 0;
	} else if (col->type == LIFETRACE_TEXT) {
		value = text_label(s, col, v);
	} else if (v->type == LT_VALUE_SIGNED) {
		value = (uint64_t)v->i;
	} else if (v->type == LT_VALUE_INSTANT) {
		value -= col->base;
	} else if (col->type == LIFETRACE_REAL) {
		known = isfinite(v->d);
		memcpy(&value, &v->d, sizeof(value));
	}
	col->values[s->n] = known ? value : 0;
	col->known[s->n] = known;
}

void lt_api_store_row(struct api_store *s, const void *row, void *ctx)
{
	if (s->n == s->cap) {
		s->cap *= 2;
		for (size_t i = 0; i < s->n_columns; i++) {
			struct api_column *col = &s->columns[i];

			col->values = lt_realloc_array(col->values, s->cap, sizeof(*col->values));
			col->known = lt_realloc_array(col->known, s->cap, sizeof(*col->known));
		}
	}
	for (size_t i = 0; i < s->n_columns; i++) {
		struct lt_value v;

		lt_row_get(s->columns[i].c, row, ctx, &v);
		set_value(s, &s->columns[i], &v);
	}
	s->n++;
}

void lt_api_store_next(struct api_store *s)
{
	s->n = 0;
	s->at = 0;
}

void lt_api_store_empty(struct api_store *s)
{
	lt_api_store_next(s);
	for (size_t i = 0; i < s->n_columns; i++) {
		struct api_column *col = &s->columns[i];

		if (!col->varied || !col->labels)
			continue;
		free_labels(col->labels);
		memset(col->labels, 0, sizeof(*col->labels));
		init_labels(col->labels);
	}
}

void lt_api_store_init(struct api_store *s, const struct lt_column *const *columns, size_t n,
		       uint64_t base)
{
	s->columns = lt_alloc_array(n, sizeof(*s->columns));
	s->n_columns = n;
	s->cap = STORE_AT_FIRST;
	for (size_t i = 0; i < n; i++) {
		struct api_column *col = &s->columns[i];

		col->c = columns[i];
		col->type = lt_api_type(columns[i]->type);
		col->varied = columns[i]->marks & LT_COLUMN_VARIED;
		col->base = base;
		col->values = lt_alloc_array(s->cap, sizeof(*col->values));
		col->known = lt_alloc_array(s->cap, sizeof(*col->known));
		if (col->type != LIFETRACE_TEXT)
			continue;
		col->labels = lt_alloc(sizeof(*col->labels));
		init_labels(col->labels);
	}
}

void lt_api_store_free(struct api_store *s)
{
	for (size_t i = 0; i < s->n_columns; i++) {
		struct api_column *col = &s->columns[i];

		free(col->values);
		free(col->known);
		if (col->labels)
			free_labels(col->labels);
		free(col->labels);
	}
	free(s->columns);
	free(s->texts.room.s);
}
