// SPDX-License-Identifier: GPL-2.0
/*
 * Code that the kernel makes: records of perf out of a buffer in which they go round, those of
 * several CPUs in order, and what becomes of them in the text CODE. At last a program that this
 * machine's own kernel is given, if it takes one.
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "record/ksymbol.h"
#include "record/made.h"
#include "testlib.h"

#define PAGE	4096U
#define DATA	1024U

/* The kernel's side of a buffer. */
struct side {
	struct lt_ksymbol_ring ring;
	uint64_t memory[(PAGE + DATA) / sizeof(uint64_t)];
};

static void begin_side(struct side *s, unsigned int cpu)
{
	memset(s, 0, sizeof(*s));
	s->ring = (struct lt_ksymbol_ring){ .cpu = cpu, .fd = -1,
		.page = (struct perf_event_mmap_page *)s->memory,
		.page_size = PAGE, .data_size = DATA };
	/* So the third record goes round. */
	s->ring.page->data_head = s->ring.page->data_tail = 10 * DATA - 200;
}

static void put(struct side *s, const void *bytes, size_t size)
{
	uint8_t *data = (uint8_t *)s->memory + PAGE;

	for (size_t i = 0; i < size; i++)
		data[(s->ring.page->data_head + i) % DATA] = ((const uint8_t *)bytes)[i];
	s->ring.page->data_head += size;
}

static void put_ksymbol(struct side *s, uint64_t ns, uint64_t addr, uint32_t len, bool bpf,
			bool gone, const char *name)
{
	struct {
		struct perf_event_header h;
		uint64_t addr;
		uint32_t len;
		uint16_t type;
		uint16_t flags;
		char name[64];
	} r = {
		.h = { .type = PERF_RECORD_KSYMBOL },
		.addr = addr, .len = len, .flags = gone,
		.type = bpf ? PERF_RECORD_KSYMBOL_TYPE_BPF : PERF_RECORD_KSYMBOL_TYPE_OOL,
	};
	size_t n = (strlen(name) / 8 + 1) * 8;

	strcpy(r.name, name);
	r.h.size = (uint16_t)(sizeof(r) - sizeof(r.name) + n + sizeof(ns));
	put(s, &r, r.h.size - sizeof(ns));
	put(s, &ns, sizeof(ns));
}

static void put_lost(struct side *s, uint64_t n)
{
	struct {
		struct perf_event_header h;
		uint64_t id;
		uint64_t lost;
		uint64_t ns;
	} r = { .h = { .type = PERF_RECORD_LOST, .size = sizeof(r) }, .lost = n };

	put(s, &r, sizeof(r));
}

static void take(void *arg, const struct lt_ksymbol *s)
{
	lt_made_take(arg, s, s->ns);
}

/* Reads both sides, whose memory is no mapping. */
static void read_sides(struct lt_ksymbols *k, struct side *a, struct side *b, struct lt_made *m,
		       bool all)
{
	k->owner = getpid();
	lt_ksymbol_ring_read(k, &a->ring);
	lt_ksymbol_ring_read(k, &b->ring);
	lt_ksymbols_read(k, all, take, m);
	assert_int_equal(a->ring.page->data_tail, a->ring.page->data_head);
}

static void test_records(void **state)
{
	struct lt_ksymbols k = { 0 };
	struct lt_made m = { 0 };
	struct side a, b;

	(void)state;
	begin_side(&a, 0);
	begin_side(&b, 1);
	put_ksymbol(&a, 1000, 0xffffffffc0000000, 64, true, false, "bpf_prog_1_one");
	put_ksymbol(&a, 4000, 0xffffffffc0000000, 64, true, false, "bpf_prog_3_three");
	put_ksymbol(&a, 5000, 0xffffffffc0001000, 4096, false, false, "kprobe_insn_page");
	put_ksymbol(&a, 6000, 0xffffffffc0002000, 200, false, true, "ftrace_trampoline");
	put_ksymbol(&b, 2000, 0xffffffffc0000000, 64, true, true, "bpf_prog_1_one");
	put_lost(&b, 3);
	put_ksymbol(&b, 7000, 0xffffffffc0000010, 16, true, false, "bpf_prog_4_four");
	read_sides(&k, &a, &b, &m, true);
	assert_int_equal(k.lost, 3);
	assert_string_equal(lt_made_text(&m),
		"code bpf begin 0xffffffffc0000000 size 64 from 1000 to 2000 build -\n"
		"0xffffffffc0000000 t bpf_prog_1_one\n"
		/* That it went was lost: another one has its place. */
		"code bpf begin 0xffffffffc0000000 size 64 from 4000 to 7000 build -\n"
		"0xffffffffc0000000 t bpf_prog_3_three\n"
		"code __builtin__kprobes begin 0xffffffffc0001000 size 4096 from 5000 to 0 build -\n"
		"0xffffffffc0001000 t kprobe_insn_page\n"
		"code __builtin__ftrace begin 0xffffffffc0002000 size 200 from 0 to 6000 build -\n"
		"0xffffffffc0002000 t ftrace_trampoline\n"
		"code bpf begin 0xffffffffc0000010 size 16 from 7000 to 0 build -\n"
		"0xffffffffc0000010 t bpf_prog_4_four\n");
	lt_made_destroy(&m);
	lt_ksymbols_close(&k);
}

/* A record that is too new waits for those of other CPUs. */
static void test_order(void **state)
{
	struct lt_ksymbols k = { 0 };
	struct lt_made m = { 0 };
	struct timespec ts;
	struct side a, b;
	uint64_t now;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec + 3600000000000;
	begin_side(&a, 0);
	begin_side(&b, 1);
	put_ksymbol(&a, now + 10, 0xffffffffc0000000, 64, true, true, "bpf_prog_1_one");
	read_sides(&k, &a, &b, &m, false);
	assert_string_equal(lt_made_text(&m), "");
	put_ksymbol(&b, now, 0xffffffffc0000000, 64, true, false, "bpf_prog_1_one");
	read_sides(&k, &a, &b, &m, true);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.ranges[0].from, now);
	assert_int_equal(m.ranges[0].to, now + 10);
	lt_made_destroy(&m);
	lt_ksymbols_close(&k);
}

/* Records that are none count as lost; behind one without a size nothing can be read. */
static void test_wrong(void **state)
{
	static const struct perf_event_header empty;
	static const struct perf_event_header small = { .type = PERF_RECORD_KSYMBOL, .size = 24 };
	struct lt_ksymbols k = { 0 };
	struct lt_made m = { 0 };
	struct side a, b;

	(void)state;
	begin_side(&a, 0);
	begin_side(&b, 1);
	put(&a, &small, sizeof(small));
	put(&a, "................", 16);
	put_ksymbol(&a, 1, 0xffffffffc0000000, 64, true, false, "two words");
	put_ksymbol(&a, 2, 0xffffffffc0000000, 0, true, false, "empty");
	put_ksymbol(&a, 3, 0xfffffffffffffff0, 64, true, false, "round");
	put(&a, &empty, sizeof(empty));
	put_ksymbol(&a, 4, 0xffffffffc0000000, 64, true, false, "behind");
	read_sides(&k, &a, &b, &m, true);
	assert_int_equal(k.lost, 4);
	assert_string_equal(lt_made_text(&m), "");
	lt_made_destroy(&m);
	lt_ksymbols_close(&k);
}

/* What is gone is forgotten, the oldest first; what is there stays, with its number. */
static void test_forget(void **state)
{
	struct lt_ksymbol s = { .len = 16, .bpf = true, .name = "bpf_prog_x" };
	struct lt_made m = { 0 };

	(void)state;
	s.addr = 0xffffffffc0000000;
	lt_made_take(&m, &s, 1);
	for (uint64_t i = 0; i < 20000; i++) {
		s.addr = 0xffffffffc0000000 + 32 * (1 + i % 7);
		s.gone = false;
		lt_made_take(&m, &s, 10 + 2 * i);
		s.gone = true;
		lt_made_take(&m, &s, 11 + 2 * i);
		if (i == 4000)
			lt_made_text(&m);
	}
	assert_true(m.n <= 8193);
	assert_int_equal(m.n_there, 1);
	assert_int_equal(m.ranges[m.there[0]].from, 1);
	assert_int_equal(m.ranges[m.n - 1].to, 11 + 2 * 19999);
	/* The text had those of the first 4001. */
	assert_int_equal(m.forgotten, 20001 - m.n - 4001);
	s.addr = 0xffffffffc0000000;
	lt_made_take(&m, &s, 90000);
	assert_int_equal(m.ranges[0].to, 90000);
	lt_made_destroy(&m);
}

static void test_units(void **state)
{
	const struct lt_clock_reading first = { .clock = 1000, .monotonic = 5000000000 };
	const struct lt_clock_reading last = { .clock = 3000001000, .monotonic = 6000000000 };

	(void)state;
	/* By the readings, which are a second apart. */
	assert_int_equal(lt_made_units(&first, &last, 1, 5999999900), 3000000700);
	assert_int_equal(lt_made_units(&first, &last, 1, 6000000100), 3000001300);
	/* By the frequency. */
	assert_int_equal(lt_made_units(&last, &last, 2000000000, 6000000100), 3000001200);
	/* By nothing, or before the counter began. */
	assert_int_equal(lt_made_units(&last, &last, 0, 6000000100), 0);
	assert_int_equal(lt_made_units(&first, &last, 1, 1), 0);
}

static int load(void)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insns = (uintptr_t)code, .insn_cnt = 2,
		.license = (uintptr_t)"GPL", .prog_name = "lt_test",
	};

	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

/* "ADDRESS t NAME [bpf]" of /proc/kallsyms, cut to address and name. */
static bool find_in_kallsyms(uint64_t *addr, char *name, size_t size)
{
	char *text = lt_read_text_file("/proc/kallsyms", 256 << 20, NULL);
	const char *pos = text, *line;
	char word[600] = "";
	bool found = false;
	size_t len;

	while (!found && pos && lt_line(&pos, &line, &len)) {
		if (!memmem(line, len, "_lt_test\t[bpf]", 14))
			continue;
		found = lt_word(&line, &len, word, sizeof(word)) && lt_number(word, 16, addr) &&
			*addr && lt_word(&line, &len, word, sizeof(word)) &&
			lt_word(&line, &len, name, size);
	}
	free(text);
	return found;
}

static void test_kernel(void **state)
{
	struct lt_ksymbols k;
	struct lt_made m = { 0 };
	char name[600], *want;
	uint64_t addr;
	int fd;

	(void)state;
	lt_ksymbols_open(&k);
	fd = *k.why ? -1 : load();
	if (fd < 0 || !find_in_kallsyms(&addr, name, sizeof(name))) {
		print_message("this machine's kernel shows no names of programs: %s\n", k.why);
		lt_ksymbols_close(&k);
		skip();
	}
	close(fd);
	/* The kernel frees it behind close(). */
	want = lt_format("\n0x%llx t %s\n", (unsigned long long)addr, name);
	for (int i = 0; i < 100; i++) {
		const char *at;

		lt_ksymbols_read(&k, false, take, &m);
		at = strstr(lt_made_text(&m), want);
		if (at && strncmp(at - strlen(" to 0 build -"), " to 0 build -", 13) != 0)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
		assert_true(i < 99);
	}
	free(want);
	lt_made_destroy(&m);
	lt_ksymbols_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_forget),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_kernel),
	};

	return cmocka_run_group_tests_name("code that the kernel makes", tests, NULL, NULL);
}
