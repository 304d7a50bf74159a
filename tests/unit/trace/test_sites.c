// SPDX-License-Identifier: GPL-2.0
/*
 * Names of code that came or went while the trace was recorded: within its bounds, at its time.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "format/plain.h"
#include "sums/leaks.h"
#include "trace/code.h"
#include "trace/trace.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define KERNEL	0xffffffff81000100ULL
#define CODE	0xffffffffc0100000ULL

/* Of the start: the kernel, a module that stays, one that goes, a trampoline below them all. */
static const char symbols[] =
	"ffffffff81000000 T _stext\nffffffff81000080 T kernel_alloc\nffffffff81001000 T _etext\n"
	"ffffffff81100000 T _sinittext\nffffffff81100010 T kernel_init\n"
	"ffffffff81101000 T _einittext\n"
	"ffffffffc0000000 t ftrace_trampoline\t[__builtin__ftrace]\n"
	"ffffffff81000400 T return_to_handler\n"
	"ffffffffc0200000 t stays_alloc\t[stays]\n"
	"ffffffffc0300000 t old_alloc\t[old]\n";
static const char modules[] =
	"stays 16384 0 - Live 0xffffffffc0200000\nold 16384 0 - Live 0xffffffffc0300000\n";

/*
 * driver is there from 1000 to 2000, and again at 5000; after has its addresses from 3000 to 4000.
 */
static const char code[] =
	"changes 9 forgotten 0 nameless 0\n"
	"code old begin 0xffffffffc0300000 size 4096 from 0 to 1500 build -\n"
	"0xffffffffc0300000 t old_alloc\n"
	"code driver begin 0xffffffffc0100000 size 4096 from 1000 to 2000 build abcd\n"
	"0xffffffffc0100000 t driver_init\n0xffffffffc0100040 t driver_alloc\n"
	"code driver begin 0xffffffffc0110000 size 4096 from 1000 to 1100 build abcd\n"
	"0xffffffffc0110000 t driver_first\n"
	"code after begin 0xffffffffc0100000 size 4096 from 3000 to 4000 build -\n"
	"0xffffffffc0100000 t after_alloc\n"
	"code driver begin 0xffffffffc0100000 size 4096 from 5000 to 6000 build abcd\n"
	"0xffffffffc0100000 t driver_init\n0xffffffffc0100040 t driver_alloc\n";

static struct lt_trace *open_with(struct tg *g, const char *name)
{
	struct lt_trace *t;

	tg_finish(g, 20000);
	assert_int_equal(tg_write(g, test_path(name), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path(name));
	assert_non_null(t);
	return t;
}

static struct tg *begin(void)
{
	struct tg *g = tg_new(NULL);

	tg_text(g, LT_BLOCK_SYMBOLS, symbols);
	tg_text(g, LT_BLOCK_MODULES, modules);
	return g;
}

/* The name of the call site of the next event. */
static void assert_next(struct lt_trace *t, const char *expected, uint64_t addr)
{
	struct lt_event ev;
	char buf[128];

	do {
		assert_int_equal(lt_trace_next(t, &ev), 1);
	} while (ev.id == LT_EV_SITE);
	assert_string_equal(lt_trace_symbol(t, ev.call_site, true, buf, sizeof(buf)), expected);
	assert_int_equal(lt_trace_code_address(t, ev.call_site), addr);
	assert_int_equal(lt_trace_site(t, addr), ev.call_site);
}

static void test_bounds(void **state)
{
	static const struct {
		uint64_t addr;
		const char *name;
	} rows[] = {
		{ KERNEL, "kernel_alloc+0x80" },
		{ 0xffffffff81000400, "return_to_handler+0x0 (under another tracer)" },
		{ 0xffffffff81000401, "return_to_handler+0x1" },
		{ 0xffffffff81001010, "0xffffffff81001010 (code that is gone)" },
		{ 0xffffffff81100ff0, "kernel_init+0xfe0" },
		{ 0xffffffff81101010, "0xffffffff81101010 (code that is gone)" },
		{ 0xffffffffc0000010, "ftrace_trampoline+0x10 [__builtin__ftrace]" },
		{ 0xffffffffc0002375, "0xffffffffc0002375 (code that is gone)" },
		{ 0xffffffffc0200010, "stays_alloc+0x10 [stays]" },
		{ 0xffffffffc0204000, "0xffffffffc0204000 (code that is gone)" },
		{ 0xffffffffc0300010, "old_alloc+0x10 [old]" },
		/* Within what /proc/modules says of it, but not within its code. */
		{ 0xffffffffc0301010, "0xffffffffc0301010 (code that is gone)" },
		{ 0xffffffffc0110010, "driver_first+0x10 [driver]" },
	};
	struct tg *g = begin();
	struct lt_trace *t;
	char buf[128];

	(void)state;
	tg_text(g, LT_BLOCK_CODE, code);
	t = open_with(g, "bounds.lt");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(lt_trace_symbol(t, rows[i].addr, true, buf, sizeof(buf)),
				    rows[i].name);
	lt_trace_close(t);
}

static void test_time(void **state)
{
	struct tg *g = begin();
	struct lt_trace *t;

	(void)state;
	tg_text(g, LT_BLOCK_CODE, code);
	TG_KMALLOC(g, 0, 1050, .ptr = PTR, .call_site = CODE + 0x50, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 1060, .ptr = PTR + 64, .call_site = KERNEL, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 2500, .ptr = PTR + 128, .call_site = CODE + 0x50, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 3000, .ptr = PTR + 192, .call_site = CODE + 0x50, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 5000, .ptr = PTR + 256, .call_site = CODE + 0x50, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	t = open_with(g, "time.lt");
	assert_next(t, "driver_alloc+0x10 [driver]", CODE + 0x50);
	assert_next(t, "kernel_alloc+0x80", KERNEL);
	assert_next(t, "0xffffffffc0100050 (code that is gone)", CODE + 0x50);
	assert_next(t, "after_alloc+0x50 [after]", CODE + 0x50);
	/* A module that was loaded again as it was has its sites again. */
	assert_next(t, "driver_alloc+0x10 [driver]", CODE + 0x50);
	lt_trace_close(t);
}

/* A module that came and stays has the symbols of the end, of a text that has others, too. */
static void test_stays(void **state)
{
	struct tg *g = begin();
	struct lt_trace *t;

	(void)state;
	tg_text(g, LT_BLOCK_SYMBOLS, "ffffffffc0300000 t new_alloc\t[new]\n");
	tg_text(g, LT_BLOCK_MODULES, "new 16384 0 - Live 0xffffffffc0300000\n");
	tg_text(g, LT_BLOCK_CODE,
		"code old begin 0xffffffffc0300000 size 4096 from 0 to 1500 build -\n"
		"0xffffffffc0300000 t old_alloc\n"
		"code new begin 0xffffffffc0300000 size 4096 from 1600 to 0 build -\n");
	TG_KMALLOC(g, 0, 1400, .ptr = PTR, .call_site = 0xffffffffc0300010, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 1700, .ptr = PTR + 64, .call_site = 0xffffffffc0300010, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	t = open_with(g, "stays.lt");
	assert_next(t, "old_alloc+0x10 [old]", 0xffffffffc0300010);
	assert_next(t, "new_alloc+0x10 [new]", 0xffffffffc0300010);
	lt_trace_close(t);
}

/* A later text has more of a range; without a symbol the module at least is known. */
static void test_texts(void **state)
{
	struct tg *g = begin();
	struct lt_trace *t;

	(void)state;
	tg_text(g, LT_BLOCK_CODE,
		"code driver begin 0xffffffffc0100000 size 4096 from 1000 to 0 build -\n");
	tg_text(g, LT_BLOCK_CODE,
		"code driver begin 0xffffffffc0100000 size 4096 from 1000 to 2000 build -\n"
		"0xffffffffc0100040 t driver_alloc\n");
	TG_KMALLOC(g, 0, 1050, .ptr = PTR, .call_site = CODE + 0x50, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 1060, .ptr = PTR + 64, .call_site = CODE + 0x10, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	t = open_with(g, "texts.lt");
	assert_next(t, "driver_alloc+0x10 [driver]", CODE + 0x50);
	assert_next(t, "0xffffffffc0100010 [driver]", CODE + 0x10);
	lt_trace_close(t);
}

/*
 * Code that the kernel makes has its name until other code comes: CPUs may be in it for a while
 * after its name went. What was there before the session has the name that it had when it went.
 */
static void test_made(void **state)
{
	struct tg *g = begin();
	struct lt_trace *t;

	(void)state;
	tg_text(g, LT_BLOCK_SYMBOLS, "ffffffffc0100000 t bpf_prog_first\t[bpf]\n");
	tg_text(g, LT_BLOCK_CODE,
		"changes 0 forgotten 0 nameless 0\n"
		"code bpf begin 0xffffffffc0100000 size 128 from 0 to 1000 build -\n"
		"0xffffffffc0100000 t bpf_prog_first\n"
		"code bpf begin 0xffffffffc0100040 size 128 from 2000 to 3000 build -\n"
		"0xffffffffc0100040 t bpf_prog_second\n"
		"code __builtin__ftrace begin 0xffffffffc0100000 size 64 from 2500 to 0 build -\n"
		"0xffffffffc0100000 t ftrace_trampoline\n"
		"code driver begin 0xffffffffc0100000 size 4096 from 4000 to 5000 build -\n"
		"0xffffffffc0100000 t driver_init\n");
	for (unsigned int i = 0; i < 5; i++)
		TG_KMALLOC(g, 0, 900 + 200 * i, .ptr = PTR + 64 * i, .call_site = CODE + 0x50,
			   .bytes_req = 8, .bytes_alloc = 8, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 2100, .ptr = PTR + 512, .call_site = CODE + 0x50, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 2100, .ptr = PTR + 576, .call_site = CODE + 0x10, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 2600, .ptr = PTR + 640, .call_site = CODE + 0x10, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 3100, .ptr = PTR + 704, .call_site = CODE + 0x50, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 3100, .ptr = PTR + 768, .call_site = CODE + 0xc0, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 4100, .ptr = PTR + 832, .call_site = CODE + 0x50, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 5100, .ptr = PTR + 896, .call_site = CODE + 0x50, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	t = open_with(g, "made.lt");
	for (unsigned int i = 0; i < 5; i++)
		assert_next(t, "bpf_prog_first+0x50 [bpf]", CODE + 0x50);
	assert_next(t, "bpf_prog_second+0x10 [bpf]", CODE + 0x50);
	assert_next(t, "bpf_prog_first+0x10 [bpf]", CODE + 0x10);
	assert_next(t, "ftrace_trampoline+0x10 [__builtin__ftrace]", CODE + 0x10);
	assert_next(t, "bpf_prog_second+0x10 [bpf]", CODE + 0x50);
	assert_next(t, "0xffffffffc01000c0 (code that is gone)", CODE + 0xc0);
	assert_next(t, "driver_init+0x50 [driver]", CODE + 0x50);
	assert_next(t, "0xffffffffc0100050 (code that is gone)", CODE + 0x50);
	lt_trace_close(t);
}

/*
 * A module that was there all the time ends where its code does, not where /proc/modules has its
 * size. When it goes, a later text says so; which of the two is read first makes no difference.
 */
static void test_present(void **state)
{
	static const char *const texts[] = {
		"code stays begin 0xffffffffc0200000 size 4096 from 0 to 0 build ab\n"
		"code old begin 0xffffffffc0300000 size 4096 from 0 to 0 build -\n",
		"code stays begin 0xffffffffc0200000 size 4096 from 0 to 0 build ab\n"
		"code old begin 0xffffffffc0300000 size 4096 from 0 to 1500 build -\n"
		"0xffffffffc0300000 t old_alloc\n",
	};
	struct lt_unloaded_code gone;
	char buf[128];

	(void)state;
	for (unsigned int first = 0; first < 2; first++) {
		struct tg *g = begin();
		struct lt_trace *t;

		tg_text(g, LT_BLOCK_CODE, texts[first]);
		tg_text(g, LT_BLOCK_CODE, texts[!first]);
		TG_KMALLOC(g, 0, 1400, .ptr = PTR, .call_site = 0xffffffffc0300010, .bytes_req = 8,
			   .bytes_alloc = 8, .gfp = 0, .node = -1);
		TG_KMALLOC(g, 0, 1600, .ptr = PTR + 64, .call_site = 0xffffffffc0300010,
			   .bytes_req = 8, .bytes_alloc = 8, .gfp = 0, .node = -1);
		TG_KMALLOC(g, 0, 1700, .ptr = PTR + 128, .call_site = 0xffffffffc0200010,
			   .bytes_req = 8, .bytes_alloc = 8, .gfp = 0, .node = -1);
		t = open_with(g, first ? "present2.lt" : "present1.lt");
		assert_next(t, "old_alloc+0x10 [old]", 0xffffffffc0300010);
		assert_next(t, "0xffffffffc0300010 (code that is gone)", 0xffffffffc0300010);
		assert_next(t, "stays_alloc+0x10 [stays]", 0xffffffffc0200010);
		assert_string_equal(lt_trace_symbol(t, 0xffffffffc0200ff0, true, buf, sizeof(buf)),
				    "stays_alloc+0xff0 [stays]");
		assert_string_equal(lt_trace_symbol(t, 0xffffffffc0201000, true, buf, sizeof(buf)),
				    "0xffffffffc0201000 (code that is gone)");
		assert_true(lt_trace_unloaded(t, 0xffffffffc0300010, 1400, &gone));
		assert_string_equal(gone.name, "old");
		assert_int_equal(gone.time, 1500);
		assert_false(lt_trace_unloaded(t, 0xffffffffc0200010, 1400, &gone));
		lt_trace_close(t);
	}
}

/* Lines that are none are left out, with a message; the others are taken. */
static void test_bad_lines(void **state)
{
	struct tg *g = begin();
	struct lt_trace *t;

	(void)state;
	tg_text(g, LT_BLOCK_CODE,
		"code\ncode x begin 0x0 size 1 from 1 to 2 build -\n0x1 t wrong\n"
		"code x begin 0xffffffffffffff00 size 4096 from 1 to 2 build -\n"
		"code x begin 0xffffffffc0100000 size 4096 from 9 to 2 build -\n"
		"code driver begin 0xffffffffc0100000 size 4096 from 1000 to 2000 build -\n"
		"0xffffffffc0100040 t driver_alloc\nanything\n0xffffffffc0100041 t wrong\n");
	TG_KMALLOC(g, 0, 1050, .ptr = PTR, .call_site = CODE + 0x50, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	test_stderr_begin();
	t = open_with(g, "bad.lt");
	assert_non_null(strstr(test_stderr_end(), "CODE: line 1 is no range of code"));
	assert_next(t, "driver_alloc+0x10 [driver]", CODE + 0x50);
	lt_trace_close(t);
}

static void test_leaks(void **state)
{
	struct lt_leak_options opts = { 0 };
	struct tg *g = begin();
	struct lt_leaks *l;
	struct lt_trace *t;

	(void)state;
	tg_text(g, LT_BLOCK_CODE, code);
	for (unsigned int i = 0; i < 40; i++)
		TG_KMALLOC(g, 0, 1050 + i, .ptr = PTR + 64 * i, .call_site = CODE + 0x50,
			   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 1200, .ptr = PTR + 4096, .call_site = KERNEL, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0, .node = -1);
	tg_kfree(g, 0, 1900, PTR, CODE + 0x60);
	TG_KMALLOC(g, 0, 3500, .ptr = PTR + 8192, .call_site = CODE + 0x50, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 5500, .ptr = PTR + 8256, .call_site = CODE + 0x50, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0, .node = -1);
	t = open_with(g, "leaks.lt");
	l = lt_leaks_make(t, &opts);
	assert_non_null(l);
	assert_int_equal(l->n_modules, 3);
	assert_string_equal(l->modules[0].name, "driver");
	assert_int_equal(l->modules[0].time, 2000);
	assert_int_equal(l->modules[0].live, 39);
	assert_int_equal(l->modules[0].live_bytes, 39 * 64);
	assert_string_equal(l->modules[1].name, "after");
	assert_int_equal(l->modules[1].live, 1);
	assert_string_equal(l->modules[2].name, "driver");
	assert_int_equal(l->modules[2].time, 6000);
	assert_int_equal(l->modules[2].live, 1);
	/* Both times it was the same code, so one row; the kernel's own is no module's. */
	assert_int_equal(l->n_rows, 3);
	assert_int_equal(l->rows[0].gone, 40);
	assert_int_equal(l->rows[1].gone, 1);
	assert_int_equal(l->rows[2].gone, 0);
	lt_leaks_free(l);
	lt_trace_close(t);
}

/* Frames of stacks are sites, too. */
static void test_stacks(void **state)
{
	struct tg *g = begin();
	struct lt_stack stack;
	struct lt_trace *t;
	struct lt_event ev;
	char buf[128];

	(void)state;
	tg_text(g, LT_BLOCK_CODE, code);
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t time = 1050 + 2000 * i;
		const struct lt_rec_STACK_WIDE rec = {
			.stack = 1, .n_frames = 2, .frames = { KERNEL, CODE + 0x50 },
		};
		const struct lt_rec_SITE site = { .site = 1, .node = -1, .stack = 1 };
		struct lt_rec_KMALLOC_SHORT event = { .site = 1 };

		tg_put(g, 0, time, LT_EV_STACK_WIDE, &rec);
		tg_put(g, 0, time, LT_EV_SITE, &site);
		event.ptr[0] = (uint8_t)i;
		tg_put(g, 0, time, LT_EV_KMALLOC_SHORT, &event);
	}
	t = open_with(g, "stacks.lt");
	for (unsigned int i = 0; i < 2; i++) {
		do {
			assert_int_equal(lt_trace_next(t, &ev), 1);
		} while (ev.class != LT_CLASS_KMALLOC);
		stack = lt_trace_stack(t, ev.stack);
		assert_int_equal(stack.n, 2);
		assert_int_equal(stack.frames[0], KERNEL);
		assert_string_equal(lt_trace_symbol(t, stack.frames[1], false, buf, sizeof(buf)),
				    i ? "after_alloc [after]" : "driver_alloc [driver]");
	}
	lt_trace_close(t);
}

/*
 * Of a live trace it becomes known only while a packet is read that its code has changed: also of a
 * record that was looked at before, and of sites that others use.
 */
static void test_live(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .brief = true });
	struct lt_plain_event plain;
	struct tg_packet *p;
	struct lt_trace *t;
	size_t n;

	(void)state;
	for (unsigned int i = 0; i < 4; i++)
		TG_KMALLOC(g, 0, 900 + 1000 * i, .ptr = PTR + 64 * i, .call_site = CODE + 0x50,
			   .bytes_req = 8, .bytes_alloc = 8, .gfp = 0, .node = -1);
	tg_finish(g, 20000);
	t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	assert_non_null(t);
	lt_trace_add_text(t, LT_BLOCK_SYMBOLS, "ffffffffc0100000 t old_alloc\t[old]\n");
	p = tg_packets(g, &n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(lt_trace_push(t, p[i].data, p[i].size), 0);
	tg_free(g);
	lt_trace_watermark(t, UINT64_MAX);
	do {
		assert_int_equal(lt_trace_next_plain(t, &plain, 1, true), 1);
	} while (!plain.form);
	assert_int_equal(plain.time, 900);
	lt_trace_add_text(t, LT_BLOCK_CODE,
			  "code old begin 0xffffffffc0100000 size 4096 from 0 to 1500 build -\n"
			  "0xffffffffc0100000 t old_alloc\n"
			  "code new begin 0xffffffffc0100000 size 4096 from 2500 to 0 build -\n"
			  "0xffffffffc0100000 t new_alloc\n");
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(lt_trace_next_plain(t, &plain, 1, true), 0);
		assert_next(t, i ? "new_alloc+0x50 [new]" : "0xffffffffc0100050 (code that is gone)",
			    CODE + 0x50);
	}
	lt_trace_close(t);
}

#define MANY	20000		/* functions of one module */

struct asker {
	struct lt_trace *t;
	pthread_barrier_t *together;
	unsigned int wrong;
};

static void *ask(void *arg)
{
	struct asker *a = arg;
	char expected[32];

	pthread_barrier_wait(a->together);
	for (unsigned int i = 0; i < MANY; i++) {
		const char *module, *name;
		uint64_t offset;

		name = lt_trace_function(a->t, CODE + i * 16 + 8, &offset, &module);
		snprintf(expected, sizeof(expected), "function_%u", i);
		a->wrong += !name || strcmp(name, expected) || offset != 8;
	}
	return NULL;
}

/* The functions of a module in no order, as /proc/kallsyms has them. */
static struct lt_trace *open_many(void)
{
	char *text = malloc(MANY * 64), *p = text;
	struct tg *g = tg_new(NULL);

	assert_non_null(text);
	for (unsigned int i = 0; i < MANY; i++) {
		unsigned int n = i * 7919 % MANY;

		p += sprintf(p, "%llx t function_%u\t[many]\n", CODE + n * 16, n);
	}
	tg_text(g, LT_BLOCK_SYMBOLS, text);
	tg_text(g, LT_BLOCK_CODE, "changes 0 forgotten 0 nameless 0\n"
		"code many begin 0xffffffffc0100000 size 320000 from 0 to 0 build -\n");
	free(text);
	return open_with(g, "many.lt");
}

/* Once a name was asked for, two threads may ask: the one that pairs, and the one that prints. */
static void test_two_threads(void **state)
{
	struct lt_trace *t = open_many();
	pthread_barrier_t together;
	struct asker askers[2] = {
		{ .t = t, .together = &together }, { .t = t, .together = &together },
	};
	pthread_t threads[2];
	char buf[64];

	(void)state;
	lt_trace_symbol(t, 0, false, buf, sizeof(buf));
	assert_int_equal(pthread_barrier_init(&together, NULL, 2), 0);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(askers[i].wrong, 0);
	}
	pthread_barrier_destroy(&together);
	lt_trace_close(t);
}

/* Code that came twice to the same addresses, so that those of the second time are other sites. */
static const char twice[] =
	"code one begin 0xffffffffc0100000 size 320000 from 1000 to 2000 build -\n"
	"code two begin 0xffffffffc0100000 size 320000 from 3000 to 0 build -\n";

struct made {
	struct lt_code *code;
	uint64_t sites[MANY];
	unsigned int n;		/* of @sites, by who makes them */
	unsigned int wrong;
};

static void *look(void *arg)
{
	struct made *m = arg;
	unsigned int n;

	do {
		n = __atomic_load_n(&m->n, __ATOMIC_ACQUIRE);
		for (unsigned int i = 0; i < n; i += 1 + n / 64)
			m->wrong += lt_code_address(m->code, m->sites[i]) != CODE + i * 16;
	} while (n < MANY);
	return NULL;
}

/* One thread makes sites while another one, which prints, asks for those that it was given. */
static void test_made_meanwhile(void **state)
{
	struct lt_code one;
	struct made m = { .code = &one };
	pthread_t thread;

	(void)state;
	lt_code_init(&one);
	assert_int_equal(lt_code_add(&one, twice), 0);
	lt_code_ready(&one);
	assert_int_equal(pthread_create(&thread, NULL, look, &m), 0);
	for (unsigned int i = 0; i < MANY; i++) {
		m.sites[i] = lt_code_site(&one, CODE + i * 16, 4000);
		__atomic_store_n(&m.n, i + 1, __ATOMIC_RELEASE);
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(m.wrong, 0);
	assert_int_not_equal(m.sites[0], CODE);
	for (unsigned int i = 0; i < MANY; i++)
		assert_true(lt_code_site(&one, CODE + i * 16, 5000) == m.sites[i]);
	lt_code_destroy(&one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds), cmocka_unit_test(test_time),
		cmocka_unit_test(test_stays), cmocka_unit_test(test_texts),
		cmocka_unit_test(test_made), cmocka_unit_test(test_present),
		cmocka_unit_test(test_bad_lines), cmocka_unit_test(test_leaks),
		cmocka_unit_test(test_stacks), cmocka_unit_test(test_live), cmocka_unit_test(test_two_threads),
		cmocka_unit_test(test_made_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
