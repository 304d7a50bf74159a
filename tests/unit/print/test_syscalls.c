// SPDX-License-Identifier: GPL-2.0
/*
 * Which system calls are printed: a filter is asked of the call, whatever event decides it.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/text.h"
#include "print/syscalls_sink.h"
#include "testlib.h"
#include "tracegen.h"

#define C0	TG_SYSCALL(0)
#define C1	TG_SYSCALL(1)

/*
 * cat is killed in read(), and dies; late waits for a restart that never comes; sleep sleeps since
 * before the trace, and only the snapshot has its name; sh, which makes other calls, ends the
 * session; cat's request never completes, and a worker completes that of late.
 */
static void write_calls(const char *path)
{
	const struct tg_options o = { .machine = "x86_64", .tasks = true };
	struct tg *g = tg_new(&o);

	TG_PUT(g, TG_PID(0), 1000, STATE, .tid = 50, .tgid = 50, .start = 700, .comm = "sleep");
	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	TG_TASK(g, C1, 1000, .tid = 18, .tgid = 18, .start = 600, .comm = "cat");
	TG_PUT(g, C1, 1500, URING_SUBMIT, .ring = 1, .request = 0x10, .user_data = 1, .opcode = 22);
	TG_PUT(g, C1, 2000, SYS_WIDE_3, .nr = 0, .duration = 100, .result = -512, .arg0 = 3);
	TG_PUT(g, TG_PID(1), 2010, EXIT, .tid = 18, .tgid = 18, .start = 600, .comm = "cat");
	TG_PUT(g, C0, 2020, SYS_0, .nr = 110, .duration = 10, .result = 1);
	TG_TASK(g, C1, 2100, .tid = 19, .tgid = 19, .start = 650, .comm = "late");
	TG_PUT(g, C1, 2200, URING_SUBMIT, .ring = 1, .request = 0x20, .user_data = 2, .opcode = 23);
	TG_PUT(g, C1, 2500, SYS_WIDE_3, .nr = 0, .duration = 100, .result = -512, .arg0 = 4);
	TG_PUT(g, C0, 2600, URING_COMPLETE, .ring = 1, .request = 0x20, .user_data = 2, .result = 5);
	TG_PUT(g, C0, 3000, SYS_0, .nr = 110, .duration = 10, .result = 1);
	TG_PUT(g, C0, 9000, SYS_OPEN, .tid = 50, .tgid = 50, .start = 700, .nr = 34,
	       .flags = LT_SYS_BEFORE, .why = LT_SYS_AT_END);
	tg_finish(g, 10000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
}

/* What is printed of the trace. Return: the sink's. */
static int run(const char *path, const struct lt_filter_spec *spec, struct lt_syscalls_options o,
	       char *text, size_t size)
{
	char out[256];
	struct lt_sink *sink;
	struct lt_trace *t;
	struct lt_event ev;
	ssize_t n;
	int fd, err;

	snprintf(out, sizeof(out), "%s", test_path("out"));
	fd = open(out, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	if (spec) {
		o.filter = lt_filter_new(spec, path);
		assert_non_null(o.filter);
	}
	sink = lt_syscalls_sink_new(&o, fd);
	t = lt_trace_open(path);
	assert_non_null(t);
	assert_int_equal(sink->begin(sink, t), 0);
	while (lt_trace_next(t, &ev) > 0)
		assert_int_equal(sink->event(sink, &ev), 0);
	err = sink->end(sink);
	lt_trace_close(t);
	lt_filter_free(o.filter);
	fd = open(out, O_RDONLY);
	n = read(fd, text, size - 1);
	assert_true(n >= 0);
	text[n] = 0;
	close(fd);
	return err;
}

/* The tasks of the lines, each as its first letter; "" if there is none. */
static void assert_tasks(const char *path, const struct lt_filter_spec *spec, const char *tasks)
{
	char text[8192], got[64] = "";
	size_t n = 0;

	assert_int_equal(run(path, spec, (struct lt_syscalls_options){ 0 }, text, sizeof(text)), 0);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		const char *name = line + strspn(line, " .0123456789");

		got[n++] = *name;
		assert_true(n < sizeof(got));
	}
	assert_string_equal(got, tasks);
}

/* S is the call in which sleep hangs; c's are the read and the request. */
static void test_filters(void **state)
{
	static const struct {
		struct lt_filter_spec spec;
		const char *tasks;
	} cases[] = {
		{ { .task = NULL }, "cslsslc" },
		{ { .task = "cat" }, "cc" },
		{ { .task = "18" }, "cc" },
		{ { .task = "late" }, "ll" },
		{ { .task = "sleep" }, "s" },
		{ { .task = "50@700" }, "s" },
		{ { .task = "sh" }, "ss" },
		{ { .cpus = "0" }, "slss" },
		{ { .cpus = "1" }, "clc" },
		{ { .from = "0" }, "cslsslc" },
		{ { .from = "0.0000015" }, "lsslc" },
		{ { .to = "0.0000015" }, "cs" },
		{ { .task = "cat", .from = "0.0000015" }, "c" },
	};
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("calls.lt"));
	write_calls(path);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_tasks(path, i ? &cases[i].spec : NULL, cases[i].tasks);
}

static void test_sums(void **state)
{
	const struct lt_filter_spec cat = { .task = "cat" }, cpu = { .cpus = "1" };
	struct lt_syscalls_options o = { .summary = true, .format = LT_FORMAT_CSV };
	char path[256], text[8192];

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("calls.lt"));
	write_calls(path);
	assert_int_equal(run(path, &cat, o, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "\nread,"));
	assert_null(strstr(text, "\ngetppid,"));
	assert_int_equal(run(path, &cpu, o, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "\nread,100.000,200,2,"));
	o = (struct lt_syscalls_options){ .tree = true, .format = LT_FORMAT_CSV };
	assert_int_equal(run(path, &cat, o, text, sizeof(text)), 0);
	assert_non_null(strstr(text, ",18,"));
}

/* A trace without calls, and one of which the filter leaves nothing: sums of nothing. */
static void test_no_sums(void **state)
{
	const struct tg_options options = { .machine = "x86_64", .info = "channels=syscall\n" };
	const struct lt_syscalls_options o = { .summary = true, .format = LT_FORMAT_CSV };
	const struct lt_filter_spec nobody = { .task = "sh", .from = "0.000008" };
	struct tg *g = tg_new(&options);
	char path[256], text[8192];

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("calls.lt"));
	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	assert_int_equal(run(path, NULL, o, text, sizeof(text)), 0);
	assert_string_equal(strchr(text, '\n'), "\n");
	write_calls(path);
	assert_int_equal(run(path, &nobody, o, text, sizeof(text)), 0);
	assert_string_equal(strchr(text, '\n'), "\n");
}

/* The name of a task that only a snapshot has; and of none. */
static void test_names(void **state)
{
	const struct lt_filter_spec none = { .task = "nosuch", .doer = "system call of a task" };
	char path[256], text[8192];

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("calls.lt"));
	write_calls(path);
	assert_int_equal(run(path, NULL, (struct lt_syscalls_options){ 0 }, text, sizeof(text)), 0);
	assert_non_null(strstr(text, " sleep-50 pause() = ? [began before the trace, open at the end]\n"));
	assert_non_null(strstr(text, " cat-18 read(3, NULL, 0) = ? ERESTARTSYS <0.000000100> [interrupted]\n"));
	test_stderr_begin();
	assert_int_equal(run(path, &none, (struct lt_syscalls_options){ 0 }, text, sizeof(text)),
			 -1);
	assert_non_null(strstr(test_stderr_end(), "--task: there is no system call of a task 'nosuch'"));
	assert_string_equal(text, "");
}

/* Numbers without a name, of x32, of calls in calls; one that a tracer has cancelled. */
static void write_numbers(const char *path)
{
	const struct tg_options o = { .machine = "x86_64" };
	struct tg *g = tg_new(&o);

	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	TG_PUT(g, C0, 2000, SYS_WIDE_6, .nr = 999, .duration = 10, .result = -38, .arg0 = 1);
	TG_PUT(g, C0, 2100, SYS_WIDE_6, .nr = 999, .duration = 10, .result = -38);
	TG_PUT(g, C0, 2200, SYS_WIDE_6, .nr = 1000, .duration = 10, .result = -38);
	TG_PUT(g, C0, 2300, SYS_WIDE_0, .nr = 1 << 30 | 39, .duration = 10, .result = 17);
	TG_PUT(g, C0, 2400, SYS_WIDE_4, .nr = 1 << 30 | 512, .duration = 10, .arg0 = 10, .arg3 = 8);
	TG_PUT(g, C0, 2500, SYS_WIDE_6, .nr = 1 << 30 | 13, .duration = 10, .result = -38);
	TG_PUT(g, C0, 2600, SYS_WIDE_6, .nr = -1, .duration = 10, .result = -38, .arg0 = 5);
	TG_PUT(g, C0, 2700, SYS_WIDE_2, .nr = 102, .flags = LT_SYS_COMPAT, .duration = 10, .result = 3,
	       .arg0 = 3, .arg1 = 0);
	TG_PUT(g, C0, 2800, SYS_WIDE_6, .nr = 117, .flags = LT_SYS_COMPAT, .duration = 10, .result = 7,
	       .arg0 = 23, .arg1 = 0xbeef0000, .arg2 = 4096, .arg3 = 0x3b6);
	TG_PUT(g, C0, 2900, SYS_WIDE_6, .nr = -1, .flags = LT_SYS_COMPAT, .duration = 10, .result = -38);
	tg_finish(g, 10000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void test_numbers(void **state)
{
	static const char *const lines[] = {
		" sh-17 call_999(1, 0, 0, 0, 0, 0) = -1 ENOSYS (Function not implemented) <",
		" sh-17 getpid() = 17 <0.000000010> [x32]\n",
		" sh-17 rt_sigaction(SIGUSR1, NULL, NULL, 8) = 0 <0.000000010> [x32]\n",
		/* x32 has not that of x86-64. */
		" sh-17 call_1073741837(",
		" sh-17 call_-1(5, 0, 0, 0, 0, 0) = -1 ENOSYS (Function not implemented) <0.000000010> [not executed]\n",
		" sh-17 socketcall(SYS_CONNECT, NULL) = 3 <0.000000010> [32 bits]\n",
		" sh-17 ipc(SHMGET, 0xbeef0000, 4096, 950, NULL, 0) = 7 <0.000000010> [32 bits]\n",
		" <0.000000010> [not executed, 32 bits]\n",
	};
	static const char *const rows[] = {
		"\ncall_999,20.000,20,2,2,", "\ncall_1000,10.000,10,1,1,", "\ngetpid [x32],",
		"\ncall_1073741837 [x32],", "\ncall_-1,", "\ncall_-1 [32 bits],",
	};
	static const struct {
		const char *calls;
		size_t n;
	} lists[] = {
		{ "999", 2 }, { "call_999", 2 }, { "999,1000", 3 }, { "call_*", 6 }, { "39", 0 },
		{ "1073741863", 1 }, { "getpid", 1 }, { "-1", 2 }, { "117", 1 },
	};
	char path[256], text[8192];

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("numbers.lt"));
	write_numbers(path);
	assert_int_equal(run(path, NULL, (struct lt_syscalls_options){ 0 }, text, sizeof(text)), 0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_non_null(strstr(text, lines[i]));
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const struct lt_syscalls_options o = { .calls = lists[i].calls };

		assert_int_equal(run(path, NULL, o, text, sizeof(text)), 0);
		assert_int_equal(count_lines(text), lists[i].n);
	}
	assert_int_equal(run(path, NULL, (struct lt_syscalls_options){ .summary = true,
		.format = LT_FORMAT_CSV }, text, sizeof(text)), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_non_null(strstr(text, rows[i]));
}

/* All numbers there are do not make a row each. */
static void test_many_numbers(void **state)
{
	const struct lt_syscalls_options o = { .summary = true, .format = LT_FORMAT_CSV };
	const struct tg_options options = { .machine = "x86_64" };
	struct tg *g = tg_new(&options);
	char path[256], text[262144];

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("many.lt"));
	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	for (unsigned int i = 0; i < 1500; i++)
		TG_PUT(g, C0, 2000 + i, SYS_WIDE_6, .nr = (int32_t)(1000 + i), .result = -38);
	TG_PUT(g, C0, 4000, SYS_WIDE_6, .nr = 1000, .result = -38);
	TG_PUT(g, C0, 4000, SYS_WIDE_0, .nr = 39, .result = 17);
	tg_finish(g, 10000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	assert_int_equal(run(path, NULL, o, text, sizeof(text)), 0);
	assert_int_equal(count_lines(text), 1 + 1000 + 2);
	assert_non_null(strstr(text, "\nothers,0.000,0,500,500,"));
	assert_non_null(strstr(text, "\ncall_1000,0.000,0,2,2,"));
	assert_non_null(strstr(text, "\ngetpid,0.000,0,1,0,"));
}

/*
 * 17 is the recorder, with the thread 18; its child 19 makes a call and executes a program, which
 * makes calls of its own; 50 is another task.
 */
static void write_own(const char *path, bool lossy)
{
	const struct tg_options o = {
		.machine = "x86_64", .tasks = true,
		.info = "recorder_tid=17\nrecorder_tgid=17\nrecorder_pid_ns=4026531836\n",
	};
	struct tg *g = tg_new(&o);

	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "recorder");
	TG_PUT(g, C0, 1100, SYS_0, .nr = 110, .duration = 10, .result = 1);
	TG_TASK(g, C0, 1200, .tid = 18, .tgid = 17, .start = 510, .comm = "thread");
	TG_PUT(g, C0, 1210, SYS_0, .nr = 110, .duration = 10, .result = 1);
	TG_PUT(g, TG_PID(0), 1300, TASK_NEW, .tid = 19, .tgid = 19, .start = 1300, .creator = 17,
	       .creator_start = 500, .parent = 17, .parent_start = 500, .comm = "recorder");
	if (lossy)
		tg_lost(g, TG_PID(0), LT_CLASS_EXEC, TG_FULL, 1);
	TG_TASK(g, C1, 1400, .tid = 19, .tgid = 19, .start = 1300, .comm = "child");
	TG_PUT(g, C1, 1410, SYS_0, .nr = 110, .duration = 10, .result = 1);
	if (!lossy)
		TG_PUT(g, TG_PID(1), 1500, EXEC, .tid = 19, .start = 1300, .old_tid = 19,
		       .old_start = 1300);
	TG_TASK(g, C1, 1600, .tid = 19, .tgid = 19, .start = 1300, .comm = "made");
	TG_PUT(g, C1, 1610, SYS_0, .nr = 110, .duration = 10, .result = 1);
	TG_TASK(g, C1, 1700, .tid = 50, .tgid = 50, .start = 700, .comm = "other");
	TG_PUT(g, C1, 1710, SYS_0, .nr = 110, .duration = 10, .result = 1);
	tg_finish(g, 10000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
}

/* The recorder's own calls are left out and counted, or shown. */
static void test_self(void **state)
{
	const struct lt_syscalls_options with = { .self = true, .format = LT_FORMAT_CSV };
	char path[256], text[8192];

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("own.lt"));
	write_own(path, false);
	test_stderr_begin();
	assert_tasks(path, NULL, "mo");
	assert_non_null(strstr(test_stderr_end(), "3 calls made by lifetrace itself are left out "
			       "(--self includes them)\n"));
	test_stderr_begin();
	assert_int_equal(run(path, NULL, with, text, sizeof(text)), 0);
	assert_string_equal(test_stderr_end(), "");
	assert_non_null(strstr(text, "thread"));
	/* Where the execution of a program may have been lost, a child is none of the recorder. */
	write_own(path, true);
	assert_tasks(path, NULL, "cmo");
}

/* What was read at the return is marked: behind the string, and in a column for programs. */
static void test_late(void **state)
{
	const struct tg_options o = { .machine = "x86_64" };
	const struct lt_syscalls_options json = { .format = LT_FORMAT_JSON };
	const struct lt_syscalls_options raw = { .format = LT_FORMAT_JSON, .raw = true };
	char path[256], text[8192];
	struct tg *g = tg_new(&o);

	(void)state;
	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	TG_PUT(g, C0, 2000, SYS_WIDE_2, .nr = 82, .duration = 100, .flags = LT_SYS_TEXTS,
	       .arg0 = 0x1000, .arg1 = 0x2000);
	TG_PUT(g, C0, 2000, SYS_STR, .arg = 0, .flags = LT_SYS_TEXT_MORE, .size = 2, .text = "/a");
	TG_PUT(g, C0, 2000, SYS_STR, .arg = 1, .flags = LT_SYS_TEXT_LATE, .size = 2, .text = "/b");
	tg_finish(g, 10000);
	snprintf(path, sizeof(path), "%s", test_path("late.lt"));
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	assert_int_equal(run(path, NULL, (struct lt_syscalls_options){ 0 }, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "rename(\"/a\", \"/b\" [read at the return]) = 0 <0.000000100>\n"));
	assert_int_equal(run(path, NULL, json, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "\"remarks\":\"strings read at the return\""));
	assert_int_equal(run(path, NULL, raw, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "\"args\":\"0x1000, 0x2000\""));
	assert_non_null(strstr(text, "\"remarks\":\"strings read at the return\""));
}

/* A result that is a number of an inner pid namespace is marked. */
static void test_numbers_inside(void **state)
{
	const struct tg_options o = { .machine = "x86_64", .tasks = true };
	const struct lt_syscalls_options json = { .format = LT_FORMAT_JSON };
	char path[256], text[8192];
	struct tg *g = tg_new(&o);

	(void)state;
	TG_PUT(g, TG_PID(0), 1000, PID_NS, .ns = 3, .parent = 1, .level = 1, .inum = 8);
	TG_PUT(g, TG_PID(0), 1010, STATE, .tid = 100, .tgid = 100, .start = 500, .ns = 3, .nr = 1,
	       .comm = "init");
	TG_TASK(g, C0, 1100, .tid = 100, .tgid = 100, .start = 500, .comm = "init");
	TG_PUT(g, C0, 2000, SYS_0, .nr = 39, .duration = 100, .result = 1);
	tg_finish(g, 10000);
	snprintf(path, sizeof(path), "%s", test_path("inside.lt"));
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	assert_int_equal(run(path, NULL, (struct lt_syscalls_options){ 0 }, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "getpid() = 1 [pid namespace 3: 100] <"));
	assert_int_equal(run(path, NULL, json, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "\"result\":1,"));
	assert_non_null(strstr(text, "\"pid_namespace\":3,\"result_tid\":100"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_no_sums),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_many_numbers),
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_numbers_inside),
	};

	return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
