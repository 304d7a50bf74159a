/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The compact protocol of Apache Thrift, in which Parquet describes itself: structs of numbered
 * fields, and lists. Written only, by hand: the format uses a part of it.
 *
 * Fields of a struct are written in ascending order of their numbers.
 */
#ifndef LT_PARQUET_THRIFT_H
#define LT_PARQUET_THRIFT_H

#include "parquet/bytes.h"

#define LT_THRIFT_DEPTH	8	/* structs within structs */

/* Types of the elements of a list. */
enum lt_thrift_type {
	LT_THRIFT_I32 = 5,
	LT_THRIFT_BINARY = 8,
	LT_THRIFT_STRUCT = 12,
};

/**
 * struct lt_thrift - a description in the making; starts as zero, in a struct
 * @bytes: what was written
 * @last: number of the latest field, by depth
 * @depth: structs within structs
 */
struct lt_thrift {
	struct lt_bytes bytes;
	int last[LT_THRIFT_DEPTH];
	unsigned int depth;
};

void lt_thrift_i32(struct lt_thrift *t, int field, int32_t v);
void lt_thrift_i64(struct lt_thrift *t, int field, int64_t v);
void lt_thrift_binary(struct lt_thrift *t, int field, const void *data, size_t n);

/* A field that is a list; its @n elements follow by the functions without a field. */
void lt_thrift_list(struct lt_thrift *t, int field, enum lt_thrift_type type, size_t n);

/* A field, or, with 0, an element of a list, that is a struct; its fields follow. */
void lt_thrift_begin(struct lt_thrift *t, int field);
void lt_thrift_end(struct lt_thrift *t);

void lt_thrift_element_i32(struct lt_thrift *t, int32_t v);
void lt_thrift_element_binary(struct lt_thrift *t, const void *data, size_t n);

#endif /* LT_PARQUET_THRIFT_H */
