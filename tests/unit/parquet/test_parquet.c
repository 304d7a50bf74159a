// SPDX-License-Identifier: GPL-2.0
/*
 * Parquet: bytes of each encoding, as the specifications of the format and of Thrift have them, and
 * whole files. tests/viewers has them read by DuckDB.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <zstd.h>

#include "base/text.h"
#include "parquet/internal.h"
#include "testlib.h"

static void expect(struct lt_bytes *b, const char *bytes, size_t n)
{
	assert_int_equal(b->n, n);
	assert_memory_equal(b->data, bytes, n);
	b->n = 0;
}

#define EXPECT(b, bytes)	expect(b, bytes, sizeof(bytes) - 1)

static void test_numbers(void **state)
{
	struct lt_bytes b = { .n = 0 };

	(void)state;
	lt_bytes_varint(&b, 0);
	lt_bytes_varint(&b, 127);
	lt_bytes_varint(&b, 300);
	EXPECT(&b, "\x00\x7f\xac\x02");
	lt_bytes_varint(&b, UINT64_MAX);
	EXPECT(&b, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	lt_bytes_u32(&b, 0x04030201);
	lt_bytes_u64(&b, 0x0807060504030201);
	EXPECT(&b, "\x01\x02\x03\x04\x01\x02\x03\x04\x05\x06\x07\x08");
	lt_bytes_free(&b);
}

/* The examples of the specification: a run, and 0 to 7 packed in three bits each. */
static void test_hybrid(void **state)
{
	static const uint32_t packed[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	uint32_t mixed[30] = { 1, 2, 3 };
	struct lt_bytes b = { .n = 0 };

	(void)state;
	lt_bytes_hybrid(&b, packed, 8, 3);
	EXPECT(&b, "\x03\x88\xc6\xfa");
	lt_bytes_hybrid(&b, packed, 2, 3);		/* zeros fill the group */
	EXPECT(&b, "\x03\x08\x00\x00");
	for (int i = 0; i < 30; i++)
		mixed[i] = i < 3 ? (uint32_t)i + 1 : 1000;
	lt_bytes_hybrid(&b, mixed + 3, 27, 10);
	EXPECT(&b, "\x36\xe8\x03");
	/* A group of eight, then the rest of the run. */
	lt_bytes_hybrid(&b, mixed, 30, 16);
	EXPECT(&b, "\x03\x01\x00\x02\x00\x03\x00\xe8\x03\xe8\x03\xe8\x03\xe8\x03\xe8\x03\x2c\xe8\x03");
	lt_bytes_hybrid(&b, NULL, 0, 1);
	assert_int_equal(b.n, 0);
	lt_bytes_free(&b);
}

/* What the two ways of packing were, taken apart again. */
static void decode(const struct lt_bytes *b, unsigned int width, uint32_t *values, size_t n)
{
	const uint8_t *p = b->data;
	size_t i = 0;

	while (i < n) {
		uint64_t header = 0;
		unsigned int shift = 0;

		do
			header |= (uint64_t)(*p & 0x7f) << shift, shift += 7;
		while (*p++ & 0x80);
		if (!(header & 1)) {
			uint32_t value = 0;

			for (unsigned int k = 0; k < (width + 7) / 8; k++)
				value |= (uint32_t)*p++ << 8 * k;
			for (uint64_t k = 0; k < header >> 1; k++)
				values[i++] = value;
			continue;
		}
		for (uint64_t k = 0; k < (header >> 1) * 8; k++) {
			uint32_t value = 0;

			for (unsigned int bit = 0; bit < width; bit++) {
				uint64_t at = k * width + bit;

				value |= (uint32_t)(p[at / 8] >> at % 8 & 1) << bit;
			}
			if (i < n)
				values[i++] = value;
		}
		p += (header >> 1) * width;
	}
	assert_ptr_equal(p, b->data + b->n);
}

static void test_hybrid_random(void **state)
{
	uint32_t seed = 1, in[400], out[400];
	struct lt_bytes b = { .n = 0 };

	(void)state;
	for (unsigned int width = 1; width <= 32; width++) {
		for (size_t n = 1; n < 400; n += 13) {
			for (size_t i = 0; i < n; i++) {
				seed = seed * 1664525 + 1013904223;
				in[i] = i && seed >> 30 ? in[i - 1] : seed >> (32 - width);
			}
			b.n = 0;
			lt_bytes_hybrid(&b, in, n, width);
			decode(&b, width, out, n);
			assert_memory_equal(in, out, n * sizeof(*in));
		}
	}
	lt_bytes_free(&b);
}

static void test_thrift(void **state)
{
	struct lt_thrift t = { .depth = 0 };

	(void)state;
	lt_thrift_i32(&t, 1, 1);
	lt_thrift_i64(&t, 3, -1);
	lt_thrift_binary(&t, 21, "ab", 2);		/* more than 15 numbers further */
	EXPECT(&t.bytes, "\x15\x02\x26\x01\x08\x2a\x02" "ab");
	lt_thrift_begin(&t, 22);
	lt_thrift_i32(&t, 2, 64);
	lt_thrift_end(&t);
	lt_thrift_list(&t, 23, LT_THRIFT_I32, 2);
	lt_thrift_element_i32(&t, 3);
	lt_thrift_element_i32(&t, -2);
	EXPECT(&t.bytes, "\x1c\x25\x80\x01\x00\x19\x25\x06\x03");
	lt_thrift_list(&t, 24, LT_THRIFT_STRUCT, 15);
	EXPECT(&t.bytes, "\x19\xfc\x0f");
	lt_bytes_free(&t.bytes);
}

/* The body of the page at @data, and where the next one begins. */
static size_t unpack(const uint8_t *data, size_t header, uint8_t *body, size_t size,
		     const uint8_t **next)
{
	size_t packed = ZSTD_findFrameCompressedSize(data + header, 1 << 20);
	size_t n = ZSTD_decompress(body, size, data + header, packed);

	assert_false(ZSTD_isError(n));
	*next = data + header + packed;
	return n;
}

static size_t magic_at(const uint8_t *data)
{
	size_t n = 0;

	while (memcmp(data + n, "\x28\xb5\x2f\xfd", 4))
		n++;
	return n;
}

/*
 * The text of the row before once more,
 * after a null and after another group of rows; and an empty one.
 */
static void test_same_text(void **state)
{
	static const struct lt_parquet_column text = { "t", LT_PARQUET_STRING, true };
	static const uint32_t numbers[] = { 0, 1, 1, 1, 2, 3, 1, 0, 0 };
	struct lt_column c;

	(void)state;
	lt_column_init(&c, &text);
	for (int group = 0; group < 2; group++) {
		lt_column_string(&c, "", 0);
		lt_column_string(&c, "ab", 2);
		lt_column_string(&c, "ab", 2);
		lt_column_none(&c);
		lt_column_string(&c, "abc", 2);		/* two bytes of it */
		lt_column_string(&c, "a", 1);
		lt_column_string(&c, "ba", 2);
		lt_column_string(&c, "ab", 2);
		lt_column_string(&c, "", 0);
		lt_column_string(&c, "", 0);
		assert_int_equal(c.n, 9);
		assert_memory_equal(c.index, numbers, sizeof(numbers));
		assert_int_equal(c.n_levels, 10);
		lt_column_clear(&c);
	}
	lt_column_destroy(&c);
}

/* An optional column with nulls, and a list, as dictionaries; both bodies byte by byte. */
static void test_pages(void **state)
{
	static const struct lt_parquet_column text = { "t", LT_PARQUET_STRING, true };
	static const struct lt_parquet_column list = { "l", LT_PARQUET_INTS, false };
	struct lt_pages pages = { .raw = 0 };
	const uint8_t *next;
	struct lt_column c;
	uint8_t body[256];

	(void)state;
	lt_column_init(&c, &text);
	lt_column_string(&c, "a", 1);
	lt_column_none(&c);
	lt_column_string(&c, "a", 1);
	assert_int_equal(c.nulls, 1);
	lt_pages_make(&pages, &c);
	assert_int_equal(unpack(pages.bytes.data, magic_at(pages.bytes.data), body, 256, &next), 9);
	assert_memory_equal(body, "\0\0\0\0\1\0\0\0a", 9);
	assert_int_equal(pages.dictionary, next - pages.bytes.data);
	assert_int_equal(unpack(next, magic_at(next), body, 256, &next), 9);
	/* Levels 1, 0, 1; then the width 1, and twice the number 1. */
	assert_memory_equal(body, "\2\0\0\0\3\5\1\3\3", 9);
	assert_ptr_equal(next, pages.bytes.data + pages.bytes.n);
	lt_column_destroy(&c);

	lt_column_init(&c, &list);
	lt_column_int(&c, 7, false);
	lt_column_int(&c, -1, true);
	lt_column_none(&c);
	lt_pages_make(&pages, &c);
	assert_int_equal(pages.dictionary, 0);		/* two values need none */
	assert_int_equal(unpack(pages.bytes.data, magic_at(pages.bytes.data), body, 256, &next), 28);
	assert_memory_equal(body, "\2\0\0\0\3\2\2\0\0\0\3\3\7\0\0\0\0\0\0\0", 20);
	assert_memory_equal(body + 20, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	assert_int_equal(c.min, -1);
	assert_int_equal(c.max, 7);
	lt_column_destroy(&c);
	lt_bytes_free(&pages.bytes);
}

static const struct lt_parquet_column columns[] = {
	{ "number", LT_PARQUET_INT, false }, { "text", LT_PARQUET_STRING, true },
	{ "list", LT_PARQUET_INTS, false },
};

static char *write_file(const char *name, size_t rows, size_t group, size_t *size)
{
	int fd = open(test_path(name), O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct lt_parquet *p = lt_parquet_new(fd, columns, 3, group);
	int64_t list[2] = { 1, 2 };
	char *text;

	for (size_t i = 0; i < rows; i++) {
		lt_parquet_int(p, 0, (int64_t)i * 1000);
		if (i % 3)
			lt_parquet_string(p, 1, "name", 4);
		else
			lt_parquet_null(p, 1);
		lt_parquet_ints(p, 2, list, i % 3);
		assert_int_equal(lt_parquet_row(p), 0);
	}
	lt_parquet_note(p, "key", "value");
	assert_int_equal(lt_parquet_finish(p), 0);
	lt_parquet_free(p);
	lseek(fd, 0, SEEK_SET);
	text = lt_read_text(fd, 1 << 24, size);
	assert_non_null(text);
	close(fd);
	return text;
}

/* The frame of a file, also of one without a row; the same rows are the same bytes. */
static void test_file(void **state)
{
	static const size_t rows[] = { 0, 1, 1000, 1001 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n, again;
		char *text = write_file("a.parquet", rows[i], 500, &n);
		char *same = write_file("b.parquet", rows[i], 500, &again);
		uint32_t footer;

		assert_int_equal(n, again);
		assert_memory_equal(text, same, n);
		assert_memory_equal(text, "PAR1", 4);
		assert_memory_equal(text + n - 4, "PAR1", 4);
		memcpy(&footer, text + n - 8, 4);
		assert_true(footer > 0 && footer <= n - 12);
		assert_true(rows[i] || footer == n - 12);
		free(text);
		free(same);
	}
}

/* A file that cannot be written is an error, at once or at the end. */
static void test_full(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	struct lt_parquet *p = lt_parquet_new(fd, columns, 1, 2);

	(void)state;
	lt_parquet_int(p, 0, 1);
	assert_int_equal(lt_parquet_row(p), 0);
	lt_parquet_int(p, 0, 1);
	assert_int_equal(lt_parquet_row(p), ENOSPC);
	assert_int_equal(lt_parquet_finish(p), ENOSPC);
	lt_parquet_free(p);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_hybrid),
		cmocka_unit_test(test_hybrid_random),
		cmocka_unit_test(test_thrift),
		cmocka_unit_test(test_same_text),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
