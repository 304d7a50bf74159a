// SPDX-License-Identifier: GPL-2.0
/*
 * A trace from a pipe: whole, in parts of a byte, torn at every place, damaged.
 */
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "format/block.h"
#include "live/feed.h"
#include "reporttest.h"

static char message[512];

static void keep(void *arg, enum lt_log_level level, const char *text)
{
	(void)arg;
	(void)level;
	snprintf(message, sizeof(message), "%s", text);
}

static uint8_t *usual_file(size_t *size, unsigned int flags)
{
	struct tg *g = new_trace();
	uint8_t *file;

	born(g, 1000, 1, A, 128);
	freed(g, 2000, 1);
	tg_finish(g, 9000);
	file = tg_file(g, flags, size);
	tg_free(g);
	return file;
}

/*
 * Feeds @size bytes, @step at a time. Return: the number of events; -1: there was no trace, -2: it
 * was left off, after so many events in @before.
 */
static int feed(const uint8_t *bytes, size_t size, size_t step, bool *whole, int *before)
{
	struct lt_feed *f;
	int fds[2], n = 0, got = 1;
	struct lt_event ev;
	size_t at = 0;

	*message = 0;
	assert_int_equal(pipe(fds), 0);
	f = lt_feed_new(fds[0], "pipe");
	while (got > 0) {
		size_t part = size - at < step ? size - at : step;

		if (part)
			assert_int_equal(write(fds[1], bytes + at, part), part);
		at += part;
		if (at == size && fds[1] >= 0) {
			close(fds[1]);
			fds[1] = -1;
		}
		/* One read may take less than the part. */
		for (size_t left = part ? part : 1; left && got > 0; left--) {
			got = lt_feed_read(f);
			if (fds[1] >= 0 && step == 1)
				break;
			if (fds[1] >= 0)
				left = 1;
		}
		while (got >= 0 && lt_feed_trace(f) && lt_trace_next(lt_feed_trace(f), &ev) > 0)
			n += ev.class != LT_CLASS_NONE;
	}
	if (!got)
		got = lt_feed_finish(f);
	else
		got = -2;
	while (!got && lt_trace_next(lt_feed_trace(f), &ev) > 0)
		n += ev.class != LT_CLASS_NONE;
	*whole = lt_feed_is_whole(f);
	*before = n;
	lt_feed_free(f);
	if (fds[1] >= 0)
		close(fds[1]);
	close(fds[0]);
	return got ? got : n;
}

static void test_whole(void **state)
{
	bool whole;
	size_t size;
	int n;

	(void)state;
	lt_set_log(keep, NULL);
	for (unsigned int zstd = 0; zstd < 2; zstd++) {
		uint8_t *file = usual_file(&size, zstd ? TG_ZSTD : 0);

		assert_int_equal(feed(file, size, size, &whole, &n), 2);
		assert_true(whole);
		assert_int_equal(feed(file, size, 1, &whole, &n), 2);
		assert_true(whole);
		assert_string_equal(message, "");
		free(file);
	}
}

/* Wherever it ends: never more events than there are, and a word about it. */
static void test_torn(void **state)
{
	bool whole;
	size_t size;
	uint8_t *file = usual_file(&size, 0);
	int n, most = 0;

	(void)state;
	lt_set_log(keep, NULL);
	for (size_t end = 0; end < size; end++) {
		int ret = feed(file, end, size, &whole, &n);

		assert_true(ret == -1 || (ret >= most && ret <= 2));
		assert_false(whole);
		most = ret > most ? ret : most;
		if (ret == -1)
			assert_true(*message);
	}
	assert_int_equal(most, 2);
	assert_int_equal(feed(file, 3, size, &whole, &n), -1);
	assert_non_null(strstr(message, "found only 3 bytes"));
	free(file);
}

static void test_damaged(void **state)
{
	bool whole;
	size_t size;
	uint8_t *file = usual_file(&size, 0);
	int n;

	(void)state;
	lt_set_log(keep, NULL);
	file[0] ^= 1;
	assert_int_equal(feed(file, size, size, &whole, &n), -2);
	assert_non_null(strstr(message, "pipe: offset 0: expected the magic"));
	file[0] ^= 1;
	file[LT_FILE_FIRST] ^= 1;
	assert_int_equal(feed(file, size, size, &whole, &n), -2);
	assert_non_null(strstr(message, "pipe: offset 16: "));
	file[LT_FILE_FIRST] ^= 1;
	/* A damaged byte anywhere: neither a crash nor more than there was. */
	for (size_t at = 0; at < size; at++) {
		file[at] ^= 0x55;
		feed(file, size, size, &whole, &n);
		assert_true(n <= 2);
		file[at] ^= 0x55;
	}
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_torn),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("feed", tests, NULL, NULL);
}
