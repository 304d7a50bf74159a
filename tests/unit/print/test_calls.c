// SPDX-License-Identifier: GPL-2.0
/*
 * How function calls are printed: lines, trees, sums, collapsed stacks; and which.
 */
#include <fcntl.h>
#include <unistd.h>

#include "print/calls.h"
#include "print/calls_sink.h"
#include "testlib.h"
#include "tracegen.h"

#define C0	TG_CALL(0)
#define C1	TG_CALL(1)

static const char functions[] =
	"function\t0\tvfs_read\t-\t0\tssize_t vfs_read(...)\n"
	"value\t0\tcount\tentry\tunsigned\t8\tsize_t\n"
	"value\t0\tret\tresult\tsigned\t8\tssize_t\n"
	"value\t0\t*pos\treturn\tsigned\t8\tloff_t\n"
	"function\t1\tfault\t-\t0\tvoid fault(void)\n"
	"function\t2\tirq\tdriver\t0\tvoid irq(void)\n";

static void put_read(struct tg *g, uint64_t begin, uint64_t end, uint16_t depth, int64_t result)
{
	tg_call(g, C0, end, &(struct tg_call){ .depth = depth, .duration = end - begin, .values = {
		{ 8, 64, NULL }, { 8, (uint64_t)result, NULL }, { 8, 7, NULL } } });
}

/*
 * cat reads, with two faults and an interrupt in the read; a jump; a read that fails. dog dies in a
 * fault. Calls of CPU 0 are lost later, while a fault goes on.
 */
static void write_calls(const char *path)
{
	struct tg *g = tg_new(&(struct tg_options){ .machine = "x86_64", .info = "recorder_tgid=40\n"
						    "recorder_pid_ns=4026531836\n" });

	tg_text(g, LT_BLOCK_FUNCTIONS, functions);
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 16, .start = 500, .comm = "cat");
	TG_TASK(g, TG_SYSCALL(0), 1000, .tid = 17, .tgid = 16, .start = 500, .comm = "cat");
	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 16, .start = 500, .comm = "cat");
	TG_TASK(g, C1, 1000, .tid = 18, .tgid = 18, .start = 600, .comm = "dog");
	TG_KMALLOC(g, 0, 2150, .ptr = 0xffff888000001000, .call_site = 0xffffffff81000100,
		   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	tg_call(g, C0, 2200, &(struct tg_call){ .function = 1, .depth = 60, .duration = 100 });
	tg_context(g, C0, LT_CTX_HARDIRQ);
	tg_call(g, C0, 2350, &(struct tg_call){ .function = 2, .depth = 9, .duration = 10 });
	tg_context(g, C0, LT_CTX_TASK);
	tg_call(g, C0, 2400, &(struct tg_call){ .function = 1, .depth = 60, .duration = 100 });
	put_read(g, 2000, 22000, 30, 10);
	TG_PUT(g, TG_SYSCALL(0), 22500, SYS_WIDE_3, .nr = 0, .duration = 21000, .result = 10,
	       .arg0 = 3, .arg1 = 0x1000, .arg2 = 64);
	tg_call(g, C0, 23500, &(struct tg_call){ .function = 1, .depth = 30, .duration = 400 });
	put_read(g, 23000, 23500, 30, -9);
	tg_close(g, C0, 24000);
	tg_lost(g, C0, LT_CLASS_CALL, TG_NESTED, 2);
	TG_TASK(g, C0, 24100, .tid = 17, .tgid = 16, .start = 500, .comm = "cat");
	tg_call(g, C0, 30000, &(struct tg_call){ .function = 1, .depth = 30, .duration = 6500 });
	TG_PUT(g, C1, 31000, CALL_OPEN, .tid = 18, .tgid = 18, .start = 600, .function = 1, .depth = 5,
	       .why = LT_CALL_DIED, .begin = 30500);
	tg_finish(g, 40000);
	tg_text(g, LT_BLOCK_FUNCTIONS, "counts\t0\twatched\t3\t3\t1\t0\t0\t0\t\n"
		"counts\t1\twatched\t6\t4\t0\t2\t1\t0\t\n"
		"counts\t2\tnot watched\t1\t1\t0\t0\t0\t0\tit went away\n");
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
}

/* What is printed of the trace. Return: the sink's. */
static int run(const char *path, const struct lt_filter_spec *spec, struct lt_calls_options o,
	       char *text, size_t size)
{
	char out[256];
	struct lt_sink *sink;
	struct lt_trace *t;
	struct lt_event ev;
	int fd, err;
	ssize_t n;

	snprintf(out, sizeof(out), "%s", test_path("out"));
	fd = open(out, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	if (spec) {
		o.filter = lt_filter_new(spec, path);
		assert_non_null(o.filter);
	}
	sink = lt_calls_sink_new(&o, fd);
	t = lt_trace_open(path);
	assert_non_null(t);
	err = sink->begin(sink, t);
	while (!err && lt_trace_next(t, &ev) > 0)
		assert_int_equal(sink->event(sink, &ev), 0);
	err |= sink->end(sink);
	lt_trace_close(t);
	lt_filter_free(o.filter);
	fd = open(out, O_RDONLY);
	n = read(fd, text, size - 1);
	assert_true(n >= 0);
	text[n] = 0;
	close(fd);
	return err;
}

static void assert_printed(const struct lt_filter_spec *spec, struct lt_calls_options o,
			   const char *expected)
{
	char text[8192], path[256];

	snprintf(path, sizeof(path), "%s", test_path("calls.lt"));
	write_calls(path);
	o.times = LT_TIMES_CLOCK;
	test_stderr_begin();
	assert_int_equal(run(path, spec, o, text, sizeof(text)), 0);
	test_stderr_end();
	assert_string_equal(text, expected);
}

#define LINE(time, rest)	"    0.0000" time rest "\n"

static void test_lines(void **state)
{
	(void)state;
	assert_printed(NULL, (struct lt_calls_options){ 0 },
		LINE("02100", " cat-17 [000] fault() <0.000000100>")
		LINE("02340", " cat-17 [000 hardirq] irq() <0.000000010>")
		LINE("02300", " cat-17 [000] fault() <0.000000100>")
		LINE("02000", " cat-17 [000] vfs_read(.count=64; .*pos=7) = 10 <0.000020000>")
		LINE("23100", " cat-17 [000] fault() <0.000000400>")
		LINE("23000", " cat-17 [000] vfs_read(.count=64; .*pos=7) = -EBADF <0.000000500>")
		LINE("23500", " cat-17 [000] fault() <0.000006500>")
		LINE("30500", " dog-18 [001] fault() = ? <0.000000500> [its thread ended inside]"));
}

#define MARGIN(time, cpu, took)	"    0.0000" time "   " cpu ") " took " |  "
#define NOT_YET		"                "

static void test_graph(void **state)
{
	(void)state;
	assert_printed(NULL, (struct lt_calls_options){ .what = LT_CALLS_GRAPH },
		"cat-17, process 16:\n"
		MARGIN("01500", "0", NOT_YET) "sys_read(3, 0x1000, 64) {\n"
		MARGIN("02000", "0", NOT_YET) "  vfs_read(.count=64) {\n"
		MARGIN("02100", "0", "        0.100 us") "    fault(); /* 1 objects, 64 bytes */\n"
		MARGIN("02300", "0", "        0.100 us") "    fault();\n"
		MARGIN("22000", "0", "+      20.000 us") "  } (.*pos=7) = 10 /* 1 objects, 64 bytes */\n"
		MARGIN("22500", "0", "+      21.000 us") "} = 10\n"
		MARGIN("23000", "0", NOT_YET) "vfs_read(.count=64) {\n"
		MARGIN("23100", "0", "        0.400 us") "  fault(); /* by a jump */\n"
		MARGIN("23500", "0", "        0.500 us") "} (.*pos=7) = -EBADF\n"
		MARGIN("23500", "0", "        6.500 us")
		"fault(); /* uncertain: calls in it may be missing */\n"
		"\nhardirq on cpu 0, in cat-17, process 16:\n"
		MARGIN("02340", "0", "        0.010 us") "irq(); /* in cat-17, in fault */\n"
		"\ndog-18:\n"
		MARGIN("30500", "1", NOT_YET) "fault() = ?; /* its thread ended inside */\n");
	/* A choice of calls is one of trees: with all in them, without what is around them. */
	assert_printed(NULL, (struct lt_calls_options){ .what = LT_CALLS_GRAPH, .failed = true },
		"cat-17, process 16:\n"
		MARGIN("23000", "0", NOT_YET) "vfs_read(.count=64) {\n"
		MARGIN("23100", "0", "        0.400 us") "  fault(); /* by a jump */\n"
		MARGIN("23500", "0", "        0.500 us") "} (.*pos=7) = -EBADF\n");
	assert_printed(NULL, (struct lt_calls_options){ .what = LT_CALLS_GRAPH, .functions = "ir*" },
		"hardirq on cpu 0, in cat-17, process 16:\n"
		MARGIN("02340", "0", "        0.010 us") "irq(); /* in cat-17, in fault */\n");
}

static void test_summary(void **state)
{
	(void)state;
	assert_printed(NULL, (struct lt_calls_options){ .what = LT_CALLS_SUMMARY },
		"function  calls    total     self     p50      p99      max  errors\n"
		"vfs_read      2  20.5 us  19.9 us  500 ns  20.0 us  20.0 us       1\n"
		"fault         5   7.1 us   7.1 us  101 ns   6.5 us   6.5 us       0\n"
		"irq           1    10 ns    10 ns   10 ns    10 ns    10 ns       0\n"
		"  vfs_read: 1 filtered\n"
		"  fault: 2 missed, 1 whose thread ended inside; the sum does not close: 6 entered, "
		"4 returned + 0 open + 1 ended\n"
		"  irq: not watched: it went away\n");
	/* Counts are of all calls. */
	assert_printed(NULL, (struct lt_calls_options){ .what = LT_CALLS_SUMMARY, .min = 1000 },
		"function  calls    total     self      p50      p99      max  errors\n"
		"vfs_read      1  20.0 us  19.8 us  20.0 us  20.0 us  20.0 us       0\n"
		"fault         1   6.5 us   6.5 us   6.5 us   6.5 us   6.5 us       0\n");
}

static void test_flame(void **state)
{
	(void)state;
	assert_printed(NULL, (struct lt_calls_options){ .what = LT_CALLS_FLAME },
		"cat;sys_read 1000\ncat;sys_read;vfs_read 19800\ncat;sys_read;vfs_read;fault 200\n"
		"cat;vfs_read 100\ncat;vfs_read;fault 400\ncat;fault 6500\n(hardirq);irq 10\n"
		"dog;fault 500\n");
}

/* A number that no integer with a sign holds is none, but stands in the text. */
static void test_large_results(void **state)
{
	static const uint64_t results[] = { 5, INT64_MAX, 1ULL << 63, UINT64_MAX };
	struct lt_calls_options o = { .format = LT_FORMAT_CSV, .columns = "function,result,result_value" };
	struct tg *g = tg_new(NULL);
	char text[1024], path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("large.lt"));
	tg_text(g, LT_BLOCK_FUNCTIONS, "function\t0\tu\t-\t0\tu64 u(void)\n"
		"value\t0\tret\tresult\tunsigned\t8\tu64\n"
		"function\t1\ts\t-\t0\ts64 s(void)\nvalue\t1\tret\tresult\tsigned\t8\ts64\n"
		"function\t2\th\t-\t0\tlong h(void)\nvalue\t2\tret\tresult\thex\t8\tlong\n");
	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 16, .start = 500, .comm = "cat");
	for (unsigned int i = 0; i < 12; i++)
		tg_call(g, C0, 2000 + i, &(struct tg_call){ .function = (uint16_t)(i / 4),
			.values = { { 8, results[i % 4], NULL } } });
	tg_finish(g, 3000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	assert_int_equal(run(path, NULL, o, text, sizeof(text)), 0);
	assert_string_equal(text, "function,result,result_value\n"
		"u,5,5\nu,9223372036854775807,9223372036854775807\nu,9223372036854775808,\n"
		"u,18446744073709551615,\n"
		"s,5,5\ns,9223372036854775807,9223372036854775807\n"
		"s,-9223372036854775808,-9223372036854775808\ns,-EPERM,-1\n"
		"h,0x5,5\nh,0x7fffffffffffffff,9223372036854775807\nh,0x8000000000000000,\n"
		"h,0xffffffffffffffff,\n");
}

/* A filter by task leaves out what runs in an interrupt: it is no task's. */
static void test_filters(void **state)
{
	const struct lt_filter_spec cat = { .task = "cat", .to = "@0.00000235" };
	const struct lt_filter_spec dog = { .task = "18" };

	(void)state;
	assert_printed(&cat, (struct lt_calls_options){ 0 },
		       LINE("02100", " cat-17 [000] fault() <0.000000100>"));
	assert_printed(&dog, (struct lt_calls_options){ 0 },
		       LINE("30500", " dog-18 [001] fault() = ? <0.000000500> [its thread ended inside]"));
}

/* What cannot be printed, and a name that nothing has. */
static void test_refused(void **state)
{
	struct tg *g = tg_new(NULL);
	char text[256], path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("calls.lt"));
	tg_kfree(g, 0, 1000, 0xffff888000001000, 0);
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	test_stderr_begin();
	assert_int_equal(run(path, NULL, (struct lt_calls_options){ 0 }, text, sizeof(text)), -1);
	assert_non_null(strstr(test_stderr_end(), "function calls were not recorded"));
	write_calls(path);
	test_stderr_begin();
	assert_int_equal(run(path, NULL, (struct lt_calls_options){ .functions = "fault,vfs_raed" },
			     text, sizeof(text)), -1);
	assert_non_null(strstr(test_stderr_end(),
			       "--function: no function 'vfs_raed' was recorded; did you mean 'vfs_read'?"));
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_graph),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_flame),
		cmocka_unit_test(test_large_results),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("printed calls", tests, NULL, NULL);
}
