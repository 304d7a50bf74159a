// SPDX-License-Identifier: GPL-2.0
/*
 * Files that are made to take all memory, all day, or the terminal: what is read of
 * them is little, and it is read soon.
 */
#include <endian.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/log.h"
#include "base/out.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "format/block.h"
#include "format/dir.h"
#include "sums/coverage.h"
#include "sums/report.h"
#include "trace/internal.h"
#include "trace/symbols.h"
#include "verify/check.h"
#include "verify/tasks.h"
#include "testlib.h"
#include "tracegen.h"

#define SECONDS	3.0	/* of CPU; what it once took, or would take, is much more */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void no_note(void *arg, uint64_t offset, const char *text)
{
	(void)arg;
	(void)offset;
	(void)text;
}

/* Counted by AddressSanitizer; where there is none, nothing is. */
static int64_t allocated, peak;

#if defined(__SANITIZE_ADDRESS__)
/* Not every gcc has the header. */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const void *, size_t),
					      void (*on_free)(const void *));
size_t __sanitizer_get_allocated_size(const void *p);

static void on_malloc(const void *p, size_t size)
{
	(void)p;
	allocated += (int64_t)size;
	peak = allocated > peak ? allocated : peak;
}

static void on_free(const void *p)
{
	if (p)
		allocated -= (int64_t)__sanitizer_get_allocated_size(p);
}
#endif

static void count_memory(void)
{
#if defined(__SANITIZE_ADDRESS__)
	assert_true(__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free));
#endif
	allocated = peak = 0;
}

/* A file of so many zeros packed: some bytes of it are left. */
static void test_bomb(void **state)
{
	struct lt_buf payload = { 0 }, packed = { 0 };
	struct lt_writer *w = lt_writer_open(test_path("plain.lt"), true);
	const size_t size = 8 << 20;
	char *zeros = calloc(1, size);
	struct lt_block b;
	struct lt_why why;
	struct lt_file *f;
	uint8_t *image;
	size_t n;

	(void)state;
	image = malloc(sizeof(struct lt_file_header));
	memcpy(image, &(struct lt_file_header){ LT_FILE_MAGIC, htole16(LT_FILE_MAJOR), 0, 0 },
	       sizeof(struct lt_file_header));
	n = sizeof(struct lt_file_header);
	tg_append_block(&image, &n, LT_BLOCK_SYMBOLS, LT_BLOCK_ZSTD, zeros, size);
	assert_true(n < 2000);
	assert_int_equal(tg_save(test_path("bomb.lt"), image, n), 0);
	f = lt_file_open(test_path("bomb.lt"));
	assert_int_equal(lt_file_block(f, LT_FILE_FIRST, &b, &why), LT_BLOCK_OK);
	assert_int_equal(lt_file_payload(f, &b, &payload, &packed, &why), -1);
	assert_non_null(strstr(why.text, "unpack to at most"));
	assert_true(payload.cap < size);
	lt_file_close(f);

	/* The writer makes none. */
	assert_int_equal(lt_writer_block(w, LT_BLOCK_SYMBOLS, true, zeros, size), 0);
	assert_int_equal(lt_writer_publish(w), 0);
	assert_int_equal(lt_writer_close(w), 0);
	f = lt_file_open(test_path("plain.lt"));
	assert_int_equal(lt_file_block(f, LT_FILE_FIRST, &b, &why), LT_BLOCK_OK);
	assert_int_equal(lt_file_payload(f, &b, &payload, &packed, &why), 0);
	assert_int_equal(payload.size, size);
	lt_file_close(f);
	lt_buf_free(&payload);
	lt_buf_free(&packed);
	free(image);
	free(zeros);
}

/* A block whose payload is blocks: the index may not lead to both. */
static void test_nested(void **state)
{
	struct lt_file_header h = { LT_FILE_MAGIC, htole16(LT_FILE_MAJOR), 0, 0 };
	struct lt_index_entry e[2] = { { 0 } };
	struct lt_trailer t = { .blocks = htole64(4) };
	uint8_t *inner = NULL, *image;
	size_t n_inner = 0, n = sizeof(h);
	struct lt_dir d;
	struct lt_file *f;

	(void)state;
	image = malloc(sizeof(h));
	memcpy(image, &h, sizeof(h));
	tg_append_block(&inner, &n_inner, LT_BLOCK_SYMBOLS, 0, "abc", 3);
	e[0].offset = htole64(n);
	e[1].offset = htole64(n + sizeof(struct lt_block_header));
	e[0].cpu = e[1].cpu = htole32(LT_BLOCK_SYMBOLS);
	tg_append_block(&image, &n, LT_BLOCK_SYMBOLS, 0, inner, n_inner);
	t.index_offset = htole64(n);
	tg_append_block(&image, &n, LT_BLOCK_INDEX, 0, e, sizeof(e));
	tg_append_block(&image, &n, LT_BLOCK_TRAILER, 0, &t, sizeof(t));
	assert_int_equal(tg_save(test_path("nested.lt"), image, n), 0);
	f = lt_file_open(test_path("nested.lt"));
	lt_dir_read(&d, f, false, no_note, NULL);
	assert_false(d.from_index);
	assert_int_equal(d.n_texts, 1);
	lt_dir_free(&d);
	lt_file_close(f);
	free(inner);
	free(image);
}

/* Index entries of packets, which are not checked until the packets are read. */
static void test_nested_packet(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_buf buf[2] = { { 0 }, { 0 } };
	struct lt_packet p;
	struct lt_why why;
	struct lt_dir d;
	struct lt_file *f;

	(void)state;
	tg_kfree(g, 0, 1000, 0xffff888000001000ULL, 0);
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, test_path("packet.lt"), 0), 0);
	f = lt_file_open(test_path("packet.lt"));
	lt_dir_read(&d, f, false, no_note, NULL);
	assert_true(d.from_index);
	assert_int_equal(lt_dir_load(&d, f, d.streams[0], &d.streams[0]->refs[0], &buf[0], &buf[1],
				     &p, &why), 0);
	d.streams[0]->refs[0].room--;
	assert_int_equal(lt_dir_load(&d, f, d.streams[0], &d.streams[0]->refs[0], &buf[0], &buf[1],
				     &p, &why), -1);
	lt_buf_free(&buf[0]);
	lt_buf_free(&buf[1]);
	lt_dir_free(&d);
	lt_file_close(f);
	tg_free(g);
}

/* Nothing but headers that are right, of blocks that cannot be. */
static void test_broken_blocks(void **state)
{
	const size_t n = 40000, size = sizeof(struct lt_file_header) +
				       n * sizeof(struct lt_block_header);
	struct lt_block_header h = { htole32(LT_BLOCK_MAGIC), htole16(LT_BLOCK_STATS), 0,
				     htole32(UINT32_MAX), htole32(UINT32_MAX), 0, 0 };
	uint8_t *image = calloc(1, size);
	double begin = now();
	struct lt_dir d;
	struct lt_file *f;

	(void)state;
	memcpy(image, &(struct lt_file_header){ LT_FILE_MAGIC, htole16(LT_FILE_MAJOR), 0, 0 },
	       sizeof(struct lt_file_header));
	h.header_crc = htole32(lt_crc32c(0, &h, 20));
	for (size_t i = 0; i < n; i++)
		memcpy(image + sizeof(struct lt_file_header) + i * sizeof(h), &h, sizeof(h));
	assert_int_equal(tg_save(test_path("broken.lt"), image, size), 0);
	f = lt_file_open(test_path("broken.lt"));
	lt_dir_read(&d, f, false, no_note, NULL);
	assert_int_equal(d.bad_blocks, n - 1);
	lt_dir_free(&d);
	lt_file_close(f);
	free(image);
	assert_true(now() - begin < SECONDS);
}

static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;

	for (int i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

/* Starts for which the multiplicative hash that once was here had the same low bits. */
static uint64_t colliding(uint64_t i)
{
	uint64_t h = i << 40;

	h = (h ^ h >> 32) * inverse(0xd6e8feb86659fd93ULL);
	h = (h ^ h >> 32) * inverse(0x9e3779b97f4a7c15ULL);
	return h;
}

static void test_collisions(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_event ev;
	struct lt_trace *t;
	double begin;

	(void)state;
	for (uint64_t i = 0; i < 60000; i++)
		TG_TASK(g, 0, 1000 + i, .tid = 0, .tgid = 1, .start = colliding(i), .comm = "x");
	tg_finish(g, 1000000);
	assert_int_equal(tg_write(g, test_path("tasks.lt"), 0), 0);
	tg_free(g);
	begin = now();
	t = lt_trace_open(test_path("tasks.lt"));
	while (lt_trace_next(t, &ev) > 0)
		;
	assert_int_equal(t->entities.tasks.used, 60000);
	lt_trace_close(t);
	assert_true(now() - begin < SECONDS);
}

/* Gaps that are found before they begin, one after each event. */
static void test_pending_gaps(void **state)
{
	struct lt_trace *t = lt_trace_new("x");
	const uint64_t n = 60000;
	double begin = now();

	(void)state;
	for (uint64_t i = 0; i < n; i++)
		lt_gap_unknown(t, LT_CHANNEL_KMEM, 0, i * 7919 % n, i * 7919 % n + 1);
	for (uint64_t i = 0; i <= n; i++) {
		t->now = i;
		lt_gap_advance(t);
		assert_int_equal(lt_trace_gap_end(t, LT_SPACE_NONE), i);
		assert_int_equal(t->gap.n_pending, n - i);
	}
	assert_true(t->gap.next_begin == UINT64_MAX);
	lt_trace_close(t);
	assert_true(now() - begin < SECONDS);
}

/* Many modules, and in each of them code. */
static void test_modules(void **state)
{
	struct lt_symbols *s = lt_symbols_new();
	const uint64_t n = 40000, base = 0xffffffffc0000000ULL;
	char *syms, *mods;
	const char *module;
	uint64_t offset;
	FILE *a, *b;
	double begin;
	size_t size;

	(void)state;
	a = open_memstream(&syms, &size);
	b = open_memstream(&mods, &size);
	for (uint64_t i = 0; i < n; i++) {
		fprintf(a, "%llx t f\t[m%llu]\n", (unsigned long long)(base + i * 256),
			(unsigned long long)i / 4);
		fprintf(b, "m%llu 64 0 - Live 0x%llx\n", (unsigned long long)i / 4,
			(unsigned long long)(base + i * 256));
	}
	fclose(a);
	fclose(b);
	begin = now();
	lt_symbols_add(s, syms);
	lt_symbols_modules(s, mods);
	lt_symbols_ready(s);
	for (uint64_t i = 0; i < n; i++) {
		/* Within the module, and behind it. */
		assert_non_null(lt_symbols_find(s, base + i * 256 + 63, &offset, &module));
		assert_null(lt_symbols_find(s, base + i * 256 + 64, &offset, &module));
	}
	lt_symbols_free(s);
	free(syms);
	free(mods);
	assert_true(now() - begin < SECONDS);
}

/* Readings of caches with many names, and attributes that none of them has. */
static void test_caches(void **state)
{
	struct lt_trace *t;
	struct lt_coverage *c;
	struct lt_coverage_sum sum;
	struct tg *g = tg_new(NULL);
	struct lt_rec_MARKER marker = { 0 };
	struct lt_event ev = { .id = LT_EV_MARKER, .raw = (const uint8_t *)&marker,
			       .raw_size = sizeof(marker) };
	const unsigned int rows = 6000;
	const char *why;
	double begin = now();
	char *text;
	size_t n;

	(void)state;
	t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	for (unsigned int k = 0; k < 2; k++) {
		FILE *f = open_memstream(&text, &n);

		fprintf(f, "when=%s clock=1\n", k ? "end" : "start");
		for (unsigned int i = 0; i < rows; i++)
			fprintf(f, "cache c%u active %u total 9 objsize 8 slots_per_slab 2\n"
				"alias c%u :%u\nslabattr :%u cpu_slabs 1\nslabattr x%u cpu_slabs 9\n",
				i, 5 + k, i, i, i, i);
		fclose(f);
		lt_trace_add_text(t, LT_BLOCK_SLAB, text);
		free(text);
	}
	c = lt_coverage_new(t);
	for (unsigned int k = 0; k < 4; k++) {
		strcpy((char *)marker.text, k < 2 ? "lifetrace: slab start" : "lifetrace: slab end");
		lt_coverage_event(c, &ev);
	}
	assert_non_null(lt_coverage_rows(c, &n, &sum, &why));
	assert_int_equal(n, rows);
	assert_int_equal(sum.change, rows);
	/* No event of them was seen: the numbers of objects on the CPUs are no error. */
	assert_int_equal(sum.error, 0);
	lt_coverage_free(c);
	lt_trace_close(t);
	tg_free(g);
	assert_true(now() - begin < SECONDS);
}

/* One packet of the last CPU that there may be. */
static void test_far_cpu(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_verify_result *v;
	struct tg_packet *p;
	size_t n;

	(void)state;
	tg_kfree(g, 0, 1000, 0xffff888000001000ULL, 0);
	tg_finish(g, 2000);
	p = tg_packets(g, &n);
	p[0].cpu = LT_MAX_CPU - 1;
	((struct lt_packet_header *)p[0].data)->cpu = htole32(LT_MAX_CPU - 1);
	assert_int_equal(tg_write(g, test_path("far.lt"), TG_NO_STATS), 0);
	tg_free(g);
	count_memory();
	v = lt_verify(test_path("far.lt"));
	assert_int_equal(v->packets, 1);
	assert_true(lt_verify_result_good(v));
	assert_true(peak < 16 << 20);
	lt_verify_result_free(v);
}

static void put_state(struct tg *g, uint64_t time, uint32_t epoch, uint32_t tid, uint32_t tgid)
{
	TG_PUT(g, TG_PID(0), time, STATE, .epoch = epoch, .tid = tid, .tgid = tgid,
	       .start = tid, .parent = 1, .parent_start = 1, .state = "S", .ns = 1, .nr = tid,
	       .comm = "x");
}

static double verify_tasks(struct tg *g, uint64_t end)
{
	struct lt_task_proofs v;
	double begin;

	tg_finish(g, end);
	assert_int_equal(tg_write(g, test_path("tasks.lt"), 0), 0);
	tg_free(g);
	begin = now();
	assert_int_equal(lt_verify_tasks(test_path("tasks.lt"), &v), 0);
	lt_task_proofs_destroy(&v);
	return now() - begin;
}

/* A snapshot of many tasks that is ended again and again. */
static void test_snapshots(void **state)
{
	/* One tid with several start times; several tids with one start time. */
	for (unsigned int way = 0; way < 2; way++) {
		struct tg *g = tg_new(&(struct tg_options){ .tasks = true });

		(void)state;
		for (uint32_t i = 0; i < 10000; i++)
			put_state(g, 1000, 1, i + 2, i + 2);
		for (uint32_t i = 0; i < 20000; i++) {
			uint64_t time = way ? 1000 : 2000 + i;
			uint32_t epoch = way ? i + 1 : 1;

			TG_PUT(g, TG_PID(0), time, SNAP_BEGIN, .epoch = epoch);
			TG_PUT(g, TG_PID(0), time, SNAP_END, .epoch = epoch, .complete = 1);
		}
		assert_true(verify_tasks(g, 1000000) < SECONDS);
	}
}

/* Many threads that are gone, of a leader that is not. */
static void test_gone_threads(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .tasks = true });

	(void)state;
	TG_PUT(g, TG_PID(0), 1000, SNAP_BEGIN, .epoch = 1);
	put_state(g, 1000, 1, 2, 2);
	for (uint32_t i = 0; i < 50000; i++)
		put_state(g, 1000, 1, i + 3, 2);
	TG_PUT(g, TG_PID(0), 1001, SNAP_END, .epoch = 1, .complete = 1);
	TG_PUT(g, TG_PID(0), 2000, SNAP_BEGIN, .epoch = 2, .purpose = 2);
	put_state(g, 2000, 2, 2, 2);
	TG_PUT(g, TG_PID(0), 2001, SNAP_END, .epoch = 2, .complete = 1);
	assert_true(verify_tasks(g, 3000) < SECONDS);
}

/* Names that a terminal would take for commands. */
static void test_terminal(void **state)
{
	static const char name[] = "a\x1b]0;x\x07\302\23331m\xff\xc3\xa4\n";
	static const char expected[] = "a\\x1b]0;x\\x07\\xc2\\x9b31m\\xff\xc3\xa4\\x0a";
	struct lt_out o = LT_OUT_INIT(-1);

	(void)state;
	lt_out_text(&o, name, strlen(name));
	assert_int_equal(o.used, strlen(expected));
	assert_memory_equal(o.buf, expected, o.used);
	o.used = 0;
	lt_out_lines(&o, "a\x1b\nb\n");
	assert_int_equal(o.used, 8);
	assert_memory_equal(o.buf, "a\\x1b\nb\n", 8);
	o.used = 0;
	lt_out_json(&o, "\xc2\x9b", 2);
	assert_memory_equal(o.buf, "\"\\u009b\"", 8);
	free(o.buf);
	test_stderr_begin();
	lt_warn("%s", name);
	assert_string_equal(test_stderr_end(),
			    "lifetrace: note: a\\x1b]0;x\\x07\\xc2\\x9b31m\\xff\xc3\xa4\\x0a\n");
}

/* Also where they are those of probes, and reasons. */
static void test_verify(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .tasks = true });
	char *argv[] = { (char *)"lifetrace verify", NULL, NULL }, text[8192], out[512];
	int saved = dup(1), fd;
	ssize_t n;

	(void)state;
	strcpy(out, test_path("out"));
	TG_PUT(g, TG_PID(0), 1000, SNAP_BEGIN, .epoch = 1);
	tg_text(g, LT_BLOCK_STATS, "missed a\x1b[31m 7\n");
	tg_text(g, LT_BLOCK_EVENTS, "exit\tkprobe\tnot watched\tno \x1b[32m\n");
	tg_finish(g, 2000);
	argv[1] = strdup(test_path("verify.lt"));
	assert_int_equal(tg_write(g, argv[1], 0), 0);
	tg_free(g);
	fd = open(out, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0 && dup2(fd, 1) == 1);
	lt_cmd_verify(2, argv);
	fflush(stdout);
	dup2(saved, 1);
	n = pread(fd, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = 0;
	assert_non_null(strstr(text, "missed  a\\x1b[31m: 7 times"));
	assert_non_null(strstr(text, "was not watched: no \\x1b[32m"));
	assert_null(strchr(text, '\x1b'));
	close(saved);
	close(fd);
	free(argv[1]);
}

/*
 * A damaged packet in the middle is left out and reported, as a loss is: what stands around
 * it is printed, and nothing that lived through it is called exact.
 */
static void test_damaged_packet(void **state)
{
	struct tg *g = tg_new(NULL);
	char *argv[] = { (char *)"lifetrace lifetimes", (char *)"--csv", NULL, NULL, NULL };
	char out[512], file[512], *text;
	uint8_t *data, *packet;
	struct tg_packet *p;
	size_t size, n;

	(void)state;
	snprintf(file, sizeof(file), "%s", test_path("damaged.lt"));
	snprintf(out, sizeof(out), "--output=%s", test_path("damaged.csv"));
	TG_KMALLOC(g, 0, 1010, .ptr = 0xffff888000001000ULL, .call_site = 0, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	tg_close(g, 0, 2000);
	TG_KMALLOC(g, 0, 3010, .ptr = 0xffff888000002000ULL, .call_site = 0, .bytes_req = 777,
		   .bytes_alloc = 1024, .gfp = 0xcc0, .node = -1);
	tg_close(g, 0, 4000);
	tg_kfree(g, 0, 5000, 0xffff888000001000ULL, 0);
	tg_finish(g, 9000);
	p = tg_packets(g, &n);
	data = tg_file(g, 0, &size);
	packet = memmem(data, size, p[1].data, p[1].size);
	assert_non_null(packet);
	packet[p[1].size - 1] ^= 1;
	assert_int_equal(tg_save(file, data, size), 0);
	free(data);
	tg_free(g);
	argv[2] = out;
	argv[3] = file;
	test_stderr_begin();
	assert_int_equal(lt_cmd_lifetimes(4, argv), 0);
	assert_non_null(strstr(test_stderr_end(), "left out"));
	text = lt_read_text_file(test_path("damaged.csv"), 1 << 16, NULL);
	assert_non_null(text);
	assert_non_null(strstr(text, ",uncertain,kfree,"));
	assert_null(strstr(text, ",exact,"));
	free(text);
}

/* The sample changes all the time, and what was allocated before stays. */
static void test_samples(void **state)
{
	const struct lt_report_options opts = { .by = LT_BY_SITE, .estimate = true };
	struct tg *g = tg_new(&(struct tg_options){ .brief = true, .info = "sample_changes=1\n" });
	struct lt_report *r;
	uint64_t time = 1000;
	double began;

	(void)state;
	for (uint64_t i = 0; i < 6000; i++)
		TG_KMALLOC(g, 0, time++, .ptr = 0xffff888000100000ULL + i * 64,
			   .call_site = 0xffffffff81000100ULL, .bytes_req = 64, .bytes_alloc = 64,
			   .gfp = 0xcc0, .node = -1);
	for (unsigned int i = 0; i < 6000; i++)
		TG_PUT(g, 0, time++, SAMPLE, .one_in = 2 - (i & 1), .before = 1 + (i & 1));
	tg_finish(g, time + 100);
	assert_int_equal(tg_write(g, test_path("samples.lt"), 0), 0);
	tg_free(g);
	began = now();
	r = lt_report_make(test_path("samples.lt"), &opts);
	assert_non_null(r);
	assert_int_equal(r->all.births, 6000);
	assert_in_range(r->all.live, 5000, 7000);
	lt_report_free(r);
	assert_true(now() - began < SECONDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_nested_packet),
		cmocka_unit_test(test_broken_blocks),
		cmocka_unit_test(test_collisions),
		cmocka_unit_test(test_pending_gaps),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_caches),
		cmocka_unit_test(test_far_cpu),
		cmocka_unit_test(test_snapshots),
		cmocka_unit_test(test_gone_threads),
		cmocka_unit_test(test_terminal),
		cmocka_unit_test(test_verify),
		cmocka_unit_test(test_damaged_packet),
		cmocka_unit_test(test_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
