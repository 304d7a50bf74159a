// SPDX-License-Identifier: GPL-2.0
/*
 * The sink of lifetimes: which files it writes over, when a line is written, and what it
 * keeps.
 */
#include <fcntl.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "base/text.h"
#include "encode/encode.h"
#include "out/output.h"
#include "print/lifetimes.h"
#include "shorttasks.h"
#include "testlib.h"
#include "trace/part.h"
#include "trace/pass.h"
#include "tracegen.h"

#define PTR	0xffff888000100000ULL
#define SITE	0xffffffff81000100ULL

static size_t size_of(const char *path)
{
	int fd = open(path, O_RDONLY);
	off_t size = lseek(fd, 0, SEEK_END);

	assert_true(fd >= 0);
	close(fd);
	return (size_t)size;
}

/* "lifetimes -o x.lt x.lt" must not write over a trace. */
static void test_keeps_traces(void **state)
{
	struct tg *g = tg_new(NULL);
	char path[256];
	size_t size;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("x.lt"));
	TG_KMALLOC(g, 0, 1000, .ptr = PTR, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0xcc0, .node = -1);
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	size = size_of(path);
	test_stderr_begin();
	assert_int_equal(lt_output_open(path), -1);
	assert_null(lt_lifetimes_sink(path));
	assert_non_null(strstr(test_stderr_end(), "is a trace"));
	assert_int_equal(size_of(path), size);

	/* Any other file is written over. */
	snprintf(path, sizeof(path), "%s", test_path("x.csv"));
	assert_int_equal(tg_save(path, "old lines\n", 10), 0);
	fd = lt_output_open(path);
	assert_true(fd >= 0);
	assert_int_equal(lt_output_close(fd, false), 0);
	assert_int_equal(size_of(path), 10);
	fd = lt_output_open(path);
	assert_true(fd >= 0);
	assert_int_equal(lt_output_close(fd, true), 0);
	assert_int_equal(size_of(path), 0);
	assert_int_equal(lt_output_open("-"), STDOUT_FILENO);
}

/* While recording, lines are written in time, not when a buffer is full. */
static void test_lines_come_soon(void **state)
{
	struct tg *g = tg_new(NULL);
	struct tg_packet *packets;
	struct lt_sink *sink;
	struct lt_trace *t;
	struct lt_event ev;
	char buf[4096];
	unsigned int n = 0;
	size_t n_packets;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	for (unsigned int i = 0; i < 200; i++) {
		TG_KMALLOC(g, 0, 1000 + 2 * i, .ptr = PTR, .call_site = SITE, .bytes_req = 8,
			   .bytes_alloc = 8, .gfp = 0xcc0, .node = -1);
		tg_kfree(g, 0, 1001 + 2 * i, PTR, SITE);
	}
	tg_finish(g, 9000);
	packets = tg_packets(g, &n_packets);
	t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	assert_non_null(t);
	for (size_t i = 0; i < n_packets; i++)
		assert_int_equal(lt_trace_push(t, packets[i].data, packets[i].size), 0);
	lt_trace_watermark(t, UINT64_MAX);
	sink = lt_lifetime_sink_new(fds[1], true, LT_FORMAT_CSV, NULL);
	assert_int_equal(sink->begin(sink, t), 0);
	while (lt_trace_next(t, &ev) > 0) {
		if (n++ == 100)
			usleep(150000);
		assert_int_equal(sink->event(sink, &ev), 0);
	}
	assert_true(read(fds[0], buf, sizeof(buf)) > 100);
	assert_int_equal(sink->end(sink), 0);
	close(fds[0]);
	lt_trace_close(t);
	tg_free(g);
}

/* Gives all events to a new sink. Return: the most tasks that the trace has had. */
static size_t give_all(struct lt_trace *t, const char *path)
{
	struct lt_sink *sink = lt_lifetimes_sink(path);
	struct lt_event ev;
	size_t most = 0;

	assert_non_null(sink);
	assert_int_equal(sink->begin(sink, t), 0);
	while (lt_trace_next(t, &ev) > 0) {
		assert_int_equal(sink->event(sink, &ev), 0);
		most = lt_trace_n_known(t) > most ? lt_trace_n_known(t) : most;
	}
	assert_int_equal(sink->end(sink), 0);
	lt_trace_close(t);
	return most;
}

/* While recording, tasks that are dead are forgotten; the lines are those of a file. */
static void test_forgets(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .kmem_only = true, .subbuf_size = 131072 });
	struct tg_packet *packets;
	struct lt_trace *t;
	size_t n, most;
	char *live, *file;

	(void)state;
	tg_finish(g, short_tasks(g, 80000, false));
	assert_int_equal(tg_write(g, test_path("tasks.lt"), 0), 0);
	t = lt_trace_open(test_path("tasks.lt"));
	assert_int_equal(give_all(t, test_path("file.csv")), 80002);
	packets = tg_packets(g, &n);
	t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	for (size_t i = 0; i < n; i++)
		assert_int_equal(lt_trace_push(t, packets[i].data, packets[i].size), 0);
	lt_trace_watermark(t, UINT64_MAX);
	most = give_all(t, test_path("live.csv"));
	assert_in_range(most, 16384, 55000);
	live = lt_read_text_file(test_path("live.csv"), 1 << 28, NULL);
	file = lt_read_text_file(test_path("file.csv"), 1 << 28, NULL);
	assert_true(strlen(file) > 1000000);
	assert_string_equal(live, file);
	free(live);
	free(file);
	tg_free(g);
}

/* @depth: frames of the stacks of births, of which half are different ones; 0: they have none */
static void live_and_die(struct tg *g, unsigned int depth, unsigned int cpu, uint64_t time, uint64_t ptr)
{
	const uint64_t frames[] = { SITE, SITE + 64 + ptr % 4096, SITE + 128 };
	const struct lt_encode_stack stack = { .n = depth, .frames = frames, .flags = time % 1000 ? 1 : 0 };
	const struct lt_encode_stack *by = depth ? &stack : NULL;

	TG_KMALLOC(g, cpu, time, .ptr = ptr, .call_site = SITE, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0xcc0, .node = -1, .stack = by);
	TG_CACHE_ALLOC(g, cpu, time + 100, .ptr = ptr + 64, .call_site = SITE + 16, .gfp = 0xcc0,
		       .cache = 3, .node = 1, .stack = by);
	tg_kfree(g, cpu, time + 200, ptr, SITE + 32);
	tg_cache_free(g, cpu ^ 1, time + 300, ptr + 64, 0, 3);
	TG_KMALLOC(g, cpu, time + 400, .ptr = ptr + 128, .call_site = SITE, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
}

/* Tasks and caches get other names, contexts change, and an object is freed behind a loss. */
static struct tg *eventful(unsigned int depth)
{
	const uint64_t cache = PTR + 0x100000;
	struct tg *g = tg_new(&(struct tg_options){ .brief = true, .info = depth ? "stacks=1\n" : "" });

	tg_clock(g, 10, 1700000000000000000, 10, 10, 10);
	tg_auto_task(g, true);
	TG_TASK(g, 1, 10, .tid = 18, .tgid = 18, .start = 60, .comm = "\x1b\"\xff,");
	TG_CACHE(g, 0, 20, .id = 3, .ptr = cache, .object_size = 192, .size = 200, .name = "first");
	live_and_die(g, depth, 0, 1000, PTR);	/* by a task that is not known */
	TG_TASK(g, 0, 2000, .tid = 17, .tgid = 16, .start = 50, .comm = "cat");
	for (unsigned int i = 1; i < 20; i++) {
		tg_context(g, 0, i / 3 % 4);
		live_and_die(g, depth, i & 1, 2000 + 1000 * i, PTR + 256 * i);
	}
	TG_TASK(g, 0, 30000, .tid = 17, .tgid = 17, .start = 50, .comm = "renamed");
	live_and_die(g, depth, 0, 31000, PTR);
	tg_cache_gone(g, 0, 32000, 3);
	TG_CACHE(g, 0, 900000000, .id = 3, .ptr = cache, .object_size = 64, .size = 64,
		 .name = "second");
	live_and_die(g, depth, 0, 900001000, PTR + 64);
	tg_close(g, 0, 900002000);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 1);
	live_and_die(g, depth, 0, 900003000, PTR + 8192);
	tg_kfree(g, 0, 900004000, PTR + 128, SITE);
	/* Times of more digits, and addresses of fewer. */
	live_and_die(g, depth, 0, 12000000000, 0x7000);
	live_and_die(g, depth, 1, 13456789012, 0x123456789000);
	live_and_die(g, depth, 0, 19999999900, PTR);
	tg_kfree(g, 1, 20000000300, PTR + 128, SITE);
	tg_kfree(g, 0, 20000000400, 0x7080, SITE);
	return g;
}

struct look {
	enum lt_format format;
	enum lt_times_base times;
	unsigned int width;	/* 0: any */
};

/* Return: the lines, to be freed. */
static char *lines_of(const struct look *look, bool plain)
{
	int fd = open(test_path("lines"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct lt_sink *sink = lt_lifetime_sink_new(fd, false, look->format, NULL);
	struct lt_trace *t = lt_trace_open(test_path("eventful.lt"));
	char *text = calloc(1, 1 << 18);

	assert_non_null(t);
	assert_non_null(text);
	lt_lifetime_sink_times(sink, look->times);
	if (look->width)
		lt_lifetime_sink_width(sink, look->width);
	if (!plain)
		sink->plain = NULL;
	assert_int_equal(lt_sink_read(sink, t), 0);
	lt_trace_close(t);
	assert_true(pread(fd, text, (1 << 18) - 1, 0) > 0);
	close(fd);
	return text;
}

static void check_short_rows(unsigned int depth)
{
	static const struct look looks[] = {
		{ LT_FORMAT_TEXT, LT_TIMES_BEGIN, 0 }, { LT_FORMAT_TEXT, LT_TIMES_CLOCK, 190 },
		{ LT_FORMAT_TEXT, LT_TIMES_WALL, 150 }, { LT_FORMAT_TEXT, LT_TIMES_BEGIN, 100 },
		{ LT_FORMAT_TEXT, LT_TIMES_BEGIN, 60 }, { LT_FORMAT_CSV, LT_TIMES_BEGIN, 0 },
		{ LT_FORMAT_CSV, LT_TIMES_WALL, 0 }, { LT_FORMAT_JSON, LT_TIMES_CLOCK, 0 },
	};
	struct tg *g = eventful(depth);

	tg_finish(g, 20000005000);
	assert_int_equal(tg_write(g, test_path("eventful.lt"), 0), 0);
	tg_free(g);
	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		char *careful = lines_of(&looks[i], false);
		char *plain = lines_of(&looks[i], true);

		assert_true(strlen(plain) > 2000);
		assert_non_null(strstr(plain, looks[i].width && looks[i].width < 150 ?
					      "0xffffffff81000100" : "renamed"));
		if (looks[i].format != LT_FORMAT_TEXT)
			assert_int_equal(!depth, !strstr(plain, "_stack"));
		assert_string_equal(plain, careful);
		free(careful);
		free(plain);
	}
}

/* Rows of events that leave no doubt are short; their lines are those of others. */
static void test_short_rows(void **state)
{
	(void)state;
	check_short_rows(0);
}

static void test_short_rows_with_stacks(void **state)
{
	(void)state;
	check_short_rows(3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short_rows),
		cmocka_unit_test(test_short_rows_with_stacks),
		cmocka_unit_test(test_keeps_traces), cmocka_unit_test(test_lines_come_soon),
		cmocka_unit_test(test_forgets),
	};

	return cmocka_run_group_tests_name("lifetime_sink", tests, NULL, NULL);
}
