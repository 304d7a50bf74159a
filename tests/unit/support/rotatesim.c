// SPDX-License-Identifier: GPL-2.0
/*
 * A recorder that rotates, without a module and on a disk that can be disturbed: what it reads of
 * the module is made here, and packets are closed at a flush.
 */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "rotatesim.h"
#include "base/mem.h"

#define CPUS	2

#define CLOCK	"clock=1000 realtime=1700000000000000000 boottime=1000 monotonic=1000 raw=1000\n"

static struct lt_recording rec;
static struct tg *gen;
static uint64_t now_units;
static uint64_t event_units;
static uint32_t lcg;
atomic_int rotate_disk_error;
atomic_bool rotate_disk_waits;
atomic_int rotate_syncs;
uint64_t rotate_disk_bytes;
uint64_t rotate_events;
uint64_t rotate_n_events;
uint32_t rotate_tasks;
unsigned int rotate_meanwhile;
uint64_t rotate_rounds;
static _Atomic uint64_t skew_ns;

static void event(bool later);

int __wrap_lt_engine_flush(struct lt_engine *e, uint64_t *clock);
char *__wrap_lt_engine_text(const struct lt_engine *e, const char *name);
int __wrap_lt_engine_snapshot(const struct lt_engine *e, const char *word);
char *__wrap_lt_record_cgroups(void);
int __wrap_lt_drain_scan(struct lt_drain *d);
int __wrap_lt_drain_until(struct lt_drain *d, uint64_t clock);
ssize_t __wrap_lt_drain_round(struct lt_drain *d);
uint64_t __wrap_lt_now_ns(void);
ssize_t __wrap_writev(int fd, const struct iovec *iov, int n);
int __wrap_fdatasync(int fd);
int __wrap_statvfs64(const char *path, struct statvfs *st);

static uint32_t below(uint32_t n)
{
	lcg = lcg * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(lcg >> 4) * n >> 28);
}

/* ------------------------------------------------------------------------
 * The module
 */

int __wrap_lt_engine_flush(struct lt_engine *e, uint64_t *clock)
{
	(void)e;
	*clock = ++now_units;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		tg_close(gen, cpu, now_units + cpu);
	now_units += CPUS;
	return 0;
}

char *__wrap_lt_engine_text(const struct lt_engine *e, const char *name)
{
	(void)e;
	if (!strcmp(name, LT_FILE_CLOCK))
		return lt_strdup(CLOCK);
	return strcmp(name, LT_FILE_STATS) ? NULL : lt_strdup("state recording\n");
}

int __wrap_lt_engine_snapshot(const struct lt_engine *e, const char *word)
{
	(void)e;
	(void)word;
	return 0;
}

/* The second one is made within the first part. */
char *__wrap_lt_record_cgroups(void)
{
	return lt_strdup(event_units < 1000000 ? "1 /one\n" : "1 /one\n2 /two\n");
}

int __wrap_lt_drain_scan(struct lt_drain *d)
{
	(void)d;
	return 0;
}

static void put_packet(void *unused, const struct lt_packet *p)
{
	(void)unused;
	assert_int_equal(lt_record_packet(&rec, p), 0);
}

int __wrap_lt_drain_until(struct lt_drain *d, uint64_t clock)
{
	(void)d;
	(void)clock;
	test_take_packets(gen, put_packet, NULL);
	return 0;
}

/* What is recorded while the recorder is busy. */
ssize_t __wrap_lt_drain_round(struct lt_drain *d)
{
	uint64_t packets = rotate_n_events;

	rotate_rounds++;
	for (unsigned int i = 0; i < rotate_meanwhile; i++)
		event(!i);
	if (!rotate_meanwhile)
		return 0;
	tg_close(gen, below(CPUS), ++now_units);
	__wrap_lt_drain_until(d, 0);
	return (ssize_t)(rotate_n_events - packets);
}

/* Time goes fast then: the recorder looks at it before it reads. */
uint64_t __wrap_lt_now_ns(void)
{
	struct timespec ts;

	if (rotate_meanwhile)
		atomic_fetch_add(&skew_ns, 11000000);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec + atomic_load(&skew_ns);
}

static void wait_for_disk(void)
{
	while (atomic_load(&rotate_disk_waits))
		usleep(1000);
}

ssize_t __wrap_writev(int fd, const struct iovec *iov, int n)
{
	wait_for_disk();
	if (!atomic_load(&rotate_disk_error))
		return pwritev2(fd, iov, n, -1, 0);
	errno = atomic_load(&rotate_disk_error);
	return -1;
}

int __wrap_fdatasync(int fd)
{
	(void)fd;
	atomic_fetch_add(&rotate_syncs, 1);
	wait_for_disk();
	return 0;
}

/* Nothing else is on the disk. */
int __wrap_statvfs64(const char *path, struct statvfs *st)
{
	struct rotate_parts parts = rotate_list(path);

	*st = (struct statvfs){ .f_blocks = rotate_disk_bytes };
	st->f_bavail = parts.bytes < rotate_disk_bytes ? rotate_disk_bytes - parts.bytes : 0;
	rotate_parts_free(&parts);
	return 0;
}

/* Times of events do not depend on the flushes; @later: than the one before. */
static void event(bool later)
{
	uint32_t cpu = below(CPUS);
	uint64_t ptr = 0xffff888000001000ULL + 64 * (uint64_t)below(ROTATE_ADDRESSES);

	rotate_n_events++;
	if (below(8) || later)
		event_units += 1000;
	if (now_units < event_units)
		now_units = event_units;
	/* A task that runs once and is gone. */
	if (!below(4)) {
		rotate_tasks++;
		TG_TASK(gen, cpu, now_units, .tid = rotate_tasks, .tgid = rotate_tasks,
			.start = 1000 + rotate_tasks, .comm = "once");
	}
	if (below(2))
		TG_KMALLOC(gen, cpu, now_units, .ptr = ptr,
			   .call_site = 0xffffffff80000100ULL + 16 * below(50), .bytes_req = 60,
			   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	else
		tg_kfree(gen, cpu, now_units, ptr, 0);
}

/* ------------------------------------------------------------------------
 * Rotations
 */

void rotate_begin(struct lt_record_options *o)
{
	lcg = 1;
	rotate_tasks = 0;
	now_units = 2000;
	event_units = 2000;
	rotate_n_events = 0;
	rotate_rounds = 0;
	rotate_events = ROTATE_EVENTS;
	gen = tg_new(NULL);
	tg_auto_task(gen, true);
	memset(&rec, 0, sizeof(rec));
	rec.opts = o;
	rec.texts.info = lt_strdup(tg_info_text(gen));
	rec.texts.schema = lt_strdup(tg_schema_text(gen));
	rec.texts.events = lt_strdup("");
	rec.texts.cgroups = __wrap_lt_record_cgroups();
	rec.sink.trace = lt_trace_live(rec.texts.info, rec.texts.schema);
	lt_trace_add_text(rec.sink.trace, LT_BLOCK_CLOCK, CLOCK);
	assert_int_equal(lt_rotate_new(&rec.file, o), 0);
	assert_int_equal(lt_rotate_begin(&rec), 0);
}

static void record_some(void)
{
	uint64_t clock;

	for (uint64_t i = 0; i < rotate_events; i++)
		event(!i);
	__wrap_lt_engine_flush(NULL, &clock);
	__wrap_lt_drain_until(NULL, clock);
}

void rotate_step_on(uint64_t now)
{
	record_some();
	assert_int_equal(rec.file.rotate->step(&rec, now), 0);
}

struct lt_writing rotate_wait(void)
{
	struct lt_writing s;

	for (int i = 0; i < ROTATE_PATIENCE_MS; i++) {
		s = lt_rotate_state(rec.file.rotation);
		if (!s.queued)
			return s;
		usleep(1000);
	}
	fail_msg("%llu bytes were not written within %d ms", (unsigned long long)s.queued,
		 ROTATE_PATIENCE_MS);
	return s;
}

struct lt_writing rotate_state(void)
{
	return lt_rotate_state(rec.file.rotation);
}

struct lt_writing rotate_step(uint64_t now)
{
	record_some();
	rotate_wait();
	assert_int_equal(rec.file.rotate->step(&rec, now), 0);
	return rotate_wait();
}

int rotate_end(void)
{
	int ret;

	tg_finish(gen, ++now_units);
	__wrap_lt_drain_until(NULL, 0);
	ret = lt_rotate_end(rec.file.rotation, rec.opts);
	lt_rotate_free(&rec.file, rec.opts);
	lt_trace_close(rec.sink.trace);
	free(rec.texts.info);
	free(rec.texts.schema);
	free(rec.texts.events);
	free(rec.texts.clock);
	free(rec.texts.cgroups);
	tg_free(gen);
	return ret;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct rotate_parts rotate_list(const char *dir)
{
	struct rotate_parts parts = { 0 };
	DIR *d = opendir(dir);
	struct dirent *e;
	struct stat st;

	assert_non_null(d);
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, 0))
			continue;
		parts.names = lt_grow(parts.names, &parts.cap, parts.n, sizeof(*parts.names));
		parts.names[parts.n++] = lt_format("%s/%s", dir, e->d_name);
		parts.bytes += (uint64_t)st.st_size;
	}
	closedir(d);
	if (parts.n)
		qsort(parts.names, parts.n, sizeof(*parts.names), by_name);
	return parts;
}

void rotate_parts_free(struct rotate_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++)
		free(parts->names[i]);
	free(parts->names);
}

size_t rotate_check(const char *path, struct cut_table *last, bool first)
{
	struct cut_table begin_of = { 0 }, end_of = { 0 };
	size_t objects;

	test_stderr_begin();
	cut_read(path, NULL, &begin_of, &end_of);
	/* No packet is there twice, none is missing, and nothing is damaged. */
	assert_string_equal(test_stderr_end(), "");
	objects = begin_of.n;
	if (!first) {
		assert_int_equal(objects, last->n);
		for (size_t k = 0; k < objects; k++)
			assert_string_equal(begin_of.lines[k], last->lines[k]);
	}
	cut_table_free(&begin_of);
	cut_table_free(last);
	*last = end_of;
	return objects;
}

size_t rotate_check_all(const struct rotate_parts *parts)
{
	struct cut_table last = { 0 };
	size_t objects = 0;

	for (size_t i = 0; i < parts->n; i++)
		objects += rotate_check(parts->names[i], &last, !i);
	cut_table_free(&last);
	return objects;
}

char *rotate_path(const char *dir, uint64_t part, const char *suffix)
{
	struct rotate_parts parts = rotate_list(dir);
	char *path = NULL, name[32];

	snprintf(name, sizeof(name), ".%06llu.lt%s", (unsigned long long)part, suffix);
	for (size_t i = 0; i < parts.n && !path; i++) {
		size_t n = strlen(parts.names[i]);

		if (n > strlen(name) && !strcmp(parts.names[i] + n - strlen(name), name))
			path = lt_strdup(parts.names[i]);
	}
	rotate_parts_free(&parts);
	return path;
}
