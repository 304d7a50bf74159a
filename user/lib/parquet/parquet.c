// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The frame of a Parquet file: groups of rows, and the footer, which says where each column of each
 * group is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "parquet/internal.h"

#define MAGIC	"PAR1"

/* Fields of the structs of the format. */
enum {
	FILE_VERSION = 1, FILE_SCHEMA = 2, FILE_ROWS = 3, FILE_GROUPS = 4, FILE_NOTES = 5,
	FILE_WRITER = 6, FILE_ORDERS = 7,
	SCHEMA_TYPE = 1, SCHEMA_REPETITION = 3, SCHEMA_NAME = 4, SCHEMA_CHILDREN = 5,
	SCHEMA_CONVERTED = 6, SCHEMA_LOGICAL = 10,
	GROUP_COLUMNS = 1, GROUP_RAW = 2, GROUP_ROWS = 3, GROUP_OFFSET = 5, GROUP_BYTES = 6,
	CHUNK_OFFSET = 2, CHUNK_META = 3,
	META_TYPE = 1, META_ENCODINGS = 2, META_PATH = 3, META_CODEC = 4, META_VALUES = 5,
	META_RAW = 6, META_BYTES = 7, META_DATA = 9, META_DICTIONARY = 11, META_STATISTICS = 12,
	STATISTICS_NULLS = 3, STATISTICS_MAX = 5, STATISTICS_MIN = 6,
	NOTE_KEY = 1, NOTE_VALUE = 2,
};

enum { REQUIRED = 0, OPTIONAL = 1, REPEATED = 2 };
enum { CONVERTED_UTF8 = 0, CONVERTED_LIST = 3 };
enum { LOGICAL_STRING = 1, LOGICAL_LIST = 3 };

/**
 * struct lt_parquet - a file in the making
 * @fd: the file
 * @error: errno of the first write that failed; 0: none did
 * @offset: bytes written
 * @columns: @n_columns of them
 * @max_rows: of a group
 * @n_rows: of the current group
 * @all_rows: of the groups that were written
 * @groups: descriptions of these, as elements of a list; @n_groups of them
 * @notes: keys and values, as elements of a list; @n_notes of them
 * @pages: of the column that is written
 */
struct lt_parquet {
	int fd;
	int error;
	uint64_t offset;
	struct lt_column *columns;
	size_t n_columns;
	size_t max_rows;
	size_t n_rows;
	uint64_t all_rows;
	struct lt_thrift groups;
	size_t n_groups;
	struct lt_thrift notes;
	size_t n_notes;
	struct lt_pages pages;
};

struct lt_parquet *lt_parquet_new(int fd, const struct lt_parquet_column *columns, size_t n,
				  size_t rows)
{
	struct lt_parquet *p = lt_alloc(sizeof(*p));

	p->fd = fd;
	p->max_rows = rows;
	p->n_columns = n;
	p->columns = lt_alloc_array(n, sizeof(*p->columns));
	for (size_t i = 0; i < n; i++)
		lt_column_init(&p->columns[i], &columns[i]);
	return p;
}

void lt_parquet_free(struct lt_parquet *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_columns; i++)
		lt_column_destroy(&p->columns[i]);
	free(p->columns);
	lt_bytes_free(&p->groups.bytes);
	lt_bytes_free(&p->notes.bytes);
	lt_bytes_free(&p->pages.bytes);
	free(p);
}

static void write_all(struct lt_parquet *p, const void *data, size_t n)
{
	const char *at = data;

	p->offset += n;
	while (n && !p->error) {
		ssize_t done = write(p->fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			p->error = errno;
			return;
		}
		at += done;
		n -= (size_t)done;
	}
}

/* ------------------------------------------------------------------------
 * Values
 */

void lt_parquet_null(struct lt_parquet *p, size_t column)
{
	lt_column_none(&p->columns[column]);
}

void lt_parquet_int(struct lt_parquet *p, size_t column, int64_t v)
{
	lt_column_int(&p->columns[column], v, false);
}

void lt_parquet_double(struct lt_parquet *p, size_t column, double v)
{
	int64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	lt_column_int(&p->columns[column], bits, false);
}

void lt_parquet_string(struct lt_parquet *p, size_t column, const char *s, size_t len)
{
	lt_column_string(&p->columns[column], s, len);
}

void lt_parquet_ints(struct lt_parquet *p, size_t column, const int64_t *v, size_t n)
{
	if (!n)
		lt_column_none(&p->columns[column]);
	for (size_t i = 0; i < n; i++)
		lt_column_int(&p->columns[column], v[i], i);
}

/* ------------------------------------------------------------------------
 * Groups of rows
 */

static int physical(const struct lt_parquet_column *desc)
{
	switch (desc->type) {
	case LT_PARQUET_STRING:
		return PARQUET_BYTE_ARRAY;
	case LT_PARQUET_DOUBLE:
		return PARQUET_DOUBLE;
	default:
		return PARQUET_INT64;
	}
}

static void put_path(struct lt_thrift *t, const struct lt_parquet_column *desc)
{
	bool list = desc->type == LT_PARQUET_INTS;

	lt_thrift_list(t, META_PATH, LT_THRIFT_BINARY, list ? 3 : 1);
	lt_thrift_element_binary(t, desc->name, strlen(desc->name));
	if (list) {
		lt_thrift_element_binary(t, "list", 4);
		lt_thrift_element_binary(t, "element", 7);
	}
}

/* By which readers skip groups. Of a list no null is counted: readers differ in what one is. */
static void put_statistics(struct lt_thrift *t, const struct lt_column *c)
{
	if (c->desc->type == LT_PARQUET_INTS)
		return;
	lt_thrift_begin(t, META_STATISTICS);
	lt_thrift_i64(t, STATISTICS_NULLS, (int64_t)c->nulls);
	if (c->desc->type == LT_PARQUET_INT && c->n) {
		struct lt_bytes both = { .n = 0 };

		lt_bytes_u64(&both, (uint64_t)c->max);
		lt_bytes_u64(&both, (uint64_t)c->min);
		lt_thrift_binary(t, STATISTICS_MAX, both.data, 8);
		lt_thrift_binary(t, STATISTICS_MIN, both.data + 8, 8);
		lt_bytes_free(&both);
	}
	lt_thrift_end(t);
}

/* Describes the column of p->pages, which begin at @offset. */
static void put_chunk(struct lt_parquet *p, const struct lt_column *c, uint64_t offset)
{
	struct lt_thrift *t = &p->groups;
	size_t values = c->desc->optional || c->desc->type == LT_PARQUET_INTS ? c->n_levels : c->n;

	lt_thrift_begin(t, 0);
	lt_thrift_i64(t, CHUNK_OFFSET, (int64_t)offset);
	lt_thrift_begin(t, CHUNK_META);
	lt_thrift_i32(t, META_TYPE, physical(c->desc));
	lt_thrift_list(t, META_ENCODINGS, LT_THRIFT_I32, 3);
	lt_thrift_element_i32(t, ENCODING_PLAIN);
	lt_thrift_element_i32(t, ENCODING_RLE);
	lt_thrift_element_i32(t, ENCODING_RLE_DICTIONARY);
	put_path(t, c->desc);
	lt_thrift_i32(t, META_CODEC, CODEC_ZSTD);
	lt_thrift_i64(t, META_VALUES, (int64_t)values);
	lt_thrift_i64(t, META_RAW, (int64_t)p->pages.raw);
	lt_thrift_i64(t, META_BYTES, (int64_t)p->pages.bytes.n);
	lt_thrift_i64(t, META_DATA, (int64_t)(offset + p->pages.dictionary));
	if (p->pages.dictionary)
		lt_thrift_i64(t, META_DICTIONARY, (int64_t)offset);
	put_statistics(t, c);
	lt_thrift_end(t);
	lt_thrift_end(t);
}

static void begin_file(struct lt_parquet *p)
{
	if (!p->offset)
		write_all(p, MAGIC, strlen(MAGIC));
}

static void write_group(struct lt_parquet *p)
{
	struct lt_thrift *t = &p->groups;
	uint64_t begin, raw = 0;

	if (!p->n_rows)
		return;
	begin_file(p);
	begin = p->offset;
	lt_thrift_begin(t, 0);
	lt_thrift_list(t, GROUP_COLUMNS, LT_THRIFT_STRUCT, p->n_columns);
	for (size_t i = 0; i < p->n_columns; i++) {
		uint64_t offset = p->offset;

		lt_pages_make(&p->pages, &p->columns[i]);
		write_all(p, p->pages.bytes.data, p->pages.bytes.n);
		put_chunk(p, &p->columns[i], offset);
		raw += p->pages.raw;
		lt_column_clear(&p->columns[i]);
	}
	lt_thrift_i64(t, GROUP_RAW, (int64_t)raw);
	lt_thrift_i64(t, GROUP_ROWS, (int64_t)p->n_rows);
	lt_thrift_i64(t, GROUP_OFFSET, (int64_t)begin);
	lt_thrift_i64(t, GROUP_BYTES, (int64_t)(p->offset - begin));
	lt_thrift_end(t);
	p->n_groups++;
	p->all_rows += p->n_rows;
	p->n_rows = 0;
}

int lt_parquet_row(struct lt_parquet *p)
{
	size_t text = 0;

	p->n_rows++;
	for (size_t i = 0; i < p->n_columns; i++)
		text += p->columns[i].texts.used;
	if (p->n_rows == p->max_rows || text >= LT_PARQUET_TEXT)
		write_group(p);
	return p->error;
}

/* ------------------------------------------------------------------------
 * The footer
 */

static void put_logical(struct lt_thrift *t, int converted, int logical)
{
	lt_thrift_i32(t, SCHEMA_CONVERTED, converted);
	lt_thrift_begin(t, SCHEMA_LOGICAL);
	lt_thrift_begin(t, logical);
	lt_thrift_end(t);
	lt_thrift_end(t);
}

static void put_name(struct lt_thrift *t, const char *name)
{
	lt_thrift_binary(t, SCHEMA_NAME, name, strlen(name));
}

/* A list is three levels: a group LIST, a repeated group "list" and its "element". */
static void put_list(struct lt_thrift *t, const char *name)
{
	lt_thrift_begin(t, 0);
	lt_thrift_i32(t, SCHEMA_REPETITION, REQUIRED);
	put_name(t, name);
	lt_thrift_i32(t, SCHEMA_CHILDREN, 1);
	put_logical(t, CONVERTED_LIST, LOGICAL_LIST);
	lt_thrift_end(t);
	lt_thrift_begin(t, 0);
	lt_thrift_i32(t, SCHEMA_REPETITION, REPEATED);
	put_name(t, "list");
	lt_thrift_i32(t, SCHEMA_CHILDREN, 1);
	lt_thrift_end(t);
	lt_thrift_begin(t, 0);
	lt_thrift_i32(t, SCHEMA_TYPE, PARQUET_INT64);
	lt_thrift_i32(t, SCHEMA_REPETITION, REQUIRED);
	put_name(t, "element");
	lt_thrift_end(t);
}

static void put_column(struct lt_thrift *t, const struct lt_parquet_column *desc)
{
	if (desc->type == LT_PARQUET_INTS) {
		put_list(t, desc->name);
		return;
	}
	lt_thrift_begin(t, 0);
	lt_thrift_i32(t, SCHEMA_TYPE, physical(desc));
	lt_thrift_i32(t, SCHEMA_REPETITION, desc->optional ? OPTIONAL : REQUIRED);
	put_name(t, desc->name);
	if (desc->type == LT_PARQUET_STRING)
		put_logical(t, CONVERTED_UTF8, LOGICAL_STRING);
	lt_thrift_end(t);
}

static void put_schema(struct lt_parquet *p, struct lt_thrift *t)
{
	size_t n = 1;

	for (size_t i = 0; i < p->n_columns; i++)
		n += p->columns[i].desc->type == LT_PARQUET_INTS ? 3 : 1;
	lt_thrift_list(t, FILE_SCHEMA, LT_THRIFT_STRUCT, n);
	lt_thrift_begin(t, 0);
	put_name(t, "schema");
	lt_thrift_i32(t, SCHEMA_CHILDREN, (int32_t)p->n_columns);
	lt_thrift_end(t);
	for (size_t i = 0; i < p->n_columns; i++)
		put_column(t, p->columns[i].desc);
}

void lt_parquet_note(struct lt_parquet *p, const char *key, const char *value)
{
	lt_thrift_begin(&p->notes, 0);
	lt_thrift_binary(&p->notes, NOTE_KEY, key, strlen(key));
	lt_thrift_binary(&p->notes, NOTE_VALUE, value, strlen(value));
	lt_thrift_end(&p->notes);
	p->n_notes++;
}

/* That the statistics are of the natural order of each type. */
static void put_orders(struct lt_parquet *p, struct lt_thrift *t)
{
	lt_thrift_list(t, FILE_ORDERS, LT_THRIFT_STRUCT, p->n_columns);
	for (size_t i = 0; i < p->n_columns; i++) {
		lt_thrift_begin(t, 0);
		lt_thrift_begin(t, 1);
		lt_thrift_end(t);
		lt_thrift_end(t);
	}
}

int lt_parquet_finish(struct lt_parquet *p)
{
	struct lt_thrift t = { .depth = 0 };

	write_group(p);
	begin_file(p);
	lt_thrift_i32(&t, FILE_VERSION, 2);
	put_schema(p, &t);
	lt_thrift_i64(&t, FILE_ROWS, (int64_t)p->all_rows);
	lt_thrift_list(&t, FILE_GROUPS, LT_THRIFT_STRUCT, p->n_groups);
	lt_bytes_add(&t.bytes, p->groups.bytes.data, p->groups.bytes.n);
	lt_thrift_list(&t, FILE_NOTES, LT_THRIFT_STRUCT, p->n_notes);
	lt_bytes_add(&t.bytes, p->notes.bytes.data, p->notes.bytes.n);
	lt_thrift_binary(&t, FILE_WRITER, "lifetrace", strlen("lifetrace"));
	put_orders(p, &t);
	*lt_bytes_room(&t.bytes, 1) = 0;	/* ends the description */
	t.bytes.n++;
	lt_bytes_u32(&t.bytes, (uint32_t)t.bytes.n);
	lt_bytes_add(&t.bytes, MAGIC, strlen(MAGIC));
	write_all(p, t.bytes.data, t.bytes.n);
	lt_bytes_free(&t.bytes);
	return p->error;
}
