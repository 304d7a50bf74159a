// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The compact protocol of Apache Thrift.
 */
#include "parquet/thrift.h"

/* Types of fields. */
enum { I32 = 5, I64 = 6, BINARY = 8, LIST = 9, STRUCT = 12 };

static uint64_t zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static void put(struct lt_thrift *t, unsigned int byte)
{
	*lt_bytes_room(&t->bytes, 1) = (uint8_t)byte;
	t->bytes.n++;
}

static void header(struct lt_thrift *t, int field, unsigned int type)
{
	int delta = field - t->last[t->depth];

	t->last[t->depth] = field;
	if (delta >= 1 && delta <= 15) {
		put(t, (unsigned int)delta << 4 | type);
		return;
	}
	put(t, type);
	lt_bytes_varint(&t->bytes, zigzag(field));
}

void lt_thrift_i32(struct lt_thrift *t, int field, int32_t v)
{
	header(t, field, I32);
	lt_bytes_varint(&t->bytes, zigzag(v));
}

void lt_thrift_i64(struct lt_thrift *t, int field, int64_t v)
{
	header(t, field, I64);
	lt_bytes_varint(&t->bytes, zigzag(v));
}

void lt_thrift_binary(struct lt_thrift *t, int field, const void *data, size_t n)
{
	header(t, field, BINARY);
	lt_thrift_element_binary(t, data, n);
}

void lt_thrift_list(struct lt_thrift *t, int field, enum lt_thrift_type type, size_t n)
{
	header(t, field, LIST);
	if (n < 15) {
		put(t, (unsigned int)n << 4 | (unsigned int)type);
		return;
	}
	put(t, 15U << 4 | (unsigned int)type);
	lt_bytes_varint(&t->bytes, n);
}

void lt_thrift_begin(struct lt_thrift *t, int field)
{
	if (field)
		header(t, field, STRUCT);
	t->last[++t->depth] = 0;
}

void lt_thrift_end(struct lt_thrift *t)
{
	put(t, 0);
	t->depth--;
}

void lt_thrift_element_i32(struct lt_thrift *t, int32_t v)
{
	lt_bytes_varint(&t->bytes, zigzag(v));
}

void lt_thrift_element_binary(struct lt_thrift *t, const void *data, size_t n)
{
	lt_bytes_varint(&t->bytes, n);
	lt_bytes_add(&t->bytes, data, n);
}
