// SPDX-License-Identifier: GPL-2.0
/*
 * mutate N [FIRST]: traces that are damaged in N ways, through the whole reader.
 *
 * Mutation number n is always the same, so that "mutate 1 n" repeats it alone,
 * then with the reader's messages. It is for a build with sanitizers: a report
 * of theirs, a hang, or a wrong answer ends the run with the number.
 */
#include <endian.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../user/lib/check.h"
#include "../../user/lib/crc32c.h"
#include "../../user/lib/ctf_packet.h"
#include "../../user/lib/dir.h"
#include "../../user/lib/err.h"
#include "../../user/lib/export.h"
#include "../../user/lib/lifetime.h"
#include "../../user/lib/task_check.h"
#include "../../user/lib/task_hazard.h"
#include "../../user/lib/task_read.h"
#include "../../user/lib/trace.h"
#include "tracegen.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#endif

#define PTR		0xffff888000001000ULL
#define SITE		0xffffffff81000100ULL
#define HANG_S		10
#define N_GOLDEN	12
#define MAX_CHANGES	4
#define HEADER		sizeof(struct lt_block_header)
#define FIRST_BLOCK	sizeof(struct lt_file_header)

struct image {
	uint8_t *data;
	size_t size;
};

static struct image golden[N_GOLDEN];
static struct image im;		/* the golden trace being spoiled */
static uint64_t rng;
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

static uint64_t draw(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

static size_t below(size_t n)
{
	return n ? (size_t)(draw() % n) : 0;
}

/* ------------------------------------------------------------------------
 * Golden traces
 */

#define STATE_OF(g, cpu, time, number, of_tid, of_start, ...)			\
	TG_PUT(g, TG_PID(cpu), time, STATE, .epoch = number, .tid = of_tid, .tgid = of_tid, \
	       .start = of_start, .parent = 1, .parent_start = 5, .state = "S", .ns = 1, \
	       .nr = of_tid, __VA_ARGS__)

/* A whole little world: what verify has to say of it is that all of it is proven. */
static void put_tasks(struct tg *g)
{
	TG_PUT(g, TG_PID(0), 1000, PID_NS, .ns = 1, .exact = 1, .inum = 7, .init_tid = 1,
	       .init_start = 5, .cursor = 19, .generation = 1);
	TG_PUT(g, TG_PID(0), 1001, SNAP_BEGIN, .epoch = 1, .cursor = 19, .generation = 1);
	STATE_OF(g, 0, 1002, 1, 1, 5, .comm = "init", .file = "/sbin/init");
	STATE_OF(g, 0, 1003, 1, 17, 500, .comm = "cat", .oom_score_adj = -1000);
	TG_PUT(g, TG_PID(0), 1004, STATE_WIDE, .epoch = 1, .tid = 18, .tgid = 18, .start = 600,
	       .parent = 2, .flags = 1, .state = "I", .ns = 1, .nr = 18, .comm = "kworker");
	TG_PUT(g, TG_PID(0), 1005, SNAP_END, .epoch = 1, .complete = 1, .tasks = 3);
	TG_PUT(g, TG_PID(1), 1010, TASK_NUMBER, .tid = 19, .start = 1008, .ns = 2, .nr = 1);
	TG_PUT(g, TG_PID(1), 1011, TASK_NEW, .tid = 19, .tgid = 19, .start = 1008, .creator = 17,
	       .creator_start = 500, .parent = 17, .parent_start = 500, .ns = 1, .nr = 19,
	       .generation = 1, .uid = 1000, .comm = "cat");
	TG_PUT(g, TG_PID(1), 1012, NUMBER_REUSED, .ns = 1, .nr = 19, .holders = 2, .old_tid = 19,
	       .old_start = 3, .old_death = 900, .tid = 19, .start = 1008);
	TG_PUT(g, TG_PID(1), 1013, TASK_NEW, .tid = 20, .tgid = 19, .start = 1012, .creator = 19,
	       .creator_start = 1008, .parent = 17, .parent_start = 500, .ns = 1, .nr = 20,
	       .generation = 1, .comm = "cat");
	TG_PUT(g, TG_PID(0), 1014, EXIT, .tid = 19, .tgid = 19, .start = 1008, .comm = "cat");
	TG_PUT(g, TG_PID(1), 1015, RENAME, .tid = 19, .start = 1008, .old = "cat", .comm = "sh");
	TG_PUT(g, TG_PID(1), 1016, EXEC, .tid = 19, .start = 1008, .old_tid = 20,
	       .old_start = 1012, .file = "/bin/sh");
	TG_PUT(g, TG_PID(1), 1017, EXEC_HUGE, .tid = 19, .start = 1008, .old_tid = 19,
	       .old_start = 1008, .file = "/bin/a/long/path");
	TG_PUT(g, TG_PID(0), 1018, OOM, .tgid = 17, .start = 500, .old = -1000, .by = 19,
	       .by_start = 1008);
	TG_PUT(g, TG_PID(0), 1019, CRED, .tid = 17, .start = 500, .uid = 1000, .gid = 1000);
	TG_PUT(g, TG_PID(0), 1020, CGROUP, .tid = 17, .start = 500, .group = 1, .cgroup = 9);
	TG_PUT(g, TG_PID(0), 1021, WRAP, .ns = 1, .generation = 2, .wraps = 1, .why = 1,
	       .nr = 300, .old_cursor = 32768, .cursor = 301, .allocated = 3);
	TG_PUT(g, TG_PID(1), 1022, RELEASE, .tid = 20, .start = 1008);
	TG_PUT(g, TG_PID(0), 1023, EXIT, .tid = 19, .tgid = 19, .start = 1008, .group_dead = 1,
	       .parent = 17, .parent_start = 500, .comm = "sh");
	TG_PUT(g, TG_PID(0), 1024, RELEASE, .tid = 19, .start = 1008, .runtime = 77);
	TG_PUT(g, TG_PID(0), 1025, PID_NS_GONE, .ns = 2, .generation = 1, .allocated = 1,
	       .born = 1);
	TG_PUT(g, TG_PID(0), 1060 + (1ULL << 40), SNAP_BEGIN, .epoch = 2, .purpose = 2);
	STATE_OF(g, 0, 1060 + (1ULL << 40), 2, 1, 5, .comm = "init", .file = "/sbin/init");
	STATE_OF(g, 0, 1060 + (1ULL << 40), 2, 17, 500, .comm = "cat");
	STATE_OF(g, 0, 1060 + (1ULL << 40), 2, 18, 600, .comm = "kworker", .flags = 1);
	TG_PUT(g, TG_PID(0), 1060 + (1ULL << 40), SNAP_END, .epoch = 2, .complete = 1, .tasks = 3);
}

static struct tg *make_trace(bool big_endian, size_t subbuf_size, bool tasks, bool brief)
{
	struct tg *g = tg_new(&(struct tg_options){
		.big_endian = big_endian, .subbuf_size = subbuf_size, .tasks = tasks,
		.brief = brief, .clock = big_endian ? "counter" : "mono", .info = "cpus_online=0-1\n",
	});

	tg_clock(g, 1000, 1700000000000000000ULL, 5000, 1000, 1000);
	tg_auto_task(g, true);
	tg_task(g, 0, 1000, 17, 16, 500, 0, "cat");
	tg_task(g, 1, 1000, 18, 18, 600, 1, "kworker");
	tg_cache(g, 0, 1001, 3, PTR + 0x100000, 192, 200, "dentry");
	for (uint64_t i = 0; i < 4; i++)
		tg_kmalloc(g, i & 1, 1010 + i, PTR + i * 64, SITE, 60, 64, 0xcc0, -1);
	tg_kmalloc(g, 0, 1020, 0xffffc90000000000ULL, SITE, 70000, 131072, 0xdc0, 300);
	tg_cache_alloc(g, 0, 1021, PTR + 0x1000, SITE, 0xcc0, 3, 1);
	tg_page_alloc(g, 1, 1022, 0x1000, 0xcc0, 4, 2);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_NMI, 2);
	for (uint64_t i = 0; i < 4; i++)
		tg_kfree(g, ~i & 1, 1030 + i, PTR + i * 64, SITE + 8);
	tg_cache_free(g, 1, 1040, PTR + 0x1000, SITE, 3);
	tg_page_free(g, 0, 1041, 0x1004, 2);
	tg_page_batched(g, 0, 1042, 0x1000);
	tg_bulk_alloc(g, 0, 1043, PTR + 0x2000, SITE, 0xcc0, 3, -1);
	tg_bulk_free(g, 0, 1044, PTR + 0x2000, SITE, 3);
	tg_rcu_free(g, 0, 1045, PTR + 0x3000, SITE);
	tg_alloc_failed(g, 0, 1046, SITE, 1 << 20, 0xcc0, -1, 0, LT_CLASS_KMALLOC);
	tg_task_exit(g, 0, 1047, 17, 16, 500, 1);
	tg_marker(g, 0, 1048, "here");
	tg_cache_gone(g, 0, 1049, 3);
	tg_kfree(g, 0, 1050 + (1ULL << 40), PTR + 1, 0);
	if (tasks)
		put_tasks(g);
	tg_finish(g, 1060 + (1ULL << 40));
	return g;
}

static void make_golden(void)
{
	/*
	 * Those from the fifth on have the channel pid, those from the eighth on short forms,
	 * the last two columns.
	 */
	static const unsigned int flags[N_GOLDEN] = {
		0, 0, TG_ZSTD, TG_NO_INDEX, 0, TG_NO_INDEX, TG_ZSTD, 0, 0, TG_ZSTD,
		TG_ZSTD | TG_COLUMNS, TG_ZSTD | TG_COLUMNS | TG_NO_INDEX,
	};

	for (unsigned int i = 0; i < N_GOLDEN; i++) {
		bool big = i == 1 || i == 5 || i == 8 || i == 11;
		struct tg *g = make_trace(big, i == 3 ? 1024 : 2048, i >= 4, i >= 7);

		golden[i].data = tg_file(g, flags[i], &golden[i].size);
		tg_free(g);
	}
}

/* ------------------------------------------------------------------------
 * Spoiling them
 */

static uint64_t get(const uint8_t *p, unsigned int size)
{
	uint64_t v = 0;

	memcpy(&v, p, size);
	return size == 8 ? le64toh(v) : le32toh((uint32_t)v);
}

static void put32(uint8_t *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
}

/* Offsets of the blocks, the file's end last; as far as the lengths lead. */
static size_t find_blocks(size_t *at, size_t max)
{
	size_t n = 0, pos = FIRST_BLOCK;

	while (n < max && pos + HEADER <= im.size && get(im.data + pos, 4) == LT_BLOCK_MAGIC) {
		size_t length = (size_t)get(im.data + pos + 8, 4);

		at[n++] = pos;
		if (length > im.size - pos - HEADER)
			break;
		pos += HEADER + length;
	}
	at[n] = pos < im.size ? pos : im.size;
	return n;
}

/* So that what was changed is believed, and looked at. */
static void fix_crcs(void)
{
	size_t at[64], n = find_blocks(at, 63);

	for (size_t i = 0; i < n; i++) {
		uint8_t *p = im.data + at[i];
		size_t length = (size_t)get(p + 8, 4);

		if (length <= im.size - at[i] - HEADER)
			put32(p + 16, lt_crc32c(0, p + HEADER, length));
		put32(p + 20, lt_crc32c(0, p, 20));
	}
}

static uint64_t interesting(void)
{
	static const uint64_t values[] = {
		0, 1, 2, 3, 7, 8, 31, 63, 64, 95, 96, 127, 128, 255, 256, 863, 864, 4095, 4096,
		65535, 65536, 1 << 20, LT_BLOCK_MAX, LT_BLOCK_MAX + 1ULL, INT32_MAX, 1ULL << 31,
		UINT32_MAX, 1ULL << 32, 1ULL << 40, INT64_MAX, 1ULL << 63, UINT64_MAX - 1,
		UINT64_MAX,
	};

	return values[below(sizeof(values) / sizeof(values[0]))];
}

static void overwrite(size_t at, unsigned int size)
{
	uint64_t v = interesting();

	if (draw() & 1)
		v = __builtin_bswap64(v) >> (64 - 8 * size);
	if (at + size <= im.size)
		memcpy(im.data + at, &v, size);
}

/* A place worth changing: a block's header, the start or any of its payload. */
static size_t place(void)
{
	size_t at[64], n = find_blocks(at, 63), i = below(n), span;

	if (!n)
		return below(im.size);
	span = at[i + 1] - at[i];
	switch (below(4)) {
	case 0:
		return at[i] + below(HEADER);
	case 1:
		return at[i] + HEADER + below(96) / 8 * 8;
	default:
		return at[i] + below(span);
	}
}

/* Puts a copy of [from, from + size) before @to; a move when @take. */
static void copy_range(size_t from, size_t size, size_t to, bool take)
{
	uint8_t *part = malloc(size + 1);

	memcpy(part, im.data + from, size);
	if (take) {
		memmove(im.data + from, im.data + from + size, im.size - from - size);
		im.size -= size;
		to = to > from ? (to >= from + size ? to - size : from) : to;
	}
	im.data = realloc(im.data, im.size + size + 1);
	memmove(im.data + to + size, im.data + to, im.size - to);
	memcpy(im.data + to, part, size);
	im.size += size;
	free(part);
}

static void change_blocks(void)
{
	size_t at[64], n = find_blocks(at, 63), i = below(n), size;

	if (!n)
		return;
	size = at[i + 1] - at[i];
	switch (below(3)) {
	case 0:
		copy_range(at[i], size, at[below(n + 1)], false);
		return;
	case 1:
		copy_range(at[i], size, at[below(n + 1)], true);
		return;
	default:
		memmove(im.data + at[i], im.data + at[i] + size, im.size - at[i] - size);
		im.size -= size;
	}
}

static void change(void)
{
	size_t at = place();

	if (at >= im.size)
		return;
	switch (below(10)) {
	case 0: case 1: case 2:
		im.data[at] ^= (uint8_t)(1U << below(8));
		return;
	case 3: case 4:
		im.data[at] = (uint8_t)interesting();
		return;
	case 5: case 6:
		overwrite(at, 8);
		return;
	case 7:
		overwrite(at, draw() & 1 ? 4 : 2);
		return;
	case 8:
		change_blocks();
		return;
	default:
		if (!below(4))
			im.size = at;
	}
}

static void spoil(uint64_t n)
{
	const struct image *from;
	size_t changes;

	rng = (n + 1) * 0x9e3779b97f4a7c15ULL;
	for (int i = 0; i < 4; i++)
		draw();
	from = &golden[below(N_GOLDEN)];
	im.data = realloc(im.data, from->size + 1);
	memcpy(im.data, from->data, from->size);
	im.size = from->size;
	changes = 1 + below(MAX_CHANGES);
	for (size_t i = 0; i < changes; i++)
		change();
	if (n & 1)
		fix_crcs();
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
	for (unsigned int i = 0; i < N_GOLDEN; i++) {
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
		if (tasks.checks[LT_TASK_CHECK_POPULATION].absent != (i < 4))
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
	atexit(on_exit_early);
	make_golden();
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
	free(im.data);
	for (unsigned int i = 0; i < N_GOLDEN; i++)
		free(golden[i].data);
	im.data = NULL;
	memset(golden, 0, sizeof(golden));
	check_leaks();
	finished = true;
	printf("%" PRIu64 " passed, 0 failed\n", passed);
	return 0;
}
