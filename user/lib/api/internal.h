/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For the files of this folder: the public API, include/lifetrace/lifetrace.h, of the library.
 */
#ifndef LT_API_INTERNAL_H
#define LT_API_INTERNAL_H

#include "include/lifetrace/lifetrace.h"

#include "base/intern.h"
#include "base/log.h"
#include "base/names.h"
#include "base/str.h"
#include "rows/column.h"
#include "rows/kinds.h"
#include "trace/trace.h"

/* messages.c: what the library says while a function of the API runs. */

#define API_MESSAGES	1000	/* at most: a file may have any number of faults */

/**
 * struct api_messages - the messages of a handle
 * @warnings: @n of them, each to be freed
 * @errors: those since lt_api_begin(), a line each; @failed: there is one
 * @before: where messages went before that
 */
struct api_messages {
	char **warnings;
	size_t n;
	size_t cap;
	struct lt_str errors;
	bool failed;
	struct lt_log_to before;
};

/* Messages of this thread are those of a handle, until lt_api_end(). */
void lt_api_begin(struct api_messages *m);
void lt_api_end(struct api_messages *m);
void lt_api_free_messages(struct api_messages *m);
const char *lt_api_message(const struct api_messages *m, size_t i);

/* Fills in an error, if there is room for one. */
void lt_api_error(struct lifetrace_error *error, enum lifetrace_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* With the errors that the library has reported. */
void lt_api_failed(struct lifetrace_error *error, enum lifetrace_code code,
		   const struct api_messages *m);

/* A struct that the caller has, of the size that it says, gets what fits. */
void lt_api_give(void *to, const void *from, size_t size);
/* The members that an options struct has; the others are zero. NULL: all are. */
void lt_api_take(void *to, size_t size, const void *from);

/* schema.c: kinds and columns. */

const struct lt_row_entry *lt_api_kind(const char *name);
/* Whether the API has a column. */
bool lt_api_has(const struct lt_column *c);
enum lifetrace_type lt_api_type(enum lt_value_type type);
void lt_api_describe_column(const struct lt_column *c, struct lifetrace_column *column);

/* texts.c: texts of values. */

/**
 * struct api_texts - where they come from
 * @room: for the text of a list
 * @buf: for other texts
 */
struct api_texts {
	const struct lt_trace *trace;
	bool addresses;
	struct lt_str room;
	char buf[1024];
};

/* The text of a value that refers to something; valid until the next call. */
void lt_api_text(struct api_texts *x, const struct lt_value *v, const char **text, size_t *len);

/* store.c: rows that were taken and not yet given. */

#define API_MEMO	64

/**
 * struct api_labels - the texts of a column
 * @raw: as the trace has them
 * @shown: as the API has them, by the number in @raw, @n_shown of them
 * @keys: what texts stand for; @labels: their numbers in @raw, by the number of the key
 * @memo: where texts were found last, and their numbers
 */
struct api_labels {
	struct lt_names raw;
	char **shown;
	size_t n_shown;
	struct lt_intern keys;
	uint32_t *labels;
	size_t n_labels;
	struct {
		const char *at;
		uint32_t label;
	} memo[API_MEMO];
};

/**
 * struct api_column - a column of rows, with its values
 * @base: of an instant: what times count from
 * @values: of the rows in the store, 64 bits each; of texts their labels
 * @known: whether it is known
 */
struct api_column {
	const struct lt_column *c;
	enum lifetrace_type type;
	bool varied;
	uint64_t base;
	uint64_t *values;
	uint8_t *known;
	struct api_labels *labels;
};

/**
 * struct api_store - rows that were taken
 * @n: how many there are; @at: those before it were given
 */
struct api_store {
	struct api_column *columns;
	size_t n_columns;
	size_t n;
	size_t at;
	size_t cap;
	struct api_texts texts;
};

void lt_api_store_init(struct api_store *s, const struct lt_column *const *columns, size_t n,
		       uint64_t base);
void lt_api_store_free(struct api_store *s);
/* All rows were given: there is room for others, with the labels that there are. */
void lt_api_store_next(struct api_store *s);
/* And texts that hardly ever occur twice get labels anew. */
void lt_api_store_empty(struct api_store *s);
/* Takes a row; @ctx is that of its kind. */
void lt_api_store_row(struct api_store *s, const void *row, void *ctx);
size_t lt_api_n_labels(const struct api_column *col);
/* NULL: there is no such label. */
const char *lt_api_label(const struct api_column *col, uint32_t label, size_t *len);

/* source.c: where rows come from. */

struct api_source;

/**
 * struct api_source_options - what a source needs
 * @entry: the kind of rows
 * @base: times that stand in texts count from it
 * @flags: enum lifetrace_rows_flags
 */
struct api_source_options {
	struct lt_trace *trace;
	const struct lt_row_entry *entry;
	struct api_store *store;
	uint64_t base;
	unsigned int flags;
};

/* Return: NULL after lt_error(). */
struct api_source *lt_api_source_new(const struct api_source_options *o);
void lt_api_source_free(struct api_source *s);

/* Takes rows until there are @want of them in the store. Return: 1; 0: there are no more; -1. */
int lt_api_source_fill(struct api_source *s, size_t want);

/* trace.c */

/**
 * struct lifetrace_trace - a trace
 * @name: by which it is opened, held
 * @info: lines of the text INFO, KEY=VALUE, of which @keys are the keys
 */
struct lifetrace_trace {
	char *name;
	struct lt_trace *t;
	struct api_messages messages;
	char **keys;
	size_t n_keys;
	size_t cap_keys;
	char event[256];
	char why[640];
	char *value;
};

void lt_api_fill_loss(const struct lt_trace *t, struct lifetrace_loss *loss);

/* rows.c */

/**
 * struct lifetrace_rows - rows of a kind
 * @store: those that were taken
 * @has_row: lifetrace_rows_next() went to the row @row of the store
 * @over: there are no more in @source; @failed: with this code
 */
struct lifetrace_rows {
	char *name;
	struct lt_trace *t;
	struct api_messages messages;
	struct api_store store;
	struct api_source *source;
	bool has_row;
	size_t row;
	bool over;
	bool failed;
};

/* Rows are in the store. Return: 1; 0: there are no more; -1. */
int lt_api_rows_fill(struct lifetrace_rows *r, size_t want, struct lifetrace_error *error);

#endif /* LT_API_INTERNAL_H */
