// SPDX-License-Identifier: GPL-2.0
/*
 * Totals: what is added up of the events of a session is what an export of the trace has, to the
 * byte. Here the session is the trace, event by event.
 */
#include <errno.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "export/fleet/totals.h"
#include "out/log.h"
#include "shorttasks.h"
#include "testlib.h"
#include "trace/part.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL
#define MINUTE	60000000000ULL
#define N_OBJECTS 400
#define BEGIN	1700000000ULL		/* 22:13:20 UTC */
#define AT_23	1700002800ULL

/* ------------------------------------------------------------------------
 * The disk, of which this test is a part
 */

/**
 * struct disk - what was asked of it
 * @recorder: the thread that must not wait for it
 * @fails: it cannot write files
 * @dir: the folder of the tables, and whether it was synchronized
 * @synced: the latest that was synchronized
 * @renamed: the latest that got its name
 * @names: files that got their names
 * @early: of these, before they were on the disk
 * @waits: of these, by @recorder
 * @folders: of these, where the folder was synchronized next
 */
static struct disk {
	pthread_t recorder;
	bool fails;
	const char *dir;
	bool synced_dir;
	char synced[512];
	char renamed[512];
	unsigned int names;
	unsigned int early;
	unsigned int waits;
	unsigned int folders;
} disk;

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_fsync(int fd);

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

int __wrap_fsync(int fd)
{
	char link[32], *path = disk.synced, *slash;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(disk.synced) - 1);
	path[n < 0 ? 0 : n] = 0;
	if (ends_with(path, ".part")) {
		errno = EIO;
		return disk.fails ? -1 : 0;
	}
	disk.synced_dir |= disk.dir && ends_with(path, disk.dir);
	slash = strrchr(disk.renamed, '/');
	if (slash) {
		*slash = 0;
		disk.folders += ends_with(path, disk.renamed);
		disk.renamed[0] = 0;
	}
	return 0;
}

int __wrap_rename(const char *from, const char *to)
{
	disk.names++;
	disk.early += !ends_with(disk.synced, from);
	disk.waits += pthread_equal(pthread_self(), disk.recorder);
	snprintf(disk.renamed, sizeof(disk.renamed), "%s", to);
	return __real_rename(from, to);
}

/* ------------------------------------------------------------------------
 * Traces
 */

/* @begin: of the recording, since 1970 */
static struct tg *new_trace(uint64_t begin, size_t subbuf_size)
{
	struct tg *g = tg_new(&(struct tg_options){ .tasks = true, .subbuf_size = subbuf_size });

	tg_text(g, LT_BLOCK_SYMBOLS, "ffffffff81000000 T birth\n");
	tg_clock(g, 900, begin * 1000000000, 900, 900, 900);
	return g;
}

/* Return: the path, valid until the next call. */
static const char *save_trace(struct tg *g, const char *name, uint64_t end)
{
	static char path[512];

	strcpy(path, test_path(name));
	tg_finish(g, end);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	return path;
}

/* Tasks of two cgroups, of which one moves; objects that outlive them; a loss. */
static const char *make_trace(uint64_t begin)
{
	struct tg *g = new_trace(begin, 4096);

	tg_auto_task(g, true);
	tg_text(g, LT_BLOCK_CGROUPS, "7 /seven\n8 /eight\n");
	for (uint32_t i = 0; i < 3; i++)
		TG_PUT(g, TG_PID(0), 1000 + i, TASK_NEW, .tid = 20 + i, .tgid = 20 + i, .start = 1000 + i,
		       .cgroup = 7 + i % 2, .comm = "worker");
	TG_PUT(g, TG_PID(0), MINUTE, CGROUP, .tid = 20, .start = 1000, .cgroup = 8);
	TG_PUT(g, TG_PID(0), 2 * MINUTE, EXIT, .tid = 21, .start = 1001);
	for (uint64_t i = 0; i < N_OBJECTS; i++) {
		uint64_t time = 2000 + i * (3 * MINUTE / N_OBJECTS);

		TG_TASK(g, 0, time, .tid = 20 + (uint32_t)i % 3, .tgid = 20 + (uint32_t)i % 3,
			.start = 1000 + i % 3, .comm = "worker");
		TG_KMALLOC(g, 0, time, .ptr = PTR + 64 * i, .call_site = SITE + i % 3 * 16,
			   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		if (i % 5 && i >= 100)
			tg_kfree(g, 0, time + 10, PTR + 64 * (i - 100), SITE);
		if (i == 300) {
			tg_close(g, 0, time + 20);
			tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 3);
		}
	}
	return save_trace(g, "totals.lt", 4 * MINUTE);
}

/* The files of a table whose names end so, one after the other; to be freed. */
static char *files(const char *dir, const char *name, const char *which)
{
	char *pattern = lt_format("%s/%s/*/*/*%s.tsv", dir, name, which), *all = lt_strdup("");
	glob_t found;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *text = lt_read_text_file(found.gl_pathv[i], 1 << 24, NULL), *more;

		assert_non_null(text);
		more = lt_format("%s%s", all, text);
		free(text);
		free(all);
		all = more;
	}
	globfree(&found);
	free(pattern);
	return all;
}

static char *table(const char *dir, const char *name)
{
	return files(dir, name, "");
}

/* The most gaps, and the most tasks, that the trace has kept, when events were streamed. */
static size_t most_gaps, most_tasks;

/* Whether the trace is given other texts, as record does; and how often it was. */
static bool renews;
static struct lt_trace *renewed;
static unsigned int renewals;

/* At first another module has the place of the one before; then a cgroup is new. */
static void renew(void *sink)
{
	struct lt_sink *s = sink;

	if (!renewals++) {
		s->before_names(s);
		lt_trace_replace_text(renewed, LT_BLOCK_SYMBOLS, "ffffffff81000000 T other\n");
	} else if (renewals == 2) {
		lt_trace_replace_text(renewed, LT_BLOCK_CGROUPS, "7 /seven\n9 /nine\n");
	}
}

/* As record does. Return: what end() does. */
static int stream(const char *file, const char *dir)
{
	struct lt_sink *sink = lt_totals_sink(&lt_export_clickhouse, dir);
	struct lt_trace *t = lt_trace_open(file);
	const struct lt_gap *gaps;
	struct lt_event ev;
	int err;

	assert_non_null(sink);
	most_gaps = most_tasks = 0;
	renewed = t;
	if (renews) {
		sink->renew = renew;
		sink->recorder = sink;
	}
	err = sink->begin(sink, t);
	while (!err && lt_trace_next(t, &ev) > 0) {
		err = sink->event(sink, &ev);
		most_gaps = lt_trace_gaps(t, &gaps) > most_gaps ? lt_trace_gaps(t, &gaps) : most_gaps;
		most_tasks = lt_trace_n_known(t) > most_tasks ? lt_trace_n_known(t) : most_tasks;
	}
	err |= sink->end(sink);
	lt_trace_close(t);
	return err;
}

static void test_same_as_export(void **state)
{
	struct lt_export_options opts = {
		.profile.report.no_recorder = true, .tables = 1U << LT_FLEET_SITE_MINUTE,
	};
	char *live = lt_strdup(test_path("live")), *exported = lt_strdup(test_path("exported"));
	const char *file = make_trace(BEGIN);
	char *rows, *expected;

	(void)state;
	assert_int_equal(lt_export_run(&lt_export_clickhouse, file, exported, &opts), LT_EXIT_OK);
	assert_int_equal(stream(file, live), 0);
	for (int i = 0; i < 2; i++) {
		rows = table(live, i ? "trace" : "site_minute");
		expected = table(exported, i ? "trace" : "site_minute");
		assert_string_equal(rows, expected);
		assert_true(i || (strstr(rows, "/seven") && strstr(rows, "/eight")));
		free(rows);
		free(expected);
	}
	free(live);
	free(exported);
}

/* The sum of a column of all rows. */
static uint64_t sum(const char *rows, unsigned int column)
{
	const char *line;
	uint64_t n = 0;
	size_t len;

	while (lt_line(&rows, &line, &len)) {
		for (unsigned int i = 0; i < column; i++)
			line = strchr(line, '\t') + 1;
		n += strtoull(line, NULL, 10);
	}
	return n;
}

static unsigned int count(const char *rows)
{
	unsigned int n = 0;

	for (; *rows; rows++)
		n += *rows == '\n';
	return n;
}

/* An hour that ends is published, and the sums of all rows are the same. */
static void test_hours(void **state)
{
	/* site_minute: allocations to before, lifetime_ns, alive to maybe_alive_bytes */
	static const unsigned int sums[] = { 15, 16, 17, 18, 19, 20, 21, 22, 23, 25, 26, 27, 28 };
	struct lt_export_options opts = {
		.profile.report.no_recorder = true, .tables = 1U << LT_FLEET_SITE_MINUTE,
	};
	char *live = lt_strdup(test_path("hours")), *exported = lt_strdup(test_path("no-hours"));
	const char *file = make_trace(AT_23 - 90);
	char *rows, *expected;

	(void)state;
	assert_int_equal(lt_export_run(&lt_export_clickhouse, file, exported, &opts), LT_EXIT_OK);
	assert_int_equal(stream(file, live), 0);
	rows = table(live, "site_minute");
	expected = table(exported, "site_minute");
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		assert_int_equal(sum(rows, sums[i]), sum(expected, sums[i]));
	assert_true(count(rows) > count(expected));
	free(rows);
	free(expected);
	rows = table(live, "trace");
	expected = table(exported, "trace");
	assert_int_equal(count(expected), 1);
	assert_int_equal(count(rows), 2);
	assert_int_equal(sum(rows, 14), sum(expected, 14));	/* recorded_ns */
	assert_int_equal(sum(rows, 17), sum(expected, 17));	/* records */
	assert_int_equal(sum(rows, 18), sum(expected, 18));	/* lost */
	assert_int_equal(sum(expected, 18), 3);
	free(rows);
	free(expected);
	free(live);
	free(exported);
}

/*
 * An allocation every ten seconds for six minutes; after three of them the wall clock is set back
 * by two.
 */
static const char *make_stepped_trace(void)
{
	struct tg *g = new_trace(AT_23 - 90, 4096);

	tg_clock(g, 900 + 3 * MINUTE, (AT_23 - 30) * 1000000000, 900 + 3 * MINUTE,
		 900 + 3 * MINUTE, 900 + 3 * MINUTE);
	for (uint64_t i = 0; i < 36; i++)
		TG_KMALLOC(g, 0, 1000 + i * MINUTE / 6, .ptr = PTR + 64 * i, .call_site = SITE,
			   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	return save_trace(g, "stepped.lt", 6 * MINUTE);
}

/* The hours are 22, 23, 22 and 23: each change publishes, and no file replaces another one. */
static void test_clock_set_back(void **state)
{
	char *live = lt_strdup(test_path("stepped")), *rows;

	(void)state;
	assert_int_equal(stream(make_stepped_trace(), live), 0);
	rows = table(live, "trace");
	assert_int_equal(count(rows), 4);
	free(rows);
	rows = table(live, "site_minute");
	assert_int_equal(sum(rows, 15), 36);	/* allocations */
	free(rows);
	free(live);
}

/* An allocation every ten seconds for four minutes, of a task in a cgroup that is new. */
static const char *make_new_trace(void)
{
	struct tg *g = new_trace(AT_23 - 90, 4096);

	tg_text(g, LT_BLOCK_CGROUPS, "7 /seven\n");
	TG_PUT(g, TG_PID(0), 1000, TASK_NEW, .tid = 20, .tgid = 20, .start = 1000, .cgroup = 9,
	       .comm = "worker");
	for (uint64_t i = 0; i < 24; i++) {
		uint64_t time = 2000 + i * MINUTE / 6;

		TG_TASK(g, 0, time, .tid = 20, .tgid = 20, .start = 1000, .comm = "worker");
		TG_KMALLOC(g, 0, time, .ptr = PTR + 64 * i, .call_site = SITE, .bytes_req = 60,
			   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		tg_kfree(g, 0, time + 10, PTR + 64 * i, SITE);
	}
	return save_trace(g, "new.lt", 5 * MINUTE);
}

/* Names are those of their time: renewed each minute, and before an hour is published. */
static void test_new_names(void **state)
{
	const char *file = make_new_trace();
	char *dir = lt_strdup(test_path("new")), *rows;
	const char *first, *other;

	(void)state;
	renews = true;
	renewals = 0;
	assert_int_equal(stream(file, dir), 0);
	renews = false;
	assert_in_range(renewals, 4, 5);	/* at 60 s, 90 s, 150 s, 210 s */
	rows = table(dir, "site_minute");
	first = strstr(rows, "birth+0x100");
	other = strstr(rows, "other+0x100");
	assert_non_null(first);
	assert_non_null(other);
	assert_true(first < other);
	assert_int_equal(sum(rows, 15), 24);	/* allocations */
	free(rows);
	/* The hour has what was found when it ended. */
	rows = files(dir, "site_minute", "-0");
	assert_non_null(strstr(rows, "birth+0x100"));
	assert_non_null(strstr(rows, "/nine"));
	free(rows);
	free(dir);
}

/* Each packet has losses before it, in three minutes. */
static const char *make_lossy_trace(void)
{
	struct tg *g = new_trace(BEGIN, 4096);

	for (uint64_t i = 0; i < 4000; i++) {
		uint64_t time = 2000 + i * (3 * MINUTE / 4000);

		tg_lost(g, i % 2, LT_CLASS_KFREE, TG_FULL, 1 + (unsigned int)i % 3);
		TG_KMALLOC(g, i % 2, time, .ptr = PTR + 64 * i, .call_site = SITE, .bytes_req = 60,
			   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		if (i % 3)
			tg_kfree(g, i % 2, time + 10, PTR + 64 * i, SITE);
		tg_close(g, i % 2, time + 20);
	}
	return save_trace(g, "lossy.lt", 4 * MINUTE);
}

/* What was lost is counted by its minute, and then forgotten. */
static void test_loss(void **state)
{
	struct lt_export_options opts = {
		.profile.report.no_recorder = true, .tables = 1U << LT_FLEET_SITE_MINUTE,
	};
	char *live = lt_strdup(test_path("loss")), *exported = lt_strdup(test_path("loss-exported"));
	const char *file = make_lossy_trace();
	char *rows, *expected;

	(void)state;
	assert_int_equal(lt_export_run(&lt_export_clickhouse, file, exported, &opts), LT_EXIT_OK);
	assert_int_equal(stream(file, live), 0);
	for (int i = 0; i < 2; i++) {
		rows = table(live, i ? "trace" : "site_minute");
		expected = table(exported, i ? "trace" : "site_minute");
		assert_string_equal(rows, expected);
		free(expected);
		if (i)
			assert_true(sum(rows, 21) >= 4000);	/* gaps */
		free(rows);
	}
	assert_in_range(most_gaps, 1, 1100);
	free(live);
	free(exported);
}

/* Tasks that are dead are forgotten, and no sum has another name or cgroup for that. */
static void test_tasks(void **state)
{
	struct lt_export_options opts = {
		.profile.report.no_recorder = true, .tables = 1U << LT_FLEET_SITE_MINUTE,
	};
	char *live = lt_strdup(test_path("tasks")), *exported = lt_strdup(test_path("tasks-exported"));
	struct tg *g = new_trace(BEGIN, 131072);
	const char *file;
	char *rows, *expected;

	(void)state;
	tg_text(g, LT_BLOCK_CGROUPS, "7 /seven\n8 /eight\n9 /nine\n");
	file = save_trace(g, "tasks.lt", short_tasks(g, 100000, true));
	assert_int_equal(lt_export_run(&lt_export_clickhouse, file, exported, &opts), LT_EXIT_OK);
	assert_int_equal(stream(file, live), 0);
	rows = table(live, "site_minute");
	expected = table(exported, "site_minute");
	assert_string_equal(rows, expected);
	assert_non_null(strstr(rows, "\tw49\t"));
	assert_non_null(strstr(rows, "\tl6\t"));
	assert_non_null(strstr(rows, "\tquiet\t"));
	assert_non_null(strstr(rows, "/nine"));
	/* Those of the last 10 s, of live objects, and as many more, until it is worth the work. */
	print_message("%zu tasks at most\n", most_tasks);
	assert_in_range(most_tasks, 16384, 55000);
	free(rows);
	free(expected);
	free(live);
	free(exported);
}

/* A file has its name when it is on the disk, for which the recorder does not wait. */
static void test_on_disk(void **state)
{
	const char *file = make_trace(AT_23 - 90);
	char *dir = lt_strdup(test_path("disk")), *pattern;
	glob_t found;

	(void)state;
	disk = (struct disk){ .recorder = pthread_self(), .dir = dir };
	assert_int_equal(stream(file, dir), 0);
	assert_int_equal(disk.names, 4);	/* two tables, twice */
	assert_int_equal(disk.early, 0);
	assert_int_equal(disk.waits, 0);
	assert_int_equal(disk.folders, disk.names);
	assert_true(disk.synced_dir);
	free(dir);

	dir = lt_strdup(test_path("bad-disk"));
	disk = (struct disk){ .recorder = pthread_self(), .fails = true };
	test_stderr_begin();
	assert_int_not_equal(stream(file, dir), 0);
	assert_non_null(strstr(test_stderr_end(), "cannot be published: Input/output error"));
	assert_int_equal(disk.names, 0);
	pattern = lt_format("%s/*/*/*/*.tsv", dir);
	assert_int_equal(glob(pattern, 0, NULL, &found), GLOB_NOMATCH);
	free(pattern);
	free(dir);
	disk = (struct disk){ 0 };
}

/* A directory that is a file, and one in which a table cannot be made. */
static void test_no_directory(void **state)
{
	const char *file = make_trace(BEGIN);
	char *full = lt_strdup(test_path("full")), *name = lt_format("%s/site_minute", full);
	FILE *f;

	(void)state;
	test_stderr_begin();
	assert_null(lt_totals_sink(&lt_export_parquet, file));
	assert_non_null(strstr(test_stderr_end(), "is not a directory"));
	assert_int_equal(mkdir(full, 0700), 0);
	f = fopen(name, "w");
	assert_non_null(f);
	fclose(f);
	test_stderr_begin();
	assert_int_not_equal(stream(file, full), 0);
	assert_non_null(strstr(test_stderr_end(), "site_minute"));
	free(name);
	free(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_export),
		cmocka_unit_test(test_hours),
		cmocka_unit_test(test_clock_set_back),
		cmocka_unit_test(test_on_disk),
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_new_names),
		cmocka_unit_test(test_no_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
