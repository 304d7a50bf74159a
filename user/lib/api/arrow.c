// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rows as a stream of Arrow arrays. What an array consists of belongs to it alone, since who has it
 * may release it at any time and in any thread; only dictionaries are shared, and counted.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/arrow.h"
#include "api/internal.h"
#include "base/mem.h"

#define BATCH	65536	/* rows of an array, where nobody chose */

/* ------------------------------------------------------------------------
 * Schemas
 */

static void release_schema(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++) {
		if (schema->children[i]->release)
			schema->children[i]->release(schema->children[i]);
		free(schema->children[i]);
	}
	free(schema->children);
	if (schema->dictionary && schema->dictionary->release)
		schema->dictionary->release(schema->dictionary);
	free(schema->dictionary);
	free(schema->private_data);
	schema->release = NULL;
}

static void make_schema(struct ArrowSchema *schema, const char *format, const char *name)
{
	char *copy = lt_strdup(name);

	*schema = (struct ArrowSchema){
		.format = format, .name = copy, .release = release_schema, .private_data = copy,
	};
}

static void make_column_schema(const struct api_column *col, struct ArrowSchema *schema)
{
	static const char *const formats[] = { "L", "l", "g", "i" };
	bool nullable = col->c->marks & (LT_COLUMN_NULL | LT_COLUMN_SECRET);

	make_schema(schema, col->labels && col->varied ? "u" : formats[col->type], col->c->name);
	schema->flags = nullable ? ARROW_FLAG_NULLABLE : 0;
	if (!col->labels || col->varied)
		return;
	schema->dictionary = lt_alloc(sizeof(*schema->dictionary));
	make_schema(schema->dictionary, "u", "");
}

static void make_rows_schema(const struct api_store *s, struct ArrowSchema *schema)
{
	make_schema(schema, "+s", "");
	schema->children = lt_alloc_array(s->n_columns, sizeof(struct ArrowSchema *));
	schema->n_children = (int64_t)s->n_columns;
	for (size_t i = 0; i < s->n_columns; i++) {
		schema->children[i] = lt_alloc(sizeof(struct ArrowSchema));
		make_column_schema(&s->columns[i], schema->children[i]);
	}
}

/* ------------------------------------------------------------------------
 * Arrays
 */

/* Texts, as Arrow has them. @refs: arrays that use them, and the stream. */
struct texts {
	atomic_uint refs;
	size_t n;
	int32_t *offsets;
	char *bytes;
};

/* What an array owns. */
struct owned {
	const void *buffers[3];
	uint8_t *known;
	void *values;
	struct texts *texts;
};

static void put_texts(struct texts *t)
{
	if (!t || atomic_fetch_sub(&t->refs, 1) != 1)
		return;
	free(t->offsets);
	free(t->bytes);
	free(t);
}

static void release_array(struct ArrowArray *array)
{
	struct owned *owned = array->private_data;

	for (int64_t i = 0; i < array->n_children; i++) {
		if (array->children[i]->release)
			array->children[i]->release(array->children[i]);
		free(array->children[i]);
	}
	free(array->children);
	if (array->dictionary && array->dictionary->release)
		array->dictionary->release(array->dictionary);
	free(array->dictionary);
	free(owned->known);
	free(owned->values);
	put_texts(owned->texts);
	free(owned);
	array->release = NULL;
}

static struct owned *make_array(struct ArrowArray *array, size_t length, int64_t n_buffers)
{
	struct owned *owned = lt_alloc(sizeof(*owned));

	*array = (struct ArrowArray){
		.length = (int64_t)length, .n_buffers = n_buffers, .buffers = owned->buffers,
		.release = release_array, .private_data = owned,
	};
	return owned;
}

/* Texts number 0 to @n - 1 of a list of labels; NULL: of all labels. NULL: they are too long. */
static struct texts *make_texts(const struct api_column *col, const uint64_t *labels, size_t n)
{
	struct texts *t = lt_alloc(sizeof(*t));
	size_t at = 0, cap = 0;

	t->refs = 1;
	t->n = n;
	t->offsets = lt_alloc_array(n + 1, sizeof(*t->offsets));
	/* Also where all texts are empty. */
	t->bytes = lt_alloc(1);
	for (size_t i = 0; i < n; i++) {
		size_t len;
		const char *text = lt_api_label(col, (uint32_t)(labels ? labels[i] : i), &len);

		if (len > INT32_MAX - at) {
			put_texts(t);
			return NULL;
		}
		if (cap < at + len) {
			cap = 2 * (at + len);
			t->bytes = lt_realloc(t->bytes, cap);
		}
		memcpy(t->bytes + at, text, len);
		at += len;
		t->offsets[i + 1] = (int32_t)at;
	}
	return t;
}

static void use_texts(struct owned *owned, struct texts *t)
{
	owned->texts = t;
	owned->buffers[1] = t->offsets;
	owned->buffers[2] = t->bytes;
}

/* A bit for each row, if some are not known. */
static void make_known(struct ArrowArray *array, const uint8_t *known, size_t n)
{
	struct owned *owned = array->private_data;

	for (size_t i = 0; i < n; i++)
		array->null_count += !known[i];
	if (!array->null_count)
		return;
	owned->known = lt_alloc(n / 8 + 1);
	for (size_t i = 0; i < n; i++)
		owned->known[i / 8] |= (uint8_t)(known[i] << i % 8);
	owned->buffers[0] = owned->known;
}

static void copy_indexes(const struct api_column *col, size_t at, size_t n, int32_t *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (int32_t)col->values[at + i];
}

/*
 * Rows @at to @at + @n - 1 of a column. @texts: its dictionary, which is made anew where it has
 * grown.
 */
static int make_column(const struct api_column *col, size_t at, size_t n, struct texts **texts,
		       struct ArrowArray *array)
{
	size_t n_labels = lt_api_n_labels(col);
	struct owned *owned;

	if (col->labels && !col->varied && (!*texts || (*texts)->n != n_labels)) {
		put_texts(*texts);
		*texts = n_labels > INT32_MAX ? NULL : make_texts(col, NULL, n_labels);
		if (!*texts)
			return EOVERFLOW;
	}
	owned = make_array(array, n, col->labels && col->varied ? 3 : 2);
	make_known(array, col->known + at, n);
	if (!col->labels) {
		owned->values = lt_alloc_array(n, sizeof(*col->values));
		memcpy(owned->values, col->values + at, n * sizeof(*col->values));
		owned->buffers[1] = owned->values;
	} else if (col->varied) {
		struct texts *t = make_texts(col, col->values + at, n);

		if (!t)
			return EOVERFLOW;
		use_texts(owned, t);
	} else {
		owned->values = lt_alloc_array(n, sizeof(int32_t));
		copy_indexes(col, at, n, owned->values);
		owned->buffers[1] = owned->values;
		array->dictionary = lt_alloc(sizeof(*array->dictionary));
		use_texts(make_array(array->dictionary, n_labels, 3), *texts);
		atomic_fetch_add(&(*texts)->refs, 1);
	}
	return 0;
}

/* ------------------------------------------------------------------------
 * The stream
 */

/**
 * struct stream - what a stream has
 * @max: rows of an array
 * @texts: the dictionaries of the columns
 */
struct stream {
	lifetrace_rows *rows;
	size_t max;
	struct texts **texts;
	struct lifetrace_error error;
};

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	const struct stream *s = stream->private_data;

	make_rows_schema(&s->rows->store, out);
	return 0;
}

static int take_rows(struct stream *s, size_t n, struct ArrowArray *out)
{
	struct api_store *store = &s->rows->store;

	make_array(out, n, 1);
	out->children = lt_alloc_array(store->n_columns, sizeof(struct ArrowArray *));
	for (size_t i = 0; i < store->n_columns; i++) {
		out->children[i] = lt_alloc(sizeof(struct ArrowArray));
		out->n_children++;
		if (make_column(&store->columns[i], store->at, n, &s->texts[i], out->children[i])) {
			out->release(out);
			lt_api_error(&s->error, LIFETRACE_READ, "the texts of the column '%s' are "
				     "longer than Arrow's offsets of 32 bits hold",
				     store->columns[i].c->name);
			return EOVERFLOW;
		}
	}
	store->at += n;
	return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct stream *s = stream->private_data;
	int ret = lt_api_rows_fill(s->rows, s->max, &s->error);
	size_t n;

	memset(out, 0, sizeof(*out));
	if (ret <= 0)
		return ret ? EIO : 0;
	n = s->rows->store.n - s->rows->store.at;
	return take_rows(s, n < s->max ? n : s->max, out);
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	const struct stream *s = stream->private_data;

	return s->error.code ? s->error.text : NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
	struct stream *s = stream->private_data;

	for (size_t i = 0; i < s->rows->store.n_columns; i++)
		put_texts(s->texts[i]);
	free(s->texts);
	lifetrace_rows_close(s->rows);
	free(s);
	stream->release = NULL;
}

int lifetrace_rows_stream(lifetrace_rows *rows, size_t max, struct ArrowArrayStream *stream,
			  struct lifetrace_error *error)
{
	struct stream *s;

	if (!rows || !stream || max > INT32_MAX) {
		lt_api_error(error, LIFETRACE_INVALID, "there are no rows, or no stream, or too "
			     "many rows are wanted");
		lifetrace_rows_close(rows);
		if (stream)
			stream->release = NULL;
		return -1;
	}
	s = lt_alloc(sizeof(*s));
	s->rows = rows;
	s->max = max ? max : BATCH;
	s->texts = lt_alloc_array(rows->store.n_columns, sizeof(struct texts *));
	s->error = (struct lifetrace_error)LIFETRACE_ERROR_INIT;
	*stream = (struct ArrowArrayStream){
		.get_schema = get_schema, .get_next = get_next, .get_last_error = get_last_error,
		.release = release_stream, .private_data = s,
	};
	return 0;
}
