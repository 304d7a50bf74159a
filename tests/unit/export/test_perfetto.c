// SPDX-License-Identifier: GPL-2.0
/*
 * Perfetto: lanes of slices, which lifetimes are kept as slices, and the bytes of messages.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "export/perfetto/perfetto.h"
#include "reporttest.h"

/* The file of @o, which is closed then. */
static size_t file_of(struct lt_pf_out *o, char *data, size_t size)
{
	int fd;
	ssize_t n;

	assert_int_equal(lt_pf_close(o), 0);
	fd = open(test_path("x.pf"), O_RDONLY);
	assert_true(fd >= 0);
	n = read(fd, data, size);
	assert_true(n >= 0 && (size_t)n < size);
	close(fd);
	return (size_t)n;
}

static void open_file(struct lt_pf_out *o)
{
	int fd = open(test_path("x.pf"), O_CREAT | O_TRUNC | O_WRONLY, 0600);

	assert_true(fd >= 0);
	lt_pf_init(o, fd, "test");
}

/* No two slices of a lane overlap; one may begin where another ends. */
static void test_lanes(void **state)
{
	struct lt_pf_lanes lanes = { .n = 0 };

	(void)state;
	assert_int_equal(lt_pf_lane(&lanes, 10, 20), 0);
	assert_int_equal(lt_pf_lane(&lanes, 10, 30), 1);
	assert_int_equal(lt_pf_lane(&lanes, 19, UINT64_MAX), 2);
	assert_int_equal(lanes.n, 3);
	assert_int_equal(lt_pf_lane(&lanes, 20, 25), 0);
	assert_int_equal(lt_pf_lane(&lanes, 25, 26), 0);
	assert_int_equal(lt_pf_lane(&lanes, 25, 26), 3);
	assert_int_equal(lanes.n, 4);
	free(lanes.ends);
}

/* A value of nothing is written, where no value means that of before. */
static void test_values(void **state)
{
	static const char expected[] =
		"\x0a\x0f" "\x40\x05" "\x50\x01" "\x68\x01" "\x5a\x07" "\x48\x04" "\x58\x11" "\xf0\x01\x00"
		"\x0a\x10" "\x40\x06" "\x50\x01" "\x68\x02" "\x5a\x08" "\x48\x04" "\x58\x11"
		"\xf0\x01\xac\x02";
	struct lt_pf_out o;
	char data[256];
	size_t n;

	(void)state;
	open_file(&o);
	lt_pf_count(&o, 17, 5, 0);
	lt_pf_count(&o, 17, 6, 300);
	n = file_of(&o, data, sizeof(data));
	assert_int_equal(n, sizeof(expected) - 1);
	assert_memory_equal(data, expected, n);
}

/* Of a process the time is that before its birth, so that it is there for its first thread. */
static void test_process(void **state)
{
	static const char expected[] =
		"\x0a\x18" "\x40\x63" "\x50\x02" "\xe2\x03\x11" "\x08\x22"
		"\x1a\x0b" "\x08\x07" "\x32\x05" "a\\xff" "\x38\x64" "\x58\x03";
	const struct lt_pf_track track = {
		.id = LT_PF_TRACK(LT_PF_PROCESS, 2), .process = "a\xff", .pid = 7, .start = 100,
	};
	struct lt_pf_out o;
	char data[256];
	size_t n;

	(void)state;
	open_file(&o);
	lt_pf_track(&o, &track);
	n = file_of(&o, data, sizeof(data));
	assert_int_equal(n, sizeof(expected) - 1);
	assert_memory_equal(data, expected, n);
}

/* The longest lifetimes of a cache: of those that have ended and of those that have not. */
static void test_longest(void **state)
{
	struct lt_pf_long l = { .n = 0 };
	struct lt_intern caches;
	struct tg *g = new_trace();
	struct lt_profile_options opts = {
		.report = { .short_ns = 2000000, .within = 16, .long_ns = 1000000000 },
		.levels = { LT_LEVEL_SITE }, .n_levels = 1,
	};
	static char data[1 << 20];
	struct lt_profile *p;
	struct lt_pf_out o;
	size_t n, slices = 0;

	(void)state;
	born(g, 1000, 0, A, 100);
	tg_finish(g, 5000);
	assert_int_equal(tg_write(g, test_path("l.lt"), 0), 0);
	tg_free(g);
	p = lt_profile_make(test_path("l.lt"), &opts);
	assert_non_null(p);
	lt_intern_init(&caches);
	lt_intern_number(&caches, 0);
	for (unsigned int i = 0; i < 150; i++) {
		struct lt_lifetime life = {
			.birth = { .time = 1000 + i, .known = true }, .certainty = LT_EXACT,
			.death = { .time = 2000 + 2 * i, .known = true }, .ending = LT_END_KFREE,
		};

		lt_pf_long_add(&l, 0, &life);
	}
	assert_int_equal(l.all, 150);
	open_file(&o);
	lt_pf_long_write(&l, &o, p, &caches);
	n = file_of(&o, data, sizeof(data));
	assert_int_equal(l.written, 100);
	/* The first one that is kept is the 51st. */
	for (size_t i = 0; i + 14 < n; i++)
		slices += !memcmp(data + i, "(unknown site)", 14);
	assert_int_equal(slices, 100);
	assert_null(memmem(data, n, "\x40\x99\x08", 3));	/* 1049 */
	assert_non_null(memmem(data, n, "\x40\x9a\x08", 3));	/* 1050 */
	lt_pf_long_destroy(&l);
	lt_intern_destroy(&caches);
	lt_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
