// SPDX-License-Identifier: GPL-2.0
/* System calls from trace files: arguments of execve, restarts, calls that do not return. */
#include "syscalls/args.h"
#include "syscalls/syscall.h"
#include "testlib.h"
#include "tracegen.h"

#define C0	TG_SYSCALL(0)
#define C1	TG_SYSCALL(1)
#define MAX	32

struct read {
	struct lt_syscall calls[MAX];
	char args[MAX][256];
	char comms[MAX][17];		/* the tasks are gone with the trace */
	size_t n;
};

static void take(void *arg, const struct lt_syscall *call)
{
	struct read *r = arg;
	char text[LT_SYSCALL_TEXT];

	assert_true(r->n < MAX);
	strcpy(r->comms[r->n], call->task ? call->task->comm : "");
	lt_syscall_args_text(call, LT_SYSCALL_ARGS_NAMED, text);
	assert_true(strlen(text) < sizeof(r->args[0]));
	strcpy(r->args[r->n], text);
	r->calls[r->n++] = *call;
}

static struct tg *begin(const struct tg_options *o)
{
	struct tg *g = tg_new(o);

	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	TG_TASK(g, C1, 1000, .tid = 18, .tgid = 17, .start = 600, .comm = "sh");
	return g;
}

static void read_calls(struct tg *g, bool parts, struct read *r)
{
	struct lt_syscalls *calls;
	struct lt_trace *t;
	struct lt_event ev;

	tg_finish(g, 100000);
	assert_int_equal(tg_write(g, test_path("calls.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("calls.lt"));
	assert_non_null(t);
	r->n = 0;
	calls = lt_syscalls_new(t, parts, take, r);
	while (lt_trace_next(t, &ev) > 0)
		lt_syscalls_event(calls, &ev);
	lt_syscalls_finish(calls);
	lt_syscalls_free(calls);
	lt_trace_close(t);
}

static void put_read(struct tg *g, uint64_t end, uint32_t duration, int64_t result)
{
	TG_PUT(g, C0, end, SYS_WIDE_3, .nr = 0, .duration = duration, .result = result, .arg0 = 3,
	       .arg1 = 0x1000, .arg2 = 64);
}

static void put_sigreturn(struct tg *g, uint64_t end)
{
	TG_PUT(g, C0, end, SYS_0, .nr = 15, .duration = 1, .result = -4);
}

/* Both forms, on machines of both byte orders. */
static void test_forms(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		const struct tg_options o = { .big_endian = big, .machine = "x86_64" };
		struct tg *g = begin(&o);
		struct read r;

		put_read(g, 2000, 100, -9);
		TG_PUT(g, C1, 3000, SYS_WIDE_6, .nr = 9, .duration = 1ULL << 40,
		       .result = 0x7f0000001000, .arg1 = 4096, .arg2 = 3, .arg3 = 0x22,
		       .arg4 = ~0ULL);
		read_calls(g, false, &r);
		assert_int_equal(r.n, 2);
		assert_int_equal(r.calls[0].begin, 1900);
		assert_int_equal(r.calls[0].end, 2000);
		assert_int_equal(lt_syscall_duration(&r.calls[0]), 100);
		assert_int_equal(lt_syscall_error(&r.calls[0]), 9);
		assert_int_equal(r.calls[0].n_args, 3);
		assert_int_equal(r.calls[0].args[2], 64);
		assert_int_equal(r.calls[0].tid, 17);
		assert_string_equal(r.comms[0], "sh");
		assert_string_equal(lt_syscall_name(r.calls[0].abi, r.calls[0].nr), "read");
		/* A begin before the clock's cannot be. */
		assert_false(r.calls[1].has_begin);
		assert_int_equal(r.calls[1].n_args, 6);
		assert_int_equal(r.calls[1].tid, 18);
		assert_int_equal(r.calls[1].result, 0x7f0000001000);
		assert_int_equal(lt_syscall_error(&r.calls[1]), 0);
	}
}

static void put_open(struct tg *g, uint32_t stream, uint64_t end, uint8_t flags)
{
	TG_PUT(g, stream, end, SYS_WIDE_4, .nr = 257, .flags = flags, .duration = 10, .result = 3,
	       .arg0 = 0xffffff9c, .arg1 = 0x5000);
}

/* Texts of calls on two CPUs at one time; and such as are not of the call before. */
static void test_texts(void **state)
{
	static const char *const args[] = {
		"AT_FDCWD, \"/one\", O_RDONLY", "AT_FDCWD, \"/two\"..., O_RDONLY", "AT_FDCWD, 0x5000, O_RDONLY",
		"AT_FDCWD, 0x5000, O_RDONLY", "AT_FDCWD, 0x5000, O_RDONLY", "AT_FDCWD, 0x5000, O_RDONLY",
	};
	const struct tg_options o = { .machine = "x86_64" };
	struct tg *g = begin(&o);
	struct read r;

	(void)state;
	put_open(g, C0, 2000, LT_SYS_TEXTS);
	put_open(g, C1, 2000, LT_SYS_TEXTS);
	TG_PUT(g, C1, 2000, SYS_STR_32, .arg = 1, .flags = LT_SYS_TEXT_CUT, .size = 4, .text = "/twoX");
	TG_PUT(g, C0, 2000, SYS_STR, .arg = 1, .size = 4, .text = "/one");
	/* Nothing was recorded, nothing could be read. */
	put_open(g, C0, 3000, 0);
	put_open(g, C0, 4000, LT_SYS_TEXTS);
	TG_PUT(g, C0, 4000, SYS_STR, .arg = 1, .flags = LT_SYS_TEXT_FAULT);
	/* Of another time, so of another call; of another packet; of none. */
	put_open(g, C0, 5000, LT_SYS_TEXTS);
	TG_PUT(g, C0, 5001, SYS_STR, .arg = 1, .size = 4, .text = "/bad");
	put_open(g, C0, 6000, LT_SYS_TEXTS);
	tg_close(g, C0, 6000);
	TG_TASK(g, C0, 6000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	TG_PUT(g, C0, 6000, SYS_STR, .arg = 1, .size = 4, .text = "/bad");
	TG_PUT(g, C0, 6000, SYS_STR, .arg = 1, .size = 4, .text = "/bad");
	read_calls(g, false, &r);
	assert_int_equal(r.n, 6);
	for (size_t i = 0; i < r.n; i++) {
		assert_string_equal(r.args[i], args[i]);
		assert_int_equal(r.calls[i].no_texts, i >= 4);
	}
}

/* What an execve was given, from its begin; or, if it failed, from its end. */
static void test_exec_texts(void **state)
{
	const struct tg_options o = { .machine = "x86_64", .big_endian = true };
	struct tg *g = begin(&o);
	struct read r;

	(void)state;
	for (int failed = 0; failed < 2; failed++) {
		const uint64_t t = 2000 + 1000 * failed;

		TG_PUT(g, C0, t, SYS_BEGIN, .nr = 59, .flags = LT_SYS_TEXTS, .arg0 = 0x1000, .arg1 = 0x2000);
		TG_PUT(g, C0, t, SYS_STR, .flags = LT_SYS_TEXT_MORE | (failed ? LT_SYS_TEXT_FAULT : 0),
		       .size = failed ? 0 : 7, .text = "/bin/ls");
		TG_PUT(g, C0, t, SYS_STR, .arg = 1, .flags = LT_SYS_TEXT_MORE, .size = 2, .text = "ls");
		TG_PUT(g, C0, t, SYS_STR, .arg = 1, .element = 1, .flags = LT_SYS_TEXT_MORE, .size = 2,
		       .text = "-l");
		TG_PUT(g, C0, t, SYS_STR, .arg = 1, .element = LT_SYS_TEXT_REST, .flags = LT_SYS_TEXT_CUT);
		TG_PUT(g, C0, t + 500, SYS_0, .nr = 59, .duration = 500, .result = failed ? -2 : 0,
		       .flags = LT_SYS_BEGUN | (failed ? LT_SYS_TEXTS : 0));
	}
	TG_PUT(g, C0, 3500, SYS_STR, .size = 2, .text = "/x");
	TG_PUT(g, C0, 4000, SYS_BEGIN, .nr = 59, .flags = LT_SYS_TEXTS, .arg0 = 0x1000);
	TG_PUT(g, C0, 4000, SYS_STR, .size = 2, .text = "/y");
	TG_PUT(g, C0, 4100, SYS_OPEN, .tid = 17, .tgid = 17, .start = 500, .nr = 59, .why = LT_SYS_DIED,
	       .begin = 4000, .arg0 = 0x1000);
	/*
	 * Of a thread that is not the leader its begin has the arguments; but not of another call.
	 */
	for (unsigned int i = 0; i < 2; i++) {
		TG_PUT(g, C0, 5000 + 100 * i, SYS_BEGIN, .nr = 59, .flags = LT_SYS_TEXTS, .arg0 = 0x1000,
		       .arg1 = 0x3000);
		TG_PUT(g, C0, 5000 + 100 * i, SYS_STR, .size = 2, .text = "/z");
		TG_PUT(g, C0, 5050 + 100 * i, SYS_OPEN, .tid = 17, .tgid = 17, .start = 500, .nr = 59,
		       .why = LT_SYS_AT_END, .flags = LT_SYS_NO_ARGS, .begin = 5000 + 50 * i);
	}
	read_calls(g, false, &r);
	assert_int_equal(r.n, 5);
	assert_string_equal(r.args[3], "\"/z\", 0x3000, NULL");
	assert_int_equal(r.calls[3].flags & LT_SYS_NO_ARGS, 0);
	assert_string_equal(r.args[4], "");
	assert_int_equal(r.calls[4].flags & LT_SYS_NO_ARGS, LT_SYS_NO_ARGS);
	assert_string_equal(r.args[0], "\"/bin/ls\", [\"ls\", \"-l\", ...], NULL");
	assert_string_equal(r.args[1], "\"/x\", 0x2000, NULL");
	assert_string_equal(r.args[2], "\"/y\", NULL, NULL");
}

/* The first part of a call had nothing to read, or had it for both. */
static void test_restarted_texts(void **state)
{
	const struct tg_options o = { .machine = "x86_64" };
	struct tg *g = begin(&o);
	struct read r;

	(void)state;
	TG_PUT(g, C0, 2000, SYS_WIDE_3, .nr = 43, .duration = 10, .result = -512, .arg1 = 0x5000);
	TG_PUT(g, C0, 2100, SYS_WIDE_3, .nr = 43, .duration = 10, .result = 4, .arg1 = 0x5000,
	       .flags = LT_SYS_TEXTS);
	TG_PUT(g, C0, 2100, SYS_ADDR, .arg = 1, .size = 2, .bytes = { 1 });
	put_open(g, C0, 3000, LT_SYS_TEXTS);
	TG_PUT(g, C0, 3000, SYS_STR, .arg = 1, .size = 4, .text = "/one");
	TG_PUT(g, C0, 4000, SYS_WIDE_3, .nr = 42, .duration = 10, .result = -516, .arg1 = 0x5000,
	       .flags = LT_SYS_TEXTS);
	TG_PUT(g, C0, 4000, SYS_ADDR, .arg = 1, .size = 4, .bytes = { 1, 0, '/', 's' });
	TG_PUT(g, C0, 4100, SYS_0, .nr = 219, .duration = 10, .result = 0);
	/* Is never restarted. */
	TG_PUT(g, C0, 5000, SYS_WIDE_2, .nr = 83, .duration = 10, .result = -512, .arg0 = 0x5000,
	       .flags = LT_SYS_TEXTS);
	TG_PUT(g, C0, 5000, SYS_STR, .size = 2, .text = "/d");
	read_calls(g, false, &r);
	assert_int_equal(r.n, 4);
	assert_string_equal(r.args[0], "0, {sa_family=AF_UNIX}, NULL");
	assert_string_equal(r.args[2], "0, {sa_family=AF_UNIX, sun_path=\"/s\"}, 0");
	assert_string_equal(r.args[3], "\"/d\", 0");
}

/* Restarted without a handler, and after one; and what comes from within the handler. */
static void test_restarts(void **state)
{
	const struct tg_options o = { .machine = "x86_64" };
	struct tg *g = begin(&o);
	struct read r;

	(void)state;
	put_read(g, 2000, 100, -512);
	put_read(g, 2500, 400, -512);
	TG_PUT(g, C0, 2600, SYS_0, .nr = 39, .duration = 10, .result = 17);
	put_sigreturn(g, 2700);
	put_read(g, 3000, 290, 64);
	TG_PUT(g, C0, 3100, SYS_0, .nr = 39, .duration = 10, .result = 17);
	read_calls(g, false, &r);
	assert_int_equal(r.n, 4);
	assert_int_equal(r.calls[0].nr, 39);
	assert_int_equal(r.calls[1].nr, 15);
	assert_int_equal(r.calls[2].nr, 0);
	assert_int_equal(r.calls[2].parts, 3);
	assert_int_equal(r.calls[2].begin, 1900);
	assert_int_equal(r.calls[2].end, 3000);
	assert_int_equal(r.calls[2].result, 64);
	assert_int_equal(r.calls[2].how, LT_SYSCALL_RETURNED);
	assert_int_equal(r.calls[3].nr, 39);
}

/* After a handler another call proves that there is no restart; some results mean none at all. */
static void test_interrupted(void **state)
{
	const struct tg_options o = { .machine = "x86_64" };
	struct tg *g = begin(&o);
	struct read r;

	(void)state;
	put_read(g, 2000, 100, -512);
	put_sigreturn(g, 2100);
	TG_PUT(g, C0, 2200, SYS_0, .nr = 39, .duration = 10, .result = 17);
	put_read(g, 2300, 10, -514);
	put_sigreturn(g, 2400);
	put_read(g, 2500, 10, 5);
	put_read(g, 2600, 10, -512);
	read_calls(g, false, &r);
	assert_int_equal(r.n, 7);
	assert_int_equal(r.calls[1].how, LT_SYSCALL_INTERRUPTED);
	assert_int_equal(r.calls[1].end, 2000);
	assert_int_equal(r.calls[4].how, LT_SYSCALL_INTERRUPTED);
	assert_int_equal(r.calls[4].result, -514);
	assert_int_equal(r.calls[5].result, 5);
	assert_int_equal(r.calls[5].parts, 1);
	assert_int_equal(r.calls[6].how, LT_SYSCALL_INTERRUPTED);
	assert_int_equal(r.calls[6].end, 2600);
}

/* Each part is a call, where that is asked for. */
static void test_parts(void **state)
{
	const struct tg_options o = { .machine = "x86_64" };
	struct tg *g = begin(&o);
	struct read r;

	(void)state;
	put_read(g, 2000, 100, -512);
	put_read(g, 2500, 400, 1);
	read_calls(g, true, &r);
	assert_int_equal(r.n, 2);
	assert_int_equal(r.calls[0].result, -512);
	assert_int_equal(r.calls[0].how, LT_SYSCALL_RETURNED);
}

/* The thread that executes a program has the leader's number when the call returns. */
static void test_execve(void **state)
{
	const struct tg_options o = { .machine = "x86_64" };
	struct tg *g = begin(&o);
	struct read r;

	(void)state;
	TG_PUT(g, C1, 1900, SYS_BEGIN, .nr = 59, .arg0 = 1, .arg1 = 2, .arg2 = 3, .arg3 = 4);
	TG_PUT(g, C0, 1950, SYS_BEGIN, .nr = 59, .arg0 = 9);
	TG_PUT(g, C0, 2000, SYS_0, .nr = 59, .flags = LT_SYS_BEGUN, .duration = 100);
	TG_PUT(g, C0, 2100, SYS_OPEN, .tid = 17, .tgid = 17, .start = 500, .nr = 59,
	       .why = LT_SYS_DIED, .begin = 1950, .arg0 = 9);
	read_calls(g, false, &r);
	assert_int_equal(r.n, 2);
	assert_int_equal(r.calls[0].tid, 18);
	assert_int_equal(r.calls[0].begin, 1900);
	assert_int_equal(r.calls[0].n_args, 3);
	assert_int_equal(r.calls[0].args[1], 2);
	assert_int_equal(r.calls[1].how, LT_SYSCALL_DIED);
	assert_int_equal(r.calls[1].begin, 1950);
	assert_int_equal(lt_syscall_duration(&r.calls[1]), 150);
	assert_string_equal(r.comms[1], "sh");
}

static void test_flags(void **state)
{
	const struct tg_options o = { .machine = "x86_64" };
	struct tg *g = begin(&o);
	struct read r;

	(void)state;
	TG_PUT(g, C0, 2000, SYS_0, .nr = 34, .flags = LT_SYS_BEFORE, .duration = 7, .result = -514);
	TG_PUT(g, C1, 2100, SYS_WIDE_1, .nr = 6, .flags = LT_SYS_COMPAT, .duration = 7, .result = -9,
	       .arg0 = 777);
	TG_PUT(g, C0, 2200, SYS_OPEN, .tid = 99, .nr = 0, .why = LT_SYS_AT_END,
	       .flags = LT_SYS_BEFORE | LT_SYS_NO_ARGS);
	read_calls(g, false, &r);
	assert_int_equal(r.n, 3);
	assert_true(r.calls[0].compat);
	assert_string_equal(lt_syscall_name(r.calls[0].abi, r.calls[0].nr), "close");
	assert_int_equal(r.calls[1].tid, 99);
	assert_null(r.calls[1].task);
	assert_int_equal(r.calls[1].n_args, 0);
	assert_false(r.calls[1].has_begin);
	assert_int_equal(r.calls[2].how, LT_SYSCALL_INTERRUPTED);
	assert_false(r.calls[2].has_begin);
	assert_int_equal(lt_syscall_duration(&r.calls[2]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_exec_texts),
		cmocka_unit_test(test_restarted_texts),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_restarts),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_execve),
		cmocka_unit_test(test_flags),
	};

	return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
