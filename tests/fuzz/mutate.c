// SPDX-License-Identifier: GPL-2.0
/*
 * mutate N [FIRST]: traces that are damaged in N ways, through the whole reader.
 *
 * Mutation number n is always the same, so that "mutate 1 n" repeats it alone,
 * then with the reader's messages. It is for a build with sanitizers: a report
 * of theirs, a hang, or a wrong answer ends the run with the number.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "verify/check.h"
#include "export/ctf_packet.h"
#include "format/dir.h"
#include "export/export.h"
#include "lifetimes/lifetime.h"
#include "verify/tasks.h"
#include "tasks/hazard.h"
#include "tasks/read.h"
#include "print/log.h"
#include "trace/trace.h"
#include "golden.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#endif

#define HANG_S		10
#define MAX_CHANGES	4

static struct fuzz_image golden[FUZZ_N_GOLDEN];
static struct fuzz_image im;	/* the golden trace being spoiled */
static uint64_t number, first, passed;
static int real_stderr;
static bool finished;

static void tell_failure(const char *what)
{
	char text[160];
	int n;

	n = snprintf(text, sizeof(text), "mutate: %s; 'mutate 1 %" PRIu64 "' repeats it\n"
		     "%" PRIu64 " passed, 1 failed\n", what, number, passed);
	if (write(real_stderr, text, (size_t)n) != n)
		_exit(1);
}

static void on_alarm(int sig)
{
	(void)sig;
	tell_failure("a hang");
	_exit(1);
}

static void on_death(void)
{
	tell_failure("stopped by a sanitizer");
}

static void on_exit_early(void)
{
	if (!finished)
		tell_failure("the reader ended the program");
}

static void wrong(const char *what)
{
	finished = true;
	tell_failure(what);
	_exit(1);
}

/* ------------------------------------------------------------------------
 * Spoiling them
 */

static void spoil(uint64_t n)
{
	const struct fuzz_image *from;
	size_t changes;

	fuzz_seed(n);
	from = &golden[fuzz_below(FUZZ_N_GOLDEN)];
	fuzz_image_set(&im, from->data, from->size);
	changes = 1 + fuzz_below(MAX_CHANGES);
	for (size_t i = 0; i < changes; i++)
		fuzz_change(&im);
	if (n & 1)
		fuzz_fix_crcs(&im);
}

/* ------------------------------------------------------------------------
 * Reading them
 */

static void ended(void *arg, const struct lt_lifetime *l)
{
	uint64_t *sum = arg;

	*sum += lt_lifetime_ns(l) + l->certainty;
}

static const struct lt_cache *find_cache(void *arg, uint32_t id)
{
	(void)arg;
	(void)id;
	return NULL;
}

static void no_note(void *arg, uint64_t offset, const char *text)
{
	(void)arg;
	(void)offset;
	(void)text;
}

/* Each packet as it is exported: none that can be read may become one that cannot. */
static void export_packets(const char *path, const struct lt_schema *schema)
{
	struct lt_file *f = lt_file_open(path);
	struct lt_buf buf[2] = { { 0 }, { 0 } };
	struct lt_ctf_packet c = { 0 };
	struct lt_dir d = { 0 };
	struct lt_packet p;
	struct lt_why why;

	if (!f)
		wrong("a file that could be read cannot be opened again");
	lt_dir_read(&d, f, false, no_note, NULL);
	for (size_t i = 0; i < d.n_streams; i++) {
		for (size_t k = 0; d.streams[i] && k < d.streams[i]->n; k++) {
			if (lt_dir_load(&d, f, d.streams[i], &d.streams[i]->refs[k], &buf[0],
					&buf[1], &p, &why) || lt_ctf_packet(&c, schema, &p, &why))
				continue;
			if (c.size < p.size ||
			    (c.size == p.size && memcmp(c.data, p.data, p.size)))
				wrong("a packet is exported as another one");
		}
	}
	lt_ctf_packet_free(&c);
	lt_buf_free(&buf[0]);
	lt_buf_free(&buf[1]);
	lt_dir_free(&d);
	lt_file_close(f);
}

static void export_it(struct lt_trace *t, const char *path)
{
	struct lt_ctf_machine m = { .counts = LT_N_CLASSES,
				    .header_size = sizeof(struct lt_packet_header) };
	struct lt_export e = { .trace = t, .dir = "" };
	struct lt_schema *schema = lt_schema_parse(lt_trace_text(t, LT_BLOCK_SCHEMA, 0), "x");
	char *text;
	size_t size;
	FILE *f;

	if (!schema)
		wrong("a schema that could be read cannot be read again");
	e.schema = schema;
	f = open_memstream(&text, &size);
	lt_ctf_write_tsdl(f, &e, &m);
	lt_ctf_write_json(f, &e, &m);
	fclose(f);
	free(text);
	export_packets(path, schema);
	lt_schema_free(schema);
}

/* Number of records, -1: the file was refused. */
static int64_t read_trace(const char *path)
{
	uint64_t gap_end[LT_SPACE_PAGE + 1] = { 0 }, last = 0, sum = 0;
	struct lt_lifetime_ops ops = { .ended = ended, .cache = find_cache, .arg = &sum };
	struct lt_trace *t = lt_trace_open(path);
	struct lt_lifetime_config config = { .page_shift = 12, .late_free = number & 2 };
	uint64_t end;
	struct lt_lifetimes *lf;
	struct lt_event ev;
	int64_t n = 0;

	if (!t)
		return -1;
	lf = lt_lifetimes_new(&config, &ops);
	while (lt_trace_next(t, &ev) > 0) {
		if (ev.time < last)
			wrong("time went back");
		last = ev.time;
		n++;
		if (ev.time <= lt_trace_stopped(t))
			lt_lifetimes_event(lf, &ev, lt_trace_gap_end(t, lt_event_space(&ev)));
	}
	for (int i = LT_SPACE_SLAB; i <= LT_SPACE_PAGE; i++)
		gap_end[i] = lt_trace_gap_end(t, (enum lt_space)i);
	end = lt_trace_stopped(t) < lt_trace_end(t) ? lt_trace_stopped(t) : lt_trace_end(t);
	lt_lifetimes_finish(lf, end, gap_end);
	lt_lifetimes_free(lf);
	export_it(t, path);
	lt_trace_close(t);
	return n;
}

/* What follows tasks. */
static void read_tasks(const char *path)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_task_verdict v;
	struct lt_task_table *tb;
	struct lt_hazards *h;

	tb = t ? lt_task_table_for(t, number & 4) : NULL;
	if (tb) {
		h = lt_hazards_new(tb, 3, 1000);
		if (!lt_task_read(t, tb))
			lt_hazards_finish(h);
		lt_hazards_free(h);
		lt_task_table_free(tb);
	}
	lt_trace_close(t);
	if (tb && !lt_task_verify(path, &v))
		lt_task_verdict_release(&v);
}

static void run_one(const char *path, int fd)
{
	struct lt_verdict *v;
	int64_t records;

	spoil(number);
	if (ftruncate(fd, 0) || pwrite(fd, im.data, im.size, 0) != (ssize_t)im.size)
		wrong("no room for the file");
	alarm(HANG_S);
	records = read_trace(path);
	v = lt_verify(path);
	if (records >= 0)
		read_tasks(path);
	alarm(0);
	/* Refused is another matter: a schema may lack what the reader needs. */
	if (v && records >= 0 && lt_verdict_good(v) && records != (int64_t)v->records)
		wrong("a file that is said to be good is not read whole");
	lt_verdict_free(v);
}

/* A damaged one says nothing if the whole one is no good. */
static void check_golden(const char *path, int fd)
{
	for (unsigned int i = 0; i < FUZZ_N_GOLDEN; i++) {
		struct lt_task_verdict tasks;
		struct lt_verdict *v;

		if (ftruncate(fd, 0) ||
		    pwrite(fd, golden[i].data, golden[i].size, 0) != (ssize_t)golden[i].size)
			wrong("no room for the file");
		v = lt_verify(path);
		if (!v || !lt_verdict_good(v) || read_trace(path) != (int64_t)v->records)
			wrong("a golden trace is not good");
		if (lt_task_verify(path, &tasks) || !lt_task_verdict_good(&tasks))
			wrong("the tasks of a golden trace are not proven");
		if (tasks.checks[LT_TASK_CHECK_POPULATION].absent == fuzz_golden_tasks(i))
			wrong("a golden trace proves what it should not, or not what it should");
		lt_task_verdict_release(&tasks);
		lt_verdict_free(v);
	}
}

static void check_leaks(void)
{
#if defined(__SANITIZE_ADDRESS__)
	if (__lsan_do_recoverable_leak_check())
		wrong("a leak, here or up to 1000 mutations before");
#endif
}

static void set_up(bool quiet)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	real_stderr = fcntl(2, F_DUPFD_CLOEXEC, 3);
	if (quiet && null >= 0)
		dup2(null, 2);
	close(null);
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_set_report_fd((void *)(intptr_t)real_stderr);
	__sanitizer_set_death_callback(on_death);
#endif
	signal(SIGALRM, on_alarm);
	lt_log_to_stderr();
	atexit(on_exit_early);
	fuzz_golden_make(golden, NULL);
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	int fd = memfd_create("mutated", MFD_CLOEXEC);
	char path[64];

	if (!n || argc > 3 || fd < 0) {
		fprintf(stderr, "usage: mutate N [FIRST]\n");
		return 2;
	}
	first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	set_up(n > 1);
	check_golden(path, fd);
	for (number = first; number < first + n; number++, passed++) {
		run_one(path, fd);
		if (passed % 1000 == 999)
			check_leaks();
	}
	fuzz_image_free(&im);
	fuzz_golden_free(golden);
	check_leaks();
	finished = true;
	printf("%" PRIu64 " passed, 0 failed\n", passed);
	return 0;
}
