// SPDX-License-Identifier: GPL-2.0
/*
 * flight FILE WINDOW_EVENTS [zstd]: what the flight recorder's window costs.
 *
 * Takes the packets of a trace (mktrace, or a recording) in the order of their ends, as they
 * come from the module, through a window that holds about WINDOW_EVENTS events, and prints the
 * processor time for each event that has passed all of it, and the memory at the end; then the
 * time that fork() takes, and a write of what is alive.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "flight/window.h"
#include "format/dir.h"
#include "state/write.h"
#include "trace/trace.h"

struct ref {
	const struct lt_stream_dir *s;
	const struct lt_packet_ref *ref;
};

static int by_end(const void *a, const void *b)
{
	const struct lt_packet_ref *x = ((const struct ref *)a)->ref;
	const struct lt_packet_ref *y = ((const struct ref *)b)->ref;

	return x->end < y->end ? -1 : x->end > y->end;
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static uint64_t wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Memory of this process that no file has. */
static uint64_t anon_bytes(void)
{
	char *text = lt_read_text_file("/proc/self/status", 1 << 16, NULL);
	uint64_t kib = 0;

	if (text && strstr(text, "RssAnon:"))
		kib = strtoull(strstr(text, "RssAnon:") + 8, NULL, 10);
	free(text);
	return kib * 1024;
}

static int count(void *arg, const void *packet, size_t size)
{
	(void)packet;
	*(uint64_t *)arg += size;
	return 0;
}

static void snapshot(struct lt_window *w)
{
	uint64_t begin = wall_ns(), bytes = 0;
	const struct lt_state_out out = { .emit = count, .arg = &bytes };
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	printf("fork_us %" PRIu64 "\n", (wall_ns() - begin) / 1000);
	waitpid(pid, NULL, 0);
	begin = wall_ns();
	if (lt_state_write(w->trace, w->lf, w->t0, &out))
		exit(1);
	printf("state_ms %" PRIu64 "\n", (wall_ns() - begin) / 1000000);
	printf("state_bytes %" PRIu64 "\n", bytes);
}

int main(int argc, char **argv)
{
	bool zstd = argc > 3 && !strcmp(argv[3], "zstd");
	struct lt_file *file = argc > 2 ? lt_file_open(argv[1]) : NULL;
	struct lt_trace *t = file ? lt_trace_open(argv[1]) : NULL;
	struct lt_buf buf = { 0 }, packed = { 0 };
	uint64_t events = 0, spent = 0, begin, last = 0, length;
	const struct lt_dir *dir;
	struct lt_window w;
	struct ref *refs;
	size_t n = 0;

	if (!t)
		return fprintf(stderr, "usage: flight FILE WINDOW_EVENTS [zstd]\n"), 2;
	dir = lt_trace_dir(t);
	refs = lt_alloc_array(dir->packets, sizeof(*refs));
	for (size_t i = 0; i < dir->n_streams; i++) {
		for (size_t k = 0; dir->streams[i] && k < dir->streams[i]->n; k++)
			refs[n++] = (struct ref){ dir->streams[i], &dir->streams[i]->refs[k] };
	}
	qsort(refs, n, sizeof(*refs), by_end);
	for (unsigned int c = 0; c < LT_MAX_CLASSES; c++)
		events += lt_trace_counts(t, c).seen;
	length = (uint64_t)((double)(refs[n - 1].ref->end - refs[0].ref->begin) *
			    strtod(argv[2], NULL) / (double)events);
	if (lt_window_init(&w, lt_trace_text(t, LT_BLOCK_INFO, 0),
			   lt_trace_text(t, LT_BLOCK_SCHEMA, 0), length, (size_t)2 << 30, zstd))
		return 1;
	lt_window_begin(&w);
	for (size_t i = 0; i < n; i++) {
		struct lt_packet p;
		struct lt_why why;

		if (lt_dir_load(dir, file, refs[i].s, refs[i].ref, &buf, &packed, &p, &why))
			return fprintf(stderr, "%s\n", why.text), 1;
		begin = cpu_ns();
		lt_window_packet(&w, &p);
		/* Another stream may still have a packet that begins earlier. */
		if (i > 64 && refs[i - 64].ref->end > last) {
			last = refs[i - 64].ref->end;
			lt_window_complete(&w, last);
		}
		spent += cpu_ns() - begin;
	}
	printf("events %" PRIu64 "\nns_per_event %.1f\n", events, (double)spent / (double)events);
	printf("alive %" PRIu64 "\npackets %zu\n", w.alive, w.kept.n);
	printf("packet_bytes %zu\n", w.kept.bytes);
	printf("anon_bytes_beside_room %" PRIu64 "\n", anon_bytes() - w.kept.size);
	snapshot(&w);
	return 0;
}
