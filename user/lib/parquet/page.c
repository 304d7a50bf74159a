// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Pages: the values of a column as they are in the file. A column has one data page in a group of
 * rows, and before it a dictionary, if that makes it smaller: the different values once, and in
 * the data page their numbers.
 */
#include <zstd.h>

#include "base/intern.h"
#include "base/log.h"
#include "parquet/internal.h"

#define LEVEL		3	/* of compression */
#define MOST_DIFFERENT	(1U << 15)	/* integers in a dictionary */

/* Fields of the structs of the format. */
enum { HEADER_TYPE = 1, HEADER_RAW = 2, HEADER_COMPRESSED = 3, HEADER_DATA = 5,
       HEADER_DICTIONARY = 7,
       DATA_VALUES = 1, DATA_ENCODING = 2, DATA_DEF = 3, DATA_REP = 4 };

/* Adds a page: @body, compressed as a whole, behind its header. */
static void add_page(struct lt_pages *pages, int type, int encoding, size_t values,
		     const struct lt_bytes *body)
{
	struct lt_thrift t = { .depth = 0 };
	size_t bound = ZSTD_compressBound(body->n);
	struct lt_bytes packed = { .n = 0 };
	size_t n = ZSTD_compress(lt_bytes_room(&packed, bound), bound, body->data, body->n, LEVEL);

	if (ZSTD_isError(n))
		lt_fatal("zstd: %s", ZSTD_getErrorName(n));
	lt_thrift_i32(&t, HEADER_TYPE, type);
	lt_thrift_i32(&t, HEADER_RAW, (int32_t)body->n);
	lt_thrift_i32(&t, HEADER_COMPRESSED, (int32_t)n);
	lt_thrift_begin(&t, type == PAGE_DATA ? HEADER_DATA : HEADER_DICTIONARY);
	lt_thrift_i32(&t, DATA_VALUES, (int32_t)values);
	lt_thrift_i32(&t, DATA_ENCODING, encoding);
	if (type == PAGE_DATA) {
		lt_thrift_i32(&t, DATA_DEF, ENCODING_RLE);
		lt_thrift_i32(&t, DATA_REP, ENCODING_RLE);
	}
	lt_thrift_end(&t);
	*lt_bytes_room(&t.bytes, 1) = 0;	/* ends the header */
	t.bytes.n++;
	lt_bytes_add(&pages->bytes, t.bytes.data, t.bytes.n);
	lt_bytes_add(&pages->bytes, packed.data, n);
	pages->raw += t.bytes.n + body->n;
	lt_bytes_free(&t.bytes);
	lt_bytes_free(&packed);
}

/* Levels of one bit, behind their length. */
static void put_levels(struct lt_bytes *body, const uint32_t *levels, size_t n)
{
	size_t at = body->n, len;

	lt_bytes_u32(body, 0);
	lt_bytes_hybrid(body, levels, n, 1);
	len = body->n - at - 4;
	for (unsigned int i = 0; i < 4; i++)
		body->data[at + i] = (uint8_t)(len >> 8 * i);
}

static size_t begin_data(struct lt_bytes *body, const struct lt_column *c)
{
	if (c->desc->type == LT_PARQUET_INTS)
		put_levels(body, c->rep, c->n_levels);
	if (c->desc->type == LT_PARQUET_INTS || c->desc->optional)
		put_levels(body, c->def, c->n_levels);
	else
		return c->n;
	return c->n_levels;
}

/* The bits that the numbers of @n different values need, one at least. */
static unsigned int width_of(uint32_t n)
{
	unsigned int width = 1;

	while (width < 32 && (n - 1) >> width)
		width++;
	return width;
}

static void add_data(struct lt_pages *pages, const struct lt_column *c, const uint32_t *index,
		     uint32_t different)
{
	struct lt_bytes body = { .n = 0 };
	size_t values = begin_data(&body, c);

	if (index) {
		unsigned int width = width_of(different);

		*lt_bytes_room(&body, 1) = (uint8_t)width;
		body.n++;
		lt_bytes_hybrid(&body, index, c->n, width);
	} else {
		for (size_t i = 0; i < c->n; i++)
			lt_bytes_u64(&body, (uint64_t)c->ints[i]);
	}
	add_page(pages, PAGE_DATA, index ? ENCODING_RLE_DICTIONARY : ENCODING_PLAIN, values, &body);
	lt_bytes_free(&body);
}

static void make_strings(struct lt_pages *pages, const struct lt_column *c)
{
	struct lt_bytes dictionary = { .n = 0 };

	for (uint32_t i = 0; i < c->texts.n; i++) {
		size_t len;
		const char *s = lt_names_get(&c->texts, i, &len);

		lt_bytes_u32(&dictionary, (uint32_t)len);
		lt_bytes_add(&dictionary, s, len);
	}
	add_page(pages, PAGE_DICTIONARY, ENCODING_PLAIN, c->texts.n, &dictionary);
	pages->dictionary = pages->bytes.n;
	lt_bytes_free(&dictionary);
	add_data(pages, c, c->index, c->texts.n);
}

/*
 * The numbers of the values in @different, which becomes the dictionary. False: there are too many
 * different ones: their numbers and the dictionary would be larger than half of the values, which
 * compression does better.
 */
static bool number(const struct lt_column *c, struct lt_intern *different, struct lt_bytes *numbers)
{
	uint32_t *to = (uint32_t *)(void *)lt_bytes_room(numbers, (c->n + 1) * sizeof(*to));
	size_t most = c->n / 4 < MOST_DIFFERENT ? c->n / 4 : MOST_DIFFERENT;

	for (size_t i = 0; i < c->n; i++) {
		to[i] = lt_intern_number(different, (uint64_t)c->ints[i]);
		if (different->n > most + 2)
			return false;
	}
	return true;
}

static void make_ints(struct lt_pages *pages, const struct lt_column *c)
{
	struct lt_bytes numbers = { .n = 0 }, dictionary = { .n = 0 };
	struct lt_intern different;

	lt_intern_init(&different);
	if (number(c, &different, &numbers)) {
		for (uint32_t i = 0; i < different.n; i++)
			lt_bytes_u64(&dictionary, lt_intern_value(&different, i));
		add_page(pages, PAGE_DICTIONARY, ENCODING_PLAIN, different.n, &dictionary);
		pages->dictionary = pages->bytes.n;
		add_data(pages, c, (const uint32_t *)(const void *)numbers.data, different.n);
	} else {
		add_data(pages, c, NULL, 0);
	}
	lt_bytes_free(&dictionary);
	lt_bytes_free(&numbers);
	lt_intern_destroy(&different);
}

void lt_pages_make(struct lt_pages *pages, const struct lt_column *c)
{
	pages->bytes.n = 0;
	pages->raw = 0;
	pages->dictionary = 0;
	if (c->desc->type == LT_PARQUET_STRING)
		make_strings(pages, c);
	else
		make_ints(pages, c);
}
