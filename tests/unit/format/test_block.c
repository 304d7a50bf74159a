// SPDX-License-Identifier: GPL-2.0
/*
 * The framing: CRC, writing and reading back, refusals, a disk that is full.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "verify/check.h"
#include "base/mem.h"
#include "base/crc32c.h"
#include "format/dir.h"
#include "format/block.h"
#include "testlib.h"
#include "tracegen.h"

/* Vectors of RFC 3720, B.4, and the check value of the polynomial. */
static void test_crc32c(void **state)
{
	uint8_t buf[32], big[4096 + 8];

	(void)state;
	memset(buf, 0, 32);
	assert_int_equal(lt_crc32c(0, buf, 32), 0x8a9136aa);
	memset(buf, 0xff, 32);
	assert_int_equal(lt_crc32c(0, buf, 32), 0x62a8ab43);
	for (int i = 0; i < 32; i++)
		buf[i] = (uint8_t)i;
	assert_int_equal(lt_crc32c(0, buf, 32), 0x46dd794e);
	assert_int_equal(lt_crc32c(0, "123456789", 9), 0xe3069283);
	assert_int_equal(lt_crc32c(0, "", 0), 0);
	/* With and without the instruction, in pieces, at any alignment. */
	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (uint8_t)(i * 37 + (i >> 8));
	for (size_t at = 0; at < 8; at++) {
		for (size_t len = 0; len < 100; len++) {
			uint32_t crc = lt_crc32c(0, big + at, len);

			assert_int_equal(crc, lt_crc32c_table(0, big + at, len));
			assert_int_equal(crc, lt_crc32c(lt_crc32c(0, big + at, len / 3),
							big + at + len / 3, len - len / 3));
		}
		/* Long ones are taken in three lanes. */
		for (size_t len = 1500; len <= 4096; len += len % 500 < 100 ? 1 : 37)
			assert_int_equal(lt_crc32c((uint32_t)len * 77, big + at, len),
					 lt_crc32c_table((uint32_t)len * 77, big + at, len));
	}
}

/* Writes the packets and texts of a generated trace by the recorder's writer. */
static void write_trace(struct lt_writer *w, struct tg *g, bool zstd)
{
	const char *info = tg_info_text(g), *schema = tg_schema_text(g);
	struct tg_packet *p;
	size_t n;

	w->zstd = zstd;
	assert_int_equal(lt_writer_text(w, LT_BLOCK_INFO, false, info, strlen(info)), 0);
	assert_int_equal(lt_writer_text(w, LT_BLOCK_SCHEMA, true, schema, strlen(schema)), 0);
	p = tg_packets(g, &n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(lt_writer_packet(w, p[i].data, p[i].size, p[i].cpu,
						  LT_CHANNEL_KMEM, p[i].seq, p[i].begin,
						  p[i].end), 0);
	assert_int_equal(lt_writer_text(w, LT_BLOCK_SLAB, true, "", 0), 0);
	assert_int_equal(lt_writer_finish(w), 0);
	assert_int_equal(lt_writer_close(w), 0);
}

static struct tg *some_trace(void)
{
	struct tg *g = tg_new(&(struct tg_options){ .subbuf_size = 2000 });

	for (uint64_t i = 0; i < 1000; i++)
		tg_kfree(g, (uint32_t)(i % 3), 1000 + i, 0xffff888000000000ULL + i, 0);
	tg_finish(g, 5000);
	return g;
}

static void round_trip(bool zstd)
{
	struct tg *g = some_trace();
	struct lt_writer *w = lt_writer_open(test_path("w.lt"), false);
	struct lt_verify_result *v;
	struct lt_file *f;
	struct lt_dir dir;
	struct stat st;
	size_t n;

	assert_non_null(w);
	write_trace(w, g, zstd);
	assert_int_equal(stat(test_path("w.lt"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	v = lt_verify(test_path("w.lt"));
	assert_true(lt_verify_result_good(v));
	assert_int_equal(v->records, 1000);
	lt_verify_result_free(v);
	/* The index is used, and agrees with a walk over the file. */
	f = lt_file_open(test_path("w.lt"));
	lt_dir_read(&dir, f, false, NULL, NULL);
	assert_true(dir.from_index);
	tg_packets(g, &n);
	assert_int_equal(dir.packets, n);
	/* With CONTENTS, which the writer adds. */
	assert_int_equal(dir.n_texts, 4);
	lt_dir_free(&dir);
	lt_file_close(f);
	tg_free(g);
}

static void test_round_trip(void **state)
{
	(void)state;
	round_trip(false);
	round_trip(true);
}

static off_t size_of(const char *name)
{
	struct stat st;

	return stat(test_path(name), &st) ? -1 : st.st_size;
}

/* Something else than a trace is not replaced, under none of the three names. */
static void test_overwrite(void **state)
{
	struct lt_writer *w;

	(void)state;
	tg_save(test_path("thesis"), "years of work", 13);
	test_stderr_begin();
	assert_null(lt_writer_open(test_path("thesis"), false));
	assert_non_null(strstr(test_stderr_end(), "--force"));
	assert_int_equal(size_of("thesis"), 13);
	w = lt_writer_open(test_path("thesis"), true);
	assert_non_null(w);
	assert_int_equal(lt_writer_publish(w), 0);
	lt_writer_close(w);
	assert_int_equal(size_of("thesis"), 16);
	tg_save(test_path("new.part"), "years of work", 13);
	test_stderr_begin();
	assert_null(lt_writer_open(test_path("new"), false));
	assert_non_null(strstr(test_stderr_end(), "new.part: exists and is not a trace"));
	assert_int_equal(size_of("new.part"), 13);
	tg_save(test_path("thesis.old"), "years of work", 13);
	test_stderr_begin();
	assert_null(lt_writer_open(test_path("thesis"), false));
	assert_non_null(strstr(test_stderr_end(), "thesis.old: exists and is not a trace"));
	assert_int_equal(size_of("thesis.part"), -1);
	test_stderr_begin();
	assert_null(lt_writer_open("/dev/null", true));
	assert_null(lt_writer_open("/nonexistent/x", true));
	assert_non_null(strstr(test_stderr_end(), "No such file"));
}

/* At a name of the program's own choice nothing is replaced, and no link is followed. */
static void test_new(void **state)
{
	char *name = lt_strdup(test_path("own.lt")), *part = lt_strdup(test_path("own.lt.part"));
	struct lt_writer *w;

	(void)state;
	tg_save(test_path("victim"), "years of work", 13);
	test_stderr_begin();
	assert_int_equal(symlink(test_path("victim"), part), 0);
	assert_null(lt_writer_open_new(name));
	assert_int_equal(errno, EEXIST);
	assert_int_equal(unlink(part), 0);
	assert_int_equal(symlink(test_path("victim"), name), 0);
	assert_null(lt_writer_open_new(name));
	assert_int_equal(unlink(name), 0);
	assert_int_equal(symlink(test_path("nothing"), name), 0);
	assert_null(lt_writer_open_new(name));
	assert_int_equal(unlink(name), 0);
	tg_save(part, LT_FILE_MAGIC, 8);
	assert_null(lt_writer_open_new(name));
	assert_int_equal(size_of("own.lt.part"), 8);
	assert_int_equal(unlink(part), 0);
	assert_non_null(strstr(test_stderr_end(), "own.lt: File exists"));
	assert_int_equal(size_of("victim"), 13);
	assert_int_equal(size_of("victim.old"), -1);
	w = lt_writer_open_new(name);
	assert_non_null(w);
	assert_int_equal(lt_writer_finish(w), 0);
	assert_int_equal(size_of("own.lt"), -1);
	/* What has come there meanwhile stays, too. */
	tg_save(name, "years of work", 13);
	test_stderr_begin();
	assert_int_equal(lt_writer_close(w), -1);
	assert_non_null(strstr(test_stderr_end(), "cannot be named so: File exists"));
	assert_int_equal(size_of("own.lt"), 13);
	assert_true(size_of("own.lt.part") > 16);
	unlink(name);
	unlink(part);
	w = lt_writer_open_new(name);
	assert_non_null(w);
	assert_int_equal(lt_writer_finish(w), 0);
	assert_int_equal(lt_writer_close(w), 0);
	assert_true(size_of("own.lt") > 16);
	assert_int_equal(size_of("own.lt.part"), -1);
	free(name);
	free(part);
}

/* A trace keeps its name until the new one is published, and is kept as FILE.old then. */
static void test_replace(void **state)
{
	struct lt_writer *w;
	struct stat st;

	(void)state;
	assert_int_equal(tg_save(test_path("old.lt"), "LIFETRAC-old", 12), 0);
	chmod(test_path("old.lt"), 0644);
	w = lt_writer_open(test_path("old.lt"), false);
	assert_non_null(w);
	assert_int_equal(size_of("old.lt"), 12);
	assert_int_equal(size_of("old.lt.part"), 16);
	lt_writer_close(w);
	assert_int_equal(size_of("old.lt"), 12);
	assert_int_equal(size_of("old.lt.part"), -1);
	assert_int_equal(size_of("old.lt.old"), -1);
	/* What a killed recorder has left is in nobody's way. A link stays a link. */
	assert_int_equal(tg_save(test_path("old.lt.part"), "LIFETRAC-killed", 15), 0);
	assert_int_equal(symlink("old.lt", test_path("link.lt")), 0);
	w = lt_writer_open(test_path("link.lt"), false);
	assert_non_null(w);
	assert_int_equal(lt_writer_publish(w), 0);
	assert_int_equal(lt_writer_publish(w), 0);
	lt_writer_close(w);
	assert_int_equal(size_of("old.lt.old"), 12);
	assert_int_equal(size_of("old.lt.part"), -1);
	assert_int_equal(lstat(test_path("link.lt"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	stat(test_path("old.lt"), &st);
	assert_int_equal(st.st_size, 16);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* An empty file is not worth keeping. */
	assert_int_equal(tg_save(test_path("empty.lt"), "", 0), 0);
	w = lt_writer_open(test_path("empty.lt"), false);
	assert_int_equal(lt_writer_publish(w), 0);
	lt_writer_close(w);
	assert_int_equal(size_of("empty.lt"), 16);
	assert_int_equal(size_of("empty.lt.old"), -1);
}

/*
 * When there is no room the file ends with its last whole block, and what is
 * smaller can still be added. A limit of the file's size stands for the disk.
 */
static void test_full(void **state)
{
	struct rlimit old, small = { 16000, 0 };
	struct tg *g = some_trace();
	const char *schema = tg_schema_text(g);
	struct lt_writer *w;
	struct stat st;
	char data[12000] = { 0 };
	uint64_t end;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	w = lt_writer_open(test_path("full.lt"), false);
	assert_int_equal(lt_writer_publish(w), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(lt_writer_text(w, LT_BLOCK_SCHEMA, true, schema, strlen(schema)), 0);
	assert_int_equal(lt_writer_packet(w, data, sizeof(data), 0, 1, 0, 0, 0), -1);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(w->error, EFBIG);
	assert_int_equal(w->packets, 0);
	end = w->offset;
	stat(test_path("full.lt"), &st);
	assert_int_equal(st.st_size, end);
	/* Nothing more is written until the error is taken. */
	assert_int_equal(lt_writer_text(w, LT_BLOCK_STATS, false, "x", 1), -1);
	w->error = 0;
	assert_int_equal(lt_writer_text(w, LT_BLOCK_STATS, false, "state idle\n", 11), 0);
	assert_int_equal(lt_writer_finish(w), 0);
	assert_int_equal(lt_writer_close(w), 0);
	struct lt_verify_result *v = lt_verify(test_path("full.lt"));

	assert_non_null(v);
	assert_int_equal(v->checks[LT_CHECK_BLOCKS].failures, 0);
	lt_verify_result_free(v);
	tg_free(g);
}

static void test_not_a_file(void **state)
{
	(void)state;
	test_stderr_begin();
	assert_null(lt_file_open("/nonexistent"));
	assert_null(lt_file_open("/"));
	assert_null(lt_file_open("/dev/zero"));
	test_stderr_end();
}

/* A header that begins at the very end of a search window is found, too. */
static void test_resync(void **state)
{
	(void)state;
	for (size_t shift = 0; shift < 64; shift++) {
		size_t size = 16 + (1 << 20) - 40 + shift;
		uint8_t *data = calloc(1, size);
		struct lt_file *f;

		memcpy(data, "LIFETRAC\1\0", 10);
		memcpy(data + 100, "LTBKLTBKLTBK", 12);	/* a magic alone is nothing */
		tg_append_block(&data, &size, LT_BLOCK_STATS, 0, "x", 1);
		tg_save(test_path("r.lt"), data, size);
		f = lt_file_open(test_path("r.lt"));
		assert_int_equal(lt_file_resync(f, 16), size - 25);
		assert_int_equal(lt_file_resync(f, size - 24), size);
		lt_file_close(f);
		free(data);
	}
}

/* The verdict on a trace whose STATS block is @stats. */
static struct lt_verify_result *with_stats(const char *stats)
{
	struct tg *g = tg_new(NULL);
	struct lt_verify_result *v;

	tg_kfree(g, 0, 1010, 0xffff888000001000ULL, 0);
	tg_finish(g, 9000);
	tg_text(g, LT_BLOCK_STATS, stats);
	assert_int_equal(tg_write(g, test_path("stats.lt"), 0), 0);
	tg_free(g);
	v = lt_verify(test_path("stats.lt"));
	assert_non_null(v);
	return v;
}

/* What was not compared does not hold. */
static void test_empty_stats(void **state)
{
	struct lt_verify_result *v = with_stats("state draining\nstopped 8000\n");

	(void)state;
	assert_true(v->checks[LT_CHECK_STATS].absent);
	assert_non_null(strstr(v->checks[LT_CHECK_STATS].text, "no CPU's counters"));
	assert_true(lt_verify_result_good(v));
	lt_verify_result_free(v);
	v = with_stats("state draining\ncpu 0 packets 1\n");
	assert_false(v->checks[LT_CHECK_STATS].absent);
	assert_true(lt_verify_result_good(v));
	lt_verify_result_free(v);
}

/* Hits of probes that the kernel left out fail a check, whose text says so. */
static void test_missed(void **state)
{
	struct lt_verify_result *v = with_stats("state draining\ncpu 0 packets 1\n"
						"missed kfree 0\nmissed bulk_free 9\n"
						"missed rcu_free 4\n");

	(void)state;
	assert_false(lt_verify_result_good(v));
	assert_int_equal(v->checks[LT_CHECK_CONSERVATION].failures, 2);
	assert_non_null(strstr(v->checks[LT_CHECK_CONSERVATION].text,
			       "; 13 hits of 2 probes were left out by the kernel"));
	lt_verify_result_free(v);
	v = with_stats("state draining\ncpu 0 packets 1\nmissed kfree 0\n");
	assert_null(strstr(v->checks[LT_CHECK_CONSERVATION].text, "left out"));
	lt_verify_result_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crc32c), cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_overwrite),
		cmocka_unit_test(test_new), cmocka_unit_test(test_replace), cmocka_unit_test(test_full),
		cmocka_unit_test(test_not_a_file), cmocka_unit_test(test_resync),
		cmocka_unit_test(test_empty_stats), cmocka_unit_test(test_missed),
	};

	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
