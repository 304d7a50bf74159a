// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rows of a trace.
 */
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "base/mem.h"
#include "format/set.h"

#define AHEAD	256	/* rows that are taken at once for those who take them one by one */
#define AT_ONCE	1024	/* for those who take many */
#define FLAGS	(LIFETRACE_ADDRESSES | LIFETRACE_CLOCK | LIFETRACE_REQUESTS)

/* ------------------------------------------------------------------------
 * Opening
 */

static const struct lt_column *column_of(const struct lt_row_kind *kind, const char *name,
					 size_t len)
{
	for (size_t i = 0; i < kind->n; i++) {
		const struct lt_column *c = &kind->columns[i];

		if (lt_api_has(c) && strlen(c->name) == len && !memcmp(c->name, name, len))
			return c;
	}
	return NULL;
}

/* Those of a list. Return: how many; 0 after filling in @error. */
static size_t named_columns(const struct lt_row_kind *kind, const char *names,
			    const struct lt_column **columns, struct lifetrace_error *error)
{
	size_t n = 0;

	for (;;) {
		size_t len = strcspn(names, ",");
		const struct lt_column *c = column_of(kind, names, len);

		for (size_t i = 0; c && i < n; i++) {
			if (columns[i] == c)
				c = NULL;
		}
		if (!c) {
			lt_api_error(error, LIFETRACE_INVALID,
				     "rows of the kind '%s' have no column '%.*s', or it is named twice",
				     kind->name, (int)(len < 64 ? len : 64), names);
			return 0;
		}
		columns[n++] = c;
		if (!names[len])
			return n;
		names += len + 1;
	}
}

/* Those of --csv. */
static size_t usual_columns(const struct lt_row_kind *kind, const struct lt_trace *t,
			    const struct lt_column ***columns)
{
	const unsigned int stacks = lt_trace_has_stacks(t) ? LT_COLUMN_IF_STACKS : 0;
	size_t all = lt_row_columns(kind, LT_COLUMN_LINES | stacks, columns), n = 0;

	/* Some kinds are in tables alone. */
	if (!all) {
		free(*columns);
		all = lt_row_columns(kind, LT_COLUMN_FLEET, columns);
	}
	for (size_t i = 0; i < all; i++) {
		if (lt_api_has((*columns)[i]))
			(*columns)[n++] = (*columns)[i];
	}
	return n;
}

/* The columns, and the store for them. Return: -1 after filling in @error. */
static int choose_columns(struct lifetrace_rows *r, const struct lt_row_kind *kind,
			  const char *names, uint64_t base, struct lifetrace_error *error)
{
	const struct lt_column **columns;
	size_t n;

	if (names) {
		columns = lt_alloc_array(kind->n + 1, sizeof(*columns));
		n = named_columns(kind, names, columns, error);
	} else {
		n = usual_columns(kind, r->t, &columns);
	}
	if (n)
		lt_api_store_init(&r->store, columns, n, base);
	free(columns);
	return n ? 0 : -1;
}

/* The trace is open. Return: -1 after filling in @error. */
static int begin(struct lifetrace_rows *r, const struct lt_row_entry *e,
		 const struct lifetrace_rows_options *o, struct lifetrace_error *error)
{
	struct api_source_options source = {
		.trace = r->t, .entry = e, .store = &r->store, .flags = o->flags,
		.base = o->flags & LIFETRACE_CLOCK ? 0 : lt_trace_begin(r->t),
	};

	if (!lt_row_kind_recorded(e, r->t)) {
		lt_api_error(error, LIFETRACE_ABSENT, "%s: %s", lt_trace_path(r->t), e->absent);
		return -1;
	}
	if (choose_columns(r, e->kind, o->columns, source.base, error))
		return -1;
	r->store.texts.trace = r->t;
	r->store.texts.addresses = o->flags & LIFETRACE_ADDRESSES;
	r->source = lt_api_source_new(&source);
	if (!r->source)
		lt_api_failed(error, LIFETRACE_ABSENT, &r->messages);
	return r->source ? 0 : -1;
}

lifetrace_rows *lifetrace_rows_open(lifetrace_trace *trace, const char *kind,
				    const struct lifetrace_rows_options *options,
				    struct lifetrace_error *error)
{
	const struct lt_row_entry *e = lt_api_kind(kind);
	struct lifetrace_rows_options o;
	struct lifetrace_rows *r;
	int err = -1;

	lt_api_take(&o, sizeof(o), options);
	if (!trace || !e || o.flags & ~(unsigned int)FLAGS) {
		lt_api_error(error, LIFETRACE_INVALID, !trace ? "there is no trace" : !e ?
			     "there is no kind of row '%.64s'" :
			     "a flag of rows of the kind '%.64s' is not known", kind ? kind : "");
		return NULL;
	}
	r = lt_alloc(sizeof(*r));
	lt_api_begin(&r->messages);
	r->name = lt_set_hold((const char *const []){ trace->name }, 1);
	r->t = r->name ? lt_trace_open(r->name) : NULL;
	if (r->t)
		err = begin(r, e, &o, error);
	else
		lt_api_failed(error, LIFETRACE_OPEN, &r->messages);
	lt_api_end(&r->messages);
	if (!err)
		return r;
	lifetrace_rows_close(r);
	return NULL;
}

void lifetrace_rows_close(lifetrace_rows *rows)
{
	if (!rows)
		return;
	lt_api_begin(&rows->messages);
	lt_api_source_free(rows->source);
	lt_api_store_free(&rows->store);
	lt_trace_close(rows->t);
	lt_set_release(rows->name);
	lt_api_end(&rows->messages);
	lt_api_free_messages(&rows->messages);
	free(rows);
}

/* ------------------------------------------------------------------------
 * Columns
 */

size_t lifetrace_rows_columns(const lifetrace_rows *rows)
{
	return rows->store.n_columns;
}

int lifetrace_rows_column(const lifetrace_rows *rows, size_t i, struct lifetrace_column *column)
{
	if (i >= rows->store.n_columns)
		return 0;
	lt_api_describe_column(rows->store.columns[i].c, column);
	return 1;
}

int lifetrace_rows_find(const lifetrace_rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->store.n_columns; i++) {
		if (!strcmp(rows->store.columns[i].c->name, name))
			return (int)i;
	}
	return -1;
}

/* ------------------------------------------------------------------------
 * Rows
 */

/* Takes @want rows, and some that come with them. Return: as lt_api_rows_fill(). */
static int take_rows(struct lifetrace_rows *r, size_t want, struct lifetrace_error *error)
{
	while (!r->over && r->store.n < want) {
		int ret;

		lt_api_begin(&r->messages);
		ret = lt_api_source_fill(r->source, want);
		lt_api_end(&r->messages);
		r->over = ret <= 0;
		r->failed = ret < 0;
	}
	if (r->store.n)
		return 1;
	if (r->failed)
		lt_api_failed(error, LIFETRACE_READ, &r->messages);
	return r->failed ? -1 : 0;
}

int lt_api_rows_fill(struct lifetrace_rows *r, size_t want, struct lifetrace_error *error)
{
	if (r->store.at < r->store.n)
		return 1;
	lt_api_store_empty(&r->store);
	return take_rows(r, want, error);
}

int lifetrace_rows_next(lifetrace_rows *rows, struct lifetrace_error *error)
{
	int ret = lt_api_rows_fill(rows, AHEAD, error);

	rows->has_row = ret > 0;
	if (rows->has_row)
		rows->row = rows->store.at++;
	return ret;
}

int lifetrace_rows_get(const lifetrace_rows *rows, size_t column, struct lifetrace_value *value)
{
	const struct api_column *col;

	memset(value, 0, sizeof(*value));
	if (!rows->has_row || column >= rows->store.n_columns)
		return -1;
	col = &rows->store.columns[column];
	if (!col->known[rows->row])
		return 0;
	if (col->type == LIFETRACE_TEXT) {
		value->label = (uint32_t)col->values[rows->row];
		value->text = lt_api_label(col, value->label, &value->length);
	} else {
		value->number.u = col->values[rows->row];
	}
	return 1;
}

/* The next @n values of the store, behind @given ones of the caller's arrays. */
static void copy_values(const struct api_store *store, size_t n, size_t given,
			const struct lifetrace_array *a)
{
	const struct api_column *col = &store->columns[a->column];
	const uint64_t *from = col->values + store->at;

	if (a->known)
		memcpy(a->known + given, col->known + store->at, n);
	if (!a->values)
		return;
	if (col->type != LIFETRACE_TEXT) {
		memcpy((uint64_t *)a->values + given, from, n * sizeof(*from));
		return;
	}
	for (size_t i = 0; i < n; i++)
		((uint32_t *)a->values)[given + i] = (uint32_t)from[i];
}

int64_t lifetrace_rows_read(lifetrace_rows *rows, size_t max, const struct lifetrace_array *arrays,
			    size_t n, struct lifetrace_error *error)
{
	struct api_store *store = &rows->store;
	const bool left = store->at < store->n;
	size_t given = 0, k;
	int ret = 0;

	rows->has_row = false;
	for (size_t i = 0; i < n; i++)
		ret |= arrays[i].column >= store->n_columns;
	if (ret || !max) {
		lt_api_error(error, LIFETRACE_INVALID, "there is no such column, or no room");
		return -1;
	}
	/* A few at a time, which the CPU's cache has room for. */
	ret = lt_api_rows_fill(rows, max < AT_ONCE ? max : AT_ONCE, error);
	while (ret > 0) {
		k = store->n - store->at < max - given ? store->n - store->at : max - given;
		for (size_t i = 0; i < n; i++)
			copy_values(store, k, given, &arrays[i]);
		store->at += k;
		given += k;
		/* Those that were left have labels of the read before, which end here. */
		if (left || given == max)
			break;
		/* All have the labels of this read. */
		lt_api_store_next(store);
		ret = take_rows(rows, max - given < AT_ONCE ? max - given : AT_ONCE, NULL);
	}
	return given ? (int64_t)given : ret;
}

size_t lifetrace_rows_labels(const lifetrace_rows *rows, size_t column)
{
	return column < rows->store.n_columns ? lt_api_n_labels(&rows->store.columns[column]) : 0;
}

const char *lifetrace_rows_label(const lifetrace_rows *rows, size_t column, uint32_t label,
				 size_t *length)
{
	const char *text = NULL;
	size_t len = 0;

	if (column < rows->store.n_columns)
		text = lt_api_label(&rows->store.columns[column], label, &len);
	if (length)
		*length = len;
	return text;
}

/* ------------------------------------------------------------------------
 * What is said of them
 */

void lifetrace_rows_loss(const lifetrace_rows *rows, struct lifetrace_loss *loss)
{
	lt_api_fill_loss(rows->t, loss);
}

const char *lifetrace_rows_message(const lifetrace_rows *rows, size_t i)
{
	return lt_api_message(&rows->messages, i);
}
