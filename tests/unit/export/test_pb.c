// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of Protocol Buffers, byte by byte, as its specification has them.
 */
#include <string.h>

#include "export/pb.h"
#include "testlib.h"

static void expect(struct lt_pb *m, const char *bytes, size_t n)
{
	assert_int_equal(m->n, n);
	assert_memory_equal(m->data, bytes, n);
	m->n = 0;
}

#define EXPECT(m, bytes)	expect(m, bytes, sizeof(bytes) - 1)

static void test_fields(void **state)
{
	struct lt_pb m = { .n = 0 }, part = { .n = 0 };

	(void)state;
	lt_pb_uint(&m, 1, 150);
	EXPECT(&m, "\x08\x96\x01");
	lt_pb_uint(&m, 1, 0);
	assert_int_equal(m.n, 0);
	lt_pb_uint(&m, 16, 1);
	EXPECT(&m, "\x80\x01\x01");
	lt_pb_bytes(&m, 2, "testing", 7);
	EXPECT(&m, "\x12\x07testing");
	lt_pb_bytes(&m, 6, NULL, 0);
	EXPECT(&m, "\x32\x00");
	lt_pb_uint(&part, 1, 150);
	lt_pb_message(&m, 3, &part);
	EXPECT(&m, "\x1a\x03\x08\x96\x01");
	assert_int_equal(part.n, 0);
	lt_pb_number(&part, 1, 0);
	lt_pb_uint(&m, 2, 1);
	lt_pb_join(&m, &part);
	EXPECT(&m, "\x10\x01\x08\x00");
	assert_int_equal(part.n, 0);
	lt_pb_join(&m, &part);
	assert_int_equal(m.n, 0);
	lt_pb_varint(&m, 0);
	lt_pb_varint(&m, 127);
	lt_pb_varint(&m, 128);
	EXPECT(&m, "\x00\x7f\x80\x01");
	lt_pb_varint(&m, UINT64_MAX);
	EXPECT(&m, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	lt_pb_free(&part);
	lt_pb_free(&m);
}

/* A message grows by any size. */
static void test_long(void **state)
{
	struct lt_pb m = { .n = 0 };
	char text[5000];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (int i = 0; i < 3; i++)
		lt_pb_bytes(&m, 6, text, sizeof(text));
	assert_int_equal(m.n, 3 * (3 + sizeof(text)));
	assert_memory_equal(m.data + 2 * (3 + sizeof(text)), "\x32\x88\x27x", 4);
	lt_pb_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
