/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Private to parquet/.
 */
#ifndef LT_PARQUET_INTERNAL_H
#define LT_PARQUET_INTERNAL_H

#include "base/names.h"
#include "parquet/bytes.h"
#include "parquet/parquet.h"
#include "parquet/thrift.h"

/* Of the format, as far as used. */
enum { PARQUET_INT64 = 2, PARQUET_DOUBLE = 5, PARQUET_BYTE_ARRAY = 6 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_RLE_DICTIONARY = 8 };
enum { CODEC_ZSTD = 6 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

/**
 * struct lt_column - the values of a column in the current group of rows
 * @desc: the column
 * @ints: of LT_PARQUET_INT, _INTS and _DOUBLE: the values that are not null; of a _DOUBLE its bits
 * @texts: of LT_PARQUET_STRING: the different texts; the first one is empty, used or not
 * @index: of LT_PARQUET_STRING: numbers in @texts, of the values that are not null
 * @n: values that are not null
 * @cap: room in @ints or @index
 * @def: how much of the path to a value is there: 1: all of it, 0: null, or an empty list
 * @rep: of LT_PARQUET_INTS: 0: the first value of a row, 1: a further one of its list
 * @has_levels: not every row has just one value
 * @n_levels: length of @def and @rep: values with nulls and empty lists; 0 without @has_levels
 * @cap_levels: room in them
 * @nulls: null values and empty lists
 * @min, @max: of @ints
 */
struct lt_column {
	const struct lt_parquet_column *desc;
	int64_t *ints;
	struct lt_names texts;
	uint32_t *index;
	size_t n;
	size_t cap;
	uint32_t *def;
	uint32_t *rep;
	bool has_levels;
	size_t n_levels;
	size_t cap_levels;
	uint64_t nulls;
	int64_t min;
	int64_t max;
};

/* column.c */

void lt_column_init(struct lt_column *c, const struct lt_parquet_column *desc);
void lt_column_destroy(struct lt_column *c);
void lt_column_clear(struct lt_column *c);

/* A value, or what stands for none of it. */
void lt_column_int(struct lt_column *c, int64_t v, bool further);
void lt_column_string(struct lt_column *c, const char *s, size_t len);
void lt_column_none(struct lt_column *c);

/* page.c */

/**
 * struct lt_pages - the pages of a column, as the footer describes them
 * @bytes: the pages with their headers, ready to be written
 * @raw: the size of @bytes without compression
 * @dictionary: bytes of the dictionary page at the begin; 0: there is none
 */
struct lt_pages {
	struct lt_bytes bytes;
	uint64_t raw;
	uint64_t dictionary;
};

/* Encodes a column. @pages: bytes of the last ones are overwritten */
void lt_pages_make(struct lt_pages *pages, const struct lt_column *c);

#endif /* LT_PARQUET_INTERNAL_H */
