// SPDX-License-Identifier: GPL-2.0
/*
 * Files that are made to take all memory, all day, or the terminal: what is read of
 * them is little, and it is read soon.
 */
#include <endian.h>

#include "../../user/lib/file.h"
#include "testlib.h"
#include "tracegen.h"

/* A file of so many zeros packed: some bytes of it are left. */
static void test_bomb(void **state)
{
	struct lt_buf payload = { 0 }, packed = { 0 };
	struct lt_writer *w = lt_writer_open(test_path("plain.lt"), true);
	const size_t size = 8 << 20;
	char *zeros = calloc(1, size);
	struct lt_block b;
	struct lt_why why;
	struct lt_file *f;
	uint8_t *image;
	size_t n;

	(void)state;
	image = malloc(sizeof(struct lt_file_header));
	memcpy(image, &(struct lt_file_header){ LT_FILE_MAGIC, htole16(LT_FILE_MAJOR), 0, 0 },
	       sizeof(struct lt_file_header));
	n = sizeof(struct lt_file_header);
	tg_append_block(&image, &n, LT_BLOCK_SYMBOLS, LT_BLOCK_ZSTD, zeros, size);
	assert_true(n < 2000);
	assert_int_equal(tg_save(test_path("bomb.lt"), image, n), 0);
	f = lt_file_open(test_path("bomb.lt"));
	assert_int_equal(lt_file_block(f, LT_FILE_FIRST, &b, &why), LT_BLOCK_OK);
	assert_int_equal(lt_file_payload(f, &b, &payload, &packed, &why), -1);
	assert_non_null(strstr(why.text, "unpack to at most"));
	assert_true(payload.cap < size);
	lt_file_close(f);

	/* The writer makes none. */
	assert_int_equal(lt_writer_block(w, LT_BLOCK_SYMBOLS, true, zeros, size), 0);
	assert_int_equal(lt_writer_close(w), 0);
	f = lt_file_open(test_path("plain.lt"));
	assert_int_equal(lt_file_block(f, LT_FILE_FIRST, &b, &why), LT_BLOCK_OK);
	assert_int_equal(lt_file_payload(f, &b, &payload, &packed, &why), 0);
	assert_int_equal(payload.size, size);
	lt_file_close(f);
	lt_buf_free(&payload);
	lt_buf_free(&packed);
	free(image);
	free(zeros);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bomb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
