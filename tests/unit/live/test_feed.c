// SPDX-License-Identifier: GPL-2.0
/*
 * A trace from a pipe: whole, in parts of a byte, torn and damaged at many places.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "format/block.h"
#include "live/feed.h"
#include "live/live.h"
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
	/* The whole trace is written before any of it is read. */
	assert_true(fcntl(fds[1], F_SETPIPE_SZ, 1 << 20) >= (int)size);
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
		int ret;

		if (!tg_tried(file, size, end))
			continue;
		ret = feed(file, end, size, &whole, &n);
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
		if (!tg_tried(file, size, at))
			continue;
		file[at] ^= 0x55;
		feed(file, size, size, &whole, &n);
		assert_true(n <= 2);
		file[at] ^= 0x55;
	}
	free(file);
}

#define SECOND	1000000000ULL
#define CACHE	5

/* What is older than the lag comes while the trace is written, and what is younger does not. */
static void test_before_the_end(void **state)
{
	const char *path = test_path("late.lt");
	struct tg *g = new_trace();
	unsigned int seen = 0;
	struct lt_event ev;
	struct lt_feed *f;
	uint64_t latest = 0;
	int fd;

	(void)state;
	lt_set_log(keep, NULL);
	for (unsigned int i = 1; i < 9; i++) {
		born(g, i * LT_FEED_LAG_NS / 2, i, A, 64);
		tg_close(g, 0, i * LT_FEED_LAG_NS / 2 + 1);
	}
	tg_finish(g, 9 * LT_FEED_LAG_NS);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	fd = open(path, O_RDONLY);
	f = lt_feed_new(fd, path);
	while (latest < 2 * LT_FEED_LAG_NS && lt_feed_read(f) > 0) {
		while (lt_feed_trace(f) && lt_trace_next(lt_feed_trace(f), &ev) > 0) {
			assert_true(ev.time > latest);
			latest = ev.time;
			seen += ev.class == LT_CLASS_KMALLOC;
		}
	}
	assert_false(lt_feed_is_whole(f));
	assert_int_equal(seen, 4);	/* the rest waits for what may come later */
	lt_feed_free(f);
	close(fd);
}

/* What is alive at the end of a trace without a record of CACHE, read while it is written. */
static uint64_t alive_bytes(const char *path, char *name, size_t size)
{
	static const struct lt_live_options by_cache = { .by = 1U << LT_BY_CACHE };
	const struct lt_live_table *table;
	int fd = open(path, O_RDONLY), got;
	struct lt_feed *f = lt_feed_new(fd, "pipe");
	struct lt_live *l = NULL;
	struct lt_event ev;
	uint64_t bytes;

	*message = 0;
	lt_set_log(keep, NULL);
	do {
		got = lt_feed_read(f);
		if (!got)
			assert_int_equal(lt_feed_finish(f), 0);
		if (!l && lt_feed_trace(f))
			l = lt_live_new(lt_feed_trace(f), &by_cache);
		while (l && lt_trace_next(lt_feed_trace(f), &ev) > 0)
			lt_live_event(l, &ev);
	} while (got > 0);
	assert_int_equal(got, 0);
	lt_live_finish(l);
	lt_live_tick(l, 9 * SECOND);
	table = lt_live_table(l, LT_BY_CACHE);
	assert_int_equal(table->n, 1);
	assert_int_equal(table->all->alive, 1);
	bytes = table->all->alive_bytes;
	assert_int_equal(table->rows[0]->alive_bytes, bytes);
	assert_true(lt_live_growth(table, table->all) * 8 == (double)bytes);
	snprintf(name, size, "%s", lt_live_label(l, table->rows[0], LT_BY_CACHE, name, size));
	lt_live_free(l);
	lt_feed_free(f);
	close(fd);
	return bytes;
}

/* An object of CACHE at 1 s, with a text in front of its packet or behind. */
static void write_of_cache(const char *path, const char *text, bool behind)
{
	struct tg *g = new_trace();

	if (!behind)
		tg_text(g, LT_BLOCK_CACHES, text);
	tg_close(g, 1, 200);
	TG_CACHE_ALLOC(g, 0, 1 * SECOND, .ptr = PTR, .call_site = A, .gfp = KERNEL, .cache = CACHE,
		       .node = -1);
	tg_close(g, 0, 2 * SECOND);
	if (behind)
		tg_text(g, LT_BLOCK_CACHES, text);
	tg_marker(g, 0, 4 * SECOND, "later");
	tg_finish(g, 9 * SECOND);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
}

/* Of packets that were overwritten the text CACHES says what ids mean, in front or behind. */
static void test_caches(void **state)
{
	static const char text[] =
		"cache 5 ptr 0xffff888000200000 object_size 64 size 72 gone 0 name of the text\n";
	static const char twice[] =
		"cache_time 5 from 100 until 3000000000\n"
		"cache 5 ptr 0xffff888000200000 object_size 64 size 72 gone 1 name of the text\n"
		"cache_time 5 from 5000000000 until 0\n"
		"cache 5 ptr 0xffff888000300000 object_size 8 size 16 gone 0 name another\n";
	char path[256], name[64];

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("feed.lt"));
	for (unsigned int i = 0; i < 4; i++) {
		write_of_cache(path, i & 2 ? twice : text, i & 1);
		assert_int_equal(alive_bytes(path, name, sizeof(name)), 72);
		assert_string_equal(name, "of the text");
		assert_string_equal(message, "");
	}
}

/* What a part of a recording says of its begin is not read, which a message says. */
static void test_part(void **state)
{
	struct tg *g = new_trace();
	bool whole;
	uint8_t *file;
	size_t size;
	int n;

	(void)state;
	lt_set_log(keep, NULL);
	tg_text(g, LT_BLOCK_PART, "part=1\n");
	born(g, 1000, 1, A, 128);
	tg_finish(g, 9000);
	file = tg_file(g, 0, &size);
	tg_free(g);
	assert_int_equal(feed(file, size, size, &whole, &n), 1);
	assert_non_null(strstr(message, "this is a part of a recording; what was alive at its begin"));
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_torn),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_before_the_end),
		cmocka_unit_test(test_caches),
		cmocka_unit_test(test_part),
	};

	return cmocka_run_group_tests_name("feed", tests, NULL, NULL);
}
